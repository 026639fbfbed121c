"""Two hundred streams on one process while a thousand tables append: how late they are, and what they cost."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.benchmarks.harness import Table, database, duration, percentile
from tests.benchmarks.http import Client, served
from tests.benchmarks.material import long_night, with_ids
from tests.benchmarks.stores import fill

STREAMS = 200
SESSIONS = 40
A_SECOND = 130
SECONDS = 12
WRITERS = 8
WARM_UP_SECONDS = 2
OTHERS = 100_000
"""Events that the store holds already."""
THREADS = 2 * STREAMS + 32
"""Streams may take half of them."""


class Run(NamedTuple):
    """sent: (path, seq) -> when the append was begun and answered."""

    sent: dict[tuple[str, int], tuple[float, float]]
    heard: list[tuple[str, int, float]]

    @property
    def appends(self) -> list[float]:
        return [answered - begun for begun, answered in self.sent.values()]


def measure(at: str) -> list[Table]:
    """With nobody watching, and with everybody."""
    quiet = _run(at, 0)
    watched = _run(at, STREAMS)
    missed = len(watched.sent) * STREAMS // SESSIONS - len(
        [1 for path, seq, _ in watched.heard if (path, seq) in watched.sent]
    )
    lags = [at - watched.sent[path, seq][0] for path, seq, at in watched.heard if (path, seq) in watched.sent]
    table = Table(
        "Watching",
        f"{STREAMS} streams on {SESSIONS} sessions of one service process ({THREADS} threads) while {A_SECOND} appends "
        f"a second go in by {WRITERS} connections, for {SECONDS} seconds, into a store of {OTHERS:,} other events; "
        "everything through HTTP and on the same machine, the watchers in a process of their own.",
        ("", "p50", "p99", "most"),
        [
            ("an append, nobody watching", *_figures(quiet.appends)),
            (f"an append, {STREAMS} streams open", *_figures(watched.appends)),
            ("from sending an event to every watcher having it", *_figures(lags)),
        ],
    )
    table.notes.append(f"{len(lags):,} events reached a watcher; {missed} did not.")
    return [table]


def _figures(values: list[float]) -> tuple[str, str, str]:
    return duration(percentile(values, 50)), duration(percentile(values, 99)), duration(max(values))


def _run(at: str, streams: int) -> Run:
    with database(at) as conninfo:
        fill(conninfo, OTHERS)
        with served(conninfo, threads=THREADS) as port:
            tables = _tables(port)
            with _watchers(port, tables, streams) as heard:
                sent = _appended(port, tables)
                time.sleep(1)
    return Run(sent, heard)


def _tables(port: int) -> list[tuple[str, str, Iterator[bytes]]]:
    """(the session's path, its token, the bodies of its next events) of each session."""
    night = long_night(A_SECOND * (SECONDS + WARM_UP_SECONDS) // SESSIONS + 50)
    tables = []
    with Client(port) as client:
        for _ in range(SESSIONS):
            opened = client.post("/api/v1/sessions", json.dumps(night.body).encode())
            bodies = [json.dumps(raw).encode() for raw in with_ids(night.raws)]
            tables.append((f"/api/v1/sessions/{opened['id']}", opened["tokens"]["record"], iter(bodies)))
    return tables


def _appended(port: int, tables: list[tuple[str, str, Iterator[bytes]]]) -> dict[tuple[str, int], tuple[float, float]]:
    """Append at the pace, each writer in sessions of its own; the first seconds are not noted."""
    sent: dict[tuple[str, int], tuple[float, float]] = {}
    faults: list[BaseException] = []
    start = time.monotonic() + 0.2

    def write(writer: int) -> None:
        mine = tables[writer::WRITERS]
        seqs = {path: 1 for path, _, _ in mine}
        try:
            with Client(port) as client:
                for number in range((SECONDS + WARM_UP_SECONDS) * A_SECOND // WRITERS):
                    due = start + (number * WRITERS + writer) / A_SECOND
                    time.sleep(max(0.0, due - time.monotonic()))
                    path, token, bodies = mine[number % len(mine)]
                    begun = time.monotonic()
                    client.post(f"{path}/events", next(bodies), token)
                    seqs[path] += 1
                    if due >= start + WARM_UP_SECONDS:
                        sent[path, seqs[path]] = begun, time.monotonic()
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return sent


@contextmanager
def _watchers(
    port: int, tables: list[tuple[str, str, Iterator[bytes]]], streams: int
) -> Iterator[list[tuple[str, int, float]]]:
    """So many streams over these sessions; what they heard is in the list once the block has ended."""
    heard: list[tuple[str, int, float]] = []
    if not streams:
        yield heard
        return
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.watchers"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    asked: dict[str, Any] = {
        "port": port,
        "streams": [(f"{path}/stream", token) for path, token, _ in tables * (streams // len(tables))],
    }
    process.stdin.write(json.dumps(asked) + "\n")
    process.stdin.flush()
    if process.stdout.readline().strip() != "watching":
        raise RuntimeError("The streams could not be opened; what was answered is above.")
    try:
        yield heard
    finally:
        process.stdin.close()
        for line in process.stdout:
            path, seq, at = json.loads(line)
            heard.append((path.removesuffix("/stream"), seq, at))
        process.wait(20)
