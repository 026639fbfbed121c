"""Brings a database up to date: applies the numbered SQL files of migrations/ that it does not have yet.

Forward only. A file that has been applied is never changed, and its checksum in `schema_migrations` shows if one was.
Any number of processes may do this at once: each file is applied in one transaction that first takes an advisory lock,
held to the transaction's end so that it works through a pooler too. The lock is polled, never waited for: a statement
that waits inside a transaction holds back its snapshot, and with it every `create index concurrently`.
"""

from __future__ import annotations

import hashlib
import re
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import Connection, errors
from psycopg.rows import TupleRow

OLDEST_POSTGRES = 15
ENCODING = "UTF8"
LOCK_KEY = int.from_bytes(b"bragbook")
POLL_SECONDS = 0.05
# How long one migration waits for a table that others use before it lets go and tries again.
LOCK_TIMEOUT_MS = 2_000
FILE_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
# What is not a statement of the file itself, and the statements that would end the transaction it is applied in.
QUOTED = re.compile(r"--[^\n]*|/\*.*?\*/|(\$\w*\$).*?\1|'[^']*'", re.DOTALL)
TRANSACTION = re.compile(r"(?:^|;)\s*(?:begin|start\s+transaction|commit|rollback)\b", re.IGNORECASE)

TABLE = """
create table if not exists schema_migrations (
    number integer primary key check (number > 0),
    name text not null,
    checksum bytea not null check (length(checksum) = 32),
    applied_at timestamptz not null default now()
)
"""


class MigrationFault(Exception):
    """The database cannot be brought up to date. Its text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of migrations/: `number` from its name, `checksum` the SHA-256 of its bytes."""

    number: int
    name: str
    checksum: bytes
    sql: str


def migrations_folder() -> Path:
    """migrations/ beside the packages in a checkout, inside this one when installed."""
    installed = Path(__file__).parent / "migrations"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "migrations"


def read_migrations(folder: Path | None = None) -> list[Migration]:
    """All migrations in order. Raises MigrationFault for a name or a number that does not follow on."""
    folder = folder or migrations_folder()
    found: list[Migration] = []
    for path in sorted(folder.glob("*.sql")):
        named = FILE_NAME.fullmatch(path.name)
        if not named:
            raise MigrationFault(f"{path.name} in migrations/ is not named like 0001_what_it_does.sql.")
        if int(named[1]) != len(found) + 1:
            raise MigrationFault(f"{path.name} in migrations/ should have the number {len(found) + 1:04}.")
        body = path.read_bytes()
        sql = body.decode()
        if TRANSACTION.search(QUOTED.sub(" ", sql)):
            raise MigrationFault(
                f"{path.name} begins or ends a transaction. Take that out: each file is applied in one."
            )
        found.append(Migration(int(named[1]), path.stem, hashlib.sha256(body).digest(), sql))
    if not found:
        raise MigrationFault(f"There are no migrations in {folder}. Is this a whole checkout?")
    return found


def pending(connection: Connection[TupleRow], folder: Path | None = None) -> list[Migration]:
    """The migrations that this database does not have yet, in order.

    Raises MigrationFault when what it has is not what migrations/ holds: a file changed since, or a newer database.
    """
    known = read_migrations(folder)
    applied: list[tuple[int, str, bytes]] = []
    if connection.execute("select to_regclass('schema_migrations') is not null").fetchall() == [(True,)]:
        query = "select number, name, checksum from schema_migrations order by number"
        applied = [(number, name, bytes(checksum)) for number, name, checksum in connection.execute(query)]
    for position, (number, name, checksum) in enumerate(applied):
        if position >= len(known):
            raise MigrationFault(
                f"This database is from a newer Bragbook: it has migration {name}, and this one ends at "
                f"{known[-1].name}. Start the newer Bragbook on it; nothing was changed."
            )
        if (known[position].number, known[position].checksum) != (number, checksum):
            raise MigrationFault(
                f"Migration {name} was changed after this database had it. Put the file back as it was "
                f"(git log -p migrations/), and make the change in a new file; nothing was changed."
            )
    return known[len(applied) :]


