"""`bragbook export --from --to`: a club's nights in one file, at the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.terminal import bragbook
from tests.cli.test_offline import HAND, OPEN, lines
from tests.cli.test_store import Terminal


@pytest.fixture
def terminal(fresh_database: str, tmp_path: Path) -> Terminal:
    return Terminal(fresh_database, tmp_path)


@pytest.fixture
def three_nights(terminal: Terminal) -> Terminal:
    for day in ("2026-11-03", "2026-11-10", "2026-12-01"):
        events = lines({**OPEN, "at": f"{day}T20:00:00Z"}, *HAND)
        terminal.imported(events, f"{day}.ndjson")
    return terminal


def test_the_nights_between_two_labels_are_written_the_earliest_first(three_nights: Terminal) -> None:
    ran = three_nights.run("export", "--from", "2026-11-03", "--to", "2026-11-30", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    assert [night["night_of"] for night in json.loads(ran.out)["nights"]] == ["2026-11-03", "2026-11-10"]
    path = three_nights.folder / "nights.csv"
    assert three_nights.run("export", "--from", "2026-11-04", "--format", "csv", "--output", path).code == 0
    text = path.read_text("utf-8-sig")
    assert ("2026-11-03" in text, "2026-11-10" in text, "2026-12-01" in text) == (False, True, True)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--from", "2026-11-01", "--format", "bundle"), 2, "A bundle is of one night"),
        (("--from", "2026-11-02", "--to", "2026-11-01", "--format", "csv"), 2, "the later one comes last"),
        (("--format", "csv"), 2, "name a session, or nights"),
        (("SESSION", "--from", "2026-11-02", "--format", "csv"), 2, "name a session, or nights"),
        (("SESSION", "--club", "00000000-0000-7000-8000-000000000002", "--format", "csv"), 2, "--club goes with"),
        (("--from", "yesterday", "--format", "csv"), 2, "'yesterday' does not match"),
        (
            ("--club", "00000000-0000-7000-8000-000000000009", "--to", "2026-11-02", "--format", "csv"), 1,
            "There is no club",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_one_line(fresh_database: str, arguments: tuple[str, ...], code: int, said: str) -> None:
    ran = bragbook("export", *arguments, DATABASE_URL=fresh_database)
    assert (ran.code, ran.out, ran.err.count("\n")) == (code, "", 1)
    assert said in ran.err


def test_the_lines_of_several_nights_are_read_again(three_nights: Terminal) -> None:
    path = three_nights.folder / "nights.ndjson"
    assert three_nights.run("export", "--to", "2026-12-31", "--format", "ndjson", "--output", path).code == 0
    ran = three_nights.run("import", path)
    assert (ran.code, ran.out.count("0 new, 6 already here")) == (0, 3)
    assert bragbook("audit", path).out.count(": sound, 6 events") == 3
    assert bragbook("replay", path).out.count("Settlement") == 3
