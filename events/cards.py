"""Cards: one pack of 52, reading what people write and writing it one way.

A card is an integer from 0 to 51, ``rank * 4 + suit``, so that a greater integer is a card of higher rank, or of the
same rank and a better suit (rules.md §1).
"""

from __future__ import annotations

RANKS = "23456789TJQKA"
SUITS = "cdhs"
"""Worst first: clubs, diamonds, hearts, spades."""

PACK = 52

NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The name under which each card is stored, two characters, by card."""

CARDS = {NAMES[card]: card for card in range(PACK)}
"""The card of each stored name: for what has been read already."""

_SUIT_SIGNS = ("\u2663", "\u2666", "\u2665", "\u2660")
_SIGN_STYLES = ("", "\ufe0e", "\ufe0f")
"""A phone's keyboard puts an invisible mark behind a suit sign that asks for a text or a coloured form."""


def _spellings() -> dict[str, int]:
    known: dict[str, int] = {}
    for rank in range(len(RANKS)):
        letter = RANKS[rank]
        ranks = [letter, letter.lower()]
        if letter == "T":
            ranks.append("10")
        for suit in range(len(SUITS)):
            suits = [SUITS[suit], SUITS[suit].upper()]
            for style in _SIGN_STYLES:
                suits.append(_SUIT_SIGNS[suit] + style)
            for rank_text in ranks:
                for suit_text in suits:
                    known[rank_text + suit_text] = rank * 4 + suit
    return known


_SPELLINGS = _spellings()


def parse_card(text: object) -> int:
    """The card that ``text`` names: ``"Ks"``, ``"10d"``, ``"K♠"``, lower case too (contract.md §3).

    Raises ValueError for anything else.
    """
    if isinstance(text, str):
        card = _SPELLINGS.get(text)
        if card is not None:
            return card
    raise ValueError("not a card: write the rank (2-9, T, J, Q, K, A) and then the suit (s, h, d, c), such as Ks or Td")


def card_name(card: int) -> str:
    """The stored name of a card, such as ``"Td"``. Raises ValueError for an integer that is no card."""
    if not 0 <= card < PACK:
        raise ValueError(f"no card has the number {card}")
    return NAMES[card]
