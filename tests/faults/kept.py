"""A table whose log is known, through whatever happens to the database, and what the service must say meanwhile."""

from __future__ import annotations

import uuid
from typing import Any

import orjson

from tests.cli.terminal import bragbook
from tests.factories import EventFactory, SessionFactory
from tests.faults.served import Answer, Served


def note() -> dict[str, Any]:
    return EventFactory(type="note", text="crisps", id=str(uuid.uuid4()))


def is_clear(answer: Answer) -> None:
    """503 as it must be: a problem document that says when to come back."""
    status, headers, body = answer
    assert status == 503, (status, body)
    assert headers["content-type"] == "application/problem+json"
    assert int(headers["retry-after"]) >= 1
    problem = orjson.loads(body)
    assert (problem["code"], problem["status"]) == ("unavailable", 503)
    assert problem["detail"].endswith(".")


def is_alive_and_not_ready(served: Served) -> None:
    assert served.ask("GET", "/healthz", timeout_s=20)[0] == 200
    is_clear(served.ask("GET", "/readyz"))


class Kept:
    """A table whose log is known: what was acknowledged, in order, and what was sent and perhaps stored."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.table = served.open(SessionFactory())
        self.ids: list[str] = []
        self.unsure: list[dict[str, Any]] = []

    def records(self) -> None:
        """It records, an event that nobody has heard of first."""
        for event in [*self.unsure, note()]:
            status, _, body = self.served.record(self.table, event)
            assert status in {200, 201}, body
            self.ids.append(event["id"])
        self.unsure = []

    def is_refused(self) -> str:
        """Recording is refused clearly; what is said of it."""
        event = note()
        answer = self.served.record(self.table, event)
        is_clear(answer)
        self.unsure.append(event)
        return str(orjson.loads(answer[2])["detail"])

    def is_whole(self) -> None:
        """Every event is there once, in order; nothing else is."""
        log = [orjson.loads(line) for line in self.served.lines(self.table)]
        assert [event["id"] for event in log[1:]] == self.ids


def verified(conninfo: str) -> None:
    ran = bragbook("verify", DATABASE_URL=conninfo)
    assert ran.code == 0, ran.out + ran.err
