"""Which hand is better (rules.md §1): every ruling by name, and the counts of every hand of the pack."""

from collections import Counter
from itertools import combinations, pairwise, permutations, product
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import parse_card
from events.ranking import CATEGORIES, Ranking, category, ranking_for

LIVES = {
    "top_prial": "threes",
    "ace_low_run": "highest",
    "ace_king_queen": True,
    "suit_tiebreak": True,
    "wild": "none",
}
THREE_CARD = {**LIVES, "suit_tiebreak": False}
COMMUNITY = {**THREE_CARD, "ace_low_run": "lowest", "ace_king_queen": False}
DEUCES = {**THREE_CARD, "wild": "deuces"}

ALL_RULES = [
    dict(zip(("top_prial", "ace_low_run", "ace_king_queen", "suit_tiebreak", "wild"), values, strict=True))
    for values in product(
        ("threes", "aces"), ("highest", "second", "lowest"), (True, False), (True, False), ("none", "deuces")
    )
]
ALL_HANDS = list(combinations(range(52), 3))

rules_of_a_table = st.sampled_from(ALL_RULES)
hand_of_three = st.lists(st.integers(0, 51), min_size=3, max_size=3, unique=True)


def cards(text):
    return [parse_card(name) for name in text.split()]


def strength(rules, text):
    return ranking_for(rules).strength(*cards(text))


def kind(rules, text):
    return category(strength(rules, text))


def falls(rules, *hands):
    """Whether each hand is strictly better than the next."""
    strengths = [strength(rules, hand) for hand in hands]
    return all(better > worse for better, worse in pairwise(strengths))


# --- the whole pack ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wild", "ace_king_queen", "counts"),
    [
        ("none", True, (52, 48, 720, 1_096, 3_744, 16_440)),
        ("none", False, (52, 44, 660, 1_100, 3_744, 16_500)),
        ("deuces", True, (628, 392, 1_656, 1_544, 5_280, 12_600)),
        ("deuces", False, (628, 356, 1_500, 1_580, 5_376, 12_660)),
    ],
)
@pytest.mark.parametrize("top_prial", ["threes", "aces"])
@pytest.mark.parametrize("ace_low_run", ["highest", "second", "lowest"])
def test_the_22100_hands_fall_into_the_counts_of_the_rules(wild, ace_king_queen, counts, top_prial, ace_low_run):
    table = Ranking(top_prial, ace_low_run, ace_king_queen, False, wild).table()
    assert len(table) == 22_100
    found = Counter(category(worth) for worth in table.values())
    assert tuple(found[name] for name in reversed(CATEGORIES)) == counts


@pytest.mark.parametrize("rules", [THREE_CARD, COMMUNITY])
def test_there_are_741_classes_of_equal_hands(rules):
    assert len(set(ranking_for(rules).table().values())) == 741


@pytest.mark.soak
def test_best_of_six_counts_are_those_of_the_rules():
    """All 20,358,520 sets of six, one of each kind that differs only in which suit is which."""
    ranking = ranking_for(COMMUNITY)
    ranking.table()
    found = Counter()
    for weight, six in sixes_but_for_the_names_of_suits():
        found[category(ranking.best_three(six)[0])] += weight
    assert sum(found.values()) == 20_358_520
    assert found == {
        "prial": 912_808,
        "running_flush": 745_070,
        "run": 6_530_778,
        "flush": 7_336_474,
        "pair": 3_704_430,
        "high_card": 1_128_960,
    }


