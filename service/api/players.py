"""What players are called: names live beside the log, where they can be changed and erased (contract.md §2)."""

from __future__ import annotations

from flask import Response

from events.cleaning import is_player_id
from service.api import schemas
from service.api.answers import answer
from service.api.asks import Ask, asks
from service.api.problems import refuse
from service.api.resource import Resource

blueprint = Resource("players", __name__, url_prefix="/api/v1/sessions", description="What players are called.")


@blueprint.route("/<session_id>/players/<player>", methods=["PUT"])
@blueprint.response(200, schemas.Named)
@asks("name players", body=schemas.NewName)
def name(ask: Ask, player: str) -> Response:
    """Name a player, one about to join too."""
    _check(player)
    return answer({"player": player, "name": ask.parts.sessions.name(ask.session, player, ask.body["name"])})


@blueprint.route("/<session_id>/players/<player>/name", methods=["DELETE"])
@blueprint.response(204, description="Erased.")
@asks("name players")
def erase(ask: Ask, player: str) -> Response:
    """Erase a player's name; the id stays in the events."""
    _check(player)
    ask.parts.sessions.erase_name(ask.session, player)
    return Response(status=204)


def _check(player: str) -> None:
    if not is_player_id(player):
        raise refuse("event.invalid", "A player's id has 1 to 32 of A-Z a-z 0-9 _ -.", errors={"player": ["is no id"]})
