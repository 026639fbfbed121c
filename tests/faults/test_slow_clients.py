"""Clients that never come to an end of what they send, or never read what they asked for: others are served meanwhile,
and they cost a connection or a thread, and no memory to speak of."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.factories import EventFactory
from tests.faults.kept import Kept
from tests.faults.served import Served, eventually, log_file

THREADS = 16
FROM = "127.0.0.2"  # others come from another address
MUCH_BYTES = 48 << 20  # far more than all of it together, far less than it would come to if it were kept

# Else what it needs grows with how many of its threads happen to answer: each keeps what it was given once.
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}


@pytest.fixture(scope="module")
def served(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("slow-clients")
    with Served(folder, log_file(folder), database, ONE_ARENA, log_level="error", threads=THREADS) as served:
        yield served


def sent(served: Served, clients: ExitStack, beginning: str, **options: int) -> socket.socket:
    """A connection over which the beginning of a request was sent."""
    line = clients.enter_context(socket.socket())
    line.bind((FROM, 0))
    for name, value in options.items():
        line.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
    line.connect(("127.0.0.1", served.port))
    line.sendall(beginning.replace("\n", "\r\n").encode())
    return line


def goes_on(line: socket.socket, some: bytes) -> None:
    """Sends some more, to a service that may have had enough of it."""
    with suppress(BrokenPipeError, ConnectionResetError):
        line.sendall(some)


def test_watchers_who_never_read(served: Served) -> None:
    kept = Kept(served)
    path, token = f"/api/v1/sessions/{kept.table['id']}/stream", kept.table["tokens"]["view"]
    request = f"GET {path} HTTP/1.1\nHost: localhost\nAuthorization: Bearer {token}\n\n"
    with ExitStack() as clients:
        lines = [sent(served, clients, request, SO_RCVBUF=4096) for _ in range(THREADS // 2)]
        # One address may have so many streams, and is told so where it wants more.
        assert {line.recv(12) for line in lines} <= {b"HTTP/1.1 200", b"HTTP/1.1 429"}
        assert open_streams(served) >= 2
        before = 0
        for number in range(10):
            status, *_ = served.record(kept.table, *a_lot())
            assert status == 201
            if number == 1:
                before = served.worker.memory_info().rss
        assert served.worker.memory_info().rss - before < MUCH_BYTES
        assert served.ask("GET", "/readyz", timeout_s=20)[0] == 200
    eventually(lambda: open_streams(served) == 0, "those who went are forgotten")


def test_bodies_that_never_end(served: Served) -> None:
    """More of them than there are threads."""
    kept = Kept(served)
    path, token = f"/api/v1/sessions/{kept.table['id']}/events", kept.table["tokens"]["record"]
    head = f"POST {path} HTTP/1.1\nHost: localhost\nAuthorization: Bearer {token}\n"
    head += 'Content-Type: application/json\nContent-Length: 10000\n\n{"type":"note","text":"'
    with ExitStack() as clients:
        lines = [sent(served, clients, head) for _ in range(THREADS * 2)]
        for _ in range(5):
            for line in lines:
                goes_on(line, b"and so on ")
            kept.records()
        assert served.ask("GET", "/readyz", timeout_s=20)[0] == 200
    kept.records()
    kept.is_whole()


@pytest.mark.soak  # headers may take half a minute
def test_headers_that_never_end(served: Served) -> None:
    before = served.worker.memory_info().rss
    kept = Kept(served)
    with ExitStack() as clients:
        lines = [sent(served, clients, "GET /readyz HTTP/1.1\nHost: localhost\n") for _ in range(THREADS * 10)]
        for number in range(5):
            for line in lines:
                goes_on(line, f"X-Slow-{number}: and so on\r\n".encode())
            kept.records()
        assert served.ask("GET", "/readyz")[0] == 200
    kept.is_whole()
    assert served.worker.memory_info().rss - before < MUCH_BYTES


def a_lot() -> list[dict[str, Any]]:
    """Nearly as much as one request may bring."""
    return [EventFactory(type="note", text="crisps " * 70) for _ in range(1000)]


def open_streams(served: Served) -> float:
    lines = served.ask("GET", "/metrics")[2].decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("bragbook_streams_open"))
