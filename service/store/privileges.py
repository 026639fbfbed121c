"""Who may do what in the database: the service adds events and cannot change one.

The tables belong to the role that applies the migrations. The service is best another role that owns nothing: on the
Postgres that comes along it always is. With a `DATABASE_URL` whose user owns the tables, triggers alone stand between
that user and the events, and `what_holds` says so.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Final

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

from service.store.database import TIMEOUTS

SERVICE_ROLE: Final = "bragbook_service"
APPEND_ONLY: Final = (
    "events", "instance", "signing_keys", "log_leaves", "log_nodes", "log_checkpoints", "log_rollbacks",
)  # fmt: skip
"""Tables that are only added to and read."""
READ_ONLY: Final = ("schema_migrations",)


def own_role(owner: str) -> str:
    """Make the service's own role on a server that lets it in without a password, and grant it what it needs.

    owner: how to connect as who owns the tables and may make roles. Returns how to connect as the service's role. To
    be called whenever migrations may have made new tables.
    """
    with psycopg.connect(owner, autocommit=True) as connection:
        # The second of these where two make it at the same moment.
        with suppress(errors.DuplicateObject, errors.UniqueViolation):
            connection.execute(sql.SQL("create role {} login").format(sql.Identifier(SERVICE_ROLE)))
        grant(connection, SERVICE_ROLE)
    return make_conninfo(owner, user=SERVICE_ROLE)


def grant(connection: psycopg.Connection[TupleRow], role: str) -> None:
    """Grant a role what the service needs and no more, and bound how long it may take; as who owns the tables.

    The timeouts are set with the role, for behind a pooler nothing can be set with a connection.
    """
    while True:
        with connection.transaction():
            # Two at the same moment would fail. Polled, not waited for: see `migrate.py`.
            taken = connection.execute("select pg_try_advisory_xact_lock(hashtext('bragbook privileges'))").fetchone()
            if taken == (True,):
                _grant(connection, role)
                return
        time.sleep(0.05)


def _grant(connection: psycopg.Connection[TupleRow], role: str) -> None:
    named = sql.Identifier(role)
    schema = connection.execute("select current_schema()").fetchall()[0][0]
    within, tables = sql.Identifier(schema), sql.SQL("all tables in schema {}").format(sql.Identifier(schema))
    append_only = sql.SQL(", ").join(sql.Identifier(schema, name) for name in APPEND_ONLY)
    read_only = sql.SQL(", ").join(sql.Identifier(schema, name) for name in READ_ONLY)
    for statement in (
        sql.SQL("grant usage on schema {} to {}").format(within, named),
        sql.SQL("revoke all on {} from {}").format(tables, named),
        sql.SQL("grant select, insert, update, delete on {} to {}").format(tables, named),
        sql.SQL("revoke update, delete on {} from {}").format(append_only, named),
        sql.SQL("revoke insert, update, delete on {} from {}").format(read_only, named),
    ):
        connection.execute(statement)
    database = sql.Identifier(connection.info.dbname)
    for name, milliseconds in TIMEOUTS.items():
        connection.execute(
            sql.SQL("alter role {} in database {} set {} = {}").format(
                named, database, sql.Identifier(name), sql.Literal(f"{milliseconds}ms")
            )
        )


def what_holds(connection: psycopg.Connection[TupleRow]) -> list[str]:
    """What keeps whoever is connected from changing an event, a sentence each: for the log at the start."""
    holds = []
    for table in APPEND_ONLY:
        may, owns, superuser = connection.execute(
            "select has_table_privilege(%(table)s, 'UPDATE') or has_table_privilege(%(table)s, 'DELETE')"
            " or has_table_privilege(%(table)s, 'TRUNCATE'),"
            " (select pg_has_role(relowner, 'MEMBER') from pg_class where oid = %(table)s::regclass),"
            " (select rolsuper from pg_roles where rolname = current_user)",
            {"table": table},
        ).fetchall()[0]
        triggers = connection.execute(
            "select count(*) from pg_trigger"
            " where tgrelid = %s::regclass and tgname like '%%\\_stay' and tgenabled = 'A'",
            [table],
        ).fetchall()[0][0]
        if not may:
            holds.append(f"{table}: the database lets this user add and read only")
        elif triggers:
            who = "is a superuser" if superuser else "owns the table" if owns else "was granted changes"
            holds.append(f"{table}: this user {who}; a trigger refuses changes. Give the service a user of its own")
        else:
            holds.append(f"{table}: NOTHING but the hashes shows a change. Give the service a user of its own")
    return holds
