"""JSON as RFC 8259 has it and no more, for requests and for files alike.

What `json.loads` takes beyond that (NaN, a key twice, halves of surrogate pairs, numbers that overflow) is refused
before anything looks at it, because each of them is read differently by somebody. Numbers written with a point or an
exponent come out as floats, so that the engine can refuse them as amounts.
"""

from __future__ import annotations

import json
from typing import Any, Final

DEEPEST: Final = 16
"""How deep arrays and objects may lie in one another; a session's body needs four."""
LARGEST_INTEGER: Final = 2**53 - 1
"""The largest integer that every reader of JSON keeps exact (RFC 7493 §2.2)."""


class Unreadable(ValueError):
    """The text is not JSON that two readers would read alike; the message, a clause, says what is wrong with it."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Unreadable(f"the key {twice[:80]!r} is there twice")
    return read


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(number := int(digits)) > LARGEST_INTEGER:
        raise Unreadable(f"the integer {digits[:20]}… is larger than 2^53; write large amounts as strings")
    return number


def _float(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise Unreadable(f"the number {digits[:20]} is too large")
    return number


def _constant(name: str) -> None:
    raise Unreadable(f"{name} is not JSON")


_decoder: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)


def parse(data: bytes, deepest: int = DEEPEST) -> Any:
    """The value that `data` holds. Raises Unreadable."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"it is not UTF-8: byte {error.start} does not fit") from None
    try:
        value = _decoder.decode(text)
        # Only these can hide deep nesting or a half character: most texts are spared the walk.
        if text.count("[") + text.count("{") > deepest or "\\u" in text:
            _look_through(value, deepest)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" at")  # as some of the decoder's own words end
        raise Unreadable(f"it is not JSON: {what} at character {error.pos}") from None
    except RecursionError:
        raise Unreadable(f"it lies deeper than {deepest} levels") from None
    return value


def _look_through(value: Any, deepest: int) -> None:
    """Raises Unreadable where something lies too deep, or a text holds what cannot be stored."""
    level, depth = [value], 0
    while level:
        depth += 1
        deeper: list[Any] = []
        for item in level:
            if isinstance(item, str):
                check_text(item)
            elif isinstance(item, dict):
                for name in item:
                    check_text(name)
                deeper.extend(item.values())
            elif isinstance(item, list):
                deeper.extend(item)
        # Texts and numbers may lie one level deeper than the deepest array that holds them.
        if depth > deepest and any(isinstance(item, (dict, list)) for item in level):
            raise Unreadable(f"it lies deeper than {deepest} levels")
        level = deeper


def check_text(text: str) -> None:
    """Raises Unreadable for what no database keeps: U+0000 and halves of surrogate pairs."""
    if "\x00" in text:
        raise Unreadable("a text holds U+0000")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Unreadable("a text holds half of a surrogate pair") from None
