"""Bringing a store up to date that is old, and going on where a migration was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from service import migrate
from service.sessions import Sessions
from service.store.database import Database
from tests.cli.terminal import bragbook
from tests.embedded.processes import until
from tests.factories import SessionFactory, worked_example

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = [one.number for one in migrate.read_migrations()]
SLOW = """
create table rounds (number integer primary key);
insert into rounds values (1);
do $$ begin while (select waits from pace) loop perform pg_sleep(0.02); end loop; end $$;
"""
APPLY = (
    "import sys; from pathlib import Path; from service import migrate; migrate.apply(sys.argv[1], Path(sys.argv[2]))"
)
# Filled by the instance behind the appends, or by a migration from what is there.
NOT_OF_THE_NIGHT = {"schema_migrations", "seals"}


def rows(conninfo: str, query: Any) -> list[tuple[Any, ...]]:
    with psycopg.connect(conninfo) as connection:
        return connection.execute(query).fetchall()


def change(conninfo: str, statement: Any) -> None:
    with psycopg.connect(conninfo) as connection:
        connection.execute(statement)


def tables(conninfo: str) -> set[str]:
    return {str(name) for (name,) in rows(conninfo, "select tablename from pg_tables where schemaname = 'public'")}


@pytest.fixture
def night(fresh_database: str) -> Iterator[tuple[str, str]]:
    """A database of today in which a night was recorded, and the night."""
    store = Database(fresh_database, largest=2)
    store.open()
    sessions = Sessions(store)
    try:
        sessions.clubs.make_first()
        session = sessions.open(SessionFactory()).id
        sessions.append(session, worked_example(), "recorder")
        yield fresh_database, str(session)
    finally:
        sessions.close()
        store.close()


@pytest.mark.parametrize("through", NUMBERS)
def test_a_night_that_an_older_bragbook_recorded(empty_database: str, night: tuple[str, str], through: int) -> None:
    """It has the tables that there were then, and comes out verified, with its log as it was."""
    today, session = night
    assert len(migrate.apply(empty_database, through=through)) == through
    for name in sorted(tables(empty_database) - NOT_OF_THE_NIGHT):
        copy_rows(today, empty_database, name)
    assert rows(empty_database, "select count(*) from events") == [(len(worked_example()) + 1,)]

    assert len(migrate.apply(empty_database)) == len(NUMBERS) - through
    whole = "select session, seq, body, hash, client_id from events order by session, seq"
    assert rows(empty_database, whole) == rows(today, whole)
    if through == 1:  # nothing was worked out from the events then
        assert bragbook("rebuild", DATABASE_URL=empty_database).code == 0
    verified = bragbook("verify", DATABASE_URL=empty_database)
    assert verified.code == 0, verified.out + verified.err
    assert rows(empty_database, "select session::text, version from sessions") == [(session, len(worked_example()) + 1)]


@pytest.mark.parametrize("killed", ["the process", "its connection"])
def test_killed_in_the_middle_and_taken_up(empty_database: str, tmp_path: Path, killed: str) -> None:
    """Nothing of the migration is there, and whoever starts next applies it once."""
    (tmp_path / "0001_nothing.sql").write_text("select 1")
    (tmp_path / "0002_slow.sql").write_text(SLOW)
    change(empty_database, "create table pace as select true as waits")
    migrating = subprocess.Popen(
        [sys.executable, "-c", APPLY, empty_database, str(tmp_path)], cwd=ROOT, stderr=subprocess.DEVNULL
    )
    under_way = "select pid from pg_stat_activity where datname = current_database() and query like '%from pace%'"
    under_way += " and pid <> pg_backend_pid()"
    until(lambda: bool(rows(empty_database, under_way)), "it is in the middle")
    if killed == "the process":
        os.kill(migrating.pid, signal.SIGKILL)
    else:
        rows(empty_database, f"select pg_terminate_backend(pid) from ({under_way}) as it")
    assert migrating.wait(60) != 0
    assert rows(empty_database, "select to_regclass('rounds')") == [(None,)]
    assert rows(empty_database, "select number from schema_migrations") == [(1,)]
    change(empty_database, "update pace set waits = false")
    assert migrate.apply(empty_database, tmp_path) == ["0002_slow"]
    assert rows(empty_database, "select number from rounds") == [(1,)]


def copy_rows(source: str, target: str, name: str) -> None:
    """A table's rows, in the columns that the target's has."""
    named = "select column_name from information_schema.columns where table_schema = 'public' and table_name = {}"
    columns = [sql.Identifier(str(one)) for (one,) in rows(target, sql.SQL(named).format(name))]
    table = sql.SQL("{} ({})").format(sql.Identifier(name), sql.SQL(", ").join(columns))
    order = sql.SQL("order by session, seq" if name == "events" else "")
    select = sql.SQL("select {} from {} {}").format(sql.SQL(", ").join(columns), sql.Identifier(name), order)
    with (
        psycopg.connect(source) as there,
        psycopg.connect(target, application_name="bragbook") as here,  # so that its rows are sealed
        there.cursor().copy(sql.SQL("copy ({}) to stdout").format(select)) as giving,
        here.cursor().copy(sql.SQL("copy {} from stdin").format(table)) as taking,
    ):
        for some in giving:
            taking.write(some)
