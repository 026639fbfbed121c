"""Watching: each stored event as a server-sent event, as it is stored (contract.md §4)."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Response

from service.api import auth
from service.api.asks import Ask, asks
from service.api.parsing import last_event_id
from service.api.resource import Resource
from service.parts import Parts

blueprint = Resource("stream", __name__, url_prefix="/api/v1/sessions", description="Watching.")

STREAM_TYPE = "text/event-stream"
_LAST_EVENT_ID = {
    "in": "header",
    "name": "Last-Event-ID",
    "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
    "description": "the seq of the last event received: the stream goes on after it",
}


@blueprint.route("/<session_id>/stream", methods=["GET"])
@blueprint.response(200, {"type": "string"}, content_type=STREAM_TYPE, description="Each event, its `id` the seq.")
@blueprint.doc(parameters=[_LAST_EVENT_ID])
@asks("read the session", header=last_event_id)
def stream(ask: Ask) -> Response:
    """Watch a session.

    Sends what there is after `Last-Event-ID`, then each event as it is stored, and a comment now and then.
    """
