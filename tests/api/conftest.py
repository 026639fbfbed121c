"""The application on a real Postgres, and a fixed cast of people who ask it for things.

At the Crown sit Ann, Bob, Cat and Dan, and somebody keeps the book. At the Anchor another table plays. Whoever is asked
about holds a token of some kind, or none, or one that is no good.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service import logs
from service.app import close_app, create_app
from service.server_settings import ServerSettings
from service.store.clubs import Clubs
from service.store.database import Database
from tests.factories import SessionFactory

ROOT = "/api/v1/sessions"
OTHER_CLUB = UUID("00000000-0000-7000-8000-000000000002")


@dataclass
class Caller:
    """Somebody who asks, with a token or without one."""

    client: FlaskClient
    token: str | None = None

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> TestResponse:
        headers = dict(more.pop("headers", {}))
        if self.token is not None:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        if body is not None:
            more["json"] = body
        return self.client.open(path, method=method, headers=headers, **more)

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.ask("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        return self.ask("POST", path, body, **more)


@dataclass
class Table:
    """An open session and who asks about it."""

    id: str
    keeper: Caller
    viewer: Caller
    anyone: Caller
    opened: dict[str, Any] = field(repr=False)

    @property
    def path(self) -> str:
        return f"{ROOT}/{self.id}"

    def record(self, *events: Any, **more: Any) -> TestResponse:
        """Records events, one by itself, several as one request."""
        return self.keeper.post(f"{self.path}/events", events[0] if len(events) == 1 else list(events), **more)

    def recorded(self, *events: Any) -> dict[str, Any]:
        """Records events that must be taken; the answer."""
        answer = self.record(*events)
        assert answer.status_code == 201, answer.text
        return dict(answer.json)

    def read(self, what: str = "") -> Any:
        """Reads a part of the session that must be there."""
        answer = self.viewer.get(self.path + what)
        assert answer.status_code == 200, answer.text
        return answer.json

    def seat(self, player: str) -> Caller:
        """Whoever holds this player's own token."""
        return self.with_token(kind="seat", player=player)

    def with_token(self, **body: Any) -> Caller:
        """Whoever holds a new token of this table."""
        answer = self.keeper.post(f"{self.path}/tokens", body)
        assert answer.status_code == 201, answer.text
        return Caller(self.anyone.client, answer.json["token"])


@pytest.fixture(scope="module")
def settings(database: str) -> ServerSettings:
    """The settings of the application: a file of tests may have its own."""
    return ServerSettings(database_url=database, pool_size=4, log_level="error")


@pytest.fixture(scope="module")
def app(settings: ServerSettings) -> Iterator[Flask]:
    """The application."""
    logs.configure(settings.log_level)
    app = create_app(settings)
    yield app
    close_app(app)


@pytest.fixture(scope="module")
def stranger(app: Flask) -> Caller:
    """Somebody on this machine with no token."""
    return Caller(app.test_client())


@pytest.fixture(scope="module")
def club(app: Flask, database: str) -> Caller:
    """Who runs the club, with its token."""
    with opened(database) as store:
        clubs = Clubs(store)
        token = clubs.make_first() or clubs.new_token()
    return Caller(app.test_client(), token.text)


@pytest.fixture(scope="module")
def other_club(app: Flask, database: str) -> Caller:
    """Who runs another club of the same instance."""
    with opened(database) as store:
        store.run([("insert into clubs (club, name) values (%s, 'The other club')", (OTHER_CLUB,))])
        token = Clubs(store).new_token(OTHER_CLUB)
    return Caller(app.test_client(), token.text)


@contextmanager
def opened(conninfo: str) -> Iterator[Database]:
    """The database, beside the application."""
    store = Database(conninfo, largest=1)
    store.open()
    try:
        yield store
    finally:
        store.close()


def open_table(club: Caller, **body: Any) -> Table:
    """A new session, opened by the club."""
    answer = club.post(ROOT, SessionFactory(**body))
    assert answer.status_code == 201, answer.text
    tokens = answer.json["tokens"]
    keeper, viewer = Caller(club.client, tokens["record"]), Caller(club.client, tokens["view"])
    return Table(answer.json["id"], keeper, viewer, Caller(club.client), dict(answer.json))


@pytest.fixture
def crown(club: Caller) -> Table:
    """Four at three-card Brag, nothing dealt yet."""
    return open_table(club)


@pytest.fixture
def anchor(club: Caller) -> Table:
    """Another table, at lives."""
    return open_table(club, title="Friday at the Anchor", lives=True)


def problem(answer: TestResponse, code: str) -> dict[str, Any]:
    """The problem document of an answer, which must be a whole one of this code."""
    assert answer.content_type == "application/problem+json", (answer.status_code, answer.text)
    document = dict(answer.json)
    assert document["code"] == code, document
    assert document["status"] == answer.status_code
    assert document["type"] == f"/problems/{code}"
    assert document["title"]
    assert document["detail"]
    assert "Traceback" not in answer.text
    return document