def sixes_but_for_the_names_of_suits():
    """A set of six is four sets of ranks, one a suit; with them in falling order, each stands for as many sets as there
    are ways to give them to the suits."""
    of_size = [list(combinations(range(13), size)) for size in range(7)]
    by_size = [[(size, ranks) for ranks in of_size[size]] for size in range(7)]
    for sizes in ((a, b, c, 6 - a - b - c) for a in range(7) for b in range(7 - a) for c in range(7 - a - b)):
        if list(sizes) != sorted(sizes, reverse=True):
            continue
        for suits in falling_choices([by_size[size] for size in sizes]):
            repeated = 1
            for times in Counter(suits).values():
                repeated *= factorial(times)
            yield 24 // repeated, [rank * 4 + suit for suit, (_, ranks) in enumerate(suits) for rank in ranks]


def falling_choices(choices, above=None):
    if not choices:
        yield ()
        return
    for choice in choices[0]:
        if above is None or choice <= above:
            for rest in falling_choices(choices[1:], choice):
                yield (choice, *rest)


# --- hands, best first ------------------------------------------------------------------------------------------------

EVERY_PROFILE = [LIVES, THREE_CARD, COMMUNITY, DEUCES]


@pytest.mark.parametrize("rules", EVERY_PROFILE)
def test_the_categories_in_their_order(rules):
    assert falls(rules, "4s 4h 4d", "5s 4s 3s", "Ks Qh Jd", "As Js 9s", "As Ah Kd", "As Jh 9d")
    assert [kind(rules, hand) for hand in ("4s 4h 4d", "5s 4s 3s", "Ks Qh Jd", "As Js 9s", "As Ah Kd", "As Jh 9d")] == [
        "prial", "running_flush", "run", "flush", "pair", "high_card",
    ]  # fmt: skip


@pytest.mark.parametrize("rules", EVERY_PROFILE)
def test_a_run_beats_a_flush(rules):
    """The worked example of rules.md §4: Ben's 5-6-7 beats Asha's club flush in every profile."""
    assert falls(rules, "5s 6h 7d", "Kc 9c 4c")


@pytest.mark.parametrize("rules", [rules for rules in ALL_RULES if rules["wild"] == "none"])
def test_every_running_flush_beats_every_run(rules):
    table = Ranking(**rules).table().values()
    flushes = min(worth for worth in table if category(worth) == "running_flush")
    runs = max(worth for worth in table if category(worth) == "run")
    assert flushes > runs


def test_prials_with_threes_on_top():
    ranks = "3AKQJT9876542"
    assert falls(THREE_CARD, *[f"{rank}s {rank}h {rank}d" for rank in ranks])


def test_prials_with_aces_on_top():
    ranks = "AKQJT98765432"
    assert falls({**COMMUNITY, "top_prial": "aces"}, *[f"{rank}s {rank}h {rank}d" for rank in ranks])


RUNS = [
    "Ks Qh Jd",
    "Qs Jh Td",
    "Js Th 9d",
    "Ts 9h 8d",
    "9s 8h 7d",
    "8s 7h 6d",
    "7s 6h 5d",
    "6s 5h 4d",
    "5s 4h 3d",
    "4s 3h 2d",
]


@pytest.mark.parametrize(
    ("place", "order"),
    [
        ("highest", ["As 2h 3d", "As Kh Qd", *RUNS]),
        ("second", ["As Kh Qd", "As 2h 3d", *RUNS]),
        ("lowest", ["As Kh Qd", *RUNS, "As 2h 3d"]),
    ],
)
def test_where_ace_two_three_ranks(place, order):
    rules = {**THREE_CARD, "ace_low_run": place}
    assert falls(rules, *order)
    suited = [" ".join(name[0] + "h" for name in hand.split()) for hand in order]
    assert falls(rules, *suited, *order)


def test_the_ace_low_run_keeps_its_place_where_ace_king_queen_is_none():
    for place, order in (
        ("highest", ["As 2h 3d", *RUNS]),
        ("second", ["As 2h 3d", *RUNS]),
        ("lowest", [*RUNS, "As 2h 3d"]),
    ):
        assert falls({**COMMUNITY, "ace_low_run": place}, *order)


