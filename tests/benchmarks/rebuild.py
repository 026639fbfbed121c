"""Rebuilding and verifying whole stores, as the commands do it, beside reading the same rows and doing nothing."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.benchmarks.harness import SCALE, Table, database, duration, number, quartiles, seconds
from tests.benchmarks.stores import copied_out, fill

SIZES = tuple(size for size in (10_000, 100_000, 1_000_000) if size <= SCALE)
ROUNDS = {10_000: 5, 100_000: 3, 1_000_000: 1}


def measure(at: str) -> list[Table]:
    """A row a size and command."""
    table = Table(
        "Rebuilding and verifying a whole store",
        "`bragbook rebuild` (drops what was worked out, and works it out again) and `bragbook verify` (hash chains and "
        "projections against a replay) of stores of nights of all games, from starting the command to its end, beside "
        "reading the same rows by COPY and doing nothing. Memory is the most of its largest process.",
        ("", "took", "of COPY's time", "events/s", "µs an event", "memory"),
    )
    for size in SIZES:
        with database(at) as conninfo:
            fill(conninfo, size)
            copied_out(conninfo)
            copies = [seconds(lambda: copied_out(conninfo)) for _ in range(5)]
            low, copy_s, high = quartiles(copies)
            table.rows.append(
                (
                    f"{size:,} events: COPY", f"{duration(copy_s)} ({duration(low)}–{duration(high)})", "1",
                    number(size / copy_s), number(copy_s / size * 1e6), "",
                )
            )  # fmt: skip
            for name in ("rebuild", "verify"):
                runs = [_command(conninfo, name) for _ in range(ROUNDS[size])]
                low, took, high = quartiles([took for took, _ in runs])
                table.rows.append(
                    (
                        f"{size:,} events: `bragbook {name}`", f"{duration(took)} ({duration(low)}–{duration(high)})",
                        number(took / copy_s), number(size / took), number(took / size * 1e6),
                        f"{max(mib for _, mib in runs):.0f} MiB",
                    )
                )  # fmt: skip
    start, mib = _command(None, "rebuild", "--help")
    table.notes.append(f"Starting the command takes {duration(start)} of that, and {mib:.0f} MiB.")
    return [table]


# A process of its own starts the command and says what it took: what is begun by a large process counts as large.
_BESIDE = """
import resource, subprocess, sys, time
begun = time.perf_counter()
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
sys.exit(code)
"""


def _command(conninfo: str | None, *words: str) -> tuple[float, float]:
    """(seconds, the most memory in MiB) of a command. Raises RuntimeError where it fails."""
    environment = {**os.environ, "DATABASE_URL": conninfo} if conninfo else None
    done = subprocess.run(
        [sys.executable, "-c", _BESIDE, sys.executable, "-m", "service.cli", *words], env=environment,
        stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"bragbook {' '.join(words)} failed with exit code {done.returncode}")
    took, mib = done.stdout.split()
    return float(took), float(mib)
