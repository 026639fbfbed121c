"""`backup` and `restore`: a whole store in one file, and back; and going on where what was given out is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from events.texts import counted
from service.backup import Backup, Manifest, load, write
from service.commands.opened import data_folder, data_option, faults_in_words, migrated, opened_with_evidence
from service.commands.store import verify
from service.commands.terminal import Failure, counting, report
from service.embedded import database
from service.evidence import Evidence
from service.evidence import accept_rollback as accept
from service.evidence import check_rollback as check
from service.settings import Settings
from service.signing import given_keys, key_file
from service.store.privileges import own_role

KEY_ELSEWHERE: Final = "The signing key is not in it; keep a copy of it apart."


@click.command(short_help="Write the whole store into one file.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="What was backed up, as JSON.")
@data_option
def backup(file: Path, as_json: bool, data: str | None) -> None:
    """Write everything in the store into one file, as it stands at one moment; the service may go on.

    The file is for you alone: it holds everybody's names. The signing key is not in it.
    """
    with migrated(data) as conninfo, faults_in_words(), counting("Backing up") as begin:
        manifest = write(conninfo, file, begin)
    if as_json:
        rows = {name: manifest.rows(name) for name in ("sessions", "events", "people")}
        report({"file": str(file), **rows, "made_at": manifest.made_at, "origin": manifest.origin})
        return
    click.echo(f"{file}: {_in_words(manifest)}")
    if manifest.origin is not None:
        kept = key_file(data_folder(data), manifest.origin)
        click.echo(f"The signing key is not in it; keep a copy of {kept} apart." if kept.exists() else KEY_ELSEWHERE)


@click.command(short_help="Put a backup back, and say what it is missing.")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path), metavar="[FILE]")
@click.option("--accept-rollback", is_flag=True, help="Go on with a log that is shorter than what was given out.")
@click.option("--reason", default="", metavar="TEXT", help="Why, for everyone to read.")
@data_option
@click.pass_context
def restore(context: click.Context, file: Path | None, accept_rollback: bool, reason: str, data: str | None) -> None:
    """Put a backup back into an empty store, and verify it; nothing that is there is ever overwritten.

    Without FILE, after a backup was put back by other means: say whether anything that was given out is missing from
    it. With --accept-rollback the service goes on without what is missing. That is recorded in the log of heads, for
    everyone to see, and cannot be taken back.
    """
    if file is not None:
        _put_back(file, data)
    folder = data_folder(data)
    with opened_with_evidence(data) as (_, evidence), faults_in_words():
        if not accept_rollback:
            click.echo(_whether_all_is_there(evidence, folder))
        elif accept(evidence.heads, folder, reason or "a backup was put back"):
            click.echo("Accepted, and recorded for everyone to see at /api/v1/log.")
        elif file is None:
            raise Failure(f"There is nothing to accept. {_whether_all_is_there(evidence, folder)}")
    if file is not None:
        context.invoke(verify, sessions=(), as_json=False, data=data)


def _whether_all_is_there(evidence: Evidence, folder: Path) -> str:
    """In words; where no checkpoint is kept, nobody knows. Raises RolledBack where something is missing."""
    if check(evidence.heads, folder):
        return "Nothing is missing of what was given out."
    return f"Nothing shows whether what was given out is all there: no checkpoint is kept in {folder}."


def _put_back(file: Path, data: str | None) -> None:
    with faults_in_words():
        settings = Settings.from_environment(data=data)
        with Backup(file) as opened, database(settings) as owner, counting("Restoring") as begin:
            load(owner, opened, begin)
            if settings.database_url is None:
                own_role(owner)
            manifest = opened.manifest
        click.echo(f"Restored {_in_words(manifest)}, as of {manifest.made_at}.")
        if manifest.origin is None or given_keys(manifest.origin):
            return
        kept = key_file(settings.data, manifest.origin)
        if not kept.exists():
            click.echo(
                f"The signing key is not here: put it back as {kept} before the service starts, else a new one is made,"
                " which the old one does not vouch for."
            )


def _in_words(manifest: Manifest) -> str:
    names = (("session", "sessions"), ("event", "events"), ("person", "people"))
    return ", ".join(counted(manifest.rows(more), one, more) for one, more in names)
