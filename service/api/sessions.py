"""Sessions: opening one, listing them, and the state now or at any version (contract.md §2, §4)."""

from __future__ import annotations

from uuid import UUID

from flask import Response, request, url_for

from service.api import schemas
from service.api.answers import answer, unchanged
from service.api.asks import Ask, asks
from service.api.parsing import client_address
from service.api.resource import Resource

blueprint = Resource(
    "sessions", __name__, url_prefix="/api/v1/sessions", description="Opening a session, and its state."
)


@blueprint.route("", methods=["POST"])
@blueprint.response(201, schemas.Opened, description="Opened. The tokens are shown this once.")
@asks("open a session", body=schemas.component("Session"), body_says="Seats, unit and the rules that differ.")
def open_session(ask: Ask) -> Response:
    """Open a session.

    Players are in seat order, clockwise. While the service can be reached from its own machine only, this needs no
    token; else the club's.
    """
    ask.parts.limits.session_from(client_address(request))
    opened = ask.parts.sessions.open(ask.body, ask.who)
    ask.parts.evidence.keeper.told(UUID(opened.id))
    ask.parts.metrics.opened.labels(opened.state["game"]).inc()
    place = url_for("sessions.state", session_id=opened.id)
    return answer(
        {"id": opened.id, "version": 1, "tokens": opened.tokens, "state": opened.state},
        201,
        tag="1",
        headers={"Location": place},
    )


@blueprint.route("", methods=["GET"])
@blueprint.response(200, schemas.SessionList)
@asks("list sessions", query=schemas.SessionsQuery)
def list_sessions(ask: Ask) -> Response:
    """List the sessions that the token may see.

    The newest first: a club's token sees all of the club's, any other its own.
    """
    query = ask.query
    return answer(ask.parts.sessions.list(ask.by, query["limit"], query.get("after"), query.get("game")))


@blueprint.route("/<session_id>", methods=["GET"])
@blueprint.response(200, schemas.State)
@asks("read the session", query=schemas.StateQuery)
def state(ask: Ask) -> Response:
    """The state now, or as it was after an event.

    `legal` is everything that may be done now, for a client to draw as buttons.
    """
    tag, state = ask.parts.sessions.state(ask.session, ask.query.get("at"), by=ask.by)
    return unchanged(request, tag) or answer(state, tag=tag)
