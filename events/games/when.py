"""Where rules.md says when each event may come, and what speaks against one: in the chapter of the game played."""

from __future__ import annotations

# Event type -> place in rules.md; where the games differ, game -> place.
PLACES: dict[str, str | dict[str, str]] = {
    "ante": {"community": "3.1", "three-card": "4.3"},
    "bet": {"community": "3.4", "three-card": "4.4"},
    "buy": "3.8",
    "cash": "3.8",
    "check": "3.4",
    "close": {"lives": "2.5", "community": "3.9", "three-card": "4.12"},
    "count": "5",
    "deal": "1",
    "discard": "3",
    "flip": "3.3",
    "fold": {"community": "3.2", "three-card": "4.5"},
    "join": "5",
    "keep": "4.9",
    "knock": "2.3",
    "leave": "5",
    "look": {"community": "3.4", "three-card": "4.6"},
    "misdeal": "5",
    "muck": {"community": "3.6", "three-card": "4.8"},
    "pay": "3.8",
    "retain": "4.7",
    "reveal": {"lives": "2.4", "community": "3.6", "three-card": "4.8"},
    "rule": "5",
    "see": {"community": "3.5", "three-card": "4.8"},
    "settle": "5",
    "swap": "2.2",
    "throw": "4.9",
}

# Refusal code -> game -> place in rules.md; only of codes that more than one game can give.
SAID: dict[str, dict[str, str]] = {
    "session.closed": {"lives": "2.5", "community": "3.9", "three-card": "4.1"},
    "player.not_in_hand": {"lives": "2.3", "community": "3.2", "three-card": "4.5"},
    "turn.not_yours": {"lives": "2.2", "community": "1", "three-card": "1"},
    "deal.too_many": {"lives": "2", "community": "3", "three-card": "4"},
    "deal.shuffle": {"lives": "1", "community": "1", "three-card": "4.2"},
    "ante.wrong": {"community": "3.1", "three-card": "4.3"},
    "look.not_allowed": {"community": "3", "three-card": "4.9"},
    "bet.not_blind": {"community": "3.4", "three-card": "4.6"},
    "bet.too_low": {"community": "3.4", "three-card": "4.4"},
    "bet.too_high": {"community": "3.4", "three-card": "4.4"},
    "bet.step": {"community": "3.4", "three-card": "4.4"},
    "see.not_two": {"community": "3.5", "three-card": "4.8"},
    "see.no_level": {"community": "3.5", "three-card": "4.8"},
    "see.blind_rival": {"community": "3.5", "three-card": "4.8"},
    "see.amount": {"community": "3.5", "three-card": "4.8"},
    "reveal.count": {"lives": "2.4", "community": "3.6", "three-card": "4.8"},
    "close.pot_open": {"lives": "6", "community": "6", "three-card": "4.12"},
}


def place_of(kind: str, game: str) -> str:
    """The rule of when an event of this type may come in this game: "rules.md §4.6"."""
    place = PLACES[kind]
    return "rules.md §" + (place if isinstance(place, str) else place[game])


def said_in(code: str, game: str) -> str:
    """The rule that speaks against an event with this code in this game: "rules.md §3.5"."""
    return "rules.md §" + SAID[code][game]
