"""Events: recording them, and reading the log (contract.md §3)."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from service.api import schemas
from service.api.answers import NDJSON_TYPE, answer, lines
from service.api.asks import Ask, asks
from service.api.auth import check_seat
from service.api.parsing import IF_MATCH
from service.api.problems import refuse
from service.api.resource import Resource

blueprint = Resource("events", __name__, url_prefix="/api/v1/sessions", description="Recording, and the log.")


@blueprint.route("/<session_id>/events", methods=["POST"])
@blueprint.response(201, schemas.Appended, description="Stored, all of it.")
@blueprint.alt_response(200, schema=schemas.Appended, description="Known already: as first stored.", success=True)
@asks(
    "record events",
    query=schemas.DryRunQuery,
    header=IF_MATCH,
    body=schemas.component("Events"),
    body_says="One event, or an array that is stored whole or not at all.",
)
def append(ask: Ask) -> Response:
    """Record events.

    An event with an `id` is stored once, however often it is sent. With `irregular`, a reason, what the table did is
    recorded although the rules forbid it.
    """
    raw_events = _as_list(ask.body, ask.parts.settings.batch_limit_events)
    check_seat(ask.by, raw_events)
    dry_run = ask.query["dry_run"] == "true"
    appended = ask.parts.sessions.append(ask.session, raw_events, by=ask.by, if_match=ask.header, dry_run=dry_run)
    result: dict[str, Any] = {"version": appended.version, "events": appended.lines, "state": appended.state}
    if dry_run:
        return answer({**result, "effects": appended.effects}, 201 if appended.new else 200)
    head = appended.head or ask.parts.sessions.events(ask.session, appended.version - 1, 1)[0]
    result["head"] = ask.parts.evidence.appended(ask.session, head)
    for event_type in appended.types:
        ask.parts.metrics.appended.labels(event_type).inc()
    return answer(result, 201 if appended.new else 200, tag=str(appended.version))


def _as_list(body: Any, limit: int) -> list[Any]:
    """The events of a request. Raises Refused."""
    if isinstance(body, dict):
        return [body]
    if not isinstance(body, list) or not body:
        raise refuse("request.invalid", "Send one event, or an array of at least one.")
    if len(body) > limit:
        detail = f"One request may have {limit} events; send the {len(body)} in parts."
        raise refuse("too_large", detail, expected=limit, actual=len(body))
    return body


@blueprint.route("/<session_id>/events", methods=["GET"])
@blueprint.response(200, schemas.EventsPage)
@blueprint.alt_response(
    200, schema={"type": "string"}, content_type=NDJSON_TYPE, description="The log, a line an event.", success=True
)
@asks("read the session", query=schemas.EventsQuery)
def read(ask: Ask) -> Response:
    """Read the log.

    A page at a time; with `Accept: application/x-ndjson` all of it, streamed.
    """
    after, limit = ask.query["after"], ask.query["limit"]
    if request.accept_mimetypes.best_match(["application/json", NDJSON_TYPE]) == NDJSON_TYPE:
        most = limit if "limit" in request.args else None
        return lines(line + b"\n" for line in ask.parts.sessions.stream(ask.session, after, most, by=ask.by))
    page = ask.parts.sessions.events(ask.session, after, limit + 1, by=ask.by)
    following = len(page) > limit
    events = page[:limit]
    return answer({"events": [event.line() for event in events], "next": events[-1].seq if following else None})
