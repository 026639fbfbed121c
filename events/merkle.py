"""The Merkle tree of RFC 6962: hashing, and proofs that are made and checked.

A log of leaves is summed up in one *root hash*. An *inclusion proof* shows that one leaf lies at its place in the
log with that root; a *consistency proof* shows that a longer log begins with exactly the leaves of a shorter one.
Both are a few hashes long, however long the log is.

A *perfect* subtree is one over ``2 ** level`` leaves that begins at a multiple of that. Its hash never changes once
its leaves are there, so a store keeps those only: ``(level, index)`` names the one over the leaves from
``index * 2 ** level``. Whatever reads them is passed in, so that a proof over a log of millions of leaves costs some
dozens of reads.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    ReadNode = Callable[[int, int], bytes]

HASH_LENGTH_BYTES = 32

# The prefixes keep a leaf from ever being taken for an inner node (RFC 6962 §2.1).
_LEAF_PREFIX = b"\x00"
_NODE_PREFIX = b"\x01"


class ProofError(ValueError):
    """A proof that does not show what it should; the message says in which way."""


def sha256(data: bytes) -> bytes:
    """The 32 bytes of the SHA-256 of ``data``."""
    return hashlib.sha256(data).digest()


EMPTY_ROOT = sha256(b"")


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf that holds ``data``."""
    return sha256(_LEAF_PREFIX + data)


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of the node over two subtrees."""
    return sha256(_NODE_PREFIX + left + right)


class Tree:
    """A log held in memory: every perfect subtree's hash, level by level."""

    __slots__ = ("levels",)

    def __init__(self, leaf_hashes: Sequence[bytes] = ()) -> None:
        self.levels: list[list[bytes]] = [[]]
        for one in leaf_hashes:
            self.append(one)

    def size(self) -> int:
        """How many leaves there are."""
        return len(self.levels[0])

    def node(self, level: int, index: int) -> bytes:
        """The hash of a perfect subtree. Raises IndexError where it is not complete yet."""
        return self.levels[level][index]

    def append(self, hash_of_leaf: bytes) -> None:
        """Adds a leaf by its hash."""
        for level, _index, node in new_nodes(self.size(), hash_of_leaf, self.node):
            if level == len(self.levels):
                self.levels.append([])
            self.levels[level].append(node)

    def root(self, size: int | None = None) -> bytes:
        """The root hash of the first ``size`` leaves (of all, where it is not given)."""
        return root(self.size() if size is None else size, self.node)

    def inclusion_proof(self, index: int, size: int | None = None) -> list[bytes]:
        """See :func:`inclusion_proof`."""
        return inclusion_proof(index, self.size() if size is None else size, self.node)

    def consistency_proof(self, first: int, second: int | None = None) -> list[bytes]:
        """See :func:`consistency_proof`."""
        return consistency_proof(first, self.size() if second is None else second, self.node)


def new_nodes(size: int, hash_of_leaf: bytes, read: ReadNode) -> list[tuple[int, int, bytes]]:
    """What one more leaf adds to a log of ``size`` leaves: the perfect subtrees that it completes.

    ``read(level, index)`` gives the hashes of those that were there. Returns (level, index, hash), the leaf first.
    """
    nodes = [(0, size, hash_of_leaf)]
    level = 0
    index = size
    current = hash_of_leaf
    while index % 2 == 1:
        current = node_hash(read(level, index - 1), current)
        level += 1
        index //= 2
        nodes.append((level, index, current))
    return nodes


def _split(size: int) -> int:
    """The largest power of two smaller than ``size`` (which is 2 or more): where RFC 6962 parts a tree."""
    power = 1
    while power * 2 < size:
        power *= 2
    return power


def _subtree(start: int, end: int, read: ReadNode) -> bytes:
    """The hash over the leaves from ``start`` up to ``end``; ``start`` is where a subtree of that size may begin."""
    size = end - start
    level = 0
    while 1 << level < size:
        level += 1
    if 1 << level == size:
        return read(level, start >> level)
    middle = start + _split(size)
    return node_hash(_subtree(start, middle, read), _subtree(middle, end, read))


def root(size: int, read: ReadNode) -> bytes:
    """The root hash of a log of ``size`` leaves; ``read(level, index)`` gives the perfect subtrees' hashes."""
    if size == 0:
        return EMPTY_ROOT
    return _subtree(0, size, read)


