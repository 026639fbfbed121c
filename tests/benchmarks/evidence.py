"""Proving a night, and taking a very long one away: the speed of checking a chain, the memory of streaming a log."""

from __future__ import annotations

import hashlib
import http.client
import json
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from events.log import chain_fault
from service import migrate
from service.sessions import Sessions
from service.store.clubs import Clubs
from service.store.database import Database
from tests.benchmarks.harness import Table, database, duration, in_turn, median, number, ratio, seconds
from tests.benchmarks.http import served_process
from tests.benchmarks.material import long_night, sealed, stored_nights

ROUNDS = 15
LONG = 100_000
CHUNK = 1 << 16
PAGE_BYTES = resource.getpagesize()


def measure(at: str) -> list[Table]:
    """A table of verifying, one of streaming."""
    return [_verifying(), _streaming(at)]


def _verifying() -> Table:
    lines = [[row.stored().line() for row in next(nights)[1]] for nights in [stored_nights()] for _ in range(38)]
    events = sum(len(night) for night in lines)

    def rate(work: Callable[[list[bytes]], object]) -> Callable[[], float]:
        return lambda: events / seconds(lambda: [work(night) for night in lines])

    rates = in_turn(
        {
            "ours": rate(lambda night: chain_fault([json.loads(line) for line in night])),
            "both": rate(lambda night: [(json.loads(line), hashlib.sha256(line).digest()) for line in night]),
            "json": rate(lambda night: [json.loads(line) for line in night]),
            "hash": rate(lambda night: [hashlib.sha256(line).digest() for line in night]),
        },
        ROUNDS,
    )
    said = {
        "both": "`json.loads` and SHA-256, nothing else", "json": "`json.loads` alone", "hash": "SHA-256 alone",
    }  # fmt: skip
    table = Table(
        "Verifying a file",
        f"Events a second of {events:,} lines of event files: each decoded, written again in canonical form, hashed, "
        "and its place in the chain checked, with the standard library alone, as whoever holds a file does it offline.",
        ("", "events/s", "ours to it"),
        [
            ("Bragbook, `events.log`", median(rates["ours"]), "1"),
            *((said[name], median(rates[name]), ratio(rates["ours"], rates[name])) for name in said),
        ],
    )
    table.headlines.append(("events of a file verified, to `json.loads` and SHA-256 alone", table.rows[1][2]))
    return table


def _streaming(at: str) -> Table:
    table = Table(
        "Streaming a long session",
        "The whole log as NDJSON (`GET …/events`) by a service process that has just started, and what that added to "
        "its memory at the most.",
        ("events", "bytes", "took", "events/s", "memory before", "added at the most"),
    )
    with database(at) as conninfo:
        migrate.apply(conninfo)
        store = Database(conninfo, largest=2)
        store.open()
        store.wait(10)
        Clubs(store).make_first()
        sessions = Sessions(store)
        for length in (1_000, LONG):
            session, token = _stored(sessions, store, length)
            with served_process(conninfo) as (port, pid):
                _ask(port, session, token, "/events?limit=1", "application/json")  # what a first request brings in
                worker = _worker(pid)
                before, most = _memory_mib(worker), _Most(worker)
                begun = time.perf_counter()
                size, lines = _ask(port, session, token, "/events", "application/x-ndjson")
                took = time.perf_counter() - begun
                added = most.stop() - before
            if lines != length:
                raise RuntimeError(f"{lines} events came, of {length}")
            table.rows.append(
                (
                    f"{length:,}", f"{size:,}", duration(took), number(length / took), f"{before:.0f} MiB",
                    f"{added:.1f} MiB",
                )
            )  # fmt: skip
        sessions.close()
        store.close()
    return table


def _stored(sessions: Sessions, store: Database, length: int) -> tuple[str, str]:
    """A session with so many events in the store: (its id, a token that may read it)."""
    night = long_night(length)
    opened = sessions.open(night.body)
    first = store.ask("select hash from events where session = %s", (opened.id,))[0]
    rows = sealed(UUID(opened.id), night.events[1:], first[0].hex(), 1)
    with (
        store.lend() as connection,
        connection.cursor().copy(
            "copy events (session, seq, body, hash, client_id) from stdin (format binary)"
        ) as copy,
    ):
        copy.set_types(("uuid", "int8", "bytea", "bytea", "uuid"))
        for row in rows:
            copy.write_row((UUID(opened.id), *row))
    return opened.id, opened.tokens["view"]


def _ask(port: int, session: str, token: str, path: str, accept: str) -> tuple[int, int]:
    """(bytes, lines) of an answer, kept nowhere."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Accept": accept, "Authorization": f"Bearer {token}"}
    connection.request("GET", f"/api/v1/sessions/{session}{path}", headers=headers)
    answer = connection.getresponse()
    size = lines = 0
    while block := answer.read(CHUNK):
        size += len(block)
        lines += block.count(b"\n")
    connection.close()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status}")
    return size, lines


def _worker(pid: int) -> int:
    """The process that answers: the child of the one that was started which holds the most memory."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines())
        except OSError:
            continue  # it has ended
        if int(lines["PPid"]) == pid and "VmRSS" in lines:
            found[int(lines["Pid"])] = int(lines["VmRSS"].split()[0])
    return max(found, key=lambda child: found[child])


def _memory_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])
    return pages * PAGE_BYTES / 2**20


class _Most:
    """The most memory that a process holds, looked at every few milliseconds until `stop`."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._most = 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._stopping.wait(0.01):
            self._most = max(self._most, _memory_mib(self._pid))

    def stop(self) -> float:
        """In MiB."""
        self._stopping.set()
        self._thread.join()
        return max(self._most, _memory_mib(self._pid))
