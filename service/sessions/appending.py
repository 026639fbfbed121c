"""Recording events: checked against the state in memory, stored in one statement, answered as first stored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from events.refusals import Refusal, Refused
from events.session import Session, effects
from events.vocabulary import without_stamps
from service.decoding import bodies
from service.sessions.live import Live, Memory, Place
from service.sessions.stamping import Stamp
from service.store.faults import EventRefused, Unavailable, VersionTaken
from service.store.log import Beside, Log, Stored
from service.store.projections import BETWEEN_HANDS, FAR_REACHING, going_back, moving_on, over, project
from service.store.watch import Watching

MOST_TRIES: Final = 50
"""How often an append tries anew because another process was quicker; each time one of them has got further."""

Event = dict[str, Any]


@dataclass(slots=True)
class Appended:
    """What a request to record came to.

    version: of the session now. events: as stored, in the order of the request, those known before too. new: how many
    of them were not. types: of the new ones. head: the last event of the log. state: contract.md §4, without id and
    names. effects: of a dry run.
    """

    version: int
    events: list[Stored]
    new: int
    types: list[str]
    head: Stored | None
    state: Event = field(default_factory=dict)
    effects: Event | None = None

    @property
    def lines(self) -> list[bytes]:
        """The events on the wire."""
        return [event.line() for event in self.events]


class _Request:
    """The events of one request, sorted out against one state of the session.

    new: indexes of those to be stored. seqs: index -> seq, of those that are known. repeats: index -> index of the
    event of this request that it repeats. far_reaching: one of the new may change more than the last hand.
    """

    __slots__ = ("far_reaching", "new", "raws", "repeats", "seqs")

    def __init__(self, raws: Sequence[Any], live: Live) -> None:
        self.raws = raws
        self.seqs: dict[int, int] = {}
        self.repeats: dict[int, int] = {}
        self.new: list[int] = []
        self.far_reaching = False
        first_of: dict[str, int] = {}
        for index, raw in enumerate(raws):
            client_id = _client_id(raw)
            if client_id is not None and client_id in live.ids:
                self.seqs[index] = live.ids[client_id]
                continue
            if client_id is not None and first_of.setdefault(client_id, index) != index:
                self.repeats[index] = first_of[client_id]
                continue
            self.new.append(index)
            if isinstance(raw, dict) and raw.get("type") in FAR_REACHING:
                self.far_reaching = True


def _client_id(raw: Any) -> str | None:
    """The client's id as it is stored; whether it is one is the engine's to say."""
    given = raw.get("id") if isinstance(raw, dict) else None
    return given.lower() if isinstance(given, str) and len(given) == 36 else None


class Recorder:
    """Records events in the sessions of one store."""

    def __init__(self, log: Log, memory: Memory, watching: Watching) -> None:
        self._log = log
        self._memory = memory
        self._watching = watching

    def append(
        self,
        session: UUID,
        raws: Sequence[Any],
        by: str,
        if_match: Collection[int | str] | None,
        dry_run: bool,
        with_state: bool,
    ) -> Appended:
        """See `Sessions.append`."""
        with self._memory.turn(session) as place:
            for _ in range(MOST_TRIES):
                appended = self._try(place, raws, by, if_match, dry_run)
                if appended is None:
                    continue
                if with_state and not dry_run and place.live is not None:
                    appended.state = place.live.session.state()
                return appended
        raise Unavailable("Too many record in this session at once.")

    def _try(
        self, place: Place, raws: Sequence[Any], by: str, if_match: Collection[int | str] | None, dry_run: bool
    ) -> Appended | None:
        """Record against the session as far as it is known; None where it is to be tried anew."""
        live, fresh = self._memory.known(place)
        if live is None:
            raise no_session()
        if dry_run and not fresh:
            self._memory.newer(place)
            fresh = True
        try:
            request = _Request(raws, live)
            known = self._known(place.session, request, live)
            if not request.new:
                if not fresh:
                    self._memory.newer(place)
                appended = Appended(live.version, _in_order(request, known, []), 0, [], None)
                if dry_run:
                    appended.effects, appended.state = effects(live.session, live.session), live.session.state()
                return appended
            if if_match is not None and live.version not in if_match:
                self._check_form(request, live.session)  # what is no event comes before, by the order of the codes
                raise Refused(_conflict(if_match, live.version))
            return self._record(place, request, live, known, by, dry_run)
        except Refused:
            # It may be refused only because something is missing here that others have recorded.
            if fresh or not self._memory.newer(place):
                raise
            return None
        except VersionTaken:  # another process was quicker
            if place.live is None or not self._memory.newer(place):
                place.live = None
            return None
        except EventRefused:  # what is held here is not what the log holds
            place.live = None
            if fresh:
                raise
            return None

    @staticmethod
    def _check_form(request: _Request, session: Session) -> None:
        """Raises Refused with the index of the first new event that could not be recorded at any version."""
        for index in request.new:
            try:
                session.clean(request.raws[index])
            except Refused as refused:
                refused.refusal.event = index
                raise

    def _known(self, session: UUID, request: _Request, live: Live) -> dict[int, Stored]:
        """Those of the request that are stored already, by seq. Raises Refused (`id.reused`) where one is another."""
        for index, first in request.repeats.items():
            _check_same(live.session, request.raws[index], index, _cleaned(live.session, request.raws[first]))
        if not request.seqs:
            return {}
        known = self._log.pick(session, sorted(set(request.seqs.values())))
        for index, seq in request.seqs.items():
            _check_same(live.session, request.raws[index], index, without_stamps(bodies([known[seq]])[0]))
        return known

    def _record(
        self, place: Place, request: _Request, live: Live, known: dict[int, Stored], by: str, dry_run: bool
    ) -> Appended:
        """Check, stamp and store what is new."""
        before, version = live.session, live.version
        # A copy costs as much as the event itself. A single event is recorded in place: a refusal leaves no trace, and
        # where the event is not stored after all, what is held here is thrown away.
        in_place = len(request.new) == 1 and not dry_run and not request.far_reaching
        session = before if in_place else before.fork()
        hands_over, last_hand = over(before), before.table.last_hand
        events = self._checked(place, session, request)
        stamp = Stamp(place.session, version, live.head, live.recorded_at, by)
        stamped = [stamp.seal(event) for event in events]
        rows = [row for _, row in stamped]
        stored = [row.stored() for row in rows]
        types = [event["type"] for event in events]
        appended = Appended(session.version, _in_order(request, known, stored), len(rows), types, stored[-1])
        if dry_run:
            appended.effects = effects(before, session)
            appended.state = session.state()
            return appended
        also: Beside | None
        if request.far_reaching:
            also = _going_back(place.session, before, session, stamp.recorded_at)
        elif over(session) != hands_over or not BETWEEN_HANDS.isdisjoint(types):
            now = project(session, last_hand.number if last_hand is not None else 1)
            also = moving_on(place.session, session.version, stamp.recorded_at, now)
        else:
            also = None
        if in_place:
            place.live = None  # until it is stored
        self._log.append(place.session, rows, also)
        live.session = session
        for event, _ in stamped:
            live.moved(event, stamp.head)
        place.live = live
        self._watching.told(place.session, stored)
        return appended

    def _checked(self, place: Place, session: Session, request: _Request) -> list[Event]:
        """The new events, clean, the state moved on by them. Raises Refused with the index of the one that fails."""
        live, place.live = place.live, None  # whatever else goes wrong, a state that may be torn is not kept
        raws = [request.raws[index] for index in request.new]
        events = []
        for at, index in enumerate(request.new):
            try:
                events.append(session.record(raws[at], raws[at + 1 :]))
            except Refused as refused:
                refused.refusal.event = index
                place.live = live
                raise
        place.live = live
        return events


def _in_order(request: _Request, known: dict[int, Stored], added: list[Stored]) -> list[Stored]:
    """All events of the request as stored."""
    if not known and not request.repeats:
        return added
    new = dict(zip(request.new, added, strict=True))
    return [
        known[request.seqs[index]] if index in request.seqs else new[request.repeats.get(index, index)]
        for index in range(len(request.raws))
    ]


def _check_same(session: Session, raw: Any, index: int, first: Event | None) -> None:
    """Raises Refused (`id.reused`) unless the event is the one that has its id already."""
    if first is not None and _cleaned(session, raw) != first:
        detail = "Another event was recorded with this id: give this one an id of its own."
        raise Refused(Refusal("id.reused", detail, "contract.md §3", expected=first, event=index))


def _cleaned(session: Session, raw: Any) -> Event | None:
    """An event in the form in which it is stored; None for one that cannot be."""
    try:
        return session.clean(raw)
    except Refused:
        return None


def _going_back(session_id: UUID, before: Session, after: Session, recorded_at: str) -> Beside:
    """What keeps the projections as they are when something was struck, or a dispute ruled on."""
    first = _first_difference(before, after)
    now = project(after, len(after.table.deal_of) + 1 if first is None else first)
    return going_back(session_id, after.version, recorded_at, now, first)


def _first_difference(before: Session, after: Session) -> int | None:
    """The number of the first hand over that is not as it was; None where all are."""
    was = {hand["hand"]: hand for hand in before.hands() if hand["result"] != "open"}
    now = {hand["hand"]: hand for hand in after.hands() if hand["result"] != "open"}
    changed = [number for number in {*was, *now} if was.get(number) != now.get(number)]
    return min(changed, default=None)


def _conflict(expected: Collection[int | str], actual: int) -> Refusal:
    had = [version for version in expected if isinstance(version, int) and version < actual]
    again = "and record again if it still holds."
    if any(str(tag).startswith((f'W/"{actual}"', f'W/"{actual}.')) for tag in expected):
        # A proxy on the way makes a tag weak where it packs an answer; If-Match compares strongly (RFC 9110, 13.1.1).
        detail = f'The session is at version {actual}, but a weak tag never matches: send "{actual}", without the W/.'
    elif had:
        detail = f"The session is at version {actual} by now: read on from {max(had)}, {again}"
    else:  # no tag of ours; or one of a log that is gone, as after a backup was put back
        detail = f"The session is at version {actual}, and If-Match names none that it has had: read it anew, {again}"
    named = list(expected)
    shown = named[0] if len(named) == 1 else named
    return Refusal("version.conflict", detail, "contract.md §3", expected=shown, actual=actual)


def no_session() -> Refused:
    """There is no session of this id."""
    return Refused(Refusal("not_found", "There is no session of this id."))
