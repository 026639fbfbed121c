"""`csv`, the settlement, and `hands.csv`, a row per player per hand: both for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from service.export.cells import Cell, Number, written
from service.export.night import Night
from service.night_label import happened_at

SETTLEMENT_COLUMNS = (
    "kind", "night_of", "session", "title", "seat", "player", "name", "to", "to_name",
    "amount", "unit", "lives", "won", "signed", "at",
)  # fmt: skip
HANDS_COLUMNS = (
    "night_of", "session", "hand", "dealt_at", "over_at", "dealer", "result", "by", "pot", "carried",
    "seat", "player", "name", "paid", "award", "net", "unit", "won", "lost_life", "cards", "best", "category",
)  # fmt: skip


def settlement(night: Night) -> Iterable[bytes]:
    """`csv`. A row of kind `balance` per player; `payment` per payment that settles; `paid` per payment made;
    `outstanding` per payment still to be made."""
    return written(_settlement_rows(night))


def _settlement_rows(night: Night) -> Iterator[list[Cell]]:
    yield list(SETTLEMENT_COLUMNS)
    settled = night.session.settlement()
    winners, lives = settled["winners"] or [], settled["lives"] or {}
    for player in night.seats:
        yield [
            "balance", night.night_of, night.session_id, night.title, night.seat(player), player, night.name(player),
            None, None, Number(settled["balances"].get(player, "0")), night.money_name, lives.get(player),
            _yes(player in winners), _yes(player in settled["signed"]), None,
        ]  # fmt: skip
    for kind, payments in (
        ("payment", settled["payments"]), ("paid", settled["paid"]), ("outstanding", settled["outstanding"]),
    ):  # fmt: skip
        for payment in payments:
            payer, payee = payment["from"], payment["to"]
            at = happened_at(night.events[payment["seq"] - 1]) if "seq" in payment else None
            yield [
                kind, night.night_of, night.session_id, night.title, night.seat(payer), payer, night.name(payer),
                payee, night.name(payee), Number(payment["amount"]), night.money_name, None, None, None, at,
            ]  # fmt: skip


def hands(night: Night) -> Iterable[bytes]:
    """`hands.csv`. A row for every player dealt into every hand; cards and category where they were shown."""
    return written(_hand_rows(night))


def _hand_rows(night: Night) -> Iterator[list[Cell]]:
    yield list(HANDS_COLUMNS)
    for hand in night.session.hands():
        dealt = happened_at(night.events[hand["first"] - 1])
        over = happened_at(night.events[hand["last"] - 1]) if hand.get("last") else None
        for player in sorted(hand["paid"], key=night.seat):
            shown = hand["shown"].get(player, {})
            yield [
                night.night_of, night.session_id, hand["hand"], dealt, over, hand["dealer"], hand["result"], hand["by"],
                Number(hand["pot"]), Number(hand["carried"]), night.seat(player), player, night.name(player),
                Number(hand["paid"][player]), Number(hand["awards"].get(player, "0")),
                Number(hand["net"].get(player, "0")), night.unit_name, _yes(player in hand["winners"]),
                _yes(player in hand["losers"]), " ".join(shown.get("cards", ())), " ".join(shown.get("best", ())),
                shown.get("category"),
            ]  # fmt: skip


def _yes(holds: bool) -> str | None:
    return "yes" if holds else None
