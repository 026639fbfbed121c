"""A pot cut in layers (rules.md §3, all in)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


def layers(payments: Iterable[tuple[str, int, int]], contenders: list[str], cut: bool) -> list[tuple[int, list[str]]]:
    """(chips, who reached it) of each layer of a pot, the lowest first.

    payments: (player, chips, level units), in the order in which they were paid. contenders: those still in.
    cut: whether the pot is cut at all; else it is one layer, and all contenders reached it.

    A payment that lies across a boundary is divided in proportion. What a layer's total does not hold in whole
    chips goes to the lowest layer.
    """
    paid = list(payments)
    pot = sum(chips for _, chips, _ in paid)
    if not cut:
        return [(pot, contenders)]
    reached = {name: 0 for name, _, _ in paid}
    for name, _, units in paid:
        reached[name] += units
    bounds = sorted(set(reached[name] for name in contenders))
    if len(bounds) == 1:
        return [(pot, contenders)]  # as in most hands: nobody who is still in has paid less than another
    scale = 1
    for units in set(units for _, _, units in paid):
        scale = scale * units // _common_divisor(scale, units)
    scaled = [0] * len(bounds)
    filled = {name: 0 for name in reached}
    for name, chips, units in paid:
        start = filled[name]
        filled[name] = start + units
        for at in range(len(bounds)):
            bottom = bounds[at - 1] if at else 0
            top = bounds[at] if at < len(bounds) - 1 else max(filled[name], bounds[at])
            inside = min(filled[name], top) - max(start, bottom)
            if inside > 0:
                scaled[at] += chips * inside * (scale // units)
    amounts = [share // scale for share in scaled]
    amounts[0] = pot - sum(amounts[1:])
    cuts = []
    for at in range(len(bounds)):
        cuts.append((amounts[at], [name for name in contenders if reached[name] >= bounds[at]]))
    return [layer for layer in cuts if layer[0]] or cuts[:1]


def _common_divisor(one: int, other: int) -> int:
    while other:
        one, other = other, one % other
    return one
