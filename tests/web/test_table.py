"""What happens at a table beyond one plain hand: kept blind hands, chips, people coming and going, things put right."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.web.person import Person, stored_events, stored_state
from tests.web.test_recorder import CAST


def test_a_blind_hand_is_kept_and_played_beside_a_new_one(phone: Callable[..., Page]) -> None:
    """rules.md §4, a pot carried over."""
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    person.does("Open higher by 3, pays 2", exact=True)
    person.does("Fold")
    person.does("Fold")
    expect(page.get_by_role("heading", name="5 is carried to the next deal")).to_be_visible()
    person.does("Asha keeps the blind hand")
    person.does("Asha deals")
    person.does("Open higher by 2, pays 1.5", exact=True)  # Ben, blind
    person.does("Fold")  # Cal
    assert person.turn() == "Asha to act"
    person.does("Looks at the older hand")
    person.does("Keep this hand")
    person.does("Call")
    person.wait_saved()
    state = stored_state(page, session)
    assert state["players"]["p1"]["hands"] == 1
    assert state["players"]["p1"]["status"] == "seen"
    assert [event["type"] for event in stored_events(page, session)[-4:]] == ["fold", "look", "keep", "bet"]


def test_everybody_else_folds_in_one_tap(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:5])
    person.does("Ed deals")
    person.does("Look, open seen")
    before = person.taps
    person.does("All fold to Asha")
    assert person.taps == before + 1
    expect(page.get_by_role("heading", name="Asha wins 6")).to_be_visible()
    person.wait_saved()
    assert [event["player"] for event in stored_events(page, session) if event["type"] == "fold"] == [
        "p2",
        "p3",
        "p4",
        "p5",
    ]
    person.undo()  # one tap too
    assert person.turn() == "Ben to act"


def test_chips_are_bought_first(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    person.open_night("community", CAST[:3], with_chips=True)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Chips: buy or cash").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Everyone").click()
    sheet.get_by_role("button", name="2", exact=True).click()
    sheet.get_by_role("button", name="0", exact=True).click()
    sheet.get_by_role("button", name="buy 20").click()
    before = person.version()
    sheet.get_by_role("button", name="buy 20").click()
    person.wait_past(before)
    person.does("Cal deals")
    person.does("Open blind")
    person.wait_saved()
    state = stored_state(page, page.url.split("/")[-2])
    assert [state["players"][one]["stack"] for one in state["seats"]] == ["18.5", "19", "19"]


def test_somebody_joins_and_somebody_goes_home(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3])
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Somebody joins").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Zoë O’Neil")
    page.get_by_role("button", name="Takes a seat").click()
    expect(page.locator(".seat", has_text="Zoë O’Neil")).to_be_visible()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Somebody goes home").click()
    page.get_by_role("dialog").get_by_role("button", name="Ben").click()
    expect(page.locator(".seat", has_text="Ben")).to_have_count(0)
    person.does("Zoë O’Neil deals")
    assert person.turn() == "Asha to act"
    person.wait_saved()
    state = stored_state(page, session)
    assert state["players"]["p4"]["name"] == "Zoë O’Neil"
    assert state["players"]["p2"]["status"] == "left"


def test_an_older_bet_is_put_right_with_a_look_at_what_follows(phone: Callable[..., Page]) -> None:
    """Asha's opening was 2, not 1; the hand is over and the next one has begun."""
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    person.does("Look, open seen")  # seq 6: Asha bets 1
    person.does("Look, pay seen")  # seq 7: Ben pays 1
    person.does("Fold")
    person.tap(page.locator(".actions .see"))  # Asha sees for 2
    person.until("bragbook.book.state.phase === 'reveal'")
    person.pick(["5s", "6h", "7d"])
    person.until("bragbook.book.state.to_act === 'p1'")
    person.pick(["Kc", "9c", "4c"])
    expect(page.get_by_role("heading", name="Ben wins 7")).to_be_visible()
    person.does("Asha deals")
    page.get_by_role("button", name="Log").click()
    page.get_by_role("dialog").get_by_text("Hand 1", exact=True).click()
    page.get_by_role("button", name="Correct: Ben bets 1").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Another amount").click()
    sheet.get_by_role("button", name="2", exact=True).click()
    sheet.get_by_role("button", name="See what follows with 2").click()
    expect(sheet).to_contain_text("Asha sees for 2: Seeing has another price.")
    sheet.get_by_role("button", name="They paid the new price").click()
    expect(sheet).to_contain_text("What changes")
    expect(sheet).to_contain_text("Ben +4 → +")
    before = person.version()
    sheet.get_by_role("button", name="Record the correction").click()
    person.wait_past(before)
    person.wait_saved()
    events = stored_events(page, session)
    void = next(event for event in events if event["type"] == "void")
    anew = [event for event in events if event["seq"] > void["seq"]]
    assert [event["replaces"] for event in anew] == void["seqs"]
    assert anew[0]["amount"] == "2"
    first = {event["seq"]: event for event in events}
    assert all(event["at"] == first[event["replaces"]]["at"] for event in anew)
    assert person.turn() == "Ben to act"


def test_the_same_table_as_last_time_in_one_tap(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    person.open_night("lives", CAST[:4], {"lives": "2"})
    page.goto("/")
    page.get_by_role("button", name="Same table as last time").click()
    page.get_by_role("button", name="Begin with 4").click()
    page.wait_for_url("**/record")
    person.wait_for_engine()
    state = page.evaluate("bragbook.book.state")
    assert state["game"] == "lives"
    assert state["rules"]["lives"] == 2
    assert [state["players"][one]["name"] for one in state["seats"]] == CAST[:4]


def test_the_seats_move_without_dragging(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/")
    for n, name in enumerate(CAST[:3]):
        page.get_by_label(f"Seat {n + 1}", exact=True).fill(name)
    page.get_by_role("button", name="Move Cal up").click()
    page.get_by_role("button", name="Move Cal up").click()
    assert [page.get_by_label(f"Seat {n}", exact=True).input_value() for n in (1, 2, 3)] == ["Cal", "Asha", "Ben"]


def test_the_unusual_rules_are_pointed_out(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/")
    page.get_by_role("radio", name="Bastard Brag").check()
    loud = page.locator(".rule.loud")
    expect(loud).to_have_count(2)
    expect(page.locator(".rules")).to_contain_text("A-K-Q is no run unless you tick it")
    expect(page.locator(".rules")).to_contain_text("which prial is best?")
    expect(page.locator(".rules")).to_contain_text("A reminder, not advice")
