"""Voids, disputes, rulings, signatures and wrong settlements, in the orders that a night brings them (rules.md §5, §6)."""

from __future__ import annotations

from events.session import Session
from tests.engine.case_runner import dump, stored
from tests.engine.tables import AtTable


def carried_pot() -> AtTable:
    """P3 deals, P1 goes in blind, the others look and fold: 5 carried."""
    table = AtTable("three-card", ["P1", "P2", "P3"])
    table.dealt("P3")
    table.blind("P1", "2")
    for player in ("P2", "P3"):
        table.look(player)
        table.folds(player)
    return table


class TestSignatures:
    def test_a_void_that_changes_no_balance_leaves_them(self) -> None:
        table = AtTable("three-card", "ABC")
        table.does("sign", "A")
        for _ in range(12):
            table.void(table.does("note", text="crisps"))
        assert table.settlement()["signed"] == ["A"]
        assert Session.replay(stored(table.session)).settlement()["signed"] == ["A"]

    def test_a_void_that_undoes_a_change_of_a_balance_is_a_change(self) -> None:
        table = AtTable("three-card", "ABC")
        table.deal("C")
        ante = table.does("ante", "A")
        table.does("sign", "B")
        assert table.settlement()["signed"] == ["B"]
        table.void(ante)
        assert table.settlement()["signed"] == []
        assert Session.replay(stored(table.session)).settlement()["signed"] == []
        table.does("sign", "B")
        assert table.settlement()["signed"] == ["B"]

    def test_forks_with_other_voids_know_their_own(self) -> None:
        table = AtTable("three-card", "ABC")
        table.deal("C")
        ante = table.does("ante", "A")
        note = table.does("note", text="crisps")
        table.does("sign", "B")
        one, other = table.session.fork(), table.session.fork()
        one.record({"type": "void", "seqs": [ante], "reason": "not paid"})
        other.record({"type": "void", "seqs": [note], "reason": "no crisps"})
        assert one.settlement()["signed"] == []
        assert other.settlement()["signed"] == ["B"]

    def test_chips_bought_at_the_price_of_those_before_change_no_balance(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10")
        table.does("sign", "A")
        table.buys(B="10")
        assert table.settlement()["signed"] == ["A"]
        table.does("buy", "C", chips="10", price="5")
        assert table.settlement()["signed"] == []
