"""`key`: the instance's signing key."""

from __future__ import annotations

import click

from service.commands.opened import data_folder, data_option, opened_with_evidence
from service.commands.terminal import report
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
