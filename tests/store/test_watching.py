"""Watching: every event once, in order, from where one was, whoever recorded it."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

from events.refusals import Refused
from service.sessions import Sessions, Stored
from service.store.faults import Unavailable
from service.store.watch import RECENT, Watcher

BY = "record-test"
SOON_S = 60.0  # only what hangs takes so long, however busy the machine is


def notes(sessions: Sessions, session: UUID, count: int) -> None:
    for number in range(count):
        sessions.append(session, [{"type": "note", "text": f"{number}"}], BY, with_state=False)


def take(watcher: Watcher, count: int) -> list[int]:
    """The next so many events' numbers."""
    taken: list[int] = []
    give_up_at = time.monotonic() + SOON_S
    while len(taken) < count and time.monotonic() < give_up_at:
        event = next(watcher)
        if event is not None:
            taken.append(event.seq)
    return taken


@pytest.fixture
def watch(sessions: Sessions) -> Iterator[Any]:
    """Watches until the test is over."""
    watchers: list[Watcher] = []

    def watch_one(session: UUID, after: int = 0, **more: Any) -> Watcher:
        watchers.append(sessions.watch(session, after, **{"idle_seconds": 0.2, **more}))
        return watchers[-1]

    yield watch_one
    for watcher in watchers:
        watcher.close()


def test_a_nudge_ends_the_wait_of_whoever_hears_nothing_and_loses_them_nothing(
    sessions: Sessions, played: UUID, watch: Any
) -> None:
    watchers = [watch(played, after=13, idle_seconds=10 * SOON_S) for _ in range(2)]
    heard: list[Any] = []
    waiting = [threading.Thread(target=lambda one=one: heard.append(next(one)), daemon=True) for one in watchers]
    for thread in waiting:
        thread.start()
    sessions.watching.nudge()
    for thread in waiting:
        thread.join(SOON_S)
    assert heard == [None, None]
    notes(sessions, played, 1)
    assert [take(one, 1) for one in watchers] == [[14], [14]]


def test_what_was_there_and_then_what_comes(sessions: Sessions, played: UUID, watch: Any) -> None:
    watcher = watch(played, after=10)
    assert take(watcher, 3) == [11, 12, 13]
    assert next(watcher) is None
    notes(sessions, played, 2)
    assert take(watcher, 2) == [14, 15]


def test_events_are_those_that_are_stored(sessions: Sessions, played: UUID, watch: Any) -> None:
    watcher = watch(played)
    events = [next(watcher) for _ in range(13)]
    assert [event.line() for event in events if isinstance(event, Stored)] == list(sessions.stream(played))


def test_an_own_append_is_told_without_asking(
    sessions: Sessions, table: UUID, watch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions.watching, "_ask", lambda: False)
    watcher = watch(table, after=1, idle_seconds=10 * SOON_S)
    heard: list[Any] = []
    waiting = threading.Thread(target=lambda: heard.append(next(watcher)), daemon=True)
    waiting.start()
    notes(sessions, table, 1)
    waiting.join(SOON_S)
    assert [event.seq for event in heard] == [2]


def test_what_another_process_records_comes_by_asking(
    sessions: Sessions, elsewhere: Sessions, table: UUID, watch: Any
) -> None:
    watchers = [watch(table, after=1) for _ in range(3)]
    notes(elsewhere, table, 5)
    for watcher in watchers:
        assert take(watcher, 5) == [2, 3, 4, 5, 6]


