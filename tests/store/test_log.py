"""The events table: what it takes, and what it refuses whoever asks."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from typing import Any
from uuid import UUID

import orjson
import psycopg
import pytest
from psycopg import errors

from events.log import GENESIS
from service.sessions.stamping import Stamp
from service.store.database import Database
from service.store.faults import EventRefused, VersionTaken
from service.store.log import Beside, Log, New, insertion

Event = dict[str, Any]


def a_log(session: UUID, count: int, ids: bool = False) -> list[New]:
    """So many notes of one session, chained."""
    stamp = Stamp(session, 0, GENESIS, "", "record-test")
    notes: list[Event] = [{"type": "note", "text": f"note {number}"} for number in range(count)]
    if ids:
        notes = [{**note, "id": str(uuid.uuid4())} for note in notes]
    return [stamp.seal(note)[1] for note in notes]


@pytest.fixture
def log(store: Database) -> Log:
    return Log(store)


@pytest.mark.parametrize("together", [1, 3])
def test_events_come_back_as_they_were_given(log: Log, together: int) -> None:
    session = uuid.uuid4()
    events = a_log(session, 6, ids=True)
    for start in range(0, 6, together):
        log.append(session, events[start : start + together])
    assert log.read(session) == [event.stored() for event in events]
    assert [event.seq for event in log.read(session, after=2, limit=3)] == [3, 4, 5]
    assert log.pick(session, [2, 5, 9]) == {2: events[1].stored(), 5: events[4].stored()}
    assert log.version(session) == 6


def test_a_line_is_the_body_with_its_hash() -> None:
    event = a_log(uuid.uuid4(), 1)[0].stored()
    line = orjson.loads(event.line())
    assert line.pop("hash") == hashlib.sha256(event.body).hexdigest()
    assert line == orjson.loads(event.body)


def test_a_number_that_is_taken_is_refused_and_nothing_is_kept(log: Log) -> None:
    session = uuid.uuid4()
    ours = a_log(session, 2)
    log.append(session, ours)
    late = Stamp(session, 1, ours[0].hash.hex(), "", "record-other")
    theirs = [late.seal({"type": "note", "text": "too late"})[1] for _ in range(2)]
    for attempt in (theirs[:1], theirs, a_log(session, 1)):
        with pytest.raises(VersionTaken):
            log.append(session, attempt)
    assert log.read(session) == [event.stored() for event in ours]


def test_the_same_append_again_is_taken_for_what_it_is(log: Log) -> None:
    """Its answer was lost, and the connection with it: the bytes say that it is done."""
    session = uuid.uuid4()
    events = a_log(session, 3)
    log.append(session, events[:1])
    log.append(session, events[:1])
    log.append(session, events[1:])
    log.append(session, events[1:])
    assert log.read(session) == [event.stored() for event in events]


def test_an_append_survives_a_connection_that_was_cut(log: Log, owner: psycopg.Connection) -> None:
    session = uuid.uuid4()
    events = a_log(session, 2)
    log.append(session, events[:1])
    owner.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()"
    )
    log.append(session, events[1:])
    assert log.version(session) == 2


def test_what_goes_with_an_event_is_kept_with_it_or_not_at_all(log: Log, store: Database) -> None:
    session, token = uuid.uuid4(), "view-1"
    events = a_log(session, 2)
    token_of = "insert into club_tokens (club, token, secret_hash) values (%s, %s, %s)"
    log.append(session, events[:1], Beside([(token_of, (session, token, bytes(32)))]))
    assert store.ask("select count(*) from club_tokens where club = %s", (session,)) == [(1,)]
    with pytest.raises(Exception, match="23505"):
        log.append(session, events[1:], Beside([(token_of, (session, token, bytes(32)))]))
    assert log.version(session) == 1


Change = Callable[[Event], Event]


@pytest.mark.parametrize(
    "change",
    [
        lambda event: {**event, "prev": "0" * 64},
        lambda event: {**event, "prev": "f" * 64},
        lambda event: {**event, "seq": 3},
        lambda event: {**event, "session": str(uuid.uuid4())},
        lambda event: {name: value for name, value in event.items() if name != "prev"},
    ],
    ids=["prev of the first", "prev of none", "seq", "session", "no prev"],
)
def test_the_database_refuses_what_does_not_continue_its_session(log: Log, change: Change) -> None:
    session = uuid.uuid4()
    first, second = a_log(session, 2)
    log.append(session, [first])
    body = orjson.dumps(change(orjson.loads(second.body)), option=orjson.OPT_SORT_KEYS)
    torn = New(2, body, hashlib.sha256(body).digest(), None)
    with pytest.raises(EventRefused):
        log.append(session, [torn])
    assert log.version(session) == 1
    log.append(session, [second])


def test_the_database_refuses_a_gap_and_a_second_beginning(log: Log) -> None:
    session = uuid.uuid4()
    events = a_log(session, 4)
    with pytest.raises(EventRefused):
        log.append(session, events[1:2])
    log.append(session, events[:1])
    with pytest.raises(EventRefused):
        log.append(session, events[2:])
    with pytest.raises(VersionTaken):
        log.append(session, a_log(session, 1))


def test_the_database_refuses_a_hash_that_is_not_the_bodys(owner: psycopg.Connection) -> None:
    session = uuid.uuid4()
    event = a_log(session, 1)[0]
    values = (session, 1, event.body.replace(b"note 0", b"note 9"), event.hash, None)
    with pytest.raises(errors.CheckViolation):
        owner.execute("insert into events (session, seq, body, hash, client_id) values (%s, %s, %s, %s, %s)", values)


def test_an_id_is_taken_once_in_a_session_and_again_in_another(log: Log) -> None:
    session, other, client_id = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    events = [event._replace(client_id=client_id) for event in a_log(session, 2)]
    log.append(session, events[:1])
    with pytest.raises(VersionTaken):
        log.append(session, events[1:])
    log.append(other, [a_log(other, 1)[0]._replace(client_id=client_id)])


STATEMENTS = {
    "update": "update events set body = body",
    "delete": "delete from events",
    "truncate": "truncate events",
}


@pytest.mark.parametrize("kind", STATEMENTS)
def test_events_stay_for_their_owner_too(log: Log, owner: psycopg.Connection, kind: str) -> None:
    session = uuid.uuid4()
    log.append(session, a_log(session, 1))
    for setting in ("origin", "replica"):
        owner.execute(f"set session_replication_role = {setting}")
        with pytest.raises(psycopg.Error) as refused:
            owner.execute(STATEMENTS[kind])
        assert refused.value.sqlstate == "BRAG2"
    owner.execute("set session_replication_role = origin")
    assert log.version(session) == 1


def test_newer_events_are_asked_for_over_sessions_at_once(log: Log) -> None:
    one, other, third = sorted((uuid.uuid4() for _ in range(3)), key=lambda session: session.bytes)
    for session in (one, other, third):
        log.append(session, a_log(session, 5))
    found = {session: [event.seq for event in events] for session, events in log.newer({one: 3, other: 5, third: 0})}
    assert found == {one: [4, 5], third: [1, 2, 3, 4, 5]}
    assert list(log.newer({})) == []


def test_all_sessions_are_gone_through_in_pages(log: Log) -> None:
    made = {uuid.uuid4() for _ in range(30)}
    for session in made:
        log.append(session, a_log(session, 2))
    found = list(log.all_sessions())
    assert made <= set(found)
    assert found == sorted(found, key=lambda session: session.bytes)


def test_a_statement_stands_for_any_number_of_events(log: Log, owner: psycopg.Connection) -> None:
    session = uuid.uuid4()
    events = a_log(session, 1_000, ids=True)
    sql, values = insertion(session, events)
    assert owner.execute(sql, values).rowcount == 1_000
    assert [event.seq for event in log.stream(session, after=990)] == list(range(991, 1_001))
    assert [event.seq for event in log.stream(session, after=0, until=501)] == list(range(1, 502))


def test_many_are_copied_in_all_or_none(log: Log) -> None:
    session = uuid.uuid4()
    events = a_log(session, 1_200, ids=True)
    log.append_many(session, events[:1_000])
    torn = [*events[1_000:1_100], events[1_150]]
    with pytest.raises(EventRefused):
        log.append_many(session, torn)
    assert log.version(session) == 1_000
    log.append_many(session, events[1_000:])
    assert list(log.stream(session)) == [event.stored() for event in events]
