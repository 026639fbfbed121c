"""Every case and every night, against the engine alone; and the copies are those of the shared folder."""

from __future__ import annotations

import filecmp
from pathlib import Path

import pytest

from tests.engine.case_runner import load_cases, run_case

TESTS = Path(__file__).resolve().parent.parent
SHARED = TESTS.parent.parent / "shared"
CASES = sorted((TESTS / "cases").glob("*.json"))
NIGHTS = sorted((TESTS / "nights").glob("*.ndjson"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    for case in load_cases(path):
        assert run_case(case) == []


@pytest.mark.parametrize("path", NIGHTS, ids=lambda path: path.stem)
def test_night(path: Path) -> None:
    for case in load_cases(path):
        assert run_case(case) == [], case["name"]


@pytest.mark.parametrize("folder", ["cases", "nights"])
def test_the_copies_are_current(folder: str) -> None:
    theirs = SHARED / folder
    if not theirs.is_dir():
        pytest.skip("the shared folder is not beside this checkout")
    ours = TESTS / folder
    compared = filecmp.dircmp(theirs, ours)
    assert compared.left_only == []
    assert [name for name in compared.common_files if not filecmp.cmp(theirs / name, ours / name, shallow=False)] == []


def test_the_matcher_is_current() -> None:
    theirs = SHARED / "tools"
    if not theirs.is_dir():
        pytest.skip("the shared folder is not beside this checkout")
    for name in ("matching.py", "run_cases.py"):
        assert filecmp.cmp(theirs / name, TESTS / "tools" / name, shallow=False), f"tests/tools/{name} is old"
