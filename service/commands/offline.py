"""`replay` and `audit`: what can be told of a night from its file alone, with no database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from events.audit import audit_session
from events.refusals import Refused
from service.commands.terminal import NOT_SOUND, SOUND, UNREADABLE, complain, progress, reason, report
from service.event_files import Recording, Unreadable, read
from service.export.night import Night
from service.export.words import Teller, lives_left

_FILES = click.argument("files", nargs=-1, required=True, metavar="FILE…")


@click.command()
@_FILES
@click.option("--json", "as_json", is_flag=True, help="A JSON object a file, each on its own line.")
def replay(files: tuple[str, ...], as_json: bool) -> None:
    """Replay event files without a database: each hand's outcome, and the settlement.

    FILE is an event file (NDJSON) or a bundle; - is standard input. Exit code 1: an event that the rules forbid;
    2: a file that cannot be read.
    """
    worst = SOUND
    with progress(files, "Replaying") as bar:
        for path in bar:
            worst = max(worst, _replay(path, as_json))
    raise SystemExit(worst)


def _replay(path: str, as_json: bool) -> int:
    try:
        recording = read(path)
    except Unreadable as error:
        complain(str(error))
        return UNREADABLE
    try:
        night = recording.night()
    except Refused as refused:
        complain(f"{recording.place(refused.refusal.event or 0)}: {reason(refused.refusal)}")
        return NOT_SOUND
    if as_json:
        report(_replayed(recording, night))
    else:
        click.echo("\n".join(_told(recording, night)))
    return SOUND


def _replayed(recording: Recording, night: Night) -> dict[str, Any]:
    return {
        "file": recording.source, "session": night.session_id, "game": night.game, "title": night.title or None,
        "version": night.session.version, "closed": night.session.closed, "names": night.shown_names(),
        "hands": night.session.hands(), "settlement": night.session.settlement(),
    }  # fmt: skip


def _told(recording: Recording, night: Night) -> list[str]:
    teller, settled = Teller(night), night.session.settlement()
    about = f"{night.game}, {len(night.events)} events" + (f", the night of {night.night_of}" if _dated(night) else "")
    lines = [f"{recording.source}: {night.title + ' ' if night.title else ''}({about})"]
    for hand in night.session.hands():
        nets = {player: amount for player, amount in hand["net"].items() if amount != "0"}
        lines.append(f"  Hand {hand['hand']}: {teller.hand(hand)}" + (f"; {teller.nets(nets)}" if nets else ""))
    lines.append(f"  Settlement, in {night.money_name}:")
    for player in night.seats:
        lives = f"  {lives_left(settled['lives'].get(player, 0))}" if settled["lives"] is not None else ""
        lines.append(f"    {night.label(player)}  {settled['balances'].get(player, '0')}{lives}")
    if settled["in_play"] != "0":
        lines.append(f"    in play  {settled['in_play']}")
    if settled["winners"]:
        lines.append("  Winner: " + ", ".join(night.label(player) for player in settled["winners"]))
    lines += [
        f"  {night.label(payment['from'])} pays {night.label(payment['to'])} {payment['amount']}"
        for payment in settled["outstanding"]
    ]
    return lines


def _dated(night: Night) -> bool:
    return bool(night.opening.get("at")) or night.session_id != "file"


@click.command()
@_FILES
@click.option("--json", "as_json", is_flag=True, help="The audit of each file as JSON, each on its own line.")
def audit(files: tuple[str, ...], as_json: bool) -> None:
    """Audit event files or bundles, offline, from their events alone.

    FILE is an event file (NDJSON) or a bundle; - is standard input. Exit code 0: all are sound; 1: not all are;
    2: one cannot be read.
    """
    worst = SOUND
    with progress(files, "Auditing") as bar:
        for path in bar:
            worst = max(worst, _audit(path, as_json))
    raise SystemExit(worst)


def _audit(path: str, as_json: bool) -> int:
    try:
        recording = read(path)
        events = recording.sealed()
    except Unreadable as error:
        complain(str(error))
        return UNREADABLE
    except Refused as refused:
        complain(f"{recording.place(0)}: {reason(refused.refusal)}")
        return UNREADABLE
    audited = audit_session(events)
    if as_json:
        report({"file": recording.source, "session": recording.session_id, "hashes": recording.stored, **audited})
    else:
        click.echo("\n".join(findings(recording.source, audited)))
        if not recording.stored:
            click.echo("  These events came without hashes: nothing shows whether the file was changed since.")
    return SOUND if audited["verdict"] == "sound" else NOT_SOUND


def findings(source: str, audited: Mapping[str, Any]) -> list[str]:
    """An audit (contract.md §5) in lines: the verdict, the checks, the findings, what is owed."""
    lines = [f"{source}: {audited['verdict']}, {audited['version']} events"]
    lines += [f"  {check['status']:<4} {check['check']:<11} {check['detail']}" for check in audited["checks"]]
    for finding in audited["findings"]:
        where = [f"hand {finding['hand']}"] if finding.get("hand") else []
        where += ["event " + ", ".join(str(seq) for seq in finding["seqs"])] if finding.get("seqs") else []
        rule = f" ({finding['rule']})" if finding.get("rule") else ""
        place = f" in {', '.join(where)}" if where else ""
        lines.append(f"  {finding['severity']}: {finding['code']}{place}: {finding['message']}{rule}")
    lines += [f"  owed: {debt['from']} owes {debt['to']} {debt['amount']}" for debt in audited["owed"]]
    return lines
