"""Who may do what: every endpoint of the API with every credential, in one table (contract.md §2)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from flask import Flask

from service.api import auth
from tests.api.conftest import Caller, Table, open_table, problem
from tests.factories import EventFactory, SessionFactory, worked_example

RECORD, VIEW, SEAT, CLUB = auth.RECORD, auth.VIEW, auth.SEAT, auth.CLUB
EVERYONE = {"none", "unknown", RECORD, VIEW, SEAT, CLUB, "another session's", "revoked", "another club's"}
READERS = {RECORD, VIEW, SEAT}


class Endpoint(NamedTuple):
    """A way to ask, and the credentials that it answers. `S` in the path is the session's address."""

    method: str
    path: str
    may: set[str]
    body: Any = None


ENDPOINTS = [
    # Refused without a club's token here: on this machine it needs none, see test_sessions.py.
    Endpoint("POST", "/api/v1/sessions", {CLUB, "another club's"}, SessionFactory()),
    Endpoint("GET", "/api/v1/sessions", {*READERS, CLUB, "another session's", "another club's"}),
    Endpoint("GET", "S", READERS),
    Endpoint("GET", "S?at=1", READERS),
    Endpoint("POST", "S/events", {RECORD}, EventFactory(type="fold", player="A")),
    Endpoint("POST", "S/events?dry_run=true", {RECORD}, EventFactory(type="deal", dealer="A")),
    Endpoint("POST", "S/events", {RECORD, SEAT}, EventFactory()),
    Endpoint("POST", "S/events", {RECORD, SEAT}, EventFactory(type="sign", player="A")),
    Endpoint(
        "POST", "S/events", {RECORD, SEAT}, EventFactory(type="dispute", player="A", of_hand=1, claim="It was mine")
    ),
    Endpoint("POST", "S/events", {RECORD}, EventFactory(type="sign", player="B")),
    Endpoint("POST", "S/events", {RECORD}, EventFactory(type="dispute", player="B", of_hand=1, claim="It was mine")),
    Endpoint("POST", "S/events", {RECORD}, [EventFactory(), EventFactory(type="sign", player="B")]),
    Endpoint("POST", "S/events", {RECORD}, EventFactory(type="close")),
    Endpoint("GET", "S/events", READERS),
    Endpoint("GET", "S/hands", READERS),
    Endpoint("GET", "S/hands/1", READERS),
    Endpoint("GET", "S/hands/1/audit", READERS),
    Endpoint("GET", "S/settlement", READERS),
    Endpoint("GET", "S/audit", READERS),
    Endpoint("GET", "S/export?format=csv", READERS),
    Endpoint("GET", "S/stream", READERS),
    Endpoint("GET", "S/head", READERS),
    Endpoint("POST", "S/tokens", {RECORD, CLUB}, {"kind": "view"}),
    Endpoint("GET", "S/tokens", {RECORD, CLUB}),
    Endpoint("DELETE", "S/tokens/SPARE", {RECORD, CLUB}),
    Endpoint("PUT", "S/players/A", {RECORD}, {"name": "Anna"}),
    Endpoint("DELETE", "S/players/A/name", {RECORD}),
    Endpoint("GET", "/api/v1/leaderboard", {CLUB, "another club's"}),
    Endpoint("GET", "/api/v1/export?format=csv&from=2001-01-01&to=2001-01-01", {CLUB, "another club's"}),
    Endpoint("GET", "/api/v1/people", {CLUB, "another club's"}),
    Endpoint("PATCH", "/api/v1/people/PERSON", {CLUB}, {"name": "Annie"}),
    Endpoint("GET", "/api/v1/people/PERSON/nights", {CLUB, "another club's"}),
    Endpoint("DELETE", "/api/v1/people/PERSON/name", {CLUB}),
]
PUBLIC = {
    "/api/v1/openapi.json",
    "/api/v1/log",
    "/api/v1/log/checkpoint",
    "/api/v1/log/consistency",
    "/api/v1/log/leaves",
}


@pytest.fixture
def table(club: Caller) -> Table:
    """A table with a hand played, so that everything that can be asked for is there."""
    table = open_table(club)
    table.recorded(*worked_example())
    return table


@pytest.fixture
def credentials(table: Table, club: Caller, anchor: Table, other_club: Caller) -> dict[str, Callable[[], Caller]]:
    """How to get each credential of the table."""

    def revoked() -> Caller:
        made = table.keeper.post(f"{table.path}/tokens", {"kind": "record"}).json
        assert table.keeper.ask("DELETE", f"{table.path}/tokens/{made['id']}").status_code == 204
        return Caller(club.client, made["token"])

    def unknown() -> Caller:
        """A token of the right form that differs in its last letters."""
        letters = table.keeper.token or ""
        return Caller(club.client, letters[:-4] + ("AAAA" if letters[-4:] != "AAAA" else "BBBB"))

    return {
        "none": lambda: table.anyone,
        "unknown": unknown,
        "revoked": revoked,
        RECORD: lambda: table.keeper,
        VIEW: lambda: table.viewer,
        SEAT: lambda: table.seat("A"),
        CLUB: lambda: club,
        "another session's": lambda: anchor.keeper,
        "another club's": lambda: other_club,
    }


