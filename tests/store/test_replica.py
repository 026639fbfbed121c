"""Reading from a replica: what was acknowledged is always there, whatever the replica does."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from psycopg.conninfo import make_conninfo

from service import migrate
from service.app import close_app, create_app
from service.server_settings import ServerSettings
from service.sessions import Known, Sessions
from service.store.replica import Replica
from tests.api.conftest import ROOT, Caller, open_table
from tests.embedded.processes import PATIENCE_SECONDS
from tests.factories import SessionFactory, worked_example
from tests.replicated import Pair, replicated

NOTE = {"type": "note", "text": "crisps"}
OpenReplica = Callable[..., Replica]
# What a session can be asked for, by its token.
READS: dict[str, Callable[[Sessions, UUID, Known | None], Any]] = {
    "state": lambda sessions, session, by: sessions.state(session, by=by),
    "state at": lambda sessions, session, by: sessions.state(session, at=2, by=by),
    "hands": lambda sessions, session, by: sessions.hands(session, by=by),
    "hand": lambda sessions, session, by: sessions.hand(session, 1, by=by),
    "settlement": lambda sessions, session, by: sessions.settlement(session, by=by),
    "events": lambda sessions, session, by: sessions.events(session, 3, 5, by=by),
    "stream": lambda sessions, session, by: list(sessions.stream(session, by=by)),
    "some of a stream": lambda sessions, session, by: list(sessions.stream(session, 1, 4, by=by)),
    "whole": lambda sessions, session, by: sessions.whole(session, by=by),
    "version": lambda sessions, session, by: sessions.version(session, by=by),
}
# The same, where what is stored beside the events is held against them: that is asked of the primary.
AUDITS: dict[str, Callable[[Sessions, UUID, Known | None], Any]] = {
    "audit": lambda sessions, session, by: sessions.audit(session, by=by),
    "audit of a hand": lambda sessions, session, by: sessions.audit_hand(session, 1, by=by),
}


@pytest.fixture(scope="module")
def made() -> Iterator[Pair]:
    with replicated() as pair:
        migrate.apply(pair.primary.conninfo)
        yield pair


@pytest.fixture
def pair(made: Pair) -> Pair:
    """A primary and a replica that follows it, whatever the test before did to them."""
    if not made.replica.ask("select pg_is_in_recovery()")[0][0]:
        made.make_replica()
    made.catch_up()
    return made


@pytest.fixture
def open_replica(pair: Pair) -> Iterator[OpenReplica]:
    """Opens replicas that are closed after the test."""
    opened: list[Replica] = []

    def open_one(conninfo: str = pair.replica.conninfo, there: bool = True) -> Replica:
        replica = Replica(conninfo, largest=4)
        replica.open()
        opened.append(replica)
        assert not there or replica.wait(PATIENCE_SECONDS)
        return replica

    yield open_one
    for replica in opened:
        replica.close()


@pytest.fixture
def sessions(pair: Pair, open_store: Any) -> Iterator[Sessions]:
    """A process that records, and reads from the primary."""
    sessions = Sessions(open_store(pair.primary.conninfo))
    sessions.clubs.make_first()
    yield sessions
    sessions.close()


@pytest.fixture
def token(sessions: Sessions) -> str:
    """A token that reads a new table of four, at version 14 with the worked example."""
    opened = sessions.open(SessionFactory())
    sessions.append(opened.id, worked_example(), "r")
    return opened.tokens["view"]


def known(sessions: Sessions, token: str) -> Known:
    """Who the token speaks for, as it was just looked up."""
    found = sessions.credential(token)
    assert found is not None
    return found


def session_of(by: Known) -> UUID:
    assert by.session is not None
    return UUID(by.session)


def grown(before: dict[str, int], after: dict[str, int]) -> set[str]:
    """What became of the reads between."""
    return {answer for answer, count in after.items() if count > before[answer]}


def test_a_token_says_which_version_its_session_has(sessions: Sessions, token: str) -> None:
    by = known(sessions, token)
    assert by.version == sessions.version(session_of(by)) == len(worked_example()) + 1
    sessions.append(session_of(by), [NOTE], "r")
    assert known(sessions, token).version == by.version + 1
    club = sessions.credential(sessions.clubs.new_token().text)
    assert club is not None
    assert (club.session, club.version) == (None, 0)


def test_what_is_known_here_is_not_asked_for(pair: Pair, open_store: Any, sessions: Sessions, token: str) -> None:
    """One look, at the token, and no other."""
    store = open_store(pair.primary.conninfo)
    here = Sessions(store)
    by = known(here, token)
    session = session_of(by)
    expected = {name: READS[name](here, session, by) for name in ("state", "hands", "hand", "settlement", "version")}
    store.close()
    assert {name: READS[name](here, session, by) for name in expected} == expected
    assert here.events(session, by.version, by=by) == []
    # Not for who has no token of this session, or has heard of something newer.
    other = by._replace(session=str(UUID(int=1)))
    for someone in (None, other, by._replace(version=by.version + 1)):
        with pytest.raises(Exception, match="stopping"):
            here.hands(session, by=someone)


def test_the_replica_is_what_is_read(
    pair: Pair, open_store: Any, open_replica: OpenReplica, sessions: Sessions, token: str
) -> None:
    """With the primary gone, once the token was looked up there."""
    replica = open_replica()
    store = open_store(pair.primary.conninfo, wait_ms=100)
    store.wait(PATIENCE_SECONDS)  # for its first connection longer than anybody waits for one afterwards
    here = Sessions(store, replica)
    by = known(here, token)
    session = session_of(by)
    expected = {name: read(sessions, session, by) for name, read in READS.items()}
    audits = {name: read(sessions, session, None) for name, read in AUDITS.items()}
    pair.catch_up()
    before = replica.reads()
    assert {name: read(here, session, by) for name, read in AUDITS.items()} == audits
    assert here.night(session).session.state() == sessions.night(session).session.state()
    assert grown(before, replica.reads()) == {"whole"}
    pair.primary.stop(signal.SIGKILL)
    try:
        found = {name: read(here, session, by) for name, read in READS.items()}
    finally:
        pair.primary.start()
    assert found == expected
    assert grown(before, replica.reads()) == {"whole"}


def test_a_replica_that_is_behind(
    pair: Pair, open_store: Any, open_replica: OpenReplica, sessions: Sessions, token: str
) -> None:
    """Whatever was acknowledged is in every read that begins after it, by whichever process."""
    replica = open_replica()
    second = Sessions(open_store(pair.primary.conninfo), replica)
    session = session_of(known(sessions, token))
    second.state(session, by=known(second, token))
    pair.catch_up()
    pair.replica.ask("select pg_wal_replay_pause()")
    before = replica.reads()
    try:
        for number in range(3):
            recorded = sessions.append(session, [{**NOTE, "text": f"bag {number}"}], "r")
            cold = Sessions(open_store(pair.primary.conninfo), replica)
            for reader in (second, cold):
                by = known(reader, token)
                assert by.version == recorded.version
                for name, read in {**READS, **AUDITS}.items():
                    expected = read(sessions, session, None if name in AUDITS else by)
                    assert read(reader, session, by) == expected, name
                assert list(reader.stream(session, by=by))[-1] == recorded.lines[-1]
        assert grown(before, replica.reads()) == {"whole", "behind"}  # what is long past is there
        assert pair.replica.ask("select max(seq) from events where session = %s", (session,)) == [
            (recorded.version - 3,)
        ]
    finally:
        pair.replica.ask("select pg_wal_replay_resume()")
    pair.catch_up()
    before = replica.reads()
    assert len(second.events(session, by=known(second, token))) == recorded.version
    assert grown(before, replica.reads()) == {"whole"}


def test_a_replica_that_is_ahead_shows_no_more_than_was_asked_for(
    pair: Pair, open_store: Any, open_replica: OpenReplica, sessions: Sessions, token: str
) -> None:
    """So that nobody sees an event, and then at the primary not yet."""
    here = Sessions(open_store(pair.primary.conninfo), open_replica())
    by = known(here, token)
    session = session_of(by)
    sessions.append(session, [NOTE], "r")
    pair.catch_up()
    assert here.events(session, by=by)[-1].seq == by.version
    assert here.events(session, by=known(here, token))[-1].seq == by.version + 1


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_replica_that_ends_while_it_is_read(
    pair: Pair, open_store: Any, open_replica: OpenReplica, sessions: Sessions, token: str, ending: signal.Signals
) -> None:
    replica = open_replica()
    here = Sessions(open_store(pair.primary.conninfo), replica)
    session = session_of(known(sessions, token))
    faults: list[BaseException] = []
    rounds = [0, 0, 0]
    stopping = threading.Event()

    def read(number: int) -> None:
        try:
            while not stopping.is_set():
                version = sessions.version(session)
                by = known(here, token)
                assert version <= by.version == here.events(session, by=by)[-1].seq
                rounds[number] += 1
                time.sleep(0.005)
        except BaseException as fault:
            faults.append(fault)

    def further() -> None:
        until = [done + 10 for done in rounds]
        while not faults and any(done < wanted for done, wanted in zip(rounds, until, strict=True)):
            sessions.append(session, [NOTE], "r")
            time.sleep(0.01)

    readers = [threading.Thread(target=read, args=(number,)) for number in range(len(rounds))]
    for reader in readers:
        reader.start()
    try:
        further()
        before = replica.reads()
        pair.replica.stop(ending)
        further()
        assert "away" in grown(before, replica.reads())
        pair.replica.start()
        assert replica.wait(PATIENCE_SECONDS)
        pair.catch_up()
        before = replica.reads()
        further()
        assert "whole" in grown(before, replica.reads())
    finally:
        stopping.set()
        for reader in readers:
            reader.join()
        if pair.replica.ended:
            pair.replica.start()
    assert faults == []


def test_a_replica_that_stands_still(
    pair: Pair, open_store: Any, open_replica: OpenReplica, sessions: Sessions, token: str
) -> None:
    """Who is under way waits a moment; then nobody does, until it goes on."""
    replica = open_replica()
    here = Sessions(open_store(pair.primary.conninfo), replica)
    by = known(here, token)
    pair.catch_up()
    here.events(session_of(by), by=by)
    before = replica.reads()
    pair.replica.signal_all(signal.SIGSTOP)
    try:
        for _ in range(50):
            assert len(here.events(session_of(by), by=by)) == by.version
    finally:
        pair.replica.signal_all(signal.SIGCONT)
    assert replica.reads() == {**before, "away": before["away"] + 50}
    assert replica.wait(PATIENCE_SECONDS)
    before = replica.reads()
    assert len(here.events(session_of(by), by=by)) == by.version
    assert grown(before, replica.reads()) == {"whole"}


def test_a_replica_that_was_promoted(
    pair: Pair, open_store: Any, open_replica: OpenReplica, sessions: Sessions, token: str
) -> None:
    """It takes events of its own by then, which are not the primary's."""
    replica = open_replica()
    here = Sessions(open_store(pair.primary.conninfo), replica)
    session = session_of(known(sessions, token))
    pair.catch_up()
    pair.replica.ask("select pg_promote()")
    other = Sessions(open_store(pair.replica.conninfo))
    other.append(session, [{**NOTE, "text": "recorded at the other"}], "r")
    sessions.append(session, [{**NOTE, "text": "recorded here"}], "r")
    for _ in range(3):
        assert list(here.stream(session, by=known(here, token))) == list(sessions.stream(session))
    assert replica.reads() == {"whole": 0, "behind": 0, "away": replica.reads()["away"]}
    assert not replica.wait(1)


