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
from events.vocabulary import FORM, STAMPED, without_stamps
from service.decoding import bodies
from service.event_files import opened
from service.sessions.live import Memory
from service.sessions.opening import Opener
from service.sessions.stamping import Stamp, encode
from service.store.bulk import Anew, keep_new, versions_of
from service.store.database import Database, Statement
from service.store.entries import Entries
from service.store.faults import Unavailable, VersionTaken
from service.store.log import Log, New
from service.store.projections import made_anew, project
from service.store.tokens import Token

_COUNT_OF_STAMPS: Final = len(STAMPED) - 1
"""Of a stored event; `hand` is the engine's to give."""
MOST_ALIKE: Final = 100
"""How many nights may have been opened in the same words."""
LONGEST_BY: Final = 64

Event = dict[str, Any]
AsKept = Sequence[tuple[bytes, bytes]]
"""Bodies and hashes, as `service.event_files` finds them."""


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

    total: how many events it has. rows: as they are to be kept; None where they are to be stamped first.
    """

    session: Session
    total: int
    rows: list[New] | None


class Importer:
    """Imports nights into one store."""

    def __init__(self, database: Database, log: Log, memory: Memory, opener: Opener, entries: Entries) -> None:
        self._database = database
        self._log = log
        self._memory = memory
        self._opener = opener
        self._entries = entries

    def stored(
        self, events: Sequence[Any], names: Mapping[str, str | None], club: UUID, as_kept: AsKept | None = None
    ) -> Imported:
        """Events as a store wrote them, kept byte for byte. Raises Refused, Unavailable.

        as_kept: each event's body and hash, where whoever read the file has found that they are just that.
        """
        session_id, night = _stored_night(events, as_kept)
        kept = self._log.read(session_id, 0, len(events))
        for ours, theirs in zip(kept, night.rows or [], strict=False):
            if ours.hash != theirs.hash:
                detail = f"The store has another event {ours.seq} in this session: one of the two was changed."
                raise Refused(Refusal("version.conflict", detail, "contract.md §3", actual=ours.seq))
        return self._keep(session_id, night, len(kept), names, club, "", {})

    def stored_many(
        self, nights: Sequence[tuple[Sequence[Any], AsKept | None]], club: UUID
    ) -> list[Imported | Refused]:
        """`stored` of each, for less than a call of it for each: what is new here is kept in one transaction.

        Raises Unavailable, and then nothing of them that is new was kept.
        """
        answers: dict[int, Imported | Refused] = {}
        claimed = [_claimed(events) for events, _ in nights]
        there = versions_of(self._database, [one for one in claimed if one is not None])
        fresh: dict[UUID, tuple[int, _Night]] = {}
        for at, (events, as_kept) in enumerate(nights):
            session_id = claimed[at]
            if session_id is None or session_id in fresh or there[session_id]:
                continue  # one that is there, or comes twice, is taken by itself
            try:
                fresh[session_id] = at, _stored_night(events, as_kept)[1]
            except Refused as refused:
                answers[at] = refused
        for session_id, tokens in self._keep_new({one: night for one, (_, night) in fresh.items()}, club).items():
            at, night = fresh[session_id]
            answers[at] = Imported(session_id, night.total, 0, {kind: token.text for kind, token in tokens.items()})
        for at, (events, as_kept) in enumerate(nights):
            if at not in answers:
                try:
                    answers[at] = self.stored(events, {}, club, as_kept)
                except Refused as refused:
                    answers[at] = refused
        return [answers[at] for at in range(len(nights))]

    def _keep_new(self, nights: Mapping[UUID, _Night], club: UUID) -> dict[UUID, dict[str, Token]]:
        """Store nights of which nothing is there; their tokens, none where somebody else was quicker."""
        logs: dict[UUID, Sequence[New]] = {}
        anew: dict[UUID, Anew] = {}
        tokens: dict[UUID, dict[str, Token]] = {}
        also: list[Statement] = []
        for session_id, night in nights.items():
            rows = night.rows or []
            night.session.opening, last = bodies([rows[0].stored(), rows[-1].stored()])
            logs[session_id] = rows
            anew[session_id] = Anew(night.total, last["recorded_at"], project(night.session))
            tokens[session_id], beside = self._opener.beside(session_id, club, {}, {})
            also += beside
        try:
            keep_new(self._database, logs, anew, club, also)
        except VersionTaken:
            return {}
        return tokens

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
        night, contents = _sent_night(opening, events)
        for number in range(MOST_ALIKE):
            session_id = _id_of(contents[0], number)
            kept = [without_stamps(event) for event in bodies(self._log.stream(session_id))]
            if all(ours == theirs for ours, theirs in zip(kept, contents, strict=False)):
                return self._keep(session_id, night, len(kept), {**given, **names}, club, by, people)
        detail = f"{MOST_ALIKE} other nights were opened in the same words: give this one its own `title`, or an `at`."
        raise Refused(Refusal("request.invalid", detail, expected=MOST_ALIKE))

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
        total = night.total
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


def _claimed(events: Sequence[Any]) -> UUID | None:
    """Of which session stored events say they are; None where they do not say it well."""
    try:
        return UUID(events[0]["session"])
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None


def _stored_night(events: Sequence[Any], as_kept: AsKept | None = None) -> tuple[UUID, _Night]:
    """Raises Refused where the events are not a whole, unbroken and legal log in the form in which one is stored."""
    rows = _linked(events, as_kept) if as_kept is not None else None
    if rows is None:
        rows = _chained(events)
    session = Session.read(events)
    times: set[str] = set()
    for seq, (event, clean) in enumerate(zip(events, session.events, strict=True), 1):
        errors = _stamp_errors(event, times)
        if seq == 1:  # the engine looks at an opening's own fields only
            clean = {**clean, **{name: event[name] for name in ("at", "id") if name in event}}
        # Every field is a stamp, or what the engine makes of it.
        if len(event) != len(clean) + _COUNT_OF_STAMPS or not clean.items() <= event.items():
            errors["event"] = ["is not in the form in which it is stored"]
        if errors:
            raise _damaged(seq, "; ".join(f"{name} {errors[name][0]}" for name in sorted(errors)))
    if len({row.client_id for row in rows if row.client_id}) < sum(row.client_id is not None for row in rows):
        raise _damaged(1, "two events have one id")
    return UUID(events[0]["session"]), _Night(session, len(rows), rows)


def _linked(events: Sequence[Any], as_kept: AsKept) -> list[New] | None:
    """The events as they are kept, where they make one chain; None where they do not. Bodies and hashes are good."""
    rows: list[New] = []
    try:
        session, before = events[0]["session"], GENESIS
        for seq, (event, (body, digest)) in enumerate(zip(events, as_kept, strict=True), 1):
            if (event["seq"], event["session"], event["prev"]) != (seq, session, before) or type(
                event["seq"]
            ) is not int:
                return None
            before = event["hash"]
            client_id = event.get("id")
            rows.append(New(seq, body, digest, UUID(client_id) if client_id else None))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return rows


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


def _sent_night(opening: Event, events: Sequence[Any]) -> tuple[_Night, list[Event]]:
    """The night, and its events without stamps. Raises Refused, with the index of the event that fails."""
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
    return _Night(session, session.version, None), [without_stamps(event) for event in session.events]


def _id_of(opening: Event, number: int) -> UUID:
    """The id of a session that was opened in these words, and of the next ones: a UUIDv8, made of their hash."""
    digest = bytearray(hashlib.sha256(canonical(["bragbook import", opening, number])).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return UUID(bytes=bytes(digest))


def _damaged(seq: int, why: str) -> Refused:
    return Refused(Refusal("request.invalid", f"The file is not a log that a store wrote: {why}.", event=seq - 1))
