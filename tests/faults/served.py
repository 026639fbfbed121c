"""The service as a user starts it, to be killed and started again: the same command, folder and port each time."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from types import TracebackType
from typing import Any

import orjson
import psutil

from tests.embedded.processes import ROOT

READY = re.compile(r"^Bragbook is ready at http://127\.0\.0\.1:(\d+)$")
PATIENCE_SECONDS = 60
Answer = tuple[int, dict[str, str], bytes]


class Served:
    """`bragbook serve` on the Postgres that comes along in `data`, or on the one that `database_url` names.

    `settings`: BRAGBOOK_…; `environment`: any other variable. What it writes on standard error is in `log`.
    """

    def __init__(
        self,
        data: Path,
        log: Path,
        database_url: str = "",
        environment: dict[str, str] | None = None,
        **settings: Any,
    ) -> None:
        self.data = data
        self.log = log
        self.port = free_port()
        clean = {name: value for name, value in os.environ.items() if not name.startswith("BRAGBOOK_")}
        given = {f"BRAGBOOK_{name.upper()}": str(value) for name, value in settings.items()}
        self._environment = {**clean, **given, "DATABASE_URL": database_url, "PYTHONUNBUFFERED": "1"}
        self._environment |= environment or {}
        self.process: subprocess.Popen[str] | None = None
        self.said: list[str] = []

    def start(self) -> Served:
        """Starts it, and waits until it says that it is ready."""
        command = [sys.executable, "-m", "service.cli", "serve", "--port", str(self.port), "--data", str(self.data)]
        with self.log.open("ab") as errors:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self._environment, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        assert self.process.stdout is not None
        too_long = threading.Timer(PATIENCE_SECONDS * 2, self.process.kill)
        too_long.start()
        try:
            for line in self.process.stdout:
                self.said.append(line.rstrip("\n"))
                if READY.match(self.said[-1]):
                    return self
        finally:
            too_long.cancel()
        raise AssertionError(f"it ended with {self.process.wait()}: {self.said} {self.log.read_text()[-3000:]}")

    def __enter__(self) -> Served:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Ends it, in the way that a signal ends it; nothing where it has ended already."""
        process, self.process = self.process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(how)
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        finally:
            assert process.stdout is not None
            process.stdout.close()

    def kill(self) -> None:
        """kill -9 of the process that was started."""
        self.stop(signal.SIGKILL)

    @property
    def worker(self) -> psutil.Process:
        """The process that answers requests."""
        assert self.process is not None
        children = psutil.Process(self.process.pid).children()
        return next(child for child in children if "python" in child.name())

    @property
    def postmaster(self) -> int:
        """The pid of the Postgres that comes along."""
        return int((self.data / "postgres" / "postmaster.pid").read_text().split("\n", 1)[0])

    def ask(
        self, method: str, path: str, body: Any = None, token: str | None = None, timeout_s: float = 60, **headers: str
    ) -> Answer:
        """(status, headers by name in small letters, body) of one request.

        Raises OSError, http.client.HTTPException where no answer comes.
        """
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            connection.request(method, path, None if body is None else orjson.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def open(self, body: Any) -> dict[str, Any]:
        """A session that must open."""
        status, _, opened = self.ask("POST", "/api/v1/sessions", body)
        assert status == 201, opened
        return dict(orjson.loads(opened))

    def record(self, table: dict[str, Any], *events: Any, timeout_s: float = 60, **headers: str) -> Answer:
        """Record events in an opened session with its `record` token."""
        body = list(events) if len(events) != 1 else events[0]
        path = f"/api/v1/sessions/{table['id']}/events"
        return self.ask("POST", path, body, table["tokens"]["record"], timeout_s, **headers)

    def lines(self, table: dict[str, Any]) -> list[bytes]:
        """The session's whole log, a stored event each."""
        path = f"/api/v1/sessions/{table['id']}/events"
        answer = self.ask("GET", path, None, table["tokens"]["record"], Accept="application/x-ndjson")
        assert answer[0] == 200, answer
        return answer[2].splitlines()


def free_port() -> int:
    """A port that nobody uses now, nor will be given soon by the system, as one that it gave out would be."""
    while True:
        port = SystemRandom().randrange(20_000, 30_000)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def eventually(condition: Any, what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Waits until `condition()` is true; that nobody answers counts as not yet."""
    until = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except (OSError, http.client.HTTPException):
            pass
        assert time.monotonic() < until, f"not within {seconds:.0f} seconds: {what}"
        time.sleep(0.05)


def log_file(folder: Path, name: str = "service.log") -> Path:
    """An empty file in a folder."""
    path = folder / name
    path.touch()
    return path