def test_one_who_slept_gets_each_event_once(sessions: Sessions, elsewhere: Sessions, table: UUID, watch: Any) -> None:
    """More was recorded meanwhile than is kept for watchers, by two processes."""
    watcher = watch(table)
    for one in (sessions, elsewhere) * 3:
        notes(one, table, RECENT // 4)
    last = 1 + RECENT // 4 * 6
    assert take(watcher, last) == list(range(1, last + 1))
    assert next(watcher) is None


def test_sessions_do_not_mix(sessions: Sessions, elsewhere: Sessions, table: UUID, played: UUID, watch: Any) -> None:
    one, other = watch(table, after=1), watch(played, after=13)
    notes(sessions, played, 2)
    notes(elsewhere, table, 2)
    assert take(one, 2) == [2, 3]
    assert take(other, 2) == [14, 15]
    assert next(one) is None


def test_a_place_beyond_the_end_is_refused(sessions: Sessions, table: UUID, watch: Any) -> None:
    with pytest.raises(Refused, match="anew"):
        watch(table, after=2)
    notes(sessions, table, 1)
    assert next(watch(table, after=2)) is None


def test_a_revoked_token_ends_what_it_watches(sessions: Sessions, elsewhere: Sessions, table: UUID, watch: Any) -> None:
    holders = [sessions.credential(sessions.make_token(table, "view").token) for _ in range(3)]
    watchers = [watch(table, after=1, holder=holder, idle_seconds=SOON_S) for holder in holders]
    assert holders[0] is not None
    assert holders[1] is not None
    sessions.revoke_token(table, holders[0].id)
    assert list(watchers[0]) == []
    elsewhere.revoke_token(table, holders[1].id)
    assert list(watchers[1]) == []
    notes(sessions, table, 1)
    assert take(watchers[2], 1) == [2]


def test_stopping_ends_everybody(sessions: Sessions, table: UUID, watch: Any) -> None:
    watchers = [watch(table, after=1, idle_seconds=SOON_S) for _ in range(3)]
    assert sessions.figures()["watchers"] == 3
    sessions.close()
    assert [list(watcher) for watcher in watchers] == [[], [], []]
    assert list(watch(table)) == []


def test_who_has_left_is_forgotten(sessions: Sessions, table: UUID) -> None:
    with sessions.watch(table) as watcher:
        assert take(watcher, 1) == [1]
        assert sessions.figures()["watchers"] == 1
    assert sessions.figures()["watchers"] == 0
    assert list(watcher) == []


def test_a_database_that_was_away_costs_nobody_an_event(
    sessions: Sessions, elsewhere: Sessions, owner: psycopg.Connection, table: UUID, watch: Any
) -> None:
    watcher = watch(table, after=1)
    for _ in range(3):
        owner.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
        notes(elsewhere, table, 2)
    assert take(watcher, 6) == [2, 3, 4, 5, 6, 7]


def test_many_watchers_of_many_sessions_under_load(sessions: Sessions, elsewhere: Sessions, watch: Any) -> None:
    from tests.factories import SessionFactory

    tables = [UUID(sessions.open(SessionFactory()).id) for _ in range(6)]
    watchers = [(table, watch(table, after=1)) for table in tables for _ in range(5)]
    got: dict[int, list[int]] = {}

    def follow(number: int, watcher: Watcher) -> None:
        got[number] = take(watcher, 20)

    following = [threading.Thread(target=follow, args=(n, watcher)) for n, (_, watcher) in enumerate(watchers)]
    for thread in following:
        thread.start()
    recording = [
        threading.Thread(target=notes, args=(one, table, 10)) for table in tables for one in (sessions, elsewhere)
    ]
    for thread in recording:
        thread.start()
    for thread in recording + following:
        thread.join(60)
    assert all(got[number] == list(range(2, 22)) for number in range(len(watchers)))


def test_a_session_that_is_not_there_cannot_be_watched(sessions: Sessions) -> None:
    with pytest.raises(Exception, match="not_found"):
        sessions.watch(uuid.uuid4())
    assert sessions.figures()["watchers"] == 0


def test_a_watcher_says_that_nothing_came_while_the_database_is_away(
    sessions: Sessions, table: UUID, watch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = watch(table, after=0)

    def away(*_: Any) -> list[Stored]:
        raise Unavailable("away")

    with monkeypatch.context() as patch:
        patch.setattr(sessions.watching, "read", away)
        assert next(watcher) is None
    assert take(watcher, 1) == [1]
