"""Whatever goes wrong is a problem document, and never a stack trace (contract.md §7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from events.refusals import ORDER, RECORDABLE, STATUS
from service.api.problems import TITLES, status_of
from service.app import close_app, create_app
from service.server_settings import ServerSettings
from tests.api.conftest import ROOT, Caller, Table, problem
from tests.factories import EventFactory, SessionFactory

CONTRACT = (Path(__file__).parents[2] / "docs" / "contract.md").read_text(encoding="utf-8")


def test_every_code_of_the_contract_has_a_title_and_its_status() -> None:
    table = CONTRACT.split("## 7 Errors")[1]
    first_cells = "\n".join(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))
    codes = re.findall(r"`([a-z_]+(?:\.[a-z_]+)?)`(?: \((\d{3})(?:,[^)]*)?\))?", first_cells)
    found = {code: int(status or 422) for code, status in codes if code != "code"}
    assert len(found) > 50
    for code, status in found.items():
        assert TITLES[code]
        assert status_of(code) == status, code
    assert set(TITLES) - {"internal"} == set(found) == set(ORDER) | set(STATUS)


def test_what_a_table_may_let_stand_is_what_the_contract_marks() -> None:
    marked = re.findall(r"`([a-z_.]+)` †", CONTRACT.split("## 7 Errors")[1])
    assert set(marked) == set(RECORDABLE)


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/api",
        "/api/v1",
        "/api/v1/",
        "/api/v1/nothing",
        "/api/v1/sessions/",
        "/api/v2/sessions",
        "/%00",
        "/é",
    ],
)
def test_what_is_not_there_is_not_found(stranger: Caller, path: str) -> None:
    answer = stranger.get(path)
    problem(answer, "not_found")
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/api/v1/sessions", {"GET", "POST"}),
        ("PUT", "/api/v1/sessions/x/events", {"GET", "POST"}),
        ("POST", "/api/v1/sessions/x/settlement", {"GET"}),
        ("PATCH", "/api/v1/sessions/x/tokens/y", {"DELETE"}),
        ("POST", "/healthz", {"GET"}),
        ("TRACE", "/api/v1/sessions", {"GET", "POST"}),
        ("BREW", "/api/v1/sessions", {"GET", "POST"}),
    ],
)
def test_what_cannot_be_done_says_what_can(stranger: Caller, method: str, path: str, allowed: set[str]) -> None:
    answer = stranger.ask(method, path)
    problem(answer, "method")
    assert answer.status_code == 405
    assert set(answer.headers["Allow"].split(", ")) >= allowed


def test_options_say_what_can_be_done(stranger: Caller) -> None:
    answer = stranger.ask("OPTIONS", ROOT)
    assert answer.status_code == 200
    assert {"GET", "POST"} <= set(answer.headers["Allow"].split(", "))
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_who_lacks_a_token_is_told_how_to_send_one(stranger: Caller, crown: Table) -> None:
    answer = stranger.get(crown.path)
    problem(answer, "auth.missing")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="bragbook"'


def test_a_problem_names_its_request(crown: Table) -> None:
    answer = crown.record(EventFactory(type="fold", player="A"), headers={"X-Request-ID": "round-3"})
    assert problem(answer, "event.not_now")["request_id"] == answer.headers["X-Request-ID"] == "round-3"


@pytest.fixture
def faulty(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """The application with a fault of ours in it: the engine falls over."""

    def fall_over(*_: object, **__: object) -> None:
        raise RuntimeError("Ann holds Kc 9c 4c and the token bb_record_secret")

    monkeypatch.setattr(app.extensions["bragbook"].sessions, "settlement", fall_over)
    return app


def test_a_fault_of_ours_is_logged_without_its_words_and_answered_without_any(
    faulty: Flask, crown: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = crown.viewer.get(f"{crown.path}/settlement", headers={"X-Request-ID": "asked-1"})
    assert answer.status_code == 500
    document = problem(answer, "internal")
    assert "RuntimeError" not in answer.text
    assert "Ann" not in str(document)
    logged = capsys.readouterr().err
    assert '"error":"RuntimeError"' in logged
    assert "asked-1" in logged
    assert "test_problems.py" in logged
    for secret in ("Ann", "Kc", "bb_record", "holds"):
        assert secret not in logged


@pytest.fixture
def nowhere() -> Iterator[Flask]:
    """The application with its database away."""
    app = create_app(ServerSettings(database_url="host=/nowhere dbname=x", pool_size=1, log_level="error"))
    app.extensions["bragbook"].database._wait_s = 0.2
    yield app
    close_app(app)


def test_with_the_database_away_everything_says_when_to_ask_again(nowhere: Flask) -> None:
    caller = Caller(nowhere.test_client(), "bb_view_" + "A" * 56)
    for answer in (
        caller.get(f"{ROOT}/00000000-0000-7000-8000-000000000001"),
        Caller(caller.client).post(ROOT, SessionFactory()),
    ):
        document = problem(answer, "unavailable")
        assert answer.status_code == 503
        assert int(answer.headers["Retry-After"]) >= 1
        assert "nowhere" not in str(document)
    assert Caller(caller.client).get("/healthz").status_code == 200
    assert Caller(caller.client).get("/readyz").status_code == 503
    assert Caller(caller.client).get("/rules").status_code == 200
