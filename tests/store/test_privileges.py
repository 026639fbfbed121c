"""Who may do what in the database: the service's role adds events and cannot change one."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import errors, sql
from psycopg.conninfo import make_conninfo

from service.sessions import Sessions
from service.store.database import TIMEOUTS
from service.store.privileges import SERVICE_ROLE, grant, own_role, what_holds
from tests.factories import SessionFactory, worked_example

PASSWORD = "only for this test"


@pytest.fixture
def servant(database: str, direct: Callable[[str], str]) -> Iterator[str]:
    """How to connect as a role of its own, which no pooler knows, that was granted what the service needs."""
    role = f"servant_{uuid.uuid4().hex}"
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute(sql.SQL("create role {} login password {}").format(sql.Identifier(role), sql.Literal(PASSWORD)))
        grant(owner, role)
    yield make_conninfo(direct(database), user=role, password=PASSWORD)
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute(sql.SQL("drop owned by {}").format(sql.Identifier(role)))
        owner.execute(sql.SQL("drop role {}").format(sql.Identifier(role)))


@pytest.fixture
def service(servant: str, open_store: Any) -> Iterator[Sessions]:
    """The sessions, as that role sees them."""
    sessions = Sessions(open_store(servant))
    sessions.clubs.make_first()
    yield sessions
    sessions.close()


def test_all_that_the_service_does_it_may_do(service: Sessions) -> None:
    opened = service.open(SessionFactory())
    service.append(opened.id, worked_example(), "r")
    service.append(opened.id, [{"type": "void", "seqs": [13], "reason": "wrong"}], "r")
    service.name(opened.id, "A", "Anna")
    service.erase_name(opened.id, "B")
    service.revoke_token(opened.id, service.make_token(opened.id, "view").id)
    service.rebuild(opened.id)
    exported = service.whole(opened.id)[0]
    assert service.import_events(exported, stored=True).added == 0
    assert service.audit(opened.id)["verdict"] == "sound"
    assert service.leaderboard("00000000-0000-7000-8000-000000000001")


@pytest.mark.parametrize(
    "statement",
    [
        "update events set body = body",
        "delete from events",
        "truncate events",
        "alter table events disable trigger all",
        "drop table events",
        "drop trigger events_stay on events",
        "create or replace function events_stay() returns trigger language plpgsql as 'begin return null; end'",
        "delete from schema_migrations",
        "update schema_migrations set name = name",
        "truncate sessions, hands, hand_players, balances",
        "set session_replication_role = replica",
    ],
)
def test_what_the_service_may_not(servant: str, service: Sessions, statement: str) -> None:
    service.open(SessionFactory())
    with psycopg.connect(servant, autocommit=True) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute(statement)


def test_its_role_is_bound_in_time_whatever_stands_between(servant: str) -> None:
    with psycopg.connect(servant) as connection:
        for name, milliseconds in TIMEOUTS.items():
            shown = connection.execute("select setting::int from pg_settings where name = %s", [name]).fetchall()
            assert shown == [(milliseconds,)], name


def test_it_is_said_what_keeps_events_as_they_are(database: str, servant: str) -> None:
    with psycopg.connect(servant) as connection:
        assert what_holds(connection)[0] == "events: the database lets this user add and read only"
    with psycopg.connect(database, autocommit=True) as owner:
        assert "a trigger refuses changes" in what_holds(owner)[0]
        with owner.transaction(force_rollback=True):
            owner.execute("alter table events disable trigger events_stay")
            assert "NOTHING" in what_holds(owner)[0]


def test_roles_are_granted_by_several_starters_at_once(fresh_database: str) -> None:
    faults: list[BaseException] = []

    def start() -> None:
        try:
            for _ in range(3):
                assert f"user={SERVICE_ROLE}" in own_role(fresh_database)
        except BaseException as fault:
            faults.append(fault)

    starters = [threading.Thread(target=start) for _ in range(4)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    assert faults == []
