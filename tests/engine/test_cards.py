"""Cards as people write them, and as they are stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.cards import NAMES, PACK, RANKS, SUITS, card_name, parse_card


def test_a_pack_is_52_different_cards_that_read_back():
    assert len(set(NAMES)) == PACK == 52
    assert [parse_card(name) for name in NAMES] == list(range(52))
    assert tuple(card_name(card) for card in range(52)) == NAMES


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("Ks", "Ks"), ("ks", "Ks"), ("KS", "Ks"), ("kS", "Ks"), ("K♠", "Ks"), ("K♠\ufe0f", "Ks"), ("k♠\ufe0e", "Ks"),
        ("10d", "Td"), ("10D", "Td"), ("10♦", "Td"), ("10♦\ufe0f", "Td"), ("td", "Td"), ("T♦", "Td"),
        ("2♥", "2h"), ("A♣", "Ac"), ("a♣\ufe0f", "Ac"), ("9C", "9c"),
    ],
)  # fmt: skip
def test_every_written_form_is_stored_in_one(written, stored):
    assert card_name(parse_card(written)) == stored


@pytest.mark.parametrize(
    "written",
    ["", "K", "s", "sK", "Ksx", " Ks", "Ks ", "1s", "11s", "10", "0s", "Kx", "KsKs", "K\ufe0f♠", "K♠\ufe0f\ufe0f",
     "\u0663s", "Ｋs", "Joker", None, True, 7, 1.5, ["Ks"], {"Ks": 1}, b"Ks"],
)  # fmt: skip
def test_what_is_no_card_is_refused(written):
    with pytest.raises(ValueError, match="such as Ks or Td"):
        parse_card(written)


@pytest.mark.parametrize("number", [-1, 52, 1000])
def test_an_integer_outside_the_pack_has_no_name(number):
    with pytest.raises(ValueError, match="no card"):
        card_name(number)


def test_a_greater_integer_is_the_better_card():
    order = [parse_card(text) for text in ("2c", "2d", "2h", "2s", "3c", "9s", "Tc", "Js", "Qc", "Kh", "Ks", "As")]
    assert order == sorted(order)
    assert [RANKS[card >> 2] + SUITS[card & 3] for card in range(52)] == list(NAMES)


@given(st.text(max_size=5))
def test_any_text_is_a_card_or_a_value_error(text):
    try:
        card = parse_card(text)
    except ValueError:
        return
    assert parse_card(card_name(card)) == card
