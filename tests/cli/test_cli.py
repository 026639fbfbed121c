"""What all commands share: help, the version, and clear words for what was not meant."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from service.cli import COMMANDS
from tests.cli.terminal import bragbook, in_a_process

REPORTING = ("replay", "audit", "import", "token", "rebuild", "verify")


def test_help_lists_every_command_of_the_contract() -> None:
    ran = bragbook("--help")
    assert ran.code == 0
    for name in ("serve", "replay", "audit", "import", "export", "token", "rebuild", "verify"):
        assert f"\n  {name} " in ran.out, name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    ran = bragbook(name, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: bragbook {name} ")
    assert "--json" in ran.out or name not in REPORTING


@pytest.mark.parametrize(
    "arguments", [("deal",), ("audit",), ("replay", "--nonsense", "x"), ("serve", "--port", "70000")]
)
def test_what_is_not_understood_is_one_line(arguments: tuple[str, ...]) -> None:
    ran = bragbook(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("bragbook: ")
    assert ran.err.endswith("--help)\n")
    assert ran.err.count("\n") == 1


def test_without_a_command_it_shows_help() -> None:
    ran = bragbook()
    assert ran.code == 2
    assert "Commands:" in ran.err


def test_the_version_is_the_projects() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ran = in_a_process("--version")
    if ran.code:
        pytest.skip("bragbook is not installed here, only run from its folder")
    assert ran.out == f"bragbook, version {project['version']}\n"


def test_a_reader_that_stops_reading_is_no_fault() -> None:
    command = f"{sys.executable} -m service.cli --help | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.stdout[:6], done.stderr) == ("Usage:", "")
