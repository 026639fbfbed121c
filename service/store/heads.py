"""What was signed: the instance's name and keys, and its log of all sessions' heads.

Nothing here is in the way of an append: one process at a time enters heads into the log, behind it, and a head that is
not there yet is a matter of a second. All of it is only added to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, LiteralString, NamedTuple, TypeVar
from uuid import UUID

import orjson

from events import merkle
from service.store.database import Database, StoreConnection
from service.store.entries import NEWEST

Result = TypeVar("Result")
Node = tuple[int, int]
"""(level, place) of a perfect subtree, as in `events.merkle`."""

PAGE: Final = 500
_LOCK: Final[LiteralString] = "select pg_try_advisory_xact_lock(hashtext('bragbook log of heads'))"
_SIZE: Final[LiteralString] = "select coalesce(max(place) + 1, 0) from log_leaves"
_NODES: Final[LiteralString] = (
    "select n.level, n.place, n.hash from unnest(%s::bigint[], %s::bigint[]) as asked (level, place)"
    " join log_nodes n on n.level = asked.level and n.place = asked.place"
)
# Each by its session and number: of a range the database does not know how little is in it (see `entries.NEWEST`).
_EVENTS: Final[LiteralString] = (
    # Columns of one type: a cluster takes them all for what the first is.
    "select e.session, e.seq, e.hash, e.body from unnest(%s::text[], %s::text[]) as newest (session, seq)"
    " join events e on e.session = newest.session::uuid and e.seq = newest.seq::bigint"
)
_ENTERED: Final[LiteralString] = (
    "select asked.session, (select max(version) from log_leaves where session = asked.session)"
    " from unnest(%s::uuid[]) as asked (session)"
)
_SESSIONS: Final[LiteralString] = "select session from sessions where session > %s order by session limit %s"
_ADD_LEAVES: Final[LiteralString] = (
    "insert into log_leaves (place, session, version, leaf)"
    " select * from unnest(%s::bigint[], %s::uuid[], %s::bigint[], %s::text[])"
)
_ADD_NODES: Final[LiteralString] = (
    "insert into log_nodes (level, place, hash) select * from unnest(%s::bigint[], %s::bigint[], %s::bytea[])"
)
_ADD_CHECKPOINT: Final[LiteralString] = "insert into log_checkpoints (size, root, note) values (%s, %s, %s)"


class Newest(NamedTuple):
    """The last event of a session, where it is not in the log of heads yet. time: when it was stored."""

    session: UUID
    version: int
    hash: bytes
    time: str


class Leaf(NamedTuple):
    """A session's head in the log: its place there, from 0, and its text."""

    place: int
    session: UUID
    version: int
    text: str


class Signed(NamedTuple):
    """A checkpoint that was given out, as it was signed."""

    size: int
    root: bytes
    note: str


class Rollback(NamedTuple):
    """A log shorter than a checkpoint given out that was accepted after all."""

    accepted_at: str
    checkpoint: str
    size: int
    reason: str


