"""The API's own description: OpenAPI 3.1 at `/api/v1/openapi.json`, and a page to try it at `/api/docs`."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import flask_smorest
import orjson
from flask import Blueprint, Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from service.api import event_schemas
from service.api.answers import unchanged
from service.api.problems import PROBLEM_TYPE, from_http, refuse
from service.api.schemas import Problem

_HTML: Final = "text/html; charset=utf-8"
_STATIC: Final = Path(__file__).parent / "static"
# What the page loads, and nothing else of the folder.
_FILES: Final = {
    "reading.css": "text/css; charset=utf-8",
    "try.js": "text/javascript; charset=utf-8",
    "swagger-ui/swagger-ui.css": "text/css; charset=utf-8",
    "swagger-ui/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
}
_ABOUT: Final = """
Records, replays, settles and audits nights of Brag.

The [contract](/contract) says what a client can rely on, the [rules](/rules) what the games are, and
[the problems](/problems) what can go wrong. Errors are `application/problem+json` with a `code`.
"""


@cache
def _file(name: str, packed: bool) -> bytes:
    """A file of the page, read and packed when it is first asked for."""
    return gzip.compress(_file(name, False), 6, mtime=0) if packed else (_STATIC / name).read_bytes()


class Api(flask_smorest.Api):  # type: ignore[misc]
    """flask-smorest, with every error a problem document, on the wire and in the description."""

    def handle_http_exception(self, error: HTTPException) -> Response | BaseResponse:
        """The answer to what Flask and Werkzeug refuse."""
        return from_http(error)

    def _register_responses(self) -> None:
        schema = self.ma_plugin.resolver.resolve_schema_dict(Problem)
        self.spec.components.response(
            self.DEFAULT_ERROR_RESPONSE_NAME,
            {
                "description": "A problem (RFC 9457); `code` is one of contract §7.",
                "content": {PROBLEM_TYPE: {"schema": schema}},
            },
        )

    @cached_property
    def document(self) -> bytes:
        """The description as JSON. Nothing may be registered after it was asked for."""
        return orjson.dumps(self.spec.to_dict(), option=orjson.OPT_INDENT_2)

    @cached_property
    def digest(self) -> str:
        """Tells one description from another."""
        return hashlib.sha256(self.document).hexdigest()[:16]


def create(app: Flask, most_events: int) -> Api:
    """The description of `app`, with everything that comes from the engine's lists; resources are added to it.

    most_events: how many one request may have.
    """
    app.config.update(API_TITLE="Bragbook", API_VERSION="1", OPENAPI_VERSION="3.1.0", OPENAPI_URL_PREFIX=None)
    api = Api(app, spec_kwargs={"info": {"description": _ABOUT.strip()}, "servers": [{"url": "/"}]})
    events = event_schemas.event_schemas(most_events)
    for name, schema in {**events, **event_schemas.session_schemas()}.items():
        api.spec.components.schema(name, schema)
    api.spec.components.security_scheme(
        "bearer", {"type": "http", "scheme": "bearer", "description": "A token: record, view, seat or club."}
    )
    return api


def register(app: Flask, api: Api) -> None:
    """Serves the description and the page to try it."""
    blueprint = Blueprint("openapi", __name__, template_folder="templates")

    @blueprint.get("/api/v1/openapi.json")
    def description() -> Response:
        response = unchanged(request, api.digest) or Response(api.document, content_type="application/json")
        response.headers["ETag"] = f'"{api.digest}"'
        response.headers["Cache-Control"] = "public, no-cache"
        return response

    @blueprint.get("/api/docs")
    def try_it() -> Response:
        return Response(render_template("try.html", title="API", here="api/docs"), content_type=_HTML)

    @blueprint.get("/api/docs/<path:name>")
    def file(name: str) -> Response:
        if name not in _FILES:
            raise refuse("not_found", "There is no such file.")
        takes_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
        response = Response(_file(name, takes_gzip), content_type=_FILES[name])
        if takes_gzip:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        response.headers["Cache-Control"] = "public, max-age=3600"
        return response

    app.register_blueprint(blueprint)
