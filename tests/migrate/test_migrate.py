"""migrations/ on a real database: once each, in order, by any number of processes, and never what was changed since."""

import multiprocessing
import uuid
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from service import migrate
from service.migrate import MigrationFault
from tests.pooler import pgbouncer

FIRST = "create table rounds (number integer primary key, note text);"
SECOND = "insert into rounds values (1, 'begin; commit;'), (2, $$ ; commit; $$); -- ; commit"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0001_rounds.sql").write_text(FIRST)
    (tmp_path / "0002_two_rounds.sql").write_text(SECOND)
    return tmp_path


def rows(conninfo: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(conninfo) as connection:
        return connection.execute(query).fetchall()


def test_applies_what_is_pending_in_order_and_only_once(empty_database: str, folder: Path):
    with psycopg.connect(empty_database) as connection:
        assert [each.name for each in migrate.pending(connection, folder)] == ["0001_rounds", "0002_two_rounds"]
    assert migrate.apply(empty_database, folder) == ["0001_rounds", "0002_two_rounds"]
    assert migrate.apply(empty_database, folder) == []
    assert rows(empty_database, "select number from rounds order by number") == [(1,), (2,)]

    (folder / "0003_more.sql").write_text("insert into rounds values (3)")
    assert migrate.apply(empty_database, folder) == ["0003_more"]
    assert rows(empty_database, "select number, name from schema_migrations order by number") == [
        (1, "0001_rounds"),
        (2, "0002_two_rounds"),
        (3, "0003_more"),
    ]


def test_a_failed_migration_leaves_nothing_behind_and_can_be_mended(empty_database: str, folder: Path):
    (folder / "0003_broken.sql").write_text("insert into rounds values (3); insert into rounds values (3);")
    with pytest.raises(MigrationFault, match=r"0003_broken failed and left nothing behind: duplicate key"):
        migrate.apply(empty_database, folder)
    assert rows(empty_database, "select max(number) from rounds") == [(2,)]

    (folder / "0003_broken.sql").write_text("insert into rounds values (3)")
    assert migrate.apply(empty_database, folder) == ["0003_broken"]


def test_a_migration_changed_after_it_was_applied_is_refused(empty_database: str, folder: Path):
    migrate.apply(empty_database, folder)
    (folder / "0001_rounds.sql").write_text(FIRST + "\n")
    (folder / "0003_more.sql").write_text("insert into rounds values (3)")
    with pytest.raises(MigrationFault, match="0001_rounds was changed after"):
        migrate.apply(empty_database, folder)
    assert rows(empty_database, "select max(number) from rounds") == [(2,)]


def test_the_database_of_a_newer_bragbook_is_refused(empty_database: str, folder: Path):
    migrate.apply(empty_database, folder)
    (folder / "0002_two_rounds.sql").unlink()
    with pytest.raises(MigrationFault, match="newer Bragbook: it has migration 0002_two_rounds"):
        migrate.apply(empty_database, folder)


@pytest.mark.parametrize(
    ("name", "sql", "says"),
    [
        ("0004_gap.sql", "select 1", "should have the number 0003"),
        ("0002_again.sql", "select 1", "should have the number"),
        ("0003-dash.sql", "select 1", "not named like"),
        ("0003_ends.sql", "insert into rounds values (3); COMMIT; select 1", "begins or ends a transaction"),
        ("0003_begins.sql", "-- first\nbegin;\nselect 1", "begins or ends a transaction"),
    ],
)
def test_files_that_do_not_fit_are_refused_before_anything_runs(
    empty_database: str, folder: Path, name: str, sql: str, says: str
):
    (folder / name).write_text(sql)
    with pytest.raises(MigrationFault, match=says):
        migrate.apply(empty_database, folder)
    assert rows(empty_database, "select to_regclass('rounds'), to_regclass('schema_migrations')") == [(None, None)]


def test_the_body_of_a_function_may_begin_and_end(empty_database: str, folder: Path):
    (folder / "0003_function.sql").write_text(
        "create function refuse() returns trigger language plpgsql as $body$\n"
        "begin\n  raise exception 'no';\n  begin null; end;\nend;\n$body$;"
    )
    assert migrate.apply(empty_database, folder)[-1] == "0003_function"


def apply_and_tell(conninfo: str, folder: Path, start, told) -> None:
    start.wait()
    try:
        told.put(migrate.apply(conninfo, folder))
    except Exception as fault:
        told.put(repr(fault))


def test_four_starters_at_once_apply_each_migration_once(empty_database: str, folder: Path):
    (folder / "0003_slow.sql").write_text("select pg_sleep(0.4); insert into rounds values (3);")
    processes = multiprocessing.get_context("spawn")
    start, told = processes.Barrier(4), processes.Queue()
    starters = [processes.Process(target=apply_and_tell, args=(empty_database, folder, start, told)) for _ in range(4)]
    for starter in starters:
        starter.start()
    answers = [told.get(timeout=60) for _ in starters]
    for starter in starters:
        starter.join()
    applied = sorted(name for answer in answers for name in answer)
    assert applied == ["0001_rounds", "0002_two_rounds", "0003_slow"], answers


def test_four_starters_behind_a_transaction_pooler(empty_database: str, folder: Path, direct):
    """A lock that belongs to a session would be lost, or kept for ever, there."""
    with pgbouncer(direct(empty_database)) as pooled:
        test_four_starters_at_once_apply_each_migration_once(pooled, folder)


def test_a_table_in_use_is_waited_for_without_blocking_others(empty_database: str, folder: Path, monkeypatch):
    monkeypatch.setattr(migrate, "LOCK_TIMEOUT_MS", 100)
    migrate.apply(empty_database, folder)
    (folder / "0003_alter.sql").write_text("alter table rounds add column dealer text")
    with psycopg.connect(empty_database) as reader:
        reader.execute("select * from rounds")
        with pytest.raises(MigrationFault, match="Another process"):
            migrate.apply(empty_database, folder, timeout_seconds=0.5)
    assert migrate.apply(empty_database, folder) == ["0003_alter"]


def test_a_user_without_rights_is_told_so(empty_database: str, folder: Path, direct):
    with psycopg.connect(empty_database, autocommit=True) as owner:
        owner.execute("revoke create on schema public from public")
        owner.execute("do $$ begin create role bragbook_test_guest; exception when duplicate_object then end $$")
    as_guest = psycopg.conninfo.make_conninfo(direct(empty_database), options="-c role=bragbook_test_guest")
    with pytest.raises(MigrationFault, match="may not do what migration"):
        migrate.apply(as_guest, folder)


def test_the_projects_own_migrations_apply_to_an_empty_database(empty_database: str):
    names = [each.name for each in migrate.read_migrations()]
    assert migrate.apply(empty_database) == names
    with psycopg.connect(empty_database) as connection:
        assert migrate.pending(connection) == []


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_name_is_refused_with_the_way_out(postgres: str, encoding: str):
    name = f"bragbook_test_{uuid.uuid4().hex}"
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute(f"create database {name} encoding '{encoding}' locale 'C' template template0")
        try:
            with pytest.raises(MigrationFault, match=f"kept in {encoding}.*createdb --encoding UTF8"):
                migrate.apply(make_conninfo(postgres, dbname=name))
        finally:
            server.execute(f"drop database {name} with (force)")
