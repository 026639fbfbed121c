"""Event files a piece at a time, each of whole nights: a store of a million events is brought in with little held."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from service.event_files import MARK, Recording, Unreadable, begins_another, named, nights_of, parse

LARGE: Final = 1 << 19
"""A file of so many bytes is taken in pieces of about so many."""
LARGEST: Final = 1 << 28
"""No night is so many bytes, by far: what is longer with no end to it is something else, and is not held whole."""
_TOO_LARGE: Final = f"there are {LARGEST >> 20} MiB here that are no nights: is it an event file?"


class Piece(NamedTuple):
    """Whole nights of a file, or all of it; fault: why nothing of it can be read, a line."""

    source: str
    data: bytes = b""
    first_line: int = 1
    is_whole: bool = True
    fault: str | None = None

    def nights(self) -> list[Recording]:
        """The nights of the piece, one after another. Raises Unreadable."""
        if self.fault is not None:
            raise Unreadable(self.fault)
        if self.is_whole:
            return parse(self.source, self.data)
        return nights_of(self.source, self.data, self.first_line)


def pieces(path: str) -> Iterator[Piece]:
    """The event file at `path`, `-` for standard input. What cannot be read is a piece with a fault."""
    source = named(path)
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:
            begun = file.read(LARGE)
            lines = begun.removeprefix(MARK)
            if len(begun) == LARGE and _opens_a_night(lines.partition(b"\n")[0]):
                yield from _split(source, _lines(lines, file))
                return
            data = begun + file.read(LARGEST)
            yield Piece(source, data) if len(data) < LARGEST else Piece(source, fault=f"{source}: {_TOO_LARGE}")
    except OSError as error:
        yield Piece(source, fault=f"{source}: {error.strerror or error}")


def _lines(begun: bytes, file: Any) -> Iterator[bytes]:
    lines = begun.split(b"\n")
    for line in lines[:-1]:
        yield line + b"\n"
    yield lines[-1] + file.readline(LARGEST)
    yield from iter(lambda: file.readline(LARGEST), b"")


def _split(source: str, lines: Iterator[bytes]) -> Iterator[Piece]:
    opening: dict[str, Any] = {}
    held: list[bytes] = []
    size, first = 0, 1
    for number, line in enumerate(lines, 1):
        if b'"open"' in line:  # few lines hold the word: the others need not be decoded to be told apart
            event = _event(line)
            if event.get("type") == "open" and (not opening or begins_another(event, opening)):
                opening = event
                if size >= LARGE:
                    yield Piece(source, b"".join(held), first, is_whole=False)
                    held, size, first = [], 0, number
        held.append(line)
        size += len(line)
        if size >= LARGEST:
            yield Piece(source, fault=f"{source}:{number}: {_TOO_LARGE}")
            return
    yield Piece(source, b"".join(held), first, is_whole=False)


def _opens_a_night(line: bytes) -> bool:
    event = _event(line)
    return event.get("type") == "open" and "events" not in event


def _event(line: bytes) -> dict[str, Any]:
    """The object that a line holds; an empty one where it holds none, which who reads the piece will say."""
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return event if isinstance(event, dict) else {}