def test_what_is_no_replica_is_not_read(
    pair: Pair, open_store: Any, open_replica: OpenReplica, sessions: Sessions, token: str
) -> None:
    """Nothing there, the primary itself, a database with nothing in it."""
    by = known(sessions, token)
    session = session_of(by)
    for conninfo in ("host=/nowhere", pair.primary.conninfo, make_conninfo(pair.replica.conninfo, dbname="template1")):
        replica = open_replica(conninfo, there=False)
        here = Sessions(open_store(pair.primary.conninfo), replica)
        assert here.state(session, by=by) == sessions.state(session)
        assert not replica.wait(0.6)
        assert replica.reads() == {"whole": 0, "behind": 0, "away": 1}


def test_the_service_with_a_replica(pair: Pair, sessions: Sessions) -> None:
    """Two services; one records, the other is read: each 201 is in whatever is asked after it."""
    settings = ServerSettings(
        database_url=pair.primary.conninfo, database_read_url=pair.replica.conninfo, pool_size=4, log_level="error"
    )
    apps = [create_app(settings) for _ in range(2)]
    try:
        for app in apps:
            assert app.extensions["bragbook"].replica.wait(PATIENCE_SECONDS)
        recording, reading = [app.test_client() for app in apps]
        table = open_table(Caller(recording, sessions.clubs.new_token().text))
        reader = Caller(reading, table.viewer.token)
        pair.catch_up()
        pair.replica.ask("select pg_wal_replay_pause()")
        for event in worked_example():
            version = table.recorded(event)["version"]
            for what in ("", "/hands", "/settlement"):
                answer = reader.get(f"{ROOT}/{table.id}{what}")
                assert (answer.status_code, answer.headers["ETag"]) == (200, f'"{version}"')
            events = reader.get(f"{ROOT}/{table.id}/events").json["events"]
            assert [event["seq"] for event in events] == list(range(1, version + 1))
            lines = reader.get(f"{ROOT}/{table.id}/events", headers={"Accept": "application/x-ndjson"}).data
            assert lines.count(b"\n") == version
        for form in ("json", "bundle", "ndjson", "pdf"):
            assert reader.get(f"{ROOT}/{table.id}/export?format={form}").status_code == 200
        assert reader.get(f"{ROOT}/{table.id}/audit").json["verdict"] == "sound"
        assert reader.get(f"{ROOT}/{table.id}/head").json["version"] == version
        metrics = reading.get("/metrics").text
        assert 'bragbook_replica_reads_total{answer="behind"} 0.0' not in metrics
        assert 'bragbook_replica_reads_total{answer="away"} 0.0' in metrics
        assert "bragbook_replica_pool_size " in metrics
        assert "bragbook_pool_size " in metrics
        pair.replica.ask("select pg_wal_replay_resume()")
        pair.replica.stop(signal.SIGKILL)
        assert reading.get("/readyz").status_code == 200
        assert len(reader.get(f"{ROOT}/{table.id}/events").json["events"]) == version
    finally:
        for app in apps:
            close_app(app)
        if pair.replica.ended:
            pair.replica.start()
        pair.replica.ask("select pg_wal_replay_resume()")
