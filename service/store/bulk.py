"""What is kept of many sessions, read and written together: a round trip costs as much as a dozen events.

Nothing is decided here. A session that is not found as it should be is looked at again by itself, by who asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, LiteralString, NamedTuple
from uuid import UUID

import orjson
from psycopg.types.json import Jsonb

from service.store.clubs import FIRST_CLUB
from service.store.database import Database, Statement, StoreConnection, run_together
from service.store.log import COPY_EVENT_TYPES, COPY_EVENTS, Log, New, Stored
from service.store.projections import Balance, Projection, Seat, entering

MOST_EVENTS: Final = 4_000
"""So many events are held at a time, or one session's."""

_EVENTS: Final[LiteralString] = (
    "select session, seq, body, hash from events where session = any(%s) order by session, seq limit %s"
)
_ENTRIES: Final[LiteralString] = (
    "select session, version, game, title, night, unit::text, seats, closed, winners from sessions"
    " where session = any(%s)"
)
_HANDS: Final[LiteralString] = (
    "select session, hand, result, first, last, detail::text from hands where session = any(%s)"
)
_SEATS: Final[LiteralString] = (
    "select session, hand, player, paid, awarded, net, won, lost_life, category from hand_players"
    " where session = any(%s)"
)
_BALANCES: Final[LiteralString] = (
    "select session, player, net_chips, money_coins, lives from balances where session = any(%s)"
)
# In the order of their ids, as everywhere: two who hold several never wait for each other.
_HOLD: Final[LiteralString] = "select session, club from sessions where session = any(%s) order by session for update"
_NEWEST: Final[LiteralString] = "select session, max(seq) from events where session = any(%s) group by session"
_CLUBS: Final[LiteralString] = "select distinct on (session) session, club from tokens where session = any(%s)"
_DROP: Final[tuple[LiteralString, ...]] = (
    "delete from hand_players where session = any(%s)",
    "delete from hands where session = any(%s)",
    "delete from balances where session = any(%s)",
)
_COPY_HANDS: Final[LiteralString] = "copy hands (session, hand, result, first, last, detail) from stdin (format binary)"
_COPY_SEATS: Final[LiteralString] = (
    "copy hand_players (session, hand, player, paid, awarded, net, won, lost_life, category) from stdin (format binary)"
)
_COPY_BALANCES: Final[LiteralString] = (
    "copy balances (session, player, net_chips, money_coins, lives) from stdin (format binary)"
)
_HAND_TYPES: Final = ("uuid", "int8", "text", "int8", "int8", "jsonb")
_SEAT_TYPES: Final = ("uuid", "int8", "text", "int8", "int8", "int8", "bool", "bool", "text")
_BALANCE_TYPES: Final = ("uuid", "text", "int8", "int8", "int8")


class Anew(NamedTuple):
    """What is to be kept of a session as of a version; changed_at: when that was recorded."""

    version: int
    changed_at: str
    now: Projection


def logs_of(database: Database, sessions: Sequence[UUID]) -> Iterator[dict[UUID, list[Stored]]]:
    """The whole logs of these sessions, some at a time, in the order of their ids; one with no event is left out.

    No transaction is open while the caller is slow. Raises Unavailable.
    """
    left = sorted(sessions)
    while left:
        logs: dict[UUID, list[Stored]] = {}
        rows = database.ask(_EVENTS, (left, MOST_EVENTS))
        for session, seq, body, digest in rows:
            log = logs.get(session)
            if log is None:
                log = logs[session] = []
            log.append(Stored(seq, body, digest))
        if len(rows) < MOST_EVENTS:
            left = []
        else:  # the last may go on
            last = rows[-1][0]
            logs[last] += Log(database).stream(last, rows[-1][1])
            left = [session for session in left if session > last]
        yield logs


def drifting(database: Database, replayed: Mapping[UUID, tuple[int, Projection]]) -> set[UUID]:
    """Those sessions whose projections are not what a replay to a version gives. Raises Unavailable."""
    asked = [list(replayed)]
    kept: dict[UUID, _Kept] = {session: _Kept(0, (), {}, [], {}) for session in replayed}
    for session, version, game, title, night, unit, *rest in database.ask(_ENTRIES, asked):
        kept[session].version, kept[session].entry = version, (game, title, night, orjson.loads(unit), *rest)
    for session, number, *rest, detail in database.ask(_HANDS, asked):
        kept[session].hands[number] = (*rest, orjson.loads(detail))
    for session, *rest in database.ask(_SEATS, asked):
        kept[session].seats.append(Seat(*rest))
    for session, player, *rest in database.ask(_BALANCES, asked):
        kept[session].balances[player] = Balance(*rest)
    return {session for session, (version, now) in replayed.items() if not kept[session].is_of(version, now)}


