"""The real cards of a random night: a pack that is shuffled when the rules say so, hands, and the centre.

What the log does not see (which card went for a face-down one, what a folded hand was, how a hand went under the pack)
is decided here, so that everything the log is told can be true.
"""

from __future__ import annotations

import copy
import random
from typing import Any

from events.cards import card_name

WHOLE_PACK = [card_name(card) for card in range(52)]


class Cards:
    """What lies where. `deal` and `told` change it; `add_to` puts the cards into an event that names some."""

    def __init__(self, rules: dict[str, Any], seed: int) -> None:
        self.rules = rules
        self.random = random.Random(seed)
        self.pack: list[str] = list(WHOLE_PACK)
        self.hands: dict[str, dict[str, list[str]]] = {}

    def copy(self) -> Cards:
        return copy.deepcopy(self)

    def shuffle(self, out: list[str]) -> None:
        """All but the cards that stay out; every other time with four ranks on top, so that equal hands and prials,
        which a fair shuffle brings once in a long night, come often."""
        self.pack = [card for card in WHOLE_PACK if card not in out]
        self.random.shuffle(self.pack)
        if self.random.random() < 0.5:
            ranks = self.random.sample("23456789TJQKA", 4)
            self.pack.sort(key=lambda card: card[0] not in ranks)

    def deal(self, order: list[str]) -> None:
        """A shuffled pack, three or four cards each, one at a time."""
        self.shuffle([])
        each = self.rules.get("private_cards", 3)
        self.hands = {name: {"new": self.pack[at :: len(order)][:each]} for at, name in enumerate(order)}
        self.pack = self.pack[each * len(order) :]

    def add_to(self, event: dict[str, Any]) -> dict[str, Any]:
        """The event with the cards that it names."""
        if event["type"] == "reveal":
            return {**event, "cards": self.shown(event["player"])}
        return event

    def shown(self, name: str) -> list[str]:
        """The three cards that a player shows, in any order."""
        hands = self.hands[name]
        cards = list(hands.get("new") or hands["old"])
        self.random.shuffle(cards)
        return cards[:3]

    def told(self, event: dict[str, Any], over: dict[str, Any] | None) -> None:
        """The event was recorded; `over` is the hand that it ended."""


class LivesCards(Cards):
    def deal(self, order: list[str]) -> None:
        super().deal(order)
        self.down, self.up = self.pack[:2], self.pack[2]

    def add_to(self, event: dict[str, Any]) -> dict[str, Any]:
        kind = event["type"]
        if kind == "deal":
            return {**event, "up": self.up}
        if kind == "swap" and event["take"] != "down":
            name = "give" if event["take"] == "up" else "leave"
            return {**event, name: self.random.choice(self.hands[event["player"]]["new"])}
        return super().add_to(event)

    def told(self, event: dict[str, Any], over: dict[str, Any] | None) -> None:
        if event["type"] != "swap":
            return
        hand = self.hands[event["player"]]["new"]
        if event["take"] == "up":
            hand.remove(event["give"])
            hand.append(self.up)
            self.up = event["give"]
        elif event["take"] == "down":
            taken = self.down.pop(self.random.randrange(2))
            self.down.append(hand.pop(self.random.randrange(3)))
            hand.append(taken)
        else:
            left = [card for card in hand if card != event["leave"]]
            self.hands[event["player"]]["new"] = [*self.down, self.up]
            self.down, self.up = left, event["leave"]


class CommunityCards(Cards):
    def add_to(self, event: dict[str, Any]) -> dict[str, Any]:
        return {**event, "card": self.pack[0]} if event["type"] == "flip" else super().add_to(event)

    def told(self, event: dict[str, Any], over: dict[str, Any] | None) -> None:
        if event["type"] == "flip":
            self.pack.remove(event["card"])
        elif event["type"] == "discard":
            hand = self.hands[event["player"]]["new"]
            hand.pop(self.random.randrange(4))


class ThreeCardCards(Cards):
    """rules.md §4: hands go under the pack as they die; it is shuffled for the first deal, after a misdeal and after a
    showdown won by a prial, and never else."""

    def __init__(self, rules: dict[str, Any], seed: int) -> None:
        super().__init__(rules, seed)
        self.to_shuffle = True
        self.kept: dict[str, list[str]] = {}
        self.looked_at: list[tuple[str, str]] = []
        self.last_in: str | None = None
        self.payer = ""

    def bury(self, name: str, *which: str) -> None:
        """Hands of a player go under the pack, each in no known order."""
        for one in which:
            cards = self.hands[name].pop(one, [])
            self.random.shuffle(cards)
            self.pack += cards

    def deal(self, order: list[str]) -> None:
        if self.last_in is not None:
            self.bury(self.last_in, "old", "new")
        for name in sorted(self.kept):
            if name not in order:
                self.pack += self.kept.pop(name)
        if self.to_shuffle:
            self.shuffle([card for name in self.kept for card in self.kept[name]])
        self.to_shuffle = False
        self.hands = {name: {"new": self.pack[at : 3 * len(order) : len(order)]} for at, name in enumerate(order)}
        for name in self.kept:
            self.hands[name]["old"] = self.kept[name]
        self.pack = self.pack[3 * len(order) :]
        self.kept, self.looked_at, self.last_in, self.payer = {}, [], None, ""

    def told(self, event: dict[str, Any], over: dict[str, Any] | None) -> None:
        kind, name = event["type"], event.get("player", "")
        if kind == "fold":
            self.bury(name, "old", "new")
        elif kind == "look" and "which" in event:
            if (name, "old") in self.looked_at or (name, "new") in self.looked_at:
                self.bury(name, event["which"])  # never both: the first has been kept
            else:
                self.looked_at.append((name, event["which"]))
        elif kind == "look" or (kind == "bet" and event["as"] == "seen"):
            self.looked_at += [(name, which) for which in self.hands[name]]
        elif kind in ("keep", "throw"):
            looked = "old" if (name, "old") in self.looked_at else "new"
            other = "new" if looked == "old" else "old"
            self.bury(name, other if kind == "keep" else looked)
        elif kind == "reveal":
            self.looked_at += [(name, which) for which in self.hands[name]]
        elif kind == "see":
            self.payer = name
        elif kind == "retain":
            which = event.get("which") or next(iter(self.hands[name]))
            self.kept[name] = self.hands[name].pop(which)
            self.bury(name, "old", "new")
            self.last_in = None
        if over is not None:
            self.end(over)

    def end(self, over: dict[str, Any]) -> None:
        if over["result"] == "misdeal":
            for name in self.hands:
                if "old" in self.hands[name] and (name, "old") not in self.looked_at:
                    self.kept[name] = self.hands[name].pop("old")
                self.bury(name, "old", "new")
            self.to_shuffle = True
            return
        still_in = [name for name in self.hands if self.hands[name]]
        if over["by"] == "see":
            winner = over["winners"][0]
            for name in [name for name in still_in if name != winner] + [winner]:
                self.bury(name, "old", "new")
            self.to_shuffle = over["shown"].get(winner, {}).get("category") == "prial"
        elif over["result"] == "carried":
            self.last_in = still_in[0]
        else:
            self.bury(still_in[0], "old", "new")


OF_GAME = {"lives": LivesCards, "community": CommunityCards, "three-card": ThreeCardCards}


def cards_of(game: str, rules: dict[str, Any], seed: int) -> Cards:
    """The cards of a table of `game` before its first deal."""
    return OF_GAME[game](rules, seed)
