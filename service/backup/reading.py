"""Reads a backup, and puts it back into an empty store, all of it or nothing."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Final

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

from service import migrate
from service.backup.manifest import (
    LARGEST_MANIFEST_BYTES,
    MANIFEST,
    MIGRATIONS,
    OVER_A_CLUSTER,
    SETTINGS,
    BackupFault,
    Manifest,
    Table,
)
from service.backup.writing import PIECE_BYTES, Advance
from service.store.database import is_distributed

LOCK_TIMEOUT_MS: Final = 3_000
# Whoever is called bragbook has names and tokens sealed as it writes them; here the seals come from the backup too, and
# what did not fit before does not fit afterwards.
APPLICATION: Final = "restore of a backup"


class Backup:
    """A backup file that is open. Raises BackupFault where it is none, or damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._archive = zipfile.ZipFile(path)
        except FileNotFoundError:
            raise BackupFault(f"{path}: there is no such file") from None
        except (OSError, zipfile.BadZipFile) as error:
            raise BackupFault(f"{path}: it is no backup, or not all of one ({error})") from None
        try:
            with self._archive.open(MANIFEST) as file:
                self.manifest = Manifest.parse(file.read(LARGEST_MANIFEST_BYTES))
            missing = {table.file for table in self.manifest.tables} - set(self._archive.namelist())
            if missing:
                raise BackupFault(f"{min(missing)} is missing from it")
        except (BackupFault, KeyError, OSError, zipfile.BadZipFile, zlib.error) as fault:
            self._archive.close()
            why = fault if isinstance(fault, BackupFault) else "it is no backup of Bragbook, or damaged"
            raise BackupFault(f"{path}: {why}") from None

    def __enter__(self) -> Backup:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._archive.close()

    def open(self, table: Table) -> IO[bytes]:
        """A table's file."""
        return self._archive.open(table.file)


def load(owner: str, backup: Backup, begin: Callable[[int], Advance]) -> None:
    """Put a backup back into an empty store, and bring that up to date.

    owner: how to connect as who owns the tables. begin: as for `write`. Raises BackupFault, migrate.MigrationFault,
    psycopg.Error; the store is then empty as it was.
    """
    manifest = backup.manifest
    _check_migrations(manifest)
    migrate.apply(owner, through=len(manifest.migrations))
    with psycopg.connect(owner, prepare_threshold=None, application_name=APPLICATION) as connection:
        if is_distributed(connection):
            raise BackupFault(OVER_A_CLUSTER)
        for name, value in {**SETTINGS, "lock_timeout": str(LOCK_TIMEOUT_MS)}.items():
            connection.execute("select set_config(%s, %s, true)", [name, value])
        there = _lock_empty(connection, len(manifest.migrations))
        for table in manifest.tables:
            if there.get(table.name) != sorted(table.columns):
                raise BackupFault(f"{backup.path}: its table {table.name} is not one that these migrations make")
        advance = begin(manifest.total())
        # A store is put back as it was, with what somebody changed in it too, for `verify` to name.
        connection.execute("alter table events disable trigger events_continue")
        for table in manifest.tables:
            _load(connection, backup, table, advance)
        connection.execute("alter table events enable always trigger events_continue")
    migrate.apply(owner)
    with psycopg.connect(owner, autocommit=True, application_name=APPLICATION) as connection:
        connection.execute("analyze")


def _check_migrations(manifest: Manifest) -> None:
    """Raises BackupFault where this Bragbook is not one that can go on from where the backup was made."""
    known = [(one.name, one.checksum.hex()) for one in migrate.read_migrations()]
    if manifest.migrations != known[: len(manifest.migrations)]:
        raise BackupFault("the backup is from a newer Bragbook, or another: restore it with that one; nothing was done")


def _lock_empty(connection: psycopg.Connection[TupleRow], migrations: int) -> dict[str, list[str]]:
    """Table -> its columns, every table held from others. Raises BackupFault unless all are empty."""
    applied = connection.execute("select count(*) from schema_migrations").fetchall()[0][0]
    if applied != migrations:
        raise BackupFault(
            f"the backup was made with {migrations} migrations, and this store has {applied} already: restore into "
            "a new one, which nothing was started on (another --data folder, or createdb)"
        )
    rows = connection.execute(
        "select table_name::text, array_agg(column_name::text) from information_schema.columns"
        " where table_schema = current_schema() group by table_name order by table_name"
    ).fetchall()
    there = {name: sorted(columns) for name, columns in rows if name != MIGRATIONS}
    named = sql.SQL(", ").join(map(sql.Identifier, there))
    connection.execute(sql.SQL("lock table {} in share row exclusive mode").format(named))
    for name in there:
        some = connection.execute(sql.SQL("select exists (select from {})").format(sql.Identifier(name))).fetchall()
        if some == [(True,)]:
            raise BackupFault(
                f"the store is not empty (there is something in {name}), and nothing in it is ever overwritten: "
                "restore into a new one, which nothing was started on (another --data folder, or createdb)"
            )
    return there


def _load(connection: psycopg.Connection[TupleRow], backup: Backup, table: Table, advance: Advance) -> None:
    """Copy a table back. Raises BackupFault where it is not what was backed up."""
    listed = sql.SQL(", ").join(map(sql.Identifier, table.columns))
    copying = sql.SQL("copy {} ({}) from stdin").format(sql.Identifier(table.name), listed)
    digest, cursor = hashlib.sha256(), connection.cursor()
    damaged = BackupFault(f"{backup.path}: {table.file} is damaged; nothing was restored")
    try:
        with backup.open(table) as file, cursor.copy(copying) as copy:
            while piece := file.read(PIECE_BYTES):
                digest.update(piece)
                copy.write(piece)
                advance(piece.count(b"\n"))
    except psycopg.OperationalError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, psycopg.DatabaseError):
        raise damaged from None
    if digest.hexdigest() != table.sha256 or cursor.rowcount != table.rows:
        raise damaged
