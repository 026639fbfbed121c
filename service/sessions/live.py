"""Sessions held in memory, so that an event is checked against the state without reading it first.

What is held may be older than the log, since other processes record too. That is found out, never assumed away: an
append states the number that its event is to have, and a refusal is given only after a look for what is newer.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

from events.refusals import Refused
from events.session import Session
from events.vocabulary import without_stamps
from service.decoding import bodies
from service.store.faults import Unavailable
from service.store.log import PAGE, Log, Stored

MOST_SESSIONS: Final = 2_000
MOST_EVENTS: Final = 200_000
"""Of all sessions held together: some 100 MB."""
TURN_TIMEOUT_S: Final = 10
# What the engine asks nothing of, once an event is in the log.
_NOT_HELD: Final = ("session", "prev", "v", "by")
# But the settlement says who ruled, and whether a player signed or it was recorded for them (contract.md §2).
_WITH_WHO: Final = frozenset({"rule", "sign"})
# So many events are followed one by one; more are replayed together with those before.
_FOLLOWED: Final = 50


class Live:
    """A session as far as it is known here.

    session: its state. head: the hash (hex) of its last event. recorded_at: when that was stored. ids: the clients'
    ids of its events -> seq.
    """

    __slots__ = ("head", "ids", "recorded_at", "session")

    def __init__(self, events: list[dict[str, Any]], last: Stored) -> None:
        self.recorded_at = str(events[-1]["recorded_at"])
        self.session = Session.replay([_held(event) for event in events])
        self.ids = {event["id"]: event["seq"] for event in events if "id" in event}
        self.head = last.hash.hex()

    @property
    def version(self) -> int:
        """The seq of the last event known here."""
        return self.session.version

    def follow(self, stored: Sequence[Stored]) -> None:
        """Go on with what others have stored."""
        events = bodies(stored)
        if len(events) > _FOLLOWED or not self._record(events):
            held = self.session.events[: events[0]["seq"] - 1]
            self.session = Session.replay([*held, *(_held(event) for event in events)])
        for event, row in zip(events, stored, strict=True):
            self.moved(event, row.hash.hex())

    def _record(self, events: list[dict[str, Any]]) -> bool:
        raws = [without_stamps(event) for event in events]
        try:
            for at, raw in enumerate(raws):
                self.session.record(raw, raws[at + 1 :])
        except Refused:
            return False  # recorded in one request with what came before: only together do they fit
        return True

    def moved(self, event: dict[str, Any], head: str) -> None:
        """Note that an event was stored, which the state holds already."""
        self.head = head
        self.recorded_at = event["recorded_at"]
        if event["type"] in _WITH_WHO:
            self.session.events[event["seq"] - 1]["by"] = event["by"]
        if "id" in event:
            self.ids[event["id"]] = event["seq"]


def _held(event: dict[str, Any]) -> dict[str, Any]:
    for name in _NOT_HELD:
        if name != "by" or event["type"] not in _WITH_WHO:
            event.pop(name, None)
    return event


class Place:
    """Where a session is held. One at a time may use it: whoever has the turn."""

    __slots__ = ("events", "live", "lock", "session", "wanted")

    def __init__(self, session: UUID) -> None:
        self.session = session
        self.lock = threading.Lock()
        self.live: Live | None = None
        self.events = 0
        self.wanted = 0


class Memory:
    """The sessions held by this process: the last used, so many of them, with so many events."""

    def __init__(self, log: Log, most_sessions: int = MOST_SESSIONS, most_events: int = MOST_EVENTS) -> None:
        self._log = log
        self._most_sessions = most_sessions
        self._most_events = most_events
        self._places: OrderedDict[UUID, Place] = OrderedDict()
        self._events = 0
        self._guard = threading.Lock()

    @contextmanager
    def turn(self, session: UUID) -> Iterator[Place]:
        """Have a session to oneself, in this process: writers queue here, not in the database.

        Raises Unavailable where others take too long.
        """
        with self._guard:
            place = self._places.get(session)
            if place is None:
                place = self._places[session] = Place(session)
            place.wanted += 1
            self._places.move_to_end(session)
        try:
            if not place.lock.acquire(timeout=TURN_TIMEOUT_S):
                raise Unavailable("Others are recording in this session and the database is slow.")
            try:
                yield place
            finally:
                events = place.live.version if place.live is not None else 0
                place.lock.release()
                with self._guard:
                    self._events += events - place.events
                    place.events = events
        finally:
            with self._guard:
                place.wanted -= 1
                if place.live is None and not place.wanted:
                    self._forget(place)
                elif self._events > self._most_events or len(self._places) > self._most_sessions:
                    self._make_room()

    def current(self, place: Place, as_of: int | None = None) -> Live | None:
        """The session as it stands in the log now; None where there is none. Raises Unavailable.

        as_of: the version that it had just now: where no less is known here, nothing is asked.
        """
        if place.live is None:
            place.live = self._read(place.session, as_of)
        else:
            self.newer(place, as_of)
        return place.live

    def known(self, place: Place) -> tuple[Live | None, bool]:
        """The session as far as it is known, and whether that was read just now. Raises Unavailable."""
        if place.live is not None:
            return place.live, False
        place.live = self._read(place.session)
        return place.live, True

    def newer(self, place: Place, as_of: int | None = None) -> bool:
        """Whether there was something newer in the log; it is known now. Raises Unavailable."""
        live, found = place.live, False
        while live is not None:
            stored = self._log.read(place.session, live.version, as_of=as_of)
            if not stored:
                break
            found = True
            place.live = None  # until it stands again
            live.follow(stored)
            place.live = live
            if len(stored) < PAGE:
                break
        return found

    def _read(self, session: UUID, as_of: int | None = None) -> Live | None:
        stored = list(self._log.stream(session, as_of=as_of))
        return Live(bodies(stored), stored[-1]) if stored else None

    def _make_room(self) -> None:
        for place in list(self._places.values()):
            if self._events <= self._most_events and len(self._places) <= self._most_sessions:
                return
            if not place.wanted:
                self._forget(place)

    def _forget(self, place: Place) -> None:
        self._events -= place.events
        place.events = 0
        self._places.pop(place.session, None)

    def figures(self) -> dict[str, int]:
        """How many sessions are held, with how many events."""
        return {"sessions": len(self._places), "events": self._events}
