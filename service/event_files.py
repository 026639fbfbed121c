"""Event files (contract.md §6): nights that are read from a file instead of the store.

A file is NDJSON of stored events, NDJSON of events as a client sends them (the first is then an `open` with a session's
fields), or a bundle. All three come out as a `Recording`. NDJSON may hold several nights, one after another, each
beginning with its `open`. Nothing here needs a database.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import orjson

from events.bundle import BundleError, event_lines, read_bundle
from events.log import GENESIS, seal
from events.refusals import Refusal, Refused, invalid
from events.session import Session, open_session
from events.times import utc
from events.vocabulary import FORM, STAMPED
from service import strict_json
from service.export.night import Night

MARK: Final = "\ufeff".encode()
"""What some editors put before a text."""
DEEPEST_BUNDLE = 24
UNKNOWN_TIME = "1970-01-01T00:00:00Z"
"""When an event of a file happened that does not say so; such a file is dated by nothing else either."""
FROM_A_FILE = "file"
"""`session` and `by` of events that never were in a store."""

Event = dict[str, Any]
Kept = tuple[bytes, bytes]
"""The body and the hash of an event as a store keeps them."""

_HASH_AT: Final = -75
"""Where `,"hash":"…"}` begins in a line that a store writes."""
_CANONICAL: Final = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER


class Unreadable(Exception):
    """A file that is no event file. The message is one line and names the file, and the line in it."""


@dataclass
class Recording:
    """One file, read. source: its name as given. events: as in the file, `open` first. lines: the line of each.

    stored: whether the events carry hashes, as a store wrote them. names: player -> name, None where erased.
    bundle: all members of a bundle but its events. exact: each event's bytes as they stand in the file, where it has a
    line to itself. kept: each event's body and hash as the store that wrote them had them, where every line was found
    to be just that.
    """

    source: str
    events: list[Event]
    lines: list[int]
    stored: bool
    names: dict[str, str | None] = field(default_factory=dict)
    bundle: Event | None = None
    exact: list[bytes] | None = None
    kept: list[Kept] | None = None

    @property
    def session_id(self) -> str:
        """The session's id, "file" where no store ever gave one."""
        return str(self.events[0].get("session", FROM_A_FILE)) if self.stored else FROM_A_FILE

    def place(self, index: int) -> str:
        """Where the event of this index stands: `night.ndjson:14`, or the event's number in a bundle."""
        if self.bundle is not None:
            return f"{self.source}: event {index + 1}"
        return f"{self.source}:{self.lines[index]}"

    def sealed(self) -> list[Event]:
        """The events with the fields of a store. Ones without hashes are numbered and chained as they stand.

        What the rules forbid stays in as it was written, for an audit to find. Raises Refused where the `open` is none,
        and for an event that cannot be chained, since it has a number that is not exact.
        """
        return self.events if self.stored else list(_stamped(self._recorded(forgiving=True)))

    def night(self) -> Night:
        """The night for the papers. Raises Refused, its `event` the index of the first that the rules forbid."""
        if self.stored:
            clean = Session.read(self.events).events
            events = [_restamped(at, *pair) for at, pair in enumerate(zip(self.events, clean, strict=True))]
        else:
            events = list(_stamped(self._recorded(forgiving=False)))
        return Night(self.session_id, events, self.names, Session.replay(events))

    def _recorded(self, *, forgiving: bool) -> Iterator[Event]:
        """A client's events as the engine records them; forgiving: from the first that it refuses on as they are."""
        opening, names = opened(self.events[0])
        self.names = {**names, **self.names}
        session: Session | None = Session(opening)
        yield opening
        for index, raw in enumerate(self.events[1:], 1):
            event = raw
            if session is not None:
                try:
                    event = session.record(raw, upcoming=self.events[index + 1 :])
                except Refused as refused:
                    refused.refusal.event = index
                    if not forgiving:
                        raise
                    session = None
            yield event


def _restamped(index: int, given: Event, clean: Event) -> Event:
    """A checked event with the stamps that it was stored with. Raises Refused where they are not a store's."""
    stamps = {name: given[name] for name in STAMPED if name in given and name != "hand"}
    wrong = {
        name: ["is not as a store writes it"] for name in ("session", "by", "prev", "hash") if not _text(stamps, name)
    }
    if stamps.get("seq") != index + 1:
        wrong["seq"] = [f"is {index + 1}: events are numbered from 1, with no gap"]
    try:
        utc(stamps.get("recorded_at"))
    except ValueError as error:
        wrong["recorded_at"] = [str(error)]
    if wrong:
        refusal = invalid(wrong)
        refusal.event = index
        raise Refused(refusal)
    return {**clean, **stamps}


def _text(stamps: Event, name: str) -> bool:
    return isinstance(stamps.get(name), str)


def opened(first: Event) -> tuple[Event, dict[str, str]]:
    """The `open` event and the names that a client's first line gives. Raises Refused where it opens nothing."""
    opening, names = open_session(first)
    if "at" in first:
        try:
            opening["at"] = utc(first["at"])
        except ValueError as error:
            raise Refused(invalid({"at": [str(error)]})) from None
    return opening, names


def _stamped(events: Iterable[Event]) -> Iterator[Event]:
    prev = GENESIS
    for seq, event in enumerate(events, 1):
        at = event.get("at")
        stamps = {
            "session": FROM_A_FILE, "seq": seq, "v": FORM, "by": FROM_A_FILE, "prev": prev,
            "recorded_at": at if isinstance(at, str) else UNKNOWN_TIME,
        }  # fmt: skip
        body = {**event, **stamps}
        try:
            _, prev = seal(body)
        except ValueError as error:
            detail = f'{error}: write amounts as text, such as "2.5"'
            raise Refused(Refusal("amount.not_exact", detail, "rules.md §1", event=seq - 1)) from None
        yield {**body, "hash": prev}


