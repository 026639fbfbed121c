"""`hledger`: the night as a journal that `hledger check --strict` accepts, balance assertions included."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from service.export.accounts import BANK, KITTY, POT
from service.export.chart import Aside, Balances, Chart, ChartOverNights
from service.export.journal import Entry, Journal
from service.export.night import Night
from service.export.span import Span

FOR_ONE_NIGHT = (
    "An account's third part is the player's id after P- (-- is a dash, -u an underscore); names are in comments.",
)
OVER_NIGHTS = "An account's third part is the end of a person's id after P-, over all nights; names are in comments."
HOW_TO_READ = ("Above zero: the others owe this player. Days are nights; the times in the comments are UTC.",)


def journal(night: Night) -> Iterable[bytes]:
    """The journal, an entry at a time."""
    for block in _blocks(night, Journal(night)):
        yield (block + "\n").encode()


def journal_over_nights(span: Span) -> Iterable[bytes]:
    """One journal for several nights: the accounts declared once, and at the end what is owed over all of them."""
    chart, balances, last_day = ChartOverNights(), Balances(), span.last or span.first or "1970-01-01"
    aside = Aside()
    try:
        for night in span.nights:
            book = Journal(night, chart)
            aside.put(_comments(_about(night)))
            for entry in book.entries:
                aside.put(_entry(entry))
            for player, balance in book.final_balances().items():
                balances.add(book.accounts[player], book.money, balance)
            last_day = max(last_day, book.last_day)
        yield (_comments([f"Bragbook, {span.words()}", OVER_NIGHTS, *HOW_TO_READ]) + "\n").encode()
        yield (_declared(chart) + "\n").encode()
        yield from aside.taken()
    finally:
        aside.close()
    if balances.all():
        yield (_closing(last_day, balances) + "\n").encode()


def _blocks(night: Night, book: Journal) -> Iterator[str]:
    yield _comments([*_about(night), *FOR_ONE_NIGHT, *HOW_TO_READ])
    yield _declared(book.chart)
    for entry in book.entries:
        yield _entry(entry)
    balances = Balances()
    for player, balance in book.final_balances().items():
        balances.add(book.accounts[player], book.money, balance)
    yield _closing(book.last_day, balances)


def _about(night: Night) -> list[str]:
    return [
        f"The night of {night.night_of}" + (f": {night.title}" if night.title else ""),
        f"Bragbook session {night.session_id}, {night.game}, version {night.head['seq']}, head {night.head['hash']}",
    ]


def _comments(lines: Iterable[str]) -> str:
    return "".join(f"; {' '.join(line.split())}\n" for line in lines)


def _declared(chart: Chart) -> str:
    """Commodities, accounts and prices."""
    lines = ["decimal-mark ."]
    # the decimal mark is asked for by hledger even where no decimal follows it
    lines += [f'commodity 1000.{"0" * chart.places[symbol]} "{symbol}"' for symbol in sorted(chart.commodities)]
    lines.append("")
    lines += [f"account {name}  ; name: {_quoted(holder.name)}" for name, holder in chart.holders.items()]
    lines += [f"account {name}" for name in (POT, BANK, KITTY)]
    lines += [""] if chart.prices else []
    lines += [f'P {price.day} "{symbol}" {price.amount} "{price.currency}"' for symbol, price in chart.prices.items()]
    return "\n".join(lines) + "\n"


def _entry(entry: Entry) -> str:
    first, last = entry.seqs
    events = f"event {first}" if first == last else f"events {first} to {last}"
    lines = [f"{entry.day} * {_one_line(entry.words)}", f"    ; {events}, {entry.at}"]
    for posting in entry.postings:
        note = f"  ; {_quoted(posting.note)}" if posting.note else ""
        lines.append(f'    {posting.account}  {posting.amount} "{posting.commodity}"{note}')
    return "\n".join(lines) + "\n"


def _closing(day: str, balances: Balances) -> str:
    lines = [f"{day} * What is still owed", "    ; checked: the settlement less the payments made"]
    for name, balance, symbol in balances.all():
        lines.append(f'    {name}  0 "{symbol}" = {balance} "{symbol}"')
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _one_line(text: str) -> str:
    """A description: on one line, and without what would begin a comment or a status there."""
    return " ".join(text.split()).replace(";", ",").replace("|", "/") or "-"
