"""Opening a session: what a table agrees before its first deal (contract.md §2)."""

from __future__ import annotations

from events.cleaning import is_player_id
from events.house_rules import GAMES, agree, players_error, unit_of
from events.refusals import Refused, invalid
from events.texts import writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST_NAME = 80
LONGEST_TITLE = 200
_FIELDS = ("type", "game", "players", "rules", "unit", "title", "at", "id", "irregular")


def open_session(body: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The body of `POST /sessions` -> the `open` event (not yet stamped), and player id -> name.

    Raises Refused: `event.invalid` with the fields at fault in `errors`, or `amount.*` for a unit.
    """
    if not isinstance(body, dict):
        raise Refused(invalid({"session": ["is an object with a `game` and `players`"]}))
    errors: dict[str, list[str]] = {str(name): ["is not a field of a session"] for name in body if name not in _FIELDS}
    game = body.get("game")
    if game not in GAMES:
        errors["game"] = ["is one of " + ", ".join(GAMES)]
    title = body.get("title")
    if title is not None and not _is_text(title, LONGEST_TITLE):
        errors["title"] = [f"is a text of at most {LONGEST_TITLE} characters"]
    players, names = _players(body.get("players"), errors)
    if errors:
        raise Refused(invalid(errors))
    stored_unit, unit = unit_of(str(game), body.get("unit"))
    given = body.get("rules")
    rules = agree(str(game), {} if given is None else given, unit)
    fault = players_error(str(game), rules, len(players))
    if fault is not None:
        raise Refused(invalid({"players": [fault]}))
    event: dict[str, Any] = {"type": "open", "game": game, "rules": rules, "unit": stored_unit, "players": players}
    if title is not None:
        event["title"] = title
    return event, names


def _players(given: Any, errors: dict[str, list[str]]) -> tuple[list[str], dict[str, str]]:
    """Ids in seat order, and id -> name."""
    players: list[str] = []
    names: dict[str, str] = {}
    if not isinstance(given, list):
        errors["players"] = ["is a list, in seat order"]
        return players, names
    for at in range(len(given)):
        player = given[at]
        field = f"players.{at}"
        if isinstance(player, str):
            player = {"id": player}
        if not isinstance(player, dict) or any(name not in ("id", "name") for name in player):
            errors[field] = ["is an id, or an object with id and name"]
            continue
        identity = player.get("id")
        if not is_player_id(identity):
            errors[field] = ["id: 1 to 32 letters, digits, _ or -"]
        elif identity in names:
            errors[field] = [f"id: {identity} sits at the table already"]
        else:
            name = player.get("name", identity)
            if not _is_text(name, LONGEST_NAME):
                errors[field] = [f"name: a text of 1 to {LONGEST_NAME} characters"]
            players.append(str(identity))
            names[str(identity)] = str(name)
    return players, names


def _is_text(value: Any, longest: int) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= longest and bool(value.strip()) and writable(value)


def is_name(value: Any) -> bool:
    """Whether it may be a person's name: any text of 1 to 80 characters (contract.md §2) that can be written down."""
    return _is_text(value, LONGEST_NAME)
