"""Walks through the API: what one answer names is asked about next, for as long as the description says how.

Schemathesis draws the requests and follows the answers; here each session is asked about with its own token.
"""

from __future__ import annotations

import uuid
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, settings

from service.store.clubs import Clubs
from service.store.database import Database
from tests.api.conftest import ROOT, Caller, opened
from tests.api.test_anything import BESIDE_A_POOL, CHECKS


def walk(app: Flask, store: Database, walks: int, steps: int) -> tuple[dict[str, str], set[tuple[str, int]]]:
    """Walk so often, so many steps each; session -> token of those opened, and what was answered with which status.

    Each walk is about a club of its own, so that it finds what every other finds, and can be gone again.
    """
    tokens: dict[str, str] = {}
    seen: set[tuple[str, int]] = set()
    described = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app).exclude(path_regex="/stream$")
    machine: Any = described.as_state_machine()

    class Walk(machine):  # type: ignore[misc]
        def setup(self) -> None:
            club = uuid.uuid4()
            store.run([("insert into clubs (club, name) values (%s, 'A club')", (club,))])
            self.club = Clubs(store).new_token(club).text

        def before_call(self, case: schemathesis.Case) -> None:
            session = str(case.path_parameters.get("session_id", ""))
            case.headers["Authorization"] = f"Bearer {tokens.get(session, self.club)}"
            super().before_call(case)

        def after_call(self, response: schemathesis.Response, case: schemathesis.Case) -> None:
            super().after_call(response, case)
            seen.add((case.operation.label, response.status_code))
            if case.operation.label == f"POST {ROOT}" and response.status_code == 201:
                opened = response.json()
                tokens[opened["id"]] = opened["tokens"]["record"]

        def validate_response(self, response: schemathesis.Response, case: schemathesis.Case, **more: Any) -> None:
            case.validate_response(response, checks=CHECKS)

    Walk.run(
        settings=settings(
            max_examples=walks,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
    )
    return tokens, seen


@BESIDE_A_POOL
@pytest.mark.parametrize(("walks", "steps"), [(12, 12), pytest.param(400, 40, marks=pytest.mark.soak)])
def test_whatever_an_answer_names_can_be_asked_about(app: Flask, database: str, walks: int, steps: int) -> None:
    with opened(database) as store:
        tokens, seen = walk(app, store, walks, steps)
    assert tokens, "no session was opened"
    good = {label for label, status in seen if status < 300}
    assert {f"POST {ROOT}", f"GET {ROOT}/{{session_id}}"} <= good, sorted(good)
    for session, token in tokens.items():
        audit = Caller(app.test_client(), token).get(f"{ROOT}/{session}/audit").json
        assert all(check["status"] == "pass" for check in audit["checks"]), audit["findings"]
