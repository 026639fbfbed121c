"""A store on a real Postgres, and hands to record in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

from service.sessions import Sessions
from service.store.database import Database
from tests.factories import SessionFactory, worked_example

Event = dict[str, Any]
OpenStore = Callable[..., Database]


@pytest.fixture
def open_store() -> Iterator[OpenStore]:
    """Opens stores that are closed after the test."""
    opened: list[Database] = []

    def open_one(conninfo: str, **more: Any) -> Database:
        store = Database(conninfo, **{"largest": 4, **more})
        store.open()
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(database: str, open_store: OpenStore) -> Database:
    """A store that the tests of one file share."""
    return open_store(database)


@pytest.fixture
def sessions(store: Database) -> Iterator[Sessions]:
    """The sessions of that store, as one process sees them."""
    sessions = Sessions(store)
    sessions.clubs.make_first()
    yield sessions
    sessions.close()


@pytest.fixture
def elsewhere(database: str, open_store: OpenStore) -> Iterator[Sessions]:
    """The same sessions, as another process sees them: with a memory and connections of its own."""
    sessions = Sessions(open_store(database))
    yield sessions
    sessions.close()


@pytest.fixture
def owner(database: str, direct: Callable[[str], str]) -> Iterator[psycopg.Connection[Any]]:
    """A connection of who owns the tables, and the server."""
    with psycopg.connect(direct(database), autocommit=True) as connection:
        yield connection


@pytest.fixture
def table(sessions: Sessions) -> UUID:
    """Four at three-card Brag, nothing dealt yet."""
    return UUID(sessions.open(SessionFactory()).id)


@pytest.fixture
def played(sessions: Sessions) -> UUID:
    """Another table of four, with the worked example of rules.md §4 played: version 13."""
    played = UUID(sessions.open(SessionFactory()).id)
    sessions.append(played, worked_example(), "record-test")
    return played
