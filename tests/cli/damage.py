"""Files of nights, and what can happen to a file: each kind of damage is a function of its bytes and a dice."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from events.log import GENESIS, seal
from events.session import Session
from service.export import FORMATS
from service.export.night import Night
from tests.benchmarks.material import nights, played, sealed

Damage = Callable[[bytes, Random], bytes]
SHORT = 40
"""So many events of a night are enough for a hand or two; any beginning of a night is a night."""


# --- whole files ------------------------------------------------------------------------------------------------------


@cache
def _short_nights() -> list[list[dict[str, Any]]]:
    return [list(events[:SHORT]) for events in played()]


def a_stored_night(dice: Random) -> list[bytes]:
    """The lines of a night as a store writes it, under an id that no store has seen."""
    events = dice.choice(_short_nights())
    return [row.stored().line() for row in sealed(uuid.uuid4(), events)]


def stored(dice: Random, most: int = 3) -> bytes:
    """An export of one night or several."""
    return b"".join(line + b"\n" for _ in range(dice.randint(1, most)) for line in a_stored_night(dice))


def bundle(dice: Random) -> bytes:
    """A bundle of a night, with names."""
    events = [json.loads(line) for line in a_stored_night(dice)]
    names = {player: f"Player {player}" for player in events[0]["players"]}
    made = Night(events[0]["session"], events, names, Session.replay(events))
    return b"".join(FORMATS["bundle"].render(made))


def sent(dice: Random) -> bytes:
    """A night as a client sends it."""
    night = dice.choice(nights())
    opening = {**night.body, "type": "open", "title": f"Night {uuid.uuid4()}"}
    return b"".join(json.dumps(event).encode() + b"\n" for event in [opening, *night.raws[: SHORT - 1]])


# --- damage -----------------------------------------------------------------------------------------------------------


def _at(data: bytes, dice: Random) -> int:
    return dice.randint(0, len(data))


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True) or [b""]


def flipped(data: bytes, dice: Random) -> bytes:
    """A byte, or a few."""
    changed = bytearray(data)
    for _ in range(dice.randint(1, 3) if data else 0):
        changed[dice.randrange(len(changed))] ^= dice.randint(1, 255)
    return bytes(changed)


def put_in(data: bytes, dice: Random) -> bytes:
    """Bytes that are no text, or no JSON, or that mean something in it."""
    at = _at(data, dice)
    odd = [
        b"\x00",
        b"\xff\xfe",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b"\x0c",
        b"\r",
        b"\n",
        b"\n\n",
    ]
    odd += [b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u0000", b"\\ud800", b"NaN", b"-", b"e9"]
    return data[:at] + dice.choice(odd) + data[at:]


def cut_short(data: bytes, dice: Random) -> bytes:
    """The end is missing, from the middle of a line on."""
    return data[: _at(data, dice)]


def cut_out(data: bytes, dice: Random) -> bytes:
    """A piece is missing, from any byte on."""
    at = _at(data, dice)
    return data[:at] + data[at + dice.randint(1, 200) :]


def dropped(data: bytes, dice: Random) -> bytes:
    """A line is missing."""
    lines = _lines(data)
    del lines[dice.randrange(len(lines))]
    return b"".join(lines)


def doubled(data: bytes, dice: Random) -> bytes:
    """A line comes twice."""
    lines = _lines(data)
    at = dice.randrange(len(lines))
    return b"".join([*lines[:at], lines[at], *lines[at:]])


def swapped(data: bytes, dice: Random) -> bytes:
    """Two lines have changed places."""
    lines = _lines(data)
    one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def joined(data: bytes, dice: Random) -> bytes:
    """Two lines are one."""
    ends = [at for at, byte in enumerate(data) if byte == 10] or [0]
    at = dice.choice(ends)
    return data[:at] + data[at + 1 :]


def twice(data: bytes, dice: Random) -> bytes:
    """Everything comes again, or the beginning of it does, after it or before it."""
    lines = _lines(data)
    again = b"".join(lines[: dice.randint(1, len(lines))])
    return data + again if dice.random() < 0.5 else again + data


def from_windows(data: bytes, dice: Random) -> bytes:
    """With a mark at the beginning, and other ends of lines."""
    return b"\xef\xbb\xbf" * dice.randint(0, 2) + data.replace(b"\n", dice.choice([b"\r\n", b"\n\r", b"\n\n", b"\r"]))


def deep(data: bytes, dice: Random) -> bytes:
    """Arrays in arrays, or objects in objects, on a line of their own or in the place of a value."""
    depth = dice.choice([5, 17, 1_000, 100_000])
    opened, closed = dice.choice([(b"[", b"]"), (b'{"a":', b"}")])
    nest = opened * depth + (b"1" + closed * depth if dice.random() < 0.7 else b"")
    return _in_place_of_a_value(data, nest, dice) if dice.random() < 0.5 else _as_a_line(data, nest, dice)


def numbers(data: bytes, dice: Random) -> bytes:
    """A number that is too large, too small, too exact or none."""
    odd = [b"9" * 400, b"9" * 6_000, b"1e999", b"-1e999", b"9007199254740993", b"18446744073709551616", b"Infinity"]
    odd += [b"-1", b"0", b"-0", b"1.0", b"1E2", b"0.1", b"01", b"NaN", b"true", b"null", b'""', b"[]", b"{}"]
    return _in_place_of_a_value(data, dice.choice(odd), dice)


def enormous(data: bytes, dice: Random) -> bytes:
    """A line of a megabyte: a text, an object, or nothing of the kind."""
    long = dice.choice([b'{"type":"note","text":"' + b"a" * 1_000_000 + b'"}', b"a" * 1_000_000, b" " * 1_000_000])
    return _as_a_line(data, long, dice)


def other_hash(data: bytes, dice: Random) -> bytes:
    """A hash of the right form that is the hash of nothing here."""
    found = list(re.finditer(rb"[0-9a-f]{64}", data))
    if not found:
        return data
    place = dice.choice(found)
    return data[: place.start()] + b"%064x" % dice.getrandbits(256) + data[place.end() :]


def escaped(data: bytes, dice: Random) -> bytes:
    """A letter written as its number: the same text in other bytes."""
    at = _at(data, dice)
    return data[:at] + b"".join(b"\\u%04x" % byte for byte in data[at : at + 1]) + data[at + 1 :]


VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 2**53, [], ["A"], [[]], {}, {"A": "1"}, {"type": "open"},
    "", "A", "Z", "x" * 5_000, "\u2028", "é", "0", "-1", "1e3", "0.001", "1" * 400, "NaN", "Infinity", "Kc", "10d",
    "2026-11-30T20:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2026-02-30T20:00:00Z",
    "2026-11-30T23:59:60Z", "00000000-0000-0000-0000-000000000000", "0190F5B8-0000-7000-8000-000000000000",
    "{0190f5b8000070008000000000000000}", "urn:uuid:x",
]  # fmt: skip


def resealed(data: bytes, dice: Random) -> bytes:
    """A field changed, taken away or added, and every hash after it made anew, as whoever knows the form could."""
    events = [_object(line) for line in data.splitlines()]
    if not events or not all(events):
        return data
    event = dice.choice(events)
    assert event is not None
    name = dice.choice([*event, "extra", "id", "at", "replaces", "irregular"])
    if dice.random() < 0.2:
        event.pop(name, None)
    else:
        event[name] = dice.choice([*VALUES, event.get(name)])
    if dice.random() < 0.3:
        dice.shuffle(events)
    lines, prev = [], GENESIS
    for each in events:
        assert each is not None
        each.pop("hash", None)
        if each.get("seq") == 1:
            prev = GENESIS
        try:
            body, prev = seal({**each, "prev": prev} if name != "prev" else each)
        except ValueError:  # what has no canonical form cannot have a hash
            return data
        lines.append(body[:-1] + b',"hash":"' + prev.encode() + b'"}\n')
    return b"".join(lines)


def nothing(data: bytes, dice: Random) -> bytes:
    """Next to nothing is left."""
    left = [b"", b"\n", b" \r\n\t\n", b"\xef\xbb\xbf", b"\x00", b"{}", b"[]", b"null", b'"', b'{"events":[]}']
    return dice.choice(left)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _as_a_line(data: bytes, line: bytes, dice: Random) -> bytes:
    lines = _lines(data)
    lines.insert(dice.randint(0, len(lines)), line + b"\n")
    return b"".join(lines)


def _in_place_of_a_value(data: bytes, value: bytes, dice: Random) -> bytes:
    found = list(re.finditer(rb'(?<=":)("[^"]*"|[0-9]+)', data))
    if not found:
        return data
    place = dice.choice(found)
    return data[: place.start()] + value + data[place.end() :]


DAMAGE: list[Damage] = [
    flipped, put_in, cut_short, cut_out, dropped, doubled, swapped, joined, twice, from_windows, deep, numbers,
    enormous, other_hash, escaped, resealed, nothing,
]  # fmt: skip
