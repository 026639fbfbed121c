"""Every case and a few nights through HTTP, by a service that reaches its database through PgBouncer.

In transaction mode no two statements need meet the same connection: what a service kept in one would be lost here.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.api.serving import Service
from tests.pooler import pgbouncer

TESTS = Path(__file__).parents[1]
RUNNER = TESTS / "tools" / "run_cases.py"
CASES = sorted((TESTS / "cases").glob("*.json"))
NIGHTS = [TESTS / "nights" / f"{game}-plain.ndjson" for game in ("lives", "community", "three-card")]


@pytest.fixture(scope="module")
def service(database: str, direct: Callable[[str], str]) -> Iterator[Service]:
    with pgbouncer(direct(database)) as pooled, Service(pooled, log_level="error") as service:
        yield service


@pytest.mark.parametrize("paths", [CASES, *([night] for night in NIGHTS)], ids=["cases", *(n.stem for n in NIGHTS)])
def test_the_service_answers_as_the_cases_say(service: Service, paths: list[Path]) -> None:
    assert paths
    command = [sys.executable, str(RUNNER), service.url, *map(str, paths), "--keep-going", "--quiet"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1].endswith(", 0 failed")