def read(path: str) -> list[Recording]:
    """The nights of the event file at `path`, `-` for standard input, one after another. Raises Unreadable."""
    source = named(path)
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise Unreadable(f"{source}: {error.strerror or error}") from None
    return parse(source, data)


def named(path: str) -> str:
    """What the file at `path` is called in messages."""
    return "standard input" if path == "-" else path


def parse(source: str, data: bytes) -> list[Recording]:
    """The nights of the event file that these bytes are, one after another. Raises Unreadable."""
    data = data.removeprefix(MARK)
    if not data.strip():
        raise Unreadable(f"{source}: there is nothing in it; an event file has an event a line")
    bundle = _bundle(source, data)
    if bundle is not None:
        return [_from_bundle(source, bundle, event_lines(data))]
    return nights_of(source, data)


def nights_of(source: str, data: bytes, first_line: int = 1) -> list[Recording]:
    """`parse` for lines that are known to be no bundle, from a line on. Raises Unreadable."""
    nights: list[_Lines] = []
    for number, line in enumerate(data.split(b"\n"), first_line):
        if not line.strip():
            continue
        exact = line.rstrip(b"\r")
        event, kept = _line(source, number, exact)
        if not nights or begins_another(event, nights[-1].events[0]):
            nights.append(_Lines())
        nights[-1].add(event, number, exact, kept)
    return [night.recording(source) for night in nights]


def _line(source: str, number: int, line: bytes) -> tuple[Event, Kept | None]:
    """The event of a line, and what a store kept of it where one wrote the line. Raises Unreadable."""
    found = as_written(line)
    if found is not None:
        return found
    try:
        event = strict_json.parse(line)
    except strict_json.Unreadable as error:
        raise Unreadable(f"{source}:{number}: {error}") from None
    if not isinstance(event, dict):
        raise Unreadable(f"{source}:{number}: an event is a JSON object, with a `type`")
    return event, None


def as_written(line: bytes) -> tuple[Event, Kept] | None:
    """An event and what a store kept of it, where the line is to the byte what a store writes; None where it is not.

    Such a line needs no strict reading, which is five times slower: written again it gives the same bytes, and so holds
    no key twice and no number that somebody could read otherwise.
    """
    body = line[:_HASH_AT] + b"}"
    if b"\\u" in line or line.count(b"[") + line.count(b"{") > strict_json.DEEPEST:
        return None
    try:
        event = orjson.loads(body)
        if not isinstance(event, dict) or "hash" in event or orjson.dumps(event, option=_CANONICAL) != body:
            return None
    except (ValueError, TypeError):  # no JSON; an integer beyond 2^53
        return None
    hashed = sha256(body)
    event["hash"] = hashed.hexdigest()
    if line[_HASH_AT:] != b',"hash":"' + event["hash"].encode() + b'"}':
        return None
    return event, (body, hashed.digest())


def begins_another(event: Event, opening: Event) -> bool:
    """Whether a night begins with this event: an `open`, of another session where it says of which it is."""
    return event.get("type") == "open" and ("session" not in event or event["session"] != opening.get("session"))


@dataclass
class _Lines:
    """The lines of one night."""

    events: list[Event] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    exact: list[bytes] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)

    def add(self, event: Event, number: int, line: bytes, kept: Kept | None) -> None:
        self.events.append(event)
        self.numbers.append(number)
        self.exact.append(line)
        if kept is not None:
            self.kept.append(kept)

    def recording(self, source: str) -> Recording:
        recording = _recording(source, self.events, self.numbers)
        recording.exact = self.exact
        recording.kept = self.kept if len(self.kept) == len(self.events) else None
        return recording


def _bundle(source: str, data: bytes) -> Event | None:
    """The object that a bundle is, or None where the bytes are not one JSON object with events in it.

    Raises Unreadable, naming the event, where a bundle is damaged.
    """
    if not data.lstrip().startswith(b"{"):
        return None
    try:
        value = strict_json.parse(data, DEEPEST_BUNDLE)
    except strict_json.Unreadable:
        if event_lines(data) is None:
            return None
        try:
            read_bundle(data, lambda part: strict_json.parse(part, DEEPEST_BUNDLE))
        except BundleError as error:
            raise Unreadable(f"{source}: {error}") from None
        return None
    return value if isinstance(value, dict) and "events" in value else None


def _from_bundle(source: str, bundle: Event, exact: list[bytes] | None) -> Recording:
    events = bundle.pop("events")
    if not isinstance(events, list) or not events or not all(isinstance(event, dict) for event in events):
        raise Unreadable(f"{source}: `events` of a bundle is a list of events, the `open` first")
    recording = _recording(source, events, [1] * len(events))
    recording.bundle = bundle
    recording.exact = exact if exact is not None and len(exact) == len(events) else None
    names, erased = bundle.get("names", {}), bundle.get("erased", [])
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise Unreadable(f"{source}: `names` of a bundle is an object: player -> name")
    if not isinstance(erased, list) or not all(isinstance(player, str) for player in erased):
        raise Unreadable(f"{source}: `erased` of a bundle is a list of players")
    recording.names = {**names, **dict.fromkeys(erased)}
    return recording


def _recording(source: str, events: list[Event], lines: list[int]) -> Recording:
    first = events[0]
    if first.get("type") != "open":
        raise Unreadable(f"{source}:{lines[0]}: the first event is an `open`, with the session's game and players")
    return Recording(source, events, lines, stored=any("hash" in event for event in events))
