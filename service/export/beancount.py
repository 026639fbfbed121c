"""`beancount`: the night as a ledger that `bean-check` accepts, balance directives included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from service.export.accounts import BANK, KITTY, POT
from service.export.journal import Entry, Journal
from service.export.night import Night


def ledger(night: Night) -> Iterable[bytes]:
    """The ledger, a directive at a time."""
    for block in _blocks(night, Journal(night)):
        yield (block + "\n").encode()


def _blocks(night: Night, book: Journal) -> Iterator[str]:
    day = book.first_day
    yield f'option "title" {_quoted(f"The night of {night.night_of} {night.title}".strip())}\n'
    yield _heading(night, day)
    for symbol, name in _commodities(night, book).items():
        yield f"{day} commodity {symbol}\n  name: {_quoted(name)}"
    for player in night.seats:
        yield f"{day} open {book.accounts[player]}\n  name: {_quoted(night.name(player))}\n  player: {_quoted(player)}"
    yield "".join(f"{day} open {account}\n" for account in (POT, BANK, KITTY))
    if book.worth is not None:
        amount, currency = book.worth
        yield f"{day} price {book.chips} {amount} {currency}\n"
    for entry in book.entries:
        yield _entry(entry)
    yield _balances(book)


def _heading(night: Night, day: str) -> str:
    facts = {
        "game": night.game, "version": str(night.head["seq"]), "head": night.head["hash"],
    }  # fmt: skip
    return f'{day} custom "bragbook" {_quoted(night.session_id)}\n' + "".join(
        f"  {name}: {_quoted(value)}\n" for name, value in facts.items()
    )


def _commodities(night: Night, book: Journal) -> dict[str, str]:
    names = {book.chips: night.unit_name, book.money: night.money_name}
    if book.worth is not None:
        names[book.worth[1]] = night.opening["unit"]["currency"]
    return names


def _entry(entry: Entry) -> str:
    first, last = entry.seqs
    lines = [f"{entry.day} * {_quoted(entry.words)}", f'  events: "{first}-{last}"', f"  at: {_quoted(entry.at)}"]
    for posting in entry.postings:
        lines.append(f"  {posting.account}  {posting.amount} {posting.commodity}")
        if posting.note:
            lines.append(f"    name: {_quoted(posting.note)}")
    return "\n".join(lines) + "\n"


def _balances(book: Journal) -> str:
    """What is still owed, the settlement less the payments made. A balance holds at the start of its day: the next."""
    day = (date.fromisoformat(book.last_day) + timedelta(days=1)).isoformat()
    balances = book.final_balances().items()
    return "\n".join(f"{day} balance {book.accounts[player]}  {balance} {book.money}" for player, balance in balances)


def _quoted(text: str) -> str:
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    )
    return f'"{escaped}"'
