"""What must hold after anything: every acknowledged event is there once, in order, and nothing that was not sent."""

from __future__ import annotations

from typing import Any

import orjson

from events.log import chain_fault
from events.session import Session
from events.vocabulary import without_stamps
from tests.faults.load import Acknowledged, Table, Writer
from tests.faults.served import Served, eventually

Event = dict[str, Any]


def check_all(served: Served, writers: list[Writer], again_from: list[int]) -> int:
    """Holds the logs against what the writers were told, and sends again what they sent, from a place on for each.

    Returns how many requests were sent again.
    """
    acknowledged = [one for writer in writers for one in writer.acknowledged]
    tables = {one.table["id"]: one.table for one in acknowledged}
    tables |= {table["id"]: table for writer in writers for table in writer.tables}
    for table in tables.values():
        own = [one for one in acknowledged if one.table["id"] == table["id"]]
        check_log(served.lines(table), own)
    for writer, place in zip(writers, again_from, strict=True):
        for one in writer.acknowledged[place:]:
            check_answered_alike(served, one)
    return sum(len(writer.acknowledged) - place for writer, place in zip(writers, again_from, strict=True))


def check_all_go_on(served: Served, writers: list[Writer]) -> None:
    """Once the service is ready again by itself, every writer records on, and what they were told is there."""
    eventually(lambda: served.ask("GET", "/readyz")[0] == 200, "it is ready again by itself")
    places = [len(writer.acknowledged) for writer in writers]
    eventually(
        lambda: all(len(one.acknowledged) > at + 5 for one, at in zip(writers, places, strict=True)),
        "all of them go on",
    )
    for writer in writers:
        writer.pause()
    assert all(writer.is_paused(60) for writer in writers)
    check_all(served, writers, [0] * len(writers))


def check_log(lines: list[bytes], acknowledged: list[Acknowledged]) -> None:
    """One session's log as read from the service, and all that its writers were told of it."""
    log = [orjson.loads(line) for line in lines]
    assert [event["seq"] for event in log] == list(range(1, len(log) + 1))
    assert chain_fault(log) is None
    ids = [event["id"] for event in log if "id" in event]
    assert len(ids) == len(set(ids)), "an event is there twice"
    told = [event for one in acknowledged for event in one.stored]
    for event in told:
        assert log[event["seq"] - 1] == event, "an acknowledged event is not as it was acknowledged"
    for one in acknowledged:
        assert [without_stamps(event) for event in one.stored] == one.sent
        # What was sent in one request lies together, in its order.
        assert [event["seq"] - one.stored[0]["seq"] for event in one.stored] == list(range(len(one.stored)))
    # Nothing is there that was not acknowledged: whoever sent it asked until they were told.
    assert set(ids) == {event["id"] for event in told}
    stamps = [event["recorded_at"] for event in log]
    assert stamps == sorted(stamps)
    Session.replay(log)


def check_answered_alike(served: Served, one: Acknowledged) -> None:
    """The same request gets the same answer, however often it is sent."""
    status, _, answer = served.record(one.table, *one.sent)
    assert status == 200, answer
    assert orjson.loads(answer)["events"] == one.stored


def table_of(opened: Table) -> Table:
    """What is kept of an opened session."""
    return {"id": opened["id"], "tokens": opened["tokens"]}
