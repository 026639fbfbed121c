"""Durable appends: beside bare inserts of the same bytes, and beside the event stores that somebody could take."""

from __future__ import annotations

import gc
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

from tests.benchmarks.harness import Table, database, duration, in_turn, median, percentile, ratio
from tests.benchmarks.material import Night, nights
from tests.benchmarks.peers import Append, Bare, EventSourcing, Http, MessageDb, Peer, Store

ROUNDS = 9
PEERS: tuple[type[Peer], ...] = (Bare, MessageDb, EventSourcing, Store, Http)


class Way:
    """A way of writing: so many writers, each in sessions of their own, so many events at once, so many in all."""

    def __init__(self, name: str, writers: int, size: int, events: int) -> None:
        self.name = name
        self.writers = writers
        self.size = size
        self.events = events


WAYS = (
    Way("one writer", 1, 1, 600),
    Way("eight writers, eight sessions", 8, 1, 1_200),
    Way("one writer, batches of ten", 1, 10, 2_000),
)
NIGHT = 100
"""The events of a night that are appended."""


def measure(at: str) -> list[Table]:
    """A table for each way of writing."""
    return [_measured(at, way) for way in WAYS]


def _measured(at: str, way: Way) -> Table:
    table = Table(
        f"Durable appends: {way.name}",
        f"Events a second that are on disk when the call returns; {way.events:,} events of all games a round, "
        f"{ROUNDS} rounds in turn. In brackets the middle half of the rounds.",
        ("", "events/s", "of bare", "p50", "p99"),
    )
    peers: dict[str, Peer] = {}
    latencies: dict[str, list[float]] = {}
    with ExitStack() as stack:
        for kind in PEERS:
            why_not = MessageDb.missing() if kind is MessageDb else ""
            if why_not:
                table.notes.append(f"{kind.name} is left out: {why_not}.")
                continue
            peers[kind.name] = peer = kind(stack.enter_context(database(at)), way.writers)
            stack.callback(peer.close)
            latencies[kind.name] = []
        chosen = {name: _endless() for name in peers}
        rates = in_turn(
            {name: _round(peer, way, chosen[name], latencies[name]) for name, peer in peers.items()}, ROUNDS
        )
    for name in peers:
        table.rows.append(
            (
                name,
                median(rates[name]),
                "1" if name == Bare.name else ratio(rates[name], rates[Bare.name]),
                duration(percentile(latencies[name], 50)),
                duration(percentile(latencies[name], 99)),
            )
        )
        if name != Bare.name:
            table.headlines.append((f"durable appends to bare inserts, {way.name}: {name}", table.rows[-1][2]))
    return table


def _endless() -> Iterator[Night]:
    """Nights of all games one after another, the long ones only, so that as much is appended of each."""
    return itertools.cycle([night for night in nights() if len(night.raws) >= NIGHT])


def _round(peer: Peer, way: Way, chosen: Iterator[Night], latencies: list[float]) -> Callable[[], float]:
    def run() -> float:
        a_writer = way.events // way.writers // NIGHT or 1
        most = min(NIGHT, way.events // way.writers)
        appends = [
            peer.prepare(writer, list(itertools.islice(chosen, a_writer)), way.size, most)
            for writer in range(way.writers)
        ]
        events = sum(len(of_one) for of_one in appends) * way.size
        took, each = together(appends)
        latencies.extend(each)
        return events / took

    return run


def together(writers: Sequence[Sequence[Append]]) -> tuple[float, list[float]]:
    """All writers at once, a thread each: (seconds from the first to the last, seconds of each append)."""
    each: list[list[float]] = [[] for _ in writers]
    faults: list[BaseException] = []
    start = threading.Barrier(len(writers) + 1)

    def write(number: int) -> None:
        took = each[number]
        start.wait()
        try:
            for append in writers[number]:
                begun = time.perf_counter()
                append()
                took.append(time.perf_counter() - begun)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(len(writers))]
    for thread in threads:
        thread.start()
    gc.collect()
    start.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - begun
    if faults:
        raise faults[0]
    return took, list(itertools.chain.from_iterable(each))
