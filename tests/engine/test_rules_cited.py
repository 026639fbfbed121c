"""A refusal names its rule in the chapter of the game that is played, though the games share the code."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from events.games.when import SAID, said_in
from events.house_rules import GAMES
from events.refusals import Refusal
from tests.engine.tables import AtTable
from tests.engine.test_when import RULES

CHAPTER = {"lives": "2", "community": "3", "three-card": "4"}
Refuses = Callable[[AtTable], Refusal]


def table(game: str, **rules: Any) -> AtTable:
    """Three players, C has the deal, and the antes are paid."""
    at = AtTable(game, "ABC", rules)
    at.dealt("C", **({"up": "2c"} if game == "lives" else {}))
    return at


def closed(at: AtTable) -> Refusal:
    at.does("close", carry="refund")
    return at.refusal("leave", "A")


def after_a_fold(at: AtTable) -> Refusal:
    at.folds("A")
    return at.refusal("fold", "A")


def after_a_knock(at: AtTable) -> Refusal:
    at.swaps("A", "B", "C")
    at.does("knock", "A")
    return at.refusal("knock", "A")


def too_many(at: AtTable) -> Refusal:
    at.does("misdeal", reason="a card lay face up")
    for number in range(17):
        at.does("join", f"P{number}")
    return at.refusal("deal", dealer="C", players=at.session.seats)


def shuffled_otherwise(at: AtTable) -> Refusal:
    at.does("misdeal", reason="a card lay face up")
    return at.refusal("deal", dealer="C", shuffled=False, **({"up": "2c"} if at.session.game == "lives" else {}))


def other_ante(at: AtTable) -> Refusal:
    at.does("misdeal", reason="a card lay face up")
    at.deal("C")
    return at.refusal("ante", "A", amount="2")


def blind_though_seen(at: AtTable) -> Refusal:
    at.look("A")
    return at.refusal("bet", "A", as_="blind", amount="1")


def bets(first: str, amount: str) -> Refuses:
    """A bets so much, where a bet stands already if `first` names one."""

    def refused(at: AtTable) -> Refusal:
        if first:
            at.bet("A", first)
        return at.refusal("bet", "B" if first else "A", as_="seen", amount=amount)

    return refused


def seen_by_one_of_three(at: AtTable) -> Refusal:
    at.bet("A", "2")
    return at.refusal("see", "B")


def seen_before_a_bet(at: AtTable) -> Refusal:
    at.folds("A")
    return at.refusal("see", "B")


def seen_while_blind(at: AtTable) -> Refusal:
    at.folds("A")
    at.blind("B", "1")
    at.look("C")
    return at.refusal("see", "C")


def seen_for_too_little(at: AtTable) -> Refusal:
    at.folds("A")
    at.bet("B", "2")
    at.look("C")
    return at.refusal("see", "C", amount="3")


def out_of_turn(at: AtTable) -> Refusal:
    return at.refusal("knock" if at.session.game == "lives" else "fold", "B")


def four_shown(at: AtTable) -> Refusal:
    if at.session.game == "lives":
        at.knocked("A", "B", "C")
    else:
        at.folds("A")
        at.bet("B", "2")
        at.see("C")
    return at.refusal("reveal", "B", cards=["Kc", "9c", "4c", "3c"])


def both_hands_looked_at(at: AtTable) -> Refusal:
    at.folds("A", "B")
    at.does("retain", "C")
    at.dealt("A")
    at.folds("B")
    at.look("C", which="old")
    return at.refusal("look", "C", which="new")


def nobody_says_what_becomes_of_the_pot(at: AtTable) -> Refusal:
    return at.refusal("close")


COMMUNITY_AND_THREE_CARD: list[tuple[str, dict[str, Any], Refuses]] = [
    ("ante.wrong", {}, other_ante),
    ("bet.not_blind", {}, blind_though_seen),
    ("bet.too_low", {}, bets("4", "2")),
    ("bet.too_high", {"max_raise": "2"}, bets("2", "9")),
    ("bet.step", {"step": "2"}, bets("", "3")),
    ("see.not_two", {}, seen_by_one_of_three),
    ("see.no_level", {}, seen_before_a_bet),
    ("see.blind_rival", {"see_blind": False}, seen_while_blind),
    ("see.amount", {}, seen_for_too_little),
]
TRIED: list[tuple[str, str, dict[str, Any], Refuses]] = [
    *[(code, game, rules, do) for code, rules, do in COMMUNITY_AND_THREE_CARD for game in ("community", "three-card")],
    *[("session.closed", game, {}, closed) for game in GAMES],
    *[("turn.not_yours", game, {}, out_of_turn) for game in GAMES],
    *[("reveal.count", game, {}, four_shown) for game in GAMES],
    *[("deal.shuffle", game, {}, shuffled_otherwise) for game in GAMES],
    ("player.not_in_hand", "lives", {}, after_a_knock),
    ("player.not_in_hand", "community", {}, after_a_fold),
    ("player.not_in_hand", "three-card", {}, after_a_fold),
    ("deal.too_many", "community", {}, too_many),
    ("deal.too_many", "three-card", {}, too_many),
    ("look.not_allowed", "community", {"blind_until_last": True}, lambda at: at.refusal("look", "A")),
    ("look.not_allowed", "three-card", {}, both_hands_looked_at),
    ("close.pot_open", "lives", {"stake": "2"}, nobody_says_what_becomes_of_the_pot),
    ("close.pot_open", "community", {}, nobody_says_what_becomes_of_the_pot),
    ("close.pot_open", "three-card", {}, nobody_says_what_becomes_of_the_pot),
]


@pytest.mark.parametrize(("code", "game", "rules", "refuses"), TRIED, ids=[f"{one[1]}-{one[0]}" for one in TRIED])
def test_the_rule_is_of_the_game(code: str, game: str, rules: dict[str, Any], refuses: Refuses) -> None:
    refusal = refuses(table(game, **rules))
    assert (refusal.code, refusal.rule) == (code, said_in(code, game))


def test_every_code_is_tried_in_every_game_that_gives_it() -> None:
    # A match of lives has never more at the table than it opened with.
    given = {(code, game) for code in SAID for game in SAID[code]} - {("deal.too_many", "lives")}
    assert {(code, game) for code, game, _, _ in TRIED} == given


@pytest.mark.parametrize("game", GAMES)
def test_the_places_are_in_the_chapter_of_the_game_or_in_one_for_all(game: str) -> None:
    text = RULES.read_text(encoding="utf-8")
    for code in SAID:
        if game in SAID[code]:
            chapter, _, number = SAID[code][game].partition(".")
            assert chapter in (CHAPTER[game], "1", "5", "6"), code
            part = re.split(rf"^## {chapter}\b", text, flags=re.MULTILINE)[1].split("\n## ")[0]
            assert not number or re.search(rf"^{number}\. ", part, flags=re.MULTILINE), code
