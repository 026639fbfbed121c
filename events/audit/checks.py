"""The checks of contract.md §5: each recomputed from the events alone."""

from __future__ import annotations

from events.audit.findings import Finding
from events.audit.walk import Walk
from events.log import chain_fault
from events.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHECKS = ("chain", "rules", "pot", "award", "zero_sum", "cards", "lives", "projection", "settlement")


def chain(events: list[dict[str, Any]]) -> list[Finding]:
    """Hashes recomputed, no gap, each event continuing the one before."""
    fault = chain_fault(events)
    if fault is None:
        return []
    seq, what = fault
    return [Finding("chain.broken", "error", f"event {seq}: {what}", None, [seq], rule="contract.md §3")]


def projection(drift: list[str] | None) -> list[Finding]:
    """What is stored beside the events is what a replay gives."""
    return [Finding("projection.drift", "error", said, rule="contract.md §5") for said in drift or []]


def zero_sum(walk: Walk) -> list[Finding]:
    """Nets, pots and chips make zero after every event (rules.md §1, sums)."""
    if walk.sums is None:
        return []
    seq, what = walk.sums
    return [
        Finding("zero_sum", "error", f"after event {seq} {what}", None, [seq], rule="rules.md §1", check="zero_sum")
    ]


def pot(walk: Walk) -> list[Finding]:
    """What each hand took in is what it paid out or handed on."""
    table = walk.session.table
    found = []
    carried = 0
    for hand in table.hands:
        paid = sum(hand.paid[name] for name in hand.order)
        given = sum(hand.awards[name] for name in hand.awards)
        if hand.result != "open" and carried + paid != given + hand.carried_out:
            message = f"hand {hand.number} took in {table.text(carried + paid)} and gave out {table.text(given)}"
            found.append(Finding("pot", "error", message, hand.number, [hand.last], rule="rules.md §1", check="pot"))
        carried = hand.carried_out
    return found


def lives(walk: Walk) -> list[Finding]:
    """Everyone has the lives they began with, less one for each hand that they lost (rules.md §2.4)."""
    session = walk.session
    if session.game != "lives":
        return []
    found = []
    for name in session.seats:
        lost = sum(1 for hand in session.table.hands if name in hand.losers)
        left = session.table.players[name].lives
        if left != session.rules["lives"] - lost:
            message = f"{name} lost {lost} and has {left} left"
            found.append(Finding("lives", "error", message, players=[name], rule="rules.md §2.4", check="lives"))
    return found


def settlement(settled: dict[str, Any], walk: Walk) -> list[Finding]:
    """The payments clear every balance, to the last chip or coin."""
    unit = walk.session.unit
    read = unit.coins_of if walk.session.table.with_chips else unit.chips_of
    left = {name: read(settled["balances"][name]) for name in settled["balances"]}
    if settled["in_play"] != "0":
        return []
    for payment in settled["payments"]:
        left[payment["from"]] += read(payment["amount"])
        left[payment["to"]] -= read(payment["amount"])
    open_ = [name for name in walk.session.seats if left[name]]
    if not open_:
        return []
    message = f"the payments leave {', '.join(open_)} with a balance"
    return [Finding("settlement", "error", message, players=open_, rule="contract.md §4", check="settlement")]


def details(
    walk: Walk, events: list[dict[str, Any]], settled: dict[str, Any], drift: list[str] | None
) -> dict[str, str]:
    """What each check looked at, for one that passes."""
    session = walk.session
    over = [hand for hand in session.table.hands if hand.result != "open"]
    counting = len(events) - len(session.struck)
    shown = sum(len(hand.shown) for hand in session.table.hands)
    return {
        "chain": f"{counted(len(events), 'event')}, head {events[-1].get('hash', '')}",
        "rules": f"{counted(counting, 'event')} counted, {len(session.struck)} struck",
        "pot": f"in {counted(len(over), 'hand')} what was put in was given out or handed on",
        "award": f"{counted(len(over), 'hand')} paid as the rules have it",
        "zero_sum": f"nets and what is in play make 0 after each of {counted(counting, 'event')}",
        "cards": f"{counted(shown, 'hand')} shown" + (", too tangled to say more" if walk.undecided else ""),
        "lives": "no lives in this game" if settled["lives"] is None else "lives are those of the hands lost",
        "projection": "there is no store here to compare with"
        if drift is None
        else "what is stored is what a replay gives",
        "settlement": "something is in play: no payments yet"
        if settled["in_play"] != "0"
        else f"{counted(len(settled['payments']), 'payment')} for {counted(len(settled['balances']), 'balance')}",
    }
