"""`replay` and `audit`: what can be told of a night from its file alone, with no database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from events.bundle import Bundle, verify_bundle
from events.heads import parse_head
from events.refusals import Refused
from events.signed_note import NoteError, parse_key, parse_note
from events.texts import counted
from service.commands.terminal import NOT_SOUND, SOUND, UNREADABLE, Failure, complain, progress, reason, report, tell
from service.event_files import Recording, Unreadable, read
from service.export.night import Night
from service.export.words import Teller, lives_left
from service.signing import verify

_FILES = click.argument("files", nargs=-1, required=True, metavar="FILE…")


@click.command(short_help="Replay event files, without a database.")
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
        recordings = read(path)
    except Unreadable as error:
        complain(str(error))
        return UNREADABLE
    return max(_replay_night(recording, as_json) for recording in recordings)


def _replay_night(recording: Recording, as_json: bool) -> int:
    try:
        night = recording.night()
    except Refused as refused:
        complain(f"{recording.place(refused.refusal.event or 0)}: {reason(refused.refusal)}")
        return NOT_SOUND
    if as_json:
        report(_replayed(recording, night))
    else:
        tell(_told(recording, night))
    return SOUND


def _replayed(recording: Recording, night: Night) -> dict[str, Any]:
    return {
        "file": recording.source, "session": night.session_id, "game": night.game, "title": night.title or None,
        "version": night.session.version, "closed": night.session.closed, "names": night.shown_names(),
        "hands": night.session.hands(), "settlement": night.session.settlement(),
    }  # fmt: skip


def _told(recording: Recording, night: Night) -> list[str]:
    teller, settled = Teller(night), night.session.settlement()
    dated = f", the night of {night.night_of}" if _dated(night) else ""
    about = f"{night.game}, {counted(len(night.events), 'event')}{dated}"
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


@click.command(short_help="Audit event files or bundles, offline.")
@_FILES
@click.option("--key", metavar="KEY", help="The host's public key as you noted it, or a file that holds it.")
@click.option(
    "--head", "heads", multiple=True, metavar="FILE", help="A signed head that you were given; may be said again."
)
@click.option("--json", "as_json", is_flag=True, help="The audit of each file as JSON, each on its own line.")
def audit(files: tuple[str, ...], key: str | None, heads: tuple[str, ...], as_json: bool) -> None:
    """Audit event files or bundles, offline, from their events alone; and say what is proven of them and what is not.

    FILE is an event file (NDJSON) or a bundle; - is standard input. A bundle that brings along its own key proves
    nothing against its host: --key names the one you noted elsewhere, --head a head that you kept. Exit code 0: all are
    sound; 1: not all are, or one is not what was signed; 2: one cannot be read.
    """
    worst = SOUND
    pinned, given = _pinned(key), [_head(path) for path in heads]
    with progress(files, "Auditing") as bar:
        for path in bar:
            worst = max(worst, _audit(path, pinned, given, as_json))
    raise SystemExit(worst)


def _pinned(key: str | None) -> str | None:
    """The key that was given, or that the file holds which was given. Raises Failure."""
    if key is None:
        return None
    text = key
    if "+" not in key or Path(key).exists():
        try:
            text = Path(key).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Failure(f"--key {key}: no public key, and no file that holds one: {error}", UNREADABLE) from None
    text = text.strip().split("\n")[0]
    try:
        return parse_key(text).text()
    except NoteError as error:
        raise Failure(f"--key {key}: {error}", UNREADABLE) from None


def _head(path: str) -> str:
    """The signed note in a file, which may also be an answer of the service that has it as `head`. Raises Failure."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"--head {path}: {error}", UNREADABLE) from None
    if text.lstrip().startswith("{"):
        with suppress(ValueError):
            text = str(json.loads(text).get("head", text))
    try:
        parse_head(parse_note(text).text)
    except NoteError as error:
        raise Failure(f"--head {path}: this is no signed head of a session: {error}", UNREADABLE) from None
    return text


def _audit(path: str, key: str | None, heads: list[str], as_json: bool) -> int:
    try:
        recordings = read(path)
    except Unreadable as error:
        complain(str(error))
        return UNREADABLE
    return max(_audit_night(one, key, _heads_for(one, recordings, heads), as_json) for one in recordings)


def _heads_for(recording: Recording, recordings: list[Recording], heads: list[str]) -> list[str]:
    """The given heads that a night is held to: those of its session, and, the first of the file, what is nobody's."""
    sessions = [one.session_id for one in recordings]
    if len(sessions) == 1:
        return heads
    about = [(parse_head(parse_note(text).text).session, text) for text in heads]
    return [
        text for session, text in about
        if session == recording.session_id or (recording is recordings[0] and session not in sessions)
    ]  # fmt: skip


def _audit_night(recording: Recording, key: str | None, heads: list[str], as_json: bool) -> int:
    try:
        events = recording.sealed()
    except Refused as refused:
        complain(f"{recording.place(refused.refusal.event or 0)}: {reason(refused.refusal)}")
        return UNREADABLE
    proof = verify_bundle(Bundle(events, recording.exact, recording.bundle or {}), verify, key, heads)
    audited = proof.pop("audit")
    if as_json:
        stated = {name: proof[name] for name in ("sound", "pinned", "faults", "proven", "not_proven")}
        about = {"file": recording.source, "session": recording.session_id, "hashes": recording.stored}
        report({**about, **audited, **(stated if recording.stored else {})})
    else:
        tell(findings(recording.source, audited))
        if recording.stored:
            tell(_proven(proof))
        else:
            click.echo("  These events came without hashes: nothing shows whether the file was changed since.")
    sound = proof["sound"] if recording.stored else audited["verdict"] == "sound"
    return SOUND if sound else NOT_SOUND


def _proven(proof: Mapping[str, Any]) -> list[str]:
    """What is wrong with a file, what is proven and what is not, in lines."""
    lines = [f"  not as it was: {fault['says']}" for fault in proof["faults"]]
    lines += [f"  proven: {one['says']}" for one in proof["proven"]]
    lines += [f"  not proven: {one['says']}" for one in proof["not_proven"]]
    return lines


def findings(source: str, audited: Mapping[str, Any]) -> list[str]:
    """An audit (contract.md §5) in lines: the verdict, the checks, the findings, what is owed."""
    lines = [f"{source}: {audited['verdict']}, {counted(audited['version'], 'event')}"]
    lines += [f"  {check['status']:<4} {check['check']:<11} {check['detail']}" for check in audited["checks"]]
    for finding in audited["findings"]:
        where = [f"hand {finding['hand']}"] if finding.get("hand") else []
        where += ["event " + ", ".join(str(seq) for seq in finding["seqs"])] if finding.get("seqs") else []
        rule = f" ({finding['rule']})" if finding.get("rule") else ""
        place = f" in {', '.join(where)}" if where else ""
        lines.append(f"  {finding['severity']}: {finding['code']}{place}: {finding['message']}{rule}")
    lines += [f"  owed: {debt['from']} owes {debt['to']} {debt['amount']}" for debt in audited["owed"]]
    return lines
