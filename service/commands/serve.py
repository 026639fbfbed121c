"""`serve`: the service, with the Postgres that comes along or another."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from types import FrameType

import click
import psycopg
import structlog

from service import logs
from service.commands.opened import data_folder, data_option, faults_in_words, migrated
from service.commands.terminal import Failure
from service.evidence import check_rollback
from service.server import PortFault, check_certificate, run, take_port
from service.server_settings import ServerSettings
from service.settings import Settings
from service.store.clubs import Clubs
from service.store.database import Database
from service.store.heads import Heads
from service.store.privileges import what_holds

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(short_help="Start the service.")
@click.option("--host", metavar="H", help="The address to listen on (default 127.0.0.1: this machine only).")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="P", help="The port (default 8000; 0: one that is free)."
)
@data_option
@click.option("--tls-cert", type=_FILE, help="The certificate (PEM) to serve HTTPS with.")
@click.option("--tls-key", type=_FILE, help="The certificate's key (PEM).")
def serve(host: str | None, port: int | None, data: str | None, tls_cert: Path | None, tls_key: Path | None) -> None:
    """Start the service, on the Postgres that comes along or on the one that DATABASE_URL names.

    Prints "Bragbook is ready at http://127.0.0.1:8000" when it can be used. Ctrl-C ends it.
    """
    signal.signal(signal.SIGTERM, _leave)  # until the server has its own
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as it is under nohup
        signal.signal(signal.SIGHUP, _leave)
    with faults_in_words():
        settings = ServerSettings.from_environment(
            database_url="", host=host, port=port, tls_cert=tls_cert, tls_key=tls_key
        )
        check_certificate(settings)
    try:
        settings = take_port(settings)  # before a database is started for nothing
        logs.configure(settings.log_level, settings.log_format)
        with migrated(data, anew=True) as conninfo, faults_in_words():
            folder = data_folder(data)
            _greet(conninfo, folder)
            named = Settings.from_environment(data=data)
            if named.database_url is not None:
                _say_what_holds(conninfo)
            code = run(replace(settings, database_url=conninfo, database_read_url=named.database_read_url, data=folder))
    except PortFault as error:
        raise Failure(str(error)) from None
    raise SystemExit(code)


def _greet(conninfo: str, data: Path) -> None:
    """At the very first start: the club's token, this once. Raises RolledBack where what was signed has gone."""
    database = Database(conninfo, largest=1)
    database.open()
    try:
        check_rollback(Heads(database), data)
        token = Clubs(database).make_first()
    finally:
        database.close()
    if token is not None:
        click.echo("The club's token, shown this once (it opens sessions when others can reach this machine):")
        click.echo(f"  {token.text}")


def _say_what_holds(conninfo: str) -> None:
    """In the log: what keeps the user that somebody else's database was named with from changing an event."""
    with psycopg.connect(conninfo) as connection:
        for sentence in what_holds(connection):
            structlog.get_logger().info("protection", holds=sentence)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
