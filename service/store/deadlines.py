"""Ends connections whose server has not answered in time.

A statement that runs too long is ended by the server itself, and a network that is gone is noticed by the kernel. What
is left is a server that stands still, or a proxy whose server is gone: the connection is as it should be, and nothing
ever comes. Whoever waits on such a connection would wait for ever, with a thread and a connection each.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Final, Protocol

LOOK_EVERY_S: Final = 1.0


class Ended(Protocol):
    """A connection that can be cut. overdue: it was, for having taken too long."""

    overdue: bool

    def fileno(self) -> int: ...


class Deadlines:
    """Looks after the connections that are in use; a thread of its own cuts those that are so for too long."""

    def __init__(self) -> None:
        self._due: dict[Ended, float] = {}
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to look: after a fork, never before one."""
        self._thread = threading.Thread(target=self._run, daemon=True, name="deadlines")
        self._thread.start()

    def stop(self) -> None:
        """Look no longer."""
        self._stopping.set()

    def begin(self, connection: Ended, seconds: float) -> None:
        """The connection is in use, and has so long."""
        self._due[connection] = time.monotonic() + seconds

    def end(self, connection: Ended) -> None:
        """The connection is in use no longer."""
        self._due.pop(connection, None)

    def _run(self) -> None:
        while not self._stopping.wait(LOOK_EVERY_S):
            now = time.monotonic()
            for connection, due in self._due.copy().items():
                if due < now:
                    self.end(connection)
                    _cut(connection)


def _cut(connection: Ended) -> None:
    """Whoever waits on the connection is told that the server has gone."""
    connection.overdue = True
    # It may be closed by now.
    with suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)
