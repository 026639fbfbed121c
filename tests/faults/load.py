"""Clients that record whatever happens: each event has an id, and is sent again under it until it is acknowledged."""

from __future__ import annotations

import http.client
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

import orjson

from events.vocabulary import without_stamps
from tests.engine.nights import VARIANTS, Night
from tests.factories import SessionFactory
from tests.faults.served import Served, eventually

Event = dict[str, Any]
Table = dict[str, Any]
MOST_TRIES = 2_000
# For a service that is gone, or whose database is: tried again after a moment.
PAUSE_S = 0.03
ATTEMPT_S = 30.0


class Acknowledged(NamedTuple):
    """A request that was answered: the events as sent, and each as the service said that it is stored."""

    table: Table
    sent: list[Event]
    stored: list[Event]


class Writer(threading.Thread):
    """One client, in tables of its own or in one that others record in too.

    `acknowledged`: all that it was told is stored, in order. `tries`: how many requests that took. `last`: what kept
    the last of them from being answered.
    """

    def __init__(self, served: Served, seed: int, shared: Table | None = None) -> None:
        super().__init__(name=f"writer {seed}", daemon=True)
        self.served = served
        self.random = Random(seed)
        self.shared = shared
        self.tables: list[Table] = [shared] if shared else []
        self.acknowledged: list[Acknowledged] = []
        self.tries = 0
        self.last = ""
        self.fault: BaseException | None = None
        self._go = threading.Event()
        self._between = threading.Event()
        self._ended = threading.Event()

    # --- by whoever watches over it ---

    def go(self) -> None:
        """Record from now on."""
        self._between.clear()
        self._go.set()

    def pause(self) -> None:
        """Come to the end of the request under way, and of no other."""
        self._go.clear()

    def is_paused(self, seconds: float) -> bool:
        """Whether it has, after waiting for it for so long at most. Raises what went wrong."""
        paused = self._between.wait(seconds)
        if self.fault is not None:
            raise self.fault
        return paused

    def end(self) -> None:
        """Record no more."""
        self._ended.set()
        self._go.set()
        self.join(120)

    # --- the thread ---

    def run(self) -> None:
        try:
            for table, events in self._work():
                while not self._go.is_set():
                    self._between.set()
                    self._go.wait(0.1)
                if self._ended.is_set():
                    return
                self._between.clear()
                self.acknowledged.append(Acknowledged(table, events, self.surely(table, events)))
        except BaseException as fault:
            self.fault = fault
        finally:
            self._between.set()

    def _work(self) -> Iterator[tuple[Table, list[Event]]]:
        """What it records, request by request: nights of every game, or notes in the table that is shared."""
        while self.shared is not None:
            yield self.shared, [self._note() for _ in range(self.random.choice([1, 1, 1, 2, 5]))]
        while True:
            variant = self.random.choice(VARIANTS)
            night = Night(variant, self.random.randrange)
            night.buy_in()
            for _ in range(120):
                if night.session.closed:
                    break
                night.step()
            table = self._opened(variant.body)
            self.tables.append(table)
            recorded = night.session.events[1 : night.session.version]
            raws = [with_id(without_stamps(event), self.random) for event in recorded]
            at = 0
            while at < len(raws):
                some = self.random.choice([1, 1, 1, 1, 2, 4])
                yield table, raws[at : at + some]
                at += some

    def _note(self) -> Event:
        return with_id({"type": "note", "text": f"{self.name}: {self.random.random()}"}, self.random)

    def _opened(self, body: Event) -> Table:
        """A session; one that was opened and not heard of stays empty."""
        while True:
            answer = self._try("POST", "/api/v1/sessions", body, None)
            if answer is not None:
                return dict(orjson.loads(answer[1]))

    def surely(self, table: Table, events: list[Event]) -> list[Event]:
        """The events as stored, however often they have to be sent."""
        path, token = f"/api/v1/sessions/{table['id']}/events", table["tokens"]["record"]
        for _ in range(MOST_TRIES):
            answer = self._try("POST", path, events, token)
            if answer is not None:
                stored = orjson.loads(answer[1])["events"]
                assert len(stored) == len(events)
                return list(stored)
        raise AssertionError(f"not acknowledged after {MOST_TRIES} tries: {self.last}")

    def _try(self, method: str, path: str, body: Any, token: str | None) -> tuple[int, bytes] | None:
        """The answer, where one comes that says yes. None where it is to be asked again; no other answer is right."""
        self.tries += 1
        try:
            status, headers, answer = self.served.ask(method, path, body, token, ATTEMPT_S)
        except (OSError, http.client.HTTPException) as fault:
            self.last = repr(fault)
            time.sleep(PAUSE_S)
            return None
        if status == 503:
            assert int(headers["retry-after"]) >= 1
            assert orjson.loads(answer)["code"] == "unavailable"
            self.last = answer.decode()
            time.sleep(PAUSE_S)
            return None
        assert status in {200, 201}, (status, answer, body)
        return status, answer


@contextmanager
def four_recording(served: Served) -> Iterator[list[Writer]]:
    """Four clients, two of them in one table, from when all of them record until they are told to end."""
    shared = served.open(SessionFactory())
    writers = [Writer(served, 1), Writer(served, 2), Writer(served, 3, shared), Writer(served, 4, shared)]
    for writer in writers:
        writer.start()
        writer.go()
    try:
        eventually(lambda: all(len(writer.acknowledged) > 5 for writer in writers), "all of them record")
        yield writers
    finally:
        for writer in writers:
            writer.end()


def with_id(event: Event, random: Random) -> Event:
    """The event with a client's id."""
    return {**event, "id": str(uuid.UUID(int=random.getrandbits(128), version=4))}
