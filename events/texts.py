"""Which texts can be kept."""

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
