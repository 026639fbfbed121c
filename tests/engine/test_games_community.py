"""Bastard Brag with community cards, where a careful reader of rules.md §3 and §6 would look twice."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.engine.tables import AtTable

CHIPS = {"bank": "chips", "side_pots": True}


def with_chips(rules: dict[str, Any] | None = None, **chips: str) -> AtTable:
    table = AtTable("community", sorted(chips), {**CHIPS, **(rules or {})})
    table.buys(**chips)
    return table


class TestSee:
    def test_paid_with_the_last_chip_still_shows_both(self) -> None:
        table = with_chips(A="4", B="20", C="20")
        table.dealt("C")
        table.bet("A", "1")
        table.bet("B", "1")
        table.folds("C")
        table.flip("2c")
        assert {"type": "see", "player": "A", "amount": "2"} in table.legal()
        table.see("A")
        assert table.of_each("status") == {"A": "all_in", "B": "seen", "C": "folded"}
        table.shows("A", "As Ad Ah")
        table.shows("B", "Ks Kd Kh")
        assert table.hand(1)["awards"] == {"A": "7"}


class TestRaises:
    def test_a_step_of_very_many_chips_is_worked_out_at_once(self) -> None:
        rules = {"step": "1000", "min_bet": "0.000001", "ante": "1000"}
        table = AtTable("community", "ABC", rules, unit={"chip": "0.000001"})
        begun = time.monotonic()
        table.dealt("C")
        blind, seen = table.legal("bet")
        assert (blind["min"], blind["step"]) == ("500", "500")
        assert (seen["min"], seen["step"]) == ("1000", "1000")
        assert table.refuses("bet", "A", as_="blind", amount="499.999999") == "bet.too_low"
        assert time.monotonic() - begun < 1

    @pytest.mark.parametrize("step", ["0.5", "1", "1.5", "2", "2.5", "3.5"])
    @pytest.mark.parametrize("committed", ["0", "0.5", "1", "1.5"])
    def test_blind_raises_are_those_that_a_slow_count_finds(self, step: str, committed: str) -> None:
        from events.amounts import Unit
        from events.games.betting import Offer

        unit = Unit("0.5", "0.01")
        for level in range(unit.chips(committed), 12):
            offer = Offer(True, level, unit.chips(committed), unit.chips(step), level + 2, level + 17)
            allowed = [
                chips
                for chips in range(1, 40)
                if chips > (offer.call or 0)
                and level + 2 <= offer.committed + 2 * chips <= level + 17
                and (offer.committed + 2 * chips) % offer.step == 0
            ]
            least, most, stride = offer.raises(None)
            offered = [] if least is None else list(range(least, (most or 0) + 1, stride or 1))
            assert offered == allowed
            assert [chips for chips in range(1, 40) if offer.fault(chips) is None and chips != offer.call] == allowed

    def test_past_the_highest_that_fits_a_step_is_too_high(self) -> None:
        table = AtTable("community", "ABC", {"step": "2", "ante": "2", "max_raise": "5"})
        table.dealt("C")
        refusal = table.refusal("bet", "A", as_="seen", amount="5")
        assert (refusal.code, refusal.expected["max"]) == ("bet.too_high", "4")
        table.bet("A", "5", irregular="it lay there")
        table.folds("B", "C")
        assert table.found() == [("bet.too_high", "error")] or table.owed() == []

    def test_above_the_call_where_no_raise_is_left_is_too_high(self) -> None:
        table = AtTable("community", "ABC", {"ante": "1", "min_bet": "2", "max_raise_times": 2})
        table.dealt("C")
        table.bet("A", "2")
        table.bet("B", "3", irregular="let stand")  # less than the least raise: the level is 3, the cap 6
        table.bet("C", "6")
        assert table.state()["level"] == "6"

    def test_out_of_turn_again_over_ones_own_bet_breaks_the_turn_and_nothing_else(self) -> None:
        table = AtTable("community", "ABC")
        table.dealt("C")
        table.bet("A", "2")
        table.bet("A", "2", irregular="spoke twice")
        assert table.state()["level"] == "4"
        table.folds("B", "C")
        assert table.found() == [("turn.not_yours", "warning")]
        assert table.owed() == []


class TestAllIn:
    def test_a_stack_short_of_the_least_raise_may_go_in_where_no_ordinary_raise_is_left(self) -> None:
        """Level 0.5 by a short all-in, raises to at most twice that: 1. The least raise would be 1.5."""
        table = with_chips({"max_raise_times": 2}, A="1.5", B="2", C="9", D="9")
        table.dealt("D")
        table.bet("A", "0.5", all_in=True)
        assert table.state()["level"] == "0.5"
        assert table.legal("bet")[1:] == [
            {"type": "bet", "player": "B", "as": "blind", "amount": "1", "all_in": True}
        ] or {"type": "bet", "player": "B", "as": "seen", "amount": "1", "all_in": True} in table.legal("bet")
        table.bet("B", "1", all_in=True)
        assert table.state()["level"] == "1"

    def test_over_the_cap_and_let_stand_owes_what_was_over(self) -> None:
        table = with_chips({"max_raise": "3"}, A="11", B="20", C="20")
        table.dealt("C")
        assert table.refuses("bet", "A", as_="seen", amount="10", all_in=True) == "bet.too_high"
        table.bet("A", "10", all_in=True, irregular="all of it")
        assert table.state()["level"] == "10"
        table.bet("B", "10")
        table.folds("C")
        for card in ("2c", "3d", "4h"):
            table.flip(card)
        table.shows("A", "7s 9d Jh")
        table.shows("B", "As Ad Ah")
        assert table.found() == [("bet.too_high", "error")]
        assert table.owed() == [("B", "A", "7")]

    def test_who_a_short_all_in_keeps_from_raising_may_only_call(self) -> None:
        table = with_chips(A="20", B="3.5", C="20")
        table.dealt("C")
        table.bet("A", "2")
        table.bet("B", "2.5", all_in=True)
        table.bet("C", "2.5")
        assert [entry for entry in table.legal("bet") if entry["as"] == "seen"] == [
            {"type": "bet", "player": "A", "as": "seen", "call": "0.5", "min": None, "max": None, "step": None}
        ]
        assert table.refuses("bet", "A", as_="seen", amount="2.5") == "bet.too_high"
        assert table.refuses("bet", "A", as_="seen", amount="17", all_in=True) == "bet.too_high"
