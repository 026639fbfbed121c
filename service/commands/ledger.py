"""`import --ledger`: nights from a plain ledger, shown first and stored when that is said."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import click

from events.amounts import Unit
from events.refusals import Refused
from events.session import Session
from events.texts import counted
from events.vocabulary import without_stamps
from service.commands.opened import opened
from service.commands.terminal import NOT_SOUND, SOUND, UNREADABLE, Failure, progress, reason, report, tell
from service.event_files import named
from service.event_files import opened as opened_body
from service.ledger import nights as ledger_nights
from service.ledger.nights import MATCHED, NEW, SEVERAL, Club, LedgerNight, events_of, gap_in_words, title_of
from service.ledger.reading import Ledger, Unreadable, fetch, parse
from service.sessions import Sessions
from service.store.clubs import FIRST_CLUB

BY: Final = "ledger"
"""`by` of what was imported from a ledger."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for. as_it_stands: store nights that do not add up too. store: whether to store at all."""

    path: str
    currency: str | None
    title: str
    order: str | None
    persons: Collection[str]
    as_it_stands: bool
    store: bool


@dataclass(slots=True)
class _Planned:
    """A night and what is to become of it. events: as a client sends them; empty where there are none.

    standing: "new", "here", "differs" (here, with other content), "refused". why: in words, where it is not stored.
    """

    night: LedgerNight
    events: list[dict[str, Any]]
    standing: str
    why: str = ""
    session: UUID | None = None


def import_ledger(asked: Asked, as_json: bool, data: str | None) -> int:
    """Show what a ledger holds, and store it where that was asked for; the exit code. Raises Failure."""
    unit_body, places = _unit(asked.currency)
    unit = Unit(unit_body["chip"], unit_body["coin"])
    with _unreadable_in_words():
        written = fetch(asked.path)  # before a store is made for nothing
    with opened(data, anew=asked.store) as sessions:
        club = Club(sessions.people_of(str(FIRST_CLUB)))
        with _unreadable_in_words():
            known = {*club.names(), *asked.persons}
            ledger = parse(named(asked.path), written, places, asked.order, known)
        found = ledger_nights.nights_of(ledger, club, unit)
        planned = [_plan(sessions, night, asked, unit_body, unit) for night in found]
        if not as_json:
            tell(_shown(ledger, planned, unit, asked))
        if asked.store:
            _store(sessions, [one for one in planned if one.standing == "new"])
        if as_json:
            report(_document(ledger, planned, unit, asked))
        else:
            click.echo(_said(planned, asked))
    clear = not ledger.faults and all(one.standing in ("new", "here", "stored") for one in planned)
    return SOUND if clear else NOT_SOUND


@contextmanager
def _unreadable_in_words() -> Iterator[None]:
    try:
        yield
    except Unreadable as error:
        raise Failure(str(error), UNREADABLE) from None


def _unit(currency: str | None) -> tuple[dict[str, str], int]:
    """The unit of a session counted in a currency, and how many decimals that has. Raises click.UsageError."""
    if currency is None:
        return {"name": "pts", "chip": "0.01", "coin": "0.01"}, 2
    from babel import Locale
    from babel.numbers import get_currency_precision

    code = currency.upper()
    if code not in Locale("en").currencies:
        raise click.UsageError(f"--currency {currency}: not a currency; write its code, such as GBP or EUR")
    places = get_currency_precision(code)
    piece = f"0.{'0' * (places - 1)}1" if places else "1"
    return {"name": "chips", "chip": piece, "coin": piece, "currency": code}, places


def _plan(sessions: Sessions, night: LedgerNight, asked: Asked, unit_body: dict[str, str], unit: Unit) -> _Planned:
    """What is to become of a night."""
    if night.faults:
        return _Planned(night, [], "refused", "not all of its rows are understood: put those right first")
    title = title_of(asked.title)
    events = events_of(night, unit_body, title)
    try:
        ours = _recorded(events)
    except Refused as refused:
        return _Planned(night, [], "refused", reason(refused.refusal))
    there = list(_there(sessions, night.label, title))
    for session, kept in there:
        if ledger_nights.same_night(ours, kept):
            return _Planned(night, events, "here", session=session)
    if there:
        why = (
            f"session {there[0][0]} is this night with other amounts or players: put it right there; or give a --title"
        )
        return _Planned(night, events, "differs", why, there[0][0])
    if night.gap() and not asked.as_it_stands:
        return _Planned(night, events, "refused", f"{gap_in_words(night, unit)}; --as-it-stands records it so")
    return _Planned(night, events, "new")


