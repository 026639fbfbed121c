"""The log's own form: the bytes that are hashed, and the chain that the hashes make (contract.md §3).

Every event holds the hash of the event before it, so that nothing in the middle of a log can be changed, left out, put
in or moved without the chain showing where. What a chain alone cannot show is that its end was cut off, or that all of
it was made anew: for that its head has to be known elsewhere.
"""

from __future__ import annotations

import binascii
import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

GENESIS = "0" * 64
"""What the first event names as the hash of the event before it."""

INTEGER_MOST = 2**53 - 1
"""The greatest integer that every reader of JSON reads exactly."""

DEPTH_MOST = 64
"""How deep lists and objects may lie in each other; an event needs four."""

_PLAIN = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_:. ,/+"
"""Text of these only is written as it is."""

_ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_HEX = "0123456789abcdef"

_REMEMBERED = 4096
_names: dict[str, str] = {}
"""Names of fields as they are written, with their colon: the same few dozen in every event."""


def canonical(value: Any) -> bytes:
    """The one way to write a value as JSON (RFC 8785), in UTF-8.

    Takes what an event may hold: text, integers up to 2**53 - 1 either way, true, false, null, lists, and objects
    whose names are ASCII.

    Raises ValueError for anything else: floating point numbers, larger integers, U+0000, half of a surrogate pair.
    """
    parts: list[str] = []
    _write(value, parts, DEPTH_MOST)
    return "".join(parts).encode()


def seal(event: dict[str, Any]) -> tuple[bytes, str]:
    """The bytes that are stored for an event and their hex SHA-256; a ``hash`` that it already has is not among them.

    Raises ValueError as ``canonical`` does.
    """
    parts: list[str] = []
    _write_object(event, parts, DEPTH_MOST, "hash")
    body = "".join(parts).encode()
    return body, _sha256(body)


def chain_fault(events: Iterable[Any]) -> tuple[int, str] | None:
    """The first place where stored events do not make one unbroken chain from 1: (seq, what is wrong), or None.

    Every hash is computed anew from the event's fields. Nothing is taken for granted about ``events``.
    """
    seq = 0
    before = GENESIS
    session: Any = None
    for event in events:
        seq += 1
        if not isinstance(event, dict):
            return seq, f"event {seq} is not an object"
        if seq == 1:
            session = event.get("session")
        fault = _link_fault(event, seq, session, before)
        if fault is not None:
            return seq, fault
        try:
            computed = seal(event)[1]
        except ValueError as error:
            return seq, f"event {seq} cannot be hashed: {error}"
        if event.get("hash") != computed:
            return seq, f"event {seq} is not what was stored: its hash does not fit what it says"
        before = computed
    return None


def _link_fault(event: dict[str, Any], seq: int, session: Any, before: str) -> str | None:
    given = event.get("seq")
    if isinstance(given, bool) or not isinstance(given, int):
        return f"event {seq} has no seq"
    if given != seq:
        if given > seq:
            return f"event {seq} is missing: event {given} stands in its place"
        return f"event {given} comes again in the place of event {seq}"
    if not isinstance(session, str) or event.get("session") != session:
        return f"event {seq} is not of this session"
    if event.get("prev") != before:
        if seq == 1:
            return "event 1 does not begin a log: its prev is not 64 zeros"
        return f"event {seq} does not follow event {seq - 1} as it stands: its prev is another hash"
    return None


def _sha256(body: bytes) -> str:
    return binascii.hexlify(hashlib.sha256(body).digest()).decode()


def _write(value: Any, parts: list[str], deep: int) -> None:
    kind = type(value)
    if kind is str:
        parts.append(_text(value))
    elif kind is dict:
        _write_object(value, parts, deep, None)
    elif value is None:
        parts.append("null")
    elif kind is bool:
        parts.append("true" if value else "false")
    elif kind is int:
        if not -INTEGER_MOST <= value <= INTEGER_MOST:
            raise ValueError("an integer is larger than JSON holds exactly")
        parts.append(str(value))
    elif kind is list or kind is tuple:
        if not deep:
            raise ValueError(f"lists and objects lie more than {DEPTH_MOST} deep")
        between = "["
        for item in value:
            parts.append(between)
            _write(item, parts, deep - 1)
            between = ","
        parts.append("]" if value else "[]")
    elif kind is float:
        raise ValueError("a floating point number is not exact")
    else:
        raise ValueError(f"JSON has nothing to write a {kind.__name__} with")


def _write_object(value: dict[str, Any], parts: list[str], deep: int, but: str | None) -> None:
    """An object by the order of its names, without the field ``but``."""
    if not deep:
        raise ValueError(f"lists and objects lie more than {DEPTH_MOST} deep")
    try:
        names = sorted(value)
    except TypeError:
        raise ValueError("the name of a field is not a text") from None
    between = "{"
    for name in names:
        if but is not None and name == but:
            continue
        known = _names.get(name)
        if known is None:
            known = _name(name)
        parts.append(between + known)
        item = value[name]
        if type(item) is str:
            parts.append(_text(item))
        else:
            _write(item, parts, deep - 1)
        between = ","
    parts.append("{}" if between == "{" else "}")


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise ValueError("the name of a field is not a text")
    for letter in name:
        if ord(letter) > 127:
            raise ValueError("the name of a field is not ASCII")
    written = _text(name) + ":"
    if len(name) <= 64:
        if len(_names) >= _REMEMBERED:
            _names.clear()
        _names[name] = written
    return written


def _text(text: str) -> str:
    if not text.strip(_PLAIN):
        return '"' + text + '"'
    parts = ['"']
    for letter in text:
        code = ord(letter)
        if code == 0 or 0xD800 <= code <= 0xDFFF:
            raise ValueError("a text holds a character that cannot be stored")
        escape = _ESCAPES.get(code)
        if escape is not None:
            parts.append(escape)
        elif code < 32:
            parts.append("\\u00" + _HEX[code >> 4] + _HEX[code & 15])
        else:
            parts.append(letter)
    parts.append('"')
    return "".join(parts)
