"""Enters heads into the log of heads, behind the appends and never in their way.

One thread a process. What this process opens and appends it is told of. What others have appended, a command has
imported, or this one did before it was killed, it finds by looking through all sessions: at the start and now and then.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import Final
from uuid import UUID

from service.signing import KeyFault
from service.store.faults import StoreFault, Unavailable
from service.store.heads import PAGE, Heads, Newest, Signed

EVERY_S: Final = 1.0
"""How long heads are gathered before they are entered together."""
LOOK_THROUGH_EVERY_S: Final = 600.0
_LOG: Final = logging.getLogger(__name__)


class Keeper:
    """The thread that enters heads. enter: enters some, and returns the checkpoint that then is."""

    def __init__(self, heads: Heads, enter: Callable[[list[Newest]], Signed | None]) -> None:
        self._heads = heads
        self._enter = enter
        self._sessions: set[UUID] = set()
        self._guard = threading.Lock()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def told(self, session: UUID) -> None:
        """A session has something new."""
        with self._guard:
            self._sessions.add(session)
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._run, name="log of heads", daemon=True)
                self._thread.start()
        self._wake.set()

    def start(self) -> None:
        """Look through all sessions now, and go on from there."""
        self.told(UUID(int=0))

    def stop(self) -> None:
        """Enter what is left, where that is quick, and end."""
        self._stopping.set()
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=3)

    def enter_now(self, sessions: Iterable[UUID]) -> None:
        """Enter these at once, for who wants to take the proof along. Raises Unavailable."""
        found = self._heads.behind(list(sessions))
        if found:
            self._enter(found)

    def _run(self) -> None:
        look_through_at = time.monotonic()
        while True:
            self._wake.wait(LOOK_THROUGH_EVERY_S)
            self._wake.clear()
            stopping = self._stopping.wait(EVERY_S)
            with self._guard:
                sessions, self._sessions = self._sessions, set()
            try:
                if time.monotonic() >= look_through_at and not stopping:
                    self._enter([])  # makes the key, at the very first start
                    for found in self._heads.all_behind():
                        self._enter(found)
                    look_through_at = time.monotonic() + LOOK_THROUGH_EVERY_S
                else:
                    self._enter_some(list(sessions))
            except (Unavailable, StoreFault):
                with self._guard:  # the database is away: again, when it is back
                    self._sessions |= sessions
                if not stopping:
                    self._stopping.wait(EVERY_S)
                    self._wake.set()
            except KeyFault as fault:
                _LOG.error("heads are not entered into the log: %s", fault)
                return
            if stopping:
                return

    def _enter_some(self, sessions: list[UUID]) -> None:
        for start in range(0, len(sessions), PAGE):
            found = self._heads.behind(sessions[start : start + PAGE])
            if found and self._enter(found) is None and not self._stopping.is_set():
                # Another process is at it, and may have looked before these were there.
                with self._guard:
                    self._sessions.update(head.session for head in found)
                self._wake.set()
