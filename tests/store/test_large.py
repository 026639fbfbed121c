"""A store with many nights: what is asked of many at once goes by keys, and nothing is too much for one statement."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from uuid import UUID

import psycopg
import pytest

from events.session import Session
from service.decoding import bodies
from service.sessions import Sessions
from service.store.clubs import FIRST_CLUB
from service.store.database import Database
from service.store.entries import Entries
from service.store.heads import Heads
from service.store.log import PAGE, Log, Stored
from service.store.seals import broken_seals
from tests.benchmarks.material import long_night, sealed
from tests.benchmarks.stores import fill
from tests.factories import SessionFactory, worked_example

EVENTS = 12_000


@pytest.fixture(scope="module")
def alone(database: str, direct: Callable[[str], str]) -> str:
    """The database with no pooler before it, whose connections end, and with that say what they did."""
    return direct(database)


@pytest.fixture(scope="module")
def nights(database: str) -> list[UUID]:
    """The sessions of a store in which they are many, in no order; what they come to is worked out."""
    found = fill(database, EVENTS)
    store = Database(database, largest=1)
    store.open()
    Sessions(store).rebuild_many(found)
    store.close()
    return found


@pytest.fixture
def read_through(alone: str) -> Iterator[Callable[[], int]]:
    """How often all events were read through by connections that are closed by now, since the test began."""
    with psycopg.connect(alone, autocommit=True, application_name="a test") as connection:

        def count() -> int:
            others = "select count(*) from pg_stat_activity where datname = current_database()"
            while connection.execute(others + " and application_name like 'bragbook%'").fetchall() != [(0,)]:
                time.sleep(0.01)  # each says what it did when it ends
            scans = "select seq_scan from pg_stat_user_tables where relname = 'events'"
            return int(connection.execute(scans).fetchall()[0][0])

        before = count()
        yield lambda: count() - before


LOOKS: dict[str, Callable[[Database, list[UUID]], object]] = {
    "heads that are not in the log yet": lambda store, nights: [len(page) for page in Heads(store).all_behind()],
    "the list of nights": lambda store, nights: Entries(store).of_club(FIRST_CLUB),
    "what is newer": lambda store, nights: list(Log(store).newer(dict.fromkeys(nights, 100))),
    "all ids": lambda store, nights: list(Log(store).all_sessions()),
    "a long log": lambda store, nights: list(Log(store).stream(nights[0])),
}


@pytest.mark.parametrize("analyzed", [True, False], ids=["analyzed", "never analyzed"])
@pytest.mark.parametrize("what", LOOKS)
def test_the_events_are_not_read_through(
    alone: str, nights: list[UUID], read_through: Callable[[], int], what: str, analyzed: bool
) -> None:
    with psycopg.connect(alone, autocommit=True) as connection:
        connection.execute("analyze")
        if not analyzed:
            connection.execute(
                "delete from pg_statistic where starelid in"
                " (select oid from pg_class where relnamespace = current_schema()::regnamespace)"
            )
    store = Database(alone, largest=1)
    store.open()
    try:
        for _ in range(7):  # from the sixth time on the plan may be one for any values
            assert LOOKS[what](store, nights)
    finally:
        store.close()
    assert read_through() == 0


def test_heads_that_are_behind_and_those_that_are_not(database: str, nights: list[UUID]) -> None:
    store = Database(database, largest=1)
    store.open()
    try:
        heads, versions = Heads(store), {session: Log(store).version(session) for session in Log(store).all_sessions()}
        assert versions.keys() >= set(nights)
        behind = [newest for page in heads.all_behind() for newest in page]
        assert {newest.session: newest.version for newest in behind} == versions
        assert [newest.session for newest in behind] == sorted(versions)
        assert heads.enter(behind[:3], lambda newest: str(newest.session), lambda size, root: "signed") is not None
        left = [newest for page in heads.all_behind() for newest in page]
        assert left == behind[3:]
        assert heads.behind([behind[0].session]) == []
        assert heads.behind([UUID(int=5)]) == []
    finally:
        store.close()


def test_hands_are_counted_of_the_nights_asked_for(sessions: Sessions, owner: psycopg.Connection) -> None:
    club = UUID(int=77)
    for night in ("2026-11-01", "2026-11-02"):
        session = UUID(sessions.open(SessionFactory()).id)
        sessions.append(session, worked_example(), "r", with_state=False)
        owner.execute("update sessions set club = %s, night = %s where session = %s", (club, night, session))
    both = sessions.leaderboard(str(club))
    last = sessions.leaderboard(str(club), None, "2026-11-02", "2026-11-02")
    assert {line["hands"] for line in both} == {1}
    assert {(line["hands"], line["last_night"]) for line in last} == {(1, "2026-11-02")}
    assert len(both) == 2 * len(last)
    assert sessions.leaderboard(str(club), "lives") == []


@pytest.mark.parametrize("page", [1, 2, 3, 1_000])
def test_every_broken_seal_is_found_a_page_at_a_time(
    store: Database, sessions: Sessions, owner: psycopg.Connection, page: int
) -> None:
    players = {"players": [{"id": "A", "name": "Anna"}, {"id": "B", "name": "Bob"}, {"id": "C", "name": "Cy"}]}
    made = sorted(UUID(sessions.open({**SessionFactory(), **players}).id) for _ in range(4))
    before = set(broken_seals(store, page))
    owner.execute("update names set name = 'X' where session = %s and player = 'C'", (made[0],))
    owner.execute("update tokens set kind = 'record' where session = %s and kind = 'view'", (made[3],))
    owner.execute("insert into names (session, player, name) values (%s, 'Z', 'Z')", (made[1],))
    owner.execute("insert into seals values ('ffffffff-ffff-ffff-ffff-ffffffffffff', 'name', 'A', 'x')")
    found = set(broken_seals(store, page)) - before
    owner.execute("delete from seals where session = 'ffffffff-ffff-ffff-ffff-ffffffffffff'")
    assert {(one.owner, one.kind, one.key) for one in found if one.kind == "name"} == {
        (made[0], "name", "C"), (made[1], "name", "Z"), (UUID(int=2**128 - 1), "name", "A"),
    }  # fmt: skip
    assert [one.owner for one in found if one.kind == "token"] == [made[3]]


@pytest.mark.parametrize("count", [0, 1, PAGE, PAGE + 1, 3 * PAGE - 1])
def test_events_are_decoded_however_many_they_are(count: int) -> None:
    events = list(long_night(3 * PAGE).events)[:count]
    stored: list[Stored] = [row.stored() for row in sealed(UUID(int=1), events)]
    read = bodies(iter(stored))
    assert [event["seq"] for event in read] == list(range(1, count + 1))
    if read:
        assert Session.replay(read).version == count
