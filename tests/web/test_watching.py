"""Whoever watches sees what is recorded, live, on as many tabs as they like, and can record nothing."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.web.person import Person, stored_events, wait
from tests.web.signal import Signal
from tests.web.test_recorder import CAST


@pytest.fixture
def table(phone: Callable[..., Page]) -> tuple[Person, str]:
    """A recorder at a table of three, and the link to watch it."""
    person = Person(phone())
    session = person.open_night("three-card", CAST[:3])
    return person, person.link_to_watch(session)


def test_a_watcher_is_told_of_it_and_does_not_ask(phone: Callable[..., Page], table: tuple[Person, str]) -> None:
    """What is new comes over the stream as it is stored, and not with the next time that the page asks."""
    person, link = table
    watcher = phone()
    asked: list[str] = []
    watcher.on("request", lambda request: asked.append(request.url) if "limit=500" in request.url else None)
    watcher.goto(link)
    expect(watcher.locator("#turn")).to_have_text("Who deals first?")
    person.does("Cal deals")
    expect(watcher.locator("#turn")).to_have_text("Asha to act")
    person.does("Open blind")
    expect(watcher.locator(".pot")).to_have_text("3.5")
    assert asked == []


def test_the_token_leaves_the_address_and_reaches_no_request_line(
    phone: Callable[..., Page], table: tuple[Person, str]
) -> None:
    _, link = table
    token = link.split("=")[1]
    watcher = phone()
    addresses: list[str] = []
    watcher.on("request", lambda request: addresses.append(request.url.split("#")[0]))
    watcher.goto(link)
    expect(watcher.locator("#turn")).to_be_visible()
    expect(watcher).not_to_have_url(re.compile(re.escape(token)))
    assert len(addresses) > 5
    assert not [address for address in addresses if token in address]


def test_a_watcher_can_record_nothing(phone: Callable[..., Page], table: tuple[Person, str]) -> None:
    person, link = table
    session = link.split("/")[2].split("#")[0]
    watcher = phone()
    watcher.goto(link)
    expect(watcher.locator("#turn")).to_be_visible()
    watcher.goto(f"/s/{session}/record")
    expect(watcher.get_by_role("heading", name="does not hold the recorder’s link")).to_be_visible()
    held = watcher.evaluate("JSON.parse(localStorage.getItem('bragbook.keys'))")
    assert set(held[session]) & {"view", "seat", "record", "club"} == {"view"}
    assert list(held) == [session]
    status = watcher.evaluate(
        """async ([session, token]) => (await fetch(`/api/v1/sessions/${session}/events`, { method: "POST",
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
          body: JSON.stringify({ type: "note", text: "I was here" }) })).status""",
        [session, held[session]["view"]],
    )
    assert status in (401, 403)
    assert len(stored_events(person.page, session)) == 1


def test_a_watcher_whose_link_is_revoked_sees_no_more(
    phone: Callable[..., Page], table: tuple[Person, str], service: str
) -> None:
    """Within seconds, with nothing tapped, in every tab; and the page shows no longer what it had."""
    person, link = table
    first = phone()
    tabs = [first, first.context.new_page()]
    for tab in tabs:
        tab.goto(link)
        expect(tab.locator("#turn")).to_have_text("Who deals first?")
    session, token = link.split("/")[2].split("#view=")
    keeper = person.page.evaluate("(id) => JSON.parse(localStorage.getItem('bragbook.keys'))[id].record", session)
    public = f"view-{base64.urlsafe_b64decode(token.removeprefix('bb_view_'))[16:22].hex()}"
    revoking = Request(
        f"{service}/api/v1/sessions/{session}/tokens/{public}", headers={"Authorization": f"Bearer {keeper}"}
    )
    revoking.method = "DELETE"
    with urlopen(revoking) as answer:
        assert answer.status == 204
    person.does("Cal deals")
    for tab in tabs:
        expect(tab.get_by_role("heading", name="This link does not open the table")).to_be_visible()
        expect(tab.locator("#turn")).to_have_count(0)
        assert "Asha" not in tab.locator("body").inner_text()


def test_a_sleeper_catches_up_with_each_event_once(
    phone: Callable[..., Page], table: tuple[Person, str], signal: Signal
) -> None:
    """The watcher's phone hears nothing of a whole hand and of a void."""
    person, link = table
    watcher = phone()
    watcher.goto(link)
    expect(watcher.locator("#turn")).to_have_text("Who deals first?")
    watcher.context.set_offline(True)
    person.does("Cal deals")
    person.does("Look, open seen")
    person.does("Fold")
    person.does("Fold")
    expect(person.page.get_by_role("heading", name="Asha wins 4")).to_be_visible()
    person.undo()
    person.does("Fold")
    person.wait_saved()
    watcher.context.set_offline(False)
    expect(watcher.get_by_role("heading", name="Asha wins 4")).to_be_visible()
    expect(watcher.locator(".hands li")).to_have_count(1)


