"""A database that is up, migrated and safe to use, for the commands that need one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import psycopg

from events.refusals import Refused
from service import migrate
from service.backup.manifest import BackupFault
from service.commands.terminal import Failure, reason
from service.decoding import NewerForm
from service.embedded import EmbeddedFault, database, was_started
from service.evidence import Evidence, RolledBack
from service.server_settings import ServerSettingFault
from service.sessions import Sessions
from service.settings import SettingFault, Settings
from service.signing import KeyFault
from service.store.database import Database
from service.store.faults import StoreFault, Unavailable
from service.store.privileges import own_role

MOST_CONNECTIONS = 2


def _named(_context: click.Context, _option: click.Parameter, folder: str | None) -> str | None:
    if folder is not None and not folder.strip():  # as of a variable that is not set
        raise click.BadParameter("it is empty: name a folder, or leave --data out")
    return folder


data_option = click.option(
    "--data", type=click.Path(file_okay=False), metavar="DIR", callback=_named,
    help="The folder of the Postgres that comes along (default: the user's data folder). DATABASE_URL goes before it.",
)  # fmt: skip

_FAULTS = (
    SettingFault, ServerSettingFault, EmbeddedFault, migrate.MigrationFault, StoreFault, Unavailable, NewerForm,
    KeyFault, RolledBack, BackupFault,
)  # fmt: skip


@contextmanager
def faults_in_words(code: int = 1) -> Iterator[None]:
    """What can go wrong with settings, databases and what is asked of them, as one line. Raises Failure with `code`."""
    try:
        yield
    except _FAULTS as error:
        raise Failure(str(error), code) from None
    except Refused as refused:
        raise Failure(reason(refused.refusal), code) from None
    except psycopg.OperationalError as error:
        said = (str(error).strip().splitlines() or ["it does not answer"])[0].rstrip(".")
        raise Failure(f"The database cannot be used: {said}. Is DATABASE_URL right, and is it running?", code) from None
    except psycopg.errors.InsufficientPrivilege:
        raise Failure(
            "The user in DATABASE_URL has no right to what this needs. Name the owner of the tables; or let the owner "
            "say `bragbook db grant USER`, which is all that the service needs.",
            code,
        ) from None
    except psycopg.Error as error:
        # The driver's own text may quote a row.
        raise Failure(f"The database refused a statement (SQLSTATE {error.sqlstate}).", code) from None


@contextmanager
def migrated(data: str | None, code: int = 1, anew: bool = False) -> Iterator[str]:
    """How to connect to the database that the settings name, with everything pending applied.

    On the Postgres that comes along it is as a role that cannot change an event. anew: make a store where there is
    none; else a name that was mistyped would make one. Raises Failure with `code`.
    """
    with faults_in_words(code):
        settings = Settings.from_environment(data=data)
        if not anew and settings.database_url is None and not was_started(settings.data):
            detail = f"There is no store in {settings.data}: name the folder of one with --data."
            raise Failure(f"{detail} `bragbook serve` makes one.", code)
        with database(settings) as owner:
            migrate.apply(owner, anew=anew)
            yield own_role(owner) if settings.database_url is None else owner


@contextmanager
def opened(data: str | None, code: int = 1, anew: bool = False) -> Iterator[Sessions]:
    """The sessions of that database. Raises Failure with `code`."""
    with opened_to_all_cores(data, code, anew) as (_, sessions, _):
        yield sessions


@contextmanager
def opened_with_evidence(data: str | None, code: int = 1) -> Iterator[tuple[Sessions, Evidence]]:
    """The sessions of that database, and what was signed about them. Raises Failure with `code`."""
    with opened_to_all_cores(data, code) as (_, sessions, evidence):
        yield sessions, evidence


@contextmanager
def opened_to_all_cores(
    data: str | None, code: int = 1, anew: bool = False
) -> Iterator[tuple[str, Sessions, Evidence]]:
    """How to connect to that database, its sessions, and what was signed about them. Raises Failure with `code`."""
    with migrated(data, code, anew) as conninfo:
        store = Database(conninfo, largest=MOST_CONNECTIONS)
        store.open()
        sessions = Sessions(store)
        evidence = Evidence(store, data_folder(data), begins=False)
        try:
            with faults_in_words(code):
                yield conninfo, sessions, evidence
        finally:
            evidence.close()
            sessions.close()
            store.close()


def data_folder(data: str | None) -> Path:
    """The data folder, where the signing key and the last checkpoint are kept, whichever database there is."""
    return Settings.from_environment(data=data).data
