"""Importing a night: to the byte where a store wrote it, once however often, and never half."""

from __future__ import annotations

import copy
import uuid
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import psycopg
import pytest

from events.log import seal
from events.refusals import Refused
from service.sessions import Sessions, importing
from service.sessions.checking import Checker
from tests.engine.case_runner import load_cases, stored
from tests.engine.case_runner import play as play_case
from tests.factories import SessionFactory, worked_example

Event = dict[str, Any]
NIGHTS = sorted((Path(__file__).parent.parent / "nights").glob("*.ndjson"))


def opening(**more: Any) -> Event:
    return {"type": "open", **SessionFactory(title=f"Night {uuid.uuid4()}"), **more}


def a_log(path: Path = NIGHTS[0], number: int = 0) -> list[Event]:
    """A night as another store wrote it."""
    session, _ = play_case(load_cases(path)[number])
    return sealed(stored(session), str(uuid.uuid4()))


def sealed(events: list[Event], session: str | None = None) -> list[Event]:
    """The events chained anew, after a change."""
    prev, made = "0" * 64, []
    for event in events:
        event = {**event, "prev": prev, "session": session or event["session"]}
        prev = seal(event)[1]
        made.append({**event, "hash": prev})
    return made


def refused_of(sessions: Sessions, events: list[Any], stored: bool) -> Any:
    with pytest.raises(Refused) as refused:
        sessions.import_events(copy.deepcopy(events), stored)
    return refused.value.refusal


@pytest.mark.parametrize("path", NIGHTS, ids=lambda path: path.stem)
def test_what_a_store_wrote_comes_back_to_the_byte(sessions: Sessions, path: Path) -> None:
    events = a_log(path)
    imported = sessions.import_events(events, stored=True, names={"A": "Ann"})
    assert (imported.added, imported.known) == (len(events), 0)
    assert sessions.whole(imported.session) == (events, {"A": "Ann"})
    assert sessions.verify(imported.session).faults == []
    token = sessions.credential(imported.tokens["record"])
    assert token is not None
    assert token.session == events[0]["session"]


