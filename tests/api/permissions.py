"""Who may do what, of everything the service answers: two tables, and how to get each credential (contract.md §2).

`ENDPOINTS` is what a credential opens. `OPEN_TO_ALL` is what anybody gets, whoever they are: shells of pages, their
files, documents, and what machines ask that watch over the service. A route stands in one of the two, and a test fails
for one that does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from service.api import auth
from service.web.pages import ASSETS, SESSION_VIEWS
from tests.api.conftest import Caller, Table
from tests.factories import EventFactory, SessionFactory

RECORD, VIEW, SEAT, CLUB = auth.RECORD, auth.VIEW, auth.SEAT, auth.CLUB
EVERYONE: Final = (
    "none", "garbage", "unknown", "revoked", RECORD, VIEW, SEAT, CLUB, "another session's", "another club's",
)  # fmt: skip
NOBODY: Final = {"none", "garbage", "unknown", "revoked"}
READERS: Final = {RECORD, VIEW, SEAT}
NO_SUCH_SESSION: Final = "00000000-0000-7000-8000-000000000000"


class Endpoint(NamedTuple):
    """A way to ask, and the credentials that it answers. `S` in the path is the session's address."""

    method: str
    path: str
    may: set[str]
    body: Any = None


ENDPOINTS: Final = [
    # Refused without a club's token here: on this machine it needs none, see test_sessions.py.
    Endpoint("POST", "/api/v1/sessions", {CLUB, "another club's"}, SessionFactory()),
    Endpoint("GET", "/api/v1/sessions", {*READERS, CLUB, "another session's", "another club's"}),
    Endpoint("GET", "S", READERS),
    Endpoint("GET", "S?at=1", READERS),
    Endpoint("POST", "S/events", {RECORD}, EventFactory(type="fold", player="A")),
    Endpoint("POST", "S/events?dry_run=true", {RECORD}, EventFactory(type="deal", dealer="A")),
    Endpoint("POST", "S/events", {RECORD, SEAT}, EventFactory()),
    Endpoint("POST", "S/events", {RECORD, SEAT}, EventFactory(type="sign", player="A")),
    Endpoint(
        "POST", "S/events", {RECORD, SEAT}, EventFactory(type="dispute", player="A", of_hand=1, claim="It was mine")
    ),
    Endpoint("POST", "S/events", {RECORD}, EventFactory(type="sign", player="B")),
    Endpoint("POST", "S/events", {RECORD}, EventFactory(type="dispute", player="B", of_hand=1, claim="It was mine")),
    Endpoint("POST", "S/events", {RECORD}, [EventFactory(), EventFactory(type="sign", player="B")]),
    Endpoint("POST", "S/events", {RECORD}, EventFactory(type="close")),
    Endpoint("GET", "S/events", READERS),
    Endpoint("GET", "S/hands", READERS),
    Endpoint("GET", "S/hands/1", READERS),
    Endpoint("GET", "S/hands/1/audit", READERS),
    Endpoint("GET", "S/settlement", READERS),
    Endpoint("GET", "S/audit", READERS),
    Endpoint("GET", "S/export?format=csv", READERS),
    Endpoint("GET", "S/stream", READERS),
    Endpoint("GET", "S/head", READERS),
    Endpoint("POST", "S/tokens", {RECORD, CLUB}, {"kind": "view"}),
    Endpoint("GET", "S/tokens", {RECORD, CLUB}),
    Endpoint("DELETE", "S/tokens/SPARE", {RECORD, CLUB}),
    Endpoint("PUT", "S/players/A", {RECORD}, {"name": "Anna"}),
    Endpoint("DELETE", "S/players/A/name", {RECORD}),
    Endpoint("GET", "/api/v1/leaderboard", {CLUB, "another club's"}),
    Endpoint("GET", "/api/v1/export?format=csv&from=2001-01-01&to=2001-01-01", {CLUB, "another club's"}),
    Endpoint("GET", "/api/v1/people", {CLUB, "another club's"}),
    Endpoint("PATCH", "/api/v1/people/PERSON", {CLUB}, {"name": "Annie"}),
    Endpoint("GET", "/api/v1/people/PERSON/nights", {CLUB, "another club's"}),
    Endpoint("DELETE", "/api/v1/people/PERSON/name", {CLUB}),
]


