"""A player over the whole session."""

from __future__ import annotations


class Player:
    """A seat at the table, over the whole session.

    net: chips taken out of pots less chips put in, rulings and counts included. bought, cashed: chips. paid_in,
    paid_out: coins of money. waiting: sat down while a pot is carried. lives: in `lives`, else 0. stake: chips that
    lie in the pot of a `lives` match. kept: a blind hand kept for the next deal (three-card).
    """

    __slots__ = ("left", "waiting", "lives", "net", "bought", "cashed", "paid_in", "paid_out", "stake", "kept")

    def __init__(self) -> None:
        self.left = False
        self.waiting = False
        self.lives = 0
        self.net = 0
        self.bought = 0
        self.cashed = 0
        self.paid_in = 0
        self.paid_out = 0
        self.stake = 0
        self.kept = False

    @property
    def stack(self) -> int:
        """Chips held, in a session with a bank of chips."""
        return self.bought - self.cashed + self.net

    def copy(self) -> Player:
        """An independent copy, written out: every batch of events begins with one of each player."""
        twin = object.__new__(Player)
        twin.left = self.left
        twin.waiting = self.waiting
        twin.lives = self.lives
        twin.net = self.net
        twin.bought = self.bought
        twin.cashed = self.cashed
        twin.paid_in = self.paid_in
        twin.paid_out = self.paid_out
        twin.stake = self.stake
        twin.kept = self.kept
        return twin
