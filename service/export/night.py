"""What every export format is rendered from: one night, whole, in memory.

A `Night` holds the stored events, the names beside them and the session that a replay of the events gives. It knows
no database: the command line makes one from a file, the service from its store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from events.amounts import Unit
from events.session import Session
from events.vocabulary import without_stamps
from service.night_label import night_of

StoredEvent = dict[str, Any]


class Person(NamedTuple):
    """Somebody of a club, as they are known over its nights. id: a UUID. name: None once erased."""

    id: str
    name: str | None


@dataclass(frozen=True)
class Night:
    """One session, as it is to be put on paper.

    session_id: the session's id. events: as stored, from seq 1 on. names: player -> name; None where the name was
    erased; a player left out was never named, and goes by their id. session: the replay of exactly these events.
    evidence: what the instance has signed about them, as members of a bundle (events/bundle.py); empty for a file.
    people: player -> who of the club's people that is, where it is known; empty for a file.
    """

    session_id: str
    events: Sequence[StoredEvent]
    names: Mapping[str, str | None]
    session: Session
    evidence: Mapping[str, Any] = field(default_factory=dict)
    people: Mapping[str, Person] = field(default_factory=dict)
    _labels: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, session_id: str, events: Sequence[StoredEvent], names: Mapping[str, str | None]) -> Night:
        """The night of stored events, which are trusted to be legal, and the names beside them."""
        return cls(session_id, events, names, Session.replay(events))

    @property
    def opening(self) -> StoredEvent:
        """The `open` event."""
        return self.events[0]

    @property
    def head(self) -> StoredEvent:
        """The last event; its `seq` is the version and its `hash` the head of the chain."""
        return self.events[-1]

    @property
    def title(self) -> str:
        """The session's title, "" where it has none."""
        return str(self.opening.get("title") or "")

    @property
    def game(self) -> str:
        """`lives`, `community` or `three-card`."""
        return str(self.opening["game"])

    @property
    def unit_name(self) -> str:
        """What the session counts in: "pts", unless the table said otherwise."""
        return str(self.opening["unit"]["name"])

    @property
    def unit(self) -> Unit:
        """The arithmetic of the session's amounts."""
        return Unit(self.opening["unit"]["chip"], self.opening["unit"]["coin"])

    @property
    def in_money(self) -> bool:
        """Whether balances are money and hands are chips (rules.md §3.8), not both the same points."""
        return bool(self.opening["rules"].get("bank") == "chips")

    @property
    def money_name(self) -> str:
        """What balances are counted in: the currency of a chips session, else the unit."""
        return str(self.opening["unit"].get("currency") or "money") if self.in_money else self.unit_name

    @property
    def night_of(self) -> str:
        """The night's label (`night_of` of the opening)."""
        return night_of(self.opening)

    @property
    def seats(self) -> list[str]:
        """Every player of the session, in seat order, those who left too."""
        return list(self.session.seats)

    def seat(self, player: str) -> int:
        """The player's seat, counted from 1."""
        return self.seats.index(player) + 1

    def name(self, player: str) -> str:
        """The player's name; their id where they have none; "Player 3", by seat, where it was erased."""
        name = self.names.get(player, player)
        return f"Player {self.seat(player)}" if name is None else name

    def label(self, player: str) -> str:
        """The name, with the id behind it where two at this table would read the same."""
        if not self._labels:
            seats = self.seats
            shown = [self.name(other) for other in seats]
            for other, name in zip(seats, shown, strict=True):
                self._labels[other] = name if shown.count(name) == 1 else f"{name} ({other})"
        return self._labels[player]

    def shown_names(self) -> dict[str, str]:
        """Player -> name, as `Session.state` takes them."""
        return {player: self.name(player) for player in self.seats}

    def struck(self) -> dict[int, StoredEvent]:
        """The seq of every event that was struck out -> the `void` that did it."""
        return {seq: event for event in self.events if event["type"] == "void" for seq in event["seqs"]}

    def steps(self) -> Iterator[tuple[StoredEvent, Session]]:
        """Each event after the `open`, with the session as it was known to stand right after it.

        The session is the same object each time, moved on: read from it, and do not keep it.
        """
        session = Session(self.opening)
        for place, event in enumerate(self.events[1:], 2):
            # A void may fit only with what was recorded anew after it, in the same request.
            upcoming = self.events[place:] if event["type"] == "void" else ()
            session.record(without_stamps(event), upcoming)
            yield event, session
