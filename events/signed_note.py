"""Signed notes (c2sp.org/signed-note): a text that people can read, and who signed it.

::

    The text, ending with a newline.

    — crown.example/bragbook q83vASNFZ4k…

The signature covers the text with its last newline, and nothing else. A key is named twice, by words and by a
number that follows from words and key (the *key id*), so that a tool knows at once which of its keys to try.

Signing is its caller's, and verifying is passed in: this module knows the form only. Signatures are Ed25519 (type 1).
"""

from __future__ import annotations

import binascii
import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Verify = Callable[[bytes, bytes, bytes], bool]  # public key, signature, what was signed

ED25519 = 1
PUBLIC_KEY_LENGTH_BYTES = 32
SIGNATURES_MAX = 100
NOTE_LENGTH_MAX_BYTES = 1_000_000

_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_DASH = "\u2014 "
# Every character that Unicode calls white space: none may stand in a key's name.
_SPACES = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


class NoteError(ValueError):
    """A note or key that is malformed, or whose signature is wrong; the message says in which way."""


class Key:
    """The public half of a signing key, with its name: what a note is verified against."""

    __slots__ = ("name", "number", "public")

    def __init__(self, name: str, public: bytes) -> None:
        """``public`` is the 32 bytes of an Ed25519 public key. Raises NoteError for a name or key that cannot be."""
        if not is_key_name(name):
            raise NoteError(f"{name!r} cannot name a key: no spaces and no plus sign, and at least one character")
        if len(public) != PUBLIC_KEY_LENGTH_BYTES:
            raise NoteError(f"an Ed25519 public key has {PUBLIC_KEY_LENGTH_BYTES} bytes, this one has {len(public)}")
        self.name = name
        self.public = public
        self.number = key_id(name, public)

    def text(self) -> str:
        """The key as it is handed on: name, key id in hex, and type with key in base64, joined by ``+``."""
        return f"{self.name}+{key_id_text(self.number)}+{to_base64(bytes([ED25519]) + self.public)}"

    def same_as(self, other: Key) -> bool:
        """Whether both are one key under one name."""
        return self.name == other.name and self.public == other.public


class Signature:
    """One signature line: whose it says it is, and the bytes."""

    __slots__ = ("blob", "name", "number")

    def __init__(self, name: str, number: int, blob: bytes) -> None:
        self.name = name
        self.number = number
        self.blob = blob

    def line(self) -> str:
        """The line as it stands in a note, with its newline."""
        return f"{_DASH}{self.name} {to_base64(self.number.to_bytes(4, 'big') + self.blob)}\n"


class Note:
    """A text and its signatures, none of them verified yet."""

    __slots__ = ("signatures", "text")

    def __init__(self, text: str, signatures: list[Signature]) -> None:
        self.text = text
        self.signatures = signatures

    def format(self) -> str:
        """The note as it is handed on. Raises NoteError for a text that no note can have."""
        check_text(self.text)
        return self.text + "\n" + "".join([one.line() for one in self.signatures])


class Opened:
    """A note that was verified: its text, whose keys signed it, and the signatures by keys that are not known."""

    __slots__ = ("keys", "text", "unknown")

    def __init__(self, text: str, keys: list[Key], unknown: list[Signature]) -> None:
        self.text = text
        self.keys = keys
        self.unknown = unknown


def to_base64(data: bytes) -> str:
    """Standard base64 (RFC 4648 §4) with padding, without line breaks."""
    return binascii.b2a_base64(data).decode().strip()


def from_base64(text: str) -> bytes:
    """Reads base64 in the one form that :func:`to_base64` writes; raises NoteError for any other."""
    # Checked before it is decoded, since interpreters differ in what they pass over.
    digits = text[:-2] if text.endswith("==") else text[:-1] if text.endswith("=") else text
    if len(text) % 4 != 0 or not all(letter in _BASE64 for letter in digits):
        raise NoteError(f"not base64: {text!r}")
    data = binascii.a2b_base64(text.encode())
    if to_base64(data) != text:
        raise NoteError(f"not base64 as it is written here: {text!r}")
    return data


