"""No signal: the phone goes on recording, and what it recorded arrives in order, each once."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.web.person import Person, Scorekeeper, stored_events, stored_state, wait
from tests.web.signal import Signal
from tests.web.test_recorder import CAST, opened

RULES = {"pots": "0"}
WORKER_PATIENCE_SECONDS = 4
"""So long the page's worker waits for a page that it has itself (app/sw.js)."""


def test_twenty_actions_and_a_reload_without_signal(phone: Callable[..., Page], signal: Signal) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:4], RULES)
    keeper = Scorekeeper(person, *opened("three-card", CAST[:4], RULES), seed=11)
    for _ in range(3):
        keeper.one(keeper.beside.state(keeper.names))
    person.wait_saved()
    person.until("caches.match(location.pathname).then(Boolean)")  # the worker has put the page on the phone
    known = len(stored_events(page, session))

    signal.cut()
    for _ in range(10):
        keeper.one(keeper.beside.state(keeper.names))
    expect(page.locator(".light")).to_contain_text("offline")
    page.reload()
    person.wait_for_engine()
    expect(page.locator(".light")).to_contain_text("waiting")
    person.until(f"bragbook.book.state.version === {keeper.beside.version}")
    for _ in range(10):
        keeper.one(keeper.beside.state(keeper.names))
    waiting = keeper.beside.version - known
    assert waiting >= 20
    expect(page.locator(".light")).to_contain_text(f"{waiting} waiting")

    signal.back()
    person.wait_saved()
    events = stored_events(page, session)
    assert [event["seq"] for event in events] == list(range(1, keeper.beside.version + 1))
    assert len({event["id"] for event in events[1:]}) == len(events) - 1
    assert [event["type"] for event in events[1:]] == [event["type"] for event in keeper.beside.events[1:]]
    wanted = keeper.beside.state(keeper.names)
    found = stored_state(page, session)
    assert {name: found[name] for name in wanted} == wanted


def test_an_answer_that_is_lost_doubles_nothing(phone: Callable[..., Page], signal: Signal) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3], RULES)
    person.wait_saved()
    signal.lose_answers(2)
    person.does("Cal deals")
    person.does("Open blind")
    person.does("Blind")
    person.wait_saved()
    assert signal.lost == 2
    events = stored_events(page, session)
    assert [event["type"] for event in events] == ["open", "deal", "ante", "ante", "ante", "bet", "bet"]
    assert page.evaluate("bragbook.book.pending.length") == 0


def two_phones(phone: Callable[..., Page]) -> tuple[Person, Person, str]:
    """Asha's phone opens the night and hands recording over; Ben's opens the link."""
    page = phone()
    first = Person(page)
    session = first.open_night("three-card", CAST[:3], RULES)
    first.does("Cal deals")
    first.wait_saved()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Links and QR codes").click()
    page.get_by_text("Hand recording over").click()
    page.get_by_role("button", name="A link to record").click()
    expect(page.locator(".qr")).to_contain_text("Whoever opens this can record")
    link = page.get_by_label("The link").input_value()
    page.get_by_role("button", name="Close").click()
    other = phone()
    other.goto(link)
    second = Person(other)
    second.wait_for_engine()
    expect(other).not_to_have_url(re.compile("record="))
    return first, second, session


def test_two_recorders_follow_each_other(phone: Callable[..., Page]) -> None:
    first, second, _ = two_phones(phone)
    first.does("Open blind")
    expect(second.page.locator("#turn")).to_have_text("Ben to act")
    second.does("Blind")
    expect(first.page.locator("#turn")).to_have_text("Cal to act")


def test_the_later_of_two_recorders_decides(phone: Callable[..., Page], signal: Signal) -> None:
    first, second, session = two_phones(phone)
    # the second phone's answers and news are held up: it records on what it last saw
    second.page.evaluate("bragbook.book.live.stop()")
    first.does("Open blind")  # Asha
    first.wait_saved()
    before = second.version()
    second.tap(second.page.locator(".actions .fold"))  # "Asha folds", on a page that has not heard
    trouble = second.page.get_by_role("alertdialog")
    expect(trouble).to_contain_text("Another phone was first")
    expect(trouble).to_contain_text("Asha bets 0.5 blind")
    expect(trouble).to_contain_text("Asha folds")
    assert len(stored_events(second.page, session)) == before + 1
    trouble.get_by_role("button", name="Leave mine out").click()
    expect(second.page.locator("#turn")).to_have_text("Ben to act")
    expect(second.page.get_by_role("button", name="1 put aside")).to_be_visible()
    events = stored_events(first.page, session)
    assert [event["type"] for event in events[-1:]] == ["bet"]


