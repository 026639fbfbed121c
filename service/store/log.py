"""The events table: append, read, never anything else.

The primary key (session, seq) is the expected version: an append states the numbers that its events are to have, and
one that is taken is `VersionTaken`. Nothing is read first, no row of heads is kept, and an append is one round trip.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, LiteralString, NamedTuple
from uuid import UUID

from service.store.database import Database, Statement, StoreConnection, run_together
from service.store.faults import EventRefused, VersionTaken
from service.store.prepared import ARRAYS, BYTEA, INT8, Prepared, array
from service.store.prepared import UUID as UUID_OID
from service.store.replica import Replica

PAGE: Final = 500
"""How many events are read at a time where all are wanted."""


class Stored(NamedTuple):
    """An event as it is kept: `body` the canonical JSON that was hashed, `hash` the SHA-256 of it (32 bytes)."""

    seq: int
    body: bytes
    hash: bytes

    def line(self) -> bytes:
        """The event on the wire: the body with its hash, one JSON object with no line end."""
        return self.body[:-1] + b',"hash":"' + self.hash.hex().encode() + b'"}'


class New(NamedTuple):
    """An event to be kept; `client_id` is the client's own id of it, if it has one."""

    seq: int
    body: bytes
    hash: bytes
    client_id: UUID | None

    def stored(self) -> Stored:
        """The event as it is kept."""
        return Stored(self.seq, self.body, self.hash)


# The one statement of an append, for one event and for several: what else is written with them goes behind it.
INSERT_ONE: Final[LiteralString] = (
    "insert into events (session, seq, body, hash, client_id) values ($1, $2, $3, $4, $5)"
)
INSERT_SEVERAL: Final[LiteralString] = (
    "insert into events (session, seq, body, hash, client_id)"
    " select $1, given.* from unnest($2, $3, $4, $5) as given (seq, body, hash, client_id)"
)
ONE_TYPES: Final = (UUID_OID, INT8, BYTEA, BYTEA, UUID_OID)
SEVERAL_TYPES: Final = (UUID_OID, ARRAYS[INT8], ARRAYS[BYTEA], ARRAYS[BYTEA], ARRAYS[UUID_OID])
_ONE: Final = Prepared("insert_event", INSERT_ONE, ONE_TYPES)
_SEVERAL: Final = Prepared("insert_events", INSERT_SEVERAL, SEVERAL_TYPES)


class AtOnce(NamedTuple):
    """Statements that insert events and write more, for one event and for several: their values are those of
    `INSERT_ONE` or `INSERT_SEVERAL`, then these."""

    one: Prepared
    several: Prepared
    values: Sequence[bytes]


class Beside(NamedTuple):
    """What is written in the transaction of an append: statements in turn, or, where the server takes it so, all in
    one statement with the events."""

    statements: Sequence[Statement] = ()
    at_once: AtOnce | None = None


_INSERT: Final[LiteralString] = "insert into events (session, seq, body, hash, client_id) values "
_ROW: Final[LiteralString] = "(%s, %s, %s, %s, %s)"

_ALL_SESSIONS: Final[LiteralString] = """
(select distinct session from events where session > %s order by session limit %s)
union
(select session from sessions where session > %s order by session limit %s)
order by session limit %s
"""
COPY_EVENTS: Final[LiteralString] = "copy events (session, seq, body, hash, client_id) from stdin (format binary)"
COPY_EVENT_TYPES: Final = ("uuid", "int8", "bytea", "bytea", "uuid")


