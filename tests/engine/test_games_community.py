"""Bastard Brag with community cards, where a careful reader of rules.md §3 and §6 would look twice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.tables import AtTable

CHIPS = {"bank": "chips", "side_pots": True}


def b_pays_short_and_wins(table: AtTable) -> None:
    """A hand of three with an ante of 1 in which B pays 1 of 3, and shows the best hand; A's is the next best."""
    table.dealt("C")
    table.bet("A", "3")
    table.bet("B", "1", irregular="short")
    table.bet("C", "3")
    for card in ("2c", "7d", "9h"):
        table.flip(card)
        table.checks("A", "B", "C")
    table.shows("A", "As Ad Jh")
    table.shows("B", "Ks Kd Kh")
    table.shows("C", "4s 5d Th")


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
    def test_a_step_of_very_many_chips_is_worked_out_and_not_counted_through(self) -> None:
        rules = {"step": "1000", "min_bet": "0.000001", "ante": "1000"}
        table = AtTable("community", "ABC", rules, unit={"chip": "0.000001"})
        table.dealt("C")
        blind, seen = table.legal("bet")
        assert (blind["min"], blind["step"]) == ("500", "500")
        assert (seen["min"], seen["step"]) == ("1000", "1000")
        assert table.refuses("bet", "A", as_="blind", amount="499.999999") == "bet.too_low"

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
        assert table.found() == [("bet.too_high", "warning")]  # A won it, who owes nothing to themselves

    def test_above_the_call_where_no_raise_is_left_is_too_high(self) -> None:
        table = with_chips({"max_raise_times": 2}, A="1.5", B="9", C="9", D="9")
        table.dealt("D")
        table.bet("A", "0.5", all_in=True)  # raises to at most 1, and the least would be 1.5
        seen = table.legal("bet")[1]
        assert (seen["call"], seen["min"], seen["max"], seen["step"]) == ("0.5", None, None, None)
        assert table.refuses("bet", "B", as_="seen", amount="1") == "bet.too_high"
        table.bet("B", "1", irregular="let stand")
        assert table.state()["level"] == "1"

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
        assert table.legal("bet")[-1] == {"type": "bet", "player": "B", "as": "seen", "amount": "1", "all_in": True}
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

    def test_past_the_stake_limit_is_neither_offered_nor_taken(self) -> None:
        table = with_chips({"step": "2", "ante": "2", "stake_limit": "10"}, A="21", B="21", C="21")
        table.dealt("C")
        assert [entry for entry in table.legal("bet") if "all_in" in entry] == []
        assert table.refuses("bet", "A", as_="seen", amount="19", all_in=True) == "bet.limit"

    def test_a_short_all_in_opens_and_who_has_checked_may_only_call(self) -> None:
        table = with_chips({"min_bet": "4"}, A="30", B="30", C="7")
        table.dealt("C")
        for player in "ABC":
            table.bet(player, "4")
        table.flip("As")
        table.checks("A", "B")
        table.bet("C", "2", all_in=True)
        assert table.state()["level"] == "2"
        call = {"type": "bet", "player": "A", "as": "seen", "call": "2", "min": None, "max": None, "step": None}
        assert table.legal() == [call, {"type": "fold", "player": "A"}]
        assert table.refuses("bet", "A", as_="seen", amount="6") == "bet.too_high"
        table.bet("A", "2")
        table.folds("B")
        assert table.state()["phase"] == "flip"  # just one is not all in: no more betting


