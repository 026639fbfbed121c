"""No tap is wasted: a hand of each game takes the fewest there can be, and one more only where that is told why."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.web.taps import KINDS, Kind, begin, tap_a_hand

MOST_EXTRA = 4
"""In so many decisions one may take a tap more: else it is no exception."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.game)
def test_the_taps_of_a_hand(phone: Callable[..., Page], kind: Kind) -> None:
    hand = tap_a_hand(begin(phone(), kind))
    print(f"{kind.game}: {hand.taps} taps, at the fewest {hand.fewest}, {[one['type'] for one in hand.events]}")
    assert hand.taps <= hand.allowed
    assert hand.allowed <= hand.fewest + len(hand.events) // MOST_EXTRA
