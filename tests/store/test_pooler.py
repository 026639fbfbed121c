"""Behind PgBouncer in transaction mode, where no two statements need meet the same connection."""

from __future__ import annotations

import random
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest

from service.sessions import Sessions
from tests.engine.nights import VARIANTS, Variant
from tests.factories import SessionFactory, worked_example
from tests.pooler import pgbouncer
from tests.store.test_projections import as_sent, drift, kept, play


@pytest.fixture(scope="module")
def pooled(database: str, direct: Callable[[str], str]) -> Iterator[str]:
    with pgbouncer(direct(database)) as conninfo:
        yield conninfo


@pytest.fixture
def behind(pooled: str, open_store: Any) -> Iterator[Sessions]:
    sessions = Sessions(open_store(pooled))
    sessions.clubs.make_first()
    yield sessions
    sessions.close()


def test_it_is_known_that_something_stands_between(
    behind: Sessions, database: str, direct: Callable[[str], str], open_store: Any
) -> None:
    with behind._database.lend() as connection:
        assert not connection.direct
        assert connection.prepare_threshold is None
    with open_store(direct(database)).lend() as connection:
        assert connection.direct


@pytest.mark.parametrize("variant", VARIANTS[::4], ids=repr)
def test_a_night(behind: Sessions, sessions: Sessions, variant: Variant) -> None:
    chance = random.Random(1)
    events = play(variant, seed=3, moves=100)
    session = UUID(behind.open(variant.body).id)
    at = 0
    while at < len(events):
        size = chance.choice((1, 1, 1, 5))
        behind.append(session, [as_sent(event) for event in events[at : at + size]], "r")
        at += size
    assert drift(sessions._database, sessions, session) == []
    assert behind.state(session) == sessions.state(session)
    before = kept(sessions._database, session)
    assert behind.rebuild(session) == len(events) + 1
    assert kept(sessions._database, session) == before
    assert behind.verify(session).faults == []


def test_everything_else(behind: Sessions) -> None:
    opened = behind.open(SessionFactory())
    event = {"type": "note", "text": "x", "id": str(uuid.uuid4())}
    assert behind.append(opened.id, [event], "r").lines == behind.append(opened.id, [event], "r").lines
    behind.append(opened.id, worked_example(), "r")
    behind.name(opened.id, "A", "Anna")
    behind.erase_name(opened.id, "B")
    made = behind.make_token(opened.id, "view")
    assert behind.credential(made.token) is not None
    with behind.watch(opened.id, idle_seconds=0.2) as watcher:
        assert [event.seq for event, _ in zip(watcher, range(14), strict=False) if event] == list(range(1, 15))
    assert behind.import_events(behind.whole(opened.id)[0], stored=True).known == 14
    assert behind.audit(opened.id)["verdict"] == "sound"


def test_writers_at_many_tables_share_two_connections(behind: Sessions) -> None:
    tables = [UUID(behind.open(SessionFactory()).id) for _ in range(6)]
    faults: list[BaseException] = []

    def write(table: UUID) -> None:
        try:
            for event in worked_example():
                behind.append(table, [event], "r")
        except BaseException as fault:
            faults.append(fault)

    writers = [threading.Thread(target=write, args=(table,)) for table in tables]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert faults == []
    assert all(behind.verify(table).faults == [] for table in tables)
