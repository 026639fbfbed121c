"""Several processes on one data folder: one runs the server, the others join it, and one goes on when that ends."""

import os
import signal
from pathlib import Path

import psycopg
import pytest

from service.embedded import EmbeddedPostgres, database
from service.settings import Settings
from tests.embedded.processes import parent_of, postmaster, until


def test_of_starters_at_once_one_runs_the_server_and_all_use_it(start, folder: Path):
    data = folder / "data"
    starters = [start(data, wait=False) for _ in range(4)]
    for starter in starters:
        starter.ready()
    assert sorted(starter.runs_server for starter in starters) == [False, False, False, True]
    assert len({starter.conninfo for starter in starters}) == 1
    owner = next(starter for starter in starters if starter.runs_server)
    assert parent_of(postmaster(data)) == owner.process.pid
    starters[0].query("create table kept as select 17 as number")
    for starter in starters:
        assert starter.query("select number from kept") == [(17,)]


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_who_joined_goes_on_with_a_server_of_its_own_when_the_owner_ends(start, data: Path, ending: str):
    owner, joined = start(data), start(data)
    joined.query("create table kept as select 17 as number")
    getattr(owner, ending)()
    until(lambda: joined.query("select number from kept") == [(17,)], "the server is back at the same socket")
    assert parent_of(postmaster(data)) == joined.process.pid
    # And a third joins that one.
    assert start(data).runs_server is False
    assert joined.stop() == 0


def test_who_joined_leaves_the_server_running(start, data: Path):
    owner, joined = start(data), start(data)
    pid = postmaster(data)
    assert joined.stop() == 0
    assert owner.query("select 1") == [(1,)]
    assert postmaster(data) == pid


def test_one_object_can_be_started_twice_and_again_after_its_end(data: Path):
    server = EmbeddedPostgres(data)
    conninfo = server.start()
    assert server.start() == conninfo
    assert server.runs_server
    server.stop()
    assert not server.runs_server
    assert server.start() == conninfo
    server.stop()


def test_a_database_url_always_wins(folder: Path, postgres: str):
    settings = Settings(database_url=postgres, database_read_url=None, data=folder / "data")
    with database(settings) as conninfo:
        assert conninfo == postgres
    assert list(folder.iterdir()) == []


def test_without_one_the_server_that_comes_along_runs_for_as_long_as_it_is_used(folder: Path):
    settings = Settings(database_url=None, database_read_url=None, data=folder / "data")
    with database(settings) as conninfo, psycopg.connect(conninfo) as connection:
        assert connection.execute("select current_database()").fetchall() == [("bragbook",)]
        pid = postmaster(folder / "data")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_what_is_durable_cannot_be_set_otherwise_and_nothing_listens_on_the_network(start, data: Path):
    with (data / "postgres" / "postgresql.conf").open("a") as file:
        file.write("fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nlisten_addresses = '*'\n")
    holder = start(data)
    for setting in ("fsync", "synchronous_commit", "full_page_writes", "data_checksums"):
        assert holder.query("select current_setting(%s)", setting) == [("on",)], setting
    assert holder.query("select current_setting('listen_addresses')") == [("",)]


def test_text_sorts_the_same_on_every_machine(start, folder: Path):
    holder = start(
        folder / "data", environment={"LC_ALL": "C.UTF-8", "LANG": "es_ES.UTF-8", "PGPORT": "1", "PGUSER": "x"}
    )
    assert holder.query("select upper('ñ'), 'Z' < 'a', current_setting('TimeZone')") == [("Ñ", True, "UTC")]


def test_an_error_leaves_no_row_and_no_value_in_the_log(start, data: Path):
    holder = start(data)
    holder.query("create table people (name text primary key)")
    holder.query("insert into people values ('Ann Marchbanks')")
    with pytest.raises(psycopg.errors.UniqueViolation):
        holder.query("insert into people values ('Ann Marchbanks')")
    log = (data / "postgres.log").read_text()
    assert "duplicate key" in log
    assert "Marchbanks" not in log


def test_a_backend_that_is_killed_takes_no_committed_row_with_it(start, data: Path):
    holder = start(data)
    holder.query("create table kept as select 17 as number")
    with psycopg.connect(holder.conninfo) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
    until(lambda: holder.query("select number from kept") == [(17,)], "Postgres has recovered")
