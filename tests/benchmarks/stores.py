"""Stores to measure on: as many sessions as make so many events, written by COPY under the store's own checks."""

from __future__ import annotations

from uuid import UUID

import psycopg

from service import migrate
from service.store.clubs import Clubs
from service.store.database import Database
from tests.benchmarks.material import stored_nights

_TYPES = ("uuid", "int8", "bytea", "bytea", "uuid")


def fill(conninfo: str, events: int) -> list[UUID]:
    """A migrated store with nights of all games until they make so many events, not projected; their sessions."""
    migrate.apply(conninfo)
    database = Database(conninfo, largest=2)
    database.open()
    database.wait(10)
    Clubs(database).make_first()
    database.close()
    sessions, left = [], events
    with (
        psycopg.connect(conninfo) as connection,
        connection.cursor().copy(
            "copy events (session, seq, body, hash, client_id) from stdin (format binary)"
        ) as copy,
    ):
        copy.set_types(_TYPES)
        for session, rows in stored_nights():
            for row in rows[:left]:
                copy.write_row((session, *row))
            sessions.append(session)
            left -= len(rows)
            if left <= 0:
                break
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("vacuum (analyze) events")
    return sessions


def copied_out(conninfo: str) -> int:
    """Reads every event by COPY and does nothing with it; how many bytes that was."""
    size = 0
    with (
        psycopg.connect(conninfo) as connection,
        connection.cursor().copy("copy (select seq, body, hash from events) to stdout (format binary)") as copy,
    ):
        for block in copy:
            size += len(block)
    return size
