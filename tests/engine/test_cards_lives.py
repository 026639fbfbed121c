"""Whether the cards of a `lives` deal can be as recorded: named stories, and random deals against a second opinion."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.audit.cards_lives import Clash, LivesDeal, Reveal, Swap, explain, lives_clashes
from events.cards import parse_card
from tests.engine.lives_deals import assert_explains, played, possible, spoilt
from tests.engine.lives_witness import Witness, tell_witness


def deal_of(players: str, up: str, *events: str) -> LivesDeal:
    """A deal from short lines, numbered from 2 (the deal): "A up 4c", "B down", "C all 9h", "A shows Ks Jd 8c"."""
    swaps, shown = [], []
    for seq, line in enumerate(events, start=3):
        player, what, *cards = line.split()
        if what == "shows":
            shown.append(Reveal(seq, player, [parse_card(card) for card in cards]))
        elif what != "knocks":
            swaps.append(Swap(seq, player, what, parse_card(cards[0]) if cards else None))
    return LivesDeal(list(players), 2, parse_card(up), swaps, shown)


def clash_of(deal: LivesDeal) -> Clash:
    found = lives_clashes(deal)[0]
    assert not possible(deal, found.seqs), "they do clash"
    for seq in found.seqs:
        assert possible(deal, [one for one in found.seqs if one != seq]), "and none of them could be left out"
    return found


def explained(deal: LivesDeal) -> Witness:
    assert lives_clashes(deal) == []
    paths = explain(deal, deal.seqs())
    assert paths is not None
    found = tell_witness(paths)
    assert_explains(deal, found)
    return found


def test_a_card_that_was_taken_and_never_given_away_is_missing() -> None:
    deal = deal_of(
        "ABC", "Qh", "A up 4c", "B up 7d", "C up 2s", "A knocks", "B up 9h", "C down", "A shows Ks Jd 8c"
    )  # fmt: skip
    assert clash_of(deal).seqs == (2, 3, 9)
    assert clash_of(deal).players == ("A",)
    assert clash_of(deal).cards == tuple(sorted(parse_card(card) for card in ("Qh", "4c", "Ks", "Jd", "8c")))
    assert [clash.seqs for clash in lives_clashes(deal)] == [(2, 3, 9)]


def test_the_case_of_what_the_table_has_seen_swapped() -> None:
    deal = deal_of(
        "ABC", "Qc", "A up 4c", "B up 8d", "C down", "A knocks", "B down", "C down",
        "A shows Qc 7d Qs", "B shows 4c 9h 2s", "C shows Jh Jd 3s",
    )  # fmt: skip
    explained(deal)
    assert lives_clashes(deal) == []


def test_a_card_may_go_through_the_centre_unseen() -> None:
    events = ["A up 4c", "B up 7d", "C up 2s", "A down", "B down", "C up 9h", "A shows 2h 3h 4h", "B shows Qh 5s 5c"]
    explained(deal_of("ABC", "Qh", *events))
    # but not while nobody takes from the centre's face-down cards after it was given
    events[4] = "B up 8d"
    events[7] = "B shows Qh 2s 4c"
    assert clash_of(deal_of("ABC", "Qh", *events)).seqs == (2, 3, 6, 7, 10)


def test_one_hidden_swap_carries_one_card_only() -> None:
    # A has the queen and the king, and gives one card away unseen; two others show them.
    events = ["A up 4c", "B up Kd", "C down", "A up 6c", "B down", "C down", "A down", "B down", "C down"]
    explained(deal_of("ABC", "Qh", *events, "B shows Qh 8c 9c", "C shows 7d 8d 9d"))
    explained(deal_of("ABC", "Qh", *events, "B shows 7c 8c 9c", "C shows Kd 8d 9d"))
    clash = clash_of(deal_of("ABC", "Qh", *events, "B shows Qh 8c 9c", "C shows Kd 8d 9d"))
    assert {2, 3, 6, 9, 12, 13} <= set(clash.seqs)
    assert {parse_card("Qh"), parse_card("Kd")} <= set(clash.cards)


def test_a_whole_hand_swapped_takes_its_cards_along() -> None:
    events = ["A up 4c", "B all 9h", "C up Td", "A shows Qh 2h 3h", "B shows 4c 2d 3d"]
    explained(deal_of("ABC", "Qh", *events))
    # the card that B left face up went to C, and what B gave lies in the centre
    assert clash_of(deal_of("ABC", "Qh", *events[:4], "B shows 9h 2d 3d")).seqs == (4, 7)
    assert clash_of(deal_of("ABC", "Qh", *events[:4], "B shows 2c 2d 3d")).seqs == (3, 4, 7)


def test_more_cards_were_named_than_were_dealt() -> None:
    # Three players and twelve cards: nine shown, and four more that were given for the face-up one.
    gives = [f"{player} up {card}" for player, card in zip("ABCA", ("2c", "3c", "4c", "5c"), strict=True)]
    shows = ["A shows 2d 3d 4d", "B shows 2h 3h 4h", "C shows 2s 3s 4s"]
    assert clash_of(deal_of("ABC", "Kc", *gives, *shows)).seqs[-1] <= 9
    explained(deal_of("ABC", "Kc", gives[0], "A shows Kc 3d 4d", *shows[1:]))


def test_one_card_in_two_hands_and_twice_in_one() -> None:
    assert clash_of(deal_of("ABC", "Qh", "A shows 2d 3d 4d", "B shows 2d 3h 4h")).seqs == (3, 4)
    assert clash_of(deal_of("ABC", "Qh", "A shows 2d 2d 4d")).seqs == (3,)


def test_the_face_up_card_given_back_at_once() -> None:
    assert clash_of(deal_of("ABC", "Qh", "A up Qh")).seqs == (2, 3)


def test_each_contradiction_is_told() -> None:
    deal = deal_of("ABC", "Qh", "A up 4c", "B up 4c", "C up 8d", "A shows 2c 3c 5c", "B shows 2d 3d 8d")
    assert [clash.seqs for clash in lives_clashes(deal)] == [(3, 4), (2, 3, 6), (5, 7)]


def test_nobody_swapped_or_showed() -> None:
    explained(deal_of("ABCDEFGHIJ", "Qh"))


def test_a_deal_of_other_people() -> None:
    with pytest.raises(ValueError, match="event 3"):
        lives_clashes(deal_of("ABC", "Qh", "Z up 4c"))
    with pytest.raises(ValueError, match="event 3"):
        lives_clashes(deal_of("ABC", "Qh", "A sideways 4c"))
    with pytest.raises(ValueError, match="event 3"):
        lives_clashes(deal_of("ABC", "Qh", "Z shows 2c 3c 4c"))


@given(st.randoms(use_true_random=False), st.integers(3, 10), st.integers(0, 40), st.floats(0, 1), st.floats(0, 0.4))
@settings(max_examples=60, deadline=None)
def test_what_was_played_can_be(chance: random.Random, players: int, swaps: int, down: float, whole: float) -> None:
    explained(played(chance, players, swaps, down, whole))


@given(
    st.randoms(use_true_random=False),
    st.integers(3, 4),
    st.integers(1, 10),
    st.sampled_from([0.2, 0.5, 0.8]),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_another_solver_agrees_on_spoilt_deals(
    chance: random.Random, players: int, swaps: int, down: float, whole: float, slips: int
) -> None:
    deal = played(chance, players, swaps, down, whole)
    for _slip in range(slips):
        deal = spoilt(chance, deal)
    if possible(deal):
        explained(deal)
    else:
        clash_of(deal)


@pytest.mark.parametrize("down", [0.0, 0.4, 0.7, 1.0])
def test_ten_players_and_sixty_swaps_are_within_what_is_searched(down: float) -> None:
    deal = played(random.Random(1), 10, 60, down, 0.0 if down == 1.0 else 0.1)
    paths = explain(deal, deal.seqs())
    assert paths is not None
    assert_explains(deal, tell_witness(paths))
