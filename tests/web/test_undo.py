"""Undo takes back one action as it was done, a correction too, as far back as wanted; redo does it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.web.person import Person, stored_events, stored_state
from tests.web.test_recorder import CAST

STATE = ("phase", "dealer", "to_act", "pot", "level", "players")


def shown(person: Person) -> dict[str, Any]:
    """What undo and redo must bring back to the last chip."""
    state = person.page.evaluate("bragbook.book.state")
    return {name: state[name] for name in STATE}


def corrected(person: Person, what: str, choice: str) -> None:
    """The event, corrected by one choice of its panel, in an earlier hand too."""
    page = person.page
    page.locator(".footer .redo").nth(1).click()
    sheet = page.get_by_role("dialog")
    sheet.locator("details").evaluate_all("(all) => all.forEach((each) => (each.open = true))")
    sheet.get_by_role("button", name=what).first.click()
    page.get_by_role("dialog").get_by_role("button", name=choice).click()


def test_a_correction_across_a_finished_hand_is_one_step(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3], {"pots": "0"})
    undo = page.locator(".footer .undo")
    person.does("Cal deals")
    person.does("Look, open seen")
    dealt = shown(person)
    person.does("Fold")
    raised = person.version()
    page.evaluate("bragbook.book.record([{ type: 'bet', player: 'p3', as: 'seen', amount: '3' }])")
    person.wait_past(raised)
    person.does("Fold")
    person.does("Asha deals")
    second = shown(person)
    before = person.version()
    corrected(person, "Asha bets 1", "Another amount")
    page.get_by_role("dialog").get_by_role("button", name="2", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="See what follows with 2").click()
    page.get_by_role("dialog").get_by_role("button", name="Record the correction").click()
    person.wait_past(before)
    third = shown(person)
    assert third != second
    expect(undo).to_contain_text("corrected: Asha bets 2")
    person.undo()
    assert shown(person) == second
    expect(undo).to_contain_text("Asha deals, everyone antes")
    person.redo()
    assert shown(person) == third
    expect(undo).to_contain_text("corrected: Asha bets 2")
    for said in ("Asha deals, everyone antes", "Asha folds", "Cal bets 3", "Ben folds", "Asha bets 1"):
        person.undo()
        expect(undo).to_contain_text(said)
    assert shown(person) == dealt
    for _ in range(5):
        person.redo()
    assert shown(person) == third
    person.wait_saved()
    events = stored_events(page, session)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert stored_state(page, session)["pot"] == third["pot"]
    page.reload()
    person.wait_for_engine()
    expect(undo).to_contain_text("corrected: Asha bets 2")


def test_a_strike_is_taken_back_and_antes_of_one_tap_are_one_step(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3], {"pots": "0"})
    person.page.evaluate("bragbook.book.record([{ type: 'deal', dealer: 'p3' }])")
    person.until("bragbook.book.state.phase === 'ante'")
    person.does("Everyone antes")
    undo = page.locator(".footer .undo")
    expect(undo).to_contain_text("everyone antes")
    person.undo()
    expect(undo).to_contain_text("Cal deals")
    assert page.evaluate("bragbook.book.state.phase") == "ante"
    person.redo()
    person.does("Open blind")
    person.does("Fold")
    before, stood = person.version(), shown(person)
    corrected(person, "Asha bets", "It did not happen")
    page.get_by_role("dialog").get_by_role("button", name="Strike all from there on").click()
    page.get_by_role("dialog").get_by_role("button", name="Record the correction").click()
    person.wait_past(before)
    expect(undo).to_contain_text("struck: Asha bets")
    person.undo()
    assert shown(person) == stood
    expect(undo).to_contain_text("Ben folds")


def test_nothing_done_is_offered_again(phone: Callable[..., Page]) -> None:
    """Whenever the page can be tapped, what it would do again is not what has just been."""
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3], {"pots": "0"})
    person.does("Cal deals")
    person.does("Open blind")
    person.undo()
    seen = page.evaluate(
        """async () => {
          const { book } = bragbook;
          const seen = [];
          const drawn = book.onChange;
          book.onChange = () => {
            if (!book.busy) seen.push([book.log().at(-1).type, book.redoable.length]);
            drawn();
          };
          await book.redo();
          book.onChange = drawn;
          return seen;
        }"""
    )
    assert {tuple(each) for each in seen} == {("bet", 0)}
