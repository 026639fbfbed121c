"""The README's commands, run as they stand against a service that was started, give the answers that it shows."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import in_a_process

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"
ANYTHING = "…"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END_OF_BLOCK = "=== the end of a block ==="
SECONDS = 120


@pytest.fixture(scope="module")
def service(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service that was started from the command line on a database of its own."""
    log = (tmp_path_factory.mktemp("service") / "log").open("w+")
    command = [
        sys.executable,
        "-m",
        "service.cli",
        "serve",
        "--port",
        "0",
        "--data",
        str(tmp_path_factory.mktemp("data")),
    ]
    started = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "DATABASE_URL": database}, stdout=subprocess.PIPE, stderr=log, text=True
    )
    try:
        assert started.stdout is not None
        for line in started.stdout:
            ready = re.search(r"Bragbook is ready at (\S+)", line)
            if ready:
                yield ready[1]
                break
        else:
            log.seek(0)
            pytest.fail(f"the service did not start: {log.read()}")
    finally:
        started.send_signal(signal.SIGTERM)
        assert started.wait(SECONDS) == 0
        started.stdout.close()
        log.close()


def shown(language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(README) if found == language]


def walkthrough() -> list[tuple[str, str, str]]:
    """(commands, the language of the answer that follows, the answer) for every block of commands that has one."""
    blocks = BLOCK.findall(README)
    return [
        (body, *blocks[place + 1]) for place, (language, body) in enumerate(blocks[:-1]) if language == "bash"
    ]  # fmt: skip


def differences(shown: Any, came: Any, at: str = "answer") -> list[str]:
    """Where what came is not what is shown; "…" stands for anything."""
    if shown == ANYTHING:
        return []
    if isinstance(shown, dict) and isinstance(came, dict) and shown.keys() == came.keys():
        return [fault for name in shown for fault in differences(shown[name], came[name], f"{at}.{name}")]
    return [] if shown == came else [f"{at}: the README shows {shown!r}, and {came!r} came"]


def test_the_two_commands_come_first() -> None:
    assert shown("sh")[0].splitlines()[0].startswith("make run")
    assert shown("sh")[0].splitlines()[1].startswith("make test")


def test_the_worked_example_answers_as_it_is_shown(service: str, tmp_path: Path) -> None:
    steps = walkthrough()
    assert len(steps) >= 8
    script = f"\necho '{END_OF_BLOCK}'\n".join(commands for commands, _, _ in steps)
    assert ADDRESS in script
    ran = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script.replace(ADDRESS, service)],
        cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr
    answers = ran.stdout.split(f"{END_OF_BLOCK}\n")
    assert len(answers) == len(steps)
    for (commands, language, answer), came in zip(steps, answers, strict=True):
        if language == "text":
            assert came == answer
            continue
        assert len(came.splitlines()) == len(answer.splitlines()), commands
        for wanted, line in zip(answer.splitlines(), came.splitlines(), strict=True):
            assert differences(json.loads(wanted), json.loads(line)) == [], commands
    assert (tmp_path / "night.pdf").read_bytes().startswith(b"%PDF-")
    assert in_a_process("audit", tmp_path / "night.bundle.json").code == 0


@pytest.mark.parametrize("number", [0, 1])
def test_the_python_runs(service: str, number: int) -> None:
    script = shown("python")[number].replace(ADDRESS, service)
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ("Cat 4c" if number == 0 else "'type': 'ante'") in ran.stdout
