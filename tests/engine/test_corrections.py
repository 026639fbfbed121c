"""Voids, disputes, rulings, signatures and wrong settlements, in the orders that nights bring (rules.md §5, §6)."""

from __future__ import annotations

from events.session import Session
from tests.engine.case_runner import stored
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


class TestSettle:
    def test_a_carried_pot_paid_out_cannot_be_carried_again_once_the_table_has_closed(self) -> None:
        table = carried_pot()
        table.does("settle", awards={"P1": "5"}, irregular="took it")
        assert table.state()["carried"] == "0"
        close = table.does("close")
        assert table.refuses("settle") == "event.not_now"
        assert table.refuses("settle", awards={}) == "event.not_now"
        table.void(close)
        table.does("settle")
        assert table.state()["carried"] == "5"
        assert table.refuses("close") == "close.pot_open"

    def test_a_carried_pot_that_was_shared_out_is_not_paid_again(self) -> None:
        table = carried_pot()
        table.does("close", carry="refund")
        assert table.refuses("settle", awards={"P1": "5"}, irregular="took it") == "event.not_now"
        table.does("settle")
        assert table.audit()["verdict"] == "sound"

    def test_a_pot_put_right_takes_back_only_chips_that_are_there(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="10", C="10")
        table.dealt("C")
        table.bet("A", "2")
        table.folds("B", "C")
        table.does("settle", awards={"B": "5"}, irregular="mistaken")
        assert table.of_each("stack") == {"A": "7", "B": "14", "C": "9"}
        table.does("cash", "B", chips="14")
        assert table.refuses("settle") == "bet.stack"
        assert table.refuses("settle", awards={"A": "5"}) == "bet.stack"
        table.buys(B="5")
        table.does("settle")
        assert table.of_each("stack") == {"A": "12", "B": "0", "C": "9"}
