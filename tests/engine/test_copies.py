"""Copies of what a hand changes are whole: a place left out would be lost with the next batch of events."""

import pytest

from events.games.hand import Holding
from events.games.player import Player


@pytest.mark.parametrize("kind", [Holding, Player])
def test_a_copy_has_every_place(kind):
    original = kind()
    for slot in kind.__slots__:
        setattr(original, slot, object())
    copy = original.copy()
    assert type(copy) is kind
    for slot in kind.__slots__:
        assert getattr(copy, slot) is getattr(original, slot), slot
