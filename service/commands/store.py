"""`token`, `erase`, `rebuild` and `verify`: looking after the store, on the machine where it is."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import click

from events.refusals import Refused
from events.texts import counted
from service.commands.all_cores import in_batches, on_all_cores
from service.commands.opened import data_option, opened, opened_to_all_cores
from service.commands.terminal import NOT_SOUND, SOUND, UNREADABLE, Failure, progress, report
from service.sessions import Sessions, Verified
from service.store.tokens import SESSION_KINDS

_SESSIONS = click.argument("sessions", nargs=-1, metavar="[SESSION…]")


@click.command(short_help="Make a new token for a session, or for the club.")
@click.argument("session", required=False, metavar="[SESSION]")
@click.option("--kind", type=click.Choice(SESSION_KINDS), help="What it may do (default record).")
@click.option("--player", metavar="P", help="Whose seat, with --kind seat.")
@click.option("--club", is_flag=True, help="The club's instead; the one that it had is no good from then on.")
@click.option("--json", "as_json", is_flag=True, help="As JSON: session, kind, player, id and token.")
@data_option
def token(
    session: str | None, kind: str | None, player: str | None, club: bool, as_json: bool, data: str | None
) -> None:
    """Make a new token for a session, and show it this once: the phone that recorded has died.

    With --club, the club's own: the old one is lost, or in other hands.
    """
    if club == (session is not None):
        raise click.UsageError("name a session, or say --club")
    if club and (kind is not None or player is not None):
        raise click.UsageError("--club is a kind of its own: leave --kind and --player out")
    kind = kind or "record"
    if (kind == "seat") != (player is not None):
        raise click.UsageError("a seat's token is for a player: --kind seat --player P")
    with opened(data) as store:
        if session is None:
            renewed = store.clubs.make_first() or store.clubs.renew_token()
            kind, public, text = renewed.kind, renewed.id, renewed.text
        else:
            if player is not None and player not in store.state(session)[1]["seats"]:
                raise Failure(f"Nobody called {player} sits in this session: name a player's id.")
            made = store.make_token(session, kind, player)
            public, text = made.id, made.token
    if as_json:
        report({"session": session, "kind": kind, "player": player, "id": public, "token": text})
    else:
        click.echo(text)


@click.command(short_help="Erase a player's name, for ever.")
@click.argument("session", metavar="SESSION")
@click.argument("player", metavar="PLAYER")
@data_option
def erase(session: str, player: str, data: str | None) -> None:
    """Erase a player's name, for ever: "Player 3", by seat, from then on. The log never held it, and stays as it is."""
    with opened(data) as store:
        seats, names = store.state(session)[1]["seats"], store.names(session)
        if player not in seats and player not in names.names:
            raise Failure(f"Nobody called {player} sits in this session: name a player's id.")
        store.erase_name(session, player)
        shown = store.names(session).shown(seats).get(player, "nobody")
    click.echo(f"{player} is {shown} from now on.")


@click.command(short_help="Work everything out again from the events.")
@_SESSIONS
@click.option("--json", "as_json", is_flag=True, help="What was rebuilt, as JSON.")
@data_option
def rebuild(sessions: tuple[str, ...], as_json: bool, data: str | None) -> None:
    """Drop what was worked out from the events, and work it out again; of all sessions where none is named."""
    events = 0
    with opened_to_all_cores(data) as (conninfo, store, _):
        asked = _asked(store, sessions)
        rebuilt = on_all_cores(_rebuilt, conninfo, store, in_batches(asked))
        with progress(rebuilt, "Rebuilding", len(asked)) as bar:
            for count in bar:
                events += count
    if as_json:
        report({"sessions": len(asked), "events": events})
    else:
        click.echo(f"Rebuilt {counted(len(asked), 'session')} from {counted(events, 'event')}.")


@click.command(short_help="Hold all that is stored against its hashes and a replay.")
@_SESSIONS
@click.option("--json", "as_json", is_flag=True, help="A JSON object a session, each on its own line.")
@data_option
def verify(sessions: tuple[str, ...], as_json: bool, data: str | None) -> None:
    """Hold hash chains, and all that was worked out from the events, against a replay: of all sessions, or those named.

    Exit code 0: all is as it should be; 1: it is not, and each fault is named; 2: the store cannot be read.
    """
    events = faulty = 0
    with opened_to_all_cores(data, UNREADABLE) as (conninfo, store, evidence):
        asked = _asked(store, sessions)
        verified = on_all_cores(_verified, conninfo, store, in_batches(asked))
        with progress(verified, "Verifying", len(asked)) as bar:
            for found in bar:
                events, faulty = events + found.version, faulty + bool(found.faults)
                if as_json:
                    report({"session": str(found.session), "version": found.version, "faults": found.faults})
                else:
                    for fault in found.faults:
                        click.echo(f"{found.session}: {fault}")
        beside = [] if sessions else list(evidence.faults())
    faulty += len(beside)
    if as_json and beside:
        report({"session": None, "version": None, "faults": beside})
    elif not as_json:
        for fault in beside:
            click.echo(fault)
    if not as_json:
        seen = f"{counted(len(asked), 'session')}, {counted(events, 'event')}"
        click.echo(f"{faulty} not as it should be, of {seen}." if faulty else f"All is as it should be: {seen}.")
    raise SystemExit(NOT_SOUND if faulty else SOUND)


def _rebuilt(store: Sessions, sessions: Sequence[UUID]) -> Sequence[int]:
    return store.rebuild_many(sessions)


def _verified(store: Sessions, sessions: Sequence[UUID]) -> Sequence[Verified]:
    return store.verify_many(sessions)


def _asked(store: Sessions, named: tuple[str, ...]) -> list[UUID]:
    """The sessions that were named, else all. Raises Failure where one is not there."""
    if not named:
        return list(store.all_sessions())
    asked = []
    for name in named:
        try:
            asked.append(UUID(name))
            store.version(asked[-1])
        except (ValueError, Refused):
            raise Failure(f"There is no session {name}.", UNREADABLE) from None
    return asked
