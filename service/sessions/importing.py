"""Importing a night from an event file: stored events with their hashes, or events as a client sends them.

Importing twice adds nothing. Stored events know which session they are of. For others the session's id follows from its
opening, and what is there under it decides: the same night, shorter or longer, is gone on with; another night that was
opened in the same words gets the next id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from events.log import GENESIS, canonical, chain_fault
from events.refusals import Refusal, Refused, invalid
from events.session import Session
from events.times import utc
from events.vocabulary import STAMPED, without_stamps
from service.decoding import FORM, bodies
from service.event_files import opened
from service.sessions.live import Memory
from service.sessions.opening import Opener
from service.sessions.stamping import Stamp, encode
from service.store.database import Statement
from service.store.entries import Entries
from service.store.faults import Unavailable, VersionTaken
from service.store.log import Log, New
from service.store.projections import made_anew, project
from service.store.tokens import Token

_STAMPS: Final = frozenset(STAMPED) - {"hand"}
MOST_ALIKE: Final = 100
"""How many nights may have been opened in the same words."""
LONGEST_BY: Final = 64

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to: events added and known before; the tokens of a session that is new here, else none."""

    session: UUID
    added: int
    known: int
    tokens: dict[str, str]


@dataclass(slots=True)
class _Night:
    """A night to be imported, every event checked.

    contents: the events without stamps. rows: as they are to be kept; None where they are to be stamped first.
    """

    session: Session
    contents: list[Event]
    rows: list[New] | None


class Importer:
    """Imports nights into one store."""

    def __init__(self, log: Log, memory: Memory, opener: Opener, entries: Entries) -> None:
        self._log = log
        self._memory = memory
        self._opener = opener
        self._entries = entries

    def stored(self, events: Sequence[Any], names: Mapping[str, str | None], club: UUID) -> Imported:
        """Events as a store wrote them, kept byte for byte. Raises Refused, Unavailable."""
        session_id, night = _stored_night(events)
        kept = self._log.read(session_id, 0, len(events))
        for ours, theirs in zip(kept, night.rows or [], strict=False):
            if ours.hash != theirs.hash:
                detail = f"The store has another event {ours.seq} in this session: one of the two was changed."
                raise Refused(Refusal("version.conflict", detail, "contract.md §3", actual=ours.seq))
        return self._keep(session_id, night, len(kept), names, club, "", {})

    def sent(
        self,
        events: Sequence[Any],
        names: Mapping[str, str | None],
        club: UUID,
        by: str,
        people: Mapping[str, UUID],
    ) -> Imported:
        """Events as a client sends them, the first an `open` with a session's fields. Raises Refused, Unavailable.

        people: player -> person of the club, where it is said who they are.
        """
        if not events or not isinstance(events[0], dict):
            raise Refused(invalid({"events": ["the first is an `open`, with the session's game and players"]}))
        opening, given = opened(events[0])
        night = _sent_night(opening, events)
        for number in range(MOST_ALIKE):
            session_id = _id_of(night.contents[0], number)
            kept = [without_stamps(event) for event in bodies(self._log.stream(session_id))]
            if all(ours == theirs for ours, theirs in zip(kept, night.contents, strict=False)):
                return self._keep(session_id, night, len(kept), {**given, **names}, club, by, people)
        raise Refused(Refusal("request.invalid", "Too many other nights were opened in the same words."))

    def _keep(
        self,
        session_id: UUID,
        night: _Night,
        known: int,
        names: Mapping[str, str | None],
        club: UUID,
        by: str,
        people: Mapping[str, UUID],
    ) -> Imported:
        """Store what is not there yet."""
        total = len(night.contents)
        if known >= total:
            return Imported(session_id, 0, total, {})
        tokens: dict[str, Token] = {}
        with self._memory.turn(session_id) as place:
            place.live = None
            last = self._log.read(session_id, known - 1, 1) if known else []
            if night.rows is not None:
                rows = night.rows[known:]
            else:
                head = last[0].hash.hex() if last else GENESIS
                recorded_at = bodies(last)[0]["recorded_at"] if last else ""
                stamp = Stamp(session_id, known, head, recorded_at, by)
                rows = [stamp.seal(event)[1] for event in night.session.events[known:]]
            changed_at = bodies([rows[-1].stored()])[0]["recorded_at"]
            opening = bodies([rows[0].stored()] if not known else self._log.read(session_id, 0, 1))[0]
            night.session.opening = opening  # with its times, which the list shows
            also: list[Statement] = []
            if known:
                club = self._entries.club_of(session_id) or club
            else:
                said = {player: name for player, name in names.items() if name is not None}
                tokens, also = self._opener.beside(session_id, club, said, people)
            also = [*made_anew(session_id, club, total, changed_at, project(night.session)), *also]
            try:
                self._log.append_many(session_id, rows, also)
            except VersionTaken:
                raise Unavailable("Somebody records in this session just now: import again.") from None
        return Imported(session_id, len(rows), known, {kind: token.text for kind, token in tokens.items()})