class TestBetting:
    def test_no_check_in_the_blind_round_and_none_over_a_bet(self) -> None:
        table = AtTable("community", "ABC")
        table.dealt("C")
        assert table.refuses("check", "A") == "check.not_allowed"
        for player in "ABC":
            table.bet(player, "1")
        table.flip("2c")
        table.checks("A")
        table.bet("B", "1")
        assert table.refuses("check", "C") == "check.not_allowed"
        table.does("check", "C", irregular="did not notice")  # counts as the level met
        assert table.state()["to_act"] == "A"
        table.bet("A", "1")
        assert table.state()["phase"] == "flip"

    def test_a_blind_payment_counts_double_and_keeps_doing_so(self) -> None:
        table = AtTable("community", "ABC")
        table.dealt("C")
        table.blind("A", "1")
        assert table.state()["level"] == "2"
        table.bet("B", "4")
        table.blind("C", "2")
        table.look("A")
        assert [entry["call"] for entry in table.legal("bet")] == ["2"]
        table.bet("A", "2")
        assert table.state()["phase"] == "flip"
        assert table.of_each("paid") == {"A": "4", "B": "5", "C": "3"}

    def test_a_raise_is_to_the_level_and_the_least_bet(self) -> None:
        table = AtTable("community", "ABC", {"min_bet": "2", "max_raise": "4"})
        table.dealt("C")
        seen = table.legal("bet")[1]
        assert (seen["call"], seen["min"], seen["max"]) == (None, "2", "4")
        table.bet("A", "3")
        seen = table.legal("bet")[1]
        assert (seen["call"], seen["min"], seen["max"]) == ("3", "5", "7")
        refusal = table.refusal("bet", "B", as_="seen", amount="4")
        assert (refusal.code, refusal.expected) == (
            "bet.too_low",
            {"call": "3", "min": "5", "max": "7", "step": "1"},
        )

    def test_times_caps_a_raise_and_not_an_opening(self) -> None:
        table = AtTable("community", "ABC", {"max_raise_times": 4})
        table.dealt("C")
        assert table.legal("bet")[1]["max"] is None
        table.bet("A", "2")
        assert table.legal("bet")[1]["max"] == "8"
        table.bet("B", "8")
        assert table.legal("bet")[1]["max"] == "32"

    def test_a_raise_of_less_than_the_least_opens_the_betting_again(self) -> None:
        table = AtTable("community", "ABC", {"min_bet": "2"})
        table.dealt("C")
        table.bet("A", "2")
        table.bet("B", "3", irregular="no change")
        table.bet("C", "3")
        assert table.legal("bet")[0]["min"] == "3"
        table.bet("A", "3")  # to 5, a raise
        assert (table.state()["level"], table.state()["to_act"]) == ("5", "B")

    def test_a_short_opening_leaves_no_level_and_counts_as_met(self) -> None:
        table = AtTable("community", "ABC", {"min_bet": "2"})
        table.dealt("C")
        for player in "ABC":
            table.bet(player, "2")
        table.flip("2c")
        table.bet("A", "1", irregular="short")
        assert (table.state()["level"], table.state()["to_act"]) == ("0", "B")
        table.checks("B", "C")
        assert table.state()["phase"] == "flip"

    def test_blind_half_levels_are_rounded_up(self) -> None:
        table = AtTable("community", "ABC", unit={"chip": "1"})
        table.dealt("C")
        table.bet("A", "3")
        assert table.legal("bet")[0] == {
            "type": "bet",
            "player": "B",
            "as": "blind",
            "call": "2",
            "min": "3",
            "max": None,
            "step": "1",
        }
        table.blind("B", "2")
        assert table.state()["level"] == "3"
        table.blind("C", "3")  # twice itself: 6
        assert table.state()["level"] == "6"
        table.folds("A")
        assert table.legal("bet")[0]["call"] == "2"  # 3 are missing

    def test_the_last_one_in_takes_the_pot_blind_or_seen(self) -> None:
        table = AtTable("community", "ABC")
        table.dealt("C")
        table.folds("A", "B")
        hand = table.hand(1)
        assert (hand["by"], hand["winners"], hand["awards"]) == ("last_in", ["C"], {"C": "3"})


class TestSeeing:
    def rounds(self, rules: dict[str, Any] | None = None) -> AtTable:
        """Two left, the last level 2, a card turned, nobody has bet in the round; A acts, and has looked."""
        table = AtTable("community", "ABC", rules)
        table.dealt("C")
        table.bet("A", "2")
        table.blind("B", "1")
        table.folds("C")
        table.flip("2c")
        return table

    def test_costs_double_the_last_level_that_was_not_zero(self) -> None:
        table = self.rounds()
        assert table.legal("see") == [{"type": "see", "player": "A", "amount": "4"}]
        assert table.refuses("see", "A", amount="2") == "see.amount"
        table.checks("A")
        assert table.legal("see") == [{"type": "see", "player": "B", "amount": "2"}]  # blind
        table.see("B")
        assert (table.state()["phase"], table.state()["to_act"]) == ("reveal", None)
        table.shows("B", "3c 4c 6d")  # with the board's 2c: 2-3-4, a running flush
        table.shows("A", "2d 3d 4d")
        hand = table.hand(1)
        assert (hand["winners"], hand["by"], hand["result"]) == (["A"], "see", "won")  # equal: the payer loses
        assert hand["shown"]["B"]["category"] == "running_flush"

    def test_is_not_done_while_three_are_left_or_nobody_has_bet(self) -> None:
        table = AtTable("community", "ABC")
        table.dealt("C")
        assert table.refuses("see", "A") == "see.not_two"
        table.folds("A")
        assert table.refuses("see", "B") == "see.no_level"

    def test_a_blind_rival_only_where_the_table_has_it(self) -> None:
        assert self.rounds().legal("see") != []
        table = self.rounds({"see_blind": False})
        assert table.legal("see") == []
        assert table.refuses("see", "A") == "see.blind_rival"
        table.checks("A")
        assert table.legal("see") == [{"type": "see", "player": "B", "amount": "2"}]

    def test_with_four_private_cards_each_throws_one_first(self) -> None:
        table = self.rounds({"private_cards": 4})
        table.see("A")
        assert table.state()["phase"] == "discard"
        assert table.refuses("reveal", "A", cards=["As", "Ad", "Ah"]) == "event.not_now"
        assert table.refuses("muck", "A") == "event.not_now"
        assert table.refuses("discard", "C") == "player.not_in_hand"
        table.does("discard", "B")
        assert table.refuses("discard", "B") == "event.not_now"
        table.does("discard", "A")
        assert table.state()["phase"] == "reveal"

    def test_nobody_all_in_is_seen(self) -> None:
        table = with_chips(A="20", B="3", C="20")
        table.dealt("C")
        table.bet("A", "1")
        table.bet("B", "2")
        table.folds("C")
        assert table.refuses("see", "A") == "see.not_two"


