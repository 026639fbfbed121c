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

When the instance takes a new key, the old and the new one sign together that it did, so that whoever trusts either can
trust the other::

    crown.example/bragbook
    key change
    from crown.example/bragbook+c74f20a3+ARpc2Q…
    to crown.example/bragbook+af0cfe78+ATtqJ7…
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.checkpoint import parse_decimal
from events.signed_note import Key, NoteError, open_note, parse_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from events.signed_note import Verify

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


def key_change_text(old: Key, new: Key) -> str:
    """What both keys sign when one follows the other."""
    return f"{new.name}\nkey change\nfrom {old.text()}\nto {new.text()}\n"


def parse_key_change(text: str) -> tuple[Key, Key]:
    """The old and the new key of a change. Raises NoteError where the text is none."""
    lines = text.split("\n")
    if len(lines) != 5 or lines[1] != "key change" or lines[2][:5] != "from " or lines[3][:3] != "to ":
        raise NoteError("a change of keys has four lines: origin, 'key change', from, to")
    old, new = parse_key(lines[2][len("from ") :]), parse_key(lines[3][len("to ") :])
    if old.name != lines[0] or new.name != lines[0] or lines[4] != "":
        raise NoteError("a change of keys is between keys of one origin")
    return old, new


def trusted_keys(keys: Sequence[Key], changes: Sequence[str], verify: Verify) -> list[Key]:
    """``keys``, and every other that the signed changes of keys lead to from them; changes that do not hold lead
    nowhere."""
    trusted = list(keys)
    found = True
    while found:
        found = False
        for note in changes:
            try:
                pair = parse_key_change(open_note(note, trusted, verify).text)
                # Both have to have signed: the old one that it hands over, the new one that it is held.
                both = open_note(note, pair, verify)
            except NoteError:
                continue
            if len(both.keys) == 2:
                for key in pair:
                    if not any(key.same_as(other) for other in trusted):
                        trusted.append(key)
                        found = True
    return trusted
