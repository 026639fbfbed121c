"""The chart of accounts: whose account is which, and what each commodity stands for, for one night or for several.

For one night an account is a player's. Over nights it is a person's, wherever the club knows who sat there; whoever it
does not know has an account for that night alone. What is counted in other units, or in points of another worth, is
another commodity: nothing is added up that cannot be.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from tempfile import SpooledTemporaryFile
from typing import NamedTuple

from service.export.accounts import account, commodity
from service.export.night import Night
from service.export.span import CHUNK_BYTES, IN_MEMORY_BYTES, called, counted_in, plain, who

KEY_LENGTH = 12
"""How much of a UUID, from its end, stands for it in an account."""


class Holder(NamedTuple):
    """Whose an account is. name: exactly as it is known. key: the player's id, or the person's. day: when it opened."""

    name: str
    key: str
    day: str


class Price(NamedTuple):
    """What one piece of a commodity is worth in a currency, from a day on."""

    day: str
    amount: str
    currency: str


class Symbols(NamedTuple):
    """How a night's amounts are written: its chips, and the money (or points) that are owed."""

    chips: str
    money: str


class Chart:
    """The chart of one night. holders: account -> whose. commodities: symbol -> its name. prices: symbol -> price.

    places: symbol -> how many decimals its amounts have at most.
    """

    def __init__(self) -> None:
        self.holders: dict[str, Holder] = {}
        self.commodities: dict[str, str] = {}
        self.places: dict[str, int] = {}
        self.prices: dict[str, Price] = {}

    def accounts(self, night: Night, day: str) -> dict[str, str]:
        """Player -> account, opened on that day where it is not open."""
        found = {}
        for player in night.seats:
            found[player] = self._account(night, player)
            self.holders.setdefault(found[player], Holder(*self._holder(night, player), day))
        return found

    def symbols(self, night: Night, day: str) -> Symbols:
        """The night's commodities, declared, with the price of a point where the table agreed one."""
        chips, money = self._symbols(night)
        chip = _places(night.unit.chip)
        self._declare(chips, night.unit_name, chip)
        self._declare(money, night.money_name, _places(night.unit.coin) if night.in_money else chip)
        _, worth, currency = counted_in(night)
        if worth:
            symbol = self._currency(currency)
            self._declare(symbol, currency, chip + _places(worth))  # as many as one chip's worth may have
            self.prices.setdefault(chips, Price(day, worth, symbol))
        return Symbols(chips, money)

    def _declare(self, symbol: str, name: str, places: int) -> None:
        self.commodities.setdefault(symbol, name)
        self.places[symbol] = max(places, self.places.get(symbol, 0))

    def _account(self, night: Night, player: str) -> str:
        return account(player, night.name(player))

    def _holder(self, night: Night, player: str) -> tuple[str, str]:
        return night.name(player), player

    def _symbols(self, night: Night) -> tuple[str, str]:
        money, chips = commodity(night.money_name), commodity(night.unit_name)
        return (f"CHIPS-{money}" if night.in_money and chips == money else chips), money

    def _currency(self, name: str) -> str:
        return commodity(name)


def _places(amount: str) -> int:
    """How many decimals a decimal text has."""
    return len(amount.partition(".")[2])


class ChartOverNights(Chart):
    """The chart of several nights."""

    def __init__(self) -> None:
        super().__init__()
        self._by_key: dict[str, str] = {}
        self._short: dict[str, str] = {}
        self._by_meaning: dict[tuple[str, ...], str] = {}

    def _account(self, night: Night, player: str) -> str:
        key = who(night, player)
        if key not in self._by_key:
            self._by_key[key] = account(self._shortened(key), called(night, player))
        return self._by_key[key]

    def _shortened(self, key: str) -> str:
        """The key as an account has it: the end of a UUID, all of it where another one ends alike."""
        identity, _, player = key.partition("/")
        identity = identity.replace("-", "")
        short = identity[-KEY_LENGTH:]
        if self._short.setdefault(short, identity) != identity:
            short = identity
        return f"{short}-{player}" if player else short

    def _holder(self, night: Night, player: str) -> tuple[str, str]:
        return called(night, player), who(night, player)

    def _symbols(self, night: Night) -> tuple[str, str]:
        name, worth, currency = counted_in(night)
        money = self._symbol(("points", name, worth, currency) if worth else ("money", name), commodity(name))
        if not night.in_money:
            return money, money
        wanted = commodity(night.unit_name)
        return self._symbol(("chips", night.unit_name), f"CHIPS-{money}" if wanted == money else wanted), money

    def _currency(self, name: str) -> str:
        return self._symbol(("money", name), commodity(name))

    def _symbol(self, meaning: tuple[str, ...], wanted: str) -> str:
        """The symbol that stands for this and nothing else."""
        if meaning not in self._by_meaning:
            symbol, number = wanted, 2
            while symbol in self._by_meaning.values():
                symbol, number = f"{wanted}-{number}", number + 1
            self._by_meaning[meaning] = symbol
        return self._by_meaning[meaning]


class Balances:
    """What accounts come to in the end: (account, symbol) -> amount, in the order in which they came up."""

    def __init__(self) -> None:
        self._amounts: dict[tuple[str, str], Decimal] = {}

    def add(self, account_name: str, symbol: str, amount: str) -> None:
        """Add an amount, in decimal text."""
        key = account_name, symbol
        self._amounts[key] = self._amounts.get(key, Decimal(0)) + Decimal(amount)

    def all(self) -> list[tuple[str, str, str]]:
        """(account, amount, symbol) of each."""
        return [(name, plain(amount), symbol) for (name, symbol), amount in self._amounts.items()]


class Aside:
    """Text put aside until what stands before it in the file is known; in a file without a name, where it is much."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115  closed by `close`

    def put(self, text: str) -> None:
        """Put a block aside; a line end follows it."""
        self._file.write((text + "\n").encode())

    def taken(self) -> Iterator[bytes]:
        """All that was put aside."""
        self._file.seek(0)
        while chunk := self._file.read(CHUNK_BYTES):
            yield chunk

    def close(self) -> None:
        """Let go of it."""
        self._file.close()
