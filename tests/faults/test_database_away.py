"""A database that is away, slow, standing still, out of connections, restarting: a clear 503, nothing half-done, and
all is well again by itself as soon as the database is."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import OperationalError
from psycopg.conninfo import make_conninfo

from service.embedded import EmbeddedPostgres
from service.sessions import Sessions
from service.store import database as database_module
from service.store.database import Database
from service.store.faults import Unavailable
from tests.factories import SessionFactory, worked_example
from tests.faults.kept import Kept, is_alive_and_not_ready, is_clear, note, verified
from tests.faults.proxy import Proxy
from tests.faults.served import PATIENCE_SECONDS, Answer, Served, eventually, log_file


@pytest.fixture(scope="module")
def proxy(database: str) -> Iterator[Proxy]:
    with Proxy(database) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def served(proxy: Proxy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service whose database is behind the proxy: every test leaves both as they were."""
    folder = tmp_path_factory.mktemp("behind-a-proxy")
    with Served(folder, log_file(folder), proxy.conninfo, log_level="error", threads=16, pool_size=4) as served:
        yield served


# Longer than a pool goes on trying by itself, too.
@pytest.mark.parametrize("seconds", [0.1, pytest.param(40.0, marks=pytest.mark.soak)])
def test_away_and_back(served: Served, proxy: Proxy, database: str, seconds: float) -> None:
    kept = Kept(served)
    kept.records()
    proxy.be("gone")
    kept.is_refused()
    is_alive_and_not_ready(served)
    is_clear(served.ask("POST", "/api/v1/sessions", SessionFactory()))
    is_clear(served.ask("GET", f"/api/v1/sessions/{kept.table['id']}", None, kept.table["tokens"]["view"]))
    time.sleep(seconds)
    kept.is_refused()
    proxy.be("pass")
    eventually(lambda: served.ask("GET", "/readyz")[0] == 200, "it is ready again by itself")
    kept.records()
    kept.is_whole()
    verified(database)


def test_many_who_ask_while_it_is_away_do_not_take_the_service_with_them(served: Served, proxy: Proxy) -> None:
    kept = Kept(served)
    proxy.be("gone")
    answers: list[Answer] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            answers.append(served.record(kept.table, note()))

    clients = [threading.Thread(target=ask) for _ in range(40)]  # more than there are threads to answer them
    for client in clients:
        client.start()
    try:
        for _ in range(5):
            is_alive_and_not_ready(served)
    finally:
        stop.set()
        for client in clients:
            client.join()
    for answer in answers:
        is_clear(answer)
    proxy.be("pass")
    eventually(lambda: served.ask("GET", "/readyz")[0] == 200, "it is ready again by itself")
    kept.records()
    kept.is_whole()


def test_connections_that_are_cut_while_a_table_records(served: Served, proxy: Proxy, database: str) -> None:
    """Retried within the service where that is safe; a client sees at most a 503."""
    kept = Kept(served)
    stop, recorded = threading.Event(), threading.Event()

    def cut() -> None:
        while not stop.wait(0.05):
            if recorded.is_set():  # since the last cut: on a slow machine nobody would ever get through
                recorded.clear()
                proxy.cut()

    cutting = threading.Thread(target=cut)
    cutting.start()
    try:
        for _ in range(60):
            event = note()
            status = 0
            while status not in {200, 201}:
                status, *_ = answer = served.record(kept.table, event)
                if status == 503:
                    is_clear(answer)
            kept.ids.append(event["id"])
            recorded.set()
    finally:
        stop.set()
        cutting.join()
    kept.is_whole()
    verified(database)


def test_slow(served: Served, proxy: Proxy) -> None:
    """Slower by far than it should be, and everything is recorded all the same."""
    kept = Kept(served)
    proxy.delay_s = 0.1
    proxy.be("slow")
    for _ in range(3):
        kept.records()
    proxy.be("pass")
    kept.is_whole()


def test_a_pool_that_is_exhausted(served: Served, proxy: Proxy, database: str) -> None:
    """Four connections wait for a slow database, and more want one: who waits too long is told so, nobody is
    forgotten, and those who have one are answered in the end."""
    first, others = [Kept(served) for _ in range(4)], [Kept(served) for _ in range(8)]
    statuses: dict[str, int] = {}

    def record(kept: Kept) -> None:
        event = note()
        answer = served.record(kept.table, event)
        statuses[kept.table["id"]] = answer[0]
        if answer[0] == 503:
            is_clear(answer)
            kept.unsure.append(event)
        else:
            kept.ids.append(event["id"])

    def all_at_once(tables: list[Kept]) -> list[threading.Thread]:
        clients = [threading.Thread(target=record, args=(kept,)) for kept in tables]
        for client in clients:
            client.start()
        return clients

    proxy.be("still")
    waiting = all_at_once(first)
    time.sleep(0.3)  # they have the connections by now
    for client in all_at_once(others):
        client.join()
    assert [statuses[kept.table["id"]] for kept in others] == [503] * 8
    assert served.ask("GET", "/healthz")[0] == 200
    proxy.be("pass")
    for client in waiting:
        client.join()
    assert {statuses[kept.table["id"]] for kept in first} <= {201, 503}
    for kept in [*first, *others]:
        kept.records()
        kept.is_whole()
    verified(database)


