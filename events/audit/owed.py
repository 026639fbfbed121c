"""What would have to be paid between players to make a session as the rules have it (rules.md §5, owed)."""

from __future__ import annotations

from events.amounts import even_split
from events.games.community import Community

TYPE_CHECKING = False
if TYPE_CHECKING:
    from events.games.hand import Hand
    from events.session import Session


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
                for earlier in waiting + [hand]:
                    self._payments(earlier, hand)
                waiting = []
        if session.table.shared_out is not None:
            for earlier in waiting:
                self._shared_out(earlier, session.table.shared_out)

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
        for dispute in sorted(self.session.rulings):
            seq = self.session.rulings[dispute][0]
            number = self.session.hand_standing_for(self.session.disputes[dispute]["of_hand"])
            if number is not None:
                ruled[number] = max(seq, ruled.get(number, 0))
        return ruled

    def settled(self, seq: int, *hands: Hand) -> bool:
        """Whether a ruling on one of these hands has settled what an event left owed."""
        return any(self.ruled.get(hand.number, 0) > seq for hand in hands)

    def _award(self, hand: Hand) -> None:
        """The pot was paid to the wrong player: to the right one. A carried pot paid out has no price."""
        if not hand.settles or hand.settles[-1][1] or hand.result == "carried" or self.session.game == "lives":
            return
        seq = hand.settles[-1][0]
        if self.settled(seq, hand):
            return
        names = [name for name in self.session.seats if name in hand.due or name in hand.awards]
        self._owe(seq, {name: hand.due.get(name, 0) - hand.awards.get(name, 0) for name in names})

    def _payments(self, hand: Hand, resolved: Hand) -> None:
        """What was short goes to the pot's winner, what was over comes back from the winner."""
        for payment in hand.payments:
            short = payment.due_chips - payment.chips
            if short and not self.settled(payment.seq, hand, resolved):
                self._to_winners(payment.seq, payment.player, short, resolved)

    def _to_winners(self, seq: int, player: str, short: int, resolved: Hand) -> None:
        gains: dict[str, int] = {}
        table = self.session.table
        if isinstance(table, Community):
            right = table.as_the_rules_have_it(resolved, seq)
            gains = {name: right.get(name, 0) - resolved.due.get(name, 0) for name in self.session.seats}
        else:
            winners = resolved.winners or [name for name in self.session.seats if name in resolved.awards]
            gains = even_split(short, winners) if short > 0 else _negative(even_split(-short, winners))
        self._move(seq, player, short, gains)

    def _shared_out(self, hand: Hand, shared: tuple[int, list[str]]) -> None:
        """A carried pot shared out at the close: what was short in it goes to those who shared it."""
        chips, order = shared
        as_done = even_split(chips, order)
        for payment in hand.payments:
            short = payment.due_chips - payment.chips
            if short and not self.settled(payment.seq, hand):
                right = even_split(chips + short, order)
                self._move(payment.seq, payment.player, short, {name: right[name] - as_done[name] for name in order})

    def _move(self, seq: int, player: str, short: int, gains: dict[str, int]) -> None:
        gains = dict(gains)
        gains[player] = gains.get(player, 0) - short
        self._owe(seq, gains)

    def _owe(self, seq: int, amounts: dict[str, int]) -> None:
        self.by_seq[seq] = {name: amounts[name] for name in self.session.seats if amounts.get(name)}


def _negative(amounts: dict[str, int]) -> dict[str, int]:
    return {name: -amounts[name] for name in amounts}
