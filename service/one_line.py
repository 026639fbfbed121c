"""Texts that people wrote, on a line of a paper or a terminal: none of them can pass for another line."""

from __future__ import annotations

import re
from typing import Final

# What ends a line, moves a cursor, or turns the direction of what stands after it.
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """The text with a space for each character that would show what comes after it elsewhere, or otherwise."""
    return _UNSEEN.sub(" ", text)