def test_a_server_that_stands_still_is_not_waited_for(fresh_database: str) -> None:
    """Whatever waits on it is cut loose, also the connection that is being made, and nothing is stored twice."""
    with Proxy(fresh_database) as proxy:
        store = Database(proxy.conninfo, largest=3, wait_ms=500, answer_timeout_s=1.0)
        store.open()
        store.wait(PATIENCE_SECONDS)
        sessions = Sessions(store)
        try:
            table = sessions.open(SessionFactory()).id
            proxy.be("still")
            for _ in range(5):  # more often than there are connections
                with pytest.raises(Unavailable) as fault:
                    sessions.append(table, [note()], "r")
            assert not store.answers()
            proxy.be("pass")
            store.wait(PATIENCE_SECONDS)
            event = note()
            assert sessions.append(table, [event], "r").new == 1
            assert sessions.append(table, [event], "r").new == 0
            assert fault.value.retry_after_s >= 1
        finally:
            sessions.close()
            store.close()


def test_more_ask_while_it_is_away_than_may_wait(fresh_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the pool gives up in the meantime: it tries again all the same."""
    monkeypatch.setattr(database_module, "RECONNECT_S", 0.1)
    with Proxy(fresh_database) as proxy:
        store = Database(proxy.conninfo, largest=1, wait_ms=100)
        store.open()
        try:
            store.wait(PATIENCE_SECONDS)
            proxy.be("gone")
            for _ in range(100):
                assert not store.answers()
            assert store.figures()["requests_waiting"] == 20
            eventually(lambda: store.figures()["pool_size"] == 0, "the pool has given up")
            proxy.be("pass")
            store.wait(PATIENCE_SECONDS)
        finally:
            store.close()


@pytest.mark.soak
def test_a_server_that_stands_still_under_a_service(served: Served, proxy: Proxy, database: str) -> None:
    kept = Kept(served)
    proxy.be("still")
    said = kept.is_refused()
    assert "Whether this was stored is not known" in said
    is_alive_and_not_ready(served)
    proxy.be("pass")
    eventually(lambda: served.ask("GET", "/readyz")[0] == 200, "it is ready again by itself")
    kept.records()
    kept.is_whole()
    verified(database)


@contextmanager
def own_postgres(data: Path, **settings: Any) -> Iterator[tuple[EmbeddedPostgres, str]]:
    """A Postgres with settings of its own."""
    with (data / "postgres" / "postgresql.conf").open("a") as file:
        file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
    server = EmbeddedPostgres(data)
    try:
        yield server, server.start()
    finally:
        server.stop()


def test_out_of_connections(data: Path, tmp_path: Path) -> None:
    """Others have them all; the service has none, says so, and takes them when they are free."""
    with (
        own_postgres(data, max_connections=8, superuser_reserved_connections=0) as (_, conninfo),
        Served(tmp_path, log_file(tmp_path), conninfo, log_level="error") as served,
        ExitStack() as others,
    ):
        kept = Kept(served)
        taken: list[psycopg.Connection] = []
        while len(taken) < 8:
            try:
                taken.append(others.enter_context(psycopg.connect(conninfo, autocommit=True)))
            except OperationalError:  # those that the service holds are ended, so that others get them first
                taken[0].execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bragbook'"
                )
        kept.is_refused()
        is_alive_and_not_ready(served)
        others.close()
        eventually(lambda: served.ask("GET", "/readyz")[0] == 200, "it is ready again by itself")
        kept.records()
        kept.is_whole()


@pytest.mark.soak  # killed at any moment in test_killed.py
def test_restarted_in_an_orderly_way_and_by_force(data: Path, tmp_path: Path) -> None:
    """`DATABASE_URL` names a server that is restarted under the service: it waits, or says so, and goes on."""
    with own_postgres(data) as (server, conninfo):
        with Served(tmp_path, log_file(tmp_path), conninfo, log_level="error") as served:
            kept = Kept(served)
            for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
                kept.records()
                before = server.server_pid
                assert before is not None
                os.kill(before, how)
                eventually(lambda old=before: server.server_pid not in {None, old}, "another server runs")
                eventually(lambda: served.ask("GET", "/readyz")[0] == 200, "it is ready again by itself")
            kept.records()
            kept.is_whole()
            assert served.record(kept.table, *worked_example())[0] == 201
        verified(conninfo)


def test_a_table_that_somebody_locks(served: Served, database: str) -> None:
    """As a migration by hand does, or a careless `lock table`: said in time, and over by itself."""
    kept = Kept(served)
    kept.records()
    with psycopg.connect(database) as holder:
        holder.execute("lock table events in exclusive mode")
        kept.is_refused()
        assert served.ask("GET", "/readyz")[0] == 200  # it can be read
        assert len(served.lines(kept.table)) == 2
    kept.records()
    kept.is_whole()


def test_a_database_that_only_reads(tmp_path: Path, fresh_database: str, direct: Callable[[str], str]) -> None:
    """A replica, or one that its keeper has closed: what is there is shown, nothing is taken, and it is not ready."""
    with Served(tmp_path, log_file(tmp_path), fresh_database, log_level="error") as served:
        kept = Kept(served)
        kept.records()
        with psycopg.connect(direct(fresh_database), autocommit=True) as owner:
            name = owner.info.dbname
            owner.execute(f"alter database {name} set default_transaction_read_only = on")
            owner.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bragbook'")
            assert "only reads" in kept.is_refused()
            is_alive_and_not_ready(served)
            assert len(served.lines(kept.table)) == 2
        writing = make_conninfo(direct(fresh_database), options="-c default_transaction_read_only=off")
        with psycopg.connect(writing, autocommit=True) as owner:
            owner.execute(f"alter database {name} reset default_transaction_read_only")
            owner.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bragbook'")
        eventually(lambda: served.ask("GET", "/readyz")[0] == 200, "it is ready again by itself")
        kept.records()
        kept.is_whole()
