"""What the instance's log of heads is summed up in (c2sp.org/tlog-checkpoint), and the proof that a leaf is in it
(c2sp.org/tlog-proof).

::

    crown.example/bragbook
    20852163
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

    — crown.example/bragbook Az3grlgtzPICa5OS…

The lines are the log's *origin* (its name), how many leaves it has, and the root hash of its Merkle tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.merkle import HASH_LENGTH_BYTES
from events.signed_note import NoteError, from_base64, to_base64

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROOF_FIRST_LINE = "c2sp.org/tlog-proof@v1"
# A tree of 2 ** 63 leaves is 63 high; no honest proof is longer.
_PROOF_LENGTH_MAX = 63


class Checkpoint:
    """The state of a log: its origin, its size in leaves, and its root hash (32 bytes)."""

    __slots__ = ("origin", "root", "size")

    def __init__(self, origin: str, size: int, root: bytes) -> None:
        self.origin = origin
        self.size = size
        self.root = root

    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{to_base64(self.root)}\n"


class LogProof:
    """That a leaf lies in a log: its index (from 0), the hashes of its inclusion proof, and the signed checkpoint."""

    __slots__ = ("checkpoint", "hashes", "index")

    def __init__(self, index: int, hashes: Sequence[bytes], checkpoint: str) -> None:
        """``checkpoint`` is the whole signed note."""
        self.index = index
        self.hashes = list(hashes)
        self.checkpoint = checkpoint

    def format(self) -> str:
        """The proof as it is handed on."""
        lines = [_PROOF_FIRST_LINE, f"index {self.index}"]
        lines.extend([to_base64(one) for one in self.hashes])
        return "\n".join(lines) + "\n\n" + self.checkpoint


def parse_decimal(text: str, what: str) -> int:
    """A whole number without sign or leading zeros, below 2 ** 63; raises NoteError for any other text."""
    if not text or len(text) > 19 or not all(letter in "0123456789" for letter in text):
        raise NoteError(f"{what} is a whole number, not {text!r}")
    number = int(text)
    if str(number) != text or number >= 1 << 63:
        raise NoteError(f"{what} is a whole number below 2^63 without leading zeros, not {text!r}")
    return number


def _parse_hash(text: str, what: str) -> bytes:
    data = from_base64(text)
    if len(data) != HASH_LENGTH_BYTES:
        raise NoteError(f"{what} has {len(data)} bytes, not {HASH_LENGTH_BYTES}")
    return data


def parse_checkpoint(text: str) -> Checkpoint:
    """Reads the text of an opened note as a checkpoint. Raises NoteError where it is none.

    Lines after the third are allowed by the format, and passed over.
    """
    lines = text.split("\n")
    if len(lines) < 4 or lines[-1] != "" or "" in lines[:-1]:
        raise NoteError("a checkpoint has three lines at least (origin, size, root hash), none of them empty")
    return Checkpoint(lines[0], parse_decimal(lines[1], "a checkpoint's size"), _parse_hash(lines[2], "a root hash"))


def parse_proof(written: str) -> LogProof:
    """Takes a proof apart; neither the hashes nor the checkpoint's signature are verified. Raises NoteError."""
    place = written.find("\n\n")
    if place < 0:
        raise NoteError("a log proof has an empty line before its checkpoint")
    lines = written[:place].split("\n")
    if lines[0] != _PROOF_FIRST_LINE:
        raise NoteError(f"a log proof begins with {_PROOF_FIRST_LINE}")
    rest = lines[2:] if len(lines) > 1 and lines[1].startswith("extra ") else lines[1:]
    if not rest or not rest[0].startswith("index "):
        raise NoteError("a log proof says the index of its leaf")
    if len(rest) - 1 > _PROOF_LENGTH_MAX:
        raise NoteError(f"a log proof has {_PROOF_LENGTH_MAX} hashes at most")
    index = parse_decimal(rest[0][len("index ") :], "a leaf's index")
    return LogProof(index, [_parse_hash(line, "a hash of the proof") for line in rest[1:]], written[place + 2 :])
