"""`import` and `export`: nights into the store and out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import click

from events.refusals import Refused
from service.commands.all_cores import on_all_cores
from service.commands.ledger import Asked, import_ledger
from service.commands.opened import data_option, opened_to_all_cores, opened_with_evidence
from service.commands.terminal import NOT_SOUND, SOUND, UNREADABLE, Failure, complain, progress, reason, report
from service.event_files import Recording, Unreadable
from service.event_pieces import LARGE, Piece, pieces
from service.evidence import Evidence
from service.export import FORMATS
from service.export.night import Night
from service.export.span import Span
from service.ledger.values import DAY_FIRST, MONTH_FIRST
from service.sessions import Imported, Sessions
from service.store.clubs import FIRST_CLUB

_NIGHT = click.DateTime(["%Y-%m-%d"])


@click.command("import", short_help="Take event files, bundles or a plain ledger into the store.")
@click.argument("files", nargs=-1, metavar="[FILE…]")
@click.option("--ledger", metavar="FILE", help="A plain ledger instead: a CSV of buy-ins and cash-outs per night.")
@click.option("--currency", metavar="CODE", help="What a ledger is counted in, such as GBP; else points.")
@click.option("--title", default="", metavar="TEXT", help="What to call a ledger's nights.")
@click.option("--dates", type=click.Choice([DAY_FIRST, MONTH_FIRST]), help="How a ledger writes 3/11/2026.")
@click.option("--person", "persons", multiple=True, metavar="NAME", help="A name that looks like several, and is one.")
@click.option("--preview", is_flag=True, help="Only show what a ledger holds; so it is without --yes.")
@click.option("--yes", is_flag=True, help="Store a ledger's nights.")
@click.option("--as-it-stands", is_flag=True, help="Store nights that do not add up too, marked as irregular.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a file, each on its own line.")
@data_option
def import_files(
    files: tuple[str, ...],
    ledger: str | None,
    currency: str | None,
    title: str,
    dates: str | None,
    persons: tuple[str, ...],
    preview: bool,
    yes: bool,
    as_it_stands: bool,
    as_json: bool,
    data: str | None,
) -> None:
    """Take event files and bundles into the store; what is there already is not stored again.

    FILE is an event file (NDJSON) or a bundle; - is standard input. A session that is new here gets tokens, which are
    shown this once. Exit code 1: a file was refused; 2: one cannot be read.

    With --ledger, nights from a plain ledger: shown first, stored with --yes. Exit code 1: some were not taken.
    """
    if ledger is not None:
        if files:
            raise click.UsageError("--ledger takes one file, and no others with it")
        asked = Asked(ledger, currency, title.strip(), dates, persons, as_it_stands, store=yes and not preview)
        raise SystemExit(import_ledger(asked, as_json, data))
    if currency or title or dates or persons or preview or yes or as_it_stands:
        raise click.UsageError("--currency, --title, --dates, --person, --preview, --yes, --as-it-stands need --ledger")
    if not files:
        raise click.UsageError("name a file, or a ledger: --ledger FILE")
    worst = SOUND
    batches = _batches(files)
    first = next(batches)
    faults = [piece.fault for piece in first if piece.fault is not None]
    if len(faults) == len(first):  # said before a store is made for nothing
        for fault in faults:
            complain(fault)
        raise SystemExit(UNREADABLE)
    with opened_to_all_cores(data, anew=True) as (conninfo, sessions, _):
        taken = on_all_cores(_taken_together, conninfo, sessions, chain([first], batches))
        with progress(taken, "Importing") as bar:
            for piece, outcome in bar:
                worst = max(worst, *(_said(one, as_json) for one in outcome or _taken(sessions, piece)))
    raise SystemExit(worst)


class _Outcome(NamedTuple):
    """What a night came to: what was imported, else why it was not."""

    source: str
    imported: Imported | None = None
    fault: str = ""
    code: int = SOUND


def _batches(files: Sequence[str]) -> Iterator[list[Piece]]:
    """The files' pieces, as many together as make a large one."""
    held: list[Piece] = []
    for path in files:
        for piece in pieces(path):
            held.append(piece)
            if sum(len(one.data) for one in held) >= LARGE:
                yield held
                held = []
    yield held


def _taken_together(sessions: Sessions, batch: Sequence[Piece]) -> list[tuple[Piece, list[_Outcome]]]:
    """What each piece came to; nothing for one that is to be taken after the others before it, by one process.

    Those are nights with names, since a name that nobody knows is somebody new, once; and events that a client sends.
    """
    read = [_read(piece) for piece in batch]
    together = [
        None
        if isinstance(nights, Unreadable) or not all(night.stored and not night.names for night in nights)
        else nights
        for nights in read
    ]
    nights = [night for nights in together if nights is not None for night in nights]
    done = iter(sessions.import_many([(night.events, night.kept) for night in nights]))
    taken: list[tuple[Piece, list[_Outcome]]] = []
    for piece, nights_read, chosen in zip(batch, read, together, strict=True):
        if isinstance(nights_read, Unreadable):
            taken.append((piece._replace(data=b""), [_Outcome(piece.source, fault=str(nights_read), code=UNREADABLE)]))
        elif chosen is None:
            taken.append((piece, []))
        else:
            taken.append((piece._replace(data=b""), [_outcome(night, next(done)) for night in chosen]))
    return taken


