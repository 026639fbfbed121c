"""`txt`: a hand history that a person reads. Every event is told, in the log's order, with the pot after it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from events.session import Session
from events.texts import counted
from service.export.night import Night, StoredEvent
from service.export.span import Span, Totals
from service.export.words import CATEGORIES, Teller, cards, lives_left
from service.night_label import happened_at
from service.one_line import one_line

WIDTH = 100


def history(night: Night) -> Iterable[bytes]:
    """The history, a line at a time, UTF-8."""
    for line in _lines(night):
        yield (one_line(line).rstrip() + "\n").encode()


def history_over_nights(span: Span) -> Iterable[bytes]:
    """The histories of one night after another, and what everybody came to."""
    words = span.words()
    yield f"{words[:1].upper()}{words[1:]}\n".encode()
    totals = Totals()
    for night in span.nights:
        totals.add(night)
        yield ("\n" + "=" * WIDTH + "\n\n").encode()
        yield from history(night)
    yield ("\n" + "=" * WIDTH + "\n\nOver these nights\n").encode()
    for total in totals.all():
        unit = f"{total.unit} of {total.worth} {total.currency}" if total.worth else total.unit
        line = one_line(f"  {total.name:<40} {total.net_text():>12} {unit}, {counted(total.nights, 'night')}")
        yield f"{line}\n".encode()


def _lines(night: Night) -> Iterator[str]:
    yield from _heading(night)
    teller, struck = Teller(night), night.struck()
    hands = {hand["last"]: hand for hand in night.session.hands() if hand.get("last")}
    before: Mapping[str, Any] = Session(night.opening).state(night.shown_names())
    told_hand = None
    for event, session in night.steps():
        after = session.state(night.shown_names())
        if event["type"] == "deal":
            told_hand = event.get("hand")
            yield from ("", f"Hand {told_hand}, {clock(event)}")
        yield _line(event, teller.tell(event, before, after), after, struck.get(event["seq"]))
        if event["seq"] in hands:
            yield from _outcome(teller, hands[event["seq"]])
        before = after
    yield from _settlement(night)


def _heading(night: Night) -> Iterator[str]:
    title = f"{night.title}, the" if night.title else "The"
    yield f"{title} night of {night.night_of}"
    yield f"{night.game}, counted in {night.unit_name}; begun {clock(night.opening)}; times are UTC"
    yield f"Session {night.session_id}, version {night.head['seq']}, head {night.head['hash']}"
    yield ""
    for player in night.seats:
        yield f"  {night.seat(player):>2}  {night.label(player)}"
    yield ""
    rules = night.opening["rules"]
    agreed = "Agreed: " + ", ".join(f"{name} {_agreed(rules[name])}" for name in sorted(rules))
    yield from textwrap.wrap(agreed, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _agreed(value: object) -> str:
    if value is None:
        return "none"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def clock(event: StoredEvent) -> str:
    """The event's time to the second, with its offset: `2026-06-27 23:10:00 UTC`."""
    when = happened_at(event)
    return f"{when[:10]} {when[11:19]} UTC" if when else "time unknown"


def _line(event: StoredEvent, words: str, after: Mapping[str, Any], void: StoredEvent | None) -> str:
    number = f"{event['seq']:>6}  "
    if void is not None:
        return f"{number}[struck out by {void['seq']}] {words}"
    pot = f"pot {after['pot']}" if after["pot"] != "0" else ""
    return f"{number}{words:<{WIDTH - 24}}  {pot}"


def _outcome(teller: Teller, hand: Mapping[str, Any]) -> Iterator[str]:
    yield f"        = {teller.hand(hand)}"
    for player, shown in hand["shown"].items():
        best = f", best {cards(shown['best'])}" if sorted(shown["best"]) != sorted(shown["cards"]) else ""
        category = CATEGORIES.get(shown["category"], shown["category"])
        yield f"          {teller.night.label(player)}: {cards(shown['cards'])}{best}, {category}"
    for layer in hand.get("side_pots", ()):
        winners = ", ".join(teller.night.label(player) for player in layer["winners"])
        yield f"          pot of {layer['amount']}: {winners}"
    if any(amount != "0" for amount in hand["net"].values()):
        yield f"          {teller.nets(hand['net'])}"


def _settlement(night: Night) -> Iterator[str]:
    settled = night.session.settlement()
    yield from ("", f"Settlement, in {night.money_name}")
    for player in night.seats:
        balance = settled["balances"].get(player, "0")
        lives = f"  {lives_left(settled['lives'].get(player, 0))}" if settled["lives"] is not None else ""
        signed = "  signed" if player in settled["signed"] else ""
        yield f"  {night.label(player):<40} {balance:>12}{lives}{signed}"
    if settled["in_play"] != "0":
        yield f"  In play: {settled['in_play']}"
    if settled["winners"]:
        yield "  Winner: " + ", ".join(night.label(player) for player in settled["winners"])
    papers = [("Payments", settled["payments"])]
    if settled["paid"]:
        papers += [("Paid", settled["paid"]), ("Still to pay", settled["outstanding"])]
    for title, payments in papers:
        if payments:
            yield f"{title}:"
            for payment in payments:
                yield f"  {night.label(payment['from'])} pays {night.label(payment['to'])} {payment['amount']}"
