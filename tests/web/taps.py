"""The taps of a hand on the phone beside the fewest there can be, how long it takes, and what is loaded for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from playwright.sync_api import Page

from service.web.pages import ASSETS
from tests.web.person import Person, Scorekeeper
from tests.web.test_recorder import CAST, opened

TAPS_A_CARD = 2
"""A rank and a suit."""

# All that came over the air but the stream, which has no end. In bytes, as they were packed.
TRANSFERRED = """() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
  .filter((each) => !each.name.includes("/stream"))
  .reduce((sum, each) => sum + each.transferSize, 0)"""
# From the press until the page shows another turn, in milliseconds of the page's own time.
TAP_TO_TURN = """() => new Promise((resolve) => {
  const turn = document.querySelector("#turn");
  const began = performance.now();
  const told = new MutationObserver(() => resolve(performance.now() - began));
  told.observe(turn, { childList: true, characterData: true, subtree: true });
  document.querySelector(".actions .main").click();
})"""
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


class Kind(NamedTuple):
    """A hand to be recorded. seed: one with which it goes to a showdown."""

    game: str
    players: int
    rules: dict[str, str]
    seed: int


KINDS = (
    Kind("three-card", 4, {"pots": "0"}, 3),
    Kind("community", 4, {}, 3),
    Kind("lives", 4, {"lives": "3"}, 3),
)


class Tapped(NamedTuple):
    """What a hand took. events: as they were decided; taps and seconds: of the person, and of the phone."""

    events: list[dict[str, Any]]
    taps: int
    fewest: int
    allowed: int
    seconds: float


def cards_of(event: dict[str, Any]) -> int:
    """How many cards a person names in it."""
    return len(event.get("cards", ())) + sum(name in event for name in ("up", "card", "give", "leave"))


def fewest(state: dict[str, Any], event: dict[str, Any]) -> int:
    """The fewest taps that can tell this event from all others that could come at its place.

    One for a decision of the table (antes come with their deal), and two a card. Cards that are shown or turned where
    nothing else can happen are no decision beside their own two taps.
    """
    of_cards = TAPS_A_CARD * cards_of(event)
    dealers = sum(one["type"] == "deal" for one in state["legal"])
    told_by_cards = event["type"] in ("reveal", "flip") or (event["type"] == "deal" and dealers == 1)
    return of_cards if of_cards and told_by_cards else of_cards + 1


def one_more(state: dict[str, Any], event: dict[str, Any]) -> int:
    """1 where the recorder asks for a tap that `fewest` does not have, for a reason; else 0.

    Raises are laid out for one kind of bet at a time: who has not looked may raise blind or seen, and two rows of
    raises do not fit under a thumb. And whoever shows out of turn of the seats is named first.
    """
    if event["type"] == "bet":
        kinds = [one for one in state["legal"] if one["type"] == "bet" and not one.get("all_in")]
        own = next(one for one in kinds if one["as"] == event["as"])
        return int(len(kinds) > 1 and event["as"] != kinds[0]["as"] and event["amount"] != (own["call"] or own["min"]))
    if event["type"] in ("reveal", "muck"):
        may = {one["player"] for one in state["legal"] if one["type"] == "reveal"}
        return int(event["player"] != next(one for one in state["seats"] if one in may))
    return 0


def begin(page: Page, kind: Kind, language: str = "en") -> Scorekeeper:
    """A night of this kind, opened on the phone and beside it."""
    people = CAST[: kind.players]
    person = Person(page, language)
    person.open_night(kind.game, people, kind.rules)
    return Scorekeeper(person, *opened(kind.game, people, kind.rules), seed=kind.seed)


def decisions(keeper: Scorekeeper) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(state, what was decided in it) up to the end of a hand, by the engine beside the phone alone."""
    begun = len(keeper.beside.hands())
    state = keeper.beside.state(keeper.names)
    while state["phase"] != "closed" and (state["phase"] != "deal" or len(keeper.beside.hands()) == begun):
        event = keeper.decide(state)
        yield state, event
        keeper.note(state, event)
        state = keeper.beside.state(keeper.names)


def tap_a_hand(keeper: Scorekeeper) -> Tapped:
    """The next hand, decided first and tapped then, so that only the phone's part of it is timed."""
    hand = list(decisions(keeper))
    person = keeper.person
    before, begun = person.taps, time.monotonic()
    for state, event in hand:
        keeper.tap(state, event)
    seconds = time.monotonic() - begun
    least = sum(fewest(*each) for each in hand)
    allowed = least + sum(one_more(*each) for each in hand)
    return Tapped([event for _, event in hand], person.taps - before, least, allowed, seconds)


def engine_bytes() -> int:
    """The runtime and all of the engine, as they go over the air."""
    parts = [asset for name, asset in ASSETS.files.items() if name.startswith("vendor/micropython/")]
    return sum(len(part.gzipped or part.body) for part in [*parts, ASSETS.files["engine.json"]])
