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
from service.export import FORMATS
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
    form = FORMATS[ask.query["format"]]
    events, names = ask.parts.sessions.whole(ask.session)
    night = Night.of(str(ask.session), events, names)
    if form.name == "bundle":
        night = replace(night, evidence=ask.parts.evidence.members(ask.session, events))
    rendered: Iterable[bytes] = form.render(night)
    response = Response(rendered, content_type=form.media_type)
    response.headers.set("Content-Disposition", "attachment", filename=form.file_name(night))
    return response
