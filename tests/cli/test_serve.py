"""`serve`, as it is started and stopped at a terminal, on the Postgres that comes along."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.terminal import bragbook

SECONDS = 120


@pytest.fixture
def folder() -> Iterator[Path]:
    """A new data folder, which the server's user can reach also where the tests are root's."""
    with tempfile.TemporaryDirectory(prefix="bragbook-serve-") as made:
        Path(made).chmod(0o711)
        yield Path(made) / "data"


@contextmanager
def served(folder: Path, *options: str) -> Iterator[tuple[list[str], str, subprocess.Popen]]:
    """(what was printed before it was ready, its address, the process) of a service that is stopped at the end."""
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "-m", "service.cli", "serve", "--data", str(folder), "--port", "0", *options]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout is not None
        try:
            before = []
            for line in process.stdout:
                if line.startswith("Bragbook is ready at "):
                    yield before, line.removeprefix("Bragbook is ready at ").strip(), process
                    return
                before.append(line)
            log.seek(0)
            pytest.fail(f"it did not start: {log.read()}")
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(SECONDS) == 0
            process.stdout.close()


def ask(address: str, path: str, body: object = None, token: str = "") -> dict:
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address + path, data, headers), timeout=30) as answer:
        return json.load(answer)


def test_a_night_outlasts_the_service_and_the_clubs_token_is_shown_once(folder: Path) -> None:
    with served(folder) as (before, address, _):
        assert any(line.strip().startswith("bb_club_") for line in before)
        night = ask(address, "/api/v1/sessions", {"game": "three-card", "players": ["A", "B"]})
        # The commands work beside a service that is running.
        ran = bragbook("export", night["id"], "--format", "ndjson", "--data", folder, DATABASE_URL="")
        assert (ran.code, ran.out.count("\n")) == (0, 1)
    with served(folder) as (before, address, _):
        assert before == []
        state = ask(address, f"/api/v1/sessions/{night['id']}", token=night["tokens"]["record"])
        assert state["version"] == 1


def test_a_port_that_is_taken_is_one_line(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = bragbook("serve", "--port", port, "--data", folder, DATABASE_URL="")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"bragbook: Port {port} on 127.0.0.1 is taken: stop what uses it, or name another with --port.\n"
    )
    assert not folder.exists()


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--tls-cert", __file__), 1, "TLS needs both"),
        (("--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.pem"), 2, "does not exist"),
        (("--tls-cert", __file__, "--tls-key", __file__), 1, "must be PEM files"),
        (("--host", "256.0.0.1"), 1, "is no address of this machine"),
        (("--port", "x"), 2, "is not a valid integer"),
    ],
)
def test_what_cannot_be_served_is_one_line(folder: Path, options: tuple[str, ...], code: int, said: str) -> None:
    ran = bragbook("serve", "--data", folder, *options, DATABASE_URL="")
    assert (ran.code, ran.out, ran.err.count("\n")) == (code, "", 1)
    assert said in ran.err


def test_a_setting_that_cannot_be_used_is_one_line(folder: Path) -> None:
    ran = bragbook("serve", "--data", folder, DATABASE_URL="", BRAGBOOK_THREADS="many")
    assert (ran.code, ran.err) == (1, "bragbook: BRAGBOOK_THREADS is a whole number, not 'many'.\n")


def test_a_certificate_of_the_environment_that_is_not_there_is_one_line(folder: Path) -> None:
    named = {"BRAGBOOK_TLS_CERT": "/nowhere.pem", "BRAGBOOK_TLS_KEY": "/nowhere.pem"}
    ran = bragbook("serve", "--port", "0", "--data", folder, DATABASE_URL="", **named)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "/nowhere.pem" in ran.err
    assert not folder.exists()


def test_the_log_says_what_keeps_the_user_of_another_database_from_changing_an_event(
    database: str, folder: Path
) -> None:
    command = [sys.executable, "-m", "service.cli", "serve", "--data", str(folder), "--port", "0"]
    environment = {**os.environ, "DATABASE_URL": database}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        while "is ready at" not in (line := process.stdout.readline()):
            assert line, "it ended before it was ready"
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=SECONDS)
    told = [entry["holds"] for entry in map(json.loads, log.splitlines()) if entry["event"] == "protection"]
    assert any(holds.startswith("events: ") for holds in told)
