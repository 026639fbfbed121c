"""What events are appended to: a bare table, the event stores that somebody could take instead, and this one.

Each is given the same nights, the same bytes where it takes bytes, and a connection a writer.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
import tempfile
import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg.conninfo import conninfo_to_dict

from service import migrate
from service.sessions import Sessions
from service.store.clubs import Clubs
from service.store.database import Database
from service.store.log import New
from tests.benchmarks.http import Client
from tests.benchmarks.material import Night, sealed, with_ids

MESSAGE_DB = "@eventide/message-db@1.3.1"

Append = Callable[[], object]
"""One append, all prepared: what is timed."""


class Batch(NamedTuple):
    """Events of a night that are appended at once."""

    session: UUID
    rows: list[New]

    @property
    def types(self) -> list[str]:
        return [str(json.loads(row.body)["type"]) for row in self.rows]


def batches(night: Night, size: int, most: int) -> list[Batch]:
    """A night's first events, at most so many, the opening left out, in batches."""
    session = uuid.uuid4()
    rows = sealed(session, [night.events[0], *with_ids(night.events[1 : most + 1])])[1:]
    return [Batch(session, rows[at : at + size]) for at in range(0, len(rows), size)]


class Peer:
    """Something that events are appended to. `prepare` is not timed, what it returns is."""

    name = ""
    why_not = ""
    """Why it cannot be measured here."""

    def __init__(self, conninfo: str, writers: int) -> None:
        """Set it up in a new database, for so many writers at a time."""
        self.conninfo = conninfo
        self.writers = writers
        self.open = ExitStack()

    def prepare(self, writer: int, nights: Sequence[Night], size: int, most: int) -> list[Append]:
        """The appends of one writer: the nights one after another, each in a stream of its own."""
        raise NotImplementedError

    def close(self) -> None:
        """Give everything back."""
        self.open.close()


class Bare(Peer):
    """Inserts through psycopg into a table of the same columns with nothing else to it: the limit."""

    name = "bare inserts (psycopg)"
    ONE = "insert into bare (session, seq, body, hash, client_id) values (%s, %s, %s, %s, %s)"
    MANY = (
        "insert into bare (session, seq, body, hash, client_id) select %s, given.* from"
        " unnest(%s::bigint[], %s::bytea[], %s::bytea[], %s::uuid[]) as given (seq, body, hash, client_id)"
    )

    def __init__(self, conninfo: str, writers: int) -> None:
        super().__init__(conninfo, writers)
        self.connections = [self.open.enter_context(psycopg.connect(conninfo, autocommit=True)) for _ in range(writers)]
        self.connections[0].execute(
            "create table if not exists bare (session uuid not null, seq bigint not null, body bytea not null,"
            " hash bytea not null, client_id uuid, primary key (session, seq))"
        )

    def prepare(self, writer: int, nights: Sequence[Night], size: int, most: int) -> list[Append]:
        connection = self.connections[writer]

        def one(batch: Batch) -> Append:
            values = (batch.session, *batch.rows[0])
            return lambda: connection.execute(self.ONE, values)

        def many(batch: Batch) -> Append:
            values = (batch.session, *(list(column) for column in zip(*batch.rows, strict=True)))
            return lambda: connection.execute(self.MANY, values)

        return [(one if size == 1 else many)(batch) for night in nights for batch in batches(night, size, most)]


class MessageDb(Peer):
    """message-db's own function, `write_message`, with the expected version; a batch is one transaction, pipelined."""

    name = "message-db"
    WRITE = "select message_store.write_message(%s, %s, %s, %s::jsonb, null, %s)"
    sql: list[str] | None = None

    def __init__(self, conninfo: str, writers: int) -> None:
        super().__init__(conninfo, writers)
        sql = self.fetch()
        with psycopg.connect(conninfo, autocommit=True) as connection:
            connection.execute("create schema if not exists message_store")
            connection.execute("set search_path to message_store, public")
            for statement in sql:
                connection.execute(statement)  # type: ignore[call-overload]
        self.connections = [
            self.open.enter_context(
                psycopg.connect(conninfo, autocommit=True, options="-c search_path=message_store,public")
            )
            for _ in range(writers)
        ]

    @classmethod
    def fetch(cls) -> list[str]:
        """Its SQL as it is published, in the order of its own installer."""
        if cls.sql is None:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(
                    ["npm", "pack", "--silent", MESSAGE_DB], cwd=folder, check=True, capture_output=True, timeout=120
                )
                with tarfile.open(next(Path(folder).glob("*.tgz"))) as packed:
                    packed.extractall(folder, filter="data")
                home = Path(folder) / "package" / "database"
                # pgcrypto is for older servers: what it gave is built in by now.
                names = ["tables/messages", "types/message"]
                names += [
                    "functions/" + name
                    for name in (
                        "message-store-version", "hash-64", "acquire-lock", "category", "is-category", "id",
                        "cardinal-id", "stream-version", "write-message",
                    )
                ]  # fmt: skip
                names += ["indexes/messages-id", "indexes/messages-stream", "indexes/messages-category"]
                cls.sql = [(home / f"{name}.sql").read_text(encoding="utf-8") for name in names]
        return cls.sql

    @classmethod
    def missing(cls) -> str:
        """Why it cannot be had here; empty where it can."""
        if shutil.which("npm") is None:
            return "npm, which message-db comes with, is not installed"
        try:
            cls.fetch()
        except (subprocess.SubprocessError, OSError, StopIteration):
            return "message-db could not be fetched with npm"
        return ""

    def prepare(self, writer: int, nights: Sequence[Night], size: int, most: int) -> list[Append]:
        connection = self.connections[writer]

        def of(batch: Batch) -> Append:
            given = [
                (str(row.client_id), f"session-{batch.session}", kind, row.body.decode(), row.seq - 3)
                for row, kind in zip(batch.rows, batch.types, strict=True)
            ]

            def together() -> None:
                with connection.pipeline(), connection.transaction():
                    for values in given:
                        connection.execute(self.WRITE, values)

            return (lambda: connection.execute(self.WRITE, given[0])) if size == 1 else together

        return [of(batch) for night in nights for batch in batches(night, size, most)]


