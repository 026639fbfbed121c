"""POST and GET /api/v1/sessions, and GET of one: contract.md §2, §4."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from flask import Flask

from service.app import close_app, create_app
from service.server_settings import ServerSettings
from tests.api.conftest import ROOT, Caller, Table, open_table, problem
from tests.factories import EventFactory, PlayerFactory, SessionFactory, worked_example


def test_opening_gives_an_address_a_version_and_two_tokens(stranger: Caller) -> None:
    answer = stranger.post(ROOT, SessionFactory())
    assert answer.status_code == 201
    opened = answer.json
    assert set(opened) == {"id", "version", "tokens", "state"}
    assert opened["version"] == 1
    assert answer.headers["ETag"] == '"1"'
    assert answer.headers["Location"].endswith(f"{ROOT}/{opened['id']}")
    assert set(opened["tokens"]) == {"record", "view"}
    there = Caller(stranger.client, opened["tokens"]["view"]).get(answer.headers["Location"])
    assert there.json == opened["state"]


def test_the_state_is_whole_and_the_rules_complete(crown: Table) -> None:
    state = crown.read()
    assert set(state) == {
        "id", "game", "title", "version", "closed", "unit", "rules", "seats", "hand", "phase", "dealer", "to_act",
        "round", "pot", "carried", "level", "pots_resolved", "up", "board", "knocker", "players", "legal", "winners",
    }  # fmt: skip
    assert state["id"] == crown.id
    assert state["seats"] == ["A", "B", "C", "D"]
    assert state["rules"]["pots"] == 8
    assert state["rules"]["max_open"] == "5"
    assert state["players"]["A"]["name"] == "Ann"
    assert [entry["type"] for entry in state["legal"]] == ["deal"] * 4


def test_a_bare_string_is_both_id_and_name(club: Caller) -> None:
    table = open_table(club, players=["A", {"id": "B", "name": "Bob"}, {"id": "C"}])
    assert {player: view["name"] for player, view in table.read()["players"].items()} == {
        "A": "A",
        "B": "Bob",
        "C": "C",
    }


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (SessionFactory(game="whist"), "game"),
        (SessionFactory(seats=1), "players"),
        (SessionFactory(players=["A", "A"]), "players"),
        (SessionFactory(players=["A", "not an id"]), "players"),
        (SessionFactory(players=["A", 7]), "players"),
        (SessionFactory(players=None), "players"),
        (SessionFactory(players=["A", {"id": "B", "name": "x" * 81}]), "players"),
        (SessionFactory(players=["A", {"id": "B", "seat": 2}]), "players"),
        (SessionFactory(rules={"jokers": True}), "jokers"),
        (SessionFactory(rules={"pots": "8"}), "pots"),
        (SessionFactory(rules={"max_open": 2.5}), "max_open"),
        (SessionFactory(rules=[]), "rules"),
        (SessionFactory(unit={"chip": "x"}), "unit"),
        (SessionFactory(unit={"colour": "red"}), "colour"),
        (SessionFactory(title=7), "title"),
        (SessionFactory(title="x" * 5000), "title"),
        (SessionFactory(stakes="high"), "stakes"),
        (SessionFactory(community=True, rules={"side_pots": True}), "side_pots"),
        ({}, "game"),
    ],
)  # fmt: skip
def test_what_cannot_be_opened_names_the_field(stranger: Caller, body: dict[str, Any], field: str) -> None:
    document = problem(stranger.post(ROOT, body), "event.invalid")
    assert any(field in name for name in document["errors"]), document


@pytest.mark.parametrize("body", [[], [SessionFactory()], "three-card", 3, None, True])
def test_a_body_that_is_no_object_is_refused(stranger: Caller, body: Any) -> None:
    headers = {"Content-Type": "application/json"}
    answer = stranger.ask("POST", ROOT, data=json.dumps(body), headers=headers)
    assert answer.status_code in {400, 422}
    problem(answer, answer.json["code"])


def test_names_of_any_script_are_kept_and_equal_ones_are_written_alike(club: Caller) -> None:
    names = ["José", "Jose\u0301", "李雷", "Ζωή", "فاطمة", "👩‍🌾"]
    table = open_table(club, players=[PlayerFactory(number=n, name=name) for n, name in enumerate(names)])
    shown = [player["name"] for player in table.read()["players"].values()]
    assert shown == ["José", "José", "李雷", "Ζωή", "فاطمة", "👩‍🌾"]


def test_names_are_in_no_event(crown: Table) -> None:
    crown.recorded(*worked_example())
    log = crown.viewer.get(f"{crown.path}/events").text
    for name in ("Ann", "Bob", "Cat", "Dan"):
        assert name not in log


# --- state ----------------------------------------------------------------------------------------------------------


def test_the_state_at_a_version_is_as_it_was_then(crown: Table) -> None:
    states = [crown.read(), *(crown.recorded(event)["state"] for event in worked_example())]
    for version, state in enumerate(states, 1):
        assert crown.read(f"?at={version}") == state
    problem(crown.viewer.get(f"{crown.path}?at={len(states) + 1}"), "not_found")


def test_what_was_struck_is_still_there_at_its_time(crown: Table) -> None:
    crown.recorded(EventFactory(type="deal", dealer="D"), EventFactory(type="ante", player="A"))
    crown.recorded(EventFactory(type="void", seqs=[3], reason="It was Bob."))
    assert crown.read()["players"]["A"]["paid"] == "0"
    assert crown.read("?at=3")["players"]["A"]["paid"] == "1"


@pytest.mark.parametrize(
    "query", ["at=0", "at=-1", "at=x", "at=1.5", "at=", "at=1&at=2", "at=99999999999999999999", "to=1", "at=1_0"]
)
def test_a_bad_query_is_refused(crown: Table, query: str) -> None:
    document = problem(crown.viewer.get(f"{crown.path}?{query}"), "request.invalid")
    assert query.split("=")[0] in document["errors"]


def test_the_tag_is_the_version_and_tells_whether_it_is_still_that(crown: Table) -> None:
    first = crown.viewer.get(crown.path)
    assert first.headers["ETag"] == '"1"'
    unchanged = crown.viewer.get(crown.path, headers={"If-None-Match": first.headers["ETag"]})
    assert unchanged.status_code == 304
    assert unchanged.data == b""
    assert unchanged.headers["ETag"] == '"1"'
    crown.recorded(EventFactory())
    changed = crown.viewer.get(crown.path, headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200
    assert changed.headers["ETag"] == '"2"'


def test_another_name_is_another_state_of_the_same_version(crown: Table) -> None:
    tag = crown.viewer.get(crown.path).headers["ETag"]
    crown.keeper.ask("PUT", f"{crown.path}/players/A", {"name": "Anna"})
    renamed = crown.viewer.get(crown.path, headers={"If-None-Match": tag})
    assert renamed.status_code == 200
    assert renamed.json["version"] == 1
    assert renamed.headers["ETag"] != tag
    taken = crown.record(EventFactory(), headers={"If-Match": renamed.headers["ETag"]})
    assert taken.status_code == 201


@pytest.mark.parametrize("given", ['W/"1"', '"0", "1"', "*"])
def test_every_form_of_if_none_match_is_understood(crown: Table, given: str) -> None:
    assert crown.viewer.get(crown.path, headers={"If-None-Match": given}).status_code == 304


def test_the_answer_to_a_head_request_has_no_body(crown: Table) -> None:
    answer = crown.viewer.ask("HEAD", crown.path)
    assert answer.status_code == 200
    assert answer.data == b""
    assert answer.headers["ETag"] == '"1"'


# --- listing --------------------------------------------------------------------------------------------------------


def test_a_club_sees_its_sessions_the_newest_first_a_page_at_a_time(club: Caller) -> None:
    tables = [open_table(club, title=f"Night {number}") for number in range(5)]
    seen: list[dict[str, Any]] = []
    after = ""
    while True:
        page = club.get(f"{ROOT}?limit=2{after}").json
        seen += page["sessions"]
        assert len(page["sessions"]) <= 2
        if page["next"] is None or len(seen) >= 5:
            break
        after = f"&after={page['next']}"
    assert [session["id"] for session in seen[:5]] == [table.id for table in reversed(tables)]
    assert seen[0]["title"] == "Night 4"
    assert seen[0]["game"] == "three-card"


def test_a_session_s_token_sees_that_session_alone(crown: Table, anchor: Table) -> None:
    for caller in (anchor.viewer, anchor.keeper, anchor.seat("A")):
        listed = caller.get(ROOT).json
        assert [session["id"] for session in listed["sessions"]] == [anchor.id]
        assert listed["next"] is None


def test_the_list_can_be_of_one_game(club: Caller, crown: Table, anchor: Table) -> None:
    listed = club.get(f"{ROOT}?game=lives").json["sessions"]
    assert {session["game"] for session in listed} == {"lives"}
    assert anchor.id in {session["id"] for session in listed}


def test_a_club_sees_nothing_of_another(other_club: Caller, crown: Table) -> None:
    assert crown.id not in {session["id"] for session in other_club.get(ROOT).json["sessions"]}


# --- who may open ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost", "[::1]:8000", "127.0.0.1", "LOCALHOST:8000", "localhost."]
)
def test_on_this_machine_opening_needs_no_token(stranger: Caller, host: str) -> None:
    assert stranger.post(ROOT, SessionFactory(), headers={"Host": host}).status_code == 201


@pytest.mark.parametrize("host", ["bragbook.example", "192.0.2.7:8000", "127.0.0.1.example", "localhost.example"])
def test_under_another_name_it_does(stranger: Caller, host: str) -> None:
    """A name that was pointed at this machine, or a proxy in front of it: others may be behind either."""
    problem(stranger.post(ROOT, SessionFactory(), headers={"Host": host}), "auth.missing")


def test_a_token_that_is_given_is_looked_at(stranger: Caller, crown: Table) -> None:
    problem(Caller(stranger.client, "nobody-knows-this-token").post(ROOT, SessionFactory()), "auth.missing")
    problem(crown.keeper.post(ROOT, SessionFactory()), "auth.wrong")


@pytest.fixture(scope="module")
def open_to_all(database: str) -> Iterator[Flask]:
    """The application where others can reach it."""
    app = create_app(ServerSettings(database_url=database, pool_size=2, host="0.0.0.0", log_level="error"))
    yield app
    close_app(app)


def test_where_others_can_reach_the_service_opening_needs_the_club_s_token(open_to_all: Flask, club: Caller) -> None:
    anyone = Caller(open_to_all.test_client())
    problem(anyone.post(ROOT, SessionFactory(), headers={"Host": "127.0.0.1"}), "auth.missing")
    member = Caller(open_to_all.test_client(), club.token)
    assert member.post(ROOT, SessionFactory()).status_code == 201


@pytest.mark.parametrize(
    ("headers", "let_through"),
    [
        ({}, True),
        ({"Origin": "http://localhost"}, True),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}, True),
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
    ],
)
def test_a_page_from_elsewhere_may_not_write(stranger: Caller, headers: dict[str, str], let_through: bool) -> None:
    answer = stranger.post(ROOT, SessionFactory(), headers=headers)
    assert answer.status_code == (201 if let_through else 403)


def test_tokens_are_long_random_and_kept_as_hashes_only(crown: Table, anchor: Table, database: str) -> None:
    tokens = [crown.keeper.token, crown.viewer.token, anchor.keeper.token, anchor.viewer.token]
    assert len(set(tokens)) == 4
    secrets = [re.sub(r"^bb_[a-z]+_", "", token or "")[-24:] for token in tokens]
    with psycopg.connect(database) as connection:
        dumped = str(connection.execute("select * from tokens").fetchall())
    for secret in secrets:
        assert secret not in dumped
