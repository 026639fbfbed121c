"""`bragbook db`: what is done to a database as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click
import psycopg

from service import migrate
from service.commands.opened import faults_in_words
from service.commands.terminal import Failure
from service.embedded import database
from service.settings import Settings
from service.store.distribute import DistributionFault, steps
from service.store.distribute import distribute as distribute_tables
from service.store.privileges import grant

_NOT_THE_OWNER: Final = (
    "The user in DATABASE_URL may not grant that. Name one who owns the tables and may change other users, such as a"
    " superuser."
)


@contextmanager
def _named(otherwise: str) -> Iterator[str]:
    """How to connect to the database that DATABASE_URL names. Raises Failure, with `otherwise` where it names none."""
    with faults_in_words():
        settings = Settings.from_environment()
        if settings.database_url is None:
            raise Failure(otherwise)
        with database(settings) as owner:
            yield owner


@click.group(short_help="What is done to a database as a whole.")
def db() -> None:
    """What is done to a database as a whole."""


@db.command(short_help="Distribute the store over a Citus cluster, by session.")
@click.option("--dry-run", is_flag=True, help="Print what would be said to the database, and do nothing.")
def distribute(dry_run: bool) -> None:
    """Distribute the store over the Citus cluster whose coordinator DATABASE_URL names, by session.

    The user must own the tables, or the database where there are none yet. Stop every Bragbook on the store first. Said
    again, it goes on where it was interrupted, and does nothing where all is distributed. docs/scaling.md says what
    changes.
    """
    with _named("Set DATABASE_URL to the cluster's coordinator: the Postgres that comes along is no cluster.") as owner:
        migrate.apply(owner)
        with psycopg.connect(
            owner, autocommit=True, prepare_threshold=None, application_name="bragbook distribute"
        ) as connection:
            try:
                if dry_run:
                    for _, statements in steps(connection):
                        click.echo("begin;\n" + "".join(f"{statement};\n" for statement in statements) + "commit;")
                    return
                distributed = distribute_tables(connection)
            except DistributionFault as fault:
                raise Failure(str(fault)) from None
    click.echo(f"Distributed: {', '.join(distributed)}." if distributed else "All is distributed already.")


@db.command("grant", short_help="Give the service's own user what it needs, and no more.")
@click.argument("user", metavar="USER")
def grant_user(user: str) -> None:
    """Give a user of the database what the service needs, and no more: it can add an event and change none.

    DATABASE_URL names an owner of the tables who may change users; the service is then started with one that names
    USER. Pending migrations are applied first. Say it again after every upgrade, before the service starts.
    """
    with _named("Set DATABASE_URL: on the Postgres that comes along the service has its own user already.") as owner:
        migrate.apply(owner)
        with psycopg.connect(owner, autocommit=True, prepare_threshold=None) as connection:
            if connection.execute("select 1 from pg_roles where rolname = %s", [user]).fetchone() is None:
                raise Failure(f"There is no user {user} here: make one with createuser --pwprompt {user}.")
            owns = "select pg_has_role(relowner, 'MEMBER') from pg_class where oid = 'events'::regclass"
            if connection.execute(owns).fetchone() != (True,):  # Postgres would only warn
                raise Failure(_NOT_THE_OWNER)
            # Who owns the tables would lose what migrations need, and could take it all back.
            owned = "select pg_has_role(%s, relowner, 'MEMBER') from pg_class where oid = 'events'::regclass"
            if connection.execute(owned, [user]).fetchone() == (True,):
                raise Failure(f"{user} owns the tables, or may do all: name a user who is for the service alone.")
            try:
                grant(connection, user)
            except psycopg.errors.InsufficientPrivilege:
                raise Failure(_NOT_THE_OWNER) from None
    click.echo(f"{user} can add events and read them, and change none.")
