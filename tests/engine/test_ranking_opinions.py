"""Two other opinions on which hand is better, over every hand of the pack.

One is a model written from rules.md §1 with no eye to speed; the other is pokerkit's order of three cards, which is
poker's and so is mapped category by category.
"""

from collections import Counter
from functools import cache
from itertools import combinations, pairwise, product

import pytest
from pokerkit import RhodeIslandHoldemHand

from events.cards import NAMES
from events.ranking import CATEGORIES, Ranking, category

RULES = ("top_prial", "ace_low_run", "ace_king_queen", "suit_tiebreak", "wild")
CHOICES = (("threes", "aces"), ("highest", "second", "lowest"), (True, False), (True, False))
NATURAL_RULES = [dict(zip(RULES, (*values, "none"), strict=True)) for values in product(*CHOICES)]
WILD_RULES = [{**rules, "wild": "deuces"} for rules in NATURAL_RULES[::5]]
ALL_HANDS = list(combinations(range(52), 3))


SLOW_ORDER = "23456789TJQKA"


def slow_worth(hand, rules):
    """What a natural hand is worth, as a list to compare, straight from the tables of rules.md §1."""
    ranks = sorted((SLOW_ORDER.index(NAMES[card][0]) + 2 for card in hand), reverse=True)
    suits = {NAMES[card][1] for card in hand}
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
        highest = [card for card in hand if SLOW_ORDER.index(NAMES[card][0]) + 2 == ranks[0]]
        worth.append(max("cdhs".index(NAMES[card][1]) for card in highest))
    return worth


def slow_wild_worth(rules):
    """What any hand is worth where deuces are wild: the best of everything that they could stand for."""

    @cache
    def with_stand_ins(natural):
        others = [card for card in range(52) if card not in natural]
        return max(slow_worth([*natural, *stand_ins], rules) for stand_ins in combinations(others, 3 - len(natural)))

    return lambda hand: with_stand_ins(tuple(card for card in hand if NAMES[card][0] != "2"))


def same_order(pairs):
    """Whether two measures put everything in the same order, equal where equal."""
    distinct = sorted(set(pairs))
    return all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(distinct))


def table_of(rules):
    table = Ranking(**rules).table()
    return [(hand, table[(hand[2] * 52 + hand[1]) * 52 + hand[0]]) for hand in ALL_HANDS]


@pytest.mark.parametrize("rules", NATURAL_RULES)
def test_every_natural_hand_against_the_slow_reading(rules):
    assert same_order((worth, tuple(slow_worth(hand, rules))) for hand, worth in table_of(rules))


@pytest.mark.parametrize("rules", WILD_RULES)
def test_every_hand_with_deuces_against_the_slow_reading(rules):
    slow = slow_wild_worth(rules)
    assert same_order((worth, tuple(slow(hand))) for hand, worth in table_of(rules))


def test_every_hand_against_pokerkits_order_of_three_cards():
    """Poker puts a straight flush over three of a kind, and is else Brag with A-2-3 lowest and aces the top prial."""
    brag_order = ["High card", "One pair", "Flush", "Straight", "Straight flush", "Three of a kind"]
    rules = {**NATURAL_RULES[0], "top_prial": "aces", "ace_low_run": "lowest", "suit_tiebreak": False}
    pairs = []
    for (low, middle, high), worth in table_of(rules):
        entry = RhodeIslandHoldemHand.lookup.get_entry(NAMES[low] + NAMES[middle] + NAMES[high])
        place = brag_order.index(entry.label.value)
        assert CATEGORIES.index(category(worth)) == place
        pairs.append((worth, (place, entry.index)))
    assert same_order(pairs)