def _stored_night(events: Sequence[Any]) -> tuple[UUID, _Night]:
    """Raises Refused where the events are not a whole, unbroken and legal log in the form in which one is stored."""
    rows = _chained(events)
    session = Session.read(events)
    times: set[str] = set()
    contents = []
    for seq, (event, clean) in enumerate(zip(events, session.events, strict=True), 1):
        content = {name: value for name, value in event.items() if name not in _STAMPS}
        errors = _stamp_errors(event, times)
        if seq == 1:  # the engine looks at an opening's own fields only
            clean = {**clean, **{name: content[name] for name in ("at", "id") if name in content}}
        if content != clean:
            errors["event"] = ["is not in the form in which it is stored"]
        if errors:
            raise _damaged(seq, "; ".join(f"{name} {errors[name][0]}" for name in sorted(errors)))
        contents.append(without_stamps(event))
    if len({row.client_id for row in rows if row.client_id}) < sum(row.client_id is not None for row in rows):
        raise _damaged(1, "two events have one id")
    return UUID(events[0]["session"]), _Night(session, contents, rows)


def _chained(events: Sequence[Any]) -> list[New]:
    """The events as they are kept. Raises Refused where they are no unbroken chain.

    The quick look here writes each event once; where it finds something, `events.log` says what it is.
    """
    rows: list[New] = []
    before = GENESIS
    try:
        for seq, event in enumerate(events, 1):
            body = encode({name: value for name, value in event.items() if name != "hash"})
            digest = hashlib.sha256(body)
            named = (event["seq"], event["session"], event["prev"], event["hash"])
            if named != (seq, events[0]["session"], before, digest.hexdigest()) or type(event["seq"]) is not int:
                break
            before = event["hash"]
            client_id = event.get("id")
            rows.append(New(seq, body, digest.digest(), UUID(client_id) if client_id else None))
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    if len(rows) < len(events) or not rows:
        seq, why = chain_fault(events) or (len(rows) + 1, "an event is not in the form in which it is stored")
        raise _damaged(seq, why)
    return rows


def _stamp_errors(event: Event, times: set[str]) -> dict[str, list[str]]:
    """What is wrong with an event's stamps; times: those that were found good."""
    errors = {}
    if event.get("v") != FORM:
        errors["v"] = [f"is {FORM}: a newer Bragbook wrote this"]
    if event["seq"] == 1 and not _is_id(event["session"]):
        errors["session"] = ["is a session's id, a UUID"]
    by = event.get("by")
    if not isinstance(by, str) or not 1 <= len(by) <= LONGEST_BY:
        errors["by"] = ["is who recorded it"]
    for name in ("recorded_at", "at"):
        if (name in event or name == "recorded_at") and not _is_time(event.get(name), times):
            errors[name] = ["is a time in UTC"]
    return errors


def _is_id(text: Any) -> bool:
    try:
        return isinstance(text, str) and str(UUID(text)) == text
    except ValueError:
        return False


def _is_time(value: Any, times: set[str]) -> bool:
    if not isinstance(value, str):
        return False
    if value not in times:
        try:
            utc(value)
        except ValueError:
            return False
        if not value.endswith("Z"):
            return False
        times.add(value)
    return True


def _sent_night(opening: Event, events: Sequence[Any]) -> _Night:
    """Raises Refused, with the index of the event that fails."""
    session = Session(opening)
    ids: dict[str, Event] = {}
    for at in range(1, len(events)):
        try:
            raw = events[at]
            given = raw.get("id") if isinstance(raw, dict) else None
            if isinstance(given, str) and given.lower() in ids:
                if session.clean(raw) != ids[given.lower()]:
                    raise Refused(Refusal("id.reused", "Another event of the file has this id.", "contract.md §3"))
                continue
            strikes = isinstance(raw, dict) and raw.get("type") == "void"
            event = session.record(raw, events[at + 1 :] if strikes else ())
        except Refused as refused:
            refused.refusal.event = at
            raise
        if "id" in event:
            ids[event["id"]] = without_stamps(event)
    return _Night(session, [without_stamps(event) for event in session.events], None)


def _id_of(opening: Event, number: int) -> UUID:
    """The id of a session that was opened in these words, and of the next ones: a UUIDv8, made of their hash."""
    digest = bytearray(hashlib.sha256(canonical(["bragbook import", opening, number])).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return UUID(bytes=bytes(digest))


def _damaged(seq: int, why: str) -> Refused:
    return Refused(Refusal("request.invalid", f"The file is not a log that a store wrote: {why}.", event=seq - 1))