class Log:
    """The log of every session: written to the primary, and read from it.

    A reader who says `as_of`, the version that the session had at the primary just now, reads the log up to that
    version, from the replica where there is one; the primary makes good whatever that does not have.
    """

    def __init__(self, database: Database, replica: Replica | None = None) -> None:
        self._database = database
        self._replica = replica

    def append(self, session: UUID, events: Sequence[New], also: Beside | None = None) -> None:
        """Keep events that follow on each other, all or none, and write what goes with them in the same transaction.

        One round trip, and on disk when it returns. Where the connection is lost under it, it is done again: events
        that were kept after all are recognised by their bytes.

        Raises VersionTaken where a number is taken, EventRefused where an event does not continue the one before it,
        Unavailable.
        """
        try:
            self._database.patiently(lambda connection: _insert(connection, session, events, also))
        except VersionTaken:
            if self.read(session, events[0].seq - 1, len(events)) != [event.stored() for event in events]:
                raise

    def append_many(self, session: UUID, events: Sequence[New], also: Sequence[Statement] = ()) -> None:
        """`append` for any number of events, in as many round trips as that takes, all or none.

        Not done again where the connection is lost: whoever imports a night can.
        """
        with self._database.lend() as connection, connection.transaction():
            with connection.cursor().copy(COPY_EVENTS) as copy:
                copy.set_types(COPY_EVENT_TYPES)
                for event in events:
                    copy.write_row((session, *event))
            if also:
                run_together(connection, also)

    def read(self, session: UUID, after: int = 0, limit: int = PAGE, as_of: int | None = None) -> list[Stored]:
        """The session's events with a seq beyond `after`, in order, at most `limit`. Raises Unavailable."""
        if as_of is not None:
            limit = min(limit, as_of - after)
            if limit <= 0:
                return []  # there is nothing that would have to be asked for
        rows = [] if as_of is None or self._replica is None else self._replica.read(session, after, limit)
        if len(rows) < limit:
            rows += self._database.ask(
                "select seq, body, hash from events where session = %s and seq > %s order by seq limit %s",
                (session, rows[-1][0] if rows else after, limit - len(rows)),
            )
        return [Stored(*row) for row in rows]

    def pick(self, session: UUID, seqs: Sequence[int]) -> dict[int, Stored]:
        """The session's events of these numbers, by number. Raises Unavailable."""
        rows = self._database.ask(
            "select seq, body, hash from events where session = %s and seq = any(%s)", (session, list(seqs))
        )
        return {row[0]: Stored(*row) for row in rows}

    def stream(
        self, session: UUID, after: int = 0, until: int | None = None, as_of: int | None = None
    ) -> Iterator[Stored]:
        """All the session's events beyond `after`, to `until` where given, a page at a time.

        No connection is held and no transaction open while the caller is slow. Raises Unavailable.
        """
        while True:
            page = self.read(session, after, as_of=as_of)
            for event in page:
                if until is not None and event.seq > until:
                    return
                yield event
            if len(page) < PAGE:
                return
            after = page[-1].seq

    def version(self, session: UUID) -> int:
        """The seq of the session's last event; 0 where there is no such session. Raises Unavailable."""
        rows = self._database.ask("select seq from events where session = %s order by seq desc limit 1", (session,))
        return int(rows[0][0]) if rows else 0

    def as_of(self, session: UUID) -> int | None:
        """The version to read a long log with, for who has not been given one; None where there is no replica."""
        return None if self._replica is None else self.version(session)

    def newer(self, versions: Mapping[UUID, int]) -> Iterator[tuple[UUID, list[Stored]]]:
        """The sessions that have gone beyond these versions, each with a page of what is newer, in order.

        Asks by each session's own numbers: numbers and times across sessions become visible out of order. And asks for
        the one number that comes next, since none is left out: of a range the database does not know how little is in
        it, and in a large store it would rather read everything.
        """
        found = self._database.ask(
            # Columns of one type: a cluster takes them all for what the first is.
            "select e.session from unnest(%s::text[], %s::text[]) as next (session, seq)"
            " join events e on e.session = next.session::uuid and e.seq = next.seq::bigint",
            ([str(session) for session in versions], [str(version + 1) for version in versions.values()]),
        )
        for (session,) in found:
            yield session, self.read(session, versions[session])

    def all_sessions(self) -> Iterator[UUID]:
        """The ids of all sessions, in order: those with an event, and those that only the list knows."""
        after = UUID(int=0)
        while True:
            rows = self._database.ask(_ALL_SESSIONS, (after, PAGE, after, PAGE, PAGE))
            for row in rows:
                yield row[0]
            if len(rows) < PAGE:
                return
            after = rows[-1][0]


def insertion(session: UUID, events: Sequence[New]) -> Statement:
    """The statement that inserts these events: rows of values, which a distributed database sends to one place."""
    return _INSERT + ", ".join([_ROW] * len(events)), [value for event in events for value in (session, *event)]


def _insert(connection: StoreConnection, session: UUID, events: Sequence[New], also: Beside | None) -> None:
    more: Sequence[bytes] = ()
    if also is None and (len(events) == 1 or not connection.distributed):
        prepared = _ONE if len(events) == 1 else _SEVERAL
    elif also is not None and also.at_once is not None and not connection.distributed:
        prepared = also.at_once.one if len(events) == 1 else also.at_once.several
        more = also.at_once.values
    else:
        beside = also.statements if also is not None else ()
        count = run_together(connection, [insertion(session, events), *beside])[0]
        _check_count(count, events)
        return
    values = _one(session, events[0]) if len(events) == 1 else _several(session, events)
    touched = prepared.run(connection, [*values, *more])
    if also is None:
        _check_count(touched, events)


def _check_count(count: int | None, events: Sequence[New]) -> None:
    if count != len(events):
        raise EventRefused("The database kept another number of events than it was given.")


def _one(session: UUID, event: New) -> list[bytes | None]:
    seq, body, digest, client_id = event
    return [session.bytes, seq.to_bytes(8), body, digest, client_id.bytes if client_id is not None else None]


def _several(session: UUID, events: Sequence[New]) -> list[bytes | None]:
    return [
        session.bytes,
        array(INT8, [event.seq.to_bytes(8) for event in events]),
        array(BYTEA, [event.body for event in events]),
        array(BYTEA, [event.hash for event in events]),
        array(UUID_OID, [event.client_id.bytes if event.client_id is not None else None for event in events]),
    ]
