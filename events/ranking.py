"""Which of two hands of three cards is better, under the rules that a table agreed (rules.md §1).

A hand's strength is an integer: better is greater, equal is equal. It holds the category, then what is compared within
it, then (only where suits break ties) the suit of the highest card.
"""

from __future__ import annotations

from events.cards import PACK

CATEGORIES = ("high_card", "pair", "flush", "run", "running_flush", "prial")
"""Worst first."""

HIGH_CARD, PAIR, FLUSH, RUN, RUNNING_FLUSH, PRIAL = 0, 1, 2, 3, 4, 5

_DEUCE, _THREE, _ACE = 0, 1, 12

_CATEGORY_SHIFT = 14
_WITHIN_SHIFT = 2

_TOP_PRIAL = ("threes", "aces")
_WILD = ("none", "deuces")
_ACE_LOW_RUN = {"highest": 2 * _ACE + 1, "second": 2 * _ACE - 1, "lowest": 1}
"""What A-2-3 counts as a run, where any other run counts twice its highest rank: 24 for A-K-Q down to 4 for 4-3-2."""


def category(strength: int) -> str:
    """The name of a strength's category: ``prial``, ``running_flush``, ``run``, ``flush``, ``pair``, ``high_card``."""
    return CATEGORIES[strength >> _CATEGORY_SHIFT]


