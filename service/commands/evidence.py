"""`key` and `restore`: the instance's signing key, and going on after a backup was put back."""

from __future__ import annotations

import click

from service.commands.opened import data_folder, data_option, faults_in_words, opened_with_evidence
from service.commands.terminal import Failure, report
from service.evidence import accept_rollback as accept
from service.evidence import check_rollback as check
from service.evidence.instance import take_new_key
from service.signing import SigningKey


@click.command(short_help="Show the public key that heads are signed with.")
@click.option("--rotate", is_flag=True, help="Make a new key that the one in the data folder hands over to.")
@click.option("--new", is_flag=True, help="Print a new private key, for BRAGBOOK_SIGNING_KEY, and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="As JSON: origin, keys, key_changes.")
@data_option
def key(rotate: bool, new: bool, as_json: bool, data: str | None) -> None:
    """Show the public key that heads are signed with: note it where the host of this service cannot change it.

    `bragbook audit --key KEY FILE` then proves who kept a log. Older keys are shown after it; what they signed stays
    good.
    """
    if new:
        # The bytes alone, so that it signs under whatever name the instance has.
        click.echo(SigningKey.new("key").seed)
        return
    with opened_with_evidence(data) as (_, evidence):
        here = take_new_key(evidence.heads, data_folder(data)) if rotate else evidence.instance
    if as_json:
        report({"origin": here.origin, "keys": here.keys, "key_changes": here.changes})
        return
    click.echo("\n".join(here.keys))
    if rotate:
        click.echo("The first is the new one. A service that is running signs with it once it is started again.")


@click.command(short_help="Say what a backup that was put back is missing.")
@click.option("--accept-rollback", is_flag=True, help="Go on with a log that is shorter than what was given out.")
@click.option("--reason", default="", metavar="TEXT", help="Why, for everyone to read.")
@data_option
def restore(accept_rollback: bool, reason: str, data: str | None) -> None:
    """After a backup was put back: say whether anything that was given out is missing from it.

    With --accept-rollback the service goes on without what is missing. That is recorded in the log of heads, for
    everyone to see, and cannot be taken back.
    """
    folder = data_folder(data)
    with opened_with_evidence(data) as (_, evidence), faults_in_words():
        if not accept_rollback:
            check(evidence.heads, folder)
            click.echo("Nothing is missing of what was given out.")
            return
        if not accept(evidence.heads, folder, reason or "a backup was put back"):
            raise Failure("There is nothing to accept: all that was given out is there.")
    click.echo("Accepted, and recorded for everyone to see at /api/v1/log.")
