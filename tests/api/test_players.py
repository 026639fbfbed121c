"""PUT …/players/{player} and DELETE …/name: names beside the log (contract.md §2)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Table, problem
from tests.factories import EventFactory, worked_example


def put(table: Table, player: str, body: Any) -> Any:
    return table.keeper.ask("PUT", f"{table.path}/players/{player}", body)


def test_a_player_is_called_what_they_were_named_last(crown: Table) -> None:
    answer = put(crown, "A", {"name": "Anna"})
    assert answer.status_code == 200
    assert answer.json == {"player": "A", "name": "Anna"}
    assert crown.read()["players"]["A"]["name"] == "Anna"


def test_somebody_about_to_join_can_be_named(crown: Table) -> None:
    assert put(crown, "E", {"name": "Eve"}).status_code == 200
    assert "E" not in crown.read()["players"]
    crown.recorded(EventFactory(type="join", player="E"))
    assert crown.read()["players"]["E"]["name"] == "Eve"


def test_a_joiner_s_name_is_their_id_until_it_is_put(crown: Table) -> None:
    crown.recorded(EventFactory(type="join", player="E"))
    assert crown.read()["players"]["E"]["name"] == "E"
    put(crown, "E", {"name": "Eve"})
    assert crown.read()["players"]["E"]["name"] == "Eve"


def test_erasing_a_name_leaves_the_log_as_it_was(crown: Table) -> None:
    crown.recorded(*worked_example())
    log = crown.viewer.get(f"{crown.path}/events").text
    erased = crown.keeper.ask("DELETE", f"{crown.path}/players/A/name")
    assert (erased.status_code, erased.data) == (204, b"")
    state = crown.viewer.get(crown.path)
    assert "Ann" not in state.text
    assert state.json["players"]["A"]["name"] == "Player 1"
    assert crown.viewer.get(f"{crown.path}/events").text == log
    assert crown.read("/audit")["verdict"] == "sound"


def test_the_name_is_gone_from_earlier_states_too(crown: Table) -> None:
    crown.keeper.ask("DELETE", f"{crown.path}/players/A/name")
    assert "Ann" not in crown.viewer.get(f"{crown.path}?at=1").text


def test_a_name_is_written_in_one_way(crown: Table) -> None:
    assert put(crown, "A", {"name": "Jose\u0301"}).json["name"] == "José"


@pytest.mark.parametrize(
    "body",
    [
        {}, {"name": ""}, {"name": "x" * 81}, {"name": None}, {"name": 7}, {"name": ["Ann"]},
        {"name": "Ann", "age": 7}, {"names": "Ann"},
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_is_refused(crown: Table, body: dict[str, Any]) -> None:
    document = problem(put(crown, "A", body), "event.invalid")
    assert document["errors"]
    assert crown.read()["players"]["A"]["name"] == "Ann"


@pytest.mark.parametrize("player", ["x" * 33, "not%20an%20id", "%F0%9F%82%A1"])
def test_an_id_that_cannot_be_is_refused(crown: Table, player: str) -> None:
    problem(put(crown, player, {"name": "Ann"}), "event.invalid")
