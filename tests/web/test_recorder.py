"""Whole nights of each game, recorded by tapping on a phone of 360 × 640, come out as the rules have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from events.session import open_session
from tests.web.person import Person, Scorekeeper, stored_events, stored_state

CAST = ["Asha", "Ben", "Cal", "Dee", "Ed", "Fay"]
# Keeps all that the page says in passing: it is gone again after a while.
HEAR = """() => {
  const place = document.getElementById("said");
  window.heard = [];
  new MutationObserver(() => heard.push(place.textContent)).observe(place, { childList: true });
}"""
PREFIX = {"en": "en-GB", "es": "es-ES", "fr": "fr-FR", "it": "it-IT"}


def opened(game: str, people: list[str], rules: dict[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """What the form opens, for the engine beside the phone."""
    body: dict[str, Any] = {
        "game": game,
        "players": [{"id": f"p{n}", "name": name} for n, name in enumerate(people, 1)],
    }
    body["rules"] = {name: int(value) if name in ("pots", "lives") else value for name, value in rules.items()}
    return open_session(body)


@pytest.mark.parametrize(
    ("game", "players", "rules", "hands", "language"),
    [
        ("three-card", 4, {"pots": "3"}, 30, "en"),
        pytest.param("three-card", 3, {"pots": "2"}, 30, "es", marks=pytest.mark.soak),
        ("community", 4, {}, 4, "en"),
        ("community", 3, {}, 3, "es"),
        ("lives", 3, {"lives": "2"}, 30, "en"),
        pytest.param("lives", 3, {"lives": "1"}, 30, "es", marks=pytest.mark.soak),
        ("three-card", 2, {"pots": "1"}, 10, "fr"),
        ("community", 3, {}, 1, "it"),
    ],
)
def test_a_night_by_tapping(
    phone: Callable[..., Page], game: str, players: int, rules: dict[str, str], hands: int, language: str
) -> None:
    page = phone(PREFIX[language])
    person = Person(page, language)
    people = CAST[:players]
    session = person.open_night(game, people, rules)
    keeper = Scorekeeper(person, *opened(game, people, rules), seed=players * 7 + len(language + game))
    keeper.play(hands)
    person.wait_saved()
    wanted = keeper.beside.state(keeper.names)
    found = stored_state(page, session)
    assert {name: found[name] for name in wanted} == wanted
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    decisions = keeper.beside.version - 1
    print(f"{game}: {len(keeper.beside.hands())} hands, {decisions} events, {person.taps} taps")


def test_undo_reaches_back_across_a_finished_hand(phone: Callable[..., Page]) -> None:
    """Dee was tapped as folding, but had paid 2; the next hand had already begun."""
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:4])
    person.does("Dee deals")
    page.get_by_role("button", name="Now blind").click()
    person.does("Open higher by 1, pays 2", exact=True)
    for _ in range(3):
        person.does("Fold")
    expect(page.get_by_role("heading", name="Asha wins 6")).to_be_visible()
    person.does("Asha deals")
    assert person.turn() == "Ben to act"
    person.undo()  # the next hand's deal and antes, in one
    expect(page.locator(".footer .undo")).to_contain_text("Dee folds")
    person.undo()
    assert person.turn() == "Dee to act"
    state = page.evaluate("bragbook.book.state")
    assert (state["pot"], state["level"], state["dealer"]) == ("6", "2", "p4")
    person.does("Look, pay seen")
    person.wait_saved()
    stored = stored_state(page, session)
    assert (stored["pot"], stored["to_act"], stored["hand"]) == ("8", "p1", 1)
    assert {"type": "see", "player": "p1", "amount": "4"} in stored["legal"]
    events = stored_events(page, session)
    assert [event["type"] for event in events[-3:]] == ["void", "void", "bet"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))


def test_redo_brings_back_what_undo_struck(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    person.does("Open blind")
    person.undo()
    assert person.turn() == "Asha to act"
    person.redo()
    assert person.turn() == "Ben to act"
    person.wait_saved()
    last = stored_events(page, session)[-1]
    assert (last["type"], last["player"], last["amount"]) == ("bet", "p1", "0.5")
    assert last["replaces"] == last["seq"] - 2


def test_what_the_rules_forbid_is_explained_and_can_be_recorded_as_irregular(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    page.get_by_role("button", name="Why not").click()
    expect(page.get_by_role("dialog")).to_contain_text("Seeing is only when two are left.")
    page.get_by_role("button", name="Close").click()
    before = person.version()
    page.get_by_role("button", name="The table did it anyway").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Ben", exact=True).click()
    sheet.get_by_role("button", name="bet seen").click()
    sheet.get_by_role("button", name="3", exact=True).click()
    sheet.get_by_role("button", name="bet seen 3").click()
    sheet.get_by_role("button", name="Record it as irregular").click()
    person.wait_past(before)
    person.wait_saved()
    last = stored_events(page, session)[-1]
    assert (last["type"], last["player"], last["amount"]) == ("bet", "p2", "3")
    assert last["irregular"] == "the table let it stand"
    assert person.turn() == "Cal to act"


def test_amounts_are_typed_with_comma_or_point(phone: Callable[..., Page]) -> None:
    """And what is not one amount without doubt is not taken, and said to be so."""
    page = phone("es-ES")
    person = Person(page, "es")
    session = person.open_night("community", CAST[:3])
    person.does("Reparte Cal")
    page.get_by_role("button", name="Otro importe").click()
    sheet = page.get_by_role("dialog")
    for typed in ("1.234,50", "2,505", "2,2", "abc", "-3"):
        sheet.get_by_label("Paga").fill(typed)
        expect(sheet.locator(".press.main")).to_be_disabled()
        assert page.locator("#pad-fault").inner_text().strip(), typed
    for typed, amount in (("2,5", "2.5"), ("3.5", "3.5"), ("4", "4")):
        if not sheet.is_visible():
            page.get_by_role("button", name="Otro importe").click()
        before = person.version()
        sheet.get_by_label("Paga").fill(typed)
        sheet.locator(".press.main").click()
        person.wait_past(before)
        person.wait_saved()
        assert stored_events(page, session)[-1]["amount"] == amount


def test_a_button_that_changes_under_the_finger_does_nothing(phone: Callable[..., Page]) -> None:
    """Another phone records between finger-down and finger-up."""
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    person.wait_saved()
    box = page.locator(".actions .main").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.evaluate(HEAR)
    page.evaluate(
        """async (session) => {
          const keys = JSON.parse(localStorage.getItem("bragbook.keys"))[session];
          await fetch(`/api/v1/sessions/${session}/events`, { method: "POST",
            headers: { Authorization: `Bearer ${keys.record}`, "Content-Type": "application/json" },
            body: JSON.stringify({ type: "bet", player: "p1", as: "blind", amount: "0.5" }) });
        }""",
        session,
    )
    expect(page.locator("#turn")).to_have_text("Ben to act")
    page.mouse.up()
    person.until("heard.some((text) => text.includes('changed while you pressed'))")
    assert stored_state(page, session)["to_act"] == "p2"