def test_twice_and_shorter_add_nothing_and_longer_adds_the_rest(sessions: Sessions) -> None:
    events = a_log()
    half = len(events) // 2
    first = sessions.import_events(events[:half], stored=True)
    assert (first.added, first.known) == (half, 0)
    for part in (events[:half], events[: half // 2], events[:1]):
        again = sessions.import_events(part, stored=True)
        assert (again.session, again.added, again.known, again.tokens) == (first.session, 0, len(part), {})
    rest = sessions.import_events(events, stored=True)
    assert (rest.added, rest.known, rest.tokens) == (len(events) - half, half, {})
    assert sessions.whole(first.session)[0] == events
    assert sessions.verify(first.session).faults == []


def test_an_imported_night_goes_on(sessions: Sessions, elsewhere: Sessions) -> None:
    events = a_log()
    half = len(events) // 2
    session = sessions.import_events(events[:half], stored=True).session
    assert elsewhere.append(session, [{"type": "note", "text": "at home"}], "r").version == half + 1
    refusal = refused_of(sessions, events, stored=True)
    assert (refusal.code, refusal.actual) == ("version.conflict", half + 1)
    assert sessions.import_events(events[:half], stored=True).added == 0
    assert sessions.verify(session).faults == []


CHANGES = {
    "a field": lambda events: [*events[:4], {**events[4], "player": "Z"}, *events[5:]],
    "left out": lambda events: [*events[:4], *events[5:]],
    "out of order": lambda events: [*events[:4], events[5], events[4], *events[6:]],
    "no opening": lambda events: events[1:],
    "another hash": lambda events: [*events[:4], {**events[4], "hash": "0" * 64}, *events[5:]],
    "another session's": lambda events: [*events[:4], a_log()[4], *events[5:]],
    "not an object": lambda events: [*events[:4], "fold", *events[5:]],
    "nothing": lambda events: [],
    "illegal": lambda events: sealed([*events[:-1], {**events[-1], "type": "fold", "player": "A"}]),
    "another hand": lambda events: sealed([*events[:-1], {**events[-1], "hand": 99}]),
    "a newer form": lambda events: sealed([{**event, "v": 2} for event in events]),
    "no time": lambda events: sealed([{**event, "recorded_at": "yesterday"} for event in events]),
    "a local time": lambda events: sealed([{**event, "recorded_at": "2026-11-30T20:00+01:00"} for event in events]),
    "no session's id": lambda events: sealed(events, "case"),
    "not as it is stored": lambda events: sealed([{**event, "at": "2026-11-30T21:00:00+01:00"} for event in events]),
    "an unknown field": lambda events: sealed([*events[:-1], {**events[-1], "extra": 1}]),
    "by nobody": lambda events: sealed([{**event, "by": ""} for event in events]),
    "by an essay": lambda events: sealed([{**event, "by": "x" * 1_000} for event in events]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_no_store_wrote_is_refused_whole(sessions: Sessions, owner: psycopg.Connection, change: str) -> None:
    before = owner.execute("select count(*) from events").fetchall()
    refusal = refused_of(sessions, CHANGES[change](a_log()), stored=True)
    assert refusal.detail
    assert owner.execute("select count(*) from events").fetchall() == before


# --- events as a client sends them ------------------------------------------------------------------------------------


def test_a_clients_events_are_recorded_as_they_would_be(sessions: Sessions) -> None:
    events = [opening(at="2026-06-28T00:10:00+01:00"), *worked_example()]
    imported = sessions.import_events(copy.deepcopy(events), stored=False)
    assert (imported.added, imported.known, sorted(imported.tokens)) == (14 - 1, 0, ["record", "view"])
    kept = sessions.whole(imported.session)[0]
    assert kept[0]["at"] == "2026-06-27T23:10:00Z"
    assert {event["by"] for event in kept} == {"import"}
    known = sessions.credential(imported.tokens["view"])
    assert known is not None
    assert sessions.list(known)["sessions"][0]["night"] == "2026-06-27"
    assert sessions.state(imported.session)[1]["players"]["A"]["name"] == "Ann"
    assert sessions.audit(imported.session)["verdict"] == "sound"
    assert sessions.verify(imported.session).faults == []


def test_a_clients_night_twice_shorter_and_longer(sessions: Sessions) -> None:
    events = [opening(), *worked_example()]
    first = sessions.import_events(events[:9], stored=False)
    assert sessions.import_events(events[:9], stored=False).added == 0
    assert sessions.import_events(events[:5], stored=False).added == 0
    longer = sessions.import_events(events, stored=False)
    assert (longer.session, longer.added, longer.known) == (first.session, 4, 9)
    assert sessions.import_events(events, stored=False).known == 13
    assert sessions.verify(first.session).faults == []


def test_another_night_opened_in_the_same_words_is_another(sessions: Sessions) -> None:
    events = [opening(), *worked_example()]
    other = [*events[:7], {"type": "fold", "player": "B"}]
    one, two = (sessions.import_events(night, stored=False) for night in (events, other))
    assert one.session != two.session
    assert two.added == 8
    for night, imported in ((events, one), (other, two)):
        again = sessions.import_events(night, stored=False)
        assert (again.session, again.added) == (imported.session, 0)


def test_past_the_most_nights_opened_in_the_same_words_it_says_what_to_do(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MOST_ALIKE", 2)
    opened = opening()
    nights = [[opened, {"type": "note", "text": text}] for text in "abc"]
    assert [sessions.import_events(night, stored=False).added for night in nights[:2]] == [2, 2]
    refusal = refused_of(sessions, nights[2], stored=False)
    assert (refusal.code, refusal.expected) == ("request.invalid", 2)
    assert {"`title`,", "`at`."} <= set(refusal.detail.split())
    assert sessions.import_events(nights[1], stored=False).known == 2
    other_time = [{**opened, "at": "2026-06-28T21:00:00Z"}, *nights[2][1:]]
    other_title = [{**opened, "title": "Another"}, *nights[2][1:]]
    assert [sessions.import_events(night, stored=False).added for night in (other_time, other_title)] == [2, 2]


def test_ids_of_a_file_are_kept_and_a_repeated_event_comes_once(sessions: Sessions) -> None:
    example = [{**event, "id": str(uuid.uuid4())} for event in worked_example()]
    events = [opening(id=str(uuid.uuid4())), *example[:3], example[1], *example[3:]]
    imported = sessions.import_events(events, stored=False)
    assert imported.added == 13
    assert sessions.append(imported.session, [example[0]], "r").new == 0
    refusal = refused_of(sessions, [*events, {**example[0], "dealer": "A"}], stored=False)
    assert (refusal.code, refusal.event) == ("id.reused", len(events))


@pytest.mark.parametrize(
    ("events", "code", "index"),
    [
        ([], "event.invalid", None),
        (["open"], "event.invalid", None),
        ([{"type": "open", "game": "whist", "players": ["A", "B"]}], "event.invalid", None),
        ([opening(at="yesterday")], "event.invalid", None),
        ([opening(), *worked_example()[:3], {"type": "fold", "player": "Z"}], "player.unknown", 4),
        ([opening(), "fold"], "event.invalid", 1),
    ],
)
def test_what_cannot_be_recorded_is_named_by_its_place(
    sessions: Sessions, owner: psycopg.Connection, events: list[Any], code: str, index: int | None
) -> None:
    before = owner.execute("select count(*) from events").fetchall()
    refusal = refused_of(sessions, events, stored=False)
    assert (refusal.code, refusal.event) == (code, index)
    assert owner.execute("select count(*) from events").fetchall() == before


# --- what verifying finds ---------------------------------------------------------------------------------------------


@pytest.fixture
def tampering(database: str) -> Any:
    """Changes rows as a superuser would, past the triggers."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("alter table events disable trigger all")
        connection.execute("alter table events drop constraint events_hash_is_of_body")

        def tamper(statement: str, *values: Any) -> None:
            assert connection.execute(statement, values).rowcount > 0  # type: ignore[arg-type]

        try:
            yield tamper
        finally:
            for name in ("events_continue", "events_stay"):
                connection.execute(f"alter table events enable always trigger {name}")
            connection.execute(
                "alter table events add constraint events_hash_is_of_body check (hash = sha256(body)) not valid"
            )


SWAPPED = """
update events e set body = o.body, hash = o.hash from events o
where e.session = %s and e.seq = 5 and o.session = %s and o.seq = 5
"""
TAMPERINGS = {
    "update": "update events set body = convert_to(replace(convert_from(body, 'UTF8'), '\"4\"', '\"5\"'), 'UTF8')"
    " where session = %s and seq = 11",
    "update with its hash": "update events e set body = n.body, hash = sha256(n.body) from (select convert_to(replace("
    "convert_from(body, 'UTF8'), '\"4\"', '\"5\"'), 'UTF8') as body from events where session = %s and seq = 11) n"
    " where session = %s and seq = 11",
    "delete": "delete from events where session = %s and seq = 7",
    "delete the first": "delete from events where session = %s and seq = 1",
    "reorder": "update events set seq = case seq when 6 then 1007 else 1006 end where session = %s and seq in (6, 7)",
    "insert": "insert into events select session, 14, body, hash from events where session = %s and seq = 13",
}


@pytest.mark.parametrize("how", TAMPERINGS)
def test_what_a_superuser_does_to_the_log_is_found(sessions: Sessions, played: UUID, tampering: Any, how: str) -> None:
    statement = TAMPERINGS[how]
    assert sessions.verify(played).faults == []
    tampering(statement, *[played] * statement.count("%s"))
    found = sessions.verify(played)
    assert len(found.faults) == 1
    assert "event" in found.faults[0]
    assert sessions.audit(played)["verdict"] == "unsound"


def test_rows_of_two_sessions_changed_places(sessions: Sessions, played: UUID, table: UUID, tampering: Any) -> None:
    sessions.append(table, worked_example(), "record-test")
    tampering(SWAPPED, played, table)
    assert "not of this session" in sessions.verify(played).faults[0]
    assert sessions.verify(table).faults == []


def test_a_session_whose_events_are_all_gone_is_still_looked_for(
    sessions: Sessions, played: UUID, tampering: Any
) -> None:
    tampering("delete from events where session = %s", played)
    assert played in set(sessions.all_sessions())
    assert sessions.verify(played).faults == ["the list has this session, and the log has no event of it"]


def test_every_byte_of_an_event_counts(sessions: Sessions, played: UUID) -> None:
    from service.sessions.checking import _chain_faults

    rows = sessions.events(played)
    assert _chain_faults(played, rows) == []
    for at in range(len(rows[4].body)):
        flipped = bytearray(rows[4].body)
        flipped[at] ^= 1
        changed = [*rows[:4], rows[4]._replace(body=bytes(flipped)), *rows[5:]]
        assert _chain_faults(played, changed), at


def test_bytes_that_mean_the_same_are_not_the_same(sessions: Sessions, played: UUID) -> None:
    import hashlib

    from service.sessions.checking import _chain_faults

    rows = sessions.events(played)
    spaced = orjson.dumps(orjson.loads(rows[-1].body), option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)
    changed = [*rows[:-1], rows[-1]._replace(body=spaced, hash=hashlib.sha256(spaced).digest())]
    assert _chain_faults(played, changed) == ["event 13 is not what was stored: its hash does not fit what it says"]


def test_what_the_engine_cannot_replay_is_a_fault_and_no_crash(sessions: Sessions, store: Any) -> None:
    assert isinstance(sessions._checker, Checker)
    events = a_log()
    session = UUID(events[0]["session"])
    broken = sealed([*events[:3], {**events[3], "type": "nonsense"}, *events[4:]])
    rows = [(event["seq"], seal(event)[0], bytes.fromhex(event["hash"])) for event in broken]
    for seq, body, digest in rows:
        store.run(
            [("insert into events (session, seq, body, hash) values (%s, %s, %s, %s)", (session, seq, body, digest))]
        )
    assert sessions.verify(session).faults == ["the events cannot be replayed"]
    assert sessions.audit(session)["verdict"] == "unsound"