def path_of(endpoint: Endpoint, table: Table, club: Caller) -> str:
    path = endpoint.path
    if path.startswith("S"):
        path = table.path + path[1:]
    if "SPARE" in path:
        path = path.replace("SPARE", table.keeper.post(f"{table.path}/tokens", {"kind": "view"}).json["id"])
    if "PERSON" in path:
        path = path.replace("PERSON", club.get("/api/v1/people").json["people"][0]["id"])
    return path


@pytest.mark.parametrize("who", sorted(EVERYONE))
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda e: f"{e.method} {e.path} {_kind(e.body)}")
def test_an_endpoint_answers_those_who_may_and_nobody_else(
    endpoint: Endpoint, who: str, table: Table, credentials: dict[str, Callable[[], Caller]], club: Caller
) -> None:
    caller, path = credentials[who](), path_of(endpoint, table, club)
    before = table.read()
    # From another machine: nothing is let through for being on this one.
    answer = caller.ask(endpoint.method, path, endpoint.body, headers={"Host": "bragbook.example"})
    try:
        if who in endpoint.may:
            # What the rules say is another matter: nobody can fold before the deal.
            assert answer.status_code not in {401, 403, 404}, answer.text
            return
        code = {"none": "auth.missing", "unknown": "auth.missing", "revoked": "auth.missing"}.get(who, "auth.wrong")
        if who == "another club's" and "PERSON" in endpoint.path:
            code = "not_found"  # a person is looked for among one's own
        document = problem(answer, code)
        assert answer.status_code == {"auth.missing": 401, "auth.wrong": 403, "not_found": 404}[code]
        assert answer.status_code == 404 or answer.headers["WWW-Authenticate"].startswith("Bearer ")
        assert (caller.token or "no token at all") not in str(document)
    finally:
        answer.close()
    assert table.read() == before


def _kind(body: Any) -> str:
    if isinstance(body, list):
        return "+".join(_kind(one) for one in body)
    return "-".join(str(body[name]) for name in ("type", "player") if name in body) if isinstance(body, dict) else ""


def test_the_table_has_every_endpoint(app: Flask) -> None:
    declared = {(endpoint.method, re.sub(r"\?.*", "", endpoint.path)) for endpoint in ENDPOINTS}
    missing = []
    for rule in app.url_map.iter_rules():
        if not rule.rule.startswith("/api/v1/") or rule.rule in PUBLIC:
            continue
        path = re.sub(r"^/api/v1/sessions/<session_id>", "S", rule.rule)
        path = re.sub(r"<int\([^>]*>", "1", path).replace("<player>", "A").replace("<token_id>", "SPARE")
        path = path.replace("<uuid:person>", "PERSON")
        missing += [(method, path) for method in rule.methods - {"HEAD", "OPTIONS"} if (method, path) not in declared]
    assert missing == []


def test_every_endpoint_says_what_it_needs(app: Flask) -> None:
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/v1/") and rule.rule != "/api/v1/openapi.json":
            permission = app.view_functions[rule.endpoint].permission
            assert permission in auth.PERMISSIONS, rule
            assert (permission == auth.ANYONE) == (rule.rule in PUBLIC), rule


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Basic QW5uOmJyYWc=",
        "Token abc",
        "Bearer a b",
        "Bearer " + "x" * 300,
        "bb_record_x",
        "Bearer é",
    ],
)
def test_a_token_in_another_form_is_no_token(table: Table, header: str) -> None:
    problem(table.anyone.get(table.path, headers={"Authorization": header}), "auth.missing")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_read_in_any_case(table: Table, scheme: str) -> None:
    answer = table.anyone.get(table.path, headers={"Authorization": f"{scheme} {table.viewer.token}"})
    assert answer.status_code == 200


def test_who_asks_is_looked_at_before_whether_there_is_such_a_session(table: Table, club: Caller) -> None:
    """So that nobody learns from an answer which sessions there are."""
    nowhere = "/api/v1/sessions/00000000-0000-7000-8000-000000000000"
    problem(table.anyone.get(nowhere), "auth.missing")
    problem(table.keeper.get(nowhere), "auth.wrong")
    problem(club.get(f"{nowhere}/tokens"), "not_found")
    problem(table.anyone.get("/api/v1/sessions/nonsense"), "auth.missing")
    problem(table.keeper.get("/api/v1/sessions/nonsense"), "not_found")


def test_an_unreadable_request_is_said_before_who_asks(table: Table) -> None:
    """The first that applies in the order of contract.md §7."""
    events = f"{table.path}/events"
    json = {"Content-Type": "application/json"}
    problem(table.anyone.ask("POST", events, data=b"{", headers=json), "request.invalid")
    problem(table.anyone.get(f"{table.path}?at=0"), "request.invalid")
    problem(table.anyone.post(events, {}, headers={"If-Match": "7"}), "request.invalid")
    problem(table.anyone.ask("POST", events, data=b"{", headers={"Content-Type": "text/plain"}), "auth.missing")
    problem(table.keeper.ask("POST", events, data=b"{", headers={"Content-Type": "text/plain"}), "media_type")
