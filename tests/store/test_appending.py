"""Recording through the facade: contract.md §3, with one process and with several."""

from __future__ import annotations

import threading
import uuid
from itertools import pairwise
from typing import Any
from uuid import UUID

import orjson
import pytest

from events.audit import audit_session
from events.refusals import Refused
from service.sessions import Sessions
from tests.factories import EventFactory, SessionFactory, worked_example

Event = dict[str, Any]
BY = "record-test"


def note(text: str = "crisps", **more: Any) -> Event:
    return {"type": "note", "text": text, **more}


def refusal_of(refused: pytest.ExceptionInfo[Refused]) -> Any:
    return refused.value.refusal


def stored(sessions: Sessions, session: UUID) -> list[Event]:
    return sessions.whole(session)[0]


def test_a_session_opens_with_its_first_event(sessions: Sessions) -> None:
    opened = sessions.open(SessionFactory(title="Friday"))
    events = stored(sessions, UUID(opened.id))
    assert [event["type"] for event in events] == ["open"]
    assert (events[0]["seq"], events[0]["v"], events[0]["by"], events[0]["prev"]) == (1, 1, "loopback", "0" * 64)
    assert opened.state["players"]["A"]["name"] == "Ann"
    assert "Ann" not in orjson.dumps(events).decode()
    assert opened.state == sessions.state(opened.id)[1]
    assert UUID(opened.id).version == 7


def test_events_are_stamped_and_chained(sessions: Sessions, played: UUID) -> None:
    events = stored(sessions, played)
    assert [event["seq"] for event in events] == list(range(1, 14))
    assert {event["by"] for event in events[1:]} == {BY}
    assert {event["session"] for event in events} == {str(played)}
    assert all(event["hand"] == 1 for event in events[1:])
    assert all(later["prev"] == event["hash"] for event, later in pairwise(events))
    assert audit_session(events)["verdict"] == "sound"