def test_the_later_of_two_recorders_can_add_what_still_fits(phone: Callable[..., Page]) -> None:
    first, second, session = two_phones(phone)
    second.page.evaluate("bragbook.book.live.stop()")
    first.page.get_by_role("button", name="Menu").click()
    first.page.get_by_role("button", name="Note something").click()
    first.page.get_by_label("What is worth remembering?").fill("The cat sat on the pack")
    first.page.get_by_role("button", name="Note it").click()
    first.until("bragbook.book.log().at(-1).type === 'note'")
    first.wait_saved()
    second.tap(second.page.locator(".actions .main"))
    trouble = second.page.get_by_role("alertdialog")
    expect(trouble).to_contain_text("The cat sat on the pack")
    trouble.get_by_role("button", name="Add mine after it").click()
    second.wait_saved()
    assert [event["type"] for event in stored_events(first.page, session)[-2:]] == ["note", "bet"]


def test_a_revoked_phone_says_so_and_can_record_no_more(phone: Callable[..., Page]) -> None:
    first, second, session = two_phones(phone)
    page = second.page
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Links and QR codes").click()
    page.get_by_text("All links").click()
    held = page.locator(".tokens li", has_text="record")
    expect(held).to_have_count(2)
    held.first.get_by_role("button", name="Revoke").click()
    expect(held).to_have_count(1)
    # Its stream is ended, so that it knows before anything is tapped; and nothing that it has still gets through.
    expect(first.page.get_by_role("alertdialog")).to_contain_text("may no longer record")
    first.page.evaluate("bragbook.book.record([{ type: 'bet', player: 'p1', as: 'blind', amount: '0.5' }])")
    expect(first.page.get_by_role("alertdialog")).to_contain_text("may no longer record")
    first.page.wait_for_timeout(1_500)  # for what should not come
    assert stored_events(page, session)[-1]["type"] == "ante"


def test_until_the_engine_is_there_the_service_says_what_is_legal(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    page.route("**/engine.json", lambda route: route.abort())
    page.goto("/")
    for n, name in enumerate(CAST[:3]):
        page.get_by_label(f"Seat {n + 1}", exact=True).fill(name)
    page.get_by_role("button", name="Begin with 3").click()
    page.wait_for_url("**/record")
    expect(page.locator("#turn")).to_have_text("Who deals first?")
    person.does("Cal deals")
    person.does("Open blind")
    person.undo()
    person.does("Look, open seen")
    person.wait_saved()
    assert page.evaluate("bragbook.book.engine") is None
    assert person.turn() == "Ben to act"
    types = [event["type"] for event in stored_events(page, page.url.split("/")[-2])]
    assert types == ["open", "deal", "ante", "ante", "ante", "bet", "void", "bet"]


def test_what_waits_can_be_saved_as_a_file(phone: Callable[..., Page], signal: Signal) -> None:
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3])
    person.wait_saved()
    signal.cut()
    person.does("Cal deals")
    page.get_by_role("button", name="Menu").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Save what waits as a file").click()
    waiting = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert [event["type"] for event in waiting] == ["deal", "ante", "ante", "ante"]


def test_a_page_that_is_not_kept_may_take_its_time(phone: Callable[..., Page], signal: Signal) -> None:
    """The worker gives up on a slow service only where it has the page itself."""
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3])
    person.until("caches.match(location.pathname).then(Boolean)")
    page.evaluate("caches.open('bragbook-pages').then((pages) => pages.delete('/'))")
    signal.hold()
    held = threading.Timer(WORKER_PATIENCE_SECONDS + 1, signal.back)
    held.start()
    page.goto("/")
    held.join()
    expect(page.get_by_role("button", name="Same table as last time")).to_be_visible()


def test_a_link_stays_the_one_that_was_asked_for_last(phone: Callable[..., Page]) -> None:
    """The picture of the one shown before comes late."""
    page = phone()
    Person(page).open_night("three-card", CAST[:3])
    late: list[Route] = []
    page.route("**/qr", lambda route: route.continue_() if late else late.append(route))
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Links and QR codes").click()
    wait(page, lambda: late, "a question for the picture")
    page.get_by_text("Hand recording over").click()
    page.get_by_role("button", name="A link to record").click()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    with page.expect_response("**/qr"):
        late[0].continue_()
    page.wait_for_timeout(300)  # for what should not come
    assert "#record=" in page.get_by_label("The link").input_value()


def test_a_hand_told_late_does_not_cover_the_next_one(phone: Callable[..., Page]) -> None:
    """Without the engine, what came of a hand is the service's to say."""
    page = phone()
    person = Person(page)
    page.route("**/engine.json", lambda route: route.abort())
    late: list[Route] = []
    page.route("**/hands/1", lambda route: late.append(route))
    page.goto("/")
    for n, name in enumerate(CAST[:2]):
        page.get_by_label(f"Seat {n + 1}", exact=True).fill(name)
    page.get_by_role("button", name="Begin with 2").click()
    page.wait_for_url("**/record")
    for words in ("Ben deals", "Look, open seen", "Fold", "Asha deals"):
        expect(page.locator(".actions").get_by_role("button", name=words).first).to_be_visible()
        person.does(words)
    with page.expect_response("**/hands/1"):
        late[0].continue_()
    page.wait_for_timeout(300)  # for what should not come
    page.get_by_role("button", name="Now blind").click()  # draws the page anew
    assert page.locator(".seat").count() == 2
