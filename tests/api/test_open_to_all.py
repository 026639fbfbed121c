"""What anybody gets without a credential: the same whoever asks, and the same whatever is in the store.

That is how it is known that no page, file or document holds a name, a card, an amount or a token: not by looking for
some, but since each is to the byte what it was before there was a night.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.parts import EXTENSION, Parts
from tests.api.conftest import Caller, Table, open_table
from tests.api.permissions import EVERYONE, NO_SUCH_SESSION, OPEN_TO_ALL, Open, credentials
from tests.factories import EventFactory, worked_example

CALLED = {"A": "Zuleika", "B": "Wenceslas", "C": "Ottoline", "D": "Peregrine"}
TITLE = "Quincunx at the Crown"


def asked(caller: Caller, one: Open, session: str = NO_SUCH_SESSION) -> TestResponse:
    """The answer to a row of the table, asked from another machine."""
    headers = {"Host": "bragbook.example"}
    return caller.ask(one.method, one.path.replace("ID", session), data=one.body, headers=headers)


@pytest.fixture(scope="module")
def of_an_empty_store(app: Flask) -> dict[str, bytes]:
    """Every answer before there is a night, a person or a club's token."""
    stranger = Caller(app.test_client())
    return {one.path: asked(stranger, one).data for one in OPEN_TO_ALL}


@pytest.fixture(scope="module")
def night(of_an_empty_store: dict[str, bytes], app: Flask, club: Caller) -> Table:
    """A night with a hand played, one of it disputed, and words of its own."""
    table = open_table(club, title=TITLE, players=[{"id": player, "name": name} for player, name in CALLED.items()])
    table.recorded(*worked_example())
    table.recorded(EventFactory(type="dispute", player="C", of_hand=1, claim="Misdealt by the landlord"))
    parts: Parts = app.extensions[EXTENSION]
    parts.evidence.keeper.enter_now([UUID(table.id)])
    return table


@pytest.fixture(scope="module")
def who_asks(night: Table, club: Caller, other_club: Caller) -> dict[str, Callable[[], Caller]]:
    anchor = open_table(club, title="Friday at the Anchor", lives=True)
    return credentials(night, anchor, club, other_club)


@pytest.mark.parametrize("one", OPEN_TO_ALL, ids=lambda one: one.path)
def test_everybody_gets_what_an_empty_store_gives(
    one: Open,
    of_an_empty_store: dict[str, bytes],
    night: Table,
    who_asks: dict[str, Callable[[], Caller]],
    app: Flask,
) -> None:
    wanted = of_an_empty_store[one.path].replace(NO_SUCH_SESSION.encode(), night.id.encode())
    for who in EVERYONE:
        caller = who_asks[who]()
        answer = asked(caller, one, night.id)
        assert (answer.status_code, answer.mimetype) == (200, one.media_type), who
        assert "Set-Cookie" not in answer.headers
        if one.grows:
            holds_nothing_of(night, caller, answer)
        else:
            assert answer.data == wanted, who


def holds_nothing_of(night: Table, caller: Caller, answer: TestResponse) -> None:
    events = night.read("/events")["events"]
    tokens = [str(token) for token in (night.keeper.token, night.viewer.token, caller.token) if token]
    held = [
        night.id, TITLE, "Crown", "landlord", *CALLED.values(), *(event["by"] for event in events),
        *tokens, *(token.split("_", 2)[-1] for token in tokens), *(event["hash"] for event in events),
    ]  # fmt: skip
    text = answer.text
    assert [one for one in held if one in text] == []


def test_a_page_remembers_a_language_and_nothing_else(night: Table, app: Flask) -> None:
    anyone = Caller(app.test_client(use_cookies=False))
    switched = anyone.get(f"/s/{night.id}?lang=fr&token={night.keeper.token}").headers["Set-Cookie"]
    assert re.fullmatch(
        r"bragbook_language=fr; Expires=[^;]+; Max-Age=31536000; HttpOnly; Path=/; SameSite=Lax", switched
    )
    plain = anyone.get(f"/s/{night.id}").data
    for language in (night.keeper.token, "../../etc/passwd", "<script>"):
        answer = anyone.get(f"/s/{night.id}?lang={language}", headers={"Cookie": f"bragbook_language={language}"})
        assert "Set-Cookie" not in answer.headers
        assert answer.data == plain


@pytest.mark.parametrize("path", [one.path for one in OPEN_TO_ALL if "ID" in one.path])
def test_an_address_is_not_taken_for_markup(app: Flask, path: str) -> None:
    """What stands in the address of a night is all that its page has of the visitor."""
    for session in ('"><img src=x>', "<script>alert(1)", "<!--<script>", "'\"&amp;"):
        answer = Caller(app.test_client()).get(path.replace("ID", session))
        assert answer.status_code == 200
        assert session not in answer.text
        assert answer.text.count("<script") == 2
