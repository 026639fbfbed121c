"""Which hand of three is better: a second reading of rules.md §1, from its tables, with no eye to speed.

It takes nothing from the engine, cards neither: here a card is its name, such as `Td`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Any

RANKS = "23456789TJQKA"
SUITS = "cdhs"
PACK = [rank + suit for rank in RANKS for suit in SUITS]
RULES = ("top_prial", "ace_low_run", "ace_king_queen", "suit_tiebreak", "wild")
Worth = tuple[int, ...]


def rank_of(card: str) -> int:
    """2 to 14, the ace high."""
    return RANKS.index(card[0]) + 2


def natural_worth(hand: Sequence[str], rules: dict[str, Any]) -> Worth:
    """What a hand without wild cards is worth, to compare."""
    ranks = sorted((rank_of(card) for card in hand), reverse=True)
    suits = {card[1] for card in hand}
    runs = [[high, high - 1, high - 2] for high in range(13, 3, -1)]
    top = [[14, 13, 12]] if rules["ace_king_queen"] else []
    low = [[14, 3, 2]]
    order = {"highest": low + top + runs, "second": top + low + runs, "lowest": top + runs + low}[rules["ace_low_run"]]
    times = Counter(ranks)
    if len(times) == 1:
        prials = list(range(14, 1, -1))
        if rules["top_prial"] == "threes":
            prials = [3, *(rank for rank in prials if rank != 3)]
        worth = [6, -prials.index(ranks[0])]
    elif ranks in order:
        worth = [5 if len(suits) == 1 else 4, -order.index(ranks)]
    elif len(suits) == 1:
        worth = [3, *ranks]
    elif len(times) == 2:
        worth = [2, *sorted(times, key=lambda rank: -times[rank])]
    else:
        worth = [1, *ranks]
    if rules["suit_tiebreak"]:
        highest = [card for card in hand if rank_of(card) == ranks[0]]
        worth.append(max(SUITS.index(card[1]) for card in highest))
    return tuple(worth)


@cache
def _with_stand_ins(natural: tuple[str, ...], agreed: tuple[Any, ...]) -> Worth:
    """The best that a hand can be whose other cards are wild: of everything that they could stand for."""
    rules = dict(zip(RULES, agreed, strict=True))
    others = [card for card in PACK if card not in natural]
    return max(natural_worth([*natural, *stand_ins], rules) for stand_ins in combinations(others, 3 - len(natural)))


def worth(hand: Sequence[str], rules: dict[str, Any]) -> Worth:
    """What a hand of three is worth under the rules of a table, to compare."""
    natural = tuple(sorted(card for card in hand if rules["wild"] == "none" or card[0] != "2"))
    return _with_stand_ins(natural, tuple(rules[name] for name in RULES))


def best_worth(cards: Sequence[str], rules: dict[str, Any]) -> Worth:
    """The best of what any three of the cards are worth."""
    return max(worth(three, rules) for three in combinations(cards, 3))
