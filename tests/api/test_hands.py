"""GET …/hands and …/hands/{n}: contract.md §4."""

from __future__ import annotations

import pytest

from tests.api.conftest import Table, problem
from tests.factories import EventFactory, worked_example


def test_a_hand_is_as_the_contract_shows_it(crown: Table) -> None:
    crown.recorded(*worked_example())
    hand = crown.read("/hands/1")
    shown = hand.pop("shown")
    assert {name: hand[name] for name in hand if name != "board"} == {
        "hand": 1, "dealer": "D", "result": "won", "by": "see", "winners": ["B"], "losers": [], "pot": "12",
        "carried": "0", "paid": {"A": "7", "B": "3", "C": "1", "D": "1"}, "awards": {"B": "12"},
        "net": {"A": "-7", "B": "9", "C": "-1", "D": "-1"}, "first": 2, "last": 13,
    }  # fmt: skip
    assert shown["B"]["category"] == "run"
    assert shown["A"] == {"cards": ["Kc", "9c", "4c"], "best": ["Kc", "9c", "4c"], "category": "flush"}


def test_hands_are_listed_the_open_one_last(crown: Table) -> None:
    assert crown.read("/hands") == {"hands": []}
    crown.recorded(*worked_example(), EventFactory(type="deal", dealer="A"))
    hands = crown.read("/hands")["hands"]
    assert [hand["result"] for hand in hands] == ["won", "open"]
    assert hands[0] == crown.read("/hands/1")
    assert hands[1] == crown.read("/hands/2")


@pytest.mark.parametrize("number", ["1", "2", "0", "-1", "x", "1.0", "99999999999999999999", "9007199254740991"])
def test_a_hand_that_is_not_there_is_not_found(crown: Table, number: str) -> None:
    for what in (f"/hands/{number}", f"/hands/{number}/audit"):
        problem(crown.viewer.get(crown.path + what), "not_found")


def test_a_hand_that_was_struck_is_none(crown: Table) -> None:
    crown.recorded(*worked_example())
    crown.recorded(EventFactory(type="void", seqs=list(range(2, 14)), reason="Another table's."))
    problem(crown.viewer.get(f"{crown.path}/hands/1"), "not_found")


@pytest.mark.parametrize("what", ["/hands", "/hands/1", "/settlement"])
def test_it_is_not_sent_again_to_who_has_it(crown: Table, what: str) -> None:
    crown.recorded(*worked_example())
    tag = crown.viewer.get(crown.path + what).headers["ETag"]
    assert tag == '"13"'
    again = crown.viewer.get(crown.path + what, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    crown.recorded(EventFactory())
    assert crown.viewer.get(crown.path + what, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("what", ["/hands", "/hands/1", "/hands/1/audit", "/settlement", "/audit"])
def test_it_takes_no_parameters(crown: Table, what: str) -> None:
    crown.recorded(*worked_example())
    problem(crown.viewer.get(f"{crown.path}{what}?page=2"), "request.invalid")
