"""Nights from one label to another, and what is added up over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final

from service.export.night import Night

IN_MEMORY_BYTES: Final = 4 * 1024 * 1024
"""What is rendered is kept in memory up to here, and in a file without a name beyond."""
CHUNK_BYTES: Final = 64 * 1024


@dataclass(frozen=True)
class Span:
    """All nights of a club from one "night of" label to another, both included.

    first, last: the labels asked for, "" where there is no bound. nights: in order, the earliest first; each may be
    read when its turn comes, and they can be gone through once.
    """

    first: str
    last: str
    nights: Iterable[Night]

    def words(self) -> str:
        """`the nights of 2026-11-01 to 2026-11-30`."""
        if self.first and self.last:
            return f"the nights of {self.first} to {self.last}"
        if self.first or self.last:
            return f"the nights from {self.first} on" if self.first else f"the nights up to {self.last}"
        return "all nights"

    def file_stem(self) -> str:
        """`2026-11-01-to-2026-11-30`."""
        return f"{self.first or 'begin'}-to-{self.last or 'today'}"


def who(night: Night, player: str) -> str:
    """The key of whoever sits there: of the club's person where one is known, else of this seat on this night alone."""
    person = night.people.get(player)
    return person.id if person is not None else f"{night.session_id}/{player}"


def called(night: Night, player: str) -> str:
    """What the club calls them now; where it knows nobody, or the name was erased, what this night does."""
    person = night.people.get(player)
    return person.name if person is not None and person.name is not None else night.name(player)


def counted_in(night: Night) -> tuple[str, str, str]:
    """What the balances are counted in: name, and what one point is worth, in which currency ("" where not said).

    Amounts are added up over nights only where all three are the same.
    """
    unit: Mapping[str, Any] = night.opening["unit"]
    if night.in_money:
        return night.money_name, "", ""
    worth = (str(unit["worth"]), str(unit["currency"])) if "worth" in unit and "currency" in unit else ("", "")
    return night.unit_name, *worth


@dataclass(slots=True)
class Total:
    """What somebody came to over nights counted in one unit. person: None where nobody knows who they are."""

    person: str | None
    name: str
    unit: str
    worth: str
    currency: str
    net: Decimal = Decimal(0)
    nights: int = 0

    def net_text(self) -> str:
        """The net as amounts are written, without trailing zeros."""
        return plain(self.net)


class Totals:
    """Adds up balances night by night."""

    def __init__(self) -> None:
        self._totals: dict[tuple[str, ...], Total] = {}

    def add(self, night: Night) -> None:
        """Take in a night's settlement."""
        balances, unit = night.session.settlement()["balances"], counted_in(night)
        for player in night.seats:
            key = (who(night, player), *unit)
            if key not in self._totals:
                known = night.people.get(player)
                self._totals[key] = Total(known.id if known is not None else None, called(night, player), *unit)
            self._totals[key].net += Decimal(balances.get(player, "0"))
            self._totals[key].nights += 1

    def all(self) -> list[Total]:
        """By unit, the highest net first; equals in the order in which they first sat down."""
        return sorted(self._totals.values(), key=lambda total: (total.unit, total.worth, total.currency, -total.net))


def plain(amount: Decimal) -> str:
    """An amount without trailing zeros and without an exponent."""
    return f"{amount.normalize():f}" if amount else "0"


def spooled(parts: Iterable[bytes]) -> Iterator[bytes]:
    """What the parts make, however much it is; all of them are rendered when this returns.

    Raises what rendering raises.
    """
    file = SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115  closed by what is returned
    try:
        for part in parts:
            file.write(part)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return _Chunks(file)


class _Chunks(Iterator[bytes]):
    """A file's bytes, piece by piece; the file is closed after the last, or when nobody asks for more.

    A generator would not do: one that is closed before its first piece, as after a HEAD request, runs nothing at all.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __next__(self) -> bytes:
        chunk = b"" if self._file.closed else self._file.read(CHUNK_BYTES)
        if not chunk:
            self.close()
            raise StopIteration
        return chunk

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def __del__(self) -> None:
        self.close()
