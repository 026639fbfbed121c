"""Two other opinions on which hand is better, over every hand of the pack.

One is a model written from rules.md §1 with no eye to speed; the other is pokerkit's order of three cards, which is
poker's and so is mapped category by category.
"""

from itertools import combinations, pairwise, product

import pytest
from pokerkit import RhodeIslandHoldemHand

from events.cards import NAMES
from events.ranking import CATEGORIES, Ranking, category
from tests.engine.second_ranking import RULES, natural_worth, worth

CHOICES = (("threes", "aces"), ("highest", "second", "lowest"), (True, False), (True, False))
NATURAL_RULES = [dict(zip(RULES, (*values, "none"), strict=True)) for values in product(*CHOICES)]
WILD_RULES = [{**rules, "wild": "deuces"} for rules in NATURAL_RULES[::5]]
ALL_HANDS = list(combinations(range(52), 3))


def same_order(pairs):
    """Whether two measures put everything in the same order, equal where equal."""
    distinct = sorted(set(pairs))
    return all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(distinct))


def named(hand):
    return [NAMES[card] for card in hand]


def table_of(rules):
    table = Ranking(**rules).table()
    return [(hand, table[(hand[2] * 52 + hand[1]) * 52 + hand[0]]) for hand in ALL_HANDS]


@pytest.mark.parametrize("rules", NATURAL_RULES)
def test_every_natural_hand_against_the_slow_reading(rules):
    assert same_order((strength, natural_worth(named(hand), rules)) for hand, strength in table_of(rules))


@pytest.mark.parametrize("rules", WILD_RULES)
def test_every_hand_with_deuces_against_the_slow_reading(rules):
    assert same_order((strength, worth(named(hand), rules)) for hand, strength in table_of(rules))


def test_every_hand_against_pokerkits_order_of_three_cards():
    """Poker puts a straight flush over three of a kind, and is else Brag with A-2-3 lowest and aces the top prial."""
    brag_order = ["High card", "One pair", "Flush", "Straight", "Straight flush", "Three of a kind"]
    rules = {**NATURAL_RULES[0], "top_prial": "aces", "ace_low_run": "lowest", "suit_tiebreak": False}
    pairs = []
    for hand, strength in table_of(rules):
        entry = RhodeIslandHoldemHand.lookup.get_entry("".join(named(hand)))
        place = brag_order.index(entry.label.value)
        assert CATEGORIES.index(category(strength)) == place
        pairs.append((strength, (place, entry.index)))
    assert same_order(pairs)