class Ranking:
    """An order of all hands of three, under five house rules (rules.md §1, the table).

    ``top_prial`` is ``threes`` or ``aces``; ``ace_low_run`` ``highest``, ``second`` or ``lowest``;
    ``ace_king_queen`` whether A-K-Q is a run; ``suit_tiebreak`` whether suits split hands equal in rank; ``wild``
    ``none`` or ``deuces``.

    Raises ValueError for any other value.
    """

    __slots__ = ("_known", "ace_king_queen", "ace_low_run", "suit_tiebreak", "top_prial", "wild")

    def __init__(self, top_prial: str, ace_low_run: str, ace_king_queen: bool, suit_tiebreak: bool, wild: str) -> None:
        if top_prial not in _TOP_PRIAL or ace_low_run not in _ACE_LOW_RUN or wild not in _WILD:
            raise ValueError(f"no such ranking rules: {top_prial!r}, {ace_low_run!r}, {wild!r}")
        if not isinstance(ace_king_queen, bool) or not isinstance(suit_tiebreak, bool):
            raise ValueError("ace_king_queen and suit_tiebreak are true or false")
        self.top_prial = top_prial
        self.ace_low_run = ace_low_run
        self.ace_king_queen = ace_king_queen
        self.suit_tiebreak = suit_tiebreak
        self.wild = wild
        self._known: dict[int, int] = {}

    category = staticmethod(category)

    def strength(self, first: int, second: int, third: int) -> int:
        """How good three different cards are together, in whatever order they are given.

        Raises ValueError where they are not three different cards of the pack.
        """
        if first < second:
            first, second = second, first
        if second < third:
            second, third = third, second
            if first < second:
                first, second = second, first
        known = self._known.get((first * PACK + second) * PACK + third)
        if known is not None:
            return known
        if not PACK > first > second > third >= 0:
            raise ValueError("a hand is three different cards")
        return self._work_out(first, second, third)

    def best_three(self, cards: list[int] | tuple[int, ...]) -> tuple[int, tuple[int, int, int]]:
        """The best hand that three of ``cards`` make: its strength, and the three, highest first.

        Where several threes are equally good, always the same one. Raises ValueError for fewer than three cards, or
        the same card twice.
        """
        falling = sorted(cards, reverse=True)
        if len(falling) < 3:
            raise ValueError("a hand is three different cards")
        if len(falling) == 3:
            first, second, third = falling
            return self.strength(first, second, third), (first, second, third)
        known = self._known
        best = -1
        three = (0, 0, 0)
        for upper in range(len(falling) - 2):
            first = falling[upper]
            for middle in range(upper + 1, len(falling) - 1):
                second = falling[middle]
                pair = (first * PACK + second) * PACK
                for third in falling[middle + 1 :]:
                    try:
                        strength = known[pair + third]
                    except KeyError:
                        strength = self.strength(first, second, third)
                    if strength > best:
                        best = strength
                        three = (first, second, third)
        return best, three

    def table(self) -> dict[int, int]:
        """The strengths of all 22,100 hands, worked out now; the key is ``(high * 52 + middle) * 52 + low``.

        A hand is worked out when it is first asked for, so nobody needs to call this; a server does, once.
        """
        for first in range(2, PACK):
            for second in range(1, first):
                for third in range(second):
                    self.strength(first, second, third)
        return self._known

    def _work_out(self, first: int, second: int, third: int) -> int:
        """The strength of a hand whose cards fall, remembered."""
        if self.wild == "deuces" and third >> 2 == _DEUCE:
            strength = self._with_deuces(first, second)
        else:
            strength = self._natural(first, second, third)
        self._known[(first * PACK + second) * PACK + third] = strength
        return strength

    def _natural(self, first: int, second: int, third: int) -> int:
        """The strength of three falling cards, each taken for what it is.

        The first is then the highest card, ace high, and the better suited where two share that rank.
        """
        high, middle, low = first >> 2, second >> 2, third >> 2
        within = (high * 13 + middle) * 13 + low
        if high == low:
            kind = PRIAL
            within = 13 if self.top_prial == "threes" and high == _THREE else high
        elif high == middle:
            kind = PAIR
        elif middle == low:
            kind = PAIR
            within = (middle * 13 + low) * 13 + high
        else:
            suited = first & 3 == second & 3 == third & 3
            run = self._run(high, middle, low)
            if run:
                kind = RUNNING_FLUSH if suited else RUN
                within = run
            else:
                kind = FLUSH if suited else HIGH_CARD
        suit = first & 3 if self.suit_tiebreak else 0
        return kind << _CATEGORY_SHIFT | within << _WITHIN_SHIFT | suit

    def _run(self, high: int, middle: int, low: int) -> int:
        """How good a run three falling ranks make; 0 for none."""
        if high == middle + 1 == low + 2:
            return 2 * high if high < _ACE or self.ace_king_queen else 0
        if high == _ACE and middle == _THREE and low == _DEUCE:
            return _ACE_LOW_RUN[self.ace_low_run]
        return 0

    def _with_deuces(self, first: int, second: int) -> int:
        """The strength of two falling cards and a third below them that is wild.

        A wild card stands for whichever card makes the hand best, its suit too where suits count, but for none that
        is already one of the three (rules.md §1, wild deuces).
        """
        if second >> 2 == _DEUCE:
            # Two wild cards make a prial with any third, and nothing beats a prial; three make the best there is.
            rank = first >> 2
            if rank == _DEUCE:
                rank = _THREE if self.top_prial == "threes" else _ACE
            return self._natural(rank * 4 + 3, rank * 4 + 2, rank * 4 + 1)
        best = 0
        for stand_in in range(PACK):
            if stand_in > first:
                strength = self._natural(stand_in, first, second)
            elif first > stand_in > second:
                strength = self._natural(first, stand_in, second)
            elif stand_in < second:
                strength = self._natural(first, second, stand_in)
            else:
                continue  # already one of the three
            if strength > best:
                best = strength
        return best


_rankings: dict[tuple[str, str, bool, bool, str], Ranking] = {}


def ranking_for(rules: dict[str, object]) -> Ranking:
    """The one ``Ranking`` of a table's complete rules, shared: there are 48 at most.

    Raises ValueError for values that no table can agree, KeyError where a rule is missing.
    """
    key = (
        str(rules["top_prial"]),
        str(rules["ace_low_run"]),
        rules["ace_king_queen"] is True,
        rules["suit_tiebreak"] is True,
        str(rules["wild"]),
    )
    ranking = _rankings.get(key)
    if ranking is None:
        ranking = Ranking(key[0], key[1], key[2], key[3], key[4])
        _rankings[key] = ranking
    return ranking