@pytest.mark.parametrize("rules", ALL_RULES)
def test_king_ace_two_is_never_a_run(rules):
    natural = {**rules, "wild": "none"}
    assert kind(natural, "Kh As 2c") == "high_card"
    assert kind(natural, "Kh Ah 2h") == "flush"


def test_ace_king_queen_is_none_suited_or_mixed_where_the_table_says_so():
    assert kind(COMMUNITY, "As Ks Qs") == "flush"
    assert kind(COMMUNITY, "As Kh Qd") == "high_card"
    assert kind(THREE_CARD, "As Ks Qs") == "running_flush"
    assert kind(THREE_CARD, "As Kh Qd") == "run"


def test_ace_king_queen_that_is_no_run_is_the_best_flush_and_the_best_high_card():
    assert falls(COMMUNITY, "As 2h 3d", "As Ks Qs", "As Ks Js", "2s 2h 3d", "As Kh Qd", "As Kh Jd")


def test_the_four_hands_of_the_ace_two_three_report():
    low, high, four, none = "As 2d 3c", "Ah Kd Qs", "4h 3d 2s", "Kh As 2c"
    for rules in (LIVES, THREE_CARD):
        assert falls(rules, low, high, four, none)
        assert kind(rules, none) == "high_card"
    poker = {**COMMUNITY, "ace_king_queen": True}
    assert falls(poker, high, four, low, none)
    # In the community game as its sources have it, A-K-Q is no run at all.
    assert falls(COMMUNITY, four, low, high, none)
    assert kind(COMMUNITY, high) == "high_card"


@pytest.mark.parametrize("rules", [THREE_CARD, COMMUNITY])
def test_flushes_and_high_cards_compare_card_by_card(rules):
    assert falls(rules, "As Js 9s", "Ah Jh 8h", "Ad Td 9d", "Ks Js 9s", "5c 4c 2c")
    assert falls(rules, "As Jh 9s", "Ah Js 8h", "Ad Tc 9d", "Ks Jh 9s", "5c 4d 2c")
    assert strength(rules, "As Js 9s") == strength(rules, "Ah Jh 9h")
    assert strength(rules, "As Jh 9s") == strength(rules, "Ah Js 9d")


@pytest.mark.parametrize("rules", [THREE_CARD, COMMUNITY])
def test_pairs_compare_the_pair_then_the_odd_card(rules):
    assert falls(rules, "As Ah Kd", "As Ah 2d", "Ks Kh Ad", "3s 3h 2d", "2s 2h Ad", "2s 2h 3d")
    assert strength(rules, "As Ah Kd") == strength(rules, "Ad Ac Kh")


# --- suits ------------------------------------------------------------------------------------------------------------


def test_suits_split_hands_equal_in_every_rank():
    """rules.md §1: the queen of spades beats the queen of hearts."""
    assert falls(LIVES, "Qs 7d 4c", "Qh 7c 4d", "Qd 7s 4s", "Qc 7h 4h")
    assert strength(THREE_CARD, "Qs 7d 4c") == strength(THREE_CARD, "Qh 7c 4d")


def test_the_highest_card_of_an_ace_low_run_is_the_ace():
    assert falls(LIVES, "As 2c 3c", "Ah 2s 3s", "Ad 2h 3h", "Ac 2d 3d")


def test_of_a_pair_the_odd_card_counts_where_it_is_higher():
    assert falls(LIVES, "4d 4c Ks", "4s 4h Kh")


def test_of_a_pair_that_is_higher_the_better_suited_counts():
    assert falls(LIVES, "Ks Kc 4d", "Kh Kd 4s")


def test_suits_never_lift_a_hand_over_a_better_rank():
    assert falls(LIVES, "Qc 7h 5h", "Qs 7d 4c")


def test_without_wild_cards_no_two_hands_of_one_pack_are_equal_where_suits_count():
    table = Ranking(**LIVES).table()
    by_strength = {}
    for hand in ALL_HANDS:
        low, middle, high = hand
        by_strength.setdefault(table[(high * 52 + middle) * 52 + low], []).append(set(hand))
    for equal in by_strength.values():
        assert all(one & other for one, other in combinations(equal, 2))


