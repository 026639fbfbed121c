"""A Postgres and a streaming replica of it, both to be killed, stopped and promoted at will."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from service.embedded import child
from service.embedded.programs import installed_programs

START_SECONDS = 120.0  # only what hangs takes so long, however busy the machine is
OPTIONS = {
    "listen_addresses": "",
    "fsync": "off",  # what is killed here is a process, and never the machine
    "shared_buffers": "16MB",
    "wal_keep_size": "64MB",
    "wal_receiver_status_interval": "1",
    "wal_retrieve_retry_interval": "100ms",
    "max_standby_streaming_delay": "500ms",
}
USER = "bragbook"


class Server:
    """One Postgres, on a folder of its own."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.cluster = folder / "cluster"
        self.conninfo = make_conninfo(host=str(folder), user=USER, dbname="postgres")
        self._programs = programs
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir()
        _give_away(folder)

    def run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start one of the programs, as another user where we are root, to end with us."""
        account = _account()
        order: child.Order = {
            "parent": os.getpid(),
            "user": account.pw_uid if account else None,
            "group": account.pw_gid if account else None,
            "closed": None,
            "shown": [],
        }
        command = [sys.executable, "-I", "-S", child.__file__, json.dumps(order), str(self._programs / program)]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [*command, *arguments], stdout=log, stderr=log, cwd=self._folder, start_new_session=True
            )

    @property
    def ended(self) -> bool:
        """Whether it does not run."""
        return self._process is None

    def start(self) -> None:
        """Start it, and wait until it can be asked."""
        options = [part for name, value in OPTIONS.items() for part in ("-c", f"{name}={value}")]
        where = ["-D", str(self.cluster), "-c", f"unix_socket_directories={self._folder}"]
        self._process = self.run("postgres", *where, *options)
        give_up_at = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.conninfo).close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self._folder / "log").read_text()
                assert time.monotonic() < give_up_at, (self._folder / "log").read_text()
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it, in an orderly way or by SIGKILL to all its processes."""
        if self._process is None:
            return
        if how == signal.SIGKILL:
            self.signal_all(how)
        else:
            self._process.send_signal(how)
        self._process.wait(START_SECONDS)
        self._process = None

    def signal_all(self, how: signal.Signals) -> None:
        """A signal to each of its processes, which are in groups of their own."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        for pid in (self._process.pid, *map(int, children.split())):
            with suppress(ProcessLookupError):
                os.kill(pid, how)

    def ask(self, sql: Any, values: Any = ()) -> list[tuple[Any, ...]]:
        """The rows of one statement over a connection of its own."""
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            cursor = connection.execute(sql, values)
            return cursor.fetchall() if cursor.description else []


class Pair:
    """A primary and its replica."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.primary = Server(programs, folder / "primary")
        self.replica = Server(programs, folder / "replica")

    def start(self) -> None:
        """Make both and start them."""
        made = self.primary.run(
            "initdb", "-D", str(self.primary.cluster), "-U", USER, "--encoding=UTF8", "--locale=C", "--no-sync"
        )
        assert made.wait(120) == 0
        self.make_replica()

    def make_replica(self) -> None:
        """Make the replica anew, from a copy of the primary while that is stopped; both run after it."""
        self.replica.stop()
        self.primary.stop()
        shutil.rmtree(self.replica.cluster, ignore_errors=True)
        shutil.copytree(self.primary.cluster, self.replica.cluster)
        (self.replica.cluster / "standby.signal").touch()
        with (self.replica.cluster / "postgresql.auto.conf").open("a") as configuration:
            configuration.write(f"primary_conninfo = '{self.primary.conninfo}'\n")
        _give_away(self.replica.cluster)
        self.primary.start()
        self.replica.start()

    def stop(self) -> None:
        """End both."""
        self.replica.stop(signal.SIGKILL)
        self.primary.stop(signal.SIGKILL)

    def catch_up(self) -> None:
        """Wait until the replica shows all that the primary has."""
        reached = self.primary.ask("select pg_current_wal_flush_lsn()")[0][0]
        give_up_at = time.monotonic() + START_SECONDS
        while not self.replica.ask("select pg_last_wal_replay_lsn() >= %s::pg_lsn", (reached,))[0][0]:
            assert time.monotonic() < give_up_at, "the replica does not catch up"
            time.sleep(0.02)


@contextmanager
def replicated() -> Iterator[Pair]:
    """A primary and its replica, running; skips the test where there are no programs of Postgres."""
    folder = Path(tempfile.mkdtemp(prefix="bragbook-replica-"))
    folder.chmod(0o711)  # as root, the servers' user has to pass through
    pair = None
    try:
        pair = Pair(_programs(folder), folder)
        pair.start()
        yield pair
    finally:
        if pair is not None:
            pair.stop()
        shutil.rmtree(folder)


def _programs(folder: Path) -> Path:
    """The programs that come along, copied to where the servers' user can reach them, or the system's."""
    installed = installed_programs()
    if installed:
        if os.geteuid() != 0:
            return installed[0].folder / "bin"
        shelf = folder / "programs"
        shelf.mkdir(mode=0o755)
        return installed[0].copy_into(shelf).folder / "bin"
    for found in sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), reverse=True):
        return found.parent
    pytest.skip("no Postgres is installed to make a replica with (make run installs one; Debian: postgresql)")


def _account() -> pwd.struct_passwd | None:
    """Whom the servers run as: Postgres does not run as root."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def _give_away(folder: Path) -> None:
    account = _account()
    for path in (folder, *folder.rglob("*")) if account is not None else ():
        os.chown(path, account.pw_uid, account.pw_gid)
