"""A night to take away, in every format that there is (contract.md §6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from flask import Response
from marshmallow import fields, validate

from service.api import schemas
from service.api.asks import Ask, asks
from service.api.resource import Resource
from service.decoding import whole
from service.export import FORMATS, Format
from service.export.night import Night

blueprint = Resource("export", __name__, url_prefix="/api/v1/sessions", description="A night to take away.")

_ANYTHING: Final[dict[str, object]] = {}


class ExportQuery(schemas.Strict):
    format = fields.String(
        load_default="json",
        validate=validate.OneOf(tuple(FORMATS)),
        metadata={"description": "; ".join(f"`{name}`: {form.description}" for name, form in FORMATS.items())},
    )


@blueprint.route("/<session_id>/export", methods=["GET"])
@blueprint.response(200, _ANYTHING, content_type="*/*", description="The night, as a file.")
@asks("read the session", query=ExportQuery)
def export(ask: Ask) -> Response:
    """Take a session away as a file."""
    form, sessions = FORMATS[ask.query["format"]], ask.parts.sessions
    if form.name == "ndjson":
        return _file(form, _opening(ask), (line + b"\n" for line in sessions.stream(ask.session, by=ask.by)))
    events, names = sessions.whole(ask.session, by=ask.by)
    night = Night.of(str(ask.session), events, names)
    if form.name == "bundle":
        night = replace(night, evidence=ask.parts.evidence.members(ask.session, events))
    # Whole before the first byte is sent: what goes wrong on the way is a problem then, and not half a file.
    return _file(form, night, [b"".join(form.render(night))])


def _opening(ask: Ask) -> Night:
    """The night as it began, which is all that a file's name is made of: a log may be too long to hold."""
    first = ask.parts.sessions.events(ask.session, 0, 1, by=ask.by)
    return Night.of(str(ask.session), whole(first), {})


def _file(form: Format, night: Night, content: Iterable[bytes]) -> Response:
    response = Response(content, content_type=form.media_type)
    response.headers.set("Content-Disposition", "attachment", filename=form.file_name(night))
    return response
