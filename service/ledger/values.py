"""What people write into the cells of a ledger: amounts, nights, names. Whatever could mean two things is refused."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import cache
from typing import Final

from babel import Locale

from events.amounts import write_decimal
from service.export.cells import GUARD, guarded, unguarded
from service.night_label import night_of

DAY_FIRST: Final = "day-first"
MONTH_FIRST: Final = "month-first"
LANGUAGES: Final = ("en", "es", "fr", "it")
_LARGEST_DIGITS: Final = 12
_SPACES: Final = "[ '\u2019]"
_GROUPED_BY_SPACES: Final = re.compile(rf"\d{{1,3}}(?:{_SPACES}\d{{3}})+(?:[.,]\d*)?")
_WORD: Final = r"(?:[^\d.,()+\s-]{0,4})"
_MONEY: Final = re.compile(
    rf"{_WORD}\s?(?P<sign>[(+-]?)\s?{_WORD}\s?(?P<number>[\d.,](?:[\d.,' \u2019]*[\d.,])?\)?)\s?{_WORD}"
)
_NUMERIC_DATE: Final = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})")
_ISO_TIME: Final = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s?(Z|[+-]\d{2}:?\d{2})?")
_SEVERAL: Final = re.compile(r"[,;|/&\n\t]|(?<=.)\+|\s(?:and|y|et|e|und)\s", re.IGNORECASE)


class NotUnderstood(ValueError):
    """A cell that cannot be taken for what it should be. The text says why, and what to write."""


def spaced(text: str) -> str:
    """A text with each run of blanks as one space, and none at its ends."""
    return " ".join(text.split())


def amount(text: str, places: int) -> str:
    """An amount of money as it is written on the wire: `£1.234,50` is "1234.5".

    places: how many decimals the currency has. Raises NotUnderstood for what is none, or could be two amounts.
    """
    written = spaced(unicodedata.normalize("NFKC", text).replace("\u2212", "-"))
    number = _without_currency(written)
    if not number:
        raise NotUnderstood("is empty: write 0 for nothing" if not written else f"{_shown(written)} is no amount")
    if number.startswith("-") or (number.startswith("(") and number.endswith(")")):
        raise NotUnderstood(f"{_shown(written)} is less than nothing")
    if _GROUPED_BY_SPACES.fullmatch(number):
        number = re.sub(_SPACES, "", number)
    whole, decimals = _parts(number, written)
    decimals = decimals.rstrip("0")
    if len(decimals) > places:
        raise NotUnderstood(f"{_shown(written)} has more than {places} decimals")
    if len(whole) > _LARGEST_DIGITS:
        raise NotUnderstood(f"{_shown(written)} is too large")
    return write_decimal(int(whole + decimals or "0"), len(decimals))


def _without_currency(text: str) -> str:
    """The number alone, where nothing but a currency's sign or a short word for it stands before or behind it."""
    found = _MONEY.fullmatch(text)
    return (found["sign"] or "").replace("+", "") + found["number"] if found else ""


def _parts(number: str, written: str) -> tuple[str, str]:
    """The digits before and behind the decimal point or comma. Raises NotUnderstood."""
    last = max(number.rfind("."), number.rfind(","))
    if last < 0:
        whole, decimals = number, ""
    else:
        separator, other = number[last], "," if number[last] == "." else "."
        whole, decimals = number[:last], number[last + 1 :]
        if separator in whole:  # 1.234.567
            whole, decimals, other = number, "", separator
        elif other not in whole and len(decimals) == 3 and 0 < len(whole) <= 3 and whole != "0":
            raise NotUnderstood(f"{_shown(written)} could be a thousand or a fraction: write it without {separator}")
        if other in whole:
            if not re.fullmatch(rf"\d{{1,3}}(?:{re.escape(other)}\d{{3}})+", whole):
                raise NotUnderstood(f"{_shown(written)} is no amount")
            whole = whole.replace(other, "")
    if not re.fullmatch(r"\d*", whole + decimals) or not (whole or decimals):
        raise NotUnderstood(f"{_shown(written)} is no amount")
    return whole, decimals


