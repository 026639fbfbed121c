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
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import ClientCursor, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service import migrate
from service.sessions import Sessions
from service.store import database as database_module
from service.store.database import StoreConnection, is_distributed
from service.store.distribute import BY_SESSION
from service.store.prepared import Prepared
from tests.api.serving import Service
from tests.cli.terminal import bragbook
from tests.factories import SessionFactory, worked_example
from tests.store.test_statements import OF_SESSIONS, OVER_SESSIONS, do_everything

CITUS = os.environ.get("CITUS_URL", "").strip()
TESTS = Path(__file__).parents[1]
CASES = sorted((TESTS / "cases").glob("*.json"))
NIGHTS = [TESTS / "nights" / f"{game}-plain.ndjson" for game in ("lives", "community", "three-card")]
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


@pytest.fixture
def spread(cluster: str) -> Iterator[Sessions]:
    """The sessions of the cluster."""
    store = database_module.Database(cluster, largest=4)
    store.open()
    store.wait(30)
    sessions = Sessions(store)
    yield sessions
    sessions.close()
    store.close()


@on_a_cluster
def test_what_was_there_before_is_there(spread: Sessions) -> None:
    found = list(spread.all_sessions())
    assert found
    for session in found:
        assert spread.verify(session).faults == []
        assert spread.audit(session)["verdict"] == "sound"


@on_a_cluster
def test_every_request_about_a_session_goes_to_one_shard(spread: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[tuple[str, str]] = []
    run_together, execute, executed = database_module.run_together, StoreConnection.execute, Prepared._executed

    def noted(statement: str, rows: list[Any]) -> None:
        plans.append((statement, "\n".join(str(row[0]) for row in rows)))

    def run_together_explained(connection: StoreConnection, given: Any) -> Any:
        for statement, values in given:
            noted(statement, ClientCursor(connection).execute(f"explain {statement}", values).fetchall())
        return run_together(connection, given)

    def execute_explained(self: StoreConnection, query: Any, values: Any = None, **more: Any) -> Any:
        if re.match(r"\s*(select|insert|update|delete)\b", query):
            noted(query, execute(self, f"explain {query}", values).fetchall())
        return execute(self, query, values, **more)

    def executed_explained(self: Prepared, connection: StoreConnection, values: Any) -> Any:
        plan = connection.pgconn.exec_params(b"explain " + self.sql, values, self.types, self.formats)
        noted(self.sql.decode(), [((plan.get_value(row, 0) or b"").decode(),) for row in range(plan.ntuples)])
        return executed(self, connection, values)

    for module in ("service.store.database", "service.store.log", "service.sessions.checking", "service.store.bulk"):
        monkeypatch.setattr(f"{module}.run_together", run_together_explained)
    monkeypatch.setattr(StoreConnection, "execute", execute_explained)
    monkeypatch.setattr(Prepared, "_executed", executed_explained)

    do_everything(spread)
    about = [(said, plan) for said, plan in plans if re.search(rf"\b({'|'.join(OF_SESSIONS)})\b", said)]
    assert len(about) > 30
    elsewhere = [
        (said, plan)
        for said, plan in about
        if said not in OVER_SESSIONS and set(re.findall(r"Task Count: (\d+)", plan)) != {"1"}
    ]
    assert elsewhere == []


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
    person = spread.people_of(str(club))[0]
    assert spread.people.nights(club, person.id)
    assert spread.people.erase(club, person.id)
    assert [found.faults for found in spread.verify_many(mine)] == [[], [], []]
    assert spread.rebuild_many(mine) == [spread.version(session) for session in mine]


@on_a_cluster
@pytest.mark.parametrize("paths", [CASES, *([night] for night in NIGHTS)], ids=["cases", *(n.stem for n in NIGHTS)])
def test_the_service_answers_as_the_cases_say(cluster: str, paths: list[Path]) -> None:
    with Service(cluster, log_level="error") as service:
        runner = TESTS / "tools" / "run_cases.py"
        command = [sys.executable, str(runner), service.url, *map(str, paths), "--keep-going", "--quiet"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1].endswith(", 0 failed")
