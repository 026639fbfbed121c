"""Measuring fairly on a machine that is never quite quiet, and writing down what was measured.

What is compared is run in turn, round after round, so that a disturbance hits all of it; a figure is the median over
the rounds with the middle half (the interquartile range) beside it, and a comparison is the median of the rounds' own
ratios. Nothing is asserted by the clock.
"""

from __future__ import annotations

import gc
import os
import platform
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from service.embedded import EmbeddedPostgres
from tests.conftest import create_database, drop_database

QUIET = 1.0
"""Below this load average when it begins, nothing else runs on the machine."""
SCALE = int(os.environ.get("BENCH_SCALE", "100000"))
"""The events of the largest store that is measured; a million takes a quarter of an hour more."""


@dataclass
class Table:
    """A part of the page of figures: a heading, what was done, a table, and what is to be said about it.

    headlines: (figure, ratio) for the README.
    """

    title: str
    said: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    headlines: list[tuple[str, str]] = field(default_factory=list)

    def markdown(self) -> str:
        """The part as it stands in the page."""
        lines = [f"## {self.title}", "", self.said, ""]
        lines += [_line(self.columns), _line(["---"] + ["---:"] * (len(self.columns) - 1))]
        lines += [_line(row) for row in self.rows]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


# --- time -------------------------------------------------------------------------------------------------------------


def seconds(work: Callable[[], object]) -> float:
    """How long it takes, with the garbage of what came before gone first."""
    gc.collect()
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def in_turn(works: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Each piece of work once a round, in an order that turns; what each gave, by name, a value a round."""
    names, given = list(works), {name: list[float]() for name in works}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            given[name].append(works[name]())
    return given


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """(lower quartile, median, upper quartile)."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def percentile(values: Sequence[float], hundredth: float) -> float:
    """The value that so many hundredths of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * hundredth / 100))]


# --- writing figures --------------------------------------------------------------------------------------------------


def number(value: float) -> str:
    """A number with three significant digits, thousands set apart."""
    if value >= 1000:
        digits = len(str(int(value))) - 3
        return f"{round(value / 10**digits) * 10**digits:,}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def median(values: Sequence[float]) -> str:
    """The median, with the middle half."""
    low, middle, high = quartiles(values)
    return f"{number(middle)} ({number(low)}–{number(high)})"


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The median of the rounds' ratios, with the middle half."""
    return median([one / other for one, other in zip(ours, theirs, strict=True)])


def duration(value_s: float) -> str:
    """Seconds as people read them."""
    if value_s >= 1:
        return f"{number(value_s)} s"
    return f"{number(value_s * 1e3)} ms" if value_s >= 1e-3 else f"{number(value_s * 1e6)} µs"


# --- the machine ------------------------------------------------------------------------------------------------------


@contextmanager
def server() -> Iterator[str]:
    """A Postgres to measure on: the one that `TEST_DATABASE_URL` names, else the one that comes along."""
    named = os.environ.get("TEST_DATABASE_URL")
    if named:
        yield named
        return
    folder = Path(tempfile.mkdtemp(prefix="bragbook-bench-"))
    folder.chmod(0o711)
    embedded = EmbeddedPostgres(folder / "data")
    try:
        yield embedded.start()
    finally:
        embedded.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database(at: str) -> Iterator[str]:
    """A new database with nothing in it, gone afterwards."""
    conninfo = create_database(at)
    try:
        yield conninfo
    finally:
        drop_database(at, conninfo)


def settings_of(at: str) -> dict[str, str]:
    """What the server says of itself, as far as it bears on the figures."""
    asked = ("server_version", "fsync", "synchronous_commit", "wal_sync_method", "shared_buffers")
    with psycopg.connect(at) as connection:
        found = {name: connection.execute(f"show {name}").fetchone() for name in asked}
    return {name: str(row[0]) for name, row in found.items() if row is not None}


def processor() -> str:
    """The processor's name, where the machine tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def machine(at: str) -> str:
    """A sentence or two on what the figures were measured on."""
    told = settings_of(at)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    busy = os.getloadavg()[0]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"Measured on {time.strftime('%Y-%m-%d')} on {cores} cores ({processor()}), {memory:.0f} GiB of memory, "
        f"{platform.system()}; Python {platform.python_version()}; Postgres {told['server_version']} on the same "
        f"machine with `fsync = {told['fsync']}` ({told['wal_sync_method']}), "
        f"`synchronous_commit = {told['synchronous_commit']}`, `shared_buffers = {told['shared_buffers']}`. "
        + (
            "Nothing else ran."
            if busy < QUIET
            else f"Other work ran on the machine (load average {busy:.0f}): measure again."
        )
    )
