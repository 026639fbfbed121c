"""Reads a ledger from a CSV file: which column is which, the rows, and whatever was not understood, with its line."""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from events.opening import LONGEST_NAME
from service.ledger import values
from service.ledger.values import NotUnderstood

LARGEST_BYTES: Final = 8 * 1024 * 1024
MOST_ROWS: Final = 50_000
HEADING_WITHIN_ROWS: Final = 20
SEPARATORS: Final = (",", ";", "\t", "|")

NIGHT, PLAYER, BUY_IN, CASH_OUT = "night", "player", "buy-in", "cash-out"
COLUMNS: Final = (NIGHT, PLAYER, BUY_IN, CASH_OUT)
# What people call the columns, as `values.folded` has it; a heading that begins with a word of five letters or more
# counts too ("Buy-ins (total)").
_CALLED: Final[Mapping[str, frozenset[str]]] = {
    NIGHT: frozenset((
        "night", "nightof", "date", "day", "session", "evening", "gamenight", "sessionstartat", "played", "noche",
        "fecha", "soiree", "nuit", "serata", "notte", "data", "datum",
    )),
    PLAYER: frozenset((
        "player", "playername", "name", "who", "person", "playernickname", "nickname", "jugador", "jugadora", "nombre",
        "joueur", "joueuse", "nom", "giocatore", "giocatrice", "nome", "spieler",
    )),
    BUY_IN: frozenset((
        "buyin", "buyins", "bought", "in", "paidin", "cashin", "totalbuyin", "totalbuyins", "stake", "entrada",
        "entradas", "compra", "cave", "caves", "entree", "entrata", "entrate", "acquisto", "einkauf",
    )),
    CASH_OUT: frozenset((
        "cashout", "cashouts", "cashedout", "out", "buyout", "took", "taken", "takeaway", "paidout", "final", "stack",
        "finalstack", "salida", "cobro", "cobrado", "sortie", "retrait", "uscita", "incasso", "auszahlung",
    )),
}  # fmt: skip