class EventSourcing(Peer):
    """The Postgres recorder of `eventsourcing`, as its applications use it."""

    name = "eventsourcing"

    def __init__(self, conninfo: str, writers: int) -> None:
        super().__init__(conninfo, writers)
        from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore

        at = conninfo_to_dict(conninfo)
        datastore = PostgresDatastore(
            str(at["dbname"]), str(at.get("host") or "localhost"), str(at.get("port") or 5432),
            str(at.get("user") or "postgres"), str(at.get("password") or ""), pool_size=writers,
        )  # fmt: skip
        self.open.callback(datastore.close)
        self.recorder: Any = PostgresApplicationRecorder(datastore, events_table_name="stored_events")
        self.recorder.create_table()

    def prepare(self, writer: int, nights: Sequence[Night], size: int, most: int) -> list[Append]:
        from eventsourcing.persistence import StoredEvent

        def of(batch: Batch) -> Append:
            events = [
                StoredEvent(batch.session, row.seq, f"events.vocabulary:{kind}", row.body)
                for row, kind in zip(batch.rows, batch.types, strict=True)
            ]
            return lambda: self.recorder.insert_events(events)

        return [of(batch) for night in nights for batch in batches(night, size, most)]


class Store(Peer):
    """`Sessions.append`: every event checked against the rules, stamped, hashed, chained, stored and projected."""

    name = "Bragbook, through the store"

    def __init__(self, conninfo: str, writers: int) -> None:
        super().__init__(conninfo, writers)
        migrate.apply(conninfo)
        self.database = Database(conninfo, largest=writers + 2)
        self.database.open()
        self.open.callback(self.database.close)
        self.database.wait(10)
        Clubs(self.database).make_first()
        self.sessions = Sessions(self.database)
        self.open.callback(self.sessions.close)

    def prepare(self, writer: int, nights: Sequence[Night], size: int, most: int) -> list[Append]:
        def of(session: str, events: list[dict[str, Any]]) -> Append:
            return lambda: self.sessions.append(session, events, "bench", with_state=False)

        appends = []
        for night in nights:
            opened = self.sessions.open(night.body)
            raws = with_ids(night.raws[:most])
            appends += [of(opened.id, raws[at : at + size]) for at in range(0, len(raws), size)]
        return appends


class Http(Peer):
    """The same through the HTTP API of a served process, a kept connection a writer, the new state in every answer."""

    name = "Bragbook, through HTTP"

    def __init__(self, conninfo: str, writers: int) -> None:
        super().__init__(conninfo, writers)
        from tests.benchmarks.http import served

        self.port = self.open.enter_context(served(conninfo))
        self.clients = [self.open.enter_context(Client(self.port)) for _ in range(writers)]

    def prepare(self, writer: int, nights: Sequence[Night], size: int, most: int) -> list[Append]:
        client = self.clients[writer]

        def of(path: str, token: str, events: list[dict[str, Any]]) -> Append:
            body = json.dumps(events[0] if size == 1 else events).encode()
            return lambda: client.post(path, body, token)

        appends = []
        for night in nights:
            opened = client.post("/api/v1/sessions", json.dumps(night.body).encode())
            path, token = f"/api/v1/sessions/{opened['id']}/events", opened["tokens"]["record"]
            raws = with_ids(night.raws[:most])
            appends += [of(path, token, raws[at : at + size]) for at in range(0, len(raws), size)]
        return appends
