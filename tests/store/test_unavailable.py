"""A database that is away, slow, full or read-only: said so, nothing half-done, and over by itself."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import errors, sql
from psycopg.conninfo import make_conninfo

from service.sessions import Sessions, Unavailable
from service.store.database import Database
from service.store.faults import EventRefused, StoreFault, VersionTaken, fault_of, passing, translated
from tests.embedded.processes import PATIENCE_SECONDS, until
from tests.factories import worked_example

NOTE = {"type": "note", "text": "crisps"}
SECRET = "a card nobody may see"


@pytest.mark.parametrize(
    ("sqlstate", "constraint", "kind"),
    [
        ("08006", None, Unavailable), ("57P01", None, Unavailable), ("57P03", None, Unavailable),
        ("57014", None, Unavailable), ("55P03", None, Unavailable), ("40001", None, Unavailable),
        ("40P01", None, Unavailable), ("53100", None, Unavailable), ("53300", None, Unavailable),
        ("25006", None, Unavailable), ("58030", None, Unavailable), ("23505", "events_pkey", VersionTaken),
        ("23505", "events_pkey_102008", VersionTaken), ("23505", "events_client_id", VersionTaken),
        ("XX000", "events_pkey_102008", VersionTaken), ("XX000", None, StoreFault), ("23505", None, VersionTaken),
        ("23505", "tokens_pkey", StoreFault), ("23514", "events_hash_is_of_body", EventRefused),
        ("BRAG1", None, EventRefused), ("BRAG2", None, StoreFault), ("42P01", None, StoreFault),
        (None, None, StoreFault),
    ],
)  # fmt: skip
def test_each_failure_comes_to_one_fault(sqlstate: str | None, constraint: str | None, kind: type[Exception]) -> None:
    fault = fault_of(sqlstate, constraint)
    assert type(fault) is kind
    assert (passing(sqlstate) is None) == (kind is not Unavailable)


@pytest.mark.parametrize(
    ("sqlstate", "said", "kind"),
    [
        ("23505", 'duplicate key value violates unique constraint "events_pkey_102008"', VersionTaken),
        ("XX000", 'duplicate key value violates unique constraint "events_client_id_102008"', VersionTaken),
        ("23505", "un doublon « events_pkey_102008 »", VersionTaken),
        ("23514", 'new row violates check constraint "events_hash_is_of_body"', EventRefused),
        ("23505", 'duplicate key value violates unique constraint "tokens_pkey_102104"', StoreFault),
        ("XX000", "something else", StoreFault),
    ],
)
def test_what_a_clusters_coordinator_repeats(
    owner: psycopg.Connection, sqlstate: str, said: str, kind: type[Exception]
) -> None:
    """It leaves out the constraint's name but in the sentence, and under a copy the SQLSTATE."""
    raising = sql.SQL("do $$ begin raise exception using errcode = {}, message = {}; end $$")
    with pytest.raises(psycopg.Error) as raw:
        owner.execute(raising.format(sqlstate, said))
    assert type(translated(raw.value)) is kind


def test_no_fault_quotes_a_row(store: Database, owner: psycopg.Connection) -> None:
    session = uuid.uuid4()
    row = "insert into events (session, seq, body, hash) values (%s, 1, %s, %s)"
    body = f'{{"prev":"{"0" * 64}","seq":1,"session":"{session}","text":"{SECRET}"}}'.encode()
    with pytest.raises(errors.CheckViolation) as raw:
        owner.execute(row, (session, body, b"no hash"))
    assert session.hex[:8] in str(raw.value)  # the driver's own does
    assert SECRET not in str(translated(raw.value))
    for statement, values in (
        (row, (session, body, b"no hash")),
        ("insert into names (session, player, name, erased_at) values (%s, 'A', %s, now())", (session, SECRET)),
        ("insert into hands (session, hand, result) values (%s, 1, %s)", (session, SECRET)),
        ("select %s::uuid", (SECRET,)),
    ):
        with pytest.raises(StoreFault) as fault:
            store.run([(statement, values)])
        assert SECRET not in f"{fault.value!r} {fault.value.__cause__!r}"
        assert fault.value.__suppress_context__


def test_a_database_that_is_not_there(open_store: Any) -> None:
    sessions = Sessions(open_store("host=/nowhere dbname=none", wait_ms=200))
    for ask in (
        lambda: sessions.state(uuid.uuid4()),
        lambda: sessions.append(uuid.uuid4(), [NOTE], "r"),
        lambda: sessions.credential(sessions.clubs.make_first.__name__) or sessions.clubs.new_token(),
        lambda: sessions.watch(uuid.uuid4()),
    ):
        with pytest.raises(Unavailable) as fault:
            ask()
        assert fault.value.retry_after_s >= 1
    assert not sessions._database.answers()


def test_a_stopped_pool_says_so(open_store: Any, database: str) -> None:
    store = open_store(database)
    sessions = Sessions(store)
    store.close()
    with pytest.raises(Unavailable, match="stopping"):
        sessions.state(uuid.uuid4())


