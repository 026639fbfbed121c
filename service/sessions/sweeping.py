"""Verifying and rebuilding many sessions at a time: what is as it should be is seen at a glance.

A glance takes each event once: decoded, written again, hashed and replayed, and what is kept is read for all the
sessions together. Whatever is not plainly right is left to the `Checker`, which looks at that session by itself and
has the last word on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

import orjson

from events.log import GENESIS
from events.session import Session
from events.vocabulary import FORM
from service.decoding import bodies
from service.sessions.checking import Checker, Verified
from service.sessions.stamping import encode
from service.store.bulk import Anew, drifting, logs_of, write_anew
from service.store.database import Database
from service.store.log import Stored
from service.store.projections import Projection, project


class Sweeper:
    """Goes over the sessions of one store."""

    def __init__(self, database: Database, checker: Checker) -> None:
        self._database = database
        self._checker = checker

    def verify(self, sessions: Sequence[UUID]) -> list[Verified]:
        """`Checker.verify` of each, in order. Raises Unavailable."""
        sound: set[UUID] = set()
        versions: dict[UUID, int] = {}
        for logs in logs_of(self._database, sessions):
            replayed: dict[UUID, tuple[int, Projection]] = {}
            for session, stored in logs.items():
                try:
                    events = _unbroken(session, stored)
                    if events is not None:
                        replayed[session] = len(events), project(Session.replay(events))
                except Exception:  # noqa: S112  # the checker says what is wrong with it
                    continue
            sound |= replayed.keys() - drifting(self._database, replayed)
            versions.update((session, version) for session, (version, _) in replayed.items())
        return [
            Verified(session, versions[session], []) if session in sound else self._checker.verify(session)
            for session in sessions
        ]

    def rebuild(self, sessions: Sequence[UUID]) -> list[int]:
        """`Checker.rebuild` of each, in order. Raises Unavailable."""
        done: dict[UUID, int] = {}
        for logs in logs_of(self._database, sessions):
            anew: dict[UUID, Anew] = {}
            for session, stored in logs.items():
                events = bodies(stored)
                changed_at = events[-1]["recorded_at"]
                anew[session] = Anew(len(events), changed_at, project(Session.replay(events)))
            written = write_anew(self._database, anew)
            done.update((session, anew[session].version) for session in written)
        return [done[session] if session in done else self._checker.rebuild(session) for session in sessions]


def _unbroken(session: UUID, stored: list[Stored]) -> list[dict[str, Any]] | None:
    """The events, where they are plainly one unbroken chain of this session in the form in which they are stored."""
    bodies_kept = [row.body for row in stored]
    events: list[Any] = orjson.loads(b"[" + b",".join(bodies_kept) + b"]")
    if [encode(event) for event in events] != bodies_kept:
        return None
    before, named = GENESIS, str(session)
    for at, (event, row) in enumerate(zip(events, stored, strict=True), 1):
        if (row.seq, event["seq"], event["session"], event["prev"], event["v"]) != (at, at, named, before, FORM):
            return None
        if sha256(row.body).digest() != row.hash:
            return None
        before = row.hash.hex()
    return events