class Unreadable(Exception):
    """A file that is no ledger. The message is one line and names the file."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: on that night the player bought for `bought` and took `taken`, both money as decimal text."""

    line: int
    night: str
    player: str
    bought: str
    taken: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that was not understood. night: the one that it belongs to, "" where not even that can be told."""

    line: int
    night: str
    says: str


@dataclass(slots=True)
class Ledger:
    """What a file holds.

    source: its name, for messages. columns: what each of `COLUMNS` is called there. unused: the headings of the others.
    above: the lines before the heading, which are left out.
    """

    source: str
    columns: dict[str, str]
    unused: list[str]
    above: list[int]
    rows: list[Row] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def fetch(path: str) -> bytes:
    """The bytes of the ledger at `path`, `-` for standard input, and no more than tell that it is too large.

    Raises Unreadable.
    """
    try:
        if path == "-":
            return sys.stdin.buffer.read(LARGEST_BYTES + 1)
        with Path(path).open("rb") as file:
            return file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None


def parse(source: str, data: bytes, places: int, order: str | None = None, persons: Collection[str] = ()) -> Ledger:
    """The ledger that these bytes are. Raises Unreadable.

    source: what it is called in messages. places: the decimals of its currency. order: `values.DAY_FIRST` or
    `MONTH_FIRST`, where it is known. persons: names that are known to be one person's, however much they look like
    several.
    """
    if len(data) > LARGEST_BYTES:
        raise Unreadable(f"{source}: a ledger has at most {LARGEST_BYTES // 1024 // 1024} MB; import it in parts")
    ledger, places_of, body = _table(source, _text(source, data))
    dates = [cells[places_of[NIGHT]] for _, cells in body if len(cells) > places_of[NIGHT]]
    if order is None:
        try:
            order = values.date_order(dates)
        except NotUnderstood as error:
            raise Unreadable(f"{source}: {error}") from None
    for line, cells in body:
        if len(ledger.rows) + len(ledger.faults) >= MOST_ROWS:
            raise Unreadable(f"{source}: a ledger has at most {MOST_ROWS} rows; import it in parts")
        got = {column: cells[place] if place < len(cells) else "" for column, place in places_of.items()}
        read_row = _row(line, got, places, order, persons)
        if isinstance(read_row, Row):
            ledger.rows.append(read_row)
        else:
            ledger.faults.append(read_row)
    return ledger


def _row(line: int, got: Mapping[str, str], places: int, order: str | None, persons: Collection[str]) -> Row | Fault:
    label = ""
    column = NIGHT
    try:
        label = values.night(got[NIGHT], order)
        column = PLAYER
        player = _player(got[PLAYER], persons)
        column = BUY_IN
        bought = values.amount(got[BUY_IN], places)
        column = CASH_OUT
        return Row(line, label, player, bought, values.amount(got[CASH_OUT], places))
    except NotUnderstood as error:
        return Fault(line, label, f"the {column} {error}")


def _player(cell: str, persons: Collection[str]) -> str:
    name = values.name(cell)
    if not name:
        raise NotUnderstood("is empty: write who it was")
    if name not in persons and values.names_several(name):
        raise NotUnderstood(f"{name!r} is a list, and not a person: write a row for each, or say --person {name!r}")
    if len(name) > LONGEST_NAME:
        raise NotUnderstood(f"has more than {LONGEST_NAME} characters: shorten it")
    return name


def _text(source: str, data: bytes) -> str:
    if not data.strip():
        raise Unreadable(f"{source}: there is nothing in it")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable(f"{source}: it is not UTF-8; save it as CSV UTF-8") from None
    if "\0" in text:
        raise Unreadable(f"{source}: it is no text; save it as CSV UTF-8")
    return text


Body = list[tuple[int, list[str]]]


def _table(source: str, text: str) -> tuple[Ledger, dict[str, int], Body]:
    """The heading, which column is where, and the rows below with their lines."""
    nearest: dict[str, int] = {}
    heading: Sequence[str] = ()
    for separator in SEPARATORS:
        rows = _rows(source, text, separator)
        above: list[int] = []
        for number, (line, cells) in enumerate(rows):
            if number >= HEADING_WITHIN_ROWS:
                break
            places = _places(cells)
            if len(places) == len(COLUMNS):
                columns = {column: cells[place].strip() for column, place in places.items()}
                unused = [cell.strip() or f"column {place + 1}" for place, cell in enumerate(cells)
                          if place not in places.values()]  # fmt: skip
                return Ledger(source, columns, unused, above), places, list(rows)
            if len(places) > len(nearest):
                nearest, heading = places, cells
            above.append(line)
    missing = ", ".join(column for column in COLUMNS if column not in nearest)
    found = f"; the columns are {', '.join(repr(cell.strip()) for cell in heading)[:200]}" if heading else ""
    raise Unreadable(f"{source}: no column is {missing}{found}. The first row names night, player, buy-in and cash-out")


def _rows(source: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Each row that has anything in it, with the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise Unreadable(f"{source}:{line}: {error}") from None
        if any(cell.strip() for cell in cells):
            yield line, cells


def _places(cells: Sequence[str]) -> dict[str, int]:
    """Which column stands where, going by what they are called; the plainest name first."""
    called = [values.folded(re.sub(r"\(.*?\)|\[.*?\]", "", cell)) for cell in cells]
    places: dict[str, int] = {}
    for plain in (True, False):
        for column in COLUMNS:
            for place, word in enumerate(called):
                if column not in places and place not in places.values() and _means(word, column, plain):
                    places[column] = place
    return places


def _means(word: str, column: str, plain: bool) -> bool:
    if plain:
        return word in _CALLED[column]
    return any(len(name) >= 5 and word.startswith(name) for name in _CALLED[column])
