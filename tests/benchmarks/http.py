"""The service as a process of its own, and a client that costs as little as one can."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def served(conninfo: str, **settings: object) -> Iterator[int]:
    """The service on a database, started as a user starts it; the port it listens on. settings: `threads=400`, …"""
    with served_process(conninfo, **settings) as (port, _):
        yield port


@contextmanager
def served_process(conninfo: str, **settings: object) -> Iterator[tuple[int, int]]:
    """The same; the port and the id of the process that was started."""
    environment = {
        **os.environ,
        "DATABASE_URL": conninfo,
        "BRAGBOOK_LOG_LEVEL": "error",
        "BRAGBOOK_REQUESTS_PER_MINUTE_BY_TOKEN": "100000000",
        "BRAGBOOK_REQUESTS_PER_MINUTE_BY_ADDRESS": "100000000",
        "BRAGBOOK_SESSIONS_PER_MINUTE_BY_ADDRESS": "100000000",
        **{f"BRAGBOOK_{name.upper()}": str(value) for name, value in settings.items()},
    }
    folder = tempfile.TemporaryDirectory(prefix="bragbook-")
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", "serve", "--port", "0", "--data", folder.name],
        env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if "is ready at" in line:
                yield int(line.rsplit(":", 1)[1]), process.pid
                return
        raise RuntimeError("The service did not start; what it says of that is above.")
    finally:
        process.terminate()
        process.wait(20)
        folder.cleanup()


class Client:
    """A kept connection to the service."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def post(self, path: str, body: bytes, token: str | None = None) -> Any:
        """The answer to a POST, decoded. Raises RuntimeError for one that is not of the 2xx."""
        headers = {"Content-Type": "application/json"}
        return json.loads(self._ask("POST", path, body, headers, token))

    def get(self, path: str, token: str, accept: str = "application/json") -> bytes:
        """The answer to a GET."""
        return self._ask("GET", path, None, {"Accept": accept}, token)

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str], token: str | None) -> bytes:
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:500]!r}")
        return content
