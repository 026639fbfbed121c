"""Every case and every night, through HTTP against one running service, as somebody from outside would run them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.serving import Service

TESTS = Path(__file__).parents[1]
RUNNER = TESTS / "tools" / "run_cases.py"
GROUPS = {
    **{
        game: sorted((TESTS / "cases").glob(f"{game}-*.json"))
        for game in ("common", "lives", "community", "three-card")
    },
    **{f"night {path.stem}": [path] for path in sorted((TESTS / "nights").glob("*.ndjson"))},
}


@pytest.fixture(scope="module")
def service(database: str) -> Iterator[Service]:
    with Service(database, log_level="error") as service:
        yield service


def test_all_cases_are_in_a_group() -> None:
    grouped = {path for paths in GROUPS.values() for path in paths}
    assert grouped == {*(TESTS / "cases").glob("*.json"), *(TESTS / "nights").glob("*.ndjson")}
    assert len(grouped) > 100


@pytest.mark.parametrize("group", GROUPS)
def test_the_service_answers_as_the_cases_say(service: Service, group: str) -> None:
    command = [sys.executable, str(RUNNER), service.url, *map(str, GROUPS[group]), "--keep-going", "--quiet"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1].endswith(", 0 failed")
