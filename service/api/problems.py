"""Everything that is answered with an error: RFC 9457 problem documents (contract.md §7).

Views raise `Refused`; whatever else goes wrong (a path that is not there, a database that is away, a fault of our
own) is turned into the same form here, and never into a stack trace.
"""

from __future__ import annotations

from typing import Any, Final

import orjson
import structlog
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from events.refusals import STATUS, Refusal, Refused
from service.store.faults import Unavailable

log = structlog.get_logger(__name__)

PROBLEM_TYPE: Final = "application/problem+json"
RETRY_AFTER_SECONDS: Final = 2
"""When to ask again, where nothing more exact is known."""

# The short, constant summary of each code; `detail` says what it was this time.
TITLES: Final[dict[str, str]] = {
    "request.invalid": "The request cannot be read",
    "auth.missing": "A token is needed",
    "auth.wrong": "This token may not do that",
    "not_found": "There is nothing here",
    "method": "This cannot be done here",
    "too_large": "The request is too large",
    "media_type": "The body must be JSON",
    "too_many": "Too many requests",
    "unavailable": "The service cannot answer just now",
    "internal": "Something went wrong in the service",
    "event.unknown_type": "No such type of event",
    "event.not_this_game": "This game has no such event",
    "event.invalid": "The event is not well formed",
    "amount.not_exact": "An amount must be exact",
    "amount.not_positive": "An amount must be more than nothing",
    "amount.not_chip": "An amount must be whole chips",
    "id.reused": "The id was used before for something else",
    "version.conflict": "The session has moved on",
    "session.closed": "The session is closed",
    "player.unknown": "No such player in this session",
    "player.left": "The player has left",
    "event.not_now": "Not now",
    "player.not_in_hand": "The player is not in this hand",
    "turn.not_yours": "It is another player's turn",
    "deal.too_few": "Too few players to deal",
    "deal.too_many": "Too many players to deal",
    "deal.wrong_dealer": "It is another player's deal",
    "deal.shuffle": "The pack is shuffled, or not, by the rules",
    "ante.wrong": "The ante is another",
    "look.not_allowed": "Looking is not allowed",
    "check.not_allowed": "Checking is not allowed",
    "bet.not_blind": "Who has looked does not bet blind",
    "bet.stack": "More than the player holds",
    "bet.limit": "Past the table's limit for one hand",
    "bet.too_low": "The bet is too low",
    "bet.too_high": "The bet is too high",
    "bet.step": "The bet fits no step",
    "see.not_two": "Only one of two can see the other",
    "see.no_level": "There is no bet to see",
    "see.blind_rival": "A blind rival may not be seen",
    "see.amount": "Seeing costs another amount",
    "swap.same_card": "The card given is the card taken",
    "swap.not_held": "The card given lies elsewhere",
    "knock.too_early": "It is too early to knock",
    "knock.twice": "Somebody has knocked already",
    "reveal.count": "Another number of cards must be shown",
    "reveal.out_of_order": "Another player shows first",
    "cards.twice": "The card lies on the table already",
    "cards.impossible": "The card cannot be there",
    "settle.sum": "The awards do not make the pot",
    "award.wrong": "The rules pay it to somebody else",
    "cash.kitty": "More than was paid in",
    "count.sum": "The counts do not make what is held",
    "void.target": "This cannot be struck",
    "void.breaks": "What follows does not hold without it",
    "rule.sum": "The adjustments do not make zero",
    "close.pot_open": "There is still a pot on the table",
}

# What HTTP itself refuses, by status; any other 4xx is a request that cannot be read.
_CODE_OF_STATUS: Final[dict[int, str]] = {
    401: "auth.missing", 403: "auth.wrong", 404: "not_found", 405: "method", 413: "too_large",
    415: "media_type", 429: "too_many", 503: "unavailable",
}  # fmt: skip


