"""The club: its people over their nights, and the leaderboard (contract.md §2, §4)."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from events.amounts import unit_for
from service.api import schemas
from service.api.answers import answer
from service.api.asks import Ask, asks
from service.api.problems import refuse
from service.api.resource import Resource
from service.sessions.opening import write_name

blueprint = Resource("club", __name__, url_prefix="/api/v1", description="People over nights.")


@blueprint.route("/leaderboard", methods=["GET"])
@blueprint.response(200, schemas.Leaderboard)
@asks("read the club", query=schemas.LeaderboardQuery)
def leaderboard(ask: Ask) -> Response:
    """What everyone has come to over the club's sessions.

    By game and by what was played for, the highest net first.
    """
    first, last = ask.query.get("first_night"), ask.query.get("last_night")
    if first and last and first > last:
        message = f"is {last}, before first_night, which is {first}: the later one comes last"
        raise refuse("request.invalid", f"last_night {message}.", errors={"last_night": [message]})
    lines = ask.parts.sessions.leaderboard(
        ask.by.club,
        ask.query.get("game"),
        first.isoformat() if first else None,
        last.isoformat() if last else None,
    )
    return answer({"leaderboard": lines})


@blueprint.route("/people", methods=["GET"])
@blueprint.response(200, schemas.PeopleList)
@asks("read the club")
def list_people(ask: Ask) -> Response:
    """List the club's people."""
    people = ask.parts.sessions.people_of(ask.by.club)
    return answer({"people": [{"id": one.id, "name": one.name, "same_as": one.same_as} for one in people]})


@blueprint.route("/people/<uuid:person>", methods=["PATCH"])
@blueprint.response(204, description="Changed.")
@asks("read the club", body=schemas.ChangedPerson)
def change_person(ask: Ask, person: UUID) -> Response:
    """Give a person another name, or say that they are the same as another.

    No night is touched: two that were joined are two again with `same_as` null.
    """
    people, club = ask.parts.sessions.people, UUID(ask.by.club)
    name = write_name(ask.body["name"]) if "name" in ask.body else None
    if person not in {one.id for one in people.of(club)}:
        raise _nobody()
    # What can be refused comes first: a request that is refused has changed nothing.
    if "same_as" in ask.body and not people.join(club, person, ask.body["same_as"]):
        message = "must be another person of the club, who is not the same as yet another; nor may others be this one"
        raise refuse("event.invalid", f"same_as: {message}.", errors={"same_as": [message]})
    if name is not None:
        people.rename(club, person, name)
    return Response(status=204)


@blueprint.route("/people/<uuid:person>/name", methods=["DELETE"])
@blueprint.response(204, description="Erased.")
@asks("read the club")
def erase_person(ask: Ask, person: UUID) -> Response:
    """Erase a person's name, here and in every night that they played, with all who turned out to be them."""
    if not ask.parts.sessions.people.erase(UUID(ask.by.club), person):
        raise _nobody()
    return Response(status=204)


@blueprint.route("/people/<uuid:person>/nights", methods=["GET"])
@blueprint.response(200, schemas.NightsPlayed)
@asks("read the club")
def nights_of(ask: Ask, person: UUID) -> Response:
    """The nights that a person played, the last first, with what they came to."""
    nights = []
    for session, night, game, player, net_chips, money_coins, unit in ask.parts.sessions.people.nights(
        UUID(ask.by.club), person
    ):
        arithmetic = unit_for(unit["chip"], unit["coin"])
        in_money = money_coins is not None
        net = arithmetic.coin_text(money_coins) if in_money else arithmetic.text(net_chips)
        about = {"session": session, "night": night, "game": game, "player": player, "unit": unit}
        nights.append({**about, "net": net, "in_money": in_money})
    return answer({"nights": nights})


def _nobody() -> Exception:
    return refuse("not_found", "The club has no person of this id.")
