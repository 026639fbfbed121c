"""Many sessions at a time: the same verdicts as one by one, and the same rows."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from events.session import Session
from service.decoding import bodies
from service.sessions import Sessions
from service.store import bulk
from service.store.bulk import Anew, logs_of, write_anew
from service.store.database import Database
from service.store.projections import project
from tests.factories import SessionFactory, worked_example
from tests.store.test_projections import BY, NIGHTS, TAMPERINGS, kept, load_cases, record_case, time_and_again

# Events that a store would not have written, put in behind its back: what is done to the second of a session.
FORGED = {
    "event 2 is not what was stored": "update events set body = replace(body::text, '22616e7465', '22616e7466')::bytea",
    "another hash": "update events set hash = sha256('x')",
    "not in canonical form": "update events set body = convert_to(' ', 'UTF8') || body",
    "no object": "update events set body = '1'",
    "not JSON": "update events set body = '{'",
    "gone": "delete from events",
    "of a newer form": "update events set body = replace(body::text, '2276223a31', '2276223a32')::bytea",
}


def recorded(sessions: Sessions, count: int) -> list[UUID]:
    made = []
    for number in range(count):
        session = UUID(sessions.open(SessionFactory()).id)
        sessions.append(session, worked_example()[: 12 - number % 3], BY, with_state=False)
        made.append(session)
    return made


def test_all_is_as_it_should_be(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    made = recorded(sessions, 9)
    expected = [(session, 13 - number % 3, []) for number, session in enumerate(made)]
    looked_at_twice: list[UUID] = []
    monkeypatch.setattr(sessions._checker, "verify", looked_at_twice.append)
    for most in (1, 7, 13, 4_000):
        monkeypatch.setattr(bulk, "MOST_EVENTS", most)
        found = sessions.verify_many(made)
        assert [(one.session, one.version, one.faults) for one in found] == expected
    assert looked_at_twice == []


def test_in_the_order_in_which_they_were_asked_for(sessions: Sessions) -> None:
    made = recorded(sessions, 6)
    asked = [made[4], made[0], made[5]]
    assert [one.session for one in sessions.verify_many(asked)] == asked
    assert sessions.rebuild_many([*asked, uuid4()]) == [12, 13, 11, 0]


def test_each_change_is_found_as_one_by_one_and_mended(sessions: Sessions, owner: psycopg.Connection[Any]) -> None:
    made = recorded(sessions, 3 * len(TAMPERINGS))[::3]
    store = sessions._database
    before = [kept(store, session) for session in made]
    for session, tampering in zip(made, TAMPERINGS.values(), strict=True):
        owner.execute(tampering, (session,))
    found = sessions.verify_many(made)
    for one, fault in zip(found, TAMPERINGS, strict=True):
        assert any(said.startswith(fault) for said in one.faults), (fault, one.faults)
    assert found == [sessions.verify(session) for session in made]
    assert sessions.rebuild_many(made) == [13] * len(made)
    assert [one.faults for one in sessions.verify_many(made)] == [[]] * len(made)
    assert [kept(store, session) for session in made] == before


@pytest.mark.parametrize("forged", FORGED)
def test_events_that_no_store_wrote_are_found_as_one_by_one(
    sessions: Sessions, owner: psycopg.Connection[Any], forged: str
) -> None:
    session, untouched = recorded(sessions, 2)
    with owner.transaction(force_rollback=False):
        owner.execute("alter table events disable trigger all")
        owner.execute("alter table events drop constraint events_hash_is_of_body")
        changed = owner.execute(f"{FORGED[forged]} where session = %s and seq = 3", (session,))
        owner.execute("alter table events add constraint events_hash_is_of_body check (hash = sha256(body)) not valid")
        owner.execute("alter table events enable trigger all")
        owner.execute("alter table events enable always trigger events_continue")
        owner.execute("alter table events enable always trigger events_stay")
    assert changed.rowcount == 1
    found = sessions.verify_many([session, untouched])
    assert found == [sessions.verify(session), sessions.verify(untouched)]
    assert found[0].faults
    assert found[1].faults == []


def test_rebuilding_gives_what_was_there(store: Database, sessions: Sessions, owner: psycopg.Connection[Any]) -> None:
    made = [record_case(sessions, load_cases(path)[0], lambda session, events: None) for path in NIGHTS[:4]]
    before = [kept(store, session) for session in made]
    for table in ("hands", "hand_players", "balances", "sessions"):
        owner.execute(f"delete from {table} where session = any(%s)", (made,))
    sessions.rebuild_many(made)
    assert [kept(store, session) for session in made] == before
    assert all(one.faults == [] for one in sessions.verify_many(made))


def test_a_session_that_moved_on_is_left_to_be_done_again(store: Database, sessions: Sessions) -> None:
    made = recorded(sessions, 2)
    anew = {}
    for logs in logs_of(store, made):
        for session, stored in logs.items():
            replayed = Session.replay(bodies(stored))
            anew[session] = Anew(replayed.version, "2026-11-30T20:00:00Z", project(replayed))
    sessions.append(made[0], [{"type": "note", "text": "meanwhile"}], BY)
    assert write_anew(store, anew) == {made[1]}
    assert [one.faults for one in sessions.verify_many(made)] == [[], []]


def test_while_hands_end_none_of_them_is_lost(sessions: Sessions, elsewhere: Sessions) -> None:
    tables = [UUID(sessions.open(SessionFactory()).id) for _ in range(3)]
    with time_and_again(lambda: elsewhere.rebuild_many(tables)):
        for event in worked_example():
            for table in tables:
                sessions.append(table, [event], BY, with_state=False)
    assert [one.faults for one in sessions.verify_many(tables)] == [[], [], []]
