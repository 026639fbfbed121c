"""/api/v1/people and /api/v1/leaderboard: over a club's nights."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Caller, Table, open_table, problem
from tests.factories import worked_example

PEOPLE = "/api/v1/people"
NOBODY = "00000000-0000-7000-8000-00000000dead"


def played(club: Caller, *names: str) -> Table:
    """A night of four with the worked example played: the second +9, the first −7."""
    table = open_table(club, players=[{"id": player, "name": name} for player, name in zip("ABCD", names, strict=True)])
    table.recorded(*worked_example())
    return table


def person(club: Caller, name: str) -> dict[str, Any]:
    return next(one for one in club.get(PEOPLE).json["people"] if one["name"] == name)


def line(club: Caller, name: str) -> dict[str, Any]:
    return next(
        one for one in club.get("/api/v1/leaderboard?game=three-card").json["leaderboard"] if one["name"] == name
    )


def test_a_player_is_remembered_under_their_name_over_nights(club: Caller) -> None:
    for _ in range(2):
        played(club, "Una", "Vic", "Wim", "Xan")
    assert [one["name"] for one in club.get(PEOPLE).json["people"]].count("Vic") == 1
    nights = club.get(f"{PEOPLE}/{person(club, 'Vic')['id']}/nights").json["nights"]
    assert [(night["player"], night["net"], night["in_money"]) for night in nights] == [("B", "9", False)] * 2


def test_the_leaderboard_adds_up_over_nights(club: Caller) -> None:
    for _ in range(2):
        played(club, "Abe", "Bea", "Cid", "Dot")
    assert {k: line(club, "Bea")[k] for k in ("net", "nights", "hands", "hands_won", "unit")} == {
        "net": "18", "nights": 2, "hands": 2, "hands_won": 2, "unit": "pts",
    }  # fmt: skip
    board = club.get("/api/v1/leaderboard").json["leaderboard"]
    nets = [float(entry["net"]) for entry in board if entry["game"] == "three-card"]
    assert nets == sorted(nets, reverse=True)


def test_two_names_of_one_person_are_joined_and_taken_apart_again(club: Caller) -> None:
    played(club, "Eli", "Fay", "Gil", "Hob")
    played(club, "Elias", "Fay", "Gil", "Hob")
    eli, elias = person(club, "Eli"), person(club, "Elias")
    joined = club.ask("PATCH", f"{PEOPLE}/{elias['id']}", {"same_as": eli["id"]})
    assert (joined.status_code, joined.data) == (204, b"")
    assert line(club, "Eli")["net"] == "-14"
    assert len(club.get(f"{PEOPLE}/{eli['id']}/nights").json["nights"]) == 2
    assert club.ask("PATCH", f"{PEOPLE}/{elias['id']}", {"same_as": None}).status_code == 204
    assert line(club, "Eli")["net"] == line(club, "Elias")["net"] == "-7"


def test_nobody_is_made_the_same_as_nobody_or_round_in_a_circle(club: Caller) -> None:
    played(club, "Ida", "Joy", "Kay", "Lou")
    ida, joy = person(club, "Ida")["id"], person(club, "Joy")["id"]
    for same_as in (NOBODY, ida):
        problem(club.ask("PATCH", f"{PEOPLE}/{ida}", {"same_as": same_as}), "event.invalid")
    assert club.ask("PATCH", f"{PEOPLE}/{ida}", {"same_as": joy}).status_code == 204
    problem(club.ask("PATCH", f"{PEOPLE}/{joy}", {"same_as": ida}), "event.invalid")


def test_a_change_that_is_refused_in_part_is_refused_whole(club: Caller) -> None:
    played(club, "Zoe", "Zak", "Zia", "Zed")
    zoe = person(club, "Zoe")["id"]
    problem(club.ask("PATCH", f"{PEOPLE}/{zoe}", {"name": "Zora", "same_as": NOBODY}), "event.invalid")
    assert person(club, "Zoe")["id"] == zoe


def test_a_person_can_be_renamed_and_the_nights_stay_as_they_were(club: Caller) -> None:
    table = played(club, "Mia", "Ned", "Ola", "Pip")
    mia = person(club, "Mia")["id"]
    assert club.ask("PATCH", f"{PEOPLE}/{mia}", {"name": "Maria"}).status_code == 204
    assert person(club, "Maria")["id"] == mia
    assert table.read()["players"]["A"]["name"] == "Mia"


def test_an_erased_person_is_gone_from_every_night(club: Caller) -> None:
    tables = [played(club, "Quinn", "Ray", "Sue", "Tom") for _ in range(2)]
    quinn = person(club, "Quinn")["id"]
    assert club.ask("DELETE", f"{PEOPLE}/{quinn}/name").status_code == 204
    for table in tables:
        assert "Quinn" not in table.viewer.get(table.path).text
        assert table.read("/audit")["verdict"] == "sound"
    assert "Quinn" not in club.get(PEOPLE).text
    assert "Quinn" not in club.get("/api/v1/leaderboard").text


def test_whoever_turned_out_to_be_an_erased_person_is_erased_with_them(club: Caller) -> None:
    tables = [played(club, name, "Rex", "Sid", "Tam") for name in ("Queenie", "Q. Smith", "Quentin")]
    queenie, smith, quentin = (person(club, name)["id"] for name in ("Queenie", "Q. Smith", "Quentin"))
    for other in (smith, quentin):
        assert club.ask("PATCH", f"{PEOPLE}/{other}", {"same_as": queenie}).status_code == 204
    assert club.ask("DELETE", f"{PEOPLE}/{quentin}/name").status_code == 204  # one of the names alone
    assert [table.read()["players"]["A"]["name"] for table in tables] == ["Queenie", "Q. Smith", "Player 1"]
    assert club.ask("DELETE", f"{PEOPLE}/{queenie}/name").status_code == 204
    for table in tables:
        assert table.read()["players"]["A"]["name"] == "Player 1"
        assert table.read()["players"]["B"]["name"] == "Rex"
    names = club.get(PEOPLE).text
    assert not any(name in names for name in ("Queenie", "Q. Smith", "Quentin"))


def test_who_is_not_there_cannot_be_changed(club: Caller) -> None:
    for body in ({"name": "Ann"}, {"same_as": None}, {}):
        problem(club.ask("PATCH", f"{PEOPLE}/{NOBODY}", body), "not_found")
    problem(club.ask("DELETE", f"{PEOPLE}/{NOBODY}/name"), "not_found")
    assert club.get(f"{PEOPLE}/{NOBODY}/nights").json == {"nights": []}
    problem(club.get(f"{PEOPLE}/nobody/nights"), "not_found")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("game=whist", "request.invalid"),
        ("first_night=tuesday", "request.invalid"),
        ("last_night=2026-13-01", "request.invalid"),
        ("limit=3", "request.invalid"),
    ],
)
def test_a_bad_query_is_refused(club: Caller, query: str, code: str) -> None:
    problem(club.get(f"/api/v1/leaderboard?{query}"), code)


def test_nights_the_wrong_way_round_are_refused_and_both_are_named(club: Caller) -> None:
    asked = "/api/v1/leaderboard?first_night=2026-11-02&last_night={}"
    document = problem(club.get(asked.format("2026-11-01")), "request.invalid")
    assert "last_night is 2026-11-01, before first_night, which is 2026-11-02" in document["detail"]
    assert list(document["errors"]) == ["last_night"]
    assert club.get(asked.format("2026-11-02")).status_code == 200


def test_the_leaderboard_can_be_of_some_nights(club: Caller) -> None:
    played(club, "Uma", "Val", "Wes", "Yan")
    assert club.get("/api/v1/leaderboard?last_night=2001-01-01").json == {"leaderboard": []}
    assert line(club, "Val")
    assert club.get("/api/v1/leaderboard?first_night=2001-01-01&game=lives").json == {"leaderboard": []}