def apply(
    conninfo: str,
    folder: Path | None = None,
    timeout_seconds: float = 300,
    through: int | None = None,
    anew: bool = True,
) -> list[str]:
    """Apply what is pending and return the names of what this call applied.

    through: the number of the last to apply. anew: whether a database that has none yet gets them.

    Raises MigrationFault when the database cannot be brought up to date, or another process is not done with it within
    `timeout_seconds`; psycopg.OperationalError when it cannot be reached.
    """
    give_up_at = time.monotonic() + timeout_seconds
    done: list[str] = []
    # Through a transaction pooler a prepared statement may meet another server's connection: none is prepared.
    with psycopg.connect(
        conninfo, autocommit=True, prepare_threshold=None, application_name="bragbook migrate"
    ) as connection:
        if connection.info.server_version < OLDEST_POSTGRES * 10_000:
            raise MigrationFault(
                f"This is Postgres {connection.info.server_version // 10_000}; "
                f"Bragbook needs {OLDEST_POSTGRES} or later."
            )
        encoding = connection.info.parameter_status("server_encoding")
        if encoding not in (ENCODING, None):  # a pooler may not say
            raise MigrationFault(
                f"This database is kept in {encoding}, which cannot hold every name. Make one with "
                f"createdb --encoding {ENCODING} --locale C --template template0, and name that."
            )
        if not anew and len(pending(connection, folder)) == len(read_migrations(folder)):
            raise MigrationFault(
                "There is no store in the database that DATABASE_URL names, or its user cannot see it: name the one "
                "where it is. `bragbook serve` makes one."
            )
        while _todo(connection, folder, through):
            applied = _apply_next(connection, folder, through)
            if applied:
                done.append(applied)
            elif time.monotonic() > give_up_at:
                raise MigrationFault("Another process changes or locks the tables. Try again when it is done.")
            else:
                time.sleep(POLL_SECONDS)
    return done


def _todo(connection: Connection[TupleRow], folder: Path | None, through: int | None) -> list[Migration]:
    return [one for one in pending(connection, folder) if through is None or one.number <= through]


def _apply_next(connection: Connection[TupleRow], folder: Path | None, through: int | None) -> str | None:
    """Apply one migration and return its name; None when another process is at it, or holds what it needs."""
    name = "schema_migrations"
    try:
        with connection.transaction():
            if connection.execute("select pg_try_advisory_xact_lock(%s)", [LOCK_KEY]).fetchall() != [(True,)]:
                return None
            connection.execute(f"set local lock_timeout = {LOCK_TIMEOUT_MS}")
            connection.execute("set local statement_timeout = 0")
            connection.execute(TABLE)
            todo = _todo(connection, folder, through)  # asked again: it may have changed before the lock was ours
            if not todo:
                return None
            name = todo[0].name
            _run(connection, todo[0])
            return name
    except errors.LockNotAvailable:
        return None
    except (errors.InsufficientPrivilege, errors.InvalidSchemaName) as fault:
        raise MigrationFault(
            f"The database's user may not do what migration {name} needs: {fault.diag.message_primary}. "
            f"Let it own the database: alter database … owner to …"
        ) from fault
    except psycopg.OperationalError:
        raise
    except psycopg.DatabaseError as fault:
        raise MigrationFault(
            f"Migration {name} failed and left nothing behind: {fault.diag.message_primary or fault}"
        ) from fault


def _run(connection: Connection[TupleRow], migration: Migration) -> None:
    """Run one file inside the open transaction and note it as applied."""
    # A file of ours, not anyone's input; without parameters the driver sends all its statements in one go.
    connection.execute(migration.sql)
    connection.execute(
        "insert into schema_migrations (number, name, checksum) values (%s, %s, %s)",
        [migration.number, migration.name, migration.checksum],
    )
