"""Whatever is sent to whatever address gets an answer, and never a 500: random bytes, and what OpenAPI allows.

The seed of the bytes is in each test's name: a failure is found again by running that test.
"""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import checks
from schemathesis.specs.openapi import checks as openapi_checks

from tests.api.conftest import Caller, Table, open_table
from tests.factories import worked_example

# Hypothesis sees that somebody uses the `random` of all: a thread of the pool, whenever it makes a connection.
BESIDE_A_POOL = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
SEEDS = [*range(8), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(8, 200))]
REQUESTS_BY_SEED = 250


@pytest.fixture(scope="module")
def table(club: Caller) -> Table:
    table = open_table(club)
    table.recorded(*worked_example())
    return table


@pytest.fixture(scope="module")
def places(app: Flask, table: Table) -> list[tuple[str, str]]:
    """(method, path) of everything that the application answers, streams left out."""
    found = []
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<session_id>|<session>", table.id, rule.rule)
        path = re.sub(r"<int[^>]*>", "1", re.sub(r"<uuid:[^>]*>", table.id, path))
        path = re.sub(r"<[^>]*>", "A", path)
        if not path.endswith("/stream"):
            found += [(method, path) for method in sorted(rule.methods)]
    return found


def random_bytes(dice: random.Random) -> bytes:
    """Bytes of several kinds of nonsense: noise, broken JSON, JSON of no sense, good JSON with a byte changed."""
    good = b'[{"type":"bet","player":"A","as":"seen","amount":"2","id":"0190f5b8-0000-7000-8000-000000000000"}]'
    kind = dice.randrange(6)
    if kind == 0:
        return dice.randbytes(dice.randrange(300))
    if kind == 1:
        return bytes(dice.choice(b'{}[]",:0123456789eE+-.\\utrfnals ') for _ in range(dice.randrange(200)))
    if kind == 2:
        changed = bytearray(good)
        for _ in range(dice.randrange(1, 4)):
            changed[dice.randrange(len(changed))] = dice.randrange(256)
        return bytes(changed)
    if kind == 3:
        return good[: dice.randrange(len(good))]
    if kind == 4:
        return dice.choice([b"[", b'{"a":', b'"']) * dice.randrange(3000)
    return dice.choice(
        [b"null", b"{}", b"[]", b"[[]]", b'{"type":{}}', b'{"kind":[]}', b'{"name":{}}', b"1e999", b"NaN", good]
    )


def random_text(dice: random.Random) -> str:
    letters = "".join(
        chr(dice.choice([0, 9, 10, 13, 32, 34, 37, 38, 47, 61, 63, 65, 255, 0x2660, 0x1F0A1])) for _ in range(8)
    )
    return dice.choice([letters, "1", "-1", "true", "9" * 30, "%00", "%ff%fe", "../..", "'; --", ""])


@pytest.mark.parametrize("seed", SEEDS)
def test_random_bytes_are_answered(seed: int, places: list[tuple[str, str]], table: Table, club: Caller) -> None:
    dice = random.Random(seed)
    callers = [table.keeper, table.keeper, table.viewer, table.seat("A"), club, table.anyone]
    for _ in range(REQUESTS_BY_SEED):
        method, path = dice.choice(places)
        if method == "DELETE":
            path = path.replace("/A", f"/{random_text(dice).encode().hex() or 'x'}")
        if dice.random() < 0.3:
            path += dice.choice(["/", "?"]) + random_text(dice)
        if path.startswith("//"):
            path = path[1:]  # the test client would take what follows for a host
        headers: dict[str, Any] = {"Content-Type": dice.choice(["application/json"] * 4 + ["text/plain", "", "é"])}
        for name in ("If-Match", "If-None-Match", "Accept", "X-Request-ID", "Origin", "Host"):
            if dice.random() < 0.1:
                headers[name] = re.sub(r"[\r\n]", "", random_text(dice))
        caller = dice.choice(callers)
        answer = caller.ask(method, path, data=random_bytes(dice), headers=headers)
        assert answer.status_code < 500, (seed, method, path, headers, answer.text)
        if answer.status_code >= 400 and method != "HEAD":
            assert answer.content_type == "application/problem+json", (seed, method, path)
        answer.close()
    assert table.read("/audit")["verdict"] in {"sound", "irregular", "disputed", "unsound"}


# --- what the description allows --------------------------------------------------------------------------------------

CLUB_ONLY = re.compile(r"^/api/v1/(people|leaderboard)")
EXAMPLES = 12


@BESIDE_A_POOL
def test_what_is_described_is_what_is_answered(
    app: Flask, club: Caller, table: Table, subtests: pytest.Subtests
) -> None:
    """What OpenAPI allows, sent to a session that is there with a token that may, is answered as OpenAPI says."""
    described = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) > 25
    for operation in operations:
        if not operation.path.endswith("/stream"):  # which does not end: see test_stream.py
            token = club.token if CLUB_ONLY.match(operation.path) else table.keeper.token
            with subtests.test(msg=operation.label):
                try_out(operation, table.id, str(token))


def try_out(operation: Any, session: str, token: str) -> None:
    """Sends some of what an operation's description allows."""

    @given(case=operation.as_strategy())
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def answers(case: schemathesis.Case) -> None:
        if "session_id" in case.path_parameters:
            case.path_parameters["session_id"] = session
        case.headers["Authorization"] = f"Bearer {token}"
        case.call_and_validate(checks=CHECKS)

    answers()


CHECKS = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
]
