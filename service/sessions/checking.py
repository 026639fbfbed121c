"""Verifying what is stored against a replay, and making the projections anew from the events."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Final, LiteralString
from uuid import UUID

import orjson

from events.audit import Audit, audit_session
from events.log import GENESIS, chain_fault
from events.refusals import Refused
from events.session import Session
from events.story import tell
from service.decoding import bodies, whole
from service.sessions.stamping import encode
from service.store.clubs import FIRST_CLUB
from service.store.database import Database, StoreConnection, run_together
from service.store.log import Log, Stored
from service.store.projections import Projections, made_anew, project

MOST_LOOKS: Final = 5
"""How often an audit looks again while others record."""

_HOLD: Final[LiteralString] = "select club from sessions where session = %s for update"
_EVENTS: Final[LiteralString] = "select seq, body, hash from events where session = %s order by seq"

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verified:
    """What verifying a session found. faults: sentences; none where all is as it should be."""

    session: UUID
    version: int
    faults: list[str]


class Checker:
    """Checks the sessions of one store."""

    def __init__(self, database: Database, log: Log) -> None:
        self._database = database
        self._log = log
        self._projections = Projections(database)

    def audit(self, session: UUID, as_of: int | None = None) -> Event | None:
        """The audit of a session (contract.md §5), its projections held against a replay. None: no such session."""
        stored, drift = self._steady(session, [], as_of)
        return audit_session(whole(stored), drift) if stored else None

    def audit_hand(
        self, session: UUID, number: int, names: dict[str, str | None], language: str, as_of: int | None = None
    ) -> Event | None:
        """The audit of one hand, with its story in a language; None where there is no such hand."""
        stored, drift = self._steady(session, [], as_of)
        if not stored:
            return None
        try:
            audit = Audit(whole(stored), drift)
        except Refused:  # not even an opening can be read: the session's audit says so
            return None
        report = audit.hand_report(number)
        return None if report is None else {**report, "story": tell(audit, number, names, language)}

    def verify(self, session: UUID) -> Verified:
        """The hash chain and the stored projections of a session. Raises Unavailable."""
        stored = list(self._log.stream(session))
        if not stored:
            missing = "the list has this session, and the log has no event of it"
            return Verified(session, 0, [missing])
        faults = _chain_faults(session, stored)
        if not faults:
            stored, drift = self._steady(session, stored)
            faults = drift or []
        return Verified(session, len(stored), faults)

    def _steady(
        self, session: UUID, stored: list[Stored], as_of: int | None = None
    ) -> tuple[list[Stored], list[str] | None]:
        """All events, those read before and what came after them, and where the projections are not what they come to;
        looked at again where somebody recorded between the two."""
        for _ in range(MOST_LOOKS):
            stored += self._log.stream(session, stored[-1].seq if stored else 0, as_of=as_of)
            as_of = None  # the projections may be ahead of it
            if not stored:
                return [], None
            try:
                replayed = Session.replay(bodies(stored))
            except Exception:  # no event of ours, and whatever it does to the engine: the audit says what is wrong
                return stored, ["the events cannot be replayed"]
            drift = self._projections.drift(session, replayed)
            if not drift or self._log.version(session) == replayed.version:
                return stored, drift
        return stored, None

    def rebuild(self, session: UUID) -> int:
        """Make a session's projections anew from its events; how many events it has. Raises Unavailable."""
        return self._database.patiently(lambda connection: self._rebuild(connection, session))

    def _rebuild(self, connection: StoreConnection, session: UUID) -> int:
        with connection.transaction():
            while True:
                # The row of the list is held, so that whoever ends a hand meanwhile waits, and writes after this.
                held = connection.execute(_HOLD, (session,)).fetchone()
                rows = connection.execute(_EVENTS, (session,), binary=True).fetchall()
                if not rows:
                    return 0
                events = bodies([Stored(*row) for row in rows])
                replayed = Session.replay(events)
                changed_at = events[-1]["recorded_at"]
                club = held[0] if held is not None else self._club_of(connection, session)
                run_together(connection, made_anew(session, club, replayed.version, changed_at, project(replayed)))
                if held is not None:
                    return replayed.version
                # It was missing, and is there and held now: once more, with what was recorded meanwhile.

    def _club_of(self, connection: StoreConnection, session: UUID) -> UUID:
        """Whose session it is, where the list has lost it: its tokens still know."""
        found = connection.execute("select club from tokens where session = %s limit 1", (session,)).fetchone()
        return found[0] if found is not None else FIRST_CLUB


def _chain_faults(session: UUID, stored: list[Stored]) -> list[str]:
    """Where the events are not one unbroken chain of this session, a sentence each.

    The quick look here takes the bytes as they are; where it finds something, `events.log` says what it is.
    """
    before, named = GENESIS, str(session)
    for seq, row in enumerate(stored, 1):
        event = _read(row.body)
        sound = (
            event is not None
            and (row.seq, event.get("seq"), event.get("session"), event.get("prev")) == (seq, seq, named, before)
            and hashlib.sha256(row.body).digest() == row.hash
            and encode(event) == row.body
        )
        if not sound:
            return [_chain_fault(stored, seq)]
        before = row.hash.hex()
    return []


def _chain_fault(stored: list[Stored], seq: int) -> str:
    events: list[Any] = []
    for row in stored:
        event = _read(row.body)
        events.append(event if event is None else {**event, "hash": row.hash.hex()})
    fault = chain_fault(events)
    return fault[1] if fault is not None else f"event {seq} is not stored in the form or the place that it had"


def _read(body: bytes) -> Event | None:
    try:
        event = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return event if isinstance(event, dict) else None
