"""A replica to read the log from, which may be behind, away, or a replica no longer, at any time.

Who reads names the version that the primary gave them, so an answer shows by itself whether it is whole: a session's
events are numbered without a gap, and none is ever changed. What the replica does not have yet is read from the
primary, and so is everything while it is away; nobody but who was under way just then waits for it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from typing import Final, LiteralString
from uuid import UUID

from service.store.database import Database, Row
from service.store.faults import StoreFault, Unavailable

# No longer than this is a reader kept from the primary: by a pool with no connection, by a server that stands still.
WAIT_MS: Final = 250
ANSWER_TIMEOUT_S: Final = 2.0
LOOK_EVERY_S: Final = 0.5
"""How often it is tried whether a replica that was away is back."""

_READ: Final[LiteralString] = (
    "select seq, body, hash, pg_is_in_recovery() from events where session = %s and seq > %s order by seq limit %s"
)
_IS_THERE: Final[LiteralString] = "select pg_is_in_recovery(), exists (select from events where session = %s)"
_NO_SESSION: Final = UUID(int=0)
_PROMOTED: Final = "it is no replica, or one no longer: it takes writes of its own"
_LOG: Final = logging.getLogger(__name__)


class Replica:
    """A streaming replica of the store. largest: the most connections to it.

    It is read from only while it is known to be there: a thread of its own looks for it at the start, and whenever it
    was lost.
    """

    def __init__(self, conninfo: str, *, largest: int = 10) -> None:
        self._database = Database(conninfo, largest=largest, wait_ms=WAIT_MS, answer_timeout_s=ANSWER_TIMEOUT_S)
        self._there = False
        self._reads: Counter[str] = Counter()
        self._guard = threading.Lock()
        self._closing = threading.Event()

    def open(self) -> None:
        """Start the pool and look for the replica: after a fork, never before one."""
        self._database.open()
        self._look()

    def close(self) -> None:
        """Read from it no longer."""
        self._closing.set()
        self._there = False
        self._database.close()

    def read(self, session: UUID, after: int, limit: int) -> list[Row]:
        """(seq, body, hash) of the session's first `limit` events beyond `after`, as far as the replica has them.

        Never fails: it has none where it is away.
        """
        rows = self._rows(session, after, limit) if self._there else None
        if rows is None:
            self._count("away")
            return []
        self._count("whole" if len(rows) == limit else "behind")
        return [row[:3] for row in rows]

    def _rows(self, session: UUID, after: int, limit: int) -> list[Row] | None:
        try:
            rows = self._database.ask(_READ, (session, after, limit))
        except (Unavailable, StoreFault) as fault:
            self._lost(str(fault))
            return None
        # One that was promoted has a log of its own, which may go on otherwise than the primary's.
        if rows and not all(row[3] for row in rows):
            self._lost(_PROMOTED)
            return None
        return rows

    def _lost(self, why: str) -> None:
        with self._guard:
            if not self._there:
                return
            self._there = False
        _LOG.warning("the replica is not read from: %s", why)
        self._look()

    def _look(self) -> None:
        threading.Thread(target=self._look_until_there, daemon=True, name="replica").start()

    def _look_until_there(self) -> None:
        while not self._is_there():
            if self._closing.wait(LOOK_EVERY_S):
                return
        self._there = not self._closing.is_set()
        _LOG.info("the replica is read from")

    def _is_there(self) -> bool:
        try:
            return bool(self._database.ask(_IS_THERE, (_NO_SESSION,))[0][0])
        except (Unavailable, StoreFault):
            return False

    def wait(self, seconds: float) -> bool:
        """Wait until it is read from; whether it is."""
        give_up_at = time.monotonic() + seconds
        while not self._there and time.monotonic() < give_up_at:
            time.sleep(0.01)
        return self._there

    def _count(self, answer: str) -> None:
        with self._guard:
            self._reads[answer] += 1

    def reads(self) -> dict[str, int]:
        """How many reads it answered (`whole`), and how many the primary had to: it was `behind`, or `away`."""
        with self._guard:
            return {answer: self._reads[answer] for answer in ("whole", "behind", "away")}

    def figures(self) -> dict[str, int]:
        """What its pool counts: see `Database.figures`."""
        return self._database.figures()