def refuse(code: str, detail: str, **members: Any) -> Refused:
    """A refusal to be raised: `raise refuse("not_found", "…")`."""
    return Refused(Refusal(code, detail, **members))


def status_of(code: str) -> int:
    """The HTTP status of a code (contract.md §7)."""
    return 500 if code == "internal" else STATUS.get(code, 422)


def problem(refusal: Refusal, headers: dict[str, str] | None = None, status: int | None = None) -> Response:
    """The problem document of a refusal, as an answer."""
    status = status_of(refusal.code) if status is None else status
    document = {
        "type": f"/problems/{refusal.code}",
        "title": TITLES.get(refusal.code, refusal.code),
        "status": status,
        **refusal.as_dict(),
    }
    if getattr(g, "request_id", None):
        document["request_id"] = g.request_id
    g.problem_code = refusal.code
    answer = Response(orjson.dumps(document, default=str), status, content_type=PROBLEM_TYPE)
    if refusal.code == "auth.missing":
        answer.headers["WWW-Authenticate"] = 'Bearer realm="bragbook"'
    elif refusal.code == "auth.wrong":
        answer.headers["WWW-Authenticate"] = 'Bearer realm="bragbook", error="insufficient_scope"'
    elif refusal.code == "version.conflict" and isinstance(refusal.actual, int):
        answer.headers["ETag"] = f'"{refusal.actual}"'
    elif refusal.code in {"unavailable", "too_many"}:
        answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    for name, value in (headers or {}).items():
        answer.headers[name] = value
    return answer


def from_refused(error: Refused) -> Response:
    """What the rules, or our own checks, refuse. `retry_after` on the error says when to come back, in seconds."""
    retry_after = getattr(error, "retry_after", None)
    return problem(error.refusal, {"Retry-After": str(retry_after)} if retry_after is not None else None)


def from_http(error: HTTPException) -> Response | BaseResponse:
    """What Flask and Werkzeug refuse, with the headers that belong to it (Allow, WWW-Authenticate, Location)."""
    status = error.code or 500
    if status < 400:
        return error.get_response()
    headers = {k: v for k, v in error.get_headers() if k.lower() not in {"content-type", "content-length"}}
    if status >= 500 and status != 503:
        return problem(Refusal("internal", _INTERNAL_DETAIL), status=status)
    code = _CODE_OF_STATUS.get(status, "request.invalid")
    return problem(Refusal(code, _detail_of(code, error)), headers, status)


def _detail_of(code: str, error: HTTPException) -> str:
    if code == "not_found":
        return f"There is nothing at {request.path[:200]!r}. /api/v1/openapi.json lists what there is."
    if code == "method":
        return f"{request.method[:20]} cannot be done here; the Allow header lists what can."
    return error.description or error.name


_INTERNAL_DETAIL = "The fault is ours, nothing was stored, and it has been logged under this request's id."


def from_store(error: Unavailable) -> Response:
    """The store is away: 503, and when to ask again."""
    log.warning("store.away", detail=str(error))
    again = f"ask again in {error.retry_after_s} s."
    if request.method in {"GET", "HEAD"}:
        detail = f"{error} Please {again}"
    elif error.perhaps_done:
        detail = f"{error} Whether this was stored is not known; what has an id is stored once, so {again}"
    else:
        detail = f"{error} Nothing of this request was stored; {again}"
    return problem(Refusal("unavailable", detail), {"Retry-After": str(error.retry_after_s)})


def from_fault(error: Exception) -> Response:
    """A fault of our own: logged whole, answered without a word of it."""
    log.error("fault", exc_info=error)
    return problem(Refusal("internal", _INTERNAL_DETAIL))


def register(app: Flask) -> None:
    """Every way to fail answers with a problem."""
    app.register_error_handler(Refused, from_refused)
    app.register_error_handler(HTTPException, from_http)
    app.register_error_handler(Unavailable, from_store)
    app.register_error_handler(Exception, from_fault)
