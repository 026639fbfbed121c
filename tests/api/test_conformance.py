"""Every answer is as the description of the API says: every case is played, and each answer held against its schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.api.conftest import ROOT, Caller
from tests.tools.matching import resolve

CASES = sorted((Path(__file__).parents[1] / "cases").glob("*.json"))


@pytest.fixture(scope="module")
def conforms(stranger: Caller) -> Callable[[str, Any], None]:
    """Asserts that an answer is as one of the description's schemas says."""
    components = stranger.get("/api/v1/openapi.json").json["components"]
    validators: dict[str, Any] = {}

    def check(name: str, answer: Any) -> None:
        if name not in validators:
            schema = {"$ref": f"#/components/schemas/{name}", "components": components}
            validators[name] = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        faults = [f"{'/'.join(map(str, e.instance_path))}: {e.message}" for e in validators[name].iter_errors(answer)]
        assert faults == [], (name, faults[:5])

    return check


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_answers_are_as_described(path: Path, stranger: Caller, conforms: Callable[[str, Any], None]) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    answer = stranger.post(ROOT, case["session"])
    if "session_refused" in case["steps"][0]:
        conforms("Problem", answer.json)
        return
    conforms("Opened", answer.json)
    place = f"{ROOT}/{answer.json['id']}"
    keeper = Caller(stranger.client, answer.json["tokens"]["record"])
    first_seq: dict[int, int] = {}
    for number, step in enumerate(case["steps"]):
        if "event" not in step and "events" not in step:
            continue
        body = resolve(step.get("event", step.get("events")), first_seq)
        if "refused" not in step:
            conforms("Events", body)
            tried = keeper.post(f"{place}/events?dry_run=true", body)
            conforms("Appended", tried.json)
        recorded = keeper.post(f"{place}/events", body)
        conforms("Problem" if "refused" in step else "Appended", recorded.json)
        if recorded.status_code == 201:
            first_seq[number] = recorded.json["events"][0]["seq"]
    for name, what in (
        ("State", ""),
        ("EventsPage", "/events"),
        ("Hands", "/hands"),
        ("Settlement", "/settlement"),
        ("Audit", "/audit"),
    ):
        conforms(name, keeper.get(place + what).json)
    conforms("SessionList", keeper.get(ROOT).json)