def _recorded(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events as they are stored, without stamps. Raises Refused."""
    opening, _ = opened_body(events[0])
    session = Session(opening)
    for event in events[1:]:
        session.record(event)
    return [without_stamps(event) for event in session.events]


def _there(sessions: Sessions, label: str, title: str) -> Iterator[tuple[UUID, list[dict[str, Any]]]]:
    """The sessions that were imported as this night before, with their events without stamps."""
    for session in sessions.nights(str(FIRST_CLUB), label, label):
        events, _ = sessions.whole(session)
        if events[0].get("title") == title and events[0]["by"] == BY:
            yield session, [without_stamps(event) for event in events]


def _store(sessions: Sessions, planned: list[_Planned]) -> None:
    with progress(planned, "Importing", len(planned)) as bar:
        for one in bar:
            try:
                people = ledger_nights.people_of(one.night)
                imported = sessions.import_events(one.events, stored=False, by=BY, people=people)
            except Refused as refused:
                one.standing, one.why = "refused", reason(refused.refusal)
            else:
                one.standing, one.session = "stored", imported.session


def _shown(ledger: Ledger, planned: Sequence[_Planned], unit: Unit, asked: Asked) -> list[str]:
    """The preview, in lines."""
    money = asked.currency.upper() if asked.currency else "points"
    lines = [f"{ledger.source}: {counted(len(planned), 'night')}, {counted(len(ledger.rows), 'row')}, in {money}"]
    lines.append("Columns: " + ", ".join(f"{column} is {called!r}" for column, called in ledger.columns.items()))
    if ledger.unused:
        lines.append("Not used: " + ", ".join(repr(called) for called in ledger.unused))
    if ledger.above:
        lines.append("Not used: the rows above the heading, on line " + ", ".join(str(line) for line in ledger.above))
    lines += _people(planned)
    for one in planned:
        lines += _night(one, unit)
    if ledger.faults:
        lines.append("Not understood:")
        lines += [f"  line {fault.line}: {fault.says}" for fault in ledger.faults]
    return lines


def _people(planned: Sequence[_Planned]) -> Iterator[str]:
    found = {sat.found.name: (sat.found, sat.lines[0]) for one in reversed(planned) for sat in one.night.sat}
    for how, words in (
        (MATCHED, "Players the club knows"), (NEW, "New to the club"),
        (SEVERAL, "Known to the club more than once, so that nobody can tell which"),
    ):  # fmt: skip
        named = sorted((line, name) for name, (one, line) in found.items() if one.how == how)
        if named:
            yield f"{words}: " + ", ".join(f"{name!r} (line {line})" for line, name in named)


def _night(one: _Planned, unit: Unit) -> Iterator[str]:
    night = one.night
    words = {
        "new": "", "here": f": here already, session {one.session}", "differs": f": NOT TAKEN: {one.why}",
        "refused": f": NOT TAKEN: {one.why}",
    }[one.standing]  # fmt: skip
    if one.standing == "new" and night.gap():
        words = f": as it stands: {gap_in_words(night, unit)}; nobody is owed anything by it"
    yield f"{night.label}, {counted(len(night.sat), 'player')}{words}"
    for sat in night.sat:
        bought = sum(sat.bought)
        together = f" (lines {', '.join(map(str, sat.lines))} together)" if len(sat.lines) > 1 else ""
        amounts = [unit.coin_text(coins) for coins in (bought, sat.taken, sat.taken - bought)]
        yield f"  {sat.found.name:<30} bought {amounts[0]:>9}  took {amounts[1]:>9}  net {amounts[2]:>9}{together}"


def _said(planned: Sequence[_Planned], asked: Asked) -> str:
    """What was done, or what may be."""
    if not asked.store:
        new = sum(one.standing == "new" for one in planned)
        return "Nothing is stored." + (f" --yes stores {counted(new, 'new night')}." if new else "")
    lines = [f"{one.night.label}: session {one.session}" for one in planned if one.standing == "stored"]
    here = sum(one.standing == "here" for one in planned)
    left = sum(one.standing in ("refused", "differs") for one in planned)
    counts = f"{counted(len(lines), 'new night')}, {here} already here" + (f", {left} not taken" if left else "")
    return "\n".join([*lines, counts])


def _document(ledger: Ledger, planned: Sequence[_Planned], unit: Unit, asked: Asked) -> dict[str, Any]:
    """The same for a program."""
    return {
        "file": ledger.source,
        "currency": asked.currency.upper() if asked.currency else None,
        "columns": ledger.columns,
        "unused": ledger.unused,
        "not_understood": [{"line": fault.line, "says": fault.says} for fault in ledger.faults],
        "stored": asked.store,
        "nights": [
            {
                "night": one.night.label,
                "standing": one.standing,
                "why": one.why or None,
                "session": str(one.session) if one.session else None,
                "gap": unit.coin_text(one.night.gap()),
                "players": [
                    {
                        "name": sat.found.name, "club": sat.found.how, "lines": sat.lines,
                        "bought": unit.coin_text(sum(sat.bought)), "took": unit.coin_text(sat.taken),
                    }
                    for sat in one.night.sat
                ],
            }
            for one in planned
        ],
    }  # fmt: skip
