"""Times as RFC 3339 writes them, brought to UTC."""

from __future__ import annotations

_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def utc(value: object) -> str:
    """An RFC 3339 time with its offset -> the same in UTC, ending in `Z`. Raises ValueError."""
    if not isinstance(value, str) or not 20 <= len(value) <= 40:
        raise ValueError("is a time with its offset, such as 2026-11-30T21:05:00Z")
    text = value.upper()
    shape = text[4] + text[7] + text[10] + text[13] + text[16]
    if shape not in ("--T::", "-- ::"):
        raise ValueError("is a time with its offset, such as 2026-11-30T21:05:00Z")
    year, month, day = _number(text[0:4]), _number(text[5:7]), _number(text[8:10])
    hour, minute, second = _number(text[11:13]), _number(text[14:16]), _number(text[17:19])
    rest = text[19:]
    fraction = ""
    if rest[:1] == ".":
        end = 1
        while end < len(rest) and rest[end] in "0123456789":
            end += 1
        fraction = rest[1:end]
        if not 1 <= len(fraction) <= 9:
            raise ValueError("has one to nine digits after the second")
        rest = rest[end:]
    if not 1 <= year <= 9999 or not 1 <= month <= 12 or not 1 <= day <= _days_in(year, month):
        raise ValueError("has no such day")
    if hour > 23 or minute > 59 or second > 60:
        raise ValueError("has no such hour")
    total = hour * 60 + minute - _offset(rest)
    while total < 0:
        total += 1440
        day -= 1
        if day == 0:
            month -= 1
            if month == 0:
                month, year = 12, year - 1
            day = _days_in(year, month)
    while total >= 1440:
        total -= 1440
        day += 1
        if day > _days_in(year, month):
            day, month = 1, month + 1
            if month == 13:
                month, year = 1, year + 1
    if not 1 <= year <= 9999:
        raise ValueError("has no such day")
    fraction = fraction.rstrip("0")
    return (
        f"{_padded(year, 4)}-{_padded(month, 2)}-{_padded(day, 2)}"
        f"T{_padded(total // 60, 2)}:{_padded(total % 60, 2)}:{_padded(second, 2)}"
        + ("." + fraction if fraction else "")
        + "Z"
    )


def _number(digits: str) -> int:
    for digit in digits:
        if digit not in "0123456789":
            raise ValueError("is a time with its offset, such as 2026-11-30T21:05:00Z")
    return int(digits)


def _padded(number: int, width: int) -> str:
    text = str(number)
    return "0" * (width - len(text)) + text


def _days_in(year: int, month: int) -> int:
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _DAYS[month - 1] + (1 if leap else 0)


def _offset(text: str) -> int:
    """Minutes east of UTC."""
    if text == "Z":
        return 0
    if len(text) != 6 or text[0] not in "+-" or text[3] != ":":
        raise ValueError("has no offset: end it in Z, or in +01:00")
    hours, minutes = _number(text[1:3]), _number(text[4:6])
    if hours > 23 or minutes > 59:
        raise ValueError("has no such offset")
    return (hours * 60 + minutes) * (-1 if text[0] == "-" else 1)