def test_eight_tabs_stay_live_over_one_stream(phone: Callable[..., Page], table: tuple[Person, str]) -> None:
    person, link = table
    first = phone()
    streams: set[object] = set()  # that are open
    first.context.on("request", lambda request: streams.add(request) if request.url.endswith("/stream") else None)
    first.context.on("requestfailed", lambda request: streams.discard(request))
    first.context.on("requestfinished", lambda request: streams.discard(request))
    tabs = [first, *(first.context.new_page() for _ in range(7))]
    for tab in tabs:
        tab.goto(link)
        expect(tab.locator("#turn")).to_have_text("Who deals first?")
    person.does("Cal deals")
    for tab in tabs:
        expect(tab.locator("#turn")).to_have_text("Asha to act")
    # a tab that hears nothing of the holder for long takes over, and the holder then lets go
    wait(first, lambda: len(streams) == 1, "one stream for all tabs")
    first.close()  # the tab that held the stream: another takes over
    person.does("Open blind")
    for tab in tabs[1:]:
        expect(tab.locator("#turn")).to_have_text("Ben to act")


def test_a_hand_can_be_seen_again_from_any_moment(phone: Callable[..., Page], table: tuple[Person, str]) -> None:
    person, link = table
    session = link.split("/")[2].split("#")[0]
    person.does("Cal deals")
    person.does("Open blind")
    person.does("Fold")
    person.does("Fold")
    person.wait_saved()
    watcher = phone()
    watcher.goto(link)
    expect(watcher.locator("#turn")).to_be_visible()
    watcher.goto(f"/s/{session}/replay#hand=1&at=6")
    moment = watcher.locator(".moment")
    expect(moment).to_contain_text("Asha bets 0.5 blind")
    expect(watcher.locator(".pot")).to_have_text("3.5")
    watcher.get_by_role("button", name="Next").click()
    expect(moment).to_contain_text("Ben folds")
    expect(watcher).to_have_url(re.compile("at=7"))
    watcher.get_by_label("Moment of the hand").fill("0")
    expect(moment).to_contain_text("Cal deals")


def test_a_moment_that_got_no_answer_is_asked_for_again(phone: Callable[..., Page], table: tuple[Person, str]) -> None:
    person, link = table
    session = link.split("/")[2].split("#")[0]
    for words in ("Cal deals", "Open blind", "Fold", "Fold"):
        person.does(words)
    person.wait_saved()
    watcher = phone()
    watcher.goto(link)
    expect(watcher.locator("#turn")).to_be_visible()
    away = True
    watcher.route("**/*at=6", lambda route: route.abort() if away else route.continue_())
    with watcher.expect_event("requestfailed", lambda request: request.url.endswith("at=6")):
        watcher.goto(f"/s/{session}/replay#hand=1&at=6")
    away = False
    watcher.get_by_role("button", name="Next").click()
    expect(watcher.locator(".moment")).to_contain_text("Ben folds")
    watcher.get_by_role("button", name="Back").click()
    expect(watcher.locator(".moment")).to_contain_text("Asha bets 0.5 blind")
    expect(watcher.get_by_text("Ben to act")).to_be_visible()


def test_the_settlement_is_ticked_and_signed(table: tuple[Person, str]) -> None:
    person, link = table
    session = link.split("/")[2].split("#")[0]
    page = person.page
    person.does("Cal deals")
    person.does("Look, open seen")
    person.does("Fold")
    person.does("Fold")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="End the night").click()
    page.get_by_role("dialog").get_by_role("button", name="End the night").click()
    expect(page.locator("#turn")).to_have_text("The night is over")
    person.wait_saved()
    page.goto(f"/s/{session}/settle")
    page.get_by_role("button", name="Ben has paid Asha 1").click()
    expect(page.get_by_role("button", name="Ben has not paid Asha 1 after all")).to_be_visible()
    page.get_by_role("button", name="Ben has not paid Asha 1 after all").click()
    expect(page.get_by_role("button", name="Ben has paid Asha 1")).to_be_visible()
    page.get_by_role("button", name="Asha agrees").click()
    expect(page.locator(".signatures li").first).to_contain_text("✓")
    types = [event["type"] for event in stored_events(page, session)[-4:]]
    assert types == ["close", "pay", "void", "sign"]


def test_a_viewers_page_holds_no_card_that_was_not_shown(phone: Callable[..., Page], table: tuple[Person, str]) -> None:
    """Nothing that lies face down is anywhere in what the service answers to a viewer."""
    person, link = table
    answers: list[str] = []
    watcher = phone()
    watcher.on(
        "response",
        lambda answer: answers.append(answer.url) if "/api/" in answer.url and "stream" not in answer.url else None,
    )
    watcher.goto(link)
    person.does("Cal deals")
    person.does("Open blind")
    expect(watcher.locator("#turn")).to_have_text("Ben to act")
    session = link.split("/")[2].split("#")[0]
    events = stored_events(person.page, session)
    assert not [event for event in events if "cards" in event or "card" in event]
    assert "cards" not in json.dumps(events)
    assert answers
