"""How often Python looks for objects that hold each other and nobody else holds."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SELDOM: Final = 50_000
"""Replaying makes tens of thousands of objects that all live as long as the night: looking for garbage among them every
700, as Python does by itself, costs a fifth of the time; and a look through all that is held, during which nothing else
runs, takes a second where a session is long."""


def look_seldom() -> None:
    """From now on in this process; and never through what is there already."""
    gc.freeze()
    gc.set_threshold(SELDOM, *gc.get_threshold()[1:])


@contextmanager
def looked_for_seldom() -> Iterator[None]:
    """For as long as the block runs."""
    before = gc.get_threshold()
    gc.set_threshold(SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