def test_connections_that_were_cut_are_not_noticed(sessions: Sessions, owner: psycopg.Connection, table: UUID) -> None:
    """The server was restarted while nobody looked: every waiting connection is dead."""
    busy = [threading.Thread(target=sessions.state, args=(table,)) for _ in range(4)]
    for thread in busy:
        thread.start()
    for thread in busy:
        thread.join()
    for number, event in enumerate(worked_example(), 2):
        owner.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
        assert sessions.append(table, [event], "r").version == number
    assert sessions.verify(table).faults == []


def test_more_than_there_are_connections_wait_and_then_are_told(database: str, open_store: Any, table: UUID) -> None:
    store = open_store(database, largest=1, wait_ms=300)
    store.wait(PATIENCE_SECONDS)  # for its first connection longer than anybody waits for one afterwards
    sessions = Sessions(store)
    sessions.state(table)
    with store.lend(), pytest.raises(Unavailable):
        sessions.append(table, [NOTE], "r")
    assert sessions.append(table, [NOTE], "r").version == 2


def test_nobody_waits_for_a_connection_that_lies_unused(database: str, open_store: Any) -> None:
    """Twelve at a time share two connections, and go away and come back."""
    store = open_store(database, largest=2, wait_ms=30_000)
    faults: list[BaseException] = []

    def use(number: int) -> None:
        try:
            for turn in range(40):
                with store.lend() as connection:
                    assert connection.execute("select %s::int", (number,)).fetchall() == [(number,)]
                if turn % 10 == number % 10:
                    time.sleep(0.005)
        except BaseException as fault:
            faults.append(fault)

    users = [threading.Thread(target=use, args=(number,)) for number in range(12)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert faults == []
    assert store.figures()["pool_size"] <= 2
    until(lambda: store.figures()["pool_available"] == store.figures()["pool_size"], "all are given back")


def test_a_row_that_somebody_holds_is_waited_for_and_then_given_up(
    sessions: Sessions, database: str, table: UUID
) -> None:
    """The end of a hand needs the session's row: nothing of the event is kept while somebody else has it."""
    sessions.append(table, worked_example()[:-1], "r")
    before = sessions.state(table)
    for _ in range(4):  # whichever connection the append gets
        with sessions._database.lend() as connection:
            connection.execute("set lock_timeout = 100")
    with psycopg.connect(database) as holder:
        holder.execute("select from sessions where session = %s for update", (table,))
        with pytest.raises(Unavailable, match="holds"):
            sessions.append(table, worked_example()[-1:], "r")
        assert sessions.state(table) == before
        assert sessions.append(table, [NOTE], "r").version == 13
    assert sessions.append(table, worked_example()[-1:], "r").version == 14
    assert sessions.verify(table).faults == []


def test_a_server_that_only_reads_still_shows_what_there_is(
    database: str, direct: Callable[[str], str], open_store: Any, played: UUID
) -> None:
    replica = make_conninfo(direct(database), options="-c default_transaction_read_only=on")
    sessions = Sessions(open_store(replica))
    assert sessions.state(played)[1]["version"] == 13
    assert sessions.audit(played)["verdict"] == "sound"
    with pytest.raises(Unavailable, match="only reads"):
        sessions.append(played, [NOTE], "r")
    assert sessions.state(played)[1]["version"] == 13


def test_an_event_whose_connection_breaks_is_stored_once(
    sessions: Sessions, owner: psycopg.Connection, table: UUID
) -> None:
    """Backends are killed at random moments while a table records; every acknowledged event is there, once."""
    stop, recorded = threading.Event(), threading.Event()

    def kill() -> None:
        while not stop.wait(0.02):
            if recorded.is_set():  # since the last time: on a slow machine nobody would ever get through
                recorded.clear()
                owner.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                    " where datname = current_database() and pid <> pg_backend_pid()"
                )

    killing = threading.Thread(target=kill)
    killing.start()
    acknowledged: list[str] = []
    try:
        for number in range(60):
            event = {**NOTE, "text": str(number), "id": str(uuid.uuid4())}
            while True:
                try:
                    answer = sessions.append(table, [event], "r", with_state=False)
                except Unavailable:
                    time.sleep(0.01)
                    continue
                break
            assert len(answer.events) == 1
            acknowledged.append(event["text"])
            recorded.set()
    finally:
        stop.set()
        killing.join()
    kept = [event["text"] for event in sessions.whole(table)[0][1:]]
    assert kept == acknowledged
    assert sessions.verify(table).faults == []


def test_a_log_that_is_shorter_than_remembered_is_read_again(sessions: Sessions, database: str, played: UUID) -> None:
    """A backup was restored under a running service."""
    with psycopg.connect(database, autocommit=True) as superuser:
        superuser.execute("alter table events disable trigger events_stay")
        superuser.execute("delete from events where session = %s and seq > 10", (played,))
        superuser.execute("alter table events enable always trigger events_stay")
    assert sessions.append(played, [NOTE], "r").version == 11
    assert sessions.state(played)[1]["version"] == 11
