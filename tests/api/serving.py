"""The service as a process of its own, on a port of its own, as somebody starts it from a terminal."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parents[2]
READY = re.compile(r"^Bragbook is ready at (https?)://(\[[^\]]+\]|[^:]+):(\d+)$")
# A machine that is busy with other tests is slow.
PATIENCE_SECONDS = 60


# However the tests themselves were started (with nohup, say), the service starts as from a terminal.
FROM_A_TERMINAL = ("env", "--default-signal=HUP")


class Service:
    """`bragbook serve` on a database, until the block ends. `arguments`: of the command; `settings`: BRAGBOOK_…

    Its data folder is its own and goes with it, unless `settings` name one. `through`: the command that starts it.
    """

    def __init__(
        self, conninfo: str, *arguments: str, through: Sequence[str] = FROM_A_TERMINAL, **settings: Any
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bragbook-")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BRAGBOOK_")}
        settings = {"data": self._folder.name, **settings}
        environment |= {f"BRAGBOOK_{name.upper()}": str(value) for name, value in settings.items()}
        self.process = subprocess.Popen(
            [*through, sys.executable, "-m", "service.cli", "serve", "--port", "0", *arguments],
            cwd=ROOT,
            env={**environment, "DATABASE_URL": conninfo, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        self.host, self.port = "", 0

    def __enter__(self) -> Service:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            ready = READY.match(self.said[-1])
            if ready:
                self.host, self.port = ready[2].strip("[]"), int(ready[3])
                return self
        raise AssertionError(f"it ended with {self.process.wait()}: {self.said} {self.process.stderr.read()}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.stop()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        self._folder.cleanup()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Stops it; the exit code."""
        self.process.send_signal(how)
        try:
            return self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @contextlib.contextmanager
    def connection(self) -> Iterator[http.client.HTTPConnection]:
        """A connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_SECONDS)
        try:
            yield connection
        finally:
            connection.close()

    def ask(
        self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        """(status, headers, JSON) of one request."""
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        with self.connection() as connection:
            connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            raw = answer.read()
            return answer.status, dict(answer.getheaders()), json.loads(raw) if raw else None

    def open(self, body: Any) -> dict[str, Any]:
        """A session that must open."""
        status, _, opened = self.ask("POST", "/api/v1/sessions", body)
        assert status == 201, opened
        return dict(opened)


class Stream:
    """A stream of server-sent events, read as they come."""

    def __init__(self, service: Service, session: str, token: str, after: int | None = None) -> None:
        self._connection = http.client.HTTPConnection(service.host, service.port, timeout=PATIENCE_SECONDS)
        headers = {"Authorization": f"Bearer {token}"}
        if after is not None:
            headers["Last-Event-ID"] = str(after)
        self._connection.request("GET", f"/api/v1/sessions/{session}/stream", headers=headers)
        self.answer = self._connection.getresponse()
        self.comments: list[str] = []

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Goes away without a word."""
        self.answer.close()
        self._connection.close()

    def block(self) -> dict[str, str] | None:
        """The next event's fields; comments are passed over; None where the stream has ended."""
        fields: dict[str, str] = {}
        while True:
            line = self.answer.readline().decode()
            if not line:
                return None
            name, _, value = line.rstrip("\n").partition(":")
            if line == "\n":
                if "data" in fields:
                    return fields
                fields = {}
            elif name:
                fields[name] = value.removeprefix(" ")
            else:
                self.comments.append(value.strip())

    def event(self) -> dict[str, Any]:
        """The next stored event, which must come under its seq."""
        fields = self.block()
        assert fields is not None, "the stream has ended"
        event = json.loads(fields["data"])
        assert fields["id"] == str(event["seq"])
        return dict(event)

    def comment(self) -> str:
        """The next comment."""
        before = len(self.comments)
        while len(self.comments) == before:
            line = self.answer.readline().decode()
            assert line, "the stream has ended"
            if line.startswith(":"):
                self.comments.append(line[1:].strip())
        return self.comments[-1]


def eventually(condition: Any, seconds: float = PATIENCE_SECONDS) -> None:
    """Waits until `condition()` holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not come about in time"
        time.sleep(0.05)
