"""Who sits at a table, in which order, and whether an event names anybody else (rules.md §1, §5)."""

from __future__ import annotations

from events.games.player import Player
from events.refusals import Refusal
from events.vocabulary import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Event type -> its fields that name players of the table; who joins need not be one yet.
_NAMING = {
    one.name: [field for field in one.fields if field.kind in ("player", "players", "balances", "awards")]
    for one in TYPES
}
# Who has left takes no part in these; they may still sign, dispute, be paid, be counted and come back.
_BY_THOSE_PRESENT = frozenset(
    (
        "leave",
        "buy",
        "cash",
        "deal",
        "ante",
        "look",
        "keep",
        "throw",
        "bet",
        "check",
        "fold",
        "see",
        "discard",
        "swap",
        "knock",
        "reveal",
        "muck",
        "retain",
    )
)


class Seats:
    """The players of a session, clockwise. Who has left keeps their place in the order.

    seats: ids in seat order. players: id -> the player over the whole session.
    """

    def __init__(self, players: list[str]) -> None:
        self.seats = list(players)
        self.players = {name: Player() for name in players}

    def from_left_of(self, name: str, of: list[str] | None = None) -> list[str]:
        """Seat order from a player's left, round to the player; only those in `of` where given."""
        at = self.seats.index(name) + 1
        order = self.seats[at:] + self.seats[:at]
        return order if of is None else [seat for seat in order if seat in of]

    def absent(self, event: dict[str, Any]) -> Refusal | None:
        """`player.unknown` where an event names somebody who has never sat here; `player.left` where it is for those
        present and names somebody who has gone home."""
        names: list[str] = []
        for field in _NAMING[event["type"]]:
            if field.name in event:
                names += [event[field.name]] if field.kind == "player" else event[field.name]
        for name in names:
            if name not in self.players:
                return Refusal("player.unknown", f"{name} does not sit at this table: let them join first", actual=name)
        if event["type"] in _BY_THOSE_PRESENT:
            for name in names:
                if self.players[name].left:
                    detail = f"{name} has gone home: let them join again first"
                    return Refusal("player.left", detail, "rules.md §5", actual=name)
        return None
