"""The head of a session: how far its log had come, and the hash that stands for all of it.

A head that somebody keeps is what makes the log's keeper honest: the log can only grow from it. Its text is signed
as a note, and is a leaf of the instance's log of heads::

    crown.example/bragbook
    session 0190a3c4-7c11-7d5a-9c1d-5b8f0c6f8a01
    version 31
    head 9f0c…
    time 2026-10-20T22:15:03.123456Z

The lines are the instance's name, the session, its version (the last event's number), that event's hash, and when that
event was stored. All of them follow from the log, so that one head has one text.
"""

from __future__ import annotations

from events.checkpoint import parse_decimal
from events.signed_note import NoteError

_HASH_LENGTH_HEX = 64


class Head:
    """A session's head: origin, session id, version, hash of the event at that version (hex), when it was stored."""

    __slots__ = ("hash", "origin", "session", "time", "version")

    def __init__(self, origin: str, session: str, version: int, hash_hex: str, time: str) -> None:
        self.origin = origin
        self.session = session
        self.version = version
        self.hash = hash_hex
        self.time = time

    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\nsession {self.session}\nversion {self.version}\nhead {self.hash}\ntime {self.time}\n"


def parse_head(text: str) -> Head:
    """Reads the text of an opened note as a session's head. Raises NoteError where it is none."""
    lines = text.split("\n")
    if len(lines) != 6 or lines[5] != "":
        raise NoteError("a session's head has five lines: origin, session, version, head, time")
    values = []
    for line, label in zip(lines[1:5], ("session", "version", "head", "time")):
        if not line.startswith(label + " ") or len(line) == len(label) + 1:
            raise NoteError(f"a session's head has a line '{label} …', and this has {line!r}")
        values.append(line[len(label) + 1 :])
    session, version, hash_hex, time = values
    if len(hash_hex) != _HASH_LENGTH_HEX or not all(letter in "0123456789abcdef" for letter in hash_hex):
        raise NoteError(f"a head is {_HASH_LENGTH_HEX} hex digits, not {hash_hex!r}")
    number = parse_decimal(version, "a version")
    if number < 1:
        raise NoteError("a session's first version is 1")
    return Head(lines[0], session, number, hash_hex, time)
