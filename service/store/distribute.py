"""Distributing the store over a Citus cluster, by session: all that is kept of a session lies in one place.

Each key begins with `session`, so the tables are taken as they are. What a cluster does not take are triggers on
distributed tables. Without them the database still holds each event to its hash, and the service's role can still not
change one; that an event continues the one before it, and that a name or a token was changed behind the service's
back, is no longer noticed by the database. `bragbook verify` looks at every chain as before.

The clubs, their tokens and what the instance signs stay in the coordinator, where the service connects; the clubs'
people are on every node, since they are joined with what their sessions hold.
"""

from __future__ import annotations

import time
from typing import Final

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

OLDEST_CITUS: Final = 11
# The first is what the others are laid beside.
BY_SESSION: Final = ("events", "sessions", "hands", "hand_players", "balances", "names", "tokens")
EVERYWHERE: Final = ("people",)
# Seals belong to triggers that are gone.
_UNSEALING: Final = {
    "names": "delete from seals where kind = 'name'",
    "tokens": "delete from seals where kind = 'token'",
}
# A service that was stopped a moment ago may still have its connections.
LEAVING_S: Final = 5.0


class DistributionFault(Exception):
    """The store cannot be distributed. Its text says why and what to do."""


Step = tuple[str, list[str]]
"""A table, and the statements that are run for it as one transaction."""


def steps(connection: psycopg.Connection[TupleRow]) -> list[Step]:
    """What is still to be done, a table at a time; nothing where all is distributed.

    connection: to the coordinator, as who owns the tables. Raises DistributionFault where this is no cluster.
    """
    _check_cluster(connection)
    done = _distributed(connection)
    return [(table, _distributing(connection, table)) for table in (*EVERYWHERE, *BY_SESSION) if table not in done]


def distribute(connection: psycopg.Connection[TupleRow]) -> list[str]:
    """Distribute what is not yet; the tables that this call distributed. What was interrupted is gone on with.

    connection: to the coordinator in autocommit, as who owns the tables. Raises DistributionFault.
    """
    todo = steps(connection)
    if todo and _in_use(connection):
        raise DistributionFault(
            "The store is in use. Stop every Bragbook on it, then say this again; nothing was done."
        )
    for table, statements in todo:
        try:
            with connection.transaction():
                for statement in statements:
                    connection.execute(statement.encode())
        except psycopg.DatabaseError as fault:
            said = ". ".join(filter(None, (fault.diag.message_primary, fault.diag.message_hint))).rstrip(".")
            raise DistributionFault(
                f"The cluster does not take the table {table}: {said}. "
                "Nothing was done to it. When that is mended, say this again."
            ) from None
    for table in (*EVERYWHERE, *BY_SESSION):
        # What lay there before is on the nodes now. A copy left behind would still have names that are erased later.
        if connection.execute("select pg_relation_size(%s::regclass) > 0", [table]).fetchall() == [(True,)]:
            connection.execute("select truncate_local_data_after_distributing_table(%s::regclass)", [table])
    return [table for table, _ in todo]


def _check_cluster(connection: psycopg.Connection[TupleRow]) -> None:
    rows = connection.execute("select extversion from pg_extension where extname = 'citus'").fetchall()
    if not rows:
        raise DistributionFault(
            "This Postgres has no Citus. Let a superuser say `create extension citus` in this database, on every node."
        )
    if int(rows[0][0].split(".")[0].split("-")[0]) < OLDEST_CITUS:
        raise DistributionFault(f"This is Citus {rows[0][0]}; Bragbook needs {OLDEST_CITUS} or later.")


def _distributed(connection: psycopg.Connection[TupleRow]) -> set[str]:
    """Of the tables of this store, and of no other in the same database."""
    rows = connection.execute(
        "select c.relname from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid"
        " where c.relname = any(%s) and pg_table_is_visible(c.oid)",
        [[*BY_SESSION, *EVERYWHERE]],
    )
    return {row[0] for row in rows}


def _distributing(connection: psycopg.Connection[TupleRow], table: str) -> list[str]:
    """The statements that distribute a table, its triggers gone."""
    triggers = connection.execute(
        "select tgname from pg_trigger where tgrelid = %s::regclass and not tgisinternal order by tgname", [table]
    ).fetchall()
    statements = [
        sql.SQL("drop trigger {} on {}").format(sql.Identifier(name), sql.Identifier(table)).as_string(connection)
        for (name,) in triggers
    ]
    if table in _UNSEALING:
        statements.append(_UNSEALING[table])
    if table in EVERYWHERE:
        return [*statements, f"select create_reference_table('{table}')"]
    beside = "none" if table == BY_SESSION[0] else BY_SESSION[0]
    return [*statements, f"select create_distributed_table('{table}', 'session', colocate_with => '{beside}')"]


def _in_use(connection: psycopg.Connection[TupleRow]) -> bool:
    """Whether a service is connected, which would go on as if nothing had been distributed."""
    give_up_at = time.monotonic() + LEAVING_S
    while connection.execute(
        "select exists (select from pg_stat_activity where datname = current_database()"
        " and application_name = 'bragbook' and pid <> pg_backend_pid())"
    ).fetchall() == [(True,)]:
        if time.monotonic() > give_up_at:
            return True
        time.sleep(0.1)
    return False
