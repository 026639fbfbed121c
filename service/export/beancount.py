"""`beancount`: the night as a ledger that `bean-check` accepts, balance directives included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from service.export.accounts import BANK, KITTY, POT
from service.export.chart import Aside, Balances, Chart, ChartOverNights
from service.export.journal import Entry, Journal
from service.export.night import Night
from service.export.span import Span


def ledger(night: Night) -> Iterable[bytes]:
    """The ledger, a directive at a time."""
    for block in _blocks(night, Journal(night)):
        yield (block + "\n").encode()


def ledger_over_nights(span: Span) -> Iterable[bytes]:
    """One ledger for several nights: the accounts opened once, and at the end what is owed over all of them."""
    chart, balances, first_day, last_day = ChartOverNights(), Balances(), "", ""
    aside = Aside()
    try:
        for night in span.nights:
            book = Journal(night, chart)
            aside.put(_heading(night, book.first_day))
            for entry in book.entries:
                aside.put(_entry(entry))
            for player, balance in book.final_balances().items():
                balances.add(book.accounts[player], book.money, balance)
            first_day, last_day = min(first_day or book.first_day, book.first_day), max(last_day, book.last_day)
        yield f'option "title" {_quoted(f"Bragbook, {span.words()}")}\n\n'.encode()
        if chart.holders:
            yield (_declared(chart, first_day) + "\n").encode()
        yield from aside.taken()
    finally:
        aside.close()
    if chart.holders:
        yield (_balances(last_day, balances) + "\n").encode()


def _blocks(night: Night, book: Journal) -> Iterator[str]:
    yield f'option "title" {_quoted(f"The night of {night.night_of} {night.title}".strip())}\n'
    yield _heading(night, book.first_day)
    yield _declared(book.chart, book.first_day)
    for entry in book.entries:
        yield _entry(entry)
    balances = Balances()
    for player, balance in book.final_balances().items():
        balances.add(book.accounts[player], book.money, balance)
    yield _balances(book.last_day, balances)


def _heading(night: Night, day: str) -> str:
    facts = {
        "game": night.game, "version": str(night.head["seq"]), "head": night.head["hash"],
    }  # fmt: skip
    return f'{day} custom "bragbook" {_quoted(night.session_id)}\n' + "".join(
        f"  {name}: {_quoted(value)}\n" for name, value in facts.items()
    )


def _declared(chart: Chart, day: str) -> str:
    """Commodities, accounts and prices. day: the first of the file, when what is nobody's account is opened."""
    lines = [f"{day} commodity {symbol}\n  name: {_quoted(name)}" for symbol, name in chart.commodities.items()]
    for name, holder in chart.holders.items():
        lines += [f"{holder.day} open {name}", f"  name: {_quoted(holder.name)}", f"  player: {_quoted(holder.key)}"]
    lines += [f"{day} open {name}" for name in (POT, BANK, KITTY)]
    lines += [f"{price.day} price {symbol} {price.amount} {price.currency}" for symbol, price in chart.prices.items()]
    return "\n".join(lines) + "\n"


def _entry(entry: Entry) -> str:
    first, last = entry.seqs
    lines = [f"{entry.day} * {_quoted(entry.words)}", f'  events: "{first}-{last}"', f"  at: {_quoted(entry.at)}"]
    for posting in entry.postings:
        lines.append(f"  {posting.account}  {posting.amount} {posting.commodity}")
        if posting.note:
            lines.append(f"    name: {_quoted(posting.note)}")
    return "\n".join(lines) + "\n"


def _balances(last_day: str, balances: Balances) -> str:
    """What is still owed, the settlement less the payments made. A balance holds at the start of its day: the next."""
    day = (date.fromisoformat(last_day) + timedelta(days=1)).isoformat()
    return "\n".join(f"{day} balance {name}  {balance} {symbol}" for name, balance, symbol in balances.all())


def _quoted(text: str) -> str:
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    )
    return f'"{escaped}"'
