"""`hledger`: the night as a journal that `hledger check --strict` accepts, balance assertions included."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from service.export.accounts import BANK, KITTY, POT
from service.export.journal import Entry, Journal
from service.export.night import Night


def journal(night: Night) -> Iterable[bytes]:
    """The journal, an entry at a time."""
    for block in _blocks(night, Journal(night)):
        yield (block + "\n").encode()


def _blocks(night: Night, book: Journal) -> Iterator[str]:
    yield _heading(night)
    yield "decimal-mark .\n" + "".join(f'commodity 1000.000000 "{symbol}"\n' for symbol in _commodities(book))
    yield _accounts(night, book)
    if book.worth is not None:
        amount, currency = book.worth
        yield f'P {book.first_day} "{book.chips}" {amount} "{currency}"\n'
    for entry in book.entries:
        yield _entry(entry)
    yield _closing(book)


def _heading(night: Night) -> str:
    facts = [
        f"The night of {night.night_of}" + (f": {night.title}" if night.title else ""),
        f"Bragbook session {night.session_id}, {night.game}, version {night.head['seq']}, head {night.head['hash']}",
        "An account's third part is the player's id after P- (-- is a dash, -u an underscore); names are in comments.",
        "Above zero: the others owe this player. Days are nights; the times in the comments are UTC.",
    ]
    return "".join(f"; {' '.join(fact.split())}\n" for fact in facts)


def _commodities(book: Journal) -> list[str]:
    return sorted({book.chips, book.money} | ({book.worth[1]} if book.worth else set()))


def _accounts(night: Night, book: Journal) -> str:
    lines = [f"account {book.accounts[player]}  ; name: {_quoted(night.name(player))}" for player in night.seats]
    return "\n".join([*lines, f"account {POT}", f"account {BANK}", f"account {KITTY}"]) + "\n"


def _entry(entry: Entry) -> str:
    first, last = entry.seqs
    events = f"event {first}" if first == last else f"events {first} to {last}"
    lines = [f"{entry.day} * {_one_line(entry.words)}", f"    ; {events}, {entry.at}"]
    for posting in entry.postings:
        note = f"  ; {_quoted(posting.note)}" if posting.note else ""
        lines.append(f'    {posting.account}  {posting.amount} "{posting.commodity}"{note}')
    return "\n".join(lines) + "\n"


def _closing(book: Journal) -> str:
    lines = [f"{book.last_day} * What is still owed", "    ; checked: the settlement less the payments made"]
    for player, balance in book.final_balances().items():
        lines.append(f'    {book.accounts[player]}  0 "{book.money}" = {balance} "{book.money}"')
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _one_line(text: str) -> str:
    """A description: on one line, and without what would begin a comment or a status there."""
    return " ".join(text.split()).replace(";", ",").replace("|", "/") or "-"
