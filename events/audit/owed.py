"""What would have to be paid between players to make a session as the rules have it (rules.md §5, owed)."""

from __future__ import annotations

from events.amounts import even_split
from events.games.community import Community
from events.vocabulary import COMMON, STAMPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from events.games.hand import Hand
    from events.session import Session

_BESIDE = frozenset(STAMPED + tuple(field.name for field in COMMON))


class Debts:
    """Per event that left something owed: player -> chips to receive, or to pay where negative; each makes zero.

    by_seq: seq of a payment or of a `settle` -> those amounts, empty where nothing is owed, or no more.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.by_seq: dict[int, dict[str, int]] = {}
        self.ruled = self._rulings()
        waiting: list[Hand] = []  # carried hands whose pot is not resolved yet
        for hand in session.table.hands:
            self._award(hand)
            if hand.result == "carried" and not hand.awards:
                waiting.append(hand)
            elif hand.result in ("won", "split", "carried"):
                self._to_winners(hand, self._unsettled(waiting + [hand], hand))
                waiting = []
        if session.table.shared_out is not None:
            chips, order = session.table.shared_out
            self._in_shares(chips, order, self._unsettled(waiting))

    def total(self) -> dict[str, int]:
        """player -> chips owed to them less chips they owe."""
        total = {name: 0 for name in self.session.seats}
        for seq in sorted(self.by_seq):
            for name in self.by_seq[seq]:
                total[name] += self.by_seq[seq][name]
        return total

    def _rulings(self) -> dict[int, int]:
        """Hand number -> seq of the last ruling on it."""
        ruled: dict[int, int] = {}
        for dispute in self.session.rulings:
            seq = self.session.rulings[dispute][0]
            number = self.session.hand_standing_for(self.session.disputes[dispute]["of_hand"])
            if number is not None:
                ruled[number] = max(seq, ruled.get(number, 0))
        return ruled

    def settled(self, seq: int, *hands: Hand) -> bool:
        """Whether a ruling on one of these hands has settled what an event left owed, recorded anew since or not."""
        return any(self._stood(seq, self.ruled.get(hand.number, 0)) for hand in hands)

    def _stood(self, seq: int, before: int) -> bool:
        """Whether an event, or one that said the same and was recorded anew as this one, was there before another."""
        events = self.session.events
        said = _said(events[seq - 1])
        while seq >= before:
            earlier = events[seq - 1].get("replaces")
            if not isinstance(earlier, int) or not 0 < earlier < seq:  # what was struck has not been read by anyone
                return False
            seq = earlier
        return _said(events[seq - 1]) == said

    def _award(self, hand: Hand) -> None:
        """The pot was paid to the wrong player: to the right one. A carried pot paid out has no price."""
        if not hand.settles or hand.settles[-1][1] or hand.result == "carried" or self.session.game == "lives":
            return
        seq = hand.settles[-1][0]
        if self.settled(seq, hand):
            return
        names = [name for name in self.session.seats if name in hand.due or name in hand.awards]
        self._owe(seq, {name: hand.due.get(name, 0) - hand.awards.get(name, 0) for name in names})

    def _unsettled(self, hands: list[Hand], *resolved: Hand) -> list[tuple[int, str, int]]:
        """(seq, player, chips short, or below 0 over) of the payments into these hands that were not as the rules ask,
        and on which no ruling was made since."""
        return [
            (seq, player, hand.asked[seq][0] - chips)
            for hand in hands
            for seq, player, chips, _ in hand.payments
            if seq in hand.asked and not self.settled(seq, hand, *resolved)
        ]

    def _to_winners(self, hand: Hand, payments: list[tuple[int, str, int]]) -> None:
        """What was short goes to the pot's winners, what was over comes back from them. Made right one after the
        other, so that together they leave each winner what the rules would have given."""
        table = self.session.table
        if not isinstance(table, Community):
            winners = hand.winners or [name for name in self.session.seats if name in hand.awards]
            self._in_shares(hand.pot, winners, payments)
            return
        before, right = hand.due, []
        for seq, player, short in payments:
            right.append(seq)
            after = table.as_the_rules_have_it(hand, right)
            self._move(seq, player, short, before, after)
            before = after

    def _in_shares(self, chips: int, among: list[str], payments: list[tuple[int, str, int]]) -> None:
        """What was short in a pot that was shared equally goes to those who shared it."""
        before = even_split(chips, among)
        for seq, player, short in payments:
            chips += short
            after = even_split(chips, among)
            self._move(seq, player, short, before, after)
            before = after

    def _move(self, seq: int, player: str, short: int, before: dict[str, int], after: dict[str, int]) -> None:
        """A payment made right: it costs its player the difference, and changes who is given what."""
        gains = {name: after.get(name, 0) - before.get(name, 0) for name in self.session.seats}
        gains[player] -= short
        self._owe(seq, gains)

    def _owe(self, seq: int, amounts: dict[str, int]) -> None:
        self.by_seq[seq] = {name: amounts[name] for name in self.session.seats if amounts.get(name)}


def _said(event: dict[str, Any]) -> dict[str, Any]:
    """What an event says happened: its type and its own fields."""
    return {name: event[name] for name in event if name not in _BESIDE}
