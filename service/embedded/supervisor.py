"""Runs the Postgres that comes along, and keeps it running."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from service.embedded import child
from service.embedded.faults import EmbeddedFault
from service.embedded.folder import PORT, SOCKET, DataFolder, open_own
from service.embedded.programs import Programs, choose_programs

logger = logging.getLogger(__name__)

DATABASE = "bragbook"
USER = "bragbook"
START_SECONDS = 120.0  # after a crash it first replays its log
INITDB_SECONDS = 300.0
STOP_SECONDS = 30.0
HURRY_SECONDS = 3.0  # after which an earlier owner's server, where the kernel did not end it with that, is told to end
POLL_SECONDS = 0.02
STOP_POLL_SECONDS = 0.2
TAKE_OVER_POLL_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 30.0  # between restarts of a server that keeps ending
LOG_BYTES = 1_000_000

# Given on the command line, so that no file in the cluster can undo them.
SERVER_SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] ",
    # An error's details quote the row, and a statement its values: neither belongs in a log.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}
INITDB_OPTIONS = [
    f"--username={USER}",
    "--encoding=UTF8",
    "--auth-local=trust",
    "--auth-host=reject",
    "--data-checksums",
]
INITDB_LOCALE = [
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
]  # the same order on every machine


class EmbeddedPostgres:
    """A Postgres on a data folder, shared by all processes of one user that use that folder.

    The first to start runs it, as a child that dies with it. The others join, and when the first ends one of them goes
    on with a server of its own at the same socket. Whatever ends, and however, every committed row is there after it.

        server = EmbeddedPostgres(folder)
        conninfo = server.start()
        ...
        server.stop()
    """

    def __init__(self, data: Path) -> None:
        self.data = data.resolve()  # one folder has one path, so that all who share it look for its socket in one place
        self._folder: DataFolder | None = None
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._fault: EmbeddedFault | None = None
        self._was_ready = False
        _started.add(self)

    @property
    def runs_server(self) -> bool:
        """Whether the server is this process's child, rather than another's that was joined."""
        return self._process is not None and self._process.poll() is None

    @property
    def server_pid(self) -> int | None:
        """The pid of the server, where it is this process's child."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> str:
        """Start the server, or join it where another process runs it; return how to connect to it.

        Raises EmbeddedFault when the folder cannot be used, or no server answers in time.
        """
        if self._thread is None:
            self._folder = DataFolder(self.data)
            choose_programs(self._folder.cluster)  # what cannot be run is refused before anything is touched
            self._stopping.clear()
            self._fault = None
            self._was_ready = False
            self._thread = threading.Thread(target=self._keep_running, name="postgres", daemon=True)
            self._thread.start()
        assert self._folder is not None
        try:
            conninfo = self._wait_until_ready(self._folder)
            self._was_ready = True
            return conninfo
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the server if it is ours. What is under way in it is rolled back; what was committed stays."""
        thread, self._thread = self._thread, None
        self._stopping.set()
        if thread is None:
            return
        for ending, seconds in ((signal.SIGINT, STOP_SECONDS), (signal.SIGQUIT, STOP_SECONDS), (signal.SIGKILL, 5.0)):
            give_up_at = time.monotonic() + seconds
            while thread.is_alive() and time.monotonic() < give_up_at:
                self._signal(ending)  # again, since it may only just be starting
                thread.join(STOP_POLL_SECONDS)

    def _signal(self, ending: signal.Signals) -> None:
        process = self._process
        if process is not None and process.poll() is None:
            process.send_signal(ending)

    def _wait_until_ready(self, folder: DataFolder) -> str:
        give_up_at = time.monotonic() + START_SECONDS
        while True:
            if self._fault is not None:
                raise self._fault
            conninfo = connection_string(folder)
            if conninfo is not None and is_ready(conninfo):
                return conninfo
            if time.monotonic() > give_up_at:
                raise EmbeddedFault(
                    f"Postgres was not ready after {START_SECONDS:.0f} seconds. It says why in {folder.log}; "
                    f"if it is still recovering from a crash, start again later."
                )
            time.sleep(POLL_SECONDS)

    def _keep_running(self) -> None:
        """The supervising thread. It starts the server itself: the kernel ties a child to the thread that made it."""
        folder = self._folder
        assert folder is not None
        try:
            while not self._stopping.is_set():
                if folder.owner_lock.take():
                    self._own(folder)
                else:
                    self._stopping.wait(TAKE_OVER_POLL_SECONDS)
        except OSError as fault:
            self._fault = EmbeddedFault(f"The data folder {folder.path} cannot be used: {fault}.")
        except EmbeddedFault as fault:
            self._fault = fault
        finally:
            folder.owner_lock.close()

    def _own(self, folder: DataFolder) -> None:
        """Run the server, again whenever it ends unasked, until stop().

        Raises EmbeddedFault or OSError when it cannot be started at all; after start() it is tried for ever.
        """
        pause = 0.0
        while not self._stopping.wait(pause):
            began = time.monotonic()
            try:
                self._run_once(folder)
                why = "Postgres ended unasked"
            except (EmbeddedFault, OSError) as fault:
                if not self._was_ready:
                    raise
                why = str(fault)
            if self._stopping.is_set():
                return
            ran = time.monotonic() - began
            pause = min(LONGEST_PAUSE_SECONDS, pause * 2 + 0.1) if ran < LONGEST_PAUSE_SECONDS else 0.0
            logger.warning("%s; it is started again in %.1f seconds.", why, pause)

    def _run_once(self, folder: DataFolder) -> None:
        """Start the server and stay with it to its end. Raises EmbeddedFault when it never came up."""
        if not self._wait_for_server_lock(folder):
            return
        try:
            programs = choose_programs(folder.cluster)
            if folder.account:
                folder.programs.mkdir(mode=0o755, exist_ok=True)
                folder.programs.chmod(0o755)
                programs = programs.copy_into(folder.programs)
            rotate(folder.log)
            if not folder.is_initialised():
                self._initialise(folder, programs)
            socket_folder = folder.make_socket_folder()
            folder.clear_stale(socket_folder)
            settings = {**SERVER_SETTINGS, "unix_socket_directories": str(socket_folder)}
            command = [str(programs.postgres), "-D", str(folder.cluster)]
            for name, value in settings.items():
                command += ["-c", f"{name}={value}"]
            log_began = folder.log.stat().st_size if folder.log.exists() else 0
            self._process = spawn(folder, command, [folder.cluster, socket_folder, folder.programs])
        finally:
            folder.server_lock.close()  # from here on the server itself holds it
        try:
            came_up = self._make_database(folder, self._process)
        finally:
            self._process.wait()
        if not came_up and not self._stopping.is_set():
            raise EmbeddedFault(why_it_ended(folder, self._process.returncode, log_began))

    def _wait_for_server_lock(self, folder: DataFolder) -> bool:
        """Wait until nothing of an earlier server is left. False when stop() came first."""
        give_up_at = time.monotonic() + STOP_SECONDS
        hurry_at = time.monotonic() + HURRY_SECONDS
        while not folder.server_lock.take():
            if self._stopping.wait(POLL_SECONDS):
                return False
            if time.monotonic() > hurry_at:
                folder.end_server()
                hurry_at = give_up_at
            if time.monotonic() > give_up_at:
                raise EmbeddedFault(
                    f"An earlier Postgres on {folder.path} is still ending. Try again in a while, or end it: "
                    f"kill -INT $(head -1 {folder.cluster}/postmaster.pid)"
                )
        return True

    def _initialise(self, folder: DataFolder, programs: Programs) -> None:
        """Make the cluster beside its place, and move it there when whole: a part of one is never taken for it."""
        unfinished = folder.remove_unfinished()
        folder.make_private(unfinished)
        command = [str(programs.initdb), "--pgdata", str(unfinished), *INITDB_OPTIONS, *INITDB_LOCALE]
        log_began = folder.log.stat().st_size if folder.log.exists() else 0
        process = self._process = spawn(folder, command, [unfinished, folder.programs])
        try:
            process.wait(INITDB_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.returncode != 0:
            raise EmbeddedFault(why_it_ended(folder, process.returncode, log_began))
        if folder.cluster.is_dir():
            folder.cluster.rmdir()  # empty, as DataFolder made sure
        unfinished.rename(folder.cluster)
        descriptor = os.open(folder.path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    def _make_database(self, folder: DataFolder, process: subprocess.Popen[bytes]) -> bool:
        """Make the database once the server takes connections. False when the server ended before."""
        while process.poll() is None:
            conninfo = connection_string(folder, "postgres")
            if conninfo is None or not is_ready(conninfo):
                time.sleep(POLL_SECONDS)
                continue
            try:
                with psycopg.connect(conninfo, autocommit=True) as connection:
                    if not connection.execute("select 1 from pg_database where datname = %s", [DATABASE]).fetchall():
                        connection.execute(f"create database {DATABASE}")
            except psycopg.OperationalError:
                continue
            return True
        return False


# A process forked from this one holds the same lock, and would keep it after this one's end: it lets go at once.
_started: weakref.WeakSet[EmbeddedPostgres] = weakref.WeakSet()


def _forget_in_fork() -> None:
    for server in list(_started):
        if server._folder is not None:
            server._folder.owner_lock.close()
            server._folder.server_lock.close()
        server._thread = None
        server._process = None


os.register_at_fork(after_in_child=_forget_in_fork)


def spawn(folder: DataFolder, command: list[str], shown: list[Path]) -> subprocess.Popen[bytes]:
    """Start a Postgres program by way of child.py: as the folder's account, tied to this thread, with the lock.

    It has a session of its own, so that Ctrl-C at the terminal reaches us, and Postgres only when we are done with it.
    """
    account = folder.account
    closed = folder.closed_to(account) if account else None
    order: child.Order = {
        "parent": os.getpid(),
        "user": account.user if account else None,
        "group": account.group if account else None,
        "closed": str(closed) if closed else None,
        "shown": [str(path) for path in shown if path.is_relative_to(folder.path)],
    }
    assert folder.server_lock.descriptor is not None
    log = open_own(folder.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(child.__file__)), json.dumps(order), *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            # Nothing of the user's settings for other servers (PGPORT, PGDATA, LC_ALL, …).
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
            pass_fds=[folder.server_lock.descriptor],
            start_new_session=True,
        )
    finally:
        os.close(log)


def connection_string(folder: DataFolder, database: str = DATABASE) -> str | None:
    """How to connect to the server of a folder, or None while it has no socket."""
    socket_folder = folder.socket_folder()
    if socket_folder is None or not (socket_folder / SOCKET).exists():
        return None
    return make_conninfo(host=str(socket_folder), port=PORT, user=USER, dbname=database)


def is_ready(conninfo: str) -> bool:
    """Whether a server answers there; waits for it 5 seconds at most."""
    try:
        with psycopg.connect(conninfo, connect_timeout=5, autocommit=True) as connection:
            connection.execute("select 1")
    except psycopg.OperationalError:
        return False
    return True


def rotate(log: Path) -> None:
    """Set a log that has grown long aside, in place of the one before it."""
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))


def why_it_ended(folder: DataFolder, status: int, log_began: int) -> str:
    """A program's last words, from where it began to write in the log."""
    if status == child.CANNOT_REACH and folder.account:
        closed = folder.closed_to(folder.account)
        return (
            f"Postgres does not run as root, and user {folder.account.name} cannot reach {folder.path}: {closed} is "
            f"closed to others, and this machine does not allow a way around. Name a folder with --data that others "
            f"may pass through to, such as /var/lib/bragbook, or start Bragbook as an ordinary user."
        )
    with folder.log.open("rb") as file:
        file.seek(log_began)
        last_words = file.read()[-2000:].decode(errors="replace").strip()
    return f"Postgres ended with status {status}. The end of {folder.log}:\n{last_words}"
