"""What is refused, with which code, and which comes first (contract.md §7)."""

from __future__ import annotations

from typing import Any

import pytest

from events.refusals import Refused
from events.session import Session, open_session
from tests.engine.tables import AtTable
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


class TestTooMany:
    def test_where_too_many_could_be_dealt_in_a_deal_that_leaves_some_out_is_offered(self) -> None:
        table = AtTable("community", "ABCDEFGH")
        table.dealt("H")
        table.does("misdeal", reason="an exposed card")
        table.does("join", "I")
        assert table.refuses("deal", dealer="H") == "deal.too_many"
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
