"""A watcher's phone keeps the signed heads that it was given, and warns when one leaves the log."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import Page, expect

from events.heads import parse_head
from events.signed_note import parse_note
from tests.web.person import Person
from tests.web.test_recorder import CAST


@pytest.fixture
def night(phone: Callable[..., Page]) -> tuple[str, str]:
    """A night with an event or two: its id, and the link to watch it."""
    person = Person(phone())
    session = person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    person.wait_saved()
    return session, person.link_to_watch(session)


def kept(watcher: Page, session: str) -> list[dict[str, str]]:
    """The heads that the phone has kept, waited for until there is one."""
    place = f"localStorage.getItem('bragbook.heads.{session}')"
    Person(watcher).until(f"Boolean({place})")
    return list(json.loads(watcher.evaluate(place)))


def test_a_head_that_leaves_the_log_is_told(
    phone: Callable[..., Page], night: tuple[str, str], database: str, tmp_path: Path
) -> None:
    session, link = night
    watcher = phone()
    watcher.goto(link)
    head = kept(watcher, session)[-1]
    assert parse_head(parse_note(head["head"]).text).hash == head["hash"]
    with watcher.expect_response(lambda answer: f"/events?after={head['version'] - 1}&" in answer.url):
        watcher.reload()
    watcher.wait_for_timeout(500)  # for what should not come
    expect(watcher.locator(".heads-gone")).to_have_count(0)

    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("alter table events disable trigger user")
        connection.execute("delete from events where session = %s and seq = %s", [session, head["version"]])
        connection.execute("alter table events enable trigger user")
    watcher.reload()
    warning = watcher.locator(".heads-gone")
    expect(warning).to_be_visible()
    expect(warning).to_contain_text(f"event {head['version']}")
    with watcher.expect_download() as saved:
        warning.get_by_role("link", name="Save the signed head as proof").click()
    saved.value.save_as(tmp_path / "head")
    assert (tmp_path / "head").read_text() == head["head"]
