"""Whether the cards of a `lives` deal can be as they were recorded: exactly (rules.md §2, §5).

The table sees little: the centre's face-up card, the card given for it, the one left face up after a whole hand was
swapped, and the hands shown at the end. It does not see which cards were dealt, which card went for a face-down one,
nor which of the two face-down cards was taken. :func:`lives_clashes` looks for a deal and hidden choices that explain
all that was seen, and names smallest sets of events that no deal can explain together.

**How.** Each card that was named goes through the deal on a path of *places*: a player's hand between two of their
swaps, the centre's face-down pair between two swaps, its face-up place. A swap joins the three places before it
(the player's hand, the pair, the face-up place) to the three after it, and what is known of it says which ways are
open. A hand holds three cards, the pair two; a swap for a face-down card moves exactly one card each way, so that of
the cards with a name at most one leaves the hand, at most two stay, and so on. Cards without a name are whatever is
left of the pack: they fill the rest, and cannot conflict. What is left is a choice of paths, for a solver.

An event that is left out of account says nothing about cards: a swap left out may then have moved cards in any way
between that hand and the centre. So a set of events that clashes does so whatever the others were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.audit.cards_least import first_clash, needed, without_slip
from events.audit.cards_paths import Deal, Paths, Step, find_paths
from events.audit.cards_solver import Undecided

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Clash", "LivesDeal", "Reveal", "Swap", "explain", "lives_clashes"]


class Swap:
    """A swap: its event's number, who, what was taken, and the card given (`up`) or left face up (`all`)."""

    __slots__ = ("card", "player", "seq", "take")

    def __init__(self, seq: int, player: str, take: str, card: int | None) -> None:
        self.seq = seq
        self.player = player
        self.take = take
        self.card = card


class Reveal:
    """A hand shown: its event's number, who, and the cards."""

    __slots__ = ("cards", "player", "seq")

    def __init__(self, seq: int, player: str, cards: Sequence[int]) -> None:
        self.seq = seq
        self.player = player
        self.cards = tuple(cards)


class LivesDeal:
    """What the table saw of one deal: who was dealt in, the `deal` event's number and face-up card, swaps, reveals."""

    __slots__ = ("players", "reveals", "seq", "swaps", "up")

    def __init__(
        self, players: Sequence[str], seq: int, up: int, swaps: Sequence[Swap], reveals: Sequence[Reveal]
    ) -> None:
        self.players = tuple(players)
        self.seq = seq
        self.up = up
        self.swaps = tuple(swaps)
        self.reveals = tuple(reveals)

    def seqs(self) -> list[int]:
        """The numbers of all its events, in order."""
        return sorted([self.seq] + [one.seq for one in self.swaps] + [one.seq for one in self.reveals])


class Clash:
    """Events that cannot all be true: leave out any one of them, and some deal explains the others."""

    __slots__ = ("cards", "players", "seqs")

    def __init__(self, seqs: Sequence[int], cards: Sequence[int], players: Sequence[str]) -> None:
        self.seqs = tuple(seqs)
        self.cards = tuple(cards)
        """The cards that those events name, lowest first."""
        self.players = tuple(players)
        """Whose events they are, in seat order."""


def lives_clashes(deal: LivesDeal) -> list[Clash]:
    """Clashes, until what is left can be explained; empty where some deal explains all.

    Of a clash the last event is the first that contradicts those before it. After each, one of its events is left out
    of account, and the rest looked at again: one without which all is explained, if there is such a one (a slip that
    contradicts many others is told once), else its last. Raises ValueError where the data is no deal at all: a player
    who is not in it, or a swap of an unknown kind.
    """
    _check_data(deal)
    clashes: list[Clash] = []
    seqs = deal.seqs()
    while seqs and explain(deal, seqs) is None:
        try:
            found = _smallest_clash(deal, seqs)
            left = without_slip(seqs, found, lambda some: explain(deal, some) is None)
        except Undecided:  # that they clash is certain; which of them do, is not found out
            clashes.append(Clash(seqs, (), deal.players))
            break
        clashes.append(_clash(deal, found))
        seqs = left
    return clashes


def _check_data(deal: LivesDeal) -> None:
    for one in deal.swaps:
        if one.player not in deal.players or one.take not in ("up", "down", "all"):
            raise ValueError(f"event {one.seq} is no swap of a player in this deal")
    for shown in deal.reveals:
        if shown.player not in deal.players:
            raise ValueError(f"event {shown.seq} shows the hand of somebody who is not in this deal")


def explain(deal: LivesDeal, seqs: Sequence[int]) -> Paths | None:
    """Paths for all the cards that the events ``seqs`` name, or none where there are none."""
    return find_paths(_known(deal, seqs))


def _known(deal: LivesDeal, seqs: Sequence[int]) -> Deal:
    """What the events ``seqs`` say, up to the last of them."""
    kept = set(seqs)
    last = max(seqs)
    steps = []
    for swap in deal.swaps:
        if swap.seq > last:
            continue
        hand = deal.players.index(swap.player)
        if swap.seq in kept:
            steps.append(Step(swap.seq, hand, swap.take, swap.card))
        else:
            steps.append(Step(swap.seq, hand, "any", None))
    shown = []
    for reveal in deal.reveals:
        if reveal.seq in kept:
            time = len([swap for swap in deal.swaps if swap.seq < reveal.seq])
            shown.append((time, deal.players.index(reveal.player), reveal.cards))
    return Deal(deal.players, deal.up if deal.seq in kept else None, steps, shown)


def _smallest_clash(deal: LivesDeal, events: list[int]) -> list[int]:
    """A smallest set of ``events``, which clash, that still clashes: without any of them the rest does not."""

    def clashes(some: Sequence[int]) -> bool:
        return explain(deal, some) is None

    high = first_clash(events, clashes)
    last = events[high - 1]
    # Few cards make the contradiction, mostly one: which, is found out fast, and then which events those cards need.
    known = _known(deal, events[:high])
    groups = [[card] for card in known.named() if find_paths(known, [card]) is None]
    if not groups:
        groups = [needed(known.named(), [], lambda some: find_paths(known, some) is None)]
    parts = [_needed_for(deal, cards, events[: high - 1], last) for cards in groups]
    parts.sort(key=len)
    before = sorted(parts[0])
    return sorted(needed(before, [last], clashes) + [last])


def _needed_for(deal: LivesDeal, cards: Sequence[int], before: list[int], last: int) -> list[int]:
    """Which of the events ``before`` leave those cards alone no paths, together with the event ``last``."""
    return needed(before, [last], lambda some: find_paths(_known(deal, some), cards) is None)


def _clash(deal: LivesDeal, seqs: Sequence[int]) -> Clash:
    cards = set()
    players = set()
    if deal.seq in seqs:
        cards.add(deal.up)
    for swap in deal.swaps:
        if swap.seq in seqs:
            players.add(swap.player)
            if swap.card is not None:
                cards.add(swap.card)
    for reveal in deal.reveals:
        if reveal.seq in seqs:
            players.add(reveal.player)
            cards.update(reveal.cards)
    return Clash(seqs, sorted(cards), [player for player in deal.players if player in players])
