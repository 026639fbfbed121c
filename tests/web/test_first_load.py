"""How much goes over the air until a watcher sees the table; how soon that is, `make bench` measures."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.web.person import Person
from tests.web.taps import TRANSFERRED
from tests.web.test_recorder import CAST

WATCHER_BYTES = 100_000


def test_a_watchers_first_load(phone: Callable[..., Page]) -> None:
    person = Person(phone())
    session = person.open_night("three-card", CAST[:4])
    person.does("Dee deals")
    person.wait_saved()
    watcher = phone()
    watcher.goto(person.link_to_watch(session), wait_until="commit")
    expect(watcher.locator("#turn")).to_have_text("Asha to act")
    watcher.wait_for_timeout(3000)
    size = watcher.evaluate(TRANSFERRED)
    print(f"watcher: {size} bytes")
    assert 0 < size < WATCHER_BYTES