def test_a_shared_community_card_can_still_leave_two_equal():
    rules = {**COMMUNITY, "suit_tiebreak": True}
    board = cards("As Kd Tc")
    one = ranking_for(rules).best_three(cards("9h 4d 2c") + board)
    other = ranking_for(rules).best_three(cards("9d 4h 2s") + board)
    assert one[0] == other[0]
    assert set(one[1]) == set(board) == set(other[1])


# --- wild deuces ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wild", "natural"),
    [
        ("2c As Ah", "As Ah Ad"),
        ("2c Ks Qs", "As Ks Qs"),
        ("2c Ks Qh", "As Kd Qh"),
        ("2c As 3s", "As 2s 3s"),
        ("2c 4s 3d", "5s 4s 3d"),
        ("2c Ks 9s", "As Ks 9s"),
        ("2c As 9s", "As Ks 9s"),
        ("2c Ks 9d", "Ks Kd 9d"),
        ("2s 2h 9d", "9s 9h 9d"),
        ("2s 2h 2d", "3s 3h 3d"),
    ],
)
def test_a_deuce_stands_for_whatever_makes_the_hand_best(wild, natural):
    assert strength(DEUCES, wild) == strength(DEUCES, natural)
    assert strength(DEUCES, wild) == strength(THREE_CARD, natural)


def test_a_deuce_may_stand_for_itself():
    assert strength(DEUCES, "As 3h 2d") == strength(THREE_CARD, "As 3h 2d")
    assert kind(DEUCES, "As 3h 2d") == "run"


def test_a_natural_hand_and_a_wild_one_of_the_same_value_are_equal():
    assert strength(DEUCES, "9s 9h 9d") == strength(DEUCES, "9c 2h 9d") == strength(DEUCES, "9c 2h 2d")


def test_three_deuces_make_the_best_prial_of_the_tables_rules():
    assert strength(DEUCES, "2s 2h 2d") == strength(DEUCES, "3s 3h 3d")
    aces = {**DEUCES, "top_prial": "aces"}
    assert strength(aces, "2s 2h 2d") == strength(aces, "As Ah Ad")
    assert falls(aces, "As Ah Ad", "3s 3h 3d")


def test_a_deuce_never_stands_for_a_card_already_among_the_three():
    """With the A♠ in hand, a flush of spades cannot have a second ace of spades: the deuce is its king."""
    assert strength(DEUCES, "As 9s 2c") == strength(THREE_CARD, "As Ks 9s")


def test_a_deuce_may_stand_for_a_card_that_another_player_holds():
    """Nothing but the three cards themselves is asked: the same hand is as good whoever holds the rest."""
    one, other = strength(DEUCES, "Kh Qh 2c"), strength(DEUCES, "Ah Kh Qh")
    assert one == other


def test_a_deuce_fills_ace_king_queen_only_where_that_is_a_run():
    no_run = {**COMMUNITY, "wild": "deuces"}
    assert strength(no_run, "Ks Qs 2c") == strength(no_run, "Ks Qs Js")
    assert strength(no_run, "As Ks 2c") == strength(no_run, "As Ks Qs")
    assert kind(no_run, "As Ks 2c") == "flush"
    assert kind(no_run, "As Kh 2c") == "pair"


def test_a_deuce_takes_the_best_suit_where_suits_count():
    rules = {**LIVES, "wild": "deuces"}
    assert strength(rules, "Kh 9d 2c") == strength(rules, "Ks Kd 9d")
    assert strength(rules, "Ks 9d 2c") == strength(rules, "Ks Kh 9c")
    assert strength(rules, "Kh 9h 2c") == strength(
        LIVES, "Ah Kh 9h"
    )  # a flush of hearts: an ace of hearts, not of spades
    assert strength(rules, "Kd Qh 2c") == strength(LIVES, "As Kd Qh")


