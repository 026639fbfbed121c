"""Writes a backup, of a store that may be in use: all of it as it stood at one moment."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

from service.backup.manifest import MANIFEST, MIGRATIONS, OVER_A_CLUSTER, SETTINGS, BackupFault, Manifest, Table
from service.store.database import is_distributed

COMPRESSION_LEVEL: Final = 4
PIECE_BYTES: Final = 1024 * 1024
Advance = Callable[[int], None]
"""Told how many rows were done."""
_TABLES: Final = """
select t.table_name::text, array_agg(c.column_name::text order by c.ordinal_position),
    (select array_agg(a.attname::text order by k.place) from pg_constraint p
        cross join lateral unnest(p.conkey) with ordinality as k (number, place)
        join pg_attribute a on a.attrelid = p.conrelid and a.attnum = k.number
        where p.contype = 'p' and p.conrelid = format('%I.%I', t.table_schema, t.table_name)::regclass)
from information_schema.tables t
join information_schema.columns c on c.table_schema = t.table_schema and c.table_name = t.table_name
where t.table_schema = current_schema() and t.table_type = 'BASE TABLE'
group by t.table_schema, t.table_name order by t.table_name
"""


def write(conninfo: str, path: Path, begin: Callable[[int], Advance]) -> Manifest:
    """Write a backup of a store to a file that is not there yet, for its owner alone, all of it or nothing.

    begin: told how many rows there are; what it gives is told of each piece. Raises BackupFault, psycopg.Error.
    """
    if path.exists():
        raise BackupFault(f"{path} is there already: name another file")
    unfinished = path.with_name(f"{path.name}.unfinished-{os.getpid()}")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL) as archive:
                manifest = _written(conninfo, archive, begin)
            file.flush()
            os.fsync(file.fileno())
        _put(unfinished, path)
    except FileExistsError:
        raise BackupFault(f"{path} is there already: name another file") from None
    except OSError as error:
        raise BackupFault(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            unfinished.unlink()
    return manifest


def _put(unfinished: Path, path: Path) -> None:
    """Give the file its name, without taking another's place. Raises FileExistsError."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError from None
        unfinished.rename(path)


def _written(conninfo: str, archive: zipfile.ZipFile, begin: Callable[[int], Advance]) -> Manifest:
    with psycopg.connect(conninfo, prepare_threshold=None, application_name="bragbook backup") as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ  # one moment for all tables
        connection.read_only = True
        if is_distributed(connection):
            raise BackupFault(OVER_A_CLUSTER)
        for name, value in SETTINGS.items():
            connection.execute("select set_config(%s, %s, true)", [name, value])
        found = [row for row in connection.execute(_TABLES).fetchall() if row[0] != MIGRATIONS]
        counts = {name: _count(connection, name) for name, _, _ in found}
        advance = begin(sum(counts.values()))
        tables = [_copied(connection, archive, name, columns, key, advance) for name, columns, key in found]
        migrations = connection.execute(
            sql.SQL("select name, encode(checksum, 'hex') from {} order by number").format(sql.Identifier(MIGRATIONS))
        ).fetchall()
        origin = connection.execute("select origin from instance").fetchall()
        made_at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        manifest = Manifest(
            made_at, connection.info.server_version, origin[0][0] if origin else None, migrations, tables
        )
        archive.writestr(MANIFEST, manifest.text())
        return manifest


def _count(connection: psycopg.Connection[TupleRow], table: str) -> int:
    asked = sql.SQL("select count(*) from {}").format(sql.Identifier(table))
    return int(connection.execute(asked).fetchall()[0][0])


def _copied(
    connection: psycopg.Connection[TupleRow],
    archive: zipfile.ZipFile,
    name: str,
    columns: list[str],
    key: list[str] | None,
    advance: Advance,
) -> Table:
    """Copy a table into the archive, in the order of its key: events follow on each other."""
    rows, digest = 0, hashlib.sha256()
    order = sql.SQL(", ").join(map(sql.Identifier, key or columns))
    listed = sql.SQL(", ").join(map(sql.Identifier, columns))
    copying = sql.SQL("copy (select {} from {} order by {}) to stdout").format(listed, sql.Identifier(name), order)
    table = Table(name, columns, 0, "")
    with archive.open(table.file, "w", force_zip64=True) as file, connection.cursor().copy(copying) as copy:
        for piece, count in _pieces(iter(copy)):
            file.write(piece)
            digest.update(piece)
            rows += count
            advance(count)
    return Table(name, columns, rows, digest.hexdigest())


def _pieces(rows: Iterator[bytes | bytearray | memoryview]) -> Iterator[tuple[bytes, int]]:
    """Rows together, so that each is not handled by itself: bytes, and how many rows end in them."""
    held, size = [], 0
    for row in rows:
        held.append(bytes(row))
        size += len(row)
        if size >= PIECE_BYTES:
            piece = b"".join(held)
            yield piece, piece.count(b"\n")
            held, size = [], 0
    piece = b"".join(held)
    yield piece, piece.count(b"\n")