class _Kept:
    """What is kept of one session."""

    __slots__ = ("balances", "entry", "hands", "seats", "version")

    def __init__(
        self,
        version: int,
        entry: tuple[Any, ...],
        hands: dict[int, tuple[Any, ...]],
        seats: list[Seat],
        balances: dict[str, Balance],
    ) -> None:
        self.version = version
        self.entry = entry
        self.hands = hands
        self.seats = seats
        self.balances = balances

    def is_of(self, version: int, now: Projection) -> bool:
        """Whether it is what a replay to a version gives; a time is the database's to write in its own way."""
        entry = now.entry
        return (
            self.version <= version
            and self.entry
            == (entry.game, entry.title, entry.night, entry.unit, entry.seats, entry.closed, entry.winners)
            and self.hands
            == {number: (hand["result"], hand["first"], hand["last"], hand) for number, hand in now.hands.items()}
            and sorted(self.seats, key=_place) == sorted(now.seats, key=_place)
            and self.balances == now.balances
        )


def _place(seat: Seat) -> tuple[int, str]:
    return seat.hand, seat.player


def write_anew(database: Database, anew: Mapping[UUID, Anew]) -> set[UUID]:
    """Write everything about these sessions, whatever was there, in one transaction; those that it was written of.

    Left out are those that somebody has recorded in since, and all of them where the database is distributed. Raises
    Unavailable.
    """
    return database.patiently(lambda connection: _write_anew(connection, anew))


def _write_anew(connection: StoreConnection, anew: Mapping[UUID, Anew]) -> set[UUID]:
    def entries(clubs: Mapping[UUID, UUID]) -> list[Statement]:
        asked = ((session, club, anew[session]) for session, club in clubs.items())
        return [entering(session, club, to.version, to.changed_at, to.now.entry) for session, club, to in asked]

    if connection.distributed:
        return set()  # it holds the rows of one session at a time
    with connection.transaction():
        # The rows of the list are held, so that whoever ends a hand meanwhile waits, and writes after this.
        clubs: dict[UUID, UUID] = dict(connection.execute(_HOLD, [list(anew)], binary=True).fetchall())
        lost = [session for session in anew if session not in clubs]
        if lost:  # the list has lost them, and their tokens still know whose they are
            known: dict[UUID, UUID] = dict(connection.execute(_CLUBS, [lost], binary=True).fetchall())
            run_together(connection, entries({session: known.get(session, FIRST_CLUB) for session in lost}))
        versions: dict[UUID, int] = dict(connection.execute(_NEWEST, [list(anew)], binary=True).fetchall())
        chosen = [session for session, one in anew.items() if versions.get(session, 0) == one.version]
        if chosen:
            held = {session: clubs[session] for session in chosen if session in clubs}
            run_together(connection, [*((sql, [chosen]) for sql in _DROP), *entries(held)])
            copy_in(connection, {session: anew[session].now for session in chosen})
    return set(chosen)


def versions_of(database: Database, sessions: Sequence[UUID]) -> dict[UUID, int]:
    """How many events there are of each of these sessions; 0 where there is none. Raises Unavailable."""
    return {**dict.fromkeys(sessions, 0), **dict(database.ask(_NEWEST, (list(sessions),)))}


def keep_new(
    database: Database,
    logs: Mapping[UUID, Sequence[New]],
    anew: Mapping[UUID, Anew],
    club: UUID,
    also: Sequence[Statement],
) -> None:
    """Keep whole sessions of which nothing is there, all or none, with what else is to be written with them.

    Not done again where the connection is lost: whoever imports nights can. Raises VersionTaken, EventRefused,
    Unavailable.
    """
    if not logs:
        return
    with database.lend() as connection, connection.transaction():
        with connection.cursor().copy(COPY_EVENTS) as copy:
            copy.set_types(COPY_EVENT_TYPES)
            for session, rows in logs.items():
                for row in rows:
                    copy.write_row((session, *row))
        entries = [entering(session, club, one.version, one.changed_at, one.now.entry) for session, one in anew.items()]
        run_together(connection, [*((sql, [list(logs)]) for sql in _DROP), *entries, *also])
        copy_in(connection, {session: one.now for session, one in anew.items()})


def copy_in(connection: StoreConnection, projections: Mapping[UUID, Projection]) -> None:
    """Write the hands, their players and the balances of sessions of which there are none."""
    with connection.cursor().copy(_COPY_HANDS) as copy:
        copy.set_types(_HAND_TYPES)
        for session, now in projections.items():
            for number, hand in now.hands.items():
                copy.write_row(
                    (session, number, hand["result"], hand["first"], hand["last"], Jsonb(hand, orjson.dumps))
                )
    with connection.cursor().copy(_COPY_SEATS) as copy:
        copy.set_types(_SEAT_TYPES)
        for session, now in projections.items():
            for seat in now.seats:
                copy.write_row((session, *seat))
    with connection.cursor().copy(_COPY_BALANCES) as copy:
        copy.set_types(_BALANCE_TYPES)
        for session, now in projections.items():
            for player, balance in now.balances.items():
                copy.write_row((session, player, *balance))
