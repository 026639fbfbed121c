"""Voids, disputes, rulings, signatures and wrong settlements, in the orders that nights bring (rules.md §5, §6)."""

from __future__ import annotations

import pytest

from events.refusals import Refused
from events.session import Session
from events.vocabulary import without_stamps
from tests.engine.case_runner import dump, stored
from tests.engine.tables import AtTable, refused_to


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

    def test_to_strike_what_stands_beside_the_table_changes_no_balance(self) -> None:
        table = carried_pot()
        table.does("sign", "P1")
        for struck in (
            table.does("dispute", "P2", of_hand=1, claim="I had looked"),
            table.does("sign", "P3"),
            table.does("pay", **{"from": "P1", "to": "P2", "amount": "1"}),
        ):
            table.void(struck)
        assert table.settlement()["signed"] == ["P1"]
        assert Session.replay(stored(table.session)).settlement()["signed"] == ["P1"]

    def test_a_ruling_that_is_struck_is_a_change_where_it_moved_chips(self) -> None:
        table = carried_pot()
        dispute = table.does("dispute", "P2", of_hand=1, claim="I had looked")
        ruling = table.does(
            "rule", dispute=dispute, decision="upheld", adjust={"P1": "-1", "P2": "1"}, reason="so it was"
        )
        table.does("sign", "P1")
        table.void(ruling)
        assert table.settlement()["signed"] == []
        assert Session.replay(stored(table.session)).settlement()["signed"] == []

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

    def test_to_strike_who_sat_down_and_played_nothing_changes_no_balance(self) -> None:
        table = AtTable("three-card", "ABC")
        joined = table.does("join", "D")
        table.does("sign", "A")
        table.void(joined)
        assert table.settlement()["signed"] == ["A"]
        assert Session.replay(stored(table.session)).settlement()["signed"] == ["A"]

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


def two_hands_won(table: AtTable) -> None:
    """Three-card, ABC: A wins the first hand with a bet, then B the second."""
    for dealer, winner, losers in (("C", "A", "BC"), ("A", "B", "CA")):
        table.dealt(dealer)
        table.bet(winner, "2")
        table.folds(*losers)


