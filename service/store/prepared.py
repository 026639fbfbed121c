"""Statements that run thousands of times an hour, with nothing of the driver between us and the server.

Values are given in Postgres's own binary form. The driver's way of executing costs a fifth of an append's time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, LiteralString

from psycopg import pq

from service.store.faults import Unavailable, fault_of

if TYPE_CHECKING:
    from service.store.database import StoreConnection

# Oids of types, and of arrays of them, as Postgres has them for good.
BYTEA: Final = 17
INT8: Final = 20
TEXT: Final = 25
UUID: Final = 2950
JSONB: Final = 3802
ARRAYS: Final = {BYTEA: 1001, INT8: 1016, UUID: 2951}

_OK: Final = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)


class Prepared:
    """A statement that is run as it stands; `types` are the oids of its parameters."""

    __slots__ = ("formats", "name", "sql", "types")

    def __init__(self, name: str, sql: LiteralString, types: Sequence[int]) -> None:
        self.name = name.encode()
        self.sql = sql.encode()
        self.types = list(types)
        self.formats = [1] * len(types)

    def run(self, connection: StoreConnection, values: Sequence[bytes | None]) -> int | None:
        """Run it; how many rows it touched. Raises what `faults.fault_of` makes of a failure."""
        return self._executed(connection, values).command_tuples

    def rows(self, connection: StoreConnection, values: Sequence[bytes | None]) -> list[tuple[bytes | None, ...]]:
        """Run it; its rows, each value in Postgres's binary form. Raises what `faults.fault_of` makes of a failure."""
        result = self._executed(connection, values)
        columns = range(result.nfields)
        return [tuple([result.get_value(row, column) for column in columns]) for row in range(result.ntuples)]

    def _executed(self, connection: StoreConnection, values: Sequence[bytes | None]) -> pq.abc.PGresult:
        server = connection.pgconn
        if not connection.direct:
            return _checked(server.exec_params(self.sql, values, self.types, self.formats, pq.Format.BINARY))
        if self.name not in connection.prepared:
            _checked(server.prepare(self.name, self.sql, self.types))
            connection.prepared.add(self.name)
        return _checked(server.exec_prepared(self.name, values, self.formats, pq.Format.BINARY))  # type: ignore[arg-type]  # None: null


def _checked(result: pq.abc.PGresult) -> pq.abc.PGresult:
    if result.status in _OK:
        return result
    sqlstate = result.error_field(pq.DiagnosticField.SQLSTATE)
    constraint = result.error_field(pq.DiagnosticField.CONSTRAINT_NAME)
    if sqlstate is None:  # the connection went away under the statement
        raise Unavailable("The database cannot be reached.")
    raise fault_of(sqlstate.decode(), constraint.decode() if constraint else None)


def array(of: int, items: Sequence[bytes | None]) -> bytes:
    """An array of one dimension in Postgres's binary form; `of` is the oid of what is in it."""
    parts = [
        (1).to_bytes(4),
        (None in items).to_bytes(4),
        of.to_bytes(4),
        len(items).to_bytes(4),
        (1).to_bytes(4),
    ]
    parts += [b"\xff\xff\xff\xff" if item is None else len(item).to_bytes(4) + item for item in items]
    return b"".join(parts)


def jsonb(document: bytes) -> bytes:
    """A JSON document in Postgres's binary form."""
    return b"\x01" + document
