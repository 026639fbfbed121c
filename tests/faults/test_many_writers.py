"""Many writers in one session, on several processes: the history is one that a single writer could have made.

Each request is held against the log with the times at which it was sent and answered: what was taken is there once and
in its place, and what was refused would have been refused at a moment between the two.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson
import pytest

from events.cards import NAMES
from events.log import chain_fault
from events.refusals import Refused
from events.session import Session
from tests.cli.terminal import bragbook
from tests.factories import SessionFactory
from tests.faults.load import Event, Table, with_id
from tests.faults.served import Served, log_file

PROCESSES = 2


class Asked(NamedTuple):
    """A request and its answer; `sent_at`, `answered_at` by the monotonic clock."""

    events: list[Event]
    if_match: int | None
    sent_at: float
    answered_at: float
    status: int
    answer: dict[str, Any]


class Player(threading.Thread):
    """Plays on from the state as it last saw it, which others may have changed, on one process or another."""

    def __init__(self, services: list[Served], table: Table, seed: int, requests: int) -> None:
        super().__init__(daemon=True)
        self.services, self.table, self.requests = services, table, requests
        self.random = Random(seed)
        self.asked: list[Asked] = []
        self.state: dict[str, Any] = table["state"]

    def run(self) -> None:
        for _ in range(self.requests):
            events = self.events()
            if_match = self.state["version"] if self.random.random() < 0.4 else None
            self.ask(events, if_match)
            if self.random.random() < 0.15:  # the answer was lost on the way
                self.ask(events, if_match)

    def ask(self, events: list[Event], if_match: int | None) -> None:
        service = self.random.choice(self.services)
        headers = {} if if_match is None else {"If-Match": f'"{if_match}"'}
        sent_at = time.monotonic()
        status, _, body = service.record(self.table, *events, **headers)
        answer = orjson.loads(body)
        self.asked.append(Asked(events, if_match, sent_at, time.monotonic(), status, answer))
        if "state" in answer:
            self.state = answer["state"]
        elif self.random.random() < 0.7:
            path = f"/api/v1/sessions/{self.table['id']}"
            self.state = orjson.loads(service.ask("GET", path, None, self.table["tokens"]["view"])[2])

    def events(self) -> list[Event]:
        """The next move as it seems from here; now and then notes, or several things at once."""
        some = [self.move() if self.random.random() < 0.8 else {"type": "note", "text": "crisps"}]
        while self.random.random() < 0.2:
            some.append({"type": "note", "text": "more"})
        return [with_id(event, self.random) for event in some]

    def move(self) -> Event:
        legal = self.state["legal"]
        if not legal:
            return {"type": "note", "text": "over"}
        entry = self.random.choice(legal)
        move = {name: entry[name] for name in ("type", "player", "as", "amount", "dealer", "all_in") if name in entry}
        if move["type"] == "bet" and "amount" not in move:
            move["amount"] = entry["call"] or entry["min"]
        if move["type"] == "reveal":
            move["cards"] = self.random.sample(NAMES, 3)
        return move


@pytest.fixture(scope="module")
def services(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    """Several processes on one database, as behind a balancer."""
    folder: Path = tmp_path_factory.mktemp("services")
    running: list[Served] = []
    try:
        for number in range(PROCESSES):
            log = log_file(folder, f"{number}.log")
            running.append(Served(folder / "data", log, database, log_level="error").start())
        yield running
    finally:
        for service in running:
            service.stop()


@pytest.mark.parametrize(("seed", "players", "requests"), [
    (7, 8, 25),
    pytest.param(8, 24, 150, marks=pytest.mark.soak),
])  # fmt: skip
def test_the_history_is_one_that_a_single_writer_could_have_made(
    services: list[Served], database: str, seed: int, players: int, requests: int
) -> None:
    table = services[0].open(SessionFactory(seats=3, rules={"pots": 0}))
    playing = [Player(services, table, seed * 1000 + number, requests) for number in range(players)]
    for player in playing:
        player.start()
    for player in playing:
        player.join()
    asked = sorted((one for player in playing for one in player.asked), key=lambda one: one.sent_at)
    assert len(asked) >= players * requests, "a player has not come to the end"
    logs = [service.lines(table) for service in services]
    assert all(log == logs[0] for log in logs)
    log = [orjson.loads(line) for line in logs[0]]
    check_history(log, asked)
    statuses = {one.status for one in asked}
    assert statuses == {200, 201, 412, 422}, f"seed {seed}: not everything happened, only {statuses}"
    ran = bragbook("verify", table["id"], DATABASE_URL=database)
    assert ran.code == 0, ran.out


def check_history(log: list[Event], asked: list[Asked]) -> None:
    """Holds every answer against the log. Raises AssertionError, or Refused where the log breaks the rules."""
    assert chain_fault(log) is None
    at = states(log)
    place = {event["id"]: event["seq"] for event in log[1:]}
    assert len(place) == len(log) - 1, "an event is there twice"
    taken: set[str] = set()
    for one in asked:
        least, most = between(one, asked, len(log))
        if one.status in {200, 201}:
            check_taken(one, log, place, least)
            taken |= {event["id"] for event in one.events}
        elif one.status == 412:
            assert one.if_match is not None
            assert one.answer["code"] == "version.conflict"
            assert least <= one.answer["actual"] <= most
            assert one.answer["actual"] != one.if_match
        else:
            assert one.status == 422, one
            first, last = (least, most) if one.if_match is None else (one.if_match, one.if_match)
            assert least <= last
            found = {refused(at[version], one.events) for version in range(first, last + 1)}
            assert (one.answer["code"], one.answer["event"]) in found, (one, found)
    assert taken == set(place), "an event is there that was not acknowledged"


def check_taken(one: Asked, log: list[Event], place: dict[str, int], least: int) -> None:
    seqs = [place[event["id"]] for event in one.events]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), "a request is not whole"
    assert one.answer["events"] == [log[seq - 1] for seq in seqs]
    assert one.answer["version"] >= seqs[-1]
    if one.status == 201:
        assert seqs[0] > least, "it lies before what was acknowledged before it was sent"
        assert one.if_match is None or seqs[0] == one.if_match + 1
    else:
        assert one.answer["version"] >= least


def between(one: Asked, asked: list[Asked], end: int) -> tuple[int, int]:
    """The versions that the session can have had while the request was under way, by what others were told."""
    least, most = 1, end
    for other in asked:
        if other.status != 201:
            continue
        if other.answered_at < one.sent_at:
            least = max(least, other.answer["events"][-1]["seq"])
        elif other.sent_at > one.answered_at:
            most = min(most, other.answer["events"][0]["seq"] - 1)
    return least, most


def states(log: list[Event]) -> list[Session]:
    """The session at each version; what is at 0 is never asked for. Raises Refused where the log breaks the rules."""
    session = Session.read(log[:1])
    found = [session, session.fork()]
    for event in log[1:]:
        session.record({name: event[name] for name in event if name not in STAMPS})
        found.append(session.fork())
    assert Session.read(log).state() == session.state()
    return found


STAMPS = frozenset({"session", "seq", "v", "hand", "recorded_at", "by", "prev", "hash"})


def refused(session: Session, events: list[Event]) -> tuple[str, int] | None:
    """The code with which a request is refused at a version, and the index of the event at fault."""
    session = session.fork()
    for index, event in enumerate(events):
        try:
            session.record(event, events[index + 1 :])
        except Refused as fault:
            return fault.refusal.code, index
    return None