class TestShowing:
    def test_in_any_order_or_not_at_all(self) -> None:
        table = AtTable("community", "ABC")
        table.dealt("C")
        for player in "ABC":
            table.bet(player, "1")
        for card in ("2c", "3d", "9h"):
            table.flip(card)
            table.checks("A", "B", "C")
        assert [entry["type"] for entry in table.legal()] == ["reveal", "muck"] * 3
        assert table.refuses("reveal", "A", cards=["2c", "4d", "5d"]) == "cards.twice"
        table.shows("C", "4d 5d 6d")
        table.does("muck", "A")
        assert table.refuses("reveal", "A", cards=["As", "Ad", "Ah"]) == "player.not_in_hand"
        assert table.refuses("muck", "C") == "event.not_now"
        table.does("muck", "B")
        hand = table.hand(1)
        assert (hand["by"], hand["winners"], hand["awards"]) == ("showdown", ["C"], {"C": "6"})

    def test_odd_chips_of_a_split_go_from_the_dealers_left(self) -> None:
        """14.5 among three are 29 chips, 9 each; one more to C and D, the first from the dealer's left."""
        table = AtTable("community", "ABCD", {"ante": "2"})
        table.deal("B")
        for player in "CDA":
            table.does("ante", player)
        table.does("ante", "B", amount="2.5", irregular="no change")
        for player in "CDA":
            table.look(player)
            table.bet(player, "2")
        table.folds("B")
        for card in ("As", "Ks", "9s"):
            table.flip(card)
            table.checks("C", "D", "A")
        for player, cards in (("A", "2c 6d 8h"), ("C", "2d 6h 8c"), ("D", "2h 6c 8d")):
            table.shows(player, cards)
        hand = table.hand(1)
        assert (hand["pot"], hand["winners"]) == ("14.5", ["A", "C", "D"])
        assert hand["awards"] == {"A": "4.5", "C": "5", "D": "5"}


