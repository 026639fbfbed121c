"""Whether hands can have come round in the unshuffled pack: named stories, and packs against a second opinion."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.audit import audit_session
from events.audit.cards_course import pack_steps
from events.audit.cards_three import PackStep, pack_clashes
from events.audit.walk import Walk
from events.cards import parse_card
from tests.engine.unshuffled_packs import played, possible, spoilt
from tests.export.nights import night


def steps_of(*lines: str) -> list[PackStep]:
    """Steps from short lines: "deal A B C", "A shows Kd 9h 4c", "bury A", "keep A", "bury A old", "shuffle A"."""
    steps, seq = [PackStep("shuffle")], 1
    for line in lines:
        first, *rest = line.split()
        if first in ("deal", "shuffle"):
            steps.append(PackStep(first, order=rest))
        elif first in ("bury", "keep"):
            steps.append(PackStep(first, rest[0], rest[1] if len(rest) > 1 else "new"))
        else:
            seq += 1
            which = "old" if "old" in rest else "new"
            steps.append(PackStep("show", first, which, cards=[parse_card(card) for card in rest[-3:]], seq=seq))
    return steps


def clashes(*lines: str) -> list[tuple[int, ...]]:
    steps = steps_of(*lines)
    found = pack_clashes(steps)
    for clash in found:
        assert not possible(steps, clash.seqs), "they do clash"
        for seq in clash.seqs:
            assert possible(steps, [one for one in clash.seqs if one != seq]), "and none could be left out"
    return [clash.seqs for clash in found]


def test_a_card_that_went_under_the_pack_is_not_in_the_next_deal() -> None:
    first = ["deal A B C", "A shows Kd 9h 4c", "C shows Qc Qs 5d", "bury B", "bury A", "bury C"]
    assert clashes(*first, "deal B C A", "B shows Kd 8c 2h") == [(2, 4)]
    assert clashes(*first, "deal B C A", "B shows Jd 8c 2h", "A shows 6c 6d 6h") == []
    assert clashes(*first, "shuffle", "deal B C A", "B shows Kd 8c 2h") == []


# With sixteen players a deal takes 48 cards: four are left on top, then come the hands that went under.
SIXTEEN = [chr(ord("A") + seat) for seat in range(16)]


def test_to_whom_a_card_can_come_and_to_whom_not() -> None:
    """The first hand that died fills places 5 to 7: they go to the fifth, sixth and seventh player, a card each."""
    deal = "deal " + " ".join(SIXTEEN)
    first = [deal, "A shows Kd 9h 4c", *(f"bury {name}" for name in SIXTEEN), deal]
    for name in "EFG":
        assert clashes(*first, f"{name} shows Kd 2c 3c") == []
    for name in "ABCDHIJKLMNOP":
        assert clashes(*first, f"{name} shows Kd 2c 3c") == [(2, 3)]


def test_dealt_one_at_a_time_a_hand_is_scattered() -> None:
    deal = "deal " + " ".join(SIXTEEN)
    first = [deal, "A shows Kd 9h 4c", *(f"bury {name}" for name in SIXTEEN), deal]
    assert clashes(*first, "E shows Kd 2c 3c", "F shows 9h 5c 6c", "G shows 4c 7c 8c") == []
    # of three cards in three hands no hand has two, and none of the three is without one
    assert clashes(*first, "E shows Kd 9h 3c") == [(2, 3)]
    none_of_them = [*first, "E shows 2c 3c 4h"]
    assert clashes(*none_of_them) == [(2, 3)]
    (clash,) = pack_clashes(steps_of(*none_of_them))
    assert sorted(clash.cards) == sorted(parse_card(card) for card in ("2c", "3c", "4h"))


def test_with_two_players_a_hand_comes_back_in_a_certain_deal() -> None:
    rounds = []
    for number in range(8):
        rounds += ["deal A B", "bury A", "bury B"]
        if number == 0:
            rounds.insert(1, "A shows Kd 9h 4c")
    # 52 cards, six a deal: what died first lies at places 47 to 49, and the ninth deal takes 49 to 54.
    assert clashes(*rounds, "deal A B", "A shows Kd 2c 3c") == []
    assert clashes(*rounds[:-3], "deal A B", "A shows Kd 2c 3c") == [(2, 3)]


def test_one_card_in_two_hands_of_a_deal_and_twice_in_one() -> None:
    assert clashes("deal A B", "A shows Kd 9h 4c", "B shows Kd 2c 3c") == [(2, 3)]
    assert clashes("deal A B", "A shows Kd Kd 4c") == [(2,)]


def test_from_a_shuffle_a_card_goes_where_it_is_shown_next_and_no_further() -> None:
    lines = ["deal A B", "B shows Kd 9h 4c", "bury A", "bury B", "shuffle", "deal A B", "A shows Kd 5s 5c"]
    assert clashes(*lines, "bury B", "bury A", "deal B A", "B shows Kd 6c Tc") == [(3, 4)]
    assert clashes(*lines, "bury B", "bury A", "shuffle", "deal B A", "B shows Kd 6c Tc") == []


def test_a_kept_hand_holds_what_it_held() -> None:
    first = ["deal A B C", "B shows Kd 9h 4c", "bury B", "bury C", "keep A", "deal B C A"]
    assert clashes(*first, "A shows old Kd 2c 3c") == [(2, 3)]
    assert clashes(*first, "A shows old Qd 2c 3c") == []
    # through a shuffle too: what lay elsewhere then is not in it, and what is in it nobody else has
    called_off = [*first, "shuffle A", "deal B C A"]
    assert clashes(*called_off, "A shows old Kd 2c 3c") == [(2, 3)]
    assert clashes(*called_off, "B shows Kd 2c 3c", "A shows old Qd 5c 6c") == []
    assert clashes(*called_off, "A shows old Qd 5c 6c", "B shows Qd 2c 3c") == [(3, 4)]


def test_a_slip_that_contradicts_many_showings_is_told_once() -> None:
    lines = ["deal A B C", "A shows Kd 9h 4c", "B shows Kd 2c 3c", "C shows 9h 2d 3d"]
    assert clashes(*lines) == [(2, 3)]


@given(
    st.randoms(use_true_random=False),
    st.integers(2, 16),
    st.integers(1, 12),
    st.floats(0.1, 1),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=40, deadline=None)
def test_what_was_played_can_be(
    chance: random.Random, players: int, deals: int, show: float, shuffle: float, keep: float
) -> None:
    if players == 16:
        keep = 0.0  # the simulation may keep two hands running, and the pack is not that large
    assert pack_clashes(played(chance, players, deals, show, shuffle, keep)) == []


@given(
    st.randoms(use_true_random=False),
    st.integers(2, 6),
    st.integers(1, 3),
    st.floats(0.3, 1),
    st.sampled_from([0, 0.2]),
)
@settings(max_examples=25, deadline=None)
def test_another_solver_agrees_on_spoilt_packs(
    chance: random.Random, players: int, deals: int, show: float, shuffle: float
) -> None:
    steps = spoilt(chance, played(chance, players, deals, show, shuffle, 0.2))
    seqs = [step.seq for step in steps if step.kind == "show"]
    found = pack_clashes(steps)
    assert bool(found) != possible(steps, seqs)
    if found:
        assert not possible(steps, found[0].seqs)
        for seq in found[0].seqs:
            assert possible(steps, [one for one in found[0].seqs if one != seq])


@pytest.mark.parametrize(("players", "deals"), [(4, 15), (6, 12), (3, 40)])
def test_a_whole_match_is_within_what_is_searched(players: int, deals: int) -> None:
    steps = played(random.Random(1), players, deals, 0.4, 0.0, 0.1)
    assert pack_clashes(steps) == []


def hand_of(dealer: str, first: str, shows: str, second: str, see: str, folds: str) -> list[dict[str, object]]:
    """A hand of three: `first` bets and is seen by `second`; the third folds."""
    order = "ABC"[("ABC".index(dealer) + 1) % 3 :] + "ABC"[: ("ABC".index(dealer) + 1) % 3]
    acts: dict[str, dict[str, object]] = {
        first: {"type": "bet", "player": first, "as": "seen", "amount": "1"},
        folds: {"type": "fold", "player": folds},
        second: {"type": "see", "player": second},
    }
    looks = [{"type": "look", "player": second}]
    events: list[dict[str, object]] = [{"type": "deal", "dealer": dealer}]
    events += [{"type": "ante", "player": player} for player in order]
    for player in order:
        events += [*looks, acts[player]] if player == second else [acts[player]]
    events.append({"type": "reveal", "player": first, "cards": shows.split()})
    events.append({"type": "reveal", "player": second, "cards": see.split()})
    return events


def test_the_game_itself_says_what_happens_to_the_pack() -> None:
    """And the audit names two showings that the log's own simple look lets pass."""
    body = {"game": "three-card", "players": ["A", "B", "C"]}
    first = hand_of("C", "A", "Kd 9h 4c", "C", "Qc Qs 5d", "B")
    steps = pack_steps(Walk(night(body, first).events))
    assert [(step.kind, step.player) for step in steps] == [
        ("shuffle", ""), ("shuffle", ""), ("deal", ""), ("bury", "B"), ("show", "A"), ("show", "C"), ("bury", "A"),
        ("bury", "C"),
    ]  # fmt: skip
    assert [step.seq for step in steps if step.kind == "show"] == [10, 11]
    assert steps[2].order == ("A", "B", "C")
    second = hand_of("A", "B", "Jd 8c 2h", "A", "6c 6d 7h", "C")
    report = audit_session(list(night(body, first + second).events))
    assert report["verdict"] == "sound"
