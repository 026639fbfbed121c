"""Processes that run or join an embedded Postgres, and a look at what is running."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Only what hangs takes so long, however busy the machine is.
PATIENCE_SECONDS = 120.0
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


class Holder:
    """A process of holder.py."""

    def __init__(self, arguments: list[str], before: list[str], environment: dict[str, str] | None) -> None:
        self.process = subprocess.Popen(
            [*before, sys.executable, str(HERE / "holder.py"), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        )

    def ready(self) -> Holder:
        """Wait for its line; sets conninfo, runs_server and pid."""
        assert self.process.stdout
        assert select.select([self.process.stdout], [], [], PATIENCE_SECONDS)[0], "the holder said nothing"
        self.said = json.loads(self.process.stdout.readline())
        self.conninfo = self.said.get("conninfo", "")
        self.runs_server = self.said.get("runs_server")
        return self

    @property
    def fault(self) -> str:
        return self.said["fault"]

    def query(self, statement: str, *parameters: object) -> list[tuple]:
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            cursor = connection.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    def kill(self) -> None:
        """kill -9, as a machine without memory does it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE_SECONDS)

    def stop(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(PATIENCE_SECONDS)

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()


def postmaster(data: Path) -> int:
    return int((data / "postgres" / "postmaster.pid").read_text().split("\n", 1)[0])


def processes_in(folder: Path) -> Iterator[int]:
    """The pids of the processes that work somewhere in a folder, as Postgres's do in its cluster."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cwd").readlink().is_relative_to(folder):
                    yield int(entry.name)
            except OSError:
                continue


def ended(process: psutil.Process) -> bool:
    """Whether a process is gone, or only waits for its parent to hear of it."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def until(true: Callable[[], object], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until something is true; psycopg's errors on the way count as not yet."""
    give_up_at = time.monotonic() + seconds
    while True:
        try:
            if true():
                return
        except (psycopg.OperationalError, FileNotFoundError):
            pass
        assert time.monotonic() < give_up_at, f"not within {seconds:.0f} seconds: {what}"
        time.sleep(0.02)
