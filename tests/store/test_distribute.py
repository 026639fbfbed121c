"""Over a Citus cluster, where `CITUS_URL` names one; and what is said where there is none.

`CITUS_URL` names a database of the coordinator in which the extension is there or can be made, as a user who may make
schemas: the store is made in a schema of its own, which is removed afterwards.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import ClientCursor, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service import migrate
from service.evidence import Evidence
from service.sessions import Sessions
from service.store import database as database_module
from service.store import prepared
from service.store.database import StoreConnection, is_distributed
from service.store.distribute import BY_SESSION
from service.store.faults import VersionTaken
from service.store.log import New
from service.store.prepared import Prepared
from tests.api.serving import Service
from tests.cli.terminal import bragbook
from tests.factories import EventFactory, SessionFactory, worked_example
from tests.store.test_importing_many import asked, written
from tests.store.test_statements import OF_SESSIONS, OVER_SESSIONS, do_everything

CITUS = os.environ.get("CITUS_URL", "").strip()
TESTS = Path(__file__).parents[1]
CASES = sorted((TESTS / "cases").glob("*.json"))
NIGHTS = [TESTS / "nights" / f"{game}-plain.ndjson" for game in ("lives", "community", "three-card")]
Explain = Callable[[psycopg.Connection[Any]], str]
READ: dict[int, Callable[[Any], Any]] = {
    prepared.UUID: lambda value: value and UUID(bytes=value),
    prepared.INT8: int.from_bytes,
    prepared.BYTEA: bytes,
    prepared.TEXT: bytes.decode,
}
on_a_cluster = pytest.mark.skipif(not CITUS, reason="CITUS_URL names no cluster")


def test_a_postgres_that_is_no_cluster_is_left_as_it_is(fresh_database: str) -> None:
    with psycopg.connect(fresh_database) as connection:
        triggers = connection.execute("select tgrelid, tgname from pg_trigger order by 1, 2").fetchall()
    refused = bragbook("db", "distribute", DATABASE_URL=fresh_database)
    assert refused.code == 1
    assert "create extension citus" in refused.err
    with psycopg.connect(fresh_database) as connection:
        assert connection.execute("select tgrelid, tgname from pg_trigger order by 1, 2").fetchall() == triggers
        assert not is_distributed(connection)


def test_the_postgres_that_comes_along_is_no_cluster() -> None:
    refused = bragbook("db", "distribute", DATABASE_URL="")
    assert refused.code == 1
    assert "DATABASE_URL" in refused.err


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A store with a night in it, then distributed; how to connect to it."""
    schema = f"bragbook_test_{uuid.uuid4().hex[:12]}"
    options = conninfo_to_dict(CITUS).get("options") or ""
    conninfo = make_conninfo(CITUS, options=f"{options} -c search_path={schema},public".strip())
    with psycopg.connect(CITUS, autocommit=True) as connection:
        connection.execute("create extension if not exists citus")
        connection.execute(sql.SQL("create schema {}").format(sql.Identifier(schema)))
    try:
        migrate.apply(conninfo)
        store = database_module.Database(conninfo)
        store.open()
        sessions = Sessions(store)
        sessions.clubs.make_first()
        before = sessions.open(SessionFactory()).id
        sessions.append(before, worked_example(), "r")
        sessions.close()
        store.close()
        planned = bragbook("db", "distribute", "--dry-run", DATABASE_URL=conninfo)
        assert "create_distributed_table('events', 'session'" in planned.out, planned.err
        distributed = bragbook("db", "distribute", DATABASE_URL=conninfo)
        assert distributed.code == 0, distributed.err
        assert all(table in distributed.out for table in BY_SESSION)
        again = bragbook("db", "distribute", DATABASE_URL=conninfo)
        assert (again.code, again.out.strip()) == (0, "All is distributed already.")
        yield conninfo
    finally:
        with psycopg.connect(CITUS, autocommit=True) as connection:
            connection.execute(sql.SQL("drop schema {} cascade").format(sql.Identifier(schema)))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where its signing key is kept."""
    return tmp_path_factory.mktemp("data")


@contextmanager
def sessions_of(conninfo: str) -> Iterator[Sessions]:
    store = database_module.Database(conninfo, largest=4)
    store.open()
    store.wait(30)
    sessions = Sessions(store)
    yield sessions
    sessions.close()
    store.close()


@pytest.fixture
def spread(cluster: str) -> Iterator[Sessions]:
    """The sessions of the cluster."""
    with sessions_of(cluster) as sessions:
        yield sessions


@pytest.fixture
def other(cluster: str) -> Iterator[Sessions]:
    """The same sessions, as another process sees them."""
    with sessions_of(cluster) as sessions:
        yield sessions


@on_a_cluster
def test_what_was_there_before_is_there(spread: Sessions) -> None:
    found = list(spread.all_sessions())
    assert found
    for session in found:
        assert spread.verify(session).faults == []
        assert spread.audit(session)["verdict"] == "sound"


@on_a_cluster
def test_every_request_about_a_session_goes_to_one_shard(
    cluster: str, spread: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[tuple[str, Explain]] = []
    run_together, execute, executed = database_module.run_together, StoreConnection.execute, Prepared._executed

    def run_together_noted(connection: StoreConnection, given: Any) -> Any:
        noted.extend((said, partial(explain, said, values)) for said, values in given)
        return run_together(connection, given)

    def execute_noted(self: StoreConnection, query: Any, values: Any = None, **more: Any) -> Any:
        noted.append((query, partial(explain, query, values)))
        return execute(self, query, values, **more)

    def executed_noted(self: Prepared, connection: StoreConnection, values: Any) -> Any:
        noted.append((self.sql.decode(), partial(explain_prepared, self, values)))
        return executed(self, connection, values)

    for name, module in sys.modules.copy().items():
        if name.startswith("service.") and hasattr(module, "run_together"):
            monkeypatch.setattr(module, "run_together", run_together_noted)
    monkeypatch.setattr(StoreConnection, "execute", execute_noted)
    monkeypatch.setattr(Prepared, "_executed", executed_noted)
    do_everything(spread)
    monkeypatch.undo()

    named = re.compile(rf"\b(?:from|into|join|update)\s+(?:{'|'.join(OF_SESSIONS)})\b")
    about = [(said, plan) for said, plan in noted if named.search(said) and said not in OVER_SESSIONS]
    assert len(about) > 30
    with psycopg.connect(cluster, autocommit=True) as connection:
        plans = [(said, plan(connection)) for said, plan in about]
    elsewhere = [(said, plan) for said, plan in plans if set(re.findall(r"Task Count: (\d+)", plan)) != {"1"}]
    assert elsewhere == []


def explain(said: str, values: Any, connection: psycopg.Connection[Any]) -> str:
    return "\n".join(row[0] for row in ClientCursor(connection).execute(f"explain {said}", values).fetchall())


def explain_prepared(statement: Prepared, values: Any, connection: psycopg.Connection[Any]) -> str:
    """With the values written in: a cluster may not explain what has parameters."""
    literals = [sql.Literal(READ[of](value)) for of, value in zip(statement.types, values, strict=True)]
    said = re.sub(r"\$(\d+)", lambda at: literals[int(at[1]) - 1].as_string(connection), statement.sql.decode())
    return explain(said, None, connection)


@on_a_cluster
def test_what_is_asked_over_sessions(spread: Sessions) -> None:
    club = spread.clubs.all()[0][0]
    by = spread.credential(spread.clubs.new_token().text)
    assert by is not None
    mine = [UUID(spread.open(SessionFactory()).id) for _ in range(3)]
    for session in mine:
        spread.append(session, worked_example(), "r")
    page = spread.list(by, limit=2)
    assert len(page["sessions"]) == 2
    assert spread.list(by, limit=2, after=page["next"])["sessions"]
    assert set(mine) <= set(spread.nights(str(club)))
    assert sum(line["hands"] for line in spread.leaderboard(str(club))) >= 12
    person, same = spread.people_of(str(club))[:2]
    assert spread.people.nights(club, person.id)
    assert spread.people.join(club, same.id, person.id)
    assert spread.people.seat(club, mine[0], "C", same.id)
    assert spread.night(mine[0]).people["C"].id == str(person.id)
    assert spread.people.join(club, same.id, None)
    assert spread.people.erase(club, person.id)
    assert None in spread.names(mine[0]).names.values()
    assert [found.faults for found in spread.verify_many(mine)] == [[], [], []]
    assert spread.rebuild_many(mine) == [spread.version(session) for session in mine]


@on_a_cluster
def test_two_that_record_in_one_session(spread: Sessions, other: Sessions) -> None:
    session = UUID(spread.open(SessionFactory()).id)
    for events in ([EventFactory()], [EventFactory()] * 2, [EventFactory(text="x", id=str(uuid.uuid4()))]):
        for sessions in (spread, other, spread):
            sessions.append(session, events, "r")
    assert spread.version(session) == 1 + 3 + 6 + 1
    assert spread.verify(session).faults == []
    taken = spread._log.read(session, 1, 1)[0]
    with pytest.raises(VersionTaken):
        spread._log.append_many(session, [New(*taken, client_id=None)])


@on_a_cluster
def test_who_watches_what_another_records(spread: Sessions, other: Sessions) -> None:
    opened = spread.open(SessionFactory())
    holder = other.credential(opened.tokens["view"])
    assert holder is not None
    with other.watch(opened.id, 1, holder, idle_seconds=60) as watcher:
        spread.append(opened.id, [EventFactory()] * 2, "r")
        assert [event.seq for event in (next(watcher), next(watcher)) if event is not None] == [2, 3]
        spread.revoke_token(opened.id, holder.id)
        with pytest.raises(StopIteration):
            next(watcher)


@on_a_cluster
def test_nights_that_are_brought_in(spread: Sessions) -> None:
    nights = written(3)
    for known in (False, True):
        made = spread.import_many(asked(*(lines for _, lines in nights)))
        assert [getattr(one, "known", None) for one in made] == [len(lines) * known for _, lines in nights]
    assert all(list(spread.stream(session)) == lines for session, lines in nights)
    assert [one.faults for one in spread.verify_many([session for session, _ in nights])] == [[], [], []]


@on_a_cluster
@pytest.mark.parametrize("paths", [CASES, *([night] for night in NIGHTS)], ids=["cases", *(n.stem for n in NIGHTS)])
def test_the_service_answers_as_the_cases_say(cluster: str, data: Path, paths: list[Path]) -> None:
    with Service(cluster, log_level="error", data=data) as service:
        runner = TESTS / "tools" / "run_cases.py"
        command = [sys.executable, str(runner), service.url, *map(str, paths), "--keep-going", "--quiet"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1].endswith(", 0 failed")


@on_a_cluster
def test_all_of_it_is_verified_and_rebuilt(cluster: str, data: Path, spread: Sessions) -> None:
    evidence = Evidence(spread._database, data)
    evidence.keeper.enter_now(list(spread.all_sessions())[:20])
    evidence.close()
    for command in ("verify", "rebuild", "verify"):
        ran = bragbook(command, DATABASE_URL=cluster, BRAGBOOK_DATA=str(data))
        assert ran.code == 0, ran.out + ran.err
