"""The data folder: what lies in it, whose it is, and who may start a server on it.

owner.lock      held by the one process that runs the server
server.lock     held by the server's own processes, so that the next starts only when the last of them is gone
postgres/       the cluster
socket/         the folder of its socket, open to its user alone
socket-folder   where that folder is, if not here: a socket's path may have 107 bytes at most
programs/       as root only: the programs, where the server's user can reach them
postgres.log    what the server says
evidence/       the signing key, how it followed others, and the last checkpoint, which service.evidence keeps there
"""

from __future__ import annotations

import errno
import fcntl
import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from service.embedded.faults import EmbeddedFault

PORT = 5432  # names the socket only; nothing listens on the network
SOCKET = f".s.PGSQL.{PORT}"
SOCKET_PATH_BYTES = 107 if os.uname().sysname == "Linux" else 103
# libpq and Postgres both read these as ending one folder and beginning another, or as quotes.
NOT_IN_A_SOCKET_FOLDER = frozenset(",'")
# initdb hands paths to a shell between double quotes.
NOT_IN_A_PATH = frozenset('"$`\\\n')
# Accounts that root may leave the server to, the first that exists: there is one on every system.
ACCOUNTS = ("postgres", "nobody", "daemon")


@dataclass(frozen=True, slots=True)
class Account:
    """An account other than root's that the server runs as."""

    user: int
    group: int
    name: str


