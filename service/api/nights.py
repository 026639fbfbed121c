"""Several nights of a club to take away in one file (contract.md §6)."""

from __future__ import annotations

from typing import Any, Final

from flask import Response
from marshmallow import fields, validate

from service.api import schemas
from service.api.asks import Ask, asks
from service.api.problems import refuse
from service.api.resource import Resource
from service.export import FORMATS
from service.export.span import Span, spooled

blueprint = Resource("nights", __name__, url_prefix="/api/v1", description="Several nights to take away.")

MOST_NIGHTS: Final = 366
"""So many are rendered for one request; `bragbook export` writes any number."""
MOST_SHEETS: Final = 62
"""The same for `pdf`: a sheet takes ten times as long as anything else."""
_ANYTHING: Final[dict[str, object]] = {}


class NightsQuery(schemas.Strict):
    format = fields.String(
        load_default="json",
        validate=validate.OneOf(tuple(FORMATS)),
        metadata={"description": "as for one night; a `bundle` is of one night and is refused here"},
    )
    first_night = fields.Date(data_key="from", metadata={"description": 'nights from this "night of" label on'})
    last_night = fields.Date(data_key="to", metadata={"description": 'nights up to this "night of" label'})


@blueprint.route("/export", methods=["GET"])
@blueprint.response(200, _ANYTHING, content_type="*/*", description="The nights, in one file.")
@asks("read the club", query=NightsQuery)
def export_nights(ask: Ask) -> Response:
    """Take the club's nights away as one file, from one to another.

    The same person over nights is one account of a ledger where the club's people say so.
    """
    form = FORMATS[ask.query["format"]]
    if form.render_span is None:
        raise _refused("format", f"a {form.name} is of one night: take each away by itself")
    first, last = _label(ask.query.get("first_night")), _label(ask.query.get("last_night"))
    if first and last and first > last:
        raise _refused("to", f"the nights go from {first} to {last}: the later one comes last")
    sessions = ask.parts.sessions
    asked = sessions.nights(ask.by.club, first or None, last or None)
    most = MOST_SHEETS if form.name == "pdf" else MOST_NIGHTS
    if len(asked) > most:
        raise _refused("to", f"there are {len(asked)} nights, and at most {most} in one file: ask for fewer")
    span = Span(first, last, (sessions.night(session) for session in asked))
    # Whole before the first byte is sent: what goes wrong on the way is a problem then, and not half a file.
    response = Response(spooled(form.render_span(span)), content_type=form.media_type)
    response.headers.set("Content-Disposition", "attachment", filename=form.file_name_of_span(span))
    return response


def _label(day: Any) -> str:
    return "" if day is None else str(day.isoformat())


def _refused(field: str, why: str) -> Exception:
    return refuse("request.invalid", f"{field}: {why}.", errors={field: [why]})
