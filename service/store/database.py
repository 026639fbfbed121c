"""Connections: lent from a pool, bounded in time, and given back whatever happens.

Nothing is kept in a connection between two uses that a pooler in transaction mode would lose: no `set role`, no
temporary table, no advisory lock. Two things are used where the server is reached directly, and done without where it
is not: prepared statements, and timeouts set once a connection (behind a pooler the role's own hold, see
`privileges.py`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, LiteralString, TypeVar

import psycopg
from psycopg import ClientCursor, pq
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from service.store.deadlines import Deadlines
from service.store.faults import StoreFault, Unavailable, translated

Result = TypeVar("Result")
Row = tuple[Any, ...]
Statement = tuple[LiteralString, Sequence[Any]]
"""SQL, and what it is asked with."""

STATEMENT_TIMEOUT_MS: Final = 10_000
LOCK_TIMEOUT_MS: Final = 3_000
IDLE_IN_TRANSACTION_TIMEOUT_MS: Final = 10_000
CONNECT_TIMEOUT_S: Final = 5
# For a server that does not even end what takes too long: one statement, and whatever one connection is lent for.
ANSWER_TIMEOUT_S: Final = 15.0
LENT_TIMEOUT_S: Final = 60.0
# A pool that cannot connect tries for so long, then again when somebody asks: it notices soon that the server is back.
RECONNECT_S: Final = 3.0
# Once the database is known to be away, who asks waits no longer than this, and holds no thread.
WAIT_WHILE_AWAY_S: Final = 0.05
AWAY_S: Final = 1.0
TIMEOUTS: Final = {
    "statement_timeout": STATEMENT_TIMEOUT_MS,
    "lock_timeout": LOCK_TIMEOUT_MS,
    "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION_TIMEOUT_MS,
}
# Over a network a dead server is noticed this soon; a socket on this machine ignores them.
NETWORK: Final = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 12_000}


class StoreConnection(psycopg.Connection[TupleRow]):
    """A connection that knows what its server takes.

    direct: nothing stands between, so that what was set or prepared is there the next time. distributed: the tables of
    sessions lie on several machines, so that one statement writes to one table only. prepared: the names of what was
    prepared. overdue: it was cut, since its server did not answer in time.
    """

    direct: bool = False
    distributed: bool = True
    overdue: bool = False
    prepared: set[bytes]


class Database:
    """A pool of connections to one database.

    largest: the most connections. wait_ms: how long a request waits for one before it is told to come back.
    answer_timeout_s: how long the server may take over a statement before the connection is cut.
    """

    def __init__(
        self, conninfo: str, *, largest: int = 10, wait_ms: int = 3_000, answer_timeout_s: float = ANSWER_TIMEOUT_S
    ) -> None:
        self._wait_s = wait_ms / 1000
        self._answer_timeout_s = answer_timeout_s
        self._largest = largest
        self._deadlines = Deadlines()
        self._pool: ConnectionPool[StoreConnection] = ConnectionPool(
            conninfo,
            connection_class=StoreConnection,
            kwargs={"connect_timeout": CONNECT_TIMEOUT_S, "application_name": "bragbook", **NETWORK},
            configure=self._configure,
            reconnect_timeout=RECONNECT_S,
            min_size=1,
            max_size=largest,
            timeout=self._wait_s,
            # A pub's worth of requests may wait; more are told so at once.
            max_waiting=largest * 20,
            open=False,
            name="store",
        )
        self._spare: list[StoreConnection] = []
        self._waiting = 0
        self._away_until = 0.0
        self._guard = threading.Lock()
        self._closed = False

    def open(self) -> None:
        """Start the pool: after a fork, never before one."""
        self._deadlines.start()
        self._pool.open(wait=False)

    def close(self) -> None:
        """Give every connection back to the server."""
        self._closed = True
        self._give_up_spare()
        self._pool.close()
        self._deadlines.stop()

    def figures(self) -> dict[str, int]:
        """What the pool counts: `pool_size`, `pool_available`, `requests_waiting` and the rest of psycopg_pool's."""
        figures = dict(self._pool.get_stats())
        figures["pool_available"] = figures.get("pool_available", 0) + len(self._spare)
        return figures

    @contextmanager
    def lend(self) -> Iterator[StoreConnection]:
        """A connection in autocommit, for one statement or one transaction. Raises this package's faults only."""
        connection = self._take()
        self._deadlines.begin(connection, LENT_TIMEOUT_S)
        try:
            yield connection
        except psycopg.Error as fault:
            raise translated(fault) from None
        finally:
            self._give_back(connection)

    def patiently(self, work: Callable[[StoreConnection], Result]) -> Result:
        """Do something that may be done twice, again where the connection was lost: the server may have restarted
        under connections that waited in the pool."""
        for _ in range(self._largest + 1):  # every one that waited may be dead; each that is found so is thrown away
            try:
                return self._once(work)
            except _Lost:
                continue
        raise Unavailable("The database cannot be reached.", perhaps_done=True)

    def _once(self, work: Callable[[StoreConnection], Result]) -> Result:
        connection = self._take()
        self._deadlines.begin(connection, self._answer_timeout_s)
        try:
            return work(connection)
        except (psycopg.Error, Unavailable) as fault:
            if connection.overdue:
                raise Unavailable("The database took too long to answer.", perhaps_done=True) from None
            if connection.pgconn.status == pq.ConnStatus.BAD:
                raise _Lost from None
            if isinstance(fault, psycopg.Error):
                raise translated(fault) from None
            raise
        finally:
            self._give_back(connection)

    # A connection that was used is kept at hand for who comes next: going through the pool costs as much as checking
    # an event. Who finds none at hand says that they wait, looks once more, and goes to the pool; who gives one back
    # puts it at hand, and then, where somebody waits, takes one from there to the pool. So nobody waits for a
    # connection that lies unused.

    def _take(self) -> StoreConnection:
        with suppress(IndexError):
            return self._spare.pop()
        with self._guard:
            self._waiting += 1
        try:
            with suppress(IndexError):
                return self._spare.pop()
            away = time.monotonic() < self._away_until
            connection = self._pool.getconn(WAIT_WHILE_AWAY_S if away else self._wait_s)
            self._away_until = 0.0
            return connection
        except PoolTimeout:
            self._away_until = time.monotonic() + AWAY_S
            raise Unavailable("The database is away, or has its hands full.") from None
        except TooManyRequests:
            # Who gave up waiting still counts as waiting, until there is a connection to hand out. Once so many have,
            # the pool asks for none any more by itself where it had given up: this has it try again.
            self._pool.check()
            raise Unavailable("The database is away, or has its hands full.") from None
        except PoolClosed:
            raise Unavailable("The service is stopping.") from None
        finally:
            with self._guard:
                self._waiting -= 1

    def _give_back(self, connection: StoreConnection) -> None:
        self._deadlines.end(connection)
        if connection.pgconn.transaction_status != pq.TransactionStatus.IDLE or self._closed:
            self._pool.putconn(connection)
            return
        self._spare.append(connection)
        if self._waiting or self._closed:
            self._give_up_spare()

    def _give_up_spare(self) -> None:
        """Back to the pool with what is at hand."""
        while self._spare:
            try:
                connection = self._spare.pop()
            except IndexError:
                return
            self._pool.putconn(connection)

    def _configure(self, connection: StoreConnection) -> None:
        self._deadlines.begin(connection, self._answer_timeout_s)
        try:
            _configure(connection)
        finally:
            self._deadlines.end(connection)

    def ask(self, sql: LiteralString, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of one statement that only reads. Raises Unavailable, StoreFault."""
        return self.patiently(lambda connection: connection.execute(sql, values, binary=True).fetchall())

    def run(self, statements: Sequence[Statement]) -> list[int]:
        """Statements as one transaction in one round trip; how many rows each touched.

        They go as one message with the values written in by the driver: the server runs such a message as a
        transaction of its own, whatever pooler lies between. Raises Unavailable, StoreFault, VersionTaken.
        """
        with self.lend() as connection:
            return run_together(connection, statements)

    def distributed(self) -> bool:
        """Whether the tables of sessions are distributed over a cluster. Raises Unavailable, StoreFault."""
        return self.patiently(is_distributed)

    def answers(self) -> bool:
        """Whether the database answers now."""
        try:
            return self.ask("select 1") == [(1,)]
        except (Unavailable, StoreFault):
            return False

    def wait(self, seconds: float) -> None:
        """Wait until the database answers. Raises Unavailable when it does not in time."""
        give_up_at = time.monotonic() + seconds
        while not self.answers():
            if time.monotonic() > give_up_at:
                raise Unavailable("The database does not answer.")
            time.sleep(0.05)


class _Lost(Exception):
    """The connection is gone; whether the statement was done is not known."""


def run_together(connection: StoreConnection, statements: Sequence[Statement]) -> list[int]:
    """`Database.run` on a connection that is at hand."""
    cursor = ClientCursor(connection)
    values = [value for _, values in statements for value in values]
    cursor.execute(";\n".join(sql for sql, _ in statements), values)
    touched = [cursor.rowcount]
    while cursor.nextset():
        touched.append(cursor.rowcount)
    return touched


def is_distributed(connection: psycopg.Connection[TupleRow]) -> bool:
    """Whether the tables of sessions are distributed over a cluster (see `distribute.py`)."""
    if connection.execute("select to_regclass('pg_dist_partition') is null").fetchall() == [(True,)]:
        return False
    distributed = "select exists (select from pg_dist_partition where logicalrelid = to_regclass('events'))"
    return connection.execute(distributed).fetchall() == [(True,)]


def _configure(connection: StoreConnection) -> None:
    connection.autocommit = True
    connection.prepared = set()
    asked = connection.execute("select pg_backend_pid()").fetchall()
    # A pooler hands out a process id of its own making.
    connection.direct = asked[0][0] == connection.info.backend_pid
    connection.distributed = is_distributed(connection)
    if not connection.direct:
        connection.prepare_threshold = None
        return
    for name, milliseconds in TIMEOUTS.items():
        connection.execute("select set_config(%s, %s, false)", [name, str(milliseconds)])
