"""Whether what was signed still fits: the log of heads against itself, against the events, and against what was kept.

For `bragbook verify`. The events of each session are checked against themselves elsewhere; here it shows where a
whole session was changed together with all of its hashes, cut short, or taken away.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, LiteralString
from uuid import UUID

import orjson

from events import merkle
from events.checkpoint import parse_checkpoint
from events.heads import parse_head
from events.signed_note import Key, NoteError, open_note, parse_key
from service.evidence.rollback import RolledBack, check_rollback
from service.signing import verify
from service.store.database import Database
from service.store.heads import PAGE, Heads, Leaf, Signed

# The columns are of one type: a cluster takes those of several functions to be of the first one's.
_EVENTS: Final[LiteralString] = (
    "select asked.place::bigint, e.hash, e.body"
    " from unnest(%s::text[], %s::text[], %s::text[]) as asked (place, session, seq)"
    " join events e on e.session = asked.session::uuid and e.seq = asked.seq::bigint"
)


def log_faults(database: Database, data: Path | None) -> Iterator[str]:
    """What is wrong with the log of heads, a sentence each; nothing where it is as it should be. Raises Unavailable."""
    heads = Heads(database)
    if data is not None:
        try:
            check_rollback(heads, data)
        except RolledBack as rolled_back:
            yield str(rolled_back)
    keys = []
    for text, _ in heads.signing_keys():
        try:
            keys.append(parse_key(text))
        except NoteError:
            yield f"the signing key {text} is none"
    tree = merkle.Tree()
    roots: dict[int, bytes] = {0: merkle.EMPTY_ROOT}
    last = heads.checkpoint()  # what is signed while we look is for the next time
    newest = last.size if last is not None else -1
    wanted = {signed.size for signed in _checkpoints(heads, newest)}
    for leaf, fault in _leaves(database, heads):
        if fault is not None:
            yield fault
        if leaf is not None:
            tree.append(merkle.leaf_hash(leaf.text.encode()))
            if tree.size() in wanted:
                roots[tree.size()] = tree.root()
    yield from _node_faults(heads, tree)
    yield from _checkpoint_faults(_checkpoints(heads, newest), roots, keys)


def _checkpoints(heads: Heads, newest: int) -> Iterator[Signed]:
    """Those of up to `newest` leaves, the smallest first."""
    after = -1
    while after < newest and (page := heads.checkpoints(after)):
        yield from (signed for signed in page if signed.size <= newest)
        after = page[-1].size


def _leaves(database: Database, heads: Heads) -> Iterator[tuple[Leaf | None, str | None]]:
    """Each leaf, and what is wrong with it."""
    expected = 0
    while page := heads.leaves(expected):
        rows = ((leaf.place, leaf.session, leaf.version) for leaf in page)
        asked = [[str(value) for value in column] for column in zip(*rows, strict=True)]
        found = {row[0]: (row[1], row[2]) for row in database.ask(_EVENTS, asked)}
        for leaf in page:
            if leaf.place != expected:
                yield None, f"entries {expected} to {leaf.place - 1} of the log of heads are gone"
                expected = leaf.place
            yield leaf, _leaf_fault(leaf, *found.get(leaf.place, (None, None)))
            expected += 1
        if len(page) < PAGE:
            return


def _leaf_fault(leaf: Leaf, digest: bytes | None, body: bytes | None) -> str | None:
    try:
        head = parse_head(leaf.text)
    except NoteError as error:
        return f"entry {leaf.place} of the log of heads is none: {error}"
    if (UUID(head.session), head.version) != (leaf.session, leaf.version):
        return f"entry {leaf.place} of the log of heads is filed under another session or version than its own"
    if digest is None or body is None:
        return f"session {head.session}: event {head.version} is gone, whose head stands in the log of heads"
    if digest.hex() != head.hash:
        return f"session {head.session}: event {head.version} is another than the one in the log of heads"
    try:
        time = orjson.loads(body).get("recorded_at")
    except (orjson.JSONDecodeError, AttributeError):
        time = None
    if time != head.time:
        return f"session {head.session}: event {head.version} has another time than in the log of heads"
    return None


def _node_faults(heads: Heads, tree: merkle.Tree) -> Iterator[str]:
    """Where the stored hashes of the tree are not those of its leaves."""
    for level, nodes in enumerate(tree.levels):
        for start in range(0, len(nodes), PAGE):
            places = range(start, min(start + PAGE, len(nodes)))
            found = heads.nodes([(level, place) for place in places])
            for place in places:
                if found.get((level, place)) != nodes[place]:
                    yield f"the hash at level {level}, place {place} of the log of heads is not that of its entries"


def _checkpoint_faults(checkpoints: Iterator[Signed], roots: dict[int, bytes], keys: list[Key]) -> Iterator[str]:
    for signed in checkpoints:
        try:
            state = parse_checkpoint(open_note(signed.note, keys, verify).text)
        except NoteError as error:
            yield f"the checkpoint of {signed.size} entries is not what was signed: {error}"
            continue
        if (state.size, state.root) != (signed.size, signed.root) or roots.get(state.size) != state.root:
            yield f"the log of heads is not the one whose {state.size} entries were signed"
