"""Who sits at a table, in which order, and whether an event names anybody else (rules.md §1, §5)."""

from __future__ import annotations

from events.games.player import Player
from events.refusals import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
        self.players = {name: Player(name) for name in players}

    def from_left_of(self, name: str, of: list[str] | None = None) -> list[str]:
        """Seat order from a player's left, round to the player; only those in `of` where given."""
        at = self.seats.index(name) + 1
        order = self.seats[at:] + self.seats[:at]
        return order if of is None else [seat for seat in order if seat in of]

    def named(self, event: dict[str, Any]) -> list[str]:
        """The players that an event names and that must sit, or have sat, at the table."""
        kind = event["type"]
        names = [event[field] for field in ("player", "dealer", "before", "from", "to") if field in event]
        if kind == "join":
            names = names[1:] if "before" in event else []
        for field in ("players", "losers"):
            names = names + event.get(field, [])
        for field in ("awards", "adjust", "chips"):
            if isinstance(event.get(field), dict):
                names = names + sorted(event[field])
        return names

    def stranger(self, event: dict[str, Any]) -> Refusal | None:
        """`player.unknown` where an event names somebody who has never sat here."""
        for name in self.named(event):
            if name not in self.players:
                return Refusal("player.unknown", f"{name} does not sit at this table: let them join first", actual=name)
        return None

    def gone(self, event: dict[str, Any]) -> Refusal | None:
        """`player.left` where an event that is for those present names somebody who has gone home."""
        if event["type"] not in _BY_THOSE_PRESENT:
            return None
        for name in self.named(event):
            if self.players[name].left:
                return Refusal(
                    "player.left", f"{name} has gone home: let them join again first", "rules.md §5", actual=name
                )
        return None