class TestVoid:
    def played(self) -> AtTable:
        table = AtTable("three-card", "ABC")
        two_hands_won(table)
        return table

    def test_names_what_cannot_be_struck(self) -> None:
        table = self.played()
        note = table.does("note", text="crisps")
        void = table.void(note)
        for seq in (1, note, void, void + 1, 10**6):
            assert table.refuses("void", seqs=[seq], reason="a wrong tap") == "void.target"
        assert table.refuses("void", seqs=[], reason="x") == "event.invalid"
        assert table.refuses("void", seqs=[2], reason="  ") == "event.invalid"
        assert table.refuses("void", seqs=[2, 2], reason="x") == "event.invalid"

    def test_says_the_first_event_that_no_longer_fits(self) -> None:
        table = self.played()
        hand = table.hand(1)
        refusal = table.refusal("void", seqs=[hand["first"]], reason="not dealt")
        assert (refusal.code, refusal.expected) == ("void.breaks", hand["first"] + 1)
        # Without A's bet B acts out of turn.
        refusal = table.refusal("void", seqs=[hand["first"] + 4], reason="no bet")
        assert (refusal.code, refusal.expected) == ("void.breaks", hand["first"] + 5)

    def test_of_the_last_event_of_a_hand_opens_it_again_and_then_a_later_hand_does_not_fit(self) -> None:
        table = self.played()
        first, second = table.hand(1), table.hand(2)
        refusal = table.refusal("void", seqs=[first["last"]], reason="did not fold")
        assert (refusal.code, refusal.expected) == ("void.breaks", second["first"])
        table.void(first["last"], *range(second["first"], second["last"] + 1))
        assert table.state()["hand"] == 1
        assert table.state()["to_act"] == "C"
        table.folds("C")
        table.dealt("A")
        assert table.state()["hand"] == 3
        assert [hand["hand"] for hand in table.session.hands()] == [1, 3]
        assert table.session.hand(2) is None

    def test_of_an_event_let_stand_takes_its_finding_along(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        bet = table.bet("B", "2", irregular="out of turn")
        assert table.found() == [("turn.not_yours", "warning")]
        table.void(bet)
        assert table.found() == []
        assert table.state()["to_act"] == "A"

    def test_before_and_after_are_both_known(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        bet = table.bet("A", "4")
        before = table.state()
        table.void(bet)
        assert table.state()["level"] == "0"
        at = Session.replay(table.session.events[:bet])
        assert at.state(table.names) == before

    def test_an_event_that_replaces_what_was_not_struck_is_invalid(self) -> None:
        table = self.played()
        assert table.refuses("note", text="anew", replaces=3) == "event.invalid"
        note = table.does("note", text="crisps")
        table.void(note)
        assert table.does("note", text="nuts", replaces=note) == note + 2

    def redone(self, table: AtTable, *more: dict[str, object], replaces: bool = True) -> list[dict[str, object]]:
        """A request that strikes hand 2 and records it anew, with C as the winner."""
        hand = table.hand(2)
        struck = list(range(hand["first"], hand["last"] + 1))
        deal = table.event("deal", dealer="A")
        if replaces:
            deal["replaces"] = struck[0]
        return [
            table.event("void", seqs=struck, reason="it was C who bet"),
            deal,
            *[table.event("ante", player) for player in "BCA"],
            table.event("fold", "B"),
            table.event("bet", "C", amount="2", as_="seen"),
            table.event("fold", "A"),
            *more,
        ]

    def test_a_dispute_follows_its_hand_to_its_new_number(self) -> None:
        table = self.played()
        dispute = table.does("dispute", "C", of_hand=2, claim="I had bet")
        table.request(*self.redone(table))
        assert table.hand(3)["winners"] == ["C"]
        finding = table.audit()["findings"][0]
        assert (finding["code"], finding["hand"]) == ("dispute.open", 3)
        assert finding["message"] == "C disputes hand 3: I had bet"
        table.does("rule", dispute=dispute, decision="upheld", reason="recorded anew")
        assert table.audit()["verdict"] == "sound"
        assert table.refuses("rule", dispute=dispute, decision="upheld", reason="again") == "event.not_now"
        assert dump(Session.read(stored(table.session))) == dump(table.session)

    def test_a_ruling_settles_what_its_hand_left_owed_under_its_new_number(self) -> None:
        table = self.played()
        dispute = table.does("dispute", "C", of_hand=2, claim="I had bet")
        table.request(*self.redone(table, table.event("settle", awards={"A": "5"}, irregular="the landlord")))
        assert table.owed() == [("A", "C", "5")]
        table.does("rule", dispute=dispute, decision="compromise", reason="a round for all")
        assert table.owed() == []

    def test_a_ruling_made_before_the_hand_was_recorded_anew_has_settled_it_all_the_same(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        table.bet("A", "4")
        table.bet("B", "3", irregular="short")
        table.folds("C")
        table.bet("A", "4")
        table.folds("B")
        table.ruled(1, "A", adjust={"A": "1", "B": "-1"})
        hand = table.hand(1)
        seqs = list(range(hand["first"], hand["last"] + 1))
        anew = [{**without_stamps(table.session.events[seq - 1]), "replaces": seq} for seq in seqs]
        table.request(table.event("void", seqs=seqs, reason="C had dealt twice"), *anew)
        assert table.of_each("net") == {"A": "6", "B": "-5", "C": "-1"}
        assert table.owed() == []
        assert table.found() == [("bet.too_low", "warning")]

    def test_a_ruling_has_not_settled_what_was_short_only_when_the_hand_was_recorded_anew(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        table.bet("A", "4")
        table.bet("B", "4")
        table.folds("C")
        seqs = [table.bet("A", "4"), table.bet("B", "4"), table.does("fold", "A")]
        table.ruled(1, "B")
        assert table.owed() == []
        anew = [{**without_stamps(table.session.events[seq - 1]), "replaces": seq} for seq in seqs]
        anew[0].update(amount="3", irregular="short")
        table.request(table.event("void", seqs=seqs, reason="it was 3"), *anew)
        assert table.owed() == [("A", "B", "1")]

    def test_a_dispute_of_a_hand_that_is_struck_and_not_recorded_anew_is_to_be_struck_too(self) -> None:
        table = self.played()
        dispute = table.does("dispute", "C", of_hand=2, claim="I had bet")
        hand = table.hand(2)
        refusal = table.refusal("void", seqs=list(range(hand["first"], hand["last"] + 1)), reason="not so")
        assert (refusal.code, refusal.expected) == ("void.breaks", dispute)
        version = table.session.version
        with pytest.raises(Refused) as raised:
            table.request(*self.redone(table, replaces=False))
        assert (raised.value.refusal.code, raised.value.refusal.expected) == ("void.breaks", dispute)
        assert table.session.version == version

    def test_so_is_one_of_a_hand_that_was_recorded_anew_and_is_struck_then(self) -> None:
        table = self.played()
        dispute = table.does("dispute", "C", of_hand=2, claim="I had bet")
        table.request(*self.redone(table))
        hand = table.hand(3)
        refusal = table.refusal("void", seqs=list(range(hand["first"], hand["last"] + 1)), reason="not so")
        assert (refusal.code, refusal.expected) == ("void.breaks", dispute)
        assert table.audit()["findings"][0]["code"] == "dispute.open"

    def test_what_follows_in_the_request_may_be_anything(self) -> None:
        table = self.played()
        void = AtTable.event("void", seqs=[table.does("note", text="crisps")], reason="a wrong tap")
        for follows in (7, None, [], "deal", {}, {"type": "deal", "replaces": "2"}):
            refusal = refused_to(lambda follows=follows: table.request(void, follows))
            assert refusal is not None
            assert refusal.code == "event.invalid"

    def test_a_request_that_fails_later_stores_nothing(self) -> None:
        table = self.played()
        before = dump(table.session)
        with pytest.raises(Refused) as raised:
            table.request(*self.redone(table, table.event("fold", "C")))
        assert raised.value.refusal.code == "event.not_now"
        assert dump(table.session) == before

    def test_a_void_of_chips_bought_breaks_what_was_paid_with_them(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="10", C="10")
        table.dealt("C")
        table.bet("A", "5")
        ante = table.session.version - 3
        refusal = table.refusal("void", seqs=[2], reason="not paid for")
        assert (refusal.code, refusal.expected, refusal.actual) == ("void.breaks", ante, "player.not_in_hand")


class TestRulings:
    def test_move_money_by_amounts_that_make_zero_once(self) -> None:
        table = AtTable("three-card", "ABC")
        two_hands_won(table)
        dispute = table.does("dispute", "C", of_hand=1, claim="that was mine")
        rule = {"dispute": dispute, "decision": "upheld", "reason": "so it was"}
        assert table.refuses("rule", **rule, adjust={"A": "-1", "C": "2"}) == "rule.sum"
        assert table.refuses("rule", **rule, adjust={"A": "-1", "X": "1"}) == "player.unknown"
        assert table.refuses("rule", **rule, adjust={"A": "-0.3", "C": "0.3"}) == "amount.not_chip"
        assert table.refuses("rule", **{**rule, "dispute": 2}) == "event.invalid"
        assert table.of_each("net") == {"A": "1", "B": "1", "C": "-2"}
        table.does("rule", **rule, adjust={"A": "-1", "C": "1"})
        assert table.of_each("net") == {"A": "0", "B": "1", "C": "-1"}
        assert table.refuses("rule", **rule) == "event.not_now"
        assert table.hand(1)["net"] == {"A": "2", "B": "-1", "C": "-1"}

    def test_after_the_close_make_other_winners(self) -> None:
        table = AtTable("three-card", "ABC")
        two_hands_won(table)
        table.does("close")
        assert table.state()["winners"] == ["A", "B"]
        table.ruled(2, "A", {"A": "0.5", "B": "-0.5"})
        assert table.state()["winners"] == ["A"]

    def test_in_a_session_of_chips_move_none_in_a_hand_and_leave_nobody_below_nothing(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="10", C="10")
        table.dealt("C")
        dispute = table.does("dispute", "A", of_hand=1, claim="short")
        rule = {"dispute": dispute, "decision": "upheld", "reason": "so"}
        assert table.refuses("rule", **rule, adjust={"A": "1", "B": "-1"}) == "event.not_now"
        table.bet("A", "1")
        table.folds("B", "C")
        assert table.refuses("rule", **rule, adjust={"A": "10", "B": "-10"}) == "bet.stack"
        assert table.refuses("rule", **rule, adjust={"A": "1", "B": "-10"}) == "bet.stack"
        table.does("rule", **rule, adjust={"A": "9", "B": "-9"})
        assert table.of_each("stack") == {"A": "21", "B": "0", "C": "9"}

    def test_that_moves_nothing_may_be_made_in_a_hand_of_chips(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="10", C="10")
        table.dealt("C")
        table.ruled(1, "A", {"A": "0", "B": "0"})
        assert table.audit()["verdict"] == "sound"


class TestLives:
    def lost_by_b(self, lives: int = 1, stake: str = "2") -> AtTable:
        table = AtTable("lives", "ABC", {"lives": lives, "stake": stake})
        table.deal("C", up="2c")
        table.knocked("A", "B", "C")
        table.shows("A", "As Ad Ah")
        table.shows("B", "4s 6d 9h")
        table.shows("C", "Ks Kd Kh")
        return table

    def test_a_wrong_loser_and_then_the_right_one(self) -> None:
        table = self.lost_by_b()
        assert table.of_each("lives") == {"A": 1, "B": 0, "C": 1}
        table.does("settle", losers=["A"], irregular="misread")
        assert table.of_each("lives") == {"A": 0, "B": 1, "C": 1}
        table.does("settle", losers=[], irregular="let off")
        assert table.of_each("lives") == {"A": 1, "B": 1, "C": 1}
        table.does("settle")
        assert table.of_each("lives") == {"A": 1, "B": 0, "C": 1}
        assert table.found() == [("award.wrong", "warning")] * 2

    def test_a_settle_may_end_the_match_and_another_open_it_again(self) -> None:
        table = self.lost_by_b()
        table.does("settle", losers=["B", "C"], irregular="both, they said")
        assert (table.state()["closed"], table.state()["winners"]) == (True, ["A"])
        assert table.of_each("net") == {"A": "4", "B": "-2", "C": "-2"}
        assert table.refuses("settle", losers=["A", "B", "C"], irregular="all") == "event.invalid"
        assert table.refuses("deal", dealer="A", up="2c") == "session.closed"
        table.does("settle")
        assert (table.state()["closed"], table.state()["winners"]) == (False, None)
        assert table.of_each("net") == {"A": "-2", "B": "-2", "C": "-2"}
        assert table.state()["pot"] == "6"

    def test_losers_are_those_of_the_hand(self) -> None:
        table = self.lost_by_b()
        assert table.refuses("settle", losers=["X"], irregular="x") == "player.unknown"
        table.deal("A", up="2c")
        assert table.refuses("settle") == "event.not_now"
        table.swaps("C", "A")
        table.does("knock", "C")
        table.swaps("A")
        table.shows("A", "As Ad Ah")
        table.shows("C", "Ks Kd Kh")
        assert table.refuses("settle", losers=["B"], irregular="x") == "player.not_in_hand"

    def test_struck_to_where_it_was_open(self) -> None:
        table = self.lost_by_b(lives=1)
        table.does("leave", "C")
        assert table.state()["winners"] == ["A"]
        table.void(table.session.version)
        assert table.state()["closed"] is False
        assert table.state()["pot"] == "6"