def key_id(name: str, public: bytes) -> int:
    """The number that names an Ed25519 key beside its name: 32 bits of a SHA-256 over both."""
    digest = hashlib.sha256(name.encode() + b"\n" + bytes([ED25519]) + public).digest()
    return int.from_bytes(digest[:4], "big")


def key_id_text(number: int) -> str:
    """A key id in eight hex digits."""
    return binascii.hexlify(number.to_bytes(4, "big")).decode()


def is_key_name(name: str) -> bool:
    """Whether ``name`` can name a key: not empty, no white space, no control character, no plus sign."""
    if not name:
        return False
    return not any(letter in _SPACES or letter == "+" or ord(letter) < 32 for letter in name)


def parse_key(text: str) -> Key:
    """Reads a public key as :meth:`Key.text` writes it; raises NoteError for anything else."""
    parts = text.split("+", 2)
    if len(parts) != 3:
        raise NoteError("a key is written NAME+ID+KEY")
    name, number, encoded = parts
    data = from_base64(encoded)
    if not data or data[0] != ED25519:
        raise NoteError("this key is not an Ed25519 key (type 1), the only kind that is understood here")
    key = Key(name, data[1:])
    if number != key_id_text(key.number):
        raise NoteError(f"the key's id should be {key_id_text(key.number)}, not {number}: was it copied whole?")
    return key


def check_text(text: str) -> None:
    """Raises NoteError where ``text`` cannot be signed as a note: no last newline, or a control character."""
    if not text.endswith("\n"):
        raise NoteError("a note's text ends with a newline")
    if min(text.replace("\n", " ")) < " ":
        raise NoteError("a note holds no control characters but newlines")


def _parse_signature(line: str) -> Signature:
    if not line.startswith(_DASH):
        raise NoteError("a signature line begins with a long dash and a space")
    parts = line[len(_DASH) :].split(" ")
    if len(parts) != 2 or not is_key_name(parts[0]):
        raise NoteError("a signature line has a name and a signature after its dash")
    data = from_base64(parts[1])
    if len(data) < 5:
        raise NoteError("a signature line's bytes are too few")
    return Signature(parts[0], int.from_bytes(data[:4], "big"), data[4:])


def parse_note(written: str | bytes) -> Note:
    """Takes a note apart without verifying anything. Raises NoteError where it is none."""
    if isinstance(written, str):
        written = written.encode()
    if len(written) > NOTE_LENGTH_MAX_BYTES:
        raise NoteError(f"longer than {NOTE_LENGTH_MAX_BYTES} bytes")
    try:
        whole = written.decode("utf-8")
    except UnicodeError:
        raise NoteError("a note is UTF-8 text") from None
    check_text(whole)
    place = whole.rfind("\n\n")
    if place < 0:
        raise NoteError("a note has an empty line between its text and its signatures")
    lines = whole[place + 2 : -1].split("\n")
    if len(lines) > SIGNATURES_MAX:
        raise NoteError(f"more than {SIGNATURES_MAX} signatures")
    return Note(whole[: place + 1], [_parse_signature(line) for line in lines])


def open_note(written: str | bytes, keys: Sequence[Key], verify: Verify) -> Opened:
    """Verifies a note against the keys that are trusted.

    Signatures by other keys are passed over, as the format asks, and named in the answer. Raises NoteError where the
    note is malformed, where a trusted key's signature is wrong, where two trusted keys have one name and id, and
    where no trusted key has signed.
    """
    note = parse_note(written)
    signed = note.text.encode()
    verified: list[Key] = []
    unknown: list[Signature] = []
    for one in note.signatures:
        known = [key for key in keys if key.name == one.name and key.number == one.number]
        if not known:
            if one.line() not in [other.line() for other in unknown]:
                unknown.append(one)
            continue
        label = f"{one.name}+{key_id_text(one.number)}"
        if len(known) > 1:
            raise NoteError(f"two keys are called {label}")
        if known[0] in verified:
            continue
        if not verify(known[0].public, one.blob, signed):
            raise NoteError(f"the signature by {label} is wrong: the text was changed, or that key did not sign it")
        verified.append(known[0])
    if not verified:
        raise NoteError("no signature by a key that is trusted here")
    return Opened(note.text, verified, unknown)
