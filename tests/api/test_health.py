"""For machines that watch over the service: /healthz, /readyz, /metrics, and the log."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families

from events.house_rules import GAMES
from events.vocabulary import BY_NAME
from service import logs
from service.api.problems import TITLES
from tests.api.conftest import ROOT, Caller, Table
from tests.factories import EventFactory, SessionFactory, worked_example


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_it_is_well(stranger: Caller, path: str) -> None:
    answer = stranger.get(path)
    assert (answer.status_code, answer.json) == (200, {"status": "ok"})


def figures(stranger: Caller) -> dict[tuple[str, ...], float]:
    text = stranger.get("/metrics").text
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_what_is_stored_refused_and_asked_is_counted(stranger: Caller, crown: Table) -> None:
    before = figures(stranger)
    crown.recorded(*worked_example()[:3])
    crown.record(EventFactory(type="knock", player="A"))
    crown.read()
    now = figures(stranger)

    def grown(*name: str) -> float:
        return now[name] - before.get(name, 0)

    assert grown("bragbook_events_appended_total", "ante") == 2
    assert grown("bragbook_events_appended_total", "deal") == 1
    assert grown("bragbook_refusals_total", "event.not_this_game") == 1
    assert grown("bragbook_requests_total", "GET", f"{ROOT}/<session_id>", "200") == 1
    assert grown("bragbook_request_seconds_count", "POST", f"{ROOT}/<session_id>/events") == 2
    assert now[("bragbook_pool_size",)] >= 1
    assert now[("bragbook_streams_open",)] == 0


def test_no_metric_names_a_session_or_a_token(stranger: Caller, crown: Table, app: Flask) -> None:
    """What a figure is told apart by is one of a few words, never what somebody sent."""
    crown.recorded(*worked_example())
    stranger.get("/nothing/Ann/" + crown.id)
    stranger.get("/problems/Ann")
    stranger.ask("ANN", "/")
    crown.record(EventFactory(type="Ann"))
    crown.record(EventFactory(type="deal", dealer="Ann"))
    stranger.post(ROOT, SessionFactory(game="Ann"))
    words = {
        "route": {"none", *(rule.rule for rule in app.url_map.iter_rules())},
        "method": {"other", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"},
        "code": set(TITLES),
        "type": set(BY_NAME),
        "game": set(GAMES),
    }
    seen = 0
    for family in text_string_to_metric_families(stranger.get("/metrics").text):
        for sample in family.samples:
            for label, value in sample.labels.items():
                assert value in words[label] if label in words else float(value) >= 0, sample
                seen += 1
    assert seen > 100


@pytest.fixture
def logged(crown: Table, capsys: pytest.CaptureFixture[str]) -> Any:
    """Lines logged from now on, as JSON."""
    logs.configure("info")

    def lines() -> list[dict[str, Any]]:
        return [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    yield lines
    logs.configure("error")


def test_every_request_is_a_line_of_json_with_its_id(crown: Table, logged: Any) -> None:
    crown.viewer.get(crown.path, headers={"X-Request-ID": "from-the-proxy"})
    crown.record(EventFactory(type="fold", player="A"))
    read, refused = logged()
    assert read["event"] == "request"
    assert read["request_id"] == "from-the-proxy"
    assert (read["method"], read["route"], read["status"]) == ("GET", f"{ROOT}/<session_id>", 200)
    assert read["session"] == crown.id
    assert read["milliseconds"] > 0
    assert (refused["status"], refused["code"]) == (422, "event.not_now")
    assert refused["by"].startswith("record-")


def test_what_pythons_own_logging_is_told_is_a_line_like_all(logged: Any) -> None:
    told = logging.getLogger("service.evidence.keeper")
    told.info("this is below what the root of loggers takes")
    told.warning("heads are not entered into the log: %s", "no key")
    try:
        raise ValueError("Annabel")
    except ValueError:
        told.exception("a fault")
    warned, failed = logged()
    assert (warned["event"], warned["level"], warned["logger"]) == (
        "heads are not entered into the log: no key", "warning", "service.evidence.keeper",
    )  # fmt: skip
    assert (failed["event"], failed["level"], failed["error"]) == ("a fault", "error", "ValueError")
    assert "Annabel" not in str(failed)


def test_no_name_token_or_card_is_logged(crown: Table, stranger: Caller, logged: Any) -> None:
    crown.recorded(*worked_example())
    crown.keeper.ask("PUT", f"{crown.path}/players/A", {"name": "Annabel"})
    crown.record(EventFactory(text="Annabel cheats", type="note", player="Annabel"))
    crown.with_token(kind="view").get(f"{crown.path}?at=Annabel")
    stranger.get(f"/s/{crown.id}/Annabel?token={crown.keeper.token}")
    stranger.ask("PUT", f"{crown.path}/players/Annabel", {"name": "Annabel"})
    Caller(stranger.client, "bb_record_Annabel").get(crown.path)
    text = str(logged())
    for secret in ("Ann", "Bob", "Kc", "5s", "bb_", str(crown.keeper.token), str(crown.viewer.token)):
        assert secret not in text


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "é", "a\tb", "{}"])
def test_an_id_that_would_not_fit_in_a_log_is_replaced(stranger: Caller, given: str) -> None:
    answer = stranger.get("/healthz", headers={"X-Request-ID": given})
    assert re.fullmatch(r"[0-9a-f-]{36}", answer.headers["X-Request-ID"])


def test_machines_that_watch_are_not_logged(stranger: Caller, logged: Any) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        stranger.get(path)
    assert logged() == []
