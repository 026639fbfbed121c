"""Tables as CSV that a spreadsheet opens cleanly, and that runs nothing.

UTF-8 with a byte order mark (without one Excel reads names in its old code page), comma, CRLF (RFC 4180). A text that
a spreadsheet could take for a formula is written with an apostrophe before it, and so is a text that begins with an
apostrophe: reading takes one off, and has the true text again. Numbers are never touched: -3.5 stays a number.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

BYTE_ORDER_MARK = "\ufeff"
GUARD = "'"
# What starts a formula, in its full-width forms too, or moves on to another cell first.
_DANGEROUS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n", GUARD)


class Number(str):
    """A cell that is an amount or a count as written by us (`-3.5`), and is to stay a number."""

    __slots__ = ()


Cell = str | int | None


def guarded(text: str) -> str:
    """The text as a cell: unchanged, or with an apostrophe before it where a spreadsheet might run it."""
    first = text.lstrip(" \u00a0")
    return GUARD + text if first.startswith(_DANGEROUS) else text


def unguarded(cell: str) -> str:
    """The text that `guarded` wrote as this cell."""
    return cell.removeprefix(GUARD)


def written(rows: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    """Rows as the bytes of a CSV file, a row at a time. None is an empty cell."""
    yield BYTE_ORDER_MARK.encode()
    for row in rows:
        line = io.StringIO()
        cells = [cell if isinstance(cell, Number) else guarded(cell) if isinstance(cell, str) else cell for cell in row]
        csv.writer(line, lineterminator="\r\n").writerow(cells)
        yield line.getvalue().encode()


def read(data: bytes) -> list[list[str]]:
    """The rows of a CSV file that `written` made, with every text as it truly is. Raises ValueError on broken UTF-8."""
    text = data.decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    return [[unguarded(cell) for cell in row] for row in csv.reader(io.StringIO(text, newline=""))]