def test_two_wild_hands_can_be_equal_where_suits_count():
    rules = {**LIVES, "wild": "deuces"}
    assert strength(rules, "9d 9c 2c") == strength(rules, "9h 2d 2s")


@given(hand_of_three, rules_of_a_table)
def test_a_wild_hand_is_never_worse_than_the_same_cards_natural(hand, rules):
    wild = ranking_for({**rules, "wild": "deuces"}).strength(*hand)
    natural = ranking_for({**rules, "wild": "none"}).strength(*hand)
    assert wild >= natural
    if all(card >= 4 for card in hand):
        assert wild == natural


# --- any hands --------------------------------------------------------------------------------------------------------


@given(hand_of_three, rules_of_a_table)
def test_the_order_of_the_cards_does_not_matter(hand, rules):
    fresh = Ranking(**rules)
    assert len({fresh.strength(*order) for order in permutations(hand)}) == 1
    assert len({Ranking(**rules).strength(*order) for order in permutations(hand)}) == 1


@given(st.lists(st.integers(0, 51), min_size=3, max_size=8, unique=True), rules_of_a_table)
def test_the_best_three_are_three_of_them_and_none_are_better(hand, rules):
    ranking = ranking_for(rules)
    best, three = ranking.best_three(hand)
    assert set(three) <= set(hand)
    assert len(set(three)) == 3
    assert best == ranking.strength(*three) == max(ranking.strength(*some) for some in combinations(hand, 3))
    assert ranking.best_three(tuple(reversed(hand))) == (best, three)


@given(st.lists(st.integers(0, 51), min_size=4, max_size=8, unique=True), rules_of_a_table)
def test_one_more_card_never_makes_a_hand_worse(hand, rules):
    ranking = ranking_for(rules)
    assert ranking.best_three(hand)[0] >= ranking.best_three(hand[:-1])[0]


@pytest.mark.parametrize("hand", [(0, 0, 1), (3, 3, 3), (-1, 4, 5), (52, 4, 5), (51, 50, 60)])
def test_three_different_cards_are_asked_for(hand):
    ranking = Ranking(**DEUCES)
    ranking.table()
    with pytest.raises(ValueError, match="three different cards"):
        ranking.strength(*hand)


@pytest.mark.parametrize("hand", [[], [1, 2], [1, 1, 2], [1, 2, 2, 3], [1, 2, 3, 3]])
def test_best_three_asks_for_at_least_three_different_cards(hand):
    with pytest.raises(ValueError, match="three different cards"):
        Ranking(**THREE_CARD).best_three(hand)


@pytest.mark.parametrize(
    "values",
    [("twos", "highest", True, True, "none"), ("aces", "middle", True, True, "none"),
     ("aces", "highest", 1, True, "none"), ("aces", "highest", True, "no", "none"),
     ("aces", "highest", True, True, "jokers")],
)  # fmt: skip
def test_no_other_rules_can_be_agreed(values):
    with pytest.raises(ValueError, match=r"ranking rules|true or false"):
        Ranking(*values)


def test_a_table_of_the_same_rules_shares_one_ranking():
    assert ranking_for(LIVES) is ranking_for({**LIVES, "ante": "1"})
    assert ranking_for(LIVES) is not ranking_for(THREE_CARD)
    assert len({id(ranking_for(rules)) for rules in ALL_RULES}) == 48


def test_a_table_worked_out_hand_by_hand_is_the_table_worked_out_at_once():
    lazy = Ranking(**DEUCES)
    at_once = Ranking(**DEUCES).table()
    assert [lazy.strength(*hand) for hand in ALL_HANDS] == [
        at_once[(high * 52 + middle) * 52 + low] for low, middle, high in ALL_HANDS
    ]
