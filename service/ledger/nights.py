"""The nights of a ledger: who sat there, whether it adds up, and the events that record it.

A night becomes a session of community Brag with a bank of chips: everybody buys what they bought, at its price; the
count of the chips then says what each took, and the session closes. A night that does not add up is a count with a gap,
recorded as irregular: each then still holds what was bought (rules.md §6), for nobody knows whose the difference is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from events.amounts import Unit
from service.ledger.reading import Fault, Ledger, Row
from service.ledger.values import folded
from service.store.people import Person

Event = dict[str, Any]
IMPORTED: Final = "imported from a ledger"
NOON: Final = "T12:00:00Z"
NOTE: Final = (
    "Imported from a ledger, which gives what was bought and taken each night: not the hour (noon UTC stands for it), "
    "nor the seats, nor the hands."
)
USUAL_MOST_PLAYERS: Final = 8
NEW, MATCHED, SEVERAL = "new", "matched", "several"


@dataclass(frozen=True, slots=True)
class Found:
    """Whether the club knows a name. how: `NEW`, `MATCHED`, or `SEVERAL` where it knows more people of it than one.

    person: whom, where matched. name: as the club writes it, or, where new, as the ledger first does.
    """

    how: str
    name: str
    person: UUID | None = None


class Club:
    """The people of a club, by name."""

    def __init__(self, people: Iterable[Person]) -> None:
        self._exact: dict[str, list[Person]] = {}
        self._alike: dict[str, list[Person]] = {}
        for one in people:
            if one.name is not None:
                self._exact.setdefault(one.name, []).append(one)
                self._alike.setdefault(_key(one.name), []).append(one)

    def names(self) -> set[str]:
        """Every name that the club knows."""
        return set(self._exact)

    def find(self, name: str) -> Found:
        """Who a name is: exactly as written, else but for capitals, blanks and accents."""
        for known in (self._exact.get(name, []), self._alike.get(_key(name), [])):
            if known:
                if len({one.same_as or one.id for one in known}) > 1:
                    return Found(SEVERAL, name)
                return Found(MATCHED, known[0].name or name, known[0].id)
        return Found(NEW, name)


def _key(name: str) -> str:
    return folded(name) or name


@dataclass(slots=True)
class Sat:
    """Somebody on a night. bought: each purchase, taken: all that was taken, in whole coins. lines: of the file."""

    found: Found
    bought: list[int] = field(default_factory=list)
    taken: int = 0
    lines: list[int] = field(default_factory=list)


@dataclass(slots=True)
class LedgerNight:
    """One night. sat: everybody, by name. faults: its rows that were not understood."""

    label: str
    sat: list[Sat]
    faults: list[Fault]

    def bought(self) -> int:
        """All that was bought, in whole coins."""
        return sum(sum(one.bought) for one in self.sat)

    def gap(self) -> int:
        """What was taken less what was bought, in whole coins: 0 where the night adds up."""
        return sum(one.taken for one in self.sat) - self.bought()


def nights_of(ledger: Ledger, club: Club, unit: Unit) -> list[LedgerNight]:
    """The nights of a ledger, the earliest first. Rows of one player on one night are taken together."""
    spelled: dict[str, Found] = {}
    for row in ledger.rows:
        spelled.setdefault(_key(row.player), club.find(row.player))
    by_night: dict[str, dict[str, Sat]] = {}
    for row in ledger.rows:
        found = _found(row, spelled, club)
        sat = by_night.setdefault(row.night, {}).setdefault(found.name, Sat(found))
        sat.bought.append(unit.coins(row.bought))
        sat.taken += unit.coins(row.taken)
        sat.lines.append(row.line)
    labels = sorted({*by_night, *(fault.night for fault in ledger.faults if fault.night)})
    return [
        LedgerNight(
            label,
            sorted(by_night.get(label, {}).values(), key=lambda one: (_key(one.found.name), one.found.name)),
            [fault for fault in ledger.faults if fault.night == label],
        )
        for label in labels
    ]


def _found(row: Row, spelled: Mapping[str, Found], club: Club) -> Found:
    """Who a row is about: exactly whom the club knows, else whoever the file wrote much the same first."""
    exact = club.find(row.player)
    return exact if exact.how != NEW else spelled[_key(row.player)]


def title_of(given: str) -> str:
    """The title of an imported night, which says that it was."""
    return f"{given} ({IMPORTED})" if given else IMPORTED.capitalize()


def events_of(night: LedgerNight, unit_body: Mapping[str, str], title: str) -> list[Event]:
    """The night as a client would send it, its `open` first; the same ledger gives the same ids."""
    unit, at = Unit(unit_body["chip"], unit_body["coin"]), night.label + NOON
    ids = [f"P{number}" for number in range(1, len(night.sat) + 1)]
    rules: Event = {"bank": "chips"}
    if len(ids) > USUAL_MOST_PLAYERS:
        rules["max_players"] = len(ids)
    opening: Event = {
        "type": "open", "title": title, "game": "community", "rules": rules, "unit": dict(unit_body),
        "players": [{"id": player, "name": one.found.name} for player, one in zip(ids, night.sat, strict=True)],
        "at": at,
    }  # fmt: skip
    events: list[Event] = [{"type": "note", "text": NOTE}]
    for player, one in zip(ids, night.sat, strict=True):
        for coins in one.bought:
            if coins:
                amount = unit.coin_text(coins)
                events.append({"type": "buy", "player": player, "chips": amount, "price": amount})
    taken = {player: unit.coin_text(one.taken) for player, one in zip(ids, night.sat, strict=True)}
    count: Event = {"type": "count", "chips": taken}
    if night.gap():
        count["irregular"] = gap_in_words(night, unit)
    if night.gap() or night.bought():
        events.append(count)
    events.append({"type": "close"})
    about = f"{title}/{night.label}/{unit_body.get('currency', '')}"
    return [
        opening,
        *({**event, "at": at, "id": _client_id(f"{about}/{place}")} for place, event in enumerate(events)),
    ]


def gap_in_words(night: LedgerNight, unit: Unit) -> str:
    """What does not add up: `100 was bought and 95 taken: 5 is missing`."""
    bought, gap = night.bought(), night.gap()
    difference = f"{unit.coin_text(-gap)} is missing" if gap < 0 else f"{unit.coin_text(gap)} is too much"
    return f"{unit.coin_text(bought)} was bought and {unit.coin_text(bought + gap)} taken: {difference}"


def people_of(night: LedgerNight) -> dict[str, UUID]:
    """Player -> the club's person, where one was matched."""
    return {f"P{at}": one.found.person for at, one in enumerate(night.sat, 1) if one.found.person is not None}


def _client_id(words: str) -> str:
    """A UUIDv8 made of what the event is, and of nobody's name."""
    digest = bytearray(hashlib.sha256(f"bragbook ledger/{words}".encode()).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return str(UUID(bytes=bytes(digest)))


def same_night(ours: Sequence[Event], kept: Sequence[Event]) -> bool:
    """Whether what is kept began as this night; what was recorded there since does not count."""
    return list(kept[: len(ours)]) == list(ours)