def date_order(cells: Iterable[str]) -> str | None:
    """Whether 3/11/2026 is in November or in March: what the other dates of a file show, None where none does.

    Raises NotUnderstood where they show both.
    """
    orders = set()
    for cell in cells:
        found = _NUMERIC_DATE.fullmatch(spaced(cell))
        if found and found[2] != "." and int(found[1]) != int(found[3]):
            orders |= {DAY_FIRST} if int(found[1]) > 12 else {MONTH_FIRST} if int(found[3]) > 12 else set()
    if len(orders) > 1:
        raise NotUnderstood("some dates have the day first and some the month: write them as 2026-11-03")
    return orders.pop() if orders else None


def night(text: str, order: str | None) -> str:
    """The label of the night that a cell names: `2026-11-03`.

    order: `DAY_FIRST`, `MONTH_FIRST` or, where nothing shows it, None. Raises NotUnderstood.
    """
    written = spaced(text)
    if not written:
        raise NotUnderstood("is empty: write the night, as 2026-11-03")
    timed = _ISO_TIME.fullmatch(written)
    try:
        if timed:
            return _timed(timed)
        return (_numeric(written, order) or _in_words(written) or date.fromisoformat(written)).isoformat()
    except NotUnderstood:
        raise
    except ValueError:
        raise NotUnderstood(f"{_shown(written)} is no date: write it as 2026-11-03") from None


def _timed(found: re.Match[str]) -> str:
    """The night of a time; one that does not say where it was is taken as it stands on the clock there."""
    when = datetime.fromisoformat(f"{found[1]}T{found[2]}{found[3] or 'Z'}").astimezone(UTC)
    return night_of({"at": when.strftime("%Y-%m-%dT%H:%M:%SZ")})


def _numeric(written: str, order: str | None) -> date | None:
    found = _NUMERIC_DATE.fullmatch(written)
    if not found:
        return None
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if found[2] == ".":
        order = DAY_FIRST
    if order is None and first != second:
        raise NotUnderstood(f"{_shown(written)} could be two dates: say --dates day-first or --dates month-first")
    day, month = (second, first) if order == MONTH_FIRST else (first, second)
    return date(year + 2000 if year < 100 else year, month, day)


def _in_words(written: str) -> date | None:
    """`3 November 2026`, `Nov 3, 2026`, `3 de noviembre de 2026`."""
    words = [word for word in re.split(r"[\s,.]+", folded(written, keep=" ,.")) if word not in ("", "de", "of", "the")]
    plain = [re.sub(r"(?<=\d)(st|nd|rd|th|er)$", "", word) for word in words]
    numbers = [int(word) for word in plain if word.isdigit()]
    months = {_months()[word] for word in words if word in _months()}
    if len(words) not in (3, 4) or len(months) != 1 or len(numbers) != 2 or max(numbers) < 1000:
        return None
    return date(max(numbers), months.pop(), min(numbers))


@cache
def _months() -> dict[str, int]:
    """The months' names and what they are shortened to, in the languages of the pages."""
    return {
        folded(name).rstrip("."): number
        for language in LANGUAGES
        for width in ("wide", "abbreviated")
        for number, name in Locale(language).months["format"][width].items()
    }


def folded(text: str, keep: str = "") -> str:
    """Letters and digits alone, small and without accents, for comparing what people typed; `keep` stays too."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in plain if letter.isalnum() or letter in keep)


def name(text: str) -> str:
    """A person's name as it is kept, what protects a spreadsheet from it taken off."""
    protected = text.startswith(GUARD) and guarded(unguarded(text)) == text
    written = unguarded(text) if protected else text
    return unicodedata.normalize("NFC", spaced(written))


def names_several(written: str) -> bool:
    """Whether a name reads like a list of people: `Asha,Ben,Cal`, `Asha and Ben`."""
    return _SEVERAL.search(written) is not None


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
