"""What runs between the supervisor and Postgres, in the process that then becomes Postgres.

Started as a file of its own by the supervisor (see supervisor.py), which hands it an `Order` in JSON and a command. It
becomes the given user, ties its life to the parent's, and turns into the command; so Postgres is the supervisor's
direct child. All this could be done between fork and exec, but a process with threads must not run Python there.
"""

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn, TypedDict

PR_SET_PDEATHSIG = 1
CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_SLAVE = 0x1000, 0x4000, 0x80000
CANNOT_REACH = 77  # exit status: the user cannot reach the folders, and they could not be shown to it


class Order(TypedDict):
    """parent: the pid that this process must not outlive. user, group: whom to become, or None to stay.

    closed: a folder on the way to the `shown` ones that the user may not pass, or None when there is none.
    """

    parent: int
    user: int | None
    group: int | None
    closed: str | None
    shown: list[str]


def main() -> NoReturn:
    """Do as ordered, and become the command."""
    order: Order = json.loads(sys.argv[1])
    command = sys.argv[2:]
    os.umask(0o022)
    if order["closed"]:
        show_folders(order["closed"], order["shown"])
    os.umask(0o077)
    if order["user"] is not None and order["group"] is not None:
        os.setgroups([])
        os.setgid(order["group"])
        os.setuid(order["user"])
    die_with_parent(order["parent"], signal.SIGINT)
    os.execv(command[0], command)


def die_with_parent(parent: int, with_signal: signal.Signals) -> None:
    """Have the kernel send this process `with_signal` when the thread that started it ends. Only Linux can.

    Becoming another user undoes it, so this comes after that.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(with_signal))
    if os.getppid() != parent:  # it ended before the line above
        sys.exit(1)


def show_folders(closed: str, shown: list[str]) -> None:
    """Make the `shown` folders reachable under their own paths for this process and its children alone.

    `closed` is covered by an empty folder, in which only the way to the shown ones exists. This happens in a mount
    namespace of this process: nobody's folder is opened or changed, and no one else sees a difference.
    """
    if not sys.platform.startswith("linux"):
        sys.exit(CANNOT_REACH)
    libc = ctypes.CDLL(None, use_errno=True)

    def must(result: int) -> None:
        if result != 0:
            sys.stderr.write(f"may not show folders to another user: {os.strerror(ctypes.get_errno())}\n")
            sys.exit(CANNOT_REACH)

    def mount(source: bytes, target: str, kind: bytes | None, flags: int, options: bytes | None) -> None:
        must(libc.mount(source, os.fsencode(target), kind, ctypes.c_ulong(flags), options))

    must(libc.unshare(CLONE_NEWNS))
    mount(b"none", "/", None, MS_REC | MS_SLAVE, None)
    # Held open, since their paths end at the cover once it is there.
    held = [(path, os.open(path, os.O_PATH | os.O_DIRECTORY)) for path in shown]
    mount(b"none", closed, b"tmpfs", 0, b"mode=0755,size=64k")
    for path, descriptor in held:
        Path(path).mkdir(mode=0o755, parents=True, exist_ok=True)
        mount(f"/proc/self/fd/{descriptor}".encode(), path, None, MS_BIND, None)
        os.close(descriptor)


if __name__ == "__main__":
    main()
