"""Lives and a knock, where a careful reader of rules.md §2, §5 and §6 would look twice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.tables import AtTable


def dealt(rules: dict[str, Any] | None = None, players: str = "ABC", up: str = "2c") -> AtTable:
    """The last seat deals; the first acts."""
    table = AtTable("lives", players, rules)
    table.deal(players[-1], up=up)
    return table


def shown(table: AtTable, hands: dict[str, str]) -> None:
    """Everybody swaps, the first knocks, the others have their last turn, and these hands are shown."""
    order = [name for name in hands if name in table.session.table.open_hand.order]
    turns = table.session.table.open_hand.order
    table.swaps(*turns)
    table.does("knock", turns[0])
    table.swaps(*turns[1:])
    for name in order:
        table.shows(name, hands[name])


class TestTurns:
    def test_the_knocker_keeps_the_hand_and_each_other_has_one_last_turn(self) -> None:
        table = dealt()
        assert table.state()["to_act"] == "A"
        assert table.refuses("knock", "A") == "knock.too_early"
        table.swaps("A", "B")
        assert table.state()["round"] == 0
        assert [entry["type"] for entry in table.legal()] == ["swap"] * 3
        table.swaps("C")
        assert table.state()["round"] == 1
        assert [entry["type"] for entry in table.legal()] == ["swap", "swap", "swap", "knock"]
        table.swaps("A")
        table.does("knock", "B")
        assert table.state()["knocker"] == "B"
        assert table.of_each("status") == {"A": "in", "B": "knocked", "C": "in"}
        assert table.refuses("knock", "C") == "knock.twice"
        assert table.refuses("knock", "C", irregular="x") == "knock.twice"
        assert table.refuses("swap", "B", take="down") == "player.not_in_hand"
        table.swaps("C", "A")
        assert (table.state()["phase"], table.state()["to_act"], table.state()["round"]) == ("reveal", None, 2)
        assert table.refuses("swap", "B", take="down") == "event.not_now"

    def test_after_an_early_knock_even_who_never_swapped_has_one_turn(self) -> None:
        table = dealt()
        table.swaps("A")
        table.does("knock", "B", irregular="in a hurry")
        table.swaps("C", "A")
        assert table.state()["phase"] == "reveal"

    def test_out_of_turn_goes_on_from_the_actors_left(self) -> None:
        table = dealt(players="ABCD")
        assert table.refuses("swap", "C", take="down") == "turn.not_yours"
        table.does("swap", "C", take="down", irregular="sleepy")
        assert table.state()["to_act"] == "D"
        table.swaps("D", "A", "B", "C", "D")
        table.does("knock", "A")
        table.does("swap", "C", take="down", irregular="sleepy again")
        table.swaps("D", "B")
        assert table.state()["phase"] == "reveal"
        assert table.refuses("swap", "C", take="down", irregular="x") == "event.not_now"


class TestWhatTheLogKnows:
    def test_a_card_taken_face_up_stays_until_given_or_hidden(self) -> None:
        table = dealt(up="Qc")
        assert table.refuses("swap", "A", take="up", give="Qc") == "swap.same_card"
        table.does("swap", "A", take="up", give="4c")
        assert table.state()["up"] == "4c"
        assert table.refuses("swap", "B", take="up", give="Qc") == "swap.not_held"
        assert table.refuses("swap", "B", take="all", leave="Qc", irregular="x") == "swap.not_held"
        assert table.refuses("swap", "B", take="all", leave="4c") == "swap.same_card"
        table.swaps("B", "C")
        table.swaps("A")  # hidden: which card A gave is not known any more
        table.does("swap", "B", take="up", give="Qc")

    def test_a_whole_hand_swapped_lies_where_it_was_left(self) -> None:
        table = dealt(up="Qc")
        table.does("swap", "A", take="up", give="4c")
        table.does("swap", "B", take="up", give="5c")
        # A's Q♣ is known; swapped whole with 9♣ left up, it lies face down.
        table.swaps("C")
        table.does("swap", "A", take="all", leave="9c")
        assert table.refuses("swap", "B", take="up", give="Qc") == "swap.not_held"
        assert table.refuses("swap", "B", take="all", leave="Qc") == "swap.same_card"
        # A holds 5♣, which lay face up.
        assert table.refuses("swap", "B", take="up", give="5c") == "swap.not_held"
        table.does("swap", "B", take="all", leave="7c")
        table.swaps("C", "A")
        table.does("knock", "B")
        table.swaps("C", "A")
        # B took Q♣ and 9♣, and kept them.
        refusal = table.refusal("reveal", "B", cards=["Qc", "8c", "8d"])
        assert (refusal.code, refusal.expected) == ("cards.impossible", ["9c"])

    def test_shown_hands_are_held_to_it(self) -> None:
        table = dealt(up="Qc")
        table.does("swap", "A", take="up", give="4c")
        table.does("swap", "B", take="up", give="5c")
        table.swaps("C")
        table.does("knock", "A")
        table.swaps("B", "C")
        refusal = table.refusal("reveal", "A", cards=["Qs", "7d", "8d"])
        assert (refusal.code, refusal.expected) == ("cards.impossible", ["Qc"])
        assert table.refuses("reveal", "C", cards=["Qc", "7d", "8d"]) == "cards.impossible"
        assert table.refuses("reveal", "C", cards=["5c", "7d", "8d"]) == "cards.twice"
        table.shows("A", "Qs 7d 8d", irregular="so they lay")
        assert table.refuses("reveal", "B", cards=["7d", "2d", "3d"]) == "cards.twice"
        table.shows("B", "4c 2d 3d")
        assert [(finding["code"], finding["severity"]) for finding in table.audit()["findings"]] == [
            ("cards.impossible", "warning")
        ]


class TestLosing:
    def test_the_worst_hand_by_suit(self) -> None:
        table = dealt({"lives": 1}, "ABC", up="2c")
        shown(table, {"A": "Qs 7d 4c", "B": "Qh 7c 4d", "C": "As Ad Ah"})
        assert table.hand(1)["losers"] == ["B"]
        assert table.hand(1)["winners"] == []
        assert table.of_each("status") == {"A": "in", "B": "out", "C": "in"}

    def test_without_suits_all_equal_worst_lose(self) -> None:
        table = dealt({"lives": 2, "suit_tiebreak": False})
        shown(table, {"A": "Qs 7d 4c", "B": "Qh 7c 4d", "C": "As Ad Ah"})
        assert table.hand(1)["losers"] == ["A", "B"]
        assert table.of_each("lives") == {"A": 1, "B": 1, "C": 2}

    def test_but_nobody_where_that_would_leave_nobody(self) -> None:
        table = dealt({"lives": 1, "suit_tiebreak": False})
        shown(table, {"A": "Qs 7d 4c", "B": "Qh 7c 4d", "C": "Qd 7h 4s"})
        assert (table.hand(1)["result"], table.hand(1)["losers"]) == ("life", [])
        assert table.of_each("lives") == {"A": 1, "B": 1, "C": 1}
        table.deal("A", up="2c")

    def test_all_equal_with_lives_to_spare_lose_one_each(self) -> None:
        table = dealt({"lives": 2, "suit_tiebreak": False})
        shown(table, {"A": "Qs 7d 4c", "B": "Qh 7c 4d", "C": "Qd 7h 4s"})
        assert table.of_each("lives") == {"A": 1, "B": 1, "C": 1}

    def test_the_deal_passes_over_who_is_out(self) -> None:
        table = dealt({"lives": 1}, "ABCD")
        shown(table, {"A": "4s 6d 9h", "B": "As Ad Ah", "C": "Ks Kd Kh", "D": "Qs Qd Qh"})
        assert table.legal() == [{"type": "deal", "dealer": "B"}]
        assert table.refuses("deal", dealer="A", up="2c") == "player.not_in_hand"
        assert table.refuses("deal", dealer="C", up="2c") == "deal.wrong_dealer"
        assert table.refuses("deal", dealer="B", up="2c", players=["B", "C"]) == "event.invalid"
        assert table.refuses("deal", dealer="B", up="2c", players=["A", "B", "C", "D"]) == "player.not_in_hand"
        table.deal("B", up="2c", players=["D", "C", "B"])
        assert table.state()["to_act"] == "C"


class TestStakes:
    def test_lie_in_the_pot_until_the_last_takes_them(self) -> None:
        table = AtTable("lives", "ABC", {"lives": 1, "stake": "5"})
        assert (table.state()["pot"], table.of_each("net")) == ("15", {"A": "-5", "B": "-5", "C": "-5"})
        assert table.settlement()["in_play"] == "15"
        table.deal("C", up="2c")
        shown(table, {"A": "4s 6d 9h", "B": "As Ad Ah", "C": "Ks Kd Kh"})
        hand = table.hand(1)
        assert (hand["pot"], hand["paid"], hand["awards"]) == ("0", {"A": "0", "B": "0", "C": "0"}, {})
        assert hand["net"] == {"A": "0", "B": "0", "C": "0"}
        table.does("leave", "C")
        assert (table.state()["closed"], table.state()["winners"]) == (True, ["B"])
        assert table.of_each("net") == {"A": "-5", "B": "10", "C": "-5"}
        assert table.settlement()["in_play"] == "0"

    def test_who_comes_before_the_first_deal_pays_and_nobody_comes_after(self) -> None:
        table = AtTable("lives", "ABC", {"stake": "5"})
        table.does("join", "D", before="A")
        assert table.state()["seats"] == ["D", "A", "B", "C"]
        assert table.state()["pot"] == "20"
        table.does("leave", "D")
        assert table.of_each("net")["D"] == "-5"
        assert table.refuses("join", "D") == "event.not_now"
        table.deal("C", up="2c")
        table.does("misdeal", reason="an exposed card")
        assert table.refuses("join", "E") == "event.not_now"

    @pytest.mark.parametrize(
        ("carry", "nets"),
        [
            ("refund", {"A": "0", "B": "0", "C": "0", "D": "0"}),
            ("split", {"A": "-5", "B": "1", "C": "2", "D": "2"}),  # from the left of B, who dealt last
        ],
    )
    def test_closed_early_they_go_back_or_are_shared_by_those_with_a_life(
        self, carry: str, nets: dict[str, str]
    ) -> None:
        table = dealt({"lives": 1, "stake": "5"}, "ABCD")
        shown(table, {"A": "4s 6d 9h", "B": "As Ad Ah", "C": "Ks Kd Kh", "D": "Qs Qd Qh"})
        table.deal("B", up="2c")
        assert table.refuses("close") == "close.pot_open"
        table.does("close", carry=carry)
        assert table.of_each("net") == nets
        assert table.state()["winners"] is None
        assert table.hand(2)["result"] == "misdeal"

    def test_before_any_deal_the_odd_chip_goes_to_the_first_seat(self) -> None:
        table = AtTable("lives", "ABCD", {"stake": "1"})
        table.does("leave", "B")
        table.does("close", carry="split")
        assert table.of_each("net") == {"A": "1", "B": "-1", "C": "0", "D": "0"}

    def test_without_a_stake_a_session_closes_over_an_open_hand(self) -> None:
        table = dealt()
        table.does("close")
        assert table.hand(1)["result"] == "misdeal"
        assert table.settlement()["payments"] == []
