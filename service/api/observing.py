"""What stands around every request: its id, its address's share, security headers, its line in the log, its figures."""

from __future__ import annotations

import re
import time
from typing import Final

import structlog
import uuid_utils
from flask import Flask, Response, g, request

from service.api.asks import UUID_FORM
from service.api.parsing import client_address
from service.api.problems import refuse
from service.parts import parts

log = structlog.get_logger(__name__)

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Asked for by machines that watch over the service: neither limited nor logged.
_UNCOUNTED: Final = frozenset({"/healthz", "/readyz", "/metrics"})

POLICY: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""For everything that is not a page: it loads nothing, and stands in nobody's frame."""
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""For pages of reading: nothing from elsewhere, nothing inline."""
HSTS: Final = "max-age=31536000"


def before() -> None:
    """Names the request, and counts it for the address that it comes from. Raises Refused (`too_many`)."""
    given = request.headers.get("X-Request-ID", "")
    g.request_id = given if _REQUEST_ID.fullmatch(given) else str(uuid_utils.uuid7())
    g.began = time.perf_counter()
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=g.request_id)
    if "\x00" in request.path:  # no address of ours has it, and no database takes it
        raise refuse("not_found", "There is nothing at an address with U+0000 in it.")
    if request.path not in _UNCOUNTED:
        parts().limits.request_from(client_address(request))
    if request.method not in _SAFE:
        _check_origin()


def _check_origin() -> None:
    """Raises Refused where a browser says that a page from elsewhere is writing.

    Tokens go in a header that no other page can set; what needs no token (opening a session on one's own machine) has
    only this between it and whatever page the same browser shows.
    """
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site in {"same-origin", "none"} or (site is None and origin is None):
        return
    if site is None and origin == f"{request.scheme}://{request.host}":
        return
    raise refuse("auth.wrong", "A page from elsewhere may not write here.", actual=(origin or site or "")[:200])


def after(response: Response) -> Response:
    """Adds the headers that every answer carries, where the view has not set its own; counts and logs."""
    _guard(response)
    request_id = getattr(g, "request_id", None)
    if request_id is not None:
        response.headers["X-Request-ID"] = request_id
    if request.path not in _UNCOUNTED:
        _note(response)
    return response


def _guard(response: Response) -> None:
    headers = response.headers
    is_page = response.mimetype == "text/html"
    headers.setdefault("Content-Security-Policy", PAGE_POLICY if is_page else POLICY)
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("X-Frame-Options", "DENY")
    headers.setdefault("Referrer-Policy", "no-referrer")
    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    if not is_page and "Cache-Control" not in headers:
        # A shared cache must not keep one table's answer for another's token; one's own may, asking each time.
        headers["Cache-Control"] = "private, no-cache" if "ETag" in headers else "no-store"
    if request.path.startswith("/api/v1/"):
        headers.add("Vary", "Authorization, Accept")
    settings = parts().settings
    if request.is_secure and (settings.tls or settings.hsts):
        headers.setdefault("Strict-Transport-Security", HSTS)


def _note(response: Response) -> None:
    # The rule, not the path: an address can hold what somebody typed.
    route = request.url_rule.rule if request.url_rule is not None else "none"
    method = request.method if request.method in _METHODS else "other"
    seconds = time.perf_counter() - getattr(g, "began", time.perf_counter())
    code = getattr(g, "problem_code", None)
    metrics = parts().metrics
    metrics.requests.labels(route, method, str(response.status_code)).inc()
    metrics.seconds.labels(route, method).observe(seconds)
    if code is not None:
        metrics.refusals.labels(code).inc()
    line = {"method": method, "route": route, "status": response.status_code, "milliseconds": round(seconds * 1000, 2)}
    session = (request.view_args or {}).get("session_id")
    if session is not None and UUID_FORM.fullmatch(session):
        line["session"] = session
    if code is not None:
        line["code"] = code
    if getattr(g, "by", None) is not None:
        line["by"] = g.by
    log.info("request", **line)


_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def register(app: Flask) -> None:
    """Puts these around every request of `app`."""
    app.before_request(before)
    app.after_request(after)
