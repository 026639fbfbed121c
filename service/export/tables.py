"""`csv`, the settlement, and `hands.csv`, a row per player per hand: both for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from service.export.cells import Cell, Number, written
from service.export.night import Night
from service.export.span import Span
from service.night_label import happened_at

SETTLEMENT_COLUMNS = (
    "kind", "night_of", "session", "title", "seat", "player", "name", "to", "to_name",
    "amount", "unit", "lives", "won", "signed", "at",
)  # fmt: skip
HANDS_COLUMNS = (
    "night_of", "session", "hand", "dealt_at", "over_at", "dealer", "result", "by", "pot", "carried",
    "seat", "player", "name", "paid", "award", "net", "unit", "won", "lost_life", "cards", "best", "category",
)  # fmt: skip


OVER_NIGHTS_COLUMNS = ("person",)
"""What a table over nights has besides: the club's person, whose id is one over all nights, where it is known."""
_PLAYER_OF_SETTLEMENT = SETTLEMENT_COLUMNS.index("player")
_PLAYER_OF_HANDS = HANDS_COLUMNS.index("player")


def settlement(night: Night) -> Iterable[bytes]:
    """`csv`. A row of kind `balance` per player; `payment` per payment that settles; `paid` per payment made;
    `outstanding` per payment still to be made."""
    return written(_headed(SETTLEMENT_COLUMNS, _settlement_rows(night)))


def settlement_over_nights(span: Span) -> Iterable[bytes]:
    """`csv` over nights: the rows of each in turn."""
    rows = ((night, row) for night in span.nights for row in _settlement_rows(night))
    return written(_over_nights(SETTLEMENT_COLUMNS, rows, _PLAYER_OF_SETTLEMENT))


def _headed(columns: Sequence[str], rows: Iterable[list[Cell]]) -> Iterator[list[Cell]]:
    yield list(columns)
    yield from rows


def _over_nights(columns: Sequence[str], rows: Iterable[tuple[Night, list[Cell]]], player: int) -> Iterator[list[Cell]]:
    """The rows of several nights, each with who of the club's people sat there. player: the seat's column."""
    yield [*columns, *OVER_NIGHTS_COLUMNS]
    for night, row in rows:
        person = night.people.get(str(row[player]))
        yield [*row, person.id if person is not None else None]


def _settlement_rows(night: Night) -> Iterator[list[Cell]]:
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
    return written(_headed(HANDS_COLUMNS, _hand_rows(night)))


def hands_over_nights(span: Span) -> Iterable[bytes]:
    """`hands.csv` over nights: the rows of each in turn."""
    rows = ((night, row) for night in span.nights for row in _hand_rows(night))
    return written(_over_nights(HANDS_COLUMNS, rows, _PLAYER_OF_HANDS))


def _hand_rows(night: Night) -> Iterator[list[Cell]]:
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
