"""A clock that jumps back, hours at a time, under a service that runs: no event seems older than the one before it.

The clock is the process's own, really changed while it runs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from tests.cli.terminal import bragbook
from tests.factories import EventFactory, SessionFactory
from tests.faults.served import Served, log_file

# The time of day as the process reads it, shifted by what the file says. The monotonic clock is left alone.
LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *at) {
    int failed = syscall(SYS_clock_gettime, clock, at);
    if (!failed && clock == CLOCK_REALTIME) {
        char text[32] = "";
        int file = open(getenv("CLOCK_SHIFT_FILE"), O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            text[read(file, text, 31) > 0 ? 31 : 0] = 0;
            close(file);
        }
        at->tv_sec += atol(text);
    }
    return failed;
}
"""


@pytest.fixture
def library(tmp_path: Path) -> str:
    """A library that shifts the clock of the process that it is loaded into."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("no C compiler here to make a clock with (Debian: apt-get install gcc)")
    built, source = tmp_path / "clock.so", tmp_path / "clock.c"
    source.write_text(LIBRARY)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", built, source], check=True)
    (tmp_path / "probe").write_text("-315360000")
    probe = "import datetime; print(datetime.datetime.now(datetime.timezone.utc).year)"
    environment = {"LD_PRELOAD": str(built), "CLOCK_SHIFT_FILE": str(tmp_path / "probe")}
    ran = subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() != str(datetime.now(UTC).year), "this Python does not see a changed clock"
    return str(built)


def test_a_clock_that_jumps_back(library: str, tmp_path: Path, fresh_database: str) -> None:
    clock = tmp_path / "clock"
    clock.write_text("0")
    changed = {"LD_PRELOAD": library, "CLOCK_SHIFT_FILE": str(clock)}
    with Served(tmp_path / "data", log_file(tmp_path), fresh_database, changed, log_level="error") as served:
        tables = [served.open(SessionFactory())]
        for seconds in (0, -3 * 3600, 2 * 3600, -30 * 86400, -1, 0):
            clock.write_text(str(seconds))
            tables.append(served.open(SessionFactory()))
            for table in tables:
                for events in ([EventFactory()], [EventFactory(), EventFactory()]):
                    assert served.record(table, *events)[0] == 201
            assert served.ask("GET", "/readyz")[0] == 200
        logs = [[orjson.loads(line) for line in served.lines(table)] for table in tables]
    for log in logs:
        stamps = [event["recorded_at"] for event in log]
        assert stamps == sorted(stamps)
    now = datetime.now(UTC)
    # The clock was believed where it went on, and where a table was opened by it.
    assert logs[0][-1]["recorded_at"] > stamp(now + timedelta(hours=1))
    assert logs[4][0]["recorded_at"] < stamp(now - timedelta(days=29))
    assert logs[4][-1]["recorded_at"] > stamp(now - timedelta(days=1))
    assert bragbook("verify", DATABASE_URL=fresh_database).code == 0


def stamp(time: datetime) -> str:
    return time.isoformat(timespec="microseconds")[:-6] + "Z"
