"""Whatever is asked about one session names it, so that one shard can answer; and what a cluster does not take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
import pytest

from service.sessions import Sessions
from service.store import database as database_module
from service.store import entries
from service.store.database import StoreConnection
from service.store.prepared import Prepared
from tests.engine.nights import VARIANTS
from tests.factories import SessionFactory, worked_example
from tests.store.test_projections import as_sent, drift, play

OF_SESSIONS = ("events", "sessions", "hands", "hand_players", "balances", "names", "tokens")


# Asked of many sessions by their ids; each id leads to one place.
OVER_SESSIONS = (entries.NEWEST,)


def names_its_session(sql: str) -> bool:
    """Whether every table of sessions in a statement is held to one session: by value, or to another that is."""
    if re.match(r"\s*(with added as \()?insert into \w+ \(session\b", sql):
        return True
    tables = re.findall(rf"\b(?:from|join|update)\s+({'|'.join(OF_SESSIONS)})\b", sql)
    held = re.findall(r"(?:\w+\.)?session = (?:%s|\$1|\w+\.session)", sql)
    return bool(re.search(r"session = (?:%s|\$1)", sql)) and len(held) >= len(tables)


class Listening(StoreConnection):
    """A connection that writes down what is asked over it."""

    asked: list[str]

    def execute(self, query: Any, *more: Any, **given: Any) -> Any:
        self.asked.append(query if isinstance(query, str) else query.decode())
        return super().execute(query, *more, **given)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that is asked from now on."""
    seen: list[str] = []
    Listening.asked = seen
    monkeypatch.setattr(database_module, "StoreConnection", Listening)
    together = database_module.run_together

    def listened(connection: StoreConnection, given: Any) -> Any:
        seen.extend(sql for sql, _ in given)
        return together(connection, given)

    for module in ("service.store.database", "service.store.log", "service.sessions.checking"):
        monkeypatch.setattr(f"{module}.run_together", listened)
    run = Prepared.run

    def run_listened(self: Any, *given: Any) -> Any:
        seen.append(self.sql.decode())
        return run(self, *given)

    monkeypatch.setattr(Prepared, "run", run_listened)
    return seen


def do_everything(sessions: Sessions) -> None:
    """Whatever can be done about one session."""
    opened = sessions.open(SessionFactory())
    session = UUID(opened.id)
    for event in worked_example():
        sessions.append(session, [event], "r")
    sessions.append(session, [{"type": "note", "text": "x"}] * 2, "r")
    sessions.append(session, [{"type": "void", "seqs": [13], "reason": "wrong"}], "r")
    for look in (sessions.state, sessions.hands, sessions.settlement, sessions.audit, sessions.events, sessions.whole):
        look(session)
    sessions.state(session, at=5)
    list(sessions.stream(session))
    sessions.name(session, "A", "Anna")
    sessions.erase_name(session, "A")
    sessions.revoke_token(session, sessions.make_token(session, "view").id)
    known = sessions.credential(opened.tokens["view"])
    assert known is not None
    sessions.list(known)
    sessions.rebuild(session)
    assert sessions.verify(session).faults == []
    sessions.import_events(sessions.whole(session)[0], stored=True)


def test_every_statement_about_a_session_names_it(asked: list[str], database: str, open_store: Any) -> None:
    sessions = Sessions(open_store(database))
    sessions.clubs.make_first()
    do_everything(sessions)
    about = [sql for sql in asked if re.search(rf"\b({'|'.join(OF_SESSIONS)})\b", sql)]
    assert len(about) > 30
    assert [sql for sql in about if not names_its_session(sql) and sql not in OVER_SESSIONS] == []


@pytest.mark.parametrize(
    "sql",
    [
        "select * from events where seq = %s",
        "select * from names n join tokens t on t.token = n.player where n.session = %s",
        "update balances set lives = 0",
    ],
)
def test_a_statement_that_names_no_session_is_found(sql: str) -> None:
    assert not names_its_session(sql)


def test_every_key_of_a_session_begins_with_it(owner: psycopg.Connection) -> None:
    keys = owner.execute(
        "select c.relname, i.relname,"
        " (select attname from pg_attribute where attrelid = c.oid and attnum = x.indkey[0])"
        " from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid"
        " where x.indisunique and c.relname = any(%s)",
        [list(OF_SESSIONS)],
    ).fetchall()
    assert {table for table, _, _ in keys} == set(OF_SESSIONS)
    assert {first for _, _, first in keys} == {"session"}


def test_nothing_is_shared_between_sessions(owner: psycopg.Connection) -> None:
    assert owner.execute("select conname from pg_constraint where contype = 'f'").fetchall() == []
    owned = owner.execute(
        "select c.relname from pg_class c join pg_depend d on d.objid = c.oid join pg_class t on t.oid = d.refobjid"
        " where c.relkind = 'S' and t.relname = any(%s)",
        [list(OF_SESSIONS)],
    )
    assert owned.fetchall() == []


@pytest.mark.parametrize("variant", VARIANTS[::6], ids=repr)
def test_where_one_statement_may_not_write_to_several_tables(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, variant: Any
) -> None:
    """A distributed database takes them in turn."""
    lend = sessions._database.lend

    @contextmanager
    def distributed() -> Iterator[StoreConnection]:
        with lend() as connection:
            connection.distributed = True
            yield connection

    monkeypatch.setattr(sessions._database, "lend", distributed)
    session = UUID(sessions.open(variant.body).id)
    for event in play(variant, seed=5, moves=80):
        sessions.append(session, [as_sent(event)], "r", with_state=False)
    assert drift(sessions._database, sessions, session) == []
