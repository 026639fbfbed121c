"""What is refused, with which code, and which comes first (contract.md §7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.house_rules import HOUSE_RULES, HouseRule
from events.refusals import Refused
from events.session import Session, open_session
from events.vocabulary import COMMON, TYPES
from tests.engine.tables import AtTable, refused_to
from tests.factories import SessionFactory


def opened(**body: Any) -> Session:
    return Session(open_session(SessionFactory(**body))[0])


def refused_to_open(**body: Any) -> tuple[str, list[str]]:
    """The code, and the fields at fault."""
    with pytest.raises(Refused) as raised:
        opened(**body)
    refusal = raised.value.refusal
    return refusal.code, sorted(refusal.errors or {})


class TestOpening:
    @pytest.mark.parametrize(
        ("game", "rules", "at_fault"),
        [
            ("three-card", {"bank": "chips"}, "bank"),
            ("three-card", {"max_players": 8}, "max_players"),
            ("lives", {"ante": "1"}, "ante"),
            ("lives", {"lives": 0}, "lives"),
            ("lives", {"lives": True}, "lives"),
            ("lives", {"lives": "3"}, "lives"),
            ("lives", {"stake": "-1"}, "stake"),
            ("lives", {"stake": "0.5"}, "stake"),
            ("community", {"pots": 8}, "pots"),
            ("community", {"top_prial": "deuces"}, "top_prial"),
            ("community", {"community_cards": 5}, "community_cards"),
            ("community", {"private_cards": 2}, "private_cards"),
            ("community", {"max_players": 17}, "max_players"),
            ("community", {"max_players": 13, "private_cards": 4}, "max_players"),
            ("community", {"side_pots": True}, "side_pots"),
            ("community", {"ante": "0"}, "ante"),
            ("community", {"ante": 0.5}, "ante"),
            ("community", {"step": "0.3"}, "step"),
            ("community", {"see_blind": "true"}, "see_blind"),
            ("community", {"stake_limit": "0.5"}, "stake_limit"),
            ("community", {"wild": None}, "wild"),
            ("three-card", {"see_price": "triple"}, "see_price"),
            ("three-card", {"pots": -1}, "pots"),
            ("three-card", {"min_open": "6"}, "max_open"),
            ("three-card", {"Pots": 8}, "Pots"),
        ],
    )
    def test_a_rule_that_the_game_cannot_have_is_named(self, game: str, rules: dict[str, Any], at_fault: str) -> None:
        assert refused_to_open(game=game, rules=rules) == ("event.invalid", [at_fault])

    @pytest.mark.parametrize(
        ("game", "rule", "least", "most"),
        [
            ("lives", "lives", 1, 99),
            ("community", "max_raise_times", 2, 1000),
            ("community", "max_players", 3, 16),
            ("community", "community_cards", 3, 4),
            ("community", "private_cards", 3, 4),
            ("three-card", "pots", 0, 9999),
        ],
    )
    def test_a_number_is_from_its_least_to_its_most(self, game: str, rule: str, least: int, most: int) -> None:
        for number in (least, most):
            assert opened(game=game, seats=3, rules={rule: number}).table.rules[rule] == number
        for number in (least - 1, most + 1):
            assert refused_to_open(game=game, seats=3, rules={rule: number}) == ("event.invalid", [rule])

    @pytest.mark.parametrize(("game", "few", "many"), [("lives", 3, 10), ("community", 3, 8), ("three-card", 2, 16)])
    def test_as_many_as_the_game_opens_with(self, game: str, few: int, many: int) -> None:
        assert len(opened(game=game, seats=few).seats) == few
        assert len(opened(game=game, seats=many).seats) == many
        assert refused_to_open(game=game, seats=few - 1)[0] == "event.invalid"
        assert refused_to_open(game=game, players=[f"p{n}" for n in range(many + 1)]) == ("event.invalid", ["players"])

    def test_sixteen_may_be_agreed_on_and_twelve_with_four_private_cards(self) -> None:
        assert len(opened(game="community", seats=16, rules={"max_players": 16}).seats) == 16
        rules = {"max_players": 12, "private_cards": 4, "community_cards": 4}
        assert len(opened(game="community", seats=12, rules=rules).seats) == 12

    @pytest.mark.parametrize(
        ("unit", "code"),
        [
            ({"chip": "0"}, "amount.not_positive"),
            ({"chip": "-1"}, "amount.not_positive"),
            ({"coin": "0"}, "amount.not_positive"),
            ({"chip": 0.5}, "amount.not_exact"),
            ({"chip": "half"}, "event.invalid"),
            ({"size": "1"}, "event.invalid"),
        ],
    )
    def test_a_unit_that_cannot_be(self, unit: dict[str, Any], code: str) -> None:
        assert refused_to_open(unit=unit)[0] == code

    def test_all_that_is_wrong_with_a_unit_is_named_at_once(self) -> None:
        unit = {"name": "", "chip": "half", "coin": None, "currency": "Euro"}
        at_fault = ["unit.chip", "unit.coin", "unit.currency", "unit.name"]
        assert refused_to_open(unit=unit) == ("event.invalid", at_fault)

    def test_an_id_twice_and_an_id_that_is_none(self) -> None:
        assert refused_to_open(players=["A", "B", "A"])[0] == "event.invalid"
        assert refused_to_open(players=["A", "B C"])[0] == "event.invalid"
        assert refused_to_open(players=["A", "x" * 33])[0] == "event.invalid"
        assert opened(players=["A", "x" * 32]).seats == ["A", "x" * 32]

    def test_names_are_any_text(self) -> None:
        """Nicknames begin with a tab where somebody likes it so; only what cannot be stored is refused."""
        players = [{"id": "A", "name": "\tMax"}, {"id": "B", "name": "=1+1"}, {"id": "C", "name": "♠" * 80}]
        assert open_session(SessionFactory(players=players))[1] == {"A": "\tMax", "B": "=1+1", "C": "♠" * 80}
        for name in ("", "x" * 81, "a\0b", "\ud800"):
            assert refused_to_open(players=[{"id": "A", "name": name}, "B"])[0] == "event.invalid"


class TestAllIn:
    def test_that_is_an_ordinary_bet_is_invalid_before_anything_else(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips", "side_pots": True})
        table.buys(A="10", B="3", C="10")
        table.dealt("C")
        assert table.refuses("bet", "B", as_="seen", amount="2", all_in=True) == "event.invalid"
        assert table.refuses("bet", "B", as_="seen", amount="1", all_in=True) == "event.invalid"
        assert table.refuses("bet", "B", as_="seen", amount="2") == "turn.not_yours"

    def test_by_who_has_folded_would_not_do_as_an_ordinary_bet_either(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips", "side_pots": True})
        table.buys(A="2", B="10", C="10")
        table.dealt("C")
        table.folds("A")
        assert table.refuses("bet", "A", as_="seen", amount="1", all_in=True) == "player.not_in_hand"


class TestTooMany:
    def test_where_too_many_could_be_dealt_in_a_deal_that_leaves_some_out_is_offered(self) -> None:
        table = AtTable("community", "ABCDEFGH")
        table.dealt("H")
        table.does("misdeal", reason="an exposed card")
        table.does("join", "I")
        refusal = table.refusal("deal", dealer="H")
        assert (refusal.code, refusal.expected, refusal.actual) == ("deal.too_many", 8, 9)
        assert table.legal() == [{"type": "deal", "dealer": "H", "players": ["H", "I", "A", "B", "C", "D", "E", "F"]}]
        table.does(**{"kind": "deal", **{key: value for key, value in table.legal()[0].items() if key != "type"}})
        assert table.of_each("status")["G"] == "out"

    def test_in_lives_nobody_can_be_left_out(self) -> None:
        table = AtTable("lives", "ABCDEFGHIJ")
        table.does("join", "K")
        assert table.legal() == []
        assert table.refuses("deal", dealer="A", up="As") == "deal.too_many"
        table.does("leave", "B")
        assert {"type": "deal", "dealer": "A"} in table.legal()


class TestShapes:
    @pytest.mark.parametrize(
        ("event", "code"),
        [
            ({}, "event.invalid"),
            ([], "event.invalid"),
            ({"type": 7}, "event.invalid"),
            ({"type": "open"}, "event.invalid"),
            ({"type": "bluff", "player": 7}, "event.unknown_type"),
            ({"type": "flip", "colour": "red"}, "event.not_this_game"),
            ({"type": "swap"}, "event.not_this_game"),
            ({"type": "buy", "player": "A", "chips": "5"}, "event.not_this_game"),
            ({"type": "discard", "player": "A"}, "event.not_this_game"),
            ({"type": "fold"}, "event.invalid"),
            ({"type": "fold", "player": 7}, "event.invalid"),
            ({"type": "fold", "player": "A B"}, "event.invalid"),
            ({"type": "fold", "player": "A", "amount": "1"}, "event.invalid"),
            ({"type": "fold", "player": "A", "irregular": " "}, "event.invalid"),
            ({"type": "fold", "player": "A", "at": "yesterday"}, "event.invalid"),
            ({"type": "fold", "player": "A", "id": "17"}, "event.invalid"),
            ({"type": "fold", "player": "A", "seq": 3}, "event.invalid"),
            ({"type": "bet", "player": "A", "as": "loud", "amount": "1"}, "event.invalid"),
            ({"type": "bet", "player": "A", "as": "seen", "amount": "one"}, "event.invalid"),
            ({"type": "bet", "player": "A", "as": "seen", "amount": "1", "all_in": True}, "event.invalid"),
            ({"type": "bet", "player": "A", "as": "seen", "amount": 2.0}, "amount.not_exact"),
            ({"type": "bet", "player": "A", "as": "seen", "amount": "0"}, "amount.not_positive"),
            ({"type": "bet", "player": "A", "as": "seen", "amount": "-0.3"}, "amount.not_positive"),
            ({"type": "bet", "player": "A", "as": "seen", "amount": "0.3"}, "amount.not_chip"),
            ({"type": "bet", "player": "A", "as": "loud", "amount": 2.0}, "event.invalid"),
            ({"type": "reveal", "player": "A", "cards": "As Ad Ah"}, "event.invalid"),
            ({"type": "reveal", "player": "A", "cards": ["1s", "Ad", "Ah"]}, "event.invalid"),
            ({"type": "deal", "dealer": "A", "up": "As"}, "event.invalid"),
            ({"type": "deal", "dealer": "A", "players": ["A", "A"]}, "event.invalid"),
            ({"type": "deal", "dealer": "A", "players": "AB"}, "event.invalid"),
            ({"type": "deal", "dealer": "A", "players": ["A", "B C"]}, "event.invalid"),
            ({"type": "deal", "dealer": "A", "shuffled": "yes"}, "event.invalid"),
            ({"type": "misdeal", "reason": ""}, "event.invalid"),
            ({"type": "close", "carry": "keep"}, "event.invalid"),
            ({"type": "settle", "losers": ["A"]}, "event.invalid"),
            ({"type": "settle", "awards": {"A": "-1"}}, "amount.not_positive"),
            ({"type": "settle", "awards": ["A"]}, "event.invalid"),
            ({"type": "pay", "from": "A", "to": "A", "amount": "1"}, "event.invalid"),
            ({"type": "pay", "from": "A", "to": "B", "amount": "0.3"}, "amount.not_chip"),
            ({"type": "rule", "dispute": 2, "decision": "maybe", "reason": "x"}, "event.invalid"),
            ({"type": "dispute", "of_hand": 1, "player": "A", "claim": "x"}, "event.invalid"),
            ({"type": "dispute", "of_hand": 0, "player": "A", "claim": "x"}, "event.invalid"),
        ],
    )
    def test_of_an_event_at_a_fresh_table(self, event: Any, code: str) -> None:
        session = opened(seats=3)
        with pytest.raises(Refused) as raised:
            session.record(event)
        assert raised.value.refusal.code == code
        assert session.version == 1

    def test_each_field_at_fault_is_named(self) -> None:
        event = {"type": "fold", "player": "A B", "amount": "1", "cards": ["As"]}
        refusal = refused_to(lambda: opened(seats=3).record(event))
        assert refusal is not None
        assert sorted(refusal.errors or {}) == ["amount", "cards", "player"]

    @pytest.mark.parametrize(
        ("event", "field"),
        [
            ({"type": "bet", "player": "A", "as": "seen", "amount": "9007199255"}, "amount"),
            ({"type": "pay", "from": "A", "to": "B", "amount": "9007199255"}, "amount"),
            ({"type": "settle", "awards": {"A": "9007199255"}}, "awards"),
        ],
    )
    def test_an_amount_of_more_chips_than_can_be_kept_is_named(self, event: Any, field: str) -> None:
        session = opened(seats=3, unit={"chip": "0.000001"})
        refusal = refused_to(lambda: session.record(event))
        assert refusal is not None
        assert (refusal.code, list(refusal.errors or {})) == ("event.invalid", [field])

    def test_an_id_is_a_uuid_in_every_place(self) -> None:
        session, good = opened(seats=3), "0190A3C4-7C11-4D5A-9C1D-5B8F0C6F8A01"
        assert session.record({"type": "note", "text": "x", "id": good})["id"] == good.lower()
        for place in range(len(good)):
            wrong = good[:place] + ("0" if good[place] == "-" else "g") + good[place + 1 :]
            refusal = refused_to(lambda wrong=wrong: session.record({"type": "note", "text": "x", "id": wrong}))
            assert refusal is not None, wrong
            assert sorted(refusal.errors or {}) == ["id"]

    def test_cards_and_amounts_are_stored_in_one_form(self) -> None:
        table = AtTable("community", "ABC")
        table.dealt("C")
        assert table.session.record({"type": "bet", "player": "A", "as": "seen", "amount": 2})["amount"] == "2"
        assert table.session.record({"type": "bet", "player": "B", "as": "seen", "amount": "2.00"})["amount"] == "2"
        table.folds("C")
        assert table.session.record({"type": "flip", "card": "10♠"})["card"] == "Ts"


class TestOrder:
    """Where several apply, the first in the order of contract.md §7 is given."""

    def closed(self) -> AtTable:
        table = AtTable("three-card", "ABC")
        table.does("close")
        return table

    def test_closed_before_who(self) -> None:
        table = self.closed()
        assert table.refuses("fold", "X") == "session.closed"
        assert table.refuses("deal", dealer="X") == "session.closed"
        assert table.refuses("join", "A") == "session.closed"
        assert table.refuses("fold", "X", amount="1") == "event.invalid"
        assert table.refuses("bet", "X", as_="seen", amount="0.3") == "amount.not_chip"

    def test_after_the_close_only_what_the_contract_names(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        table.bet("A", "1")
        table.folds("B", "C")
        table.does("close")
        for kind, fields in (
            ("settle", {}),
            ("dispute", {"of_hand": 1, "player": "A", "claim": "x"}),
            ("sign", {"player": "A"}),
            ("pay", {"from": "B", "to": "A", "amount": "1"}),
            ("note", {"text": "x"}),
        ):
            table.does(kind, **fields)
        table.does("rule", dispute=table.session.version - 3, decision="rejected", reason="no")
        for kind, fields in (
            ("join", {"player": "D"}),
            ("leave", {"player": "A"}),
            ("deal", {"dealer": "A"}),
            ("misdeal", {"reason": "x"}),
            ("retain", {"player": "A"}),
            ("close", {}),
        ):
            assert table.refuses(kind, **fields) == "session.closed"

    def test_who_before_when(self) -> None:
        table = AtTable("three-card", "ABC")
        table.does("leave", "B")
        assert table.refuses("fold", "X") == "player.unknown"
        assert table.refuses("fold", "B") == "player.left"
        assert table.refuses("fold", "A") == "event.not_now"
        assert table.refuses("deal", dealer="A", players=["A", "B", "X"]) == "player.unknown"
        assert table.refuses("deal", dealer="A", players=["A", "B"]) == "player.left"
        assert table.refuses("leave", "B") == "player.left"
        assert table.refuses("sign", "X") == "player.unknown"
        table.does("sign", "B")

    def test_when_before_whose_turn(self) -> None:
        table = AtTable("three-card", "ABC")
        table.deal("C")
        refusal = table.refusal("fold", "B")
        assert (refusal.code, refusal.expected) == ("event.not_now", ["ante"])
        table.antes()
        assert table.refuses("ante", "B") == "event.not_now"
        assert table.refuses("deal", dealer="C") == "event.not_now"
        assert table.refuses("reveal", "B", cards=["As", "Ad", "Ah"]) == "event.not_now"
        assert table.refuses("join", "D") == "event.not_now"
        assert table.refuses("leave", "A") == "event.not_now"
        assert table.refuses("pay", from_="A", to="B", amount="1") == "event.not_now"
        assert table.refuses("fold", "B") == "turn.not_yours"
        table.folds("A")
        assert table.refuses("fold", "A") == "player.not_in_hand"
        assert table.refuses("look", "A") == "player.not_in_hand"
        table.look("B")
        assert table.refuses("look", "B") == "event.not_now"
        assert table.refuses("bet", "C", as_="blind", amount="9") == "turn.not_yours"

    def test_where_nothing_is_awaited_nothing_is_said_to_be(self) -> None:
        table = AtTable("three-card", "AB")
        table.does("leave", "A")
        refusal = table.refusal("fold", "B")
        assert (refusal.expected, refusal.detail) == ([], "fold does not fit here")

    def test_what_cannot_be_let_stand_stays_refused(self) -> None:
        table = AtTable("three-card", "ABCD")
        table.dealt("D")
        table.folds("A")
        for kind, fields, code in (
            ("fold", {"player": "A"}, "player.not_in_hand"),
            ("bet", {"player": "A", "as_": "seen", "amount": "1"}, "player.not_in_hand"),
            ("see", {"player": "B"}, "see.not_two"),
            ("see", {"player": "C"}, "see.not_two"),
            ("bet", {"player": "B", "as_": "seen", "amount": "0.3"}, "amount.not_chip"),
            ("ante", {"player": "B"}, "event.not_now"),
        ):
            assert table.refuses(kind, irregular="let stand", **fields) == code

    def test_of_a_bet(self) -> None:
        rules = {"bank": "chips", "stake_limit": "4", "blind_until_last": True}
        table = AtTable("community", "ABC", rules)
        table.buys(A="20", B="10", C="10")
        table.dealt("C")
        assert table.refuses("bet", "B", as_="seen", amount="99") == "turn.not_yours"
        assert table.refuses("bet", "A", as_="seen", amount="99") == "look.not_allowed"
        assert table.refuses("bet", "A", as_="blind", amount="99") == "bet.stack"
        assert table.refuses("bet", "A", as_="blind", amount="10") == "bet.limit"
        table.blind("A", "1")
        refusal = table.refusal("bet", "B", as_="blind", amount="0.5")
        assert refusal.code == "bet.too_low"
        assert refusal.expected == {"call": "1", "min": "1.5", "max": None, "step": "0.5"}
        assert refusal.detail == "1 keeps the level; 1.5 or more raises it, in steps of 0.5"
        table.look("B", irregular="peeked")
        assert table.refuses("bet", "B", as_="blind", amount="0.5") == "bet.not_blind"

    def test_of_a_see_by_one_of_three(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.buys(A="10", B="2.5", C="10")
        table.dealt("C")
        table.bet("A", "2")
        assert table.refuses("see", "B") == "bet.stack"
        assert table.refuses("see", "B", amount="1") == "see.not_two"
        assert table.refuses("see", "C") == "turn.not_yours"

    def test_of_a_deal(self) -> None:
        table = AtTable("community", "ABCD", {"bank": "chips"})
        table.buys(A="10", B="10")
        refusal = table.refusal("deal", dealer="A", players=["A"])
        assert (refusal.code, refusal.expected, refusal.actual) == ("deal.too_few", 2, 1)
        assert table.refuses("deal", dealer="C") == "deal.wrong_dealer"
        assert table.refuses("deal", dealer="A", players=["A", "B", "C"], shuffled=False) == "deal.shuffle"
        assert table.refuses("deal", dealer="A", players=["A", "B", "C"]) == "bet.stack"
        assert table.refuses("deal", dealer="A", players=["A", "B", "C"], irregular="on tick") == "bet.stack"
        table.deal("A")
        assert table.of_each("status") == {"A": "blind", "B": "blind", "C": "out", "D": "out"}

    def test_of_a_reveal(self) -> None:
        table = AtTable("three-card", "ABC")
        table.dealt("C")
        table.bet("A", "1")
        table.bet("B", "1")
        table.folds("C")
        table.see("A")
        assert table.refuses("reveal", "C", cards=["As"]) == "player.not_in_hand"
        refusal = table.refusal("reveal", "A", cards=["As", "As"])
        assert (refusal.code, refusal.expected, refusal.actual) == ("reveal.count", 3, 2)
        assert table.refuses("reveal", "A", cards=["As", "As", "Ad"]) == "reveal.out_of_order"
        assert table.refuses("reveal", "B", cards=["As", "As", "Ad"]) == "cards.twice"
        table.shows("A", "As Ac Ad", irregular="could not wait")
        assert table.refuses("reveal", "A", cards=["As", "Ac", "Ad"]) == "event.not_now"
        assert table.refuses("reveal", "B", cards=["As", "Kc", "Kd"]) == "cards.twice"
        assert table.refuses("reveal", "B", cards=["As", "Kc", "Kd"], irregular="x") == "cards.twice"

    def test_of_a_count_and_a_cash(self) -> None:
        table = AtTable("community", "ABC", {"bank": "chips"})
        table.does("buy", "A", chips="20", price="10")
        table.does("buy", "B", chips="10", price="5")
        assert table.refuses("buy", "A", chips="1", price="0") == "amount.not_positive"
        assert table.refuses("buy", "A", chips="1", price="0.005") == "amount.not_chip"
        assert table.refuses("cash", "B", chips="11") == "bet.stack"
        assert table.refuses("cash", "A", chips="20", price="15.01") == "cash.kitty"
        assert table.refuses("cash", "A", chips="20", price="20", irregular="x") == "cash.kitty"
        assert table.refuses("count", chips={"A": "20"}) == "count.sum"
        assert table.refuses("count", chips={"A": "20", "X": "10"}) == "player.unknown"
        table.does("cash", "A", chips="20", price="10")
        assert table.refuses("cash", "B", chips="10", price="4") == "cash.kitty"
        table.does("cash", "B", chips="10")
        assert table.settlement()["balances"] == {"A": "0", "B": "0", "C": "0"}


odd_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)
TEXTS = ["A", "B", "X", "1", "2.5", "-1", "0", "As", "10d", "K♠", "seen", "blind", "old", "up", "all", "split", "1e3"]
LISTS = [["A", "B"], ["As", "Ad", "Ah"], [2], {"A": "1", "B": "-1"}, {"A": "3"}]
likely_values = st.sampled_from([*TEXTS, *LISTS, 1, 2, 3, True, "2026-11-30T21:05:00+01:00"])
TABLES = [
    AtTable("lives", "ABC", {"stake": "1"}),
    AtTable("three-card", "ABC"),
    AtTable("community", "ABC", {"bank": "chips", "side_pots": True, "private_cards": 4}),
]


class TestAnythingAtAll:
    """Whatever is sent is recorded or refused, and never fails."""

    @settings(max_examples=80, deadline=None)
    @given(data=st.data())
    def test_as_an_event(self, data: st.DataObject) -> None:
        session = data.draw(st.sampled_from(TABLES)).session.fork()
        for _ in range(4):
            kind = data.draw(st.sampled_from(TYPES))
            event: dict[str, Any] = {"type": kind.name}
            for field in (*kind.fields, *COMMON):
                if data.draw(st.integers(0, 9)) < (9 if field.required else 2):
                    event[field.name] = data.draw(likely_values | odd_values)
            refusal = refused_to(lambda event=event: session.record(event))
            if refusal is None:
                stored = session.events[session.version - 1]
                assert json.loads(json.dumps(stored)) == stored
                session.state({})
                session.settlement()

    @settings(max_examples=80, deadline=None)
    @given(st.dictionaries(st.sampled_from(["game", "players", "rules", "unit", "title"]), likely_values | odd_values))
    def test_as_a_session(self, body: dict[str, Any]) -> None:
        refused_to(lambda: open_session({"game": "lives", "players": ["A", "B", "C"], **body}))

    @pytest.mark.parametrize(
        ("rules", "at_fault", "names"),
        [
            ({"step": "6"}, "max_raise", "step"),
            ({"step": "6"}, "max_open", "step"),
            ({"min_open": "6"}, "max_open", "min_open"),
        ],
    )
    def test_rules_that_do_not_go_together_name_each_other(
        self, rules: dict[str, Any], at_fault: str, names: str
    ) -> None:
        refusal = refused_to(lambda: opened(game="three-card", rules=rules))
        assert refusal is not None
        assert names in (refusal.errors or {})[at_fault][0]

    @settings(max_examples=80, deadline=None)
    @given(st.sampled_from(HOUSE_RULES), likely_values | odd_values)
    def test_as_a_house_rule(self, rule: HouseRule, value: Any) -> None:
        for game in rule.defaults:
            refusal = refused_to(lambda game=game: opened(game=game, rules={rule.name: value}).state({}))
            if refusal is not None:
                assert refusal.code == "event.invalid"
                errors = refusal.errors or {}
                # Where rules do not go together, one is at fault and its words name the others.
                assert "players" in errors or rule.name in str(errors)
