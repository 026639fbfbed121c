"""A real store, tampered with in every way: what is refused, and what `bragbook verify` finds and names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from service.evidence import Evidence
from service.sessions import Sessions
from service.store.database import Database
from service.store.privileges import grant
from tests.cli.terminal import Ran, bragbook
from tests.conftest import create_database, drop_database

ROLE = "bragbook_tests_service"
TABLES = ("events", "log_leaves", "log_nodes", "log_checkpoints", "signing_keys", "instance", "names", "tokens",
          "club_tokens")  # fmt: skip
HAND: list[dict[str, Any]] = [
    {"type": "deal", "dealer": "D"},
    *({"type": "ante", "player": player} for player in "ABCD"),
    {"type": "bet", "player": "A", "as": "seen", "amount": "2"},
    {"type": "bet", "player": "B", "as": "seen", "amount": "2"},
    {"type": "fold", "player": "C"},
    {"type": "fold", "player": "D"},
    {"type": "see", "player": "A"},
    {"type": "reveal", "player": "B", "cards": ["5s", "6h", "7d"]},
    {"type": "reveal", "player": "A", "cards": ["Kc", "9c", "4c"]},
]


@dataclass
class Store:
    """A store with two nights in it. owner: who may do anything in the data."""

    owner: str
    data: Path
    first: UUID
    second: UUID

    def change(self, *statements: str) -> None:
        """Change the data as somebody would who gets past triggers and constraints, and knows his way about."""
        with psycopg.connect(self.owner, autocommit=True, application_name="psql") as connection:
            for table in (*TABLES, "sessions", "hands", "hand_players", "balances"):
                connection.execute(f"alter table {table} disable trigger user")
            connection.execute("alter table events drop constraint if exists events_hash_is_of_body")
            for statement in statements:
                connection.execute(statement.format(first=self.first, second=self.second))
            for table in TABLES:
                connection.execute(f"alter table {table} enable trigger user")

    def verify(self) -> Ran:
        return bragbook("verify", "--data", str(self.data), DATABASE_URL=self.owner)


def filled(conninfo: str, data: Path) -> tuple[UUID, UUID]:
    """Two nights, recorded and entered into the log of heads."""
    database = Database(conninfo, largest=2)
    database.open()
    sessions, evidence = Sessions(database), Evidence(database, data)
    try:
        ids = []
        for _night in range(2):
            players = [{"id": player, "name": f"Player {player}"} for player in "ABCD"]
            opened = sessions.open({"game": "three-card", "players": players})
            ids.append(UUID(opened.id))
            evidence.keeper.enter_now(ids)
            for event in HAND:
                sessions.append(opened.id, [event], by="test")
            evidence.keeper.enter_now(ids)
        sessions.clubs.make_first()
    finally:
        evidence.close()
        sessions.close()
        database.close()
    return ids[0], ids[1]


@pytest.fixture(scope="module")
def original(
    postgres: str, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path, UUID, UUID]]:
    conninfo = create_database(postgres, template)
    data = tmp_path_factory.mktemp("data")
    first, second = filled(conninfo, data)
    yield str(conninfo_to_dict(conninfo)["dbname"]), data, first, second
    drop_database(postgres, conninfo)


@pytest.fixture
def store(postgres: str, original: tuple[str, Path, UUID, UUID]) -> Iterator[Store]:
    """The store anew for each test: what one does to it no other sees."""
    name, data, first, second = original
    conninfo = create_database(postgres, name)
    yield Store(conninfo, data, first, second)
    drop_database(postgres, conninfo)


def test_an_untouched_store_is_as_it_should_be(store: Store) -> None:
    ran = store.verify()
    assert (ran.code, ran.err) == (0, "")


# --- what is refused ----------------------------------------------------------------------------------------------

REFUSED = {
    "update": "update {table} set {column} = {column}",
    "delete": "delete from {table}",
    "truncate": "truncate {table} cascade",
}
COLUMNS = {
    "events": "seq", "instance": "origin", "signing_keys": "key", "log_leaves": "leaf", "log_nodes": "hash",
    "log_checkpoints": "note", "log_rollbacks": "reason",
}  # fmt: skip


@pytest.mark.parametrize("how", REFUSED)
@pytest.mark.parametrize("table", COLUMNS)
def test_the_services_own_role_may_not(store: Store, table: str, how: str) -> None:
    with psycopg.connect(store.owner, autocommit=True) as connection:
        with suppress(errors.DuplicateObject, errors.UniqueViolation):  # of several at the same moment, all but one
            connection.execute(f"create role {ROLE}")
        grant(connection, ROLE)
        connection.execute(f"set role {ROLE}")
        with pytest.raises(errors.InsufficientPrivilege):
            connection.execute(REFUSED[how].format(table=table, column=COLUMNS[table]))


@pytest.mark.parametrize("how", REFUSED)
@pytest.mark.parametrize("table", COLUMNS)
def test_the_owner_may_not_either(store: Store, table: str, how: str) -> None:
    with psycopg.connect(store.owner, autocommit=True) as connection:
        connection.execute("set session_replication_role = replica")
        with pytest.raises(psycopg.DatabaseError) as caught:
            connection.execute(REFUSED[how].format(table=table, column=COLUMNS[table]))
    assert caught.value.sqlstate == "BRAG2"


@pytest.mark.parametrize("table", ["names", "tokens", "club_tokens"])
@pytest.mark.parametrize("how", ["delete", "truncate"])
def test_names_and_tokens_are_never_removed(store: Store, table: str, how: str) -> None:
    with psycopg.connect(store.owner, autocommit=True) as connection, pytest.raises(psycopg.DatabaseError) as caught:
        connection.execute(REFUSED[how].format(table=table, column=""))
    assert caught.value.sqlstate == "BRAG2"


@pytest.mark.parametrize(
    "statement",
    [
        "insert into events select session, seq + 100, body, hash from events where session = '{first}' and seq = 3",
        "insert into events select '{second}', 14, body, hash from events where session = '{first}' and seq = 3",
        "insert into events select session, 14, body, sha256('x') from events where session = '{first}' and seq = 3",
    ],
)
def test_an_event_that_does_not_continue_its_log_is_not_taken(store: Store, statement: str) -> None:
    with psycopg.connect(store.owner, autocommit=True) as connection, pytest.raises(psycopg.DatabaseError):
        connection.execute(statement.format(first=store.first, second=store.second))


# --- what is found ------------------------------------------------------------------------------------------------

FIND_AND_REPLACE = "convert_to(replace(convert_from(body, 'UTF8'), '\"amount\":\"2\"', '\"amount\":\"3\"'), 'UTF8')"
FOUND: dict[str, tuple[tuple[str, ...], str]] = {
    "an event changed": (
        (f"update events set body = {FIND_AND_REPLACE} where session = '{{first}}' and seq = 7",),
        "{first}: event 7 is not what was stored",
    ),
    "an event changed with its hash": (
        (
            f"update events set body = {FIND_AND_REPLACE} where session = '{{first}}' and seq = 7",
            "update events set hash = sha256(body) where session = '{first}' and seq = 7",
        ),
        "{first}: event 8 does not follow event 7",
    ),
    "a byte of a hash changed": (
        ("update events set hash = set_byte(hash, 5, 255 - get_byte(hash, 5)) where session = '{first}' and seq = 4",),
        "{first}: event 4",
    ),
    "an event deleted": (
        ("delete from events where session = '{first}' and seq = 5",),
        "{first}: event 5 is missing",
    ),
    "the last event deleted": (
        ("delete from events where session = '{first}' and seq = 13",),
        "session {first}: event 13 is gone, whose head stands in the log of heads",
    ),
    "an event put in": (
        ("insert into events select session, 14, body, hash from events where session = '{first}' and seq = 13",),
        "{first}: event 13 comes again in the place of event 14",
    ),
    "two events in each other's place": (
        (
            "update events set seq = 104 where session = '{first}' and seq = 4",
            "update events set seq = 4 where session = '{first}' and seq = 5",
            "update events set seq = 5 where session = '{first}' and seq = 104",
        ),
        "{first}: event 4 is missing",
    ),
    "one event of each of two sessions exchanged": (
        (
            "update events set session = '00000000-0000-7000-8000-00000000ffff' where session = '{first}' and seq = 6",
            "update events set session = '{first}' where session = '{second}' and seq = 6",
            "update events set session = '{second}' where session = '00000000-0000-7000-8000-00000000ffff'",
        ),
        "{first}: event 6 is not of this session",
    ),
    "two whole sessions exchanged": (
        (
            "update events set session = '00000000-0000-7000-8000-00000000ffff' where session = '{first}'",
            "update events set session = '{first}' where session = '{second}'",
            "update events set session = '{second}' where session = '00000000-0000-7000-8000-00000000ffff'",
        ),
        "{first}: event 1",
    ),
    "a whole session deleted, from every table": (
        tuple(
            f"delete from {table} where session = '{{first}}'"
            for table in ("events", "sessions", "hands", "hand_players", "balances", "names", "tokens", "seals")
        ),
        "session {first}: event 13 is gone, whose head stands in the log of heads",
    ),
    "all events truncated": (("truncate events",), "{second}: the list has this session"),
    "a hand's award changed": (
        ("update hand_players set awarded = awarded + 1 where session = '{first}' and player = 'B'",),
        "{first}: ",
    ),
    "a balance changed": (
        ("update balances set net_chips = 5 where session = '{first}' and player = 'A'",),
        "{first}: ",
    ),
    "the list changed": (("update sessions set game = 'lives' where session = '{first}'",), "{first}: "),
    "a name changed": (
        ("update names set name = 'Somebody' where session = '{first}' and player = 'B'",),
        "session {first}: the name of B was changed by somebody other than the service",
    ),
    "a name removed": (
        ("delete from names where session = '{first}' and player = 'B'",),
        "session {first}: the name of B was removed",
    ),
    "a token that may more than it did": (
        ("update tokens set kind = 'record' where session = '{first}' and kind = 'view'",),
        "was changed by somebody other than the service",
    ),
    "a token put in": (
        (
            ("insert into tokens (session, token, club, kind, secret_hash) select session, 'mine', club, kind,"
            " sha256('guessed') from tokens where session = '{first}' limit 1"),
        ),
        "session {first}: the token mine was put in by somebody other than the service",
    ),
    "a revoked token brought back": (
        ("update club_tokens set secret_hash = sha256('guessed')",),
        "was changed by somebody other than the service",
    ),
    "a head taken out of the log": (("delete from log_leaves where place = 1",), "entries 1 to 1 of the log of heads"),
    "the log of heads cut short": (
        ("delete from log_leaves where place = 3", "delete from log_checkpoints where size = 4",
         "delete from log_nodes where place >= 3 or level = 2"),
        "a checkpoint of 4 was given out",
    ),
    "a head changed in the log": (
        ("update log_leaves set leaf = replace(leaf, 'version 13', 'version 12') where place = 1",),
        "entry 1 of the log of heads is filed under another session or version",
    ),
    "a hash of the log's tree changed": (
        ("update log_nodes set hash = sha256('x') where level = 1 and place = 0",),
        "the hash at level 1, place 0 of the log of heads is not that of its entries",
    ),
    "a checkpoint changed": (
        ("update log_checkpoints set note = replace(note, E'\\n2\\n', E'\\n3\\n') where size = 2",),
        "the checkpoint of 2 entries is not what was signed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FOUND)
def test_verify_finds_and_names(store: Store, what: str) -> None:
    statements, says = FOUND[what]
    store.change(*statements)
    ran = store.verify()
    assert ran.code == 1, ran
    assert says.format(first=store.first, second=store.second) in ran.out, ran.out


def test_a_plain_update_by_a_person_at_the_database_is_found_too(store: Store) -> None:
    """With no trick at all: names and tokens may change, but only the service changes them."""
    with psycopg.connect(store.owner, autocommit=True, application_name="psql") as connection:
        connection.execute("update names set name = 'Somebody' where player = 'B'")
        connection.execute("update tokens set revoked_at = now() where kind = 'view'")
    ran = store.verify()
    assert ran.code == 1
    assert ran.out.count("the name of B was changed") == 2
    assert ran.out.count("the token ") == 2


def test_what_the_service_itself_changes_is_as_it_should_be(store: Store) -> None:
    database = Database(store.owner, largest=2)
    database.open()
    sessions = Sessions(database)
    try:
        sessions.name(store.first, "B", "Barbara")
        sessions.erase_name(store.first, "C")
        made = sessions.make_token(store.first, "view")
        sessions.revoke_token(store.first, made.id)
        sessions.name(store.second, "Z", "About to join")
    finally:
        sessions.close()
        database.close()
    ran = store.verify()
    assert ran.code == 0, ran.out


def test_a_night_made_anew_with_all_its_hashes_is_found_by_the_log_of_heads(store: Store) -> None:
    """The whole chain consistent again, projections too: only what was signed can show it."""
    remake = """
    do $$
    declare
        one record; previous text := repeat('0', 64); text_of text;
    begin
        for one in select seq, body from events where session = '{first}' order by seq loop
            text_of := replace(convert_from(one.body, 'UTF8'), '"by":"test"', '"by":"best"');
            text_of := regexp_replace(text_of, '"prev":"[0-9a-f]*"', '"prev":"' || previous || '"');
            update events set body = convert_to(text_of, 'UTF8'), hash = sha256(convert_to(text_of, 'UTF8'))
                where session = '{first}' and seq = one.seq;
            previous := encode(sha256(convert_to(text_of, 'UTF8')), 'hex');
        end loop;
    end $$
    """
    store.change(remake)
    ran = store.verify()
    assert ran.code == 1
    assert f"session {store.first}: event 13 is another than the one in the log of heads" in ran.out
    assert f"\n{store.first}: " not in "\n" + ran.out, "by itself the night is whole"


@pytest.mark.parametrize(("first", "flip"), [(0, 1), (1, 128)])
def test_each_byte_of_a_stored_night(store: Store, first: int, flip: int) -> None:
    """Each byte of each event's body and hash, changed in the data one at a time, names its event: every second byte
    in either way."""
    database = Database(store.owner, largest=1)
    database.open()
    sessions = Sessions(database)
    with psycopg.connect(store.owner, autocommit=True, application_name="psql") as connection:
        connection.execute("alter table events disable trigger user")
        connection.execute("alter table events drop constraint events_hash_is_of_body")
        stored = connection.execute(
            "select seq, body, hash from events where session = %s order by seq", [store.first]
        ).fetchall()
        change = "update events set {0} = %s where session = %s and seq = %s"
        for seq, body, digest in stored:
            for column, was in (("body", bytes(body)), ("hash", bytes(digest))):
                for place in range(first, len(was), 2):
                    spoilt = bytearray(was)
                    spoilt[place] ^= flip
                    connection.execute(change.format(column), [bytes(spoilt), store.first, seq])
                    faults = sessions.verify(store.first).faults
                    assert faults, (seq, column, place)
                    assert f"event {seq}" in faults[0], (seq, column, place, faults)
                connection.execute(change.format(column), [was, store.first, seq])
    assert sessions.verify(store.first).faults == []
    sessions.close()
    database.close()


def test_a_store_put_back_from_an_old_backup_is_refused_until_it_is_accepted(
    postgres: str, template: str, tmp_path: Path
) -> None:
    conninfo = create_database(postgres, template)
    try:
        data = tmp_path / "data"
        filled(conninfo, data)
        backup = create_database(postgres, str(conninfo_to_dict(conninfo)["dbname"]))
        more = Database(conninfo, largest=2)
        more.open()
        sessions, evidence = Sessions(more), Evidence(more, data)
        opened = sessions.open({"game": "three-card", "players": ["A", "B"]})
        evidence.keeper.enter_now([UUID(opened.id)])
        evidence.close()
        sessions.close()
        more.close()
        try:
            environment = {"DATABASE_URL": backup}
            assert bragbook("restore", "--data", data, DATABASE_URL=conninfo).code == 0
            refused = bragbook("restore", "--data", data, **environment)
            assert (refused.code, refused.out) == (1, "")
            assert "The log of heads has 4 entries, and a checkpoint of 5 was given out" in refused.err
            assert str(data) in refused.err, "it says where that checkpoint is kept"
            assert "a checkpoint of 5 was given out" in bragbook("verify", "--data", data, **environment).out
            served = bragbook("serve", "--port", 0, "--data", data, **environment)
            assert (served.code, served.out) == (1, "")
            assert "restore --accept-rollback" in served.err
            accepted = bragbook(
                "restore", "--accept-rollback", "--reason", "the disk died", "--data", data, **environment
            )
            assert accepted.code == 0
            assert bragbook("verify", "--data", data, **environment).code == 0
            assert bragbook("restore", "--accept-rollback", "--data", data, **environment).code == 1
            with psycopg.connect(backup) as connection:
                rows = connection.execute("select size, reason, checkpoint from log_rollbacks").fetchall()
            assert [(size, reason) for size, reason, _ in rows] == [(4, "the disk died")]
            assert "\n5\n" in rows[0][2]
        finally:
            drop_database(postgres, backup)
    finally:
        drop_database(postgres, conninfo)
