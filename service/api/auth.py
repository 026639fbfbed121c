"""Who may do what: the one table (contract.md §2), and how a request is held against it."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from flask import Request

from events.refusals import Refused
from service.api.problems import refuse
from service.sessions import Known, Sessions

ANYONE: Final = "anyone"
RECORD: Final = "record"
VIEW: Final = "view"
SEAT: Final = "seat"
CLUB: Final = "club"

# What can be done -> the kinds of token that may do it. A token of a session does it in its own session only, a club's
# in the sessions of its club. `ANYONE` needs no token.
PERMISSIONS: Final[dict[str, frozenset[str]]] = {
    "open a session": frozenset({CLUB}),  # and anyone, while only this machine can reach the service
    "read the session": frozenset({RECORD, VIEW, SEAT}),
    "record events": frozenset({RECORD, SEAT}),  # a seat: SEAT_MAY, for its own player
    "name players": frozenset({RECORD}),
    "handle tokens": frozenset({RECORD, CLUB}),
    "list sessions": frozenset({RECORD, VIEW, SEAT, CLUB}),  # each sees its own
    "read the club": frozenset({CLUB}),
    ANYONE: frozenset({ANYONE}),
}
SEAT_MAY: Final = frozenset({"sign", "dispute", "note"})


def bearer(request: Request) -> str | None:
    """The token in `Authorization: Bearer`, or None. Raises Refused where the header has another form."""
    header = request.headers.get("Authorization")
    if header is None or not header.strip():
        return None
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > 200 or not token.isascii():
        raise missing("Send the token as: Authorization: Bearer TOKEN.")
    return token


def missing(detail: str = "Send a token of this session as: Authorization: Bearer TOKEN.") -> Refused:
    """No token, or one that nobody knows (401)."""
    return refuse("auth.missing", detail)


def unknown() -> Refused:
    """A token that nobody knows, or that was revoked (401)."""
    return missing("Nobody knows this token: it was mistyped, or revoked. Ask who keeps the book for another.")


def check(sessions: Sessions, credential: Known, permission: str, session: UUID | None) -> None:
    """Raises Refused (`auth.wrong`) unless the credential may do this, in this session where one is named.

    Raises Refused (`not_found`) where a club asks about a session that is not there: others learn nothing of that.
    """
    if credential.kind not in PERMISSIONS[permission]:
        allowed = sorted(PERMISSIONS[permission])
        raise refuse(
            "auth.wrong",
            f"A {credential.kind} token may not {permission}; this needs one of kind {' or '.join(allowed)}.",
            expected=allowed,
            actual=credential.kind,
        )
    if session is None:
        return
    if credential.kind == CLUB:
        if sessions.club_of(session) != credential.club:
            raise refuse("auth.wrong", "This session is another club's.")
    elif credential.session != str(session):
        raise refuse("auth.wrong", "This token is another session's. Use one of this session.")


def check_seat(credential: Known, raw_events: list[Any]) -> None:
    """Holds a seat token to what it may record: `sign`, `dispute` and `note`, for its own player. Raises Refused."""
    if credential.kind != SEAT:
        return
    for index, event in enumerate(raw_events):
        if not isinstance(event, dict):
            continue
        if event.get("type") not in SEAT_MAY:
            raise refuse(
                "auth.wrong",
                "A seat token records sign, dispute and note only; the rest is for who keeps the book.",
                expected=sorted(SEAT_MAY),
                event=index,
            )
        if event.get("player", credential.player) != credential.player:
            raise refuse(
                "auth.wrong",
                f"This token is {credential.player}'s, and speaks for nobody else.",
                expected=credential.player,
                event=index,
            )
