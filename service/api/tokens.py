"""Tokens of a session: making, listing and revoking them (contract.md §2)."""

from __future__ import annotations

from flask import Response

from service.api import schemas
from service.api.answers import answer
from service.api.asks import Ask, asks
from service.api.problems import refuse
from service.api.resource import Resource

blueprint = Resource("tokens", __name__, url_prefix="/api/v1/sessions", description="Who may do what.")


@blueprint.route("/<session_id>/tokens", methods=["POST"])
@blueprint.response(201, schemas.TokenMade, description="Made. The token is shown this once.")
@asks("handle tokens", body=schemas.NewToken)
def make(ask: Ask) -> Response:
    """Make a token.

    A `seat` token names its player, who may already sit there or be about to.
    """
    kind, player = ask.body["kind"], ask.body.get("player")
    if (kind == "seat") != (player is not None):
        message = "is missing: a seat is somebody's." if kind == "seat" else "goes with a seat only."
        raise refuse("event.invalid", f"player: {message}", errors={"player": [message]})
    made = ask.parts.sessions.make_token(ask.session, kind, player, most=ask.parts.settings.tokens_per_session)
    return answer({"id": made.id, "token": made.token}, 201)


@blueprint.route("/<session_id>/tokens", methods=["GET"])
@blueprint.response(200, schemas.TokenList)
@asks("handle tokens")
def list_tokens(ask: Ask) -> Response:
    """List the tokens that are good, by id and kind."""
    return answer({"tokens": ask.parts.sessions.tokens(ask.session)})


@blueprint.route("/<session_id>/tokens/<token_id>", methods=["DELETE"])
@blueprint.response(204, description="Revoked, its open streams too.")
@asks("handle tokens")
def revoke(ask: Ask, token_id: str) -> Response:
    """Revoke a token, at once."""
    if not ask.parts.sessions.revoke_token(ask.session, token_id):
        raise refuse("not_found", "There is no good token of this id in this session.")
    return Response(status=204)
