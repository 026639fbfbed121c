"""The Postgres that comes along, for whoever has none: `DATABASE_URL` names another, and always wins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.embedded.faults import EmbeddedFault
from service.embedded.supervisor import EmbeddedPostgres
from service.settings import Settings

__all__ = ["EmbeddedFault", "EmbeddedPostgres", "database", "was_started"]


def was_started(data: Path) -> bool:
    """Whether a data folder holds what a server was started on; also where that may not be seen, which the start says.

    Nothing is made.
    """
    try:
        return (data / "postgres" / "PG_VERSION").exists()
    except PermissionError:
        return True


@contextmanager
def database(settings: Settings) -> Iterator[str]:
    """How to connect to the database that the settings name, starting the one that comes along if they name none.

    Raises EmbeddedFault when that cannot be used. A DATABASE_URL is handed on as it is, and not tried.
    """
    if settings.database_url is not None:
        yield settings.database_url
        return
    server = EmbeddedPostgres(settings.data)
    try:
        yield server.start()
    finally:
        server.stop()