def test_recorded_at_never_goes_back(sessions: Sessions, table: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock jumps back by an hour between two events."""
    from service.sessions import stamping

    sessions.append(table, [note()], BY)
    before = stored(sessions, table)[-1]["recorded_at"]

    class Earlier(stamping.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return super().now(tz).replace(year=2001)

    monkeypatch.setattr(stamping, "datetime", Earlier)
    sessions.append(table, [note()], BY)
    sessions.append(table, worked_example(), BY)
    assert {event["recorded_at"] for event in stored(sessions, table)[2:]} == {before}
    assert sessions.verify(table).faults == []
    assert sessions.audit(table)["verdict"] == "sound"


def test_a_request_is_stored_whole_or_not_at_all(sessions: Sessions, table: UUID) -> None:
    example = worked_example()
    before = sessions.state(table)
    with pytest.raises(Refused) as refused:
        sessions.append(table, [*example[:6], EventFactory(type="fold", player="A"), *example[6:]], BY)
    assert (refusal_of(refused).code, refusal_of(refused).event) == ("turn.not_yours", 6)
    assert sessions.state(table) == before
    assert sessions.append(table, example, BY).version == 13


def test_a_refused_event_changes_nothing(sessions: Sessions, table: UUID) -> None:
    sessions.append(table, worked_example()[:5], BY)
    before = sessions.state(table)
    for event in (
        {"type": "bet", "player": "A", "as": "seen", "amount": 2.0},
        {"type": "see", "player": "A"},
        {"type": "nonsense"},
        {"type": ["void"]},
        {"type": "void", "seqs": [99], "reason": "no"},
        "fold",
        None,
        [],
    ):
        with pytest.raises(Refused) as refused:
            sessions.append(table, [event], BY)
        assert refusal_of(refused).event == 0
    assert sessions.state(table) == before


# --- ids --------------------------------------------------------------------------------------------------------------


def test_an_event_sent_again_is_answered_as_first_stored(sessions: Sessions, table: UUID) -> None:
    event = note(id=str(uuid.uuid4()), at="2026-11-30T21:00:00+01:00")
    first = sessions.append(table, [event], BY)
    again = sessions.append(table, [{**event, "id": event["id"].upper()}], "another")
    assert (first.new, again.new) == (1, 0)
    assert again.lines == first.lines
    assert (again.version, again.types) == (2, [])
    assert sessions.version(table) == 2


def test_known_ids_come_before_every_other_check(sessions: Sessions, table: UUID) -> None:
    """The answer to the last action of a hand was lost; the retry comes when it is long no action any more."""
    example = [{**event, "id": str(uuid.uuid4())} for event in worked_example()]
    first = sessions.append(table, example, BY)
    again = sessions.append(table, [example[-1]], BY, if_match=[3])
    assert again.lines == [first.lines[-1]]
    everything = sessions.append(table, example, BY, if_match=[1])
    assert everything.lines == first.lines
    sessions.append(table, [{"type": "close"}], BY)
    assert sessions.append(table, example, BY).lines == first.lines


def test_known_and_new_ones_are_answered_in_the_order_of_the_request(sessions: Sessions, table: UUID) -> None:
    known = [note(f"known {number}", id=str(uuid.uuid4())) for number in range(3)]
    sessions.append(table, known, BY)
    new = [note("new 1"), note("new 2", id=str(uuid.uuid4()))]
    answer = sessions.append(table, [new[0], known[2], new[1], known[0], new[1]], BY)
    texts = [orjson.loads(line)["text"] for line in answer.lines]
    assert texts == ["new 1", "known 2", "new 2", "known 0", "new 2"]
    assert (answer.new, answer.types, answer.version) == (2, ["note", "note"], 6)


def test_an_id_with_other_content_is_refused(sessions: Sessions, table: UUID) -> None:
    event = note("as it was", id=str(uuid.uuid4()))
    sessions.append(table, [event], BY)
    others: list[Event] = [
        {**event, "text": "as it was not"},
        {**event, "at": "2026-11-30T21:00:00Z"},
        {"type": "deal", "dealer": "D", "id": event["id"]},
        {"type": "nonsense", "id": event["id"]},
    ]
    for other in others:
        for request in ([other], [note("new"), other], [other, note("new")]):
            with pytest.raises(Refused) as refused:
                sessions.append(table, request, BY, if_match=[1])
            assert refusal_of(refused).code == "id.reused"
            assert refusal_of(refused).event == request.index(other)
    assert sessions.version(table) == 2


def test_an_id_twice_in_one_request(sessions: Sessions, table: UUID) -> None:
    event = note("once", id=str(uuid.uuid4()))
    answer = sessions.append(table, [event, note("between"), event], BY)
    assert answer.new == 2
    assert answer.lines[0] == answer.lines[2]
    other = note("new", id=str(uuid.uuid4()))
    with pytest.raises(Refused) as refused:
        sessions.append(table, [other, {**other, "text": "other"}], BY)
    assert (refusal_of(refused).code, refusal_of(refused).event) == ("id.reused", 1)


def test_an_id_is_known_in_its_own_session_only(sessions: Sessions, table: UUID) -> None:
    event = note(id=str(uuid.uuid4()))
    other = sessions.open(SessionFactory()).id
    assert sessions.append(table, [event], BY).new == 1
    assert sessions.append(other, [event], BY).new == 1


# --- versions, dry runs --------------------------------------------------------------------------------------------


def test_a_version_that_is_not_so_is_refused_with_the_one_that_is(sessions: Sessions, table: UUID) -> None:
    sessions.append(table, [note(), note()], BY)
    for wrong in (1, 2, 4, 99, 0):
        with pytest.raises(Refused) as refused:
            sessions.append(table, [note()], BY, if_match=[wrong])
        assert (refusal_of(refused).code, refusal_of(refused).actual) == ("version.conflict", 3)
    assert sessions.append(table, [note()], BY, if_match=[3]).version == 4


def test_a_dry_run_answers_the_same_and_stores_nothing(sessions: Sessions, played: UUID) -> None:
    before = sessions.state(played)
    void = {"type": "void", "seqs": [13], "reason": "wrong cards"}
    dry = sessions.append(played, [void], BY, dry_run=True)
    assert sessions.state(played) == before
    assert dry.effects is not None
    assert dry.effects["balances"] == {"B": {"before": "9", "after": "-3"}}
    assert [hand["hand"] for hand in dry.effects["hands"]] == [1]
    wet = sessions.append(played, [void], BY)
    assert (wet.version, wet.state) == (dry.version, dry.state)
    strip = ("recorded_at", "hash")
    dried, stored_now = (orjson.loads(answer.lines[0]) for answer in (dry, wet))
    assert {name: dried[name] for name in dried if name not in strip} == {
        name: stored_now[name] for name in stored_now if name not in strip
    }
    with pytest.raises(Refused):
        sessions.append(played, [{"type": "fold", "player": "Z"}], BY, dry_run=True)


def test_a_session_that_is_not_there(sessions: Sessions) -> None:
    for session in (uuid.uuid4(), "nonsense", str(uuid.uuid4())):
        for ask in (
            lambda session: sessions.append(session, [note()], BY),
            sessions.state, sessions.hands, sessions.settlement, sessions.audit, sessions.events, sessions.version,
            sessions.whole, sessions.stream, sessions.watch, sessions.rebuild, sessions.club_of,
            lambda session: sessions.name(session, "A", "Ann"),
            lambda session: sessions.make_token(session, "view"),
        ):  # fmt: skip
            with pytest.raises(Refused) as refused:
                ask(session)  # type: ignore[operator]
            assert refusal_of(refused).code == "not_found"


# --- several processes ---------------------------------------------------------------------------------------------


def test_what_another_process_recorded_is_seen_at_once(sessions: Sessions, elsewhere: Sessions, table: UUID) -> None:
    example = worked_example()
    for number, event in enumerate(example):
        one, other = (sessions, elsewhere) if number % 2 else (elsewhere, sessions)
        assert one.append(table, [event], BY).version == number + 2
        assert other.state(table)[1]["version"] == number + 2
    assert sessions.settlement(table) == elsewhere.settlement(table)
    assert sessions.verify(table).faults == []


def test_a_refusal_is_given_only_after_a_look_for_what_is_newer(
    sessions: Sessions, elsewhere: Sessions, table: UUID
) -> None:
    sessions.append(table, worked_example()[:1], BY)
    elsewhere.append(table, worked_example()[1:5], BY)
    assert sessions.append(table, worked_example()[5:6], BY).version == 7  # a bet, refused while antes are awaited
    elsewhere.append(table, [note()], BY)
    assert sessions.append(table, [note()], BY, if_match=[8]).version == 9
    with pytest.raises(Refused) as refused:
        elsewhere.append(table, [note()], BY, if_match=[8])
    assert refusal_of(refused).actual == 9


def test_an_id_that_another_process_stored_is_known(sessions: Sessions, elsewhere: Sessions, table: UUID) -> None:
    sessions.append(table, [note()], BY)
    event = note("from the other phone", id=str(uuid.uuid4()))
    first = elsewhere.append(table, [event], BY)
    again = sessions.append(table, [event], BY)
    assert (again.new, again.lines) == (0, first.lines)
    with pytest.raises(Refused) as refused:
        sessions.append(table, [{**event, "text": "other"}], BY)
    assert refusal_of(refused).code == "id.reused"


def test_a_correction_of_what_is_long_past_reaches_the_other_process(
    sessions: Sessions, elsewhere: Sessions, table: UUID
) -> None:
    """One request strikes a hand and records it anew: only together do its events fit."""
    example = worked_example()
    sessions.append(table, example, BY)
    sessions.append(table, [{"type": "dispute", "of_hand": 1, "player": "C", "claim": "I paid two"}], BY)
    elsewhere.state(table)
    void = {"type": "void", "seqs": list(range(2, 14)), "reason": "C paid two"}
    anew = [{**event, "replaces": seq} for seq, event in enumerate(example, 2)]
    sessions.append(table, [void, *anew], BY)
    assert elsewhere.state(table) == sessions.state(table)
    assert elsewhere.append(table, [note()], BY).version == 28
    for one in (sessions, elsewhere):
        assert one.verify(table).faults == []


@pytest.mark.parametrize("named", [False, True], ids=["whatever the version", "at a version"])
def test_many_writers_on_one_session_make_one_history(
    sessions: Sessions, elsewhere: Sessions, table: UUID, named: bool
) -> None:
    """Eight writers in two processes; the same event is sent three times by each."""
    stored_by: dict[str, set[bytes]] = {}
    faults: list[BaseException] = []

    def write(one: Sessions, writer: int) -> None:
        try:
            for number in range(6):
                event = note(f"{writer}.{number}", id=str(uuid.uuid4()))
                for _ in range(3):
                    while True:
                        version = one.version(table) if named else None
                        try:
                            answer = one.append(table, [event], BY, if_match=[version] if version else None)
                        except Refused as refused:
                            if refused.refusal.code != "version.conflict":
                                raise
                        else:
                            break
                    stored_by.setdefault(event["text"], set()).add(answer.lines[0])
        except BaseException as fault:
            faults.append(fault)

    writers = [
        threading.Thread(target=write, args=(one, writer)) for writer, one in enumerate((sessions, elsewhere) * 4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert faults == []
    assert all(len(lines) == 1 for lines in stored_by.values())
    texts = [event["text"] for event in stored(sessions, table)[1:]]
    assert sorted(texts) == sorted(f"{writer}.{number}" for writer in range(8) for number in range(6))
    for writer in range(8):
        assert [text for text in texts if text.startswith(f"{writer}.")] == [f"{writer}.{n}" for n in range(6)]
    assert sessions.verify(table).faults == []


def test_the_state_at_any_version_is_what_it_was_then(sessions: Sessions, table: UUID) -> None:
    seen = {1: sessions.state(table)[1]}
    for event in [*worked_example(), {"type": "void", "seqs": [13, 12], "reason": "wrong cards"}]:
        answer = sessions.append(table, [event], BY)
        seen[answer.version] = answer.state
    for version, state in seen.items():
        assert sessions.state(table, at=version)[1] == state
    for at in (0, -1, 16, 10**9):
        with pytest.raises(Refused) as refused:
            sessions.state(table, at=at)
        assert refusal_of(refused).code == "not_found"


def test_pages_and_the_whole_stream(sessions: Sessions, played: UUID) -> None:
    lines = [event.line() for event in sessions.events(played)]
    assert list(sessions.stream(played)) == lines
    assert list(sessions.stream(played, after=10)) == lines[10:]
    assert list(sessions.stream(played, after=3, most=2)) == lines[3:5]
    assert list(sessions.stream(played, after=13)) == []
    assert [event.seq for event in sessions.events(played, after=4, limit=3)] == [5, 6, 7]


def test_memory_is_bounded_and_what_falls_out_is_read_again(sessions: Sessions) -> None:
    from service.sessions.live import Memory

    memory = Memory(sessions._log, most_sessions=3, most_events=60)
    opened = [UUID(sessions.open(SessionFactory()).id) for _ in range(6)]
    for session in opened:
        sessions.append(session, [note() for _ in range(20)], BY)
    for session in opened * 2:
        with memory.turn(session) as place:
            live = memory.current(place)
            assert live is not None
            assert live.version == 21
        figures = memory.figures()
        assert figures["sessions"] <= 3
        assert figures["events"] <= 60
    with memory.turn(uuid.uuid4()) as place:
        assert memory.current(place) is None
    assert memory.figures()["sessions"] <= 3
