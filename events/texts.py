"""Which texts can be kept, and how a number of things is said."""

from __future__ import annotations


def writable(text: str) -> bool:
    """Whether a text can be stored and sent: no U+0000, no half of a surrogate pair."""
    for letter in text:
        code = ord(letter)
        if code == 0 or 0xD800 <= code <= 0xDFFF:
            return False
    return True


def printable(text: str) -> bool:
    """Whether it also has no control characters, so that it goes beside an amount."""
    for letter in text:
        code = ord(letter)
        if code < 32 or code == 127:
            return False
    return writable(text)


def counted(number: int, one: str, more: str = "") -> str:
    """ "1 session", "2 sessions": how many there are of something, with its name. more: the plural that takes no s."""
    return f"{number} {one if number == 1 else more or one + 's'}"
