"""A whole store in one file and back, from a store that is in use: nothing lost and nothing overwritten."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from service import migrate
from service.backup import Backup, load, write
from service.embedded.programs import installed_programs
from service.sessions import Sessions
from service.store.clubs import Clubs
from service.store.database import Database
from tests.cli.terminal import Ran, bragbook
from tests.conftest import create_database, drop_database
from tests.export.nights import awkward
from tests.factories import EventFactory, SessionFactory, worked_example

TABLES = (
    "events", "sessions", "hands", "hand_players", "balances", "clubs", "people", "names", "tokens", "club_tokens",
    "instance", "signing_keys", "log_leaves", "log_nodes", "log_checkpoints", "log_rollbacks", "seals",
)  # fmt: skip


class Instance:
    """An instance: its database and its data folder."""

    def __init__(self, conninfo: str, folder: Path) -> None:
        self.conninfo = conninfo
        self.folder = folder

    def run(self, *arguments: object) -> Ran:
        return bragbook(*arguments, DATABASE_URL=self.conninfo, BRAGBOOK_DATA=str(self.folder))

    def rows(self, table: str) -> list[str]:
        with psycopg.connect(self.conninfo) as connection:
            return sorted(row[0] for row in connection.execute(f"select t::text from {table} t"))

    def everything(self) -> dict[str, list[str]]:
        return {table: self.rows(table) for table in TABLES}


@pytest.fixture
def kept(fresh_database: str, tmp_path: Path) -> Instance:
    """An instance that was used: nights, an erased name, a revoked token, people, a signed log of heads."""
    here = Instance(fresh_database, tmp_path / "kept")
    here.folder.mkdir()
    store = Database(fresh_database, largest=2)
    store.open()
    Clubs(store).make_first()
    sessions = Sessions(store)
    for _ in range(3):
        opened = sessions.open(SessionFactory())
        sessions.append(opened.id, worked_example(), "loopback")
    sessions.erase_name(opened.id, "A")
    sessions.revoke_token(opened.id, sessions.make_token(opened.id, "view").id)
    store.close()
    bundle = b"".join(_rendered())
    path = tmp_path / "awkward.json"
    path.write_bytes(bundle)
    assert here.run("import", path).code == 0
    assert here.run("export", opened.id, "--format", "bundle", "--output", tmp_path / "night.json").code == 0
    return here


def _rendered() -> Iterator[bytes]:
    from service.export import FORMATS

    yield from FORMATS["bundle"].render(awkward())


@pytest.fixture
def other(postgres: str, tmp_path: Path) -> Iterator[Instance]:
    """Another machine, with nothing on it yet."""
    conninfo = create_database(postgres)
    yield Instance(conninfo, tmp_path / "other")
    drop_database(postgres, conninfo)


def test_everything_comes_back_and_is_verified(kept: Instance, other: Instance, tmp_path: Path) -> None:
    path = tmp_path / "tuesday.backup"
    ran = kept.run("backup", path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"{path}: 4 sessions, ")
    assert "The signing key is not in it; keep a copy of " in ran.out
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir() if "unfinished" in one.name] == []

    ran = other.run("restore", path)
    assert ran.code == 0, ran.err
    assert "The signing key is not here: put it back as " in ran.out
    assert "All is as it should be: 4 sessions, " in ran.out
    assert other.everything() == kept.everything()
    assert len(other.rows("log_leaves")) >= 1

    shutil.copytree(kept.folder / "evidence", other.folder / "evidence")
    again = other.run("key")
    assert (again.code, again.out) == (0, kept.run("key").out)
    session = other.rows("sessions")[0].strip("(").split(",")[0]
    assert other.run("export", session, "--format", "bundle").out != ""
    assert other.run("verify").code == 0


def test_one_of_each_is_said_as_one(fresh_database: str, other: Instance, tmp_path: Path) -> None:
    store = Database(fresh_database, largest=2)
    store.open()
    Sessions(store).open(SessionFactory())
    store.run([("delete from people where name <> 'Ann'", ())])
    store.close()
    path = tmp_path / "one.backup"
    ran = Instance(fresh_database, tmp_path / "one").run("backup", path)
    assert ran.out.startswith(f"{path}: 1 session, 1 event, 1 person\n")
    ran = other.run("restore", path)
    assert "Restored 1 session, 1 event, 1 person, as of " in ran.out
    assert "All is as it should be: 1 session, 1 event.\n" in ran.out


def test_a_key_that_was_changed_since_still_follows_the_old_one(
    kept: Instance, other: Instance, tmp_path: Path
) -> None:
    path = tmp_path / "before.backup"
    assert kept.run("backup", path).code == 0
    noted = kept.run("key").out.strip()
    for _ in range(2):
        assert kept.run("key", "--rotate").code == 0
    shutil.copytree(kept.folder / "evidence", other.folder / "evidence")
    assert other.run("restore", path).code == 0
    (changes,) = (other.folder / "evidence").glob("*.key-changes")
    good = changes.read_text()
    assert changes.stat().st_mode & 0o777 == 0o600
    for damaged in ("", good[:-1], "3", "[3]", '["note"]'):
        changes.write_text(damaged)
        ran = other.run("key")
        assert (ran.code, ran.out, ran.err.count("\n"), str(changes) in ran.err) == (1, "", 1, True)
    changes.write_text(good)
    keys = json.loads(other.run("key", "--json").out)
    assert keys == json.loads(kept.run("key", "--json").out)
    assert (len(keys["keys"]), keys["keys"][-1], len(keys["key_changes"])) == (3, noted, 2)
    session = other.rows("sessions")[0].strip("(").split(",")[0]
    bundle = tmp_path / "after.json"
    assert other.run("export", session, "--format", "bundle", "--output", bundle).code == 0
    assert bragbook("audit", bundle, "--key", noted).code == 0


def test_the_private_key_is_not_in_it(kept: Instance, tmp_path: Path) -> None:
    path = tmp_path / "a.backup"
    kept.run("backup", path)
    secrets = [line for file in (kept.folder / "evidence").glob("*.key") for line in file.read_text().split()]
    assert secrets
    with zipfile.ZipFile(path) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    # PRIVATE+KEY+name+number+key, and in the key there may be more of "+".
    assert not any(secret.split("+", 4)[4].encode() in everything for secret in secrets)


def test_a_backup_of_a_store_in_use_is_of_one_moment(kept: Instance, other: Instance, tmp_path: Path) -> None:
    store = Database(kept.conninfo, largest=4)
    store.open()
    sessions, stop = Sessions(store), threading.Event()
    recorded = 0

    def record() -> None:
        nonlocal recorded
        while not stop.is_set():
            session = sessions.open(SessionFactory()).id
            for events in (worked_example(), [EventFactory()], [EventFactory(), EventFactory()]):
                sessions.append(session, events, "loopback")
                recorded += 1

    threads = [threading.Thread(target=record) for _ in range(3)]
    try:
        for thread in threads:
            thread.start()
        while recorded < 10:
            threading.Event().wait(0.01)
        write(kept.conninfo, tmp_path / "busy.backup", lambda _: lambda _: None)
        before = recorded
        while recorded == before:
            threading.Event().wait(0.01)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        store.close()
    ran = other.run("restore", tmp_path / "busy.backup")
    assert ran.code == 0, ran.out + ran.err
    assert before >= 10
    assert len(other.rows("events")) < len(kept.rows("events"))


def test_a_store_that_is_not_empty_is_never_overwritten(kept: Instance, tmp_path: Path) -> None:
    path = tmp_path / "a.backup"
    kept.run("backup", path)
    before = kept.everything()
    ran = kept.run("restore", path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "the store is not empty" in ran.err
    assert kept.everything() == before


def test_a_store_over_a_cluster_is_for_the_cluster_to_back_up(kept: Instance, other: Instance, tmp_path: Path) -> None:
    path = tmp_path / "a.backup"
    assert kept.run("backup", path).code == 0
    migrate.apply(other.conninfo)
    for here in (kept, other):
        with psycopg.connect(here.conninfo) as connection:
            # Where Citus keeps which tables are distributed.
            connection.execute("create table pg_dist_partition as select 'events'::regclass as logicalrelid")
    for ran in (kept.run("backup", tmp_path / "b.backup"), other.run("restore", path)):
        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert "as a cluster" in ran.err
    assert [file.name for file in tmp_path.glob("*.backup*")] == ["a.backup"]


def test_a_file_that_is_there_is_never_overwritten(kept: Instance, tmp_path: Path) -> None:
    path = tmp_path / "a.backup"
    path.write_text("last week's")
    ran = kept.run("backup", path)
    assert (ran.code, ran.err.count("\n"), path.read_text()) == (1, 1, "last week's")
    assert kept.run("backup", tmp_path / "none" / "a.backup").code == 1


@pytest.mark.parametrize("damage", ["cut", "byte", "row", "manifest", "table", "newer", "nothing", "other"])
def test_a_damaged_backup_is_refused_and_leaves_nothing_behind(
    kept: Instance, other: Instance, tmp_path: Path, damage: str
) -> None:
    path, bad = tmp_path / "a.backup", tmp_path / "bad.backup"
    assert kept.run("backup", path).code == 0
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        place = archive.getinfo("tables/events.copy").header_offset + 200
    if damage == "row":
        files["tables/names.copy"] = files["tables/names.copy"].replace(b"\tAnn\t", b"\tEve\t", 1)
    if damage == "manifest":
        files["manifest.json"] = files["manifest.json"][:-10]
    if damage == "table":
        del files["tables/tokens.copy"]
    if damage == "newer":
        document = json.loads(files["manifest.json"])
        document["migrations"].append(["9999_from_the_future", "00" * 32])
        files["manifest.json"] = json.dumps(document).encode()
    data[place] ^= 1
    whole = {"cut": bytes(data[: len(data) // 2]), "byte": bytes(data), "nothing": b"", "other": b"PK nothing of ours"}
    if damage in whole:
        bad.write_bytes(whole[damage])
    else:
        with zipfile.ZipFile(bad, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    ran = other.run("restore", bad)
    assert (ran.code, ran.err.count("\n")) == (1, 1), ran.err
    with psycopg.connect(other.conninfo) as connection:
        there = connection.execute("select to_regclass('events') is not null").fetchall() == [(True,)]
    assert not there or set(map(len, other.everything().values())) == {0}
    assert other.run("restore", path).code == 0


def test_a_backup_of_an_older_bragbook_is_brought_up_to_date(
    postgres: str, template: str, other: Instance, tmp_path: Path
) -> None:
    """An old store holds what an old Bragbook wrote; from its last migration on the new one goes on."""
    old = create_database(postgres)
    try:
        migrate.apply(old, through=5)
        with psycopg.connect(old, autocommit=True) as connection:
            connection.execute("insert into clubs (club, name) values (gen_random_uuid(), 'Old')")
            connection.execute("insert into names (session, player, name) values (gen_random_uuid(), 'A', 'Ann')")
        write(old, tmp_path / "old.backup", lambda _: lambda _: None)
    finally:
        drop_database(postgres, old)
    with Backup(tmp_path / "old.backup") as backup:
        load(other.conninfo, backup, lambda _: lambda _: None)
    assert len(other.rows("seals")) == 1
    assert other.run("verify").code == 0
    up_to_date = create_database(postgres, template)
    try:
        ran = Instance(up_to_date, tmp_path / "third").run("restore", tmp_path / "old.backup")
        assert (ran.code, ran.err.count("\n")) == (1, 1)
        assert "has 6 already: restore into a new one" in ran.err
    finally:
        drop_database(postgres, up_to_date)


def test_what_was_changed_before_is_still_found_afterwards(kept: Instance, other: Instance, tmp_path: Path) -> None:
    with psycopg.connect(kept.conninfo, autocommit=True) as connection:
        connection.execute("update names set name = 'Eve' where name = 'Bob'")
        connection.execute("alter table events disable trigger user")
        connection.execute(
            "update events set body = new, hash = sha256(new) from (select session as s, seq as n, convert_to(replace("
            "convert_from(body, 'UTF8'), '\"amount\":\"2\"', '\"amount\":\"3\"'), 'UTF8') as new from events"
            " where body::text like '%%' and convert_from(body, 'UTF8') like '%%\"amount\":\"2\"%%' limit 1) changed"
            " where session = s and seq = n"
        )
        connection.execute("alter table events enable always trigger events_continue")
        connection.execute("alter table events enable always trigger events_stay")
    named = kept.run("verify")
    assert named.code == 1
    assert kept.run("backup", tmp_path / "a.backup").code == 0
    ran = other.run("restore", tmp_path / "a.backup")
    assert ran.code == 1
    for line in named.out.splitlines():
        assert line in ran.out
    with psycopg.connect(other.conninfo) as connection, pytest.raises(psycopg.DatabaseError, match="never changed"):
        connection.execute("update events set seq = seq")


def test_the_postgres_that_comes_along(kept: Instance, tmp_path: Path) -> None:
    kept.run("backup", tmp_path / "a.backup")
    folder = tmp_path / "embedded"
    tmp_path.chmod(0o711)
    restored = bragbook("restore", tmp_path / "a.backup", "--data", folder, DATABASE_URL="")
    assert restored.code == 0, restored.err
    assert bragbook("backup", tmp_path / "b.backup", "--data", folder, DATABASE_URL="").code == 0
    with Backup(tmp_path / "a.backup") as first, Backup(tmp_path / "b.backup") as second:
        assert second.manifest.tables == first.manifest.tables


def test_pg_dump_and_pg_restore(kept: Instance, other: Instance, tmp_path: Path, direct: Callable[[str], str]) -> None:
    programs = [one.folder / "bin" for one in installed_programs()]
    found = [(folder / "pg_dump", folder / "pg_restore") for folder in programs if (folder / "pg_dump").exists()]
    if not found:
        pytest.skip("no pg_dump comes along here")
    dump, put_back = found[0]
    path = tmp_path / "bragbook.dump"
    subprocess.run([dump, "--format=custom", "--file", path, direct(kept.conninfo)], check=True)
    subprocess.run([put_back, "--no-owner", "--no-privileges", "--dbname", direct(other.conninfo), path], check=True)
    assert other.everything() == kept.everything()
    assert other.run("verify").code == 0
    assert f"no checkpoint is kept in {other.folder}" in other.run("restore").out
    shutil.copytree(kept.folder / "evidence", other.folder / "evidence")
    assert "Nothing is missing of what was given out." in other.run("restore").out


def test_what_was_given_out_and_is_missing_is_said_and_may_be_accepted(
    kept: Instance, other: Instance, tmp_path: Path
) -> None:
    kept.run("backup", tmp_path / "early.backup")
    assert kept.run("import", "--ledger", _ledger(tmp_path), "--yes").code == 0
    session = kept.rows("events")[-1].strip("(").split(",")[0]
    assert kept.run("export", session, "--format", "bundle", "--output", tmp_path / "given-out.json").code == 0
    for row in kept.rows("sessions"):
        kept.run("export", row.strip("(").split(",")[0], "--format", "bundle")
    shutil.copytree(kept.folder / "evidence", other.folder / "evidence")
    ran = other.run("restore", tmp_path / "early.backup")
    assert ran.code == 1
    assert "was given out" in ran.err
    ran = other.run("restore", "--accept-rollback", "--reason", "the disk died")
    assert ran.code == 0, ran.err
    assert other.run("verify").code == 0


def test_where_no_checkpoint_is_kept_nothing_is_said_to_be_all_there(kept: Instance, tmp_path: Path) -> None:
    elsewhere = Instance(kept.conninfo, tmp_path / "elsewhere")
    ran = elsewhere.run("restore", "--accept-rollback")
    assert (ran.code, ran.out) == (1, "")
    assert f"no checkpoint is kept in {elsewhere.folder}" in ran.err
    ran = kept.run("restore", "--accept-rollback")
    assert (ran.code, ran.out) == (1, "")
    assert "There is nothing to accept. Nothing is missing of what was given out." in ran.err


def _ledger(folder: Path) -> Path:
    path = folder / "ledger.csv"
    path.write_text("night,player,in,out\n" + "".join(f"2026-11-03,{name},5,5\n" for name in ("Una", "Vic", "Wim")))
    return path
