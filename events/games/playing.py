"""What every game asks of an action in an open hand: its time, whose turn it is, and which cards can be shown."""

from __future__ import annotations

from events.cards import CARDS, card_name
from events.games.table import Table
from events.games.when import said_in
from events.refusals import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


class PlayingTable(Table):
    """A table at which hands are played in turns and shown."""

    # turns

    def out_of_phase(self, event: dict[str, Any], *phases: str) -> Refusal | None:
        """`event.not_now` unless the open hand awaits one of `phases`, and no choice between two hands is pending."""
        hand = self.hand
        if hand is None or hand.phase not in phases:
            return self.not_now(event)
        pending = self.pending_choice()
        if pending is not None and not (event["type"] == "look" and event["player"] == pending):
            return self.not_now(event, f"{pending} has looked at one of two hands: keep it or throw it first")
        return None

    def pending_choice(self) -> str | None:
        """Who has looked at one of two hands and must keep or throw it."""
        return None

    def turn(self, event: dict[str, Any]) -> Refusal | None:
        """`turn.not_yours` where another is to act."""
        to_act = self.open_hand.to_act
        if event["player"] == to_act:
            return None
        detail, rule = f"it is {to_act}'s turn, not {event['player']}'s", said_in("turn.not_yours", self.game)
        return Refusal("turn.not_yours", detail, rule, to_act, event["player"])

    def verify_act(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """An action on one's turn; where more may be asked, the caller stops at what cannot be recorded."""
        fault = self.out_of_phase(event, "act") or self.not_in_hand(event["player"]) or self.turn(event)
        if fault is not None:
            yield fault

    # showing

    def verify_reveal(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §2.4, §3.6, §4.8: three cards, that can be."""
        name = event["player"]
        fault = self.out_of_phase(event, "reveal")
        if fault is None and name in self.open_hand.shown:
            fault = self.not_now(event, f"{name} has shown already")
        fault = fault or self.not_in_hand(name)
        if fault is not None:
            yield fault
            return
        if len(event["cards"]) != 3:
            rule = said_in("reveal.count", self.game)
            yield Refusal(
                "reveal.count", "three cards are shown: give all three, and no more", rule, 3, len(event["cards"])
            )
            return
        to_act = self.open_hand.to_act
        if to_act is not None and to_act != name:
            yield Refusal("reveal.out_of_order", f"{to_act} shows first", "rules.md §4.8", to_act, name)
        for refusal in self.verify_cards(name, [CARDS[card] for card in event["cards"]]):
            yield refusal

    def verify_cards(self, name: str, cards: list[int]) -> Iterator[Refusal]:
        """`cards.twice`, `cards.impossible`."""
        twice = self.lying_twice(cards)
        if twice is not None:
            yield twice

    def lying_twice(self, cards: list[int]) -> Refusal | None:
        """`cards.twice` where one of them is shown or face up already, or stands twice among them (rules.md §5)."""
        hand = self.open_hand
        for at in range(len(cards)):
            card = cards[at]
            place = "among these" if card in cards[:at] else None
            if place is None and (card == hand.up or card in hand.board):
                place = "face up in the centre"
            for name in hand.order:
                if place is None and card in hand.shown.get(name, ()):
                    place = f"shown by {name}"
            if place is not None:
                detail = f"{card_name(card)} is {place} already"
                return Refusal("cards.twice", detail, "rules.md §5", actual=card_name(card))
        return None
