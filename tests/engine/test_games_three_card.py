"""Three-card Brag, where a careful reader of rules.md §4 to §6 would look twice."""

from __future__ import annotations

from typing import Any

from tests.engine.tables import AtTable


def two_hands(rules: dict[str, Any] | None = None) -> AtTable:
    """P1 kept a blind hand while 5 were carried, and has been dealt a new one; P2 acts, antes are in."""
    table = AtTable("three-card", ["P1", "P2", "P3"], rules)
    table.dealt("P3")
    table.blind("P1", "2")
    for player in ("P2", "P3"):
        table.look(player)
        table.folds(player)
    table.does("retain", "P1")
    table.dealt("P1")
    return table


class TestTwoHands:
    def test_a_kept_hand_that_was_shown_does_not_stay_kept_after_a_misdeal(self) -> None:
        table = two_hands({"see_blind": True})
        table.bet("P2", "3")
        table.folds("P3")
        table.look("P1", which="new")
        table.does("throw", "P1")
        table.blind("P1", "1.5")
        table.see("P2")
        table.shows("P1", "2c 4d 6h")
        table.does("misdeal", reason="an exposed card")
        assert table.of_each("hands") == {"P1": 0, "P2": 0, "P3": 0}
        table.deal("P1")
        assert table.of_each("hands") == {"P1": 1, "P2": 1, "P3": 1}


class TestMuck:
    def test_is_the_payers_alone(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        table.bet("A", "1")
        table.bet("B", "1")
        table.folds("C")
        table.see("A")
        assert [table.refuses("muck", player) for player in "ABC"] == ["event.not_now"] * 3
        table.shows("B", "2c 4d 6h")
        assert table.refuses("muck", "B") == "event.not_now"
        assert table.refuses("muck", "C") == "event.not_now"
        table.does("muck", "A")
        assert table.hand(1)["by"] == "see"