class TestLayers:
    def test_folded_money_lies_in_the_layers_that_it_reaches(self) -> None:
        """A is all in for 4, B for 9; C covers both; D paid 6 and folds. Antes of 1 included."""
        table = with_chips(A="4", B="9", C="20", D="20")
        table.dealt("D")
        table.bet("A", "3")
        table.bet("B", "5")
        table.bet("C", "5")
        table.bet("D", "5")
        table.flip("2c")
        table.bet("B", "3")
        table.bet("C", "6")
        table.folds("D")
        # B is all in for 9 in all; C's 3 above that go back.
        for card in ("3d", "4h"):
            table.flip(card)
        table.shows("A", "As Ad Ah")
        table.shows("B", "Ks Kd Kh")
        table.shows("C", "7s 9d Jh")
        hand = table.hand(1)
        assert hand["side_pots"] == [
            {"amount": "16", "players": ["A", "B", "C"], "winners": ["A"]},
            {"amount": "12", "players": ["B", "C"], "winners": ["B"]},
            {"amount": "3", "players": ["C"], "winners": ["C"]},
        ]
        assert (hand["result"], hand["winners"]) == ("split", ["A", "B"])
        assert hand["awards"] == {"A": "16", "B": "12", "C": "3"}

    def test_money_above_the_highest_layer_lies_in_it(self) -> None:
        """B paid 9 and shows nothing; C, who reached 6, takes the 2 of their own above A's 4, and B's 5."""
        table = with_chips(A="4", B="20", C="6")
        table.dealt("C")
        table.bet("A", "3")
        table.bet("B", "8")
        table.bet("C", "5", all_in=True)
        for card in ("2c", "7d", "9h"):
            table.flip(card)
        table.shows("A", "As Ad Ah")
        table.does("muck", "B")
        table.shows("C", "Ks Kd Kh")
        assert table.hand(1)["awards"] == {"A": "12", "C": "7"}

    def test_without_side_pots_a_short_payment_plays_for_the_whole_pot(self) -> None:
        table = AtTable("community", "ABC")
        b_pays_short_and_wins(table)
        assert table.hand(1)["awards"] == {"B": "10"}

    def test_what_goes_back_does_not_make_a_split(self) -> None:
        table = with_chips(A="4", B="20", C="20")
        table.dealt("C")
        table.bet("A", "3")
        table.bet("B", "5")
        table.folds("C")
        for card in ("2c", "3d", "4h"):
            table.flip(card)
        table.shows("A", "As Ad Ah")
        table.shows("B", "7s 9d Jh")
        hand = table.hand(1)
        assert (hand["result"], hand["winners"], hand["awards"]) == ("won", ["A"], {"A": "9", "B": "2"})

    def test_a_short_payment_reaches_what_was_paid(self) -> None:
        """B pays 1 of 3 and keeps chips: by what was paid B reaches 2 of A's and C's 4, and owes 2 to who wins."""
        table = with_chips(A="20", B="20", C="20")
        b_pays_short_and_wins(table)
        hand = table.hand(1)
        assert hand["awards"] == {"A": "4", "B": "6"}
        assert table.owed() == [("A", "B", "4")]  # having paid 2 more, B would have won all 12

    def test_all_in_by_the_ante_acts_no_more(self) -> None:
        table = with_chips(A="1", B="9", C="9")
        table.dealt("C")
        assert table.of_each("status") == {"A": "all_in", "B": "blind", "C": "blind"}
        assert table.state()["to_act"] == "B"
        table.bet("B", "1")
        table.folds("C")
        assert table.state()["phase"] == "flip"  # nobody is left to bet against
        for card in ("2c", "3d", "4h"):
            table.flip(card)
        assert table.state()["phase"] == "reveal"


class TestBank:
    def test_money_is_shared_in_proportion_to_the_chips_held(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.does("buy", "A", chips="10", price="10")
        table.does("buy", "B", chips="20", price="10")
        table.does("buy", "C", chips="3", price="5")
        # 25 for 33 chips.
        settled = table.settlement()
        assert settled["balances"] == {"A": "-2.42", "B": "5.15", "C": "-2.73"}
        assert settled["sum"] == "0"
        table.deal("C")
        table.antes()
        settled = table.settlement()
        assert settled["in_play"] == "2.27"
        assert settled["payments"] == []

    def test_a_pot_that_is_worth_no_coin_holds_no_payment_back(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="10", C="10")
        table.does("cash", "A", chips="10", price="30")
        table.deal("C")
        table.does("ante", "B")
        settled = table.settlement()
        assert (settled["in_play"], settled["balances"]) == ("0", {"A": "20", "B": "-10", "C": "-10"})
        assert [(pay["from"], pay["to"], pay["amount"]) for pay in settled["payments"]] == [
            ("B", "A", "10"),
            ("C", "A", "10"),
        ]

    def test_the_last_chips_are_cashed_for_all_the_money_that_is_there(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.does("buy", "A", chips="10", price="20")
        table.does("buy", "B", chips="10", price="5")
        table.does("cash", "A", chips="10")
        table.does("cash", "B", chips="10")
        assert table.settlement()["balances"] == {"A": "-10", "B": "10", "C": "0"}
        assert table.of_each("stack") == {"A": "0", "B": "0", "C": "0"}

    def test_chips_that_are_no_whole_coins_are_bought_at_a_price_that_is_named(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"}, unit={"chip": "0.25", "coin": "1"})
        assert table.refuses("buy", "A", chips="2.5") == "amount.not_chip"
        table.does("buy", "A", chips="2.5", price="2")
        assert table.refuses("cash", "A", chips="0.5") == "amount.not_chip"

    def test_waits_until_the_hand_is_over(self) -> None:
        table = with_chips(A="10", B="10", C="10")
        table.deal("C")
        assert table.refuses("buy", "A", chips="5") == "event.not_now"
        assert table.refuses("cash", "A", chips="11") == "event.not_now"  # not that they hold no 11
        assert table.refuses("count", chips={"A": "1"}) == "event.not_now"  # not that they held 30

    def test_who_is_not_named_in_a_count_holds_none(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="5")
        table.does("count", chips={"B": "15"})
        assert table.of_each("stack") == {"A": "0", "B": "15", "C": "0"}
        assert table.of_each("net") == {"A": "-10", "B": "10", "C": "0"}

    def test_who_holds_the_most_has_won(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="30", C="30")
        table.does("leave", "C")
        table.does("close")
        assert table.state()["winners"] == ["B", "C"]