def _taken(sessions: Sessions, piece: Piece) -> list[_Outcome]:
    """What the nights of a piece came to, each taken by itself."""
    nights = _read(piece)
    assert not isinstance(nights, Unreadable)
    return [_taken_alone(sessions, night) for night in nights]


def _taken_alone(sessions: Sessions, night: Recording) -> _Outcome:
    try:
        imported = sessions.import_events(night.events, night.stored, night.names)
    except Refused as refused:
        return _outcome(night, refused)
    if imported.tokens:
        for player, name in night.names.items():
            if name is None:
                sessions.erase_name(imported.session, player)
    return _outcome(night, imported)


def _read(piece: Piece) -> list[Recording] | Unreadable:
    try:
        return piece.nights()
    except Unreadable as error:
        return error


def _outcome(night: Recording, answer: Imported | Refused) -> _Outcome:
    if isinstance(answer, Refused):
        said = f"{night.place(answer.refusal.event or 0)}: {reason(answer.refusal)}"
        return _Outcome(night.source, fault=said, code=NOT_SOUND)
    return _Outcome(night.source, answer)


def _said(outcome: _Outcome, as_json: bool) -> int:
    """Says on the terminal what an outcome is; its exit code."""
    imported = outcome.imported
    if imported is None:
        complain(outcome.fault)
    elif as_json:
        report({
            "file": outcome.source, "session": str(imported.session), "new": imported.added, "known": imported.known,
            "tokens": imported.tokens,
        })  # fmt: skip
    else:
        counts = f"{imported.added} new, {imported.known} already here"
        click.echo(f"{outcome.source}: {counts}, session {imported.session}")
        for kind, token in imported.tokens.items():
            click.echo(f"  {kind}: {token}")
    return outcome.code


@click.command(short_help="Write a session, or all from one night to another.")
@click.argument("session", required=False, metavar="[SESSION]")
@click.option("--format", "name", type=click.Choice(list(FORMATS)), required=True, help="See docs/formats.md.")
@click.option(
    "--from", "first", type=_NIGHT, metavar="NIGHT", help="Instead of a session: the first night, 2026-11-01."
)
@click.option("--to", "last", type=_NIGHT, metavar="NIGHT", help="The last night, 2026-11-30, which is included.")
@click.option("--club", type=click.UUID, help="Whose nights, where the instance has more clubs than its first.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="A file; else standard output.")
@data_option
def export(
    session: str | None,
    name: str,
    first: datetime | None,
    last: datetime | None,
    club: UUID | None,
    output: Path | None,
    data: str | None,
) -> None:
    """Write a session in one of the formats; or, in one file, all of a club from one "night of" label to another."""
    over_nights = first is not None or last is not None
    if over_nights == (session is not None):
        raise click.UsageError("name a session, or nights: --from NIGHT --to NIGHT")
    if club is not None and not over_nights:
        raise click.UsageError("--club goes with --from and --to")
    labels = [day.date().isoformat() if day is not None else "" for day in (first, last)]
    with opened_with_evidence(data) as (sessions, evidence):
        if session is not None:
            _write(output, _rendered(sessions, evidence, session, name))
            return
        asked = _nights(sessions, name, labels[0], labels[1], club or FIRST_CLUB)
        with progress(asked, "Exporting", len(asked)) as bar:
            span = Span(labels[0], labels[1], (sessions.night(one) for one in bar))
            render = FORMATS[name].render_span
            assert render is not None
            _write(output, render(span))


def _nights(sessions: Sessions, name: str, first: str, last: str, club: UUID) -> Sequence[UUID]:
    """The sessions asked for. Raises Failure where they cannot be had in one file."""
    if FORMATS[name].render_span is None:
        raise Failure(f"A {name} is of one night: export each session by itself, by its id.", UNREADABLE)
    if first and last and first > last:
        raise Failure(f"The nights go from {first} to {last}: the later one comes last.", UNREADABLE)
    if club not in [one for one, _ in sessions.clubs.all()] and club != FIRST_CLUB:
        raise Failure(f"There is no club {club}.")
    return sessions.nights(str(club), first or None, last or None)


def _write(output: Path | None, rendered: Iterable[bytes]) -> None:
    try:
        with click.open_file(str(output or "-"), "wb") as file:
            for part in rendered:
                file.write(part)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failure(f"{output or 'standard output'}: {error.strerror}") from None


def _rendered(sessions: Sessions, evidence: Evidence, session: str, name: str) -> Iterable[bytes]:
    if name == "ndjson":  # however long it is, a line at a time
        return (line + b"\n" for line in sessions.stream(session))
    events, names = sessions.whole(session)
    night = Night.of(session, events, names)
    if name == "bundle":
        night = replace(night, evidence=evidence.members(UUID(session), events))
    return FORMATS[name].render(night)
