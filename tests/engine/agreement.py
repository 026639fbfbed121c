"""What was read of a session, from the engine or from a service, held against the second reading of its log.

Like `money_model`, it takes nothing from the engine: amounts are fractions read from their text.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from tests.engine.money_model import Event, Money

MOST_GROUPED = 10
"""Up to how many players with a balance the fewest payments are looked for here too."""


def agrees(log: list[Event], state: Event, settled: Event, hands: list[Event]) -> None:
    """The standings, the settlement and every hand are what a second reading of the log gives."""
    model = Money.after(log)
    players = state["players"]
    assert state["seats"] == model.seats
    assert in_units(of_each(players, "net"), model.chip) == model.net
    assert model.chips(state["pot"]) == (model.in_play() if model.open is not None or model.game == "lives" else 0)
    assert model.open is not None or model.chips(state["carried"]) == model.carried
    assert state["winners"] == settled["winners"] == model.winners()
    assert state["closed"] == model.over
    assert state["pots_resolved"] == model.resolved
    lives = model.lives if model.game == "lives" else None
    assert settled["lives"] == lives
    assert of_each(players, "lives") == (lives or dict.fromkeys(players))
    if model.in_chips:
        assert in_units(of_each(players, "stack"), model.chip) == {name: model.stack(name) for name in players}
    settles(settled, model)
    assert [hand["hand"] for hand in hands] == [deal.number for deal in model.deals]
    for hand, deal in zip(hands, model.deals, strict=True):
        assert in_units(hand["awards"], model.chip) == deal.awards
        assert in_units(hand["paid"], model.chip) == (
            deal.paid if model.game != "lives" else dict.fromkeys(deal.order, 0)
        )
        assert hand["losers"] == deal.losers


def settles(settled: Event, model: Money) -> None:
    """The balances are the model's and with what is in play make zero; the payments clear them, and no fewer would."""
    unit = model.coin if model.in_chips else model.chip
    balances = in_units(settled["balances"], unit)
    assert balances == model.balances()
    [in_play] = in_units({"": settled["in_play"]}, unit).values()
    assert sum(balances.values()) + in_play == 0
    assert Fraction(settled["sum"]) + Fraction(settled["in_play"]) == 0
    if in_play:
        assert settled["payments"] == settled["outstanding"] == []
        return
    clears(balances, settled["payments"], unit)
    open_balances = tuple(sorted(balance for balance in balances.values() if balance))
    if len(open_balances) <= MOST_GROUPED:
        assert len(settled["payments"]) == len(open_balances) - most_groups(open_balances)
    clears(balances, [*settled["paid"], *settled["outstanding"]], unit)


def clears(balances: Mapping[str, int], payments: list[Event], unit: Fraction) -> None:
    left = dict(balances)
    for payment in payments:
        [amount] = in_units({"": payment["amount"]}, unit).values()
        assert amount > 0
        left[payment["from"]] += amount
        left[payment["to"]] -= amount
    assert not any(left.values())


@cache
def most_groups(balances: tuple[int, ...]) -> int:
    """Into how many groups that make zero the balances fall at most: each can settle within itself, in a payment less
    than it has players. One player after the other is left out; where all that are left make zero, a group was whole.
    """
    if not balances:
        return 0
    return max(most_groups(balances[:at] + balances[at + 1 :]) for at in range(len(balances))) + (sum(balances) == 0)


def of_each(players: Mapping[str, Event], field: str) -> dict[str, Any]:
    return {name: player[field] for name, player in players.items()}


def in_units(amounts: Mapping[str, str], unit: Fraction) -> dict[str, int]:
    """Amounts in whole units, which they must be."""
    counted = {name: Fraction(amount) / unit for name, amount in amounts.items()}
    assert all(amount.denominator == 1 for amount in counted.values()), amounts
    return {name: int(amount) for name, amount in counted.items()}
