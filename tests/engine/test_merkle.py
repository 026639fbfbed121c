"""RFC 6962 trees, against the vectors that Certificate Transparency's implementations share, and against another."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tlog_scales import tlog as other

from events import merkle

# The reference leaves, roots and proofs of certificate-transparency, as transparency-dev/merkle still uses them.
LEAVES = [
    bytes.fromhex(leaf)
    for leaf in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    bytes.fromhex(root)
    for root in (
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    )
]
# leaf (from 0), size, proof
INCLUSION = [
    (0, 1, []),
    (
        0,
        8,
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        5,
        8,
        [
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    (
        1,
        5,
        [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
]
# first size, second size, proof
CONSISTENCY = [
    (1, 1, []),
    (
        1,
        8,
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        6,
        8,
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (
        2,
        5,
        [
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
    (
        6,
        7,
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
]
SOME_HASH = bytes.fromhex("abacaba000000000000000000000000000000000000000000060061e00123456")


def tree_of(count: int) -> merkle.Tree:
    """The tree over the first reference leaves."""
    return merkle.Tree([merkle.leaf_hash(leaf) for leaf in LEAVES[:count]])


def hashes(proof: list[str]) -> list[bytes]:
    return [bytes.fromhex(one) for one in proof]


def test_hashes_of_rfc_6962() -> None:
    assert merkle.EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert merkle.leaf_hash(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert merkle.leaf_hash(b"L123456").hex() == "395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56"
    node = merkle.node_hash(b"N123", b"N456").hex()
    assert node == "aa217fe888e47007fa15edab33c2b492a722cb106c64667fc2b044444de66bbb"


def test_a_node_is_never_a_leaf() -> None:
    left, right = merkle.leaf_hash(b"Hello"), merkle.leaf_hash(b"World")
    assert merkle.node_hash(left, right) != merkle.leaf_hash(left + right)
    assert merkle.node_hash(left, right) != merkle.node_hash(right, left)


@pytest.mark.parametrize("size", range(9))
def test_reference_roots(size: int) -> None:
    assert tree_of(size).root() == ([merkle.EMPTY_ROOT, *ROOTS])[size]
    assert tree_of(8).root(size) == tree_of(size).root()


@pytest.mark.parametrize(("index", "size", "proof"), INCLUSION)
def test_reference_inclusion_proofs(index: int, size: int, proof: list[str]) -> None:
    assert tree_of(8).inclusion_proof(index, size) == hashes(proof)
    merkle.verify_inclusion(index, size, merkle.leaf_hash(LEAVES[index]), hashes(proof), ROOTS[size - 1])


@pytest.mark.parametrize(("first", "second", "proof"), CONSISTENCY)
def test_reference_consistency_proofs(first: int, second: int, proof: list[str]) -> None:
    assert tree_of(8).consistency_proof(first, second) == hashes(proof)
    merkle.verify_consistency(first, second, hashes(proof), ROOTS[first - 1], ROOTS[second - 1])


def corrupt(proof: list[bytes], *roots: bytes) -> list[list[bytes]]:
    """A proof spoilt in every way in which the reference tests spoil it."""
    spoilt = [[*proof, b""], [b"", *proof]]
    for root in roots:
        spoilt += [[*proof, root], [root, *proof]]
    for place, one in enumerate(proof):
        flipped = bytes([one[0] ^ 8]) + one[1:]
        spoilt.append([*proof[:place], flipped, *proof[place + 1 :]])
    if proof:
        spoilt += [proof[:-1], [proof[0], *proof]]
    if len(proof) > 1:
        spoilt.append([proof[0], SOME_HASH, *proof[1:]])
    return spoilt


@pytest.mark.parametrize(("index", "size", "proof"), INCLUSION)
def test_spoilt_inclusion_proofs_are_refused(index: int, size: int, proof: list[str]) -> None:
    leaf, root, good = merkle.leaf_hash(LEAVES[index]), ROOTS[size - 1], hashes(proof)
    wrong = [(index, size, leaf, one, root) for one in corrupt(good, root)]
    wrong += [(other_index, size, leaf, good, root) for other_index in (index - 1, index + 1, index ^ 2)]
    wrong += [(index, size * 2, leaf, good, root), (index, size // 2, leaf, good, root)]
    wrong += [(index, size, b"WrongLeaf", good, root), (index, size, leaf, good, merkle.EMPTY_ROOT)]
    wrong += [(index, size, leaf, good, SOME_HASH), (index, size, leaf, good, b"")]
    for one in wrong:
        with pytest.raises(merkle.ProofError):
            merkle.verify_inclusion(*one)


@pytest.mark.parametrize(("first", "second", "proof"), CONSISTENCY[1:])
def test_spoilt_consistency_proofs_are_refused(first: int, second: int, proof: list[str]) -> None:
    old, new, good = ROOTS[first - 1], ROOTS[second - 1], hashes(proof)
    wrong = [(first, second, one, old, new) for one in corrupt(good, old, new)]
    wrong += [(size, second, good, old, new) for size in (first - 1, first + 1, first ^ 2)]
    wrong += [(first, second * 2, good, old, new), (first, second // 2, good, old, new)]
    wrong += [(first, second, good, b"WrongRoot", new), (first, second, good, old, b"WrongRoot")]
    wrong += [(first, second, good, new, old), (first, second, [], old, new)]
    for one in wrong:
        with pytest.raises(merkle.ProofError):
            merkle.verify_consistency(*one)


def test_consistency_where_nothing_is_to_be_shown() -> None:
    merkle.verify_consistency(0, 0, [], merkle.EMPTY_ROOT, merkle.EMPTY_ROOT)
    merkle.verify_consistency(0, 1, [], merkle.EMPTY_ROOT, ROOTS[0])
    merkle.verify_consistency(1, 1, [], ROOTS[0], ROOTS[0])
    for first, second, proof, old, new in (
        (1, 1, [], ROOTS[0], ROOTS[1]),
        (2, 1, [], ROOTS[1], ROOTS[0]),
        (1, 2, [], ROOTS[0], ROOTS[1]),
        (0, 1, [SOME_HASH], merkle.EMPTY_ROOT, ROOTS[0]),
        (1, 1, [SOME_HASH], ROOTS[0], ROOTS[0]),
    ):
        with pytest.raises(merkle.ProofError):
            merkle.verify_consistency(first, second, proof, old, new)


def test_proofs_of_leaves_that_are_not_there() -> None:
    with pytest.raises(ValueError, match="has no leaf 8"):
        tree_of(8).inclusion_proof(8)
    with pytest.raises(ValueError, match="does not go on"):
        tree_of(8).consistency_proof(9, 8)


def plain_root(leaf_hashes: list[bytes]) -> bytes:
    """The definition of RFC 6962 §2.1, word for word."""
    if not leaf_hashes:
        return hashlib.sha256(b"").digest()
    if len(leaf_hashes) == 1:
        return leaf_hashes[0]
    split = max(1 << power for power in range(20) if 1 << power < len(leaf_hashes))
    left, right = plain_root(leaf_hashes[:split]), plain_root(leaf_hashes[split:])
    return hashlib.sha256(b"\x01" + left + right).digest()


@given(st.integers(1, 300), st.data())
def test_every_proof_holds_and_another_implementation_agrees(size: int, data: st.DataObject) -> None:
    leaf_hashes = [merkle.leaf_hash(str(number).encode()) for number in range(size)]
    tree = merkle.Tree(leaf_hashes)
    assert tree.root() == plain_root(leaf_hashes)
    index = data.draw(st.integers(0, size - 1))
    proof = tree.inclusion_proof(index)
    merkle.verify_inclusion(index, size, leaf_hashes[index], proof, tree.root())
    other.InclusionProof(index, size, proof).check(leaf_hashes[index], tree.root())

    first = data.draw(st.integers(1, size))
    steps = tree.consistency_proof(first)
    merkle.verify_consistency(first, size, steps, tree.root(first), tree.root())
    other.ConsistencyProof(first, size, steps).check(tree.root(first), tree.root())


@given(st.integers(2, 100), st.data())
def test_a_log_that_was_rewritten_has_no_proof(size: int, data: st.DataObject) -> None:
    leaf_hashes = [merkle.leaf_hash(str(number).encode()) for number in range(size)]
    first = data.draw(st.integers(1, size - 1))
    changed = list(leaf_hashes)
    changed[data.draw(st.integers(0, first - 1))] = SOME_HASH
    old, new = merkle.Tree(leaf_hashes), merkle.Tree(changed)
    with pytest.raises(merkle.ProofError):
        merkle.verify_consistency(first, size, new.consistency_proof(first), old.root(first), new.root())


def test_what_an_append_completes_is_all_that_proofs_need() -> None:
    stored: dict[tuple[int, int], bytes] = {}
    reads = 0

    def read(level: int, index: int) -> bytes:
        nonlocal reads
        reads += 1
        return stored[(level, index)]

    size = 5000
    for number in range(size):
        for level, index, node in merkle.new_nodes(number, merkle.leaf_hash(str(number).encode()), read):
            assert (level, index) not in stored, "what is stored never changes"
            stored[(level, index)] = node
    assert len(stored) < 2 * size
    reads = 0
    root = merkle.root(size, read)
    proof = merkle.inclusion_proof(1234, size, read)
    assert reads < 100, "a proof reads some dozens of nodes, not the log"
    merkle.verify_inclusion(1234, size, merkle.leaf_hash(b"1234"), proof, root)
    merkle.verify_consistency(777, size, merkle.consistency_proof(777, size, read), merkle.root(777, read), root)


def test_a_published_proof_of_transparency_dev() -> None:
    """Their testdata/consistency/1/happy-path.json, in the base64 in which it is published."""
    proof = [
        base64.b64decode(one)
        for one in (
            "lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c=",
            "Xwg/ChozygdqlSeYMlgNs+DvRYS9/x9UyKNg9Q3jAx4=",
            "a0eq8p7jwq+a+Im8H7klTavTEXfxYjLdaqsDXKOb9uQ=",
        )
    ]
    old = base64.b64decode("bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=")
    new = base64.b64decode("XcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=")
    merkle.verify_consistency(1, 8, proof, old, new)