def inclusion_proof(index: int, size: int, read: ReadNode) -> list[bytes]:
    """The hashes, from the leaf's neighbour up, that show leaf ``index`` (from 0) in the log of ``size`` leaves.

    Raises ValueError where there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"a log of {size} leaves has no leaf {index}")
    path = []
    start = 0
    end = size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_subtree(middle, end, read))
            end = middle
        else:
            path.append(_subtree(start, middle, read))
            start = middle
    path.reverse()
    return path


def consistency_proof(first: int, second: int, read: ReadNode) -> list[bytes]:
    """The hashes that show the log of ``second`` leaves to begin with the ``first`` leaves of the shorter one.

    Raises ValueError where ``first`` is more than ``second``.
    """
    if not 0 <= first <= second:
        raise ValueError(f"a log of {second} leaves does not go on from one of {first}")
    if first in (0, second):
        return []
    path = []
    start = 0
    end = second
    # While true, the part at hand is the whole shorter log, whose hash whoever checks the proof has already.
    whole = True
    while end != first:
        middle = start + _split(end - start)
        if first <= middle:
            path.append(_subtree(middle, end, read))
            end = middle
        else:
            path.append(_subtree(start, middle, read))
            start = middle
            whole = False
    if not whole:
        path.append(_subtree(start, end, read))
    path.reverse()
    return path


def _check_hash(one: bytes, what: str) -> None:
    if len(one) != HASH_LENGTH_BYTES:
        raise ProofError(f"{what} is {len(one)} bytes long; a SHA-256 hash has {HASH_LENGTH_BYTES}")


def root_from_inclusion(index: int, size: int, hash_of_leaf: bytes, proof: Sequence[bytes]) -> bytes:
    """The root hash to which an inclusion proof leads (RFC 9162 §2.1.3.2).

    Raises ProofError where the proof has another length or form than one for leaf ``index`` of ``size``.
    """
    if not 0 <= index < size:
        raise ProofError(f"a log of {size} leaves has no leaf {index}")
    _check_hash(hash_of_leaf, "the leaf's hash")
    node = index
    last = size - 1
    current = hash_of_leaf
    for neighbour in proof:
        _check_hash(neighbour, "a hash of the proof")
        if last == 0:
            raise ProofError("the proof is longer than the tree is high")
        if node % 2 == 1 or node == last:
            current = node_hash(neighbour, current)
            while node % 2 == 0 and node != 0:
                node >>= 1
                last >>= 1
        else:
            current = node_hash(current, neighbour)
        node >>= 1
        last >>= 1
    if last != 0:
        raise ProofError("the proof is shorter than the tree is high")
    return current


def verify_inclusion(index: int, size: int, hash_of_leaf: bytes, proof: Sequence[bytes], root_hash: bytes) -> None:
    """Passes silently where ``proof`` shows the leaf at ``index`` in the log of ``size`` with this root.

    Raises ProofError where it does not.
    """
    if root_from_inclusion(index, size, hash_of_leaf, proof) != root_hash:
        raise ProofError("the proof leads to another root hash")


def verify_consistency(first: int, second: int, proof: Sequence[bytes], first_root: bytes, second_root: bytes) -> None:
    """Passes silently where the log of ``second`` leaves goes on from the one of ``first`` (RFC 9162 §2.1.4.2).

    Raises ProofError where it does not, or where the proof does not show it.
    """
    if not 0 <= first <= second:
        raise ProofError(f"a log of {second} leaves does not go on from one of {first}")
    if first == second:
        if proof:
            raise ProofError("logs of one size need no proof, and this one is not empty")
        if first_root != second_root:
            raise ProofError("two logs of one size have other root hashes")
        return
    if first == 0:
        # Every log goes on from the empty one, so there is nothing to show.
        if proof:
            raise ProofError("the empty log needs no proof, and this one is not empty")
        return
    _verify_longer(first, second, proof, first_root, second_root)


def _verify_longer(first: int, second: int, proof: Sequence[bytes], first_root: bytes, second_root: bytes) -> None:
    """The part of :func:`verify_consistency` for ``0 < first < second``."""
    if not proof:
        raise ProofError("the proof is empty")
    for one in proof:
        _check_hash(one, "a hash of the proof")
    path = list(proof)
    if first & (first - 1) == 0:
        # The shorter log is a perfect subtree of the longer: its root is the first hash, and left out.
        path.insert(0, first_root)
    node = first - 1
    last = second - 1
    while node % 2 == 1:
        node >>= 1
        last >>= 1
    old = path[0]
    new = path[0]
    for neighbour in path[1:]:
        if last == 0:
            raise ProofError("the proof is longer than the tree is high")
        if node % 2 == 1 or node == last:
            old = node_hash(neighbour, old)
            new = node_hash(neighbour, new)
            while node % 2 == 0 and node != 0:
                node >>= 1
                last >>= 1
        else:
            new = node_hash(new, neighbour)
        node >>= 1
        last >>= 1
    if last != 0:
        raise ProofError("the proof is shorter than the tree is high")
    if old != first_root:
        raise ProofError("the proof leads to another root hash of the shorter log")
    if new != second_root:
        raise ProofError("the proof leads to another root hash of the longer log")