class Open(NamedTuple):
    """What anybody gets. `ID` in the path is a session's id. grows: it counts, so that two answers differ."""

    path: str
    media_type: str
    grows: bool = False
    method: str = "GET"
    body: bytes = b""


HTML: Final = "text/html"
OPEN_TO_ALL: Final = [
    # Shells of pages: what is at the table comes through the API.
    Open("/", HTML),
    Open("/people", HTML),
    Open("/verify", HTML),
    Open("/s/ID", HTML),
    *(Open(f"/s/ID/{view}", HTML) for view in SESSION_VIEWS),
    # Their files.
    Open(f"/static/{ASSETS.version}/app/main.js", "text/javascript"),
    Open(f"/static/{ASSETS.version}/engine.json", "application/json"),
    Open("/static/an-older-one/style.css", "text/css"),
    Open("/sw.js", "text/javascript"),
    Open("/offline.json", "application/json"),
    Open("/app.webmanifest", "application/manifest+json"),
    Open("/qr", "image/svg+xml", method="POST", body=b"https://bragbook.example/s/1#view=2"),
    # Documents.
    Open("/rules", HTML),
    Open("/contract", HTML),
    Open("/problems", HTML),
    Open("/problems/bet.too_high", HTML),
    Open("/api/docs", HTML),
    Open("/api/docs/try.js", "text/javascript"),
    Open("/api/v1/openapi.json", "application/json"),
    # For machines that watch over the service.
    Open("/healthz", "application/json"),
    Open("/readyz", "application/json"),
    Open("/metrics", "text/plain", grows=True),
    # The log of all heads, for whoever holds one: hashes of what nobody can guess.
    Open("/api/v1/log", "application/json", grows=True),
    Open("/api/v1/log/checkpoint", "text/plain", grows=True),
    Open("/api/v1/log/consistency?first=1&second=1", "application/json", grows=True),
    Open("/api/v1/log/leaves", "application/json", grows=True),
]


def address(path: str, table: Table, club: Caller) -> str:
    """A path of `ENDPOINTS` at a table."""
    path = re.sub("^S", table.path, path)
    if "SPARE" in path:
        path = path.replace("SPARE", table.keeper.post(f"{table.path}/tokens", {"kind": "view"}).json["id"])
    if "PERSON" in path:
        path = path.replace("PERSON", club.get("/api/v1/people").json["people"][0]["id"])
    return path


def credentials(table: Table, anchor: Table, club: Caller, other_club: Caller) -> dict[str, Callable[[], Caller]]:
    """How to get each credential of `EVERYONE`, at a table beside another one."""

    def revoked() -> Caller:
        made = table.keeper.post(f"{table.path}/tokens", {"kind": "record"}).json
        assert table.keeper.ask("DELETE", f"{table.path}/tokens/{made['id']}").status_code == 204
        return Caller(club.client, made["token"])

    def unknown() -> Caller:
        """A token of the right form that differs in its last letters."""
        letters = table.keeper.token or ""
        return Caller(club.client, letters[:-4] + ("AAAA" if letters[-4:] != "AAAA" else "BBBB"))

    return {
        "none": lambda: table.anyone,
        "garbage": lambda: Caller(club.client, "garbage"),
        "unknown": unknown,
        "revoked": revoked,
        RECORD: lambda: table.keeper,
        VIEW: lambda: table.viewer,
        SEAT: lambda: table.seat("A"),
        CLUB: lambda: club,
        "another session's": lambda: anchor.keeper,
        "another club's": lambda: other_club,
    }
