"""Limits on everything a client asks for, and said in the answer."""

from __future__ import annotations

import pytest

from service.server_settings import ServerSettings
from tests.api.conftest import ROOT, Caller, Table, open_table, problem
from tests.factories import EventFactory, SessionFactory

MORE = 2
"""Somewhat more than a minute's worth is asked for: meanwhile, more comes due."""


@pytest.fixture(scope="module")
def settings(database: str) -> ServerSettings:
    return ServerSettings(
        database_url=database,
        pool_size=2,
        log_level="error",
        threads=4,
        body_limit_bytes=2000,
        batch_limit_events=3,
        requests_per_minute_by_token=30,
        requests_per_minute_by_address=300,
        sessions_per_minute_by_address=12,
        tokens_per_session=5,
    )


def through(address: str) -> dict[str, dict[str, str]]:
    return {"environ_base": {"REMOTE_ADDR": address}}


def test_how_many_events_one_request_may_have_is_described_as_it_is_set(stranger: Caller) -> None:
    schemas = stranger.get("/api/v1/openapi.json").json["components"]["schemas"]
    assert [form["maxItems"] for form in schemas["Events"]["anyOf"] if form.get("type") == "array"] == [3]


def test_a_token_may_ask_so_often(club: Caller) -> None:
    table = open_table(club)
    answers = [table.viewer.get(table.path, **through("192.0.2.1")) for _ in range(MORE * 30)]
    assert {answer.status_code for answer in answers[:30]} == {200}
    refused = next(answer for answer in answers if answer.status_code != 200)
    assert problem(refused, "too_many")["expected"] == 30
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) >= 1
    assert table.keeper.get(table.path, **through("192.0.2.1")).status_code == 200


def test_an_address_may_ask_so_often_and_another_still_may(stranger: Caller) -> None:
    codes = [stranger.get("/nothing", **through("192.0.2.2")).status_code for _ in range(MORE * 300)]
    assert codes[:300] == [404] * 300
    assert 429 in codes
    assert stranger.get("/nothing", **through("192.0.2.3")).status_code == 404
    assert stranger.get("/healthz", **through("192.0.2.2")).status_code == 200


def test_a_household_s_ipv6_addresses_count_as_one(stranger: Caller) -> None:
    answers = [stranger.get("/nothing", **through(f"2001:db8:0:1::{number:x}")) for number in range(MORE * 300)]
    problem(next(answer for answer in answers if answer.status_code == 429), "too_many")
    assert stranger.get("/nothing", **through("2001:db8:0:2::1")).status_code == 404


def test_an_address_may_open_so_many_sessions(stranger: Caller) -> None:
    codes = [stranger.post(ROOT, SessionFactory(), **through("192.0.2.4")).status_code for _ in range(MORE * 12)]
    assert codes[:12] == [201] * 12
    assert set(codes[12:]) <= {201, 429}
    assert 429 in codes


def test_a_body_and_a_batch_may_be_so_large(club: Caller) -> None:
    table = open_table(club)
    assert problem(table.record(EventFactory(text="x" * 2000)), "too_large")["expected"] == 2000
    assert problem(table.record(*[EventFactory() for _ in range(4)]), "too_large")["expected"] == 3
    table.recorded(*[EventFactory() for _ in range(3)])


def test_a_session_may_have_so_many_tokens(club: Caller) -> None:
    table = open_table(club)
    for _ in range(3):
        table.with_token(kind="view")
    answer = table.keeper.post(f"{table.path}/tokens", {"kind": "view"})
    assert problem(answer, "too_many")["expected"] == 5
    spare = table.keeper.get(f"{table.path}/tokens").json["tokens"][-1]["id"]
    table.keeper.ask("DELETE", f"{table.path}/tokens/{spare}")
    table.with_token(kind="view")


def test_streams_take_half_of_the_threads_and_one_token_half_of_those(club: Caller) -> None:
    table: Table = open_table(club)
    first = table.viewer.get(f"{table.path}/stream")
    assert first.status_code == 200
    problem(table.viewer.get(f"{table.path}/stream"), "too_many")
    second = table.keeper.get(f"{table.path}/stream")
    assert second.status_code == 200
    full = table.with_token(kind="view").get(f"{table.path}/stream")
    problem(full, "unavailable")
    assert full.status_code == 503
    assert int(full.headers["Retry-After"]) >= 1
    first.close()
    again = table.viewer.get(f"{table.path}/stream")
    assert again.status_code == 200
    for stream in (again, second, first):
        stream.close()
