"""What an audit says was wrong, and what is owed for it (rules.md §5, §6; contract.md §5)."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from events.audit import audit_hand, audit_session
from tests.engine.case_runner import stored
from tests.engine.tables import AtTable


def three_left(rules: dict[str, Any] | None = None) -> AtTable:
    """Three-card, A, B and C, everybody has paid the ante, A acts."""
    table = AtTable("three-card", "ABC", rules)
    table.dealt("C")
    return table


def won_by_a() -> AtTable:
    """The same table, once A has bet 2 and taken the pot of 5."""
    table = three_left()
    table.bet("A", "2")
    table.folds("B", "C")
    return table


def short_and_carried(paid: str) -> AtTable:
    """Three-card: P2, who has looked, paid less than the level of 4, and the pot is carried past blind P1."""
    table = AtTable("three-card", ["P1", "P2", "P3"])
    table.dealt("P3")
    table.blind("P1", "2")
    table.bet("P2", paid, irregular="short")
    table.folds("P3")
    table.blind("P1", "2")
    table.folds("P2")
    return table


def carried_to_p3() -> AtTable:
    """Short by 1 and carried; P3 wins it in the next hand."""
    table = short_and_carried("3")
    table.dealt("P1")
    table.folds("P2")
    table.bet("P3", "1")
    table.folds("P1")
    return table


class TestShort:
    def test_is_owed_to_the_winner(self) -> None:
        table = three_left()
        table.bet("A", "4")
        short = table.bet("B", "2", irregular="had no change")
        table.folds("C")
        assert table.found() == [("bet.too_low", "warning")]  # nobody has won yet
        table.see("A")
        table.shows("B", "2c 4d 6h")
        table.shows("A", "As Ad Ah")
        finding = table.audit()["findings"][0]
        assert (finding["code"], finding["severity"], finding["seqs"], finding["hand"]) == (
            "bet.too_low",
            "error",
            [short],
            1,
        )
        assert finding["expected"] == {"call": "4", "min": "5", "max": "9", "step": "1"}
        assert finding["actual"] == "2"
        assert table.owed() == [("B", "A", "2")]
        assert table.state()["level"] == "0"

    def test_by_who_wins_is_owed_to_nobody(self) -> None:
        table = three_left()
        table.bet("A", "4")
        table.bet("B", "2", irregular="had no change")
        table.folds("C", "A")
        assert table.found() == [("bet.too_low", "warning")]
        assert table.owed() == []
        assert table.audit()["verdict"] == "irregular"

    def test_opening_leaves_no_level(self) -> None:
        table = three_left({"min_open": "2"})
        table.bet("A", "1", irregular="thought it was one")
        assert table.state()["level"] == "0"
        assert table.state()["to_act"] == "B"
        assert table.refuses("see", "B") == "see.not_two"
        table.folds("B")
        assert table.refuses("see", "C") == "see.no_level"
        table.bet("C", "2")
        table.see("A")
        table.shows("C", "As Ad Ah")
        table.shows("A", "Ks 7d 2h")
        assert table.owed() == [("A", "C", "1")]

    def test_into_a_carried_pot_is_owed_to_who_wins_it_in_the_end(self) -> None:
        table = short_and_carried("3")
        assert table.state()["carried"] == "10"
        assert table.owed() == []
        table.dealt("P1")
        table.bet("P2", "1")
        table.folds("P3", "P1")
        assert table.owed() == []  # P2 won it, who owes nothing to themselves

    def test_into_a_carried_pot_won_by_another(self) -> None:
        table = carried_to_p3()
        assert table.owed() == [("P2", "P3", "1")]
        assert table.found() == [("bet.too_low", "error")]

    @pytest.mark.parametrize(("carry", "owed"), [("split", [("P2", "P1", "0.5"), ("P2", "P3", "0.5")]), ("refund", [])])
    def test_into_a_carried_pot_that_is_shared_out_at_the_close(self, carry: str, owed: list[Any]) -> None:
        table = short_and_carried("2.5")
        table.does("close", carry=carry)
        assert table.owed() == owed
        assert table.found() == [("bet.too_low", "error" if owed else "warning")]

    def test_into_a_pot_that_is_split_is_owed_in_shares(self) -> None:
        table = AtTable("community", "ABCD")
        table.dealt("D")
        table.bet("A", "3")
        table.bet("B", "3")
        table.bet("C", "1", irregular="short")
        table.bet("D", "2", irregular="short as well")
        for card in ("As", "Ks", "Qs"):
            table.flip(card)
            table.checks("A", "B", "C", "D")
        for player, cards in (("A", "2c 6d 9h"), ("B", "2d 6h 9c"), ("C", "4c 7d Th"), ("D", "4d 7h Tc")):
            table.shows(player, cards)
        hand = table.hand(1)
        assert hand["winners"] == ["A", "B", "C", "D"]  # the board's flush is everybody's
        assert hand["awards"] == {"A": "3.5", "B": "3.5", "C": "3", "D": "3"}
        # By the rules 16 in the pot, 4 each: C and D, who got 3, paid 2 and 1 too little.
        assert table.owed() == [("C", "A", "0.5"), ("C", "B", "0.5")]

    def test_of_the_ante(self) -> None:
        table = AtTable("three-card", "ABC")
        table.deal("C")
        table.does("ante", "A")
        assert table.refuses("ante", "B", amount="0.5") == "ante.wrong"
        table.does("ante", "B", amount="0.5", irregular="half now")
        table.does("ante", "C", amount="2", irregular="no change")
        table.bet("A", "1")
        table.folds("B", "C")
        # B owes A 0.5, A owes C 1: netted over all, with the fewest payments.
        assert table.owed() == [("A", "C", "0.5"), ("B", "C", "0.5")]
        assert table.found() == [("ante.wrong", "error"), ("ante.wrong", "error")]

    def test_price_of_seeing(self) -> None:
        table = three_left()
        table.bet("A", "2")
        table.bet("B", "2")
        table.folds("C")
        assert table.refuses("see", "A", amount="3") == "see.amount"
        table.see("A", amount="3", irregular="short")
        table.shows("B", "As Ad Ah")
        table.shows("A", "Ks 7d 2h")
        assert table.owed() == [("A", "B", "1")]

    def test_after_looking_at_the_blind_rate_breaks_two_rules(self) -> None:
        table = three_left()
        table.bet("A", "4")
        table.look("B")
        table.blind("B", "2", irregular="forgot")
        table.folds("C")
        table.bet("A", "4")
        table.folds("B")
        assert table.found() == [("bet.not_blind", "warning"), ("bet.too_low", "error")]
        assert table.owed() == [("B", "A", "2")]


class TestOver:
    def test_is_owed_back_by_the_winner(self) -> None:
        table = three_left()
        table.bet("A", "7", irregular="all that was there")
        assert table.state()["level"] == "7"
        table.bet("B", "7")
        table.folds("C", "A")
        assert table.found() == [("bet.too_high", "error")]
        assert table.owed() == [("B", "A", "2")]

    def test_in_between_has_no_price(self) -> None:
        table = three_left()
        table.bet("A", "2")
        assert table.refuses("bet", "B", as_="seen", amount="2.5") == "bet.too_low"
        table.bet("B", "2.5", irregular="no change")
        assert table.state()["level"] == "2.5"
        table.folds("C", "A")
        assert table.found() == [("bet.too_low", "warning")]
        assert table.owed() == []

    def test_price_of_seeing(self) -> None:
        table = three_left()
        table.bet("A", "2")
        table.bet("B", "2")
        table.folds("C")
        table.see("A", amount="6", irregular="generous")
        table.shows("B", "As Ad Ah")
        table.shows("A", "Ks 7d 2h")
        assert table.owed() == [("B", "A", "2")]

    def test_past_the_stake_limit_has_no_price(self) -> None:
        table = three_left({"stake_limit": "4"})
        assert table.refuses("bet", "A", as_="seen", amount="4") == "bet.limit"
        table.bet("A", "4", irregular="the landlord is out")
        table.folds("B", "C")
        assert table.found() == [("bet.limit", "warning")]
        assert table.owed() == []


class TestRulings:
    def short_in_hand_one(self) -> AtTable:
        table = three_left()
        table.bet("A", "4")
        table.bet("B", "2", irregular="short")
        table.folds("C")
        return table

    def won_after_b_was_short(self) -> AtTable:
        table = self.short_in_hand_one()
        table.bet("A", "4")
        table.folds("B")
        return table

    def test_settle_what_the_hand_left_owed_whatever_they_move(self) -> None:
        table = self.won_after_b_was_short()
        assert table.owed() == [("B", "A", "2")]
        table.ruled(1, "A", decision="rejected")
        assert table.owed() == []
        assert table.found() == [("bet.too_low", "warning")]

    def test_do_not_settle_what_comes_after_them(self) -> None:
        table = self.short_in_hand_one()
        table.ruled(1, "A")
        table.bet("A", "4")
        table.bet("B", "3", irregular="short again")
        table.see("A")
        table.shows("B", "2c 4d 6h")
        table.shows("A", "As Ad Ah")
        assert table.owed() == [("B", "A", "1")]

    def test_on_the_hand_that_won_the_carried_pot_settle_it(self) -> None:
        table = carried_to_p3()
        assert table.owed() == [("P2", "P3", "1")]
        table.ruled(2, "P3")
        assert table.owed() == []

    def test_leave_a_wrong_settlement_after_them_owed(self) -> None:
        table = self.won_after_b_was_short()
        table.ruled(1, "A")
        table.does("settle", awards={"B": "13"}, irregular="the landlord said so")
        assert table.owed() == [("B", "A", "13")]
        table.ruled(1, "A")
        assert table.owed() == []


class TestWrongAwards:
    def test_are_owed_to_the_right_player(self) -> None:
        table = won_by_a()
        assert table.refuses("settle", awards={"B": "5"}) == "award.wrong"
        assert table.refuses("settle", awards={"A": "4"}) == "settle.sum"
        assert table.refuses("settle", awards={}) == "settle.sum"
        table.does("settle", awards={"B": "3", "A": "2"}, irregular="shared")
        hand = table.hand(1)
        assert (hand["result"], hand["winners"], hand["awards"]) == ("won", ["A"], {"A": "2", "B": "3"})
        assert table.owed() == [("B", "A", "3")]

    def test_put_right_leave_a_warning(self) -> None:
        table = won_by_a()
        table.does("settle", awards={"B": "5"}, irregular="mistaken")
        table.does("settle", awards={"A": "5"})
        assert table.found() == [("award.wrong", "warning")]
        assert table.audit()["verdict"] == "irregular"
        assert table.owed() == []
        table.does("settle", awards={"C": "5"}, irregular="and again")
        assert table.found() == [("award.wrong", "warning"), ("award.wrong", "error")]

    def test_put_right_by_a_settle_that_says_nothing_else(self) -> None:
        table = won_by_a()
        table.does("settle", awards={"B": "5"}, irregular="mistaken")
        table.does("settle")
        assert table.hand(1)["awards"] == {"A": "5"}
        assert table.owed() == []

    def test_of_a_carried_pot_have_no_price_and_count_as_resolved(self) -> None:
        table = AtTable("three-card", "ABC", {"pots": 1})
        table.dealt("C")
        table.blind("A", "1")
        table.folds("B", "C")
        table.does("settle", awards={"A": "4"}, irregular="took it")
        assert table.state()["pots_resolved"] == 1
        assert table.state()["closed"] is True
        assert table.found() == [("award.wrong", "warning")]
        assert table.owed() == []
        hand = table.hand(1)
        assert (hand["result"], hand["carried"], hand["winners"]) == ("carried", "0", [])

    def test_lives_are_an_error_until_put_right_or_ruled_on(self) -> None:
        table = AtTable("lives", "ABC")
        table.deal("C", up="2c")
        table.knocked("A", "B", "C")
        table.shows("A", "As Ad Ah")
        table.shows("B", "Ks Kd Kh")
        table.shows("C", "4s 6d 9h")
        table.does("settle", losers=["B"], irregular="misread")
        finding = table.audit()["findings"][0]
        assert (finding["code"], finding["severity"]) == ("award.wrong", "error")
        assert (finding["expected"], finding["actual"], finding["players"]) == (["C"], ["B"], ["B", "C"])
        table.ruled(1, "B")
        assert table.found() == [("award.wrong", "warning")]


class TestVerdict:
    def test_is_the_first_that_holds(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("A", irregular="harmless")
        assert table.audit()["verdict"] == "sound"
        table.bet("C", "2", irregular="out of turn")
        assert table.audit()["verdict"] == "irregular"
        dispute = table.does("dispute", "A", of_hand=1, claim="it was my turn")
        assert table.audit()["verdict"] == "disputed"
        table.bet("A", "1", irregular="short")
        table.folds("B")
        table.bet("C", "2")
        table.folds("A")
        assert table.audit()["verdict"] == "unsound"
        table.does("rule", dispute=dispute, decision="upheld", reason="play on")
        assert table.audit()["verdict"] == "irregular"

    def test_of_one_hand_is_its_own(self) -> None:
        table = three_left()
        table.bet("A", "4")
        table.bet("B", "2", irregular="short")
        table.folds("C")
        table.bet("A", "4")
        table.folds("B")
        table.dealt("A")
        table.bet("B", "1")
        table.folds("C", "A")
        events = stored(table.session)
        one, two = audit_hand(events, 1), audit_hand(events, 2)
        assert one is not None
        assert two is not None
        assert (one["verdict"], two["verdict"]) == ("unsound", "sound")
        assert one["owed"] == [{"from": "B", "to": "A", "amount": "2"}]
        assert two["owed"] == []
        assert audit_hand(events, 3) is None

    def test_of_each_hand_says_that_the_chain_is_broken(self) -> None:
        table = three_left()
        table.bet("A", "4")
        table.folds("B", "C")
        events = stored(table.session)
        events[-1]["recorded_at"] = "2026-11-30T23:00:00Z"
        report = audit_hand(events, 1)
        assert report is not None
        assert [finding["code"] for finding in report["findings"]] == ["chain.broken"]
        assert report["verdict"] == "unsound"

    def test_an_event_that_nobody_let_stand_is_an_error(self) -> None:
        table = three_left()
        table.bet("A", "4")
        events = [dict(event) for event in table.session.events]
        events.append({"type": "fold", "player": "C"})
        report = audit_session(events)
        assert [(finding["code"], finding["severity"]) for finding in report["findings"]] == [
            ("chain.broken", "error"),
            ("turn.not_yours", "error"),
        ]


class TestCounts:
    def test_what_moved_is_told_and_each_holds_what_was_counted(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="10", C="10")
        table.does("count", chips={"A": "12", "B": "8", "C": "10"})
        assert table.of_each("stack") == {"A": "12", "B": "8", "C": "10"}
        assert table.found() == [("count.moved", "warning")]

    def test_a_gap_names_the_hands_since_the_last_count_that_agreed(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="10", C="10")
        for dealer, first in (("C", "A"), ("A", "B")):
            table.dealt(dealer)
            others = [player for player in "ABC" if player != first]
            table.bet(first, "1")
            for player in table.session.table.from_left_of(first, others):
                table.folds(player)
            if dealer == "C":
                table.does("count", chips=table.of_each("stack"))
        assert table.refuses("count", chips={"A": "1"}) == "count.sum"
        before = table.of_each("stack")
        table.does("count", chips={"A": "1"}, irregular="some are under the table")
        assert table.of_each("stack") == before
        finding = table.audit()["findings"][0]
        assert (finding["code"], finding["severity"]) == ("count.gap", "warning")
        assert "hands since the last count that agreed: 2" in finding["message"]

    def test_a_gap_that_nobody_let_stand_is_an_error(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10")
        count = {"type": "count", "chips": {"A": "9"}}
        findings = audit_session([*table.session.events, count])["findings"]
        assert ("count.sum", "error") in [(finding["code"], finding["severity"]) for finding in findings]


class TestNeverFails:
    @pytest.mark.parametrize("seed", range(40))
    def test_on_a_log_that_was_changed_at_random(self, seed: int) -> None:
        """A field dropped, another value in it, events swapped or left out: a report, and never a failure."""
        from tests.engine.nights import VARIANTS, Night

        choose = random.Random(seed)
        night = Night(VARIANTS[seed % len(VARIANTS)], choose.randrange, honest=False)
        for _ in range(30):
            night.step()
        events = stored(night.session)
        for _ in range(6):
            changed = copy.deepcopy(events)
            spoil(changed, choose)
            report = audit_session(changed)
            assert report["verdict"] in ("unsound", "disputed", "irregular", "sound")
            audit_hand(changed, 1)


def spoil(events: list[dict[str, Any]], choose: random.Random) -> None:
    """Change a log in one of the ways in which files are broken."""
    at = choose.randrange(len(events))
    event = events[at]
    name = choose.choice(sorted(event))
    ways = choose.randrange(5)
    if ways == 0:
        del event[name]
    elif ways == 1:
        event[name] = choose.choice([None, 0, -1, 2.5, "", "A", [], {}, True, [1, 2], {"A": "1"}, 10**30])
    elif ways == 2 and len(events) > 2:
        other = choose.randrange(len(events))
        events[at], events[other] = events[other], events[at]
    elif ways == 3 and len(events) > 2:
        del events[at]
    else:
        event[choose.choice(["amount", "irregular", "replaces", "seqs", "player", "cards", "extra"])] = 1
