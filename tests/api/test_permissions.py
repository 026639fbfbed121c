"""Who may do what: every endpoint of the API with every credential of the table in permissions.py (contract.md §2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from flask import Flask

from service.api import auth
from tests.api.conftest import Caller, Table, open_table, problem
from tests.api.permissions import (
    ENDPOINTS,
    EVERYONE,
    NO_SUCH_SESSION,
    NOBODY,
    OPEN_TO_ALL,
    Endpoint,
    address,
    credentials,
)
from tests.factories import worked_example


@pytest.fixture
def table(club: Caller) -> Table:
    """A table with a hand played, so that everything that can be asked for is there."""
    table = open_table(club)
    table.recorded(*worked_example())
    return table


@pytest.fixture
def who_asks(table: Table, anchor: Table, club: Caller, other_club: Caller) -> dict[str, Callable[[], Caller]]:
    """How to get each credential of the table."""
    return credentials(table, anchor, club, other_club)


@pytest.mark.parametrize("who", EVERYONE)
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda e: f"{e.method} {e.path} {_kind(e.body)}")
def test_an_endpoint_answers_those_who_may_and_nobody_else(
    endpoint: Endpoint, who: str, table: Table, who_asks: dict[str, Callable[[], Caller]], club: Caller
) -> None:
    caller, path = who_asks[who](), address(endpoint.path, table, club)
    before = table.read()
    # From another machine: nothing is let through for being on this one.
    answer = caller.ask(endpoint.method, path, endpoint.body, headers={"Host": "bragbook.example"})
    try:
        if who in endpoint.may:
            # What the rules say is another matter: nobody can fold before the deal.
            assert answer.status_code not in {401, 403, 404}, answer.text
            return
        code = "auth.missing" if who in NOBODY else "auth.wrong"
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


def test_the_tables_have_every_route(app: Flask) -> None:
    """And no route twice, nor one that is not there."""
    rules = app.url_map.bind("bragbook.example")

    def routes(asked: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        found = set()
        for method, path in asked:
            path = re.sub("^S", f"/api/v1/sessions/{NO_SUCH_SESSION}", path.partition("?")[0])
            rule, _ = rules.match(re.sub("ID|PERSON", NO_SUCH_SESSION, path), method, return_rule=True)
            found.add((method, rule.rule))
        return found

    for_some = routes((endpoint.method, endpoint.path) for endpoint in ENDPOINTS)
    for_all = routes((one.method, one.path) for one in OPEN_TO_ALL)
    there = {(method, rule.rule) for rule in app.url_map.iter_rules() for method in rule.methods - {"HEAD", "OPTIONS"}}
    assert not for_some & for_all
    assert for_some | for_all == there


def test_every_endpoint_says_what_it_needs(app: Flask) -> None:
    open_to_all = {one.path.partition("?")[0] for one in OPEN_TO_ALL}
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/v1/") and rule.rule != "/api/v1/openapi.json":
            permission = app.view_functions[rule.endpoint].permission
            assert permission in auth.PERMISSIONS, rule
            assert (permission == auth.ANYONE) == (rule.rule in open_to_all), rule


@pytest.mark.parametrize("path", sorted({endpoint.path for endpoint in ENDPOINTS if endpoint.method == "GET"}))
def test_asking_for_the_head_of_it_or_what_can_be_asked_opens_nothing(table: Table, club: Caller, path: str) -> None:
    path = address(path, table, club)
    head = table.anyone.ask("HEAD", path)
    assert (head.status_code, head.data) == (401, b"")
    options = table.anyone.ask("OPTIONS", path)
    assert (options.status_code, options.data) == (200, b"")
    assert table.id not in str(options.headers)


@pytest.mark.parametrize("place", ["cookie", "query", "form", "x-api-key", "proxy-authorization", "basic"])
def test_a_token_is_one_in_its_own_header_only(table: Table, place: str) -> None:
    """Where a browser would send it by itself, or somebody else would write it down, it is none."""
    token = str(table.keeper.token)
    more: dict[str, Any] = {
        "cookie": {"headers": {"Cookie": f"token={token}; Authorization={token}; bragbook_language={token}"}},
        "query": {"query_string": {"access_token": token}},
        "form": {"data": {"access_token": token}},
        "x-api-key": {"headers": {"X-API-Key": token}},
        "proxy-authorization": {"headers": {"Proxy-Authorization": f"Bearer {token}"}},
        "basic": {"auth": ("record", token)},
    }[place]
    answer = table.anyone.get(table.path, **more)
    assert answer.status_code == (400 if place == "query" else 401)
    assert token not in answer.text + str(answer.headers)


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
