"""The three games, a file each, and what they share."""

from __future__ import annotations

from events.amounts import Unit
from events.games.community import Community
from events.games.lives import Lives
from events.games.table import Table
from events.games.three_card import ThreeCard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TABLES = {"lives": Lives, "community": Community, "three-card": ThreeCard}


def table_of(game: str, rules: dict[str, Any], unit: Unit, players: list[str]) -> Table:
    """A fresh table of `game` under complete house rules."""
    return _TABLES[game](rules, unit, players)
