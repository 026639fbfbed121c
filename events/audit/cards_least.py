"""Smallest sets of events that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Clashes = Callable[[Sequence[int]], bool]


def first_clash(events: Sequence[int], clashes: Clashes) -> int:
    """How many of ``events``, which clash, are needed from the first on until they do.

    The last of those is the first that contradicts what was before it.
    """
    low, high = 0, len(events)
    while high - low > 1:
        middle = (low + high) // 2
        if clashes(events[:middle]):
            high = middle
        else:
            low = middle
    return high


def needed(some: list[int], fixed: list[int], clashes: Clashes) -> list[int]:
    """A smallest part of ``some`` that clashes together with ``fixed``: without any of it the rest does not.

    ``some`` and ``fixed`` together clash. (Junker's QuickXplain.)
    """
    if clashes(fixed):
        return []
    if len(some) == 1:
        return some
    # The later half is kept first: what is near the contradiction explains it best.
    middle = len(some) // 2
    early, late = some[:middle], some[middle:]
    from_early = needed(early, late + fixed, clashes)
    from_late = needed(late, from_early + fixed, clashes)
    return from_early + from_late


def without_slip(events: Sequence[int], clash: Sequence[int], clashes: Clashes) -> list[int]:
    """``events`` without one of the ``clash``: one whose absence ends all contradictions, if there is one, else its
    last."""
    for slip in sorted(clash, reverse=True):
        rest = [one for one in events if one != slip]
        if not rest or not clashes(rest):
            return rest
    return [one for one in events if one != clash[-1]]