class Heads:
    """The instance's name, keys and log of heads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # --- the instance ---------------------------------------------------------------------------------------------

    def origin(self) -> str | None:
        """The instance's name; None where it has none yet. Raises Unavailable."""
        rows = self._database.ask("select origin from instance")
        return str(rows[0][0]) if rows else None

    def name(self, origin: str) -> str:
        """Name the instance where it has no name yet; its name. Raises Unavailable."""
        self._database.run([("insert into instance (origin) values (%s) on conflict do nothing", (origin,))])
        return self.origin() or origin

    def signing_keys(self) -> list[tuple[str, str | None]]:
        """(public key, the note by which it followed another) of each that ever signed, the first first."""
        return [
            (row[0], row[1]) for row in self._database.ask("select key, change from signing_keys order by added_at")
        ]

    def add_key(self, key: str, change: str | None) -> None:
        """Note a key that signs from now on. Raises Unavailable."""
        add: LiteralString = "insert into signing_keys (key, change) values (%s, %s) on conflict do nothing"
        self._database.run([(add, (key, change))])

    # --- the log --------------------------------------------------------------------------------------------------

    def size(self) -> int:
        """How many leaves there are. Raises Unavailable."""
        return int(self._database.ask(_SIZE)[0][0])

    def behind(self, sessions: Sequence[UUID]) -> list[Newest]:
        """The last events of those of the sessions whose logs go further than the log of heads."""
        return self._database.patiently(lambda connection: _behind(connection, sessions))

    def all_behind(self) -> Iterator[list[Newest]]:
        """`behind` of all sessions, a page at a time."""
        after = UUID(int=0)
        while True:
            page = [row[0] for row in self._database.ask(_SESSIONS, (after, PAGE))]
            if page:
                found = self.behind(page)
                if found:
                    yield found
                after = page[-1]
            if len(page) < PAGE:
                return

    def enter(
        self, heads: Sequence[Newest], text_of: Callable[[Newest], str], sign: Callable[[int, bytes], str]
    ) -> Signed | None:
        """Enter heads into the log, with a checkpoint: `sign(size, root)` makes the note.

        None where another process is at it, or nothing of it is new. Raises Unavailable.
        """
        return self._database.patiently(lambda connection: _enter(connection, heads, text_of, sign))

    def checkpoint(self) -> Signed | None:
        """The last checkpoint; None where there is none. Raises Unavailable."""
        rows = self._database.ask("select size, root, note from log_checkpoints order by size desc limit 1")
        return Signed(*rows[0]) if rows else None

    def checkpoints(self, after: int = -1) -> list[Signed]:
        """Checkpoints of more than `after` leaves, the smallest first, at most a page."""
        rows = self._database.ask(
            "select size, root, note from log_checkpoints where size > %s order by size limit %s", (after, PAGE)
        )
        return [Signed(*row) for row in rows]

    def leaf_of(self, session: UUID, version: int, size: int) -> Leaf | None:
        """The session's last head up to `version` among the first `size` leaves."""
        rows = self._database.ask(
            "select place, session, version, leaf from log_leaves"
            " where session = %s and version <= %s and place < %s order by version desc limit 1",
            (session, version, size),
        )
        return Leaf(*rows[0]) if rows else None

    def leaves(self, start: int) -> list[Leaf]:
        """Leaves from a place on, in order, at most a page."""
        rows = self._database.ask(
            "select place, session, version, leaf from log_leaves where place >= %s order by place limit %s",
            (start, PAGE),
        )
        return [Leaf(*row) for row in rows]

    def nodes(self, wanted: Sequence[Node]) -> dict[Node, bytes]:
        """The hashes of those of the perfect subtrees that are there."""
        rows = self._database.ask(_NODES, ([node[0] for node in wanted], [node[1] for node in wanted]))
        return {(row[0], row[1]): row[2] for row in rows}

    def work_out(self, compute: Callable[[merkle.ReadNode], Result]) -> Result:
        """What `compute` makes of the log's nodes, which are all read at once.

        Raises LookupError where one is missing that should be there, Unavailable.
        """
        wanted: list[Node] = []

        def note(level: int, place: int) -> bytes:
            wanted.append((level, place))
            return merkle.EMPTY_ROOT

        compute(note)  # which nodes are asked for does not depend on what they hold
        found = self.nodes(wanted) if wanted else {}
        return compute(lambda level, place: found[level, place])

    def root(self, size: int) -> bytes:
        """The root hash of the first `size` leaves. Raises LookupError, Unavailable."""
        return self.work_out(lambda read: merkle.root(size, read))

    # --- rollbacks ------------------------------------------------------------------------------------------------

    def accept_rollback(self, checkpoint: str, size: int, reason: str) -> None:
        """Note for everyone that the log is shorter than a checkpoint given out, and goes on from there."""
        add: LiteralString = "insert into log_rollbacks (checkpoint, size, reason) values (%s, %s, %s)"
        self._database.run([(add, (checkpoint, size, reason))])

    def rollbacks(self) -> list[Rollback]:
        """What was accepted, the first first."""
        rows = self._database.ask(
            "select accepted_at, checkpoint, size, reason from log_rollbacks order by accepted_at"
        )
        return [Rollback(row[0].isoformat().replace("+00:00", "Z"), *row[1:]) for row in rows]


def _behind(connection: StoreConnection, sessions: Sequence[UUID]) -> list[Newest]:
    asked = (list(sessions),)
    entered: dict[UUID, int | None] = dict(connection.execute(_ENTERED, asked, binary=True).fetchall())
    newest = connection.execute(NEWEST, asked, binary=True).fetchall()
    behind = [(str(session), str(seq)) for session, seq in newest if (seq or 0) > (entered[session] or 0)]
    if not behind:
        return []
    rows = connection.execute(_EVENTS, [list(column) for column in zip(*behind, strict=True)], binary=True).fetchall()
    return [
        Newest(session, seq, digest, orjson.loads(body)["recorded_at"]) for session, seq, digest, body in sorted(rows)
    ]


def _enter(
    connection: StoreConnection,
    heads: Sequence[Newest],
    text_of: Callable[[Newest], str],
    sign: Callable[[int, bytes], str],
) -> Signed | None:
    with connection.transaction():
        if connection.execute(_LOCK).fetchone() != (True,):
            return None
        # Asked again, now that nobody else enters any: they may be there by now.
        new = _behind(connection, [head.session for head in heads])
        if not new:
            return None
        found = connection.execute(_SIZE, binary=True).fetchone()
        size = int(found[0]) if found is not None else 0
        nodes = _right_edge(connection, size)
        added: list[tuple[int, int, bytes]] = []
        texts = [text_of(head) for head in new]
        for place, text in enumerate(texts, size):
            for node in merkle.new_nodes(place, merkle.leaf_hash(text.encode()), lambda *at: nodes[at]):
                nodes[node[0], node[1]] = node[2]
                added.append(node)
        root = merkle.root(size + len(new), lambda *at: nodes[at])
        signed = Signed(size + len(new), root, sign(size + len(new), root))
        places = list(range(size, signed.size))
        leaves = (places, [head.session for head in new], [head.version for head in new], texts)
        connection.execute(_ADD_LEAVES, leaves)
        connection.execute(_ADD_NODES, [list(column) for column in zip(*added, strict=True)])
        connection.execute(_ADD_CHECKPOINT, signed)
    return signed


def _right_edge(connection: StoreConnection, size: int) -> dict[Node, bytes]:
    """The perfect subtrees that the first `size` leaves are made of: all that is needed to go on."""
    wanted = [(level, (size >> level) - 1) for level in range(size.bit_length()) if size >> level & 1]
    values = ([node[0] for node in wanted], [node[1] for node in wanted])
    rows = connection.execute(_NODES, values, binary=True).fetchall()
    return {(row[0], row[1]): row[2] for row in rows}
