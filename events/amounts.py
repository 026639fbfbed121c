"""Exact amounts: whole chips inside, decimal text outside, and shares that add up.

Nothing here is ever a floating point number. A table's smallest chip and smallest coin are decimals of at most six
places; an amount is a whole number of one or the other (rules.md §1, amounts).
"""

from __future__ import annotations

PLACES = 6
"""The most decimal places that a smallest chip or coin may have."""

DIGITS = 15
"""The most digits that an amount may be written with."""

MOST_PIECES = 2**53 - 1
"""The most smallest chips, or coins, of an amount that is recorded; what a session sums them up to may be more."""

_TOO_LARGE = 10**DIGITS
_MOST_WRITTEN = 60
"""More digits than any sum of a session has."""
_REMEMBERED = 1024
"""How many readings and writings a unit remembers; a night uses a few dozen."""


class AmountError(Exception):
    """An amount that cannot be taken; ``code`` is the refusal code of contract.md §7, ``str()`` says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _digits(text: str) -> bool:
    return text != "" and text.strip("0123456789") == ""


def read_decimal(value: object, most: int = DIGITS) -> tuple[int, int]:
    """An amount off the wire, a decimal text or an integer, as ``(significand, places)``: ``"-1.50"`` is (-150, 2).

    most: the digits that a text may have.

    Raises AmountError: ``amount.not_exact`` for a floating point number, ``event.invalid`` for whatever else is no
    plain decimal of so many digits; an integer has at most 15.
    """
    if isinstance(value, float):
        raise AmountError(
            "amount.not_exact", 'write the amount as text, such as "2.5": a number with a point is not exact'
        )
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise AmountError("event.invalid", 'an amount is a decimal text such as "2.5", or a whole number')
    if isinstance(value, int):
        if not -_TOO_LARGE < value < _TOO_LARGE:
            raise AmountError("event.invalid", f"an amount has at most {DIGITS} digits")
        return value, 0
    if len(value) > most + 2:  # a sign and a point
        raise AmountError("event.invalid", f"an amount has at most {most} digits")
    negative = value[:1] == "-"
    parts = (value[1:] if negative else value).split(".")
    if len(parts) > 2 or not _digits(parts[0]) or not _digits(parts[-1]):
        raise AmountError("event.invalid", 'write the amount in digits with at most one point, such as "2.5"')
    text = "".join(parts)
    if len(text) > most:
        raise AmountError("event.invalid", f"an amount has at most {most} digits")
    significand = int(text)
    return (-significand if negative else significand), (len(parts[1]) if len(parts) == 2 else 0)


def write_decimal(significand: int, places: int) -> str:
    """``significand / 10**places`` as text without trailing zeros: (-150, 2) is ``"-1.5"``."""
    digits = str(abs(significand))
    if places > 0:
        digits = "0" * (places + 1 - len(digits)) + digits
        whole = digits[:-places]
        part = digits[-places:].rstrip("0")
        digits = whole + "." + part if part else whole
    return "-" + digits if significand < 0 else digits


class _Measure:
    """A smallest piece, ``numerator / 10**places`` points, and amounts as whole numbers of it."""

    __slots__ = ("_read", "_written", "numerator", "piece", "places", "text")

    def __init__(self, piece: str, value: object) -> None:
        significand, places = read_decimal(value)
        if significand <= 0:
            raise AmountError("amount.not_positive", f"the smallest {piece} must be more than 0")
        self.text = write_decimal(significand, places)
        significand, places = read_decimal(self.text)
        if places > PLACES:
            raise AmountError("event.invalid", f"the smallest {piece} has at most {PLACES} decimal places")
        self.piece = piece
        self.numerator = significand
        self.places = places
        self._read: dict[str, int] = {}
        self._written: dict[int, str] = {}

    def read(self, value: object) -> int:
        if isinstance(value, str):
            known = self._read.get(value)
            if known is not None:
                return known
        pieces = self.pieces(read_decimal(value))
        if isinstance(value, str):
            if len(self._read) >= _REMEMBERED:
                self._read.clear()
            self._read[value] = pieces
        return pieces

    def pieces(self, decimal: tuple[int, int]) -> int:
        significand, places = decimal
        scaled: int = significand * 10**self.places
        piece: int = self.numerator * 10**places
        pieces, rest = divmod(scaled, piece)
        if rest:
            raise AmountError("amount.not_chip", f"the amount must be a whole number of {self.piece}s of {self.text}")
        return pieces

    def read_back(self, text: str) -> int:
        known = self._read.get(text)
        return self.pieces(read_decimal(text, _MOST_WRITTEN)) if known is None else known

    def write(self, pieces: int) -> str:
        known = self._written.get(pieces)
        if known is None:
            known = write_decimal(pieces * self.numerator, self.places)
            if len(self._written) >= _REMEMBERED:
                self._written.clear()
            self._written[pieces] = known
        return known


class Unit:
    """What a session counts in: its smallest ``chip`` and the smallest ``coin`` of its money, both in points.

    ``chip`` and ``coin`` are decimals of more than 0 with at most six places, as text or integers.

    Raises AmountError: ``event.invalid``, ``amount.not_exact`` or ``amount.not_positive``.
    """

    __slots__ = ("_chip", "_coin", "chip", "coin")

    def __init__(self, chip: object, coin: object) -> None:
        self._chip = _Measure("chip", chip)
        self._coin = _Measure("coin", coin)
        self.chip = self._chip.text
        self.coin = self._coin.text

    def chips(self, value: object) -> int:
        """An amount off the wire in whole chips; below zero where it is written so, which is the caller's to judge.

        Raises AmountError: ``event.invalid``, ``amount.not_exact``, ``amount.not_chip``.
        """
        return self._chip.read(value)

    def text(self, chips: int) -> str:
        """Chips as they are written: points, without trailing zeros (``"2.5"``)."""
        return self._chip.write(chips)

    def chips_of(self, text: str) -> int:
        """The chips that ``text`` wrote, which may be a sum of more than an amount off the wire may be."""
        return self._chip.read_back(text)

    def coins(self, value: object) -> int:
        """A price off the wire in whole coins of money. Raises AmountError as ``chips`` does."""
        return self._coin.read(value)

    def coins_of(self, text: str) -> int:
        """The coins that ``coin_text`` wrote."""
        return self._coin.read_back(text)

    def coin_text(self, coins: int) -> str:
        """Coins as they are written: money, without trailing zeros."""
        return self._coin.write(coins)


_units: dict[tuple[str, str], Unit] = {}


def unit_for(chip: str, coin: str) -> Unit:
    """The one ``Unit`` of these texts, shared, so that what it has read is remembered from session to session.

    Raises AmountError as ``Unit`` does.
    """
    unit = _units.get((chip, coin))
    if unit is None:
        unit = Unit(chip, coin)
        if len(_units) >= 64:
            _units.clear()
        _units[(chip, coin)] = unit
    return unit


def kept(pieces: int) -> int:
    """Whole chips or coins, as many as an amount that is recorded may be. Raises AmountError (``event.invalid``)."""
    if not -MOST_PIECES <= pieces <= MOST_PIECES:
        raise AmountError("event.invalid", f"an amount is at most {MOST_PIECES} of the table's smallest chips or coins")
    return pieces


def even_split(total: int, winners: list[str]) -> dict[str, int]:
    """``total`` chips in equal whole shares; the odd chips go one each to the first of ``winners``.

    ``winners`` are in order from the dealer's left (rules.md §1, equal shares).

    Raises ValueError where nobody wins, somebody wins twice, or there is less than nothing to share.
    """
    return share_out(total, [(winner, 1) for winner in winners])


def share_out(total: int, weights: list[tuple[str, int]]) -> dict[str, int]:
    """``total`` whole pieces shared by weight: each the whole part of their share, what is left by largest remainder.

    Equal remainders go in the order of ``weights``. The shares make ``total`` exactly.

    Raises ValueError for a weight or a total below zero, a name twice, or a total with no weight to share it by.
    """
    together = 0
    for _, weight in weights:
        if weight < 0:
            raise ValueError("a share below nothing")
        together += weight
    if total < 0 or (together == 0 and total != 0):
        raise ValueError(f"{total} cannot be shared by {together}")
    shares: dict[str, int] = {}
    remainders: list[tuple[int, int, str]] = []
    left = total
    place = 0
    for name, weight in weights:
        if name in shares:
            raise ValueError("somebody has two shares")
        whole, remainder = divmod(total * weight, together) if together else (0, 0)
        shares[name] = whole
        left -= whole
        remainders.append((-remainder, place, name))
        place += 1
    remainders.sort()
    for _, _, name in remainders[:left]:
        shares[name] += 1
    return shares