class Lock:
    """A file that one process at a time may hold locked. Its end, however it comes, lets go."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor: int | None = None

    def take(self) -> bool:
        """Take it without waiting. False when another holds it."""
        descriptor = open_own(self.path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            os.close(descriptor)
            if fault.errno in (errno.EAGAIN, errno.EACCES):
                return False
            raise
        self.descriptor = descriptor
        return True

    def close(self) -> None:
        """Let go of it in this process; who inherited the descriptor still holds it."""
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            os.close(descriptor)


class DataFolder:
    """A data folder that exists and that this process may use.

    Raises EmbeddedFault when it cannot be made, belongs to another user or is something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cluster = path / "postgres"
        self.programs = path / "programs"
        self.log = path / "postgres.log"
        self.owner_lock = Lock(path / "owner.lock")
        self.server_lock = Lock(path / "server.lock")
        self._check()
        self.account = self._choose_account()

    def _check(self) -> None:
        if NOT_IN_A_PATH & set(str(self.path)):
            raise EmbeddedFault(
                f"Postgres cannot use the path {self.path}, for a character in it. Name another with --data."
            )
        try:
            # What root makes, the server's user has to pass through.
            make_folders(self.path, 0o711 if os.geteuid() == 0 else 0o700)
        except OSError as fault:
            raise EmbeddedFault(
                f"The data folder {self.path} cannot be made: {fault.strerror}. Name another with --data."
            ) from fault
        if not self.path.is_dir():
            raise EmbeddedFault(f"{self.path} is not a folder. Name another with --data.")
        owner = self.path.stat().st_uid
        # Not for root either: whoever may rename things in a folder could have root write somewhere else.
        if owner != os.geteuid():
            raise EmbeddedFault(
                f"The data folder {self.path} belongs to {user_name(owner)}. "
                f"Start Bragbook as that user, or name another folder with --data."
            )
        if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
            raise EmbeddedFault(f"The data folder {self.path} cannot be written to. Name another with --data.")
        if (self.path / "PG_VERSION").exists():
            version = (self.path / "PG_VERSION").read_text().strip()
            raise EmbeddedFault(
                f"{self.path} is the folder of another Postgres (version {version}). "
                f"Name an empty folder with --data, or run that Postgres and name it in DATABASE_URL."
            )
        if self.cluster.is_dir() and not self.is_initialised() and any(self.cluster.iterdir()):
            raise EmbeddedFault(
                f"{self.cluster} holds something that is not Bragbook's. Name another folder with --data."
            )

    def _choose_account(self) -> Account | None:
        """Whom the server runs as: None for this process's own user, and never root.

        The cluster's owner, once there is one; until then the first of ACCOUNTS.
        """
        if os.geteuid() != 0:
            return None
        if self.is_initialised():
            owner = self.cluster.stat().st_uid
            if owner == 0:
                raise EmbeddedFault(
                    f"{self.cluster} belongs to root, whom Postgres does not run for. "
                    f"Give it to another user: chown -R nobody {self.cluster}"
                )
            try:
                return _account(pwd.getpwuid(owner))
            except KeyError:
                raise EmbeddedFault(
                    f"{self.cluster} belongs to user {owner}, who has no account here, and Postgres runs for "
                    f"accounts only. Give it to one: chown -R nobody {self.cluster}"
                ) from None
        for name in ACCOUNTS:
            try:
                return _account(pwd.getpwnam(name))
            except KeyError:
                continue
        raise EmbeddedFault(
            f"Postgres does not run as root, and there is no account to run it as: none of {', '.join(ACCOUNTS)}."
        )

    def is_initialised(self) -> bool:
        """Whether there is a cluster, made whole."""
        return (self.cluster / "PG_VERSION").exists()

    def make_private(self, path: Path) -> None:
        """Make an empty folder that only the server's user may enter."""
        path.mkdir(mode=0o700)
        path.chmod(0o700)
        if self.account:
            os.chown(path, self.account.user, self.account.group)

    def socket_folder(self) -> Path | None:
        """Where the server's socket is, or is to be; None when no folder for it has been settled on yet."""
        own = self.path / "socket"
        if _fits(own):
            return own if own.is_dir() else None
        try:
            elsewhere = Path(os.fsdecode((self.path / "socket-folder").read_bytes()))
        except FileNotFoundError:
            return None
        return elsewhere if self._is_private(elsewhere) else None

    def make_socket_folder(self) -> Path:
        """Settle where the server's socket is to be. For the holder of the owner's lock."""
        settled = self.socket_folder()
        if settled:
            return settled
        own = self.path / "socket"
        if _fits(own):
            self.make_private(own)
            return own
        for parent in (os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp"):  # noqa: S108 - made private below
            if parent and Path(parent).is_dir() and _fits(Path(parent) / "bragbook-12345678"):
                break
        else:
            raise EmbeddedFault(
                f"The path of {self.path} is too long for a socket in it. Name a shorter one with --data."
            )
        made = Path(tempfile.mkdtemp(prefix="bragbook-", dir=parent))  # 0700, with a name that nobody can foresee
        if self.account:
            os.chown(made, self.account.user, self.account.group)
        descriptor = open_own(self.path / "socket-folder", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.fsencode(made))
        return made

    def _is_private(self, folder: Path) -> bool:
        try:
            found = folder.lstat()
        except OSError:
            return False
        user = self.account.user if self.account else os.geteuid()
        return stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o700 and found.st_uid == user

    def closed_to(self, account: Account) -> Path | None:
        """The first folder on the way into this one that an account may not pass, or None."""
        for folder in (*reversed(self.path.parents), self.path):
            found = folder.stat()
            if found.st_uid == account.user:
                may_pass = found.st_mode & stat.S_IXUSR
            elif found.st_gid == account.group:
                may_pass = found.st_mode & stat.S_IXGRP
            else:
                may_pass = found.st_mode & stat.S_IXOTH
            if not may_pass:
                return folder
        return None

    def clear_stale(self, socket_folder: Path) -> None:
        """Remove what a server that was killed leaves lying. For the holder of both locks only.

        Postgres would go by the pid in these files, which may be another process's by now: after a restart of a
        container it nearly always is.

        Raises EmbeddedFault when that pid is a Postgres on this folder after all, which someone started by hand.
        """
        pid = self.server_pid()
        if pid is not None:
            raise EmbeddedFault(
                f"A Postgres that Bragbook did not start runs on {self.cluster}. Stop it first: kill -INT {pid}"
            )
        for stale in (self.cluster / "postmaster.pid", socket_folder / SOCKET, socket_folder / f"{SOCKET}.lock"):
            stale.unlink(missing_ok=True)

    def server_pid(self) -> int | None:
        """The pid that Postgres left in its file, if a Postgres on this folder has it now."""
        try:
            pid = (self.cluster / "postmaster.pid").read_text().split("\n", 1)[0].strip()
        except FileNotFoundError:
            return None
        return int(pid) if pid.isdigit() and _runs_in(int(pid), self.cluster) else None

    def end_server(self) -> None:
        """Tell a server that an earlier owner left behind to end."""
        pid = self.server_pid()
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)

    def remove_unfinished(self) -> Path:
        """Where to make a new cluster, cleared of one that was not finished; moved into place when it is whole."""
        unfinished = self.path / "postgres.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        return unfinished


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)


def _fits(folder: Path) -> bool:
    """Whether a folder's path can be that of a socket's folder."""
    return len(os.fsencode(folder / SOCKET)) <= SOCKET_PATH_BYTES and not NOT_IN_A_SOCKET_FOLDER & set(str(folder))


def _runs_in(pid: int, folder: Path) -> bool:
    """Whether a process works in a folder, as Postgres does in its own; without /proc, whether it is a Postgres."""
    if Path("/proc/self/cwd").exists():
        try:
            return Path(f"/proc/{pid}/cwd").samefile(folder)
        except OSError:
            return False
    found = subprocess.run(["ps", "-p", str(pid), "-o", "comm="], check=False, capture_output=True, text=True)
    return Path(found.stdout.strip()).name == "postgres"


def make_folders(path: Path, mode: int) -> None:
    """Make a folder and those above it that are missing, with this mode whatever the umask is."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        folder.chmod(mode)


def open_own(path: Path, flags: int) -> int:
    """Open a file of the data folder, for us alone."""
    return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def user_name(user: int) -> str:
    """What an account is called, for messages; its number where it has no name."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
