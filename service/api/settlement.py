"""Who owes whom, and whether it is right (contract.md §4, §5)."""

from __future__ import annotations

from flask import Response, request

from service.api import schemas
from service.api.answers import answer, unchanged
from service.api.asks import Ask, asks
from service.api.resource import Resource

blueprint = Resource("settlement", __name__, url_prefix="/api/v1/sessions", description="Settling and auditing.")


@blueprint.route("/<session_id>/settlement", methods=["GET"])
@blueprint.response(200, schemas.Settlement)
@asks("read the session")
def settlement(ask: Ask) -> Response:
    """Balances, and the fewest payments that settle them."""
    version, settled = ask.parts.sessions.settlement(ask.session, by=ask.by)
    return unchanged(request, str(version)) or answer(settled, tag=str(version))


@blueprint.route("/<session_id>/audit", methods=["GET"])
@blueprint.response(200, schemas.Audit)
@asks("read the session")
def audit(ask: Ask) -> Response:
    """Audit the session, from the events alone.

    The stored projections are held against a replay as well, so that this is never answered from a cache.
    """
    return answer(ask.parts.sessions.audit(ask.session, by=ask.by))
