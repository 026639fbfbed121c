"""The instance's key (Ed25519): where it comes from, and signing and verifying with it.

The private key is made at the first start and kept in the data folder, for its owner alone, or given by the
environment (`BRAGBOOK_SIGNING_KEY`). It never enters the database; the public keys do, every one that ever signed, so
that a new key breaks no old proof.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from events.heads import key_change_text
from events.signed_note import ED25519, Key, Note, NoteError, Signature, key_id_text, to_base64

VARIABLE: Final = "BRAGBOOK_SIGNING_KEY"
FOLDER: Final = "evidence"
SEED_LENGTH_BYTES: Final = 32
_PREFIX: Final = "PRIVATE+KEY+"


class KeyFault(Exception):
    """A signing key that cannot be used. Its text says what to do, and never repeats the key."""


class SigningKey:
    """A private key with the name under which it signs."""

    __slots__ = ("_private", "public")

    def __init__(self, name: str, seed: bytes) -> None:
        """seed: 32 bytes. Raises NoteError for a name that no key can have."""
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = Key(name, self._private.public_key().public_bytes_raw())

    @classmethod
    def new(cls, name: str) -> SigningKey:
        """A key that nobody has had before."""
        return cls(name, os.urandom(SEED_LENGTH_BYTES))

    @classmethod
    def parse(cls, text: str, name: str) -> SigningKey:
        """Reads a key as `text` writes it, or the 32 bytes alone in base64 or hex, which then sign under `name`.

        Raises KeyFault.
        """
        if text.startswith(_PREFIX):
            return cls._parse_named(text)
        seed = b""
        with suppress(binascii.Error, ValueError):
            seed = bytes.fromhex(text) if len(text) == 2 * SEED_LENGTH_BYTES else base64.b64decode(text, validate=True)
        if len(seed) != SEED_LENGTH_BYTES:
            raise KeyFault(
                f"A signing key is {SEED_LENGTH_BYTES} bytes in base64 or hex, or a line that begins with {_PREFIX}. "
                "`bragbook key --new` prints one."
            )
        return cls(name, seed)

    @classmethod
    def _parse_named(cls, text: str) -> SigningKey:
        parts = text[len(_PREFIX) :].split("+", 2)
        fault = KeyFault(f"This signing key was not copied whole: it reads {_PREFIX}NAME+ID+KEY.")
        if len(parts) != 3:
            raise fault
        name, number, encoded = parts
        try:
            data = base64.b64decode(encoded, validate=True)
            key = cls(name, data[1:])
        except (binascii.Error, ValueError):
            raise fault from None
        if data[0] != ED25519 or number != key_id_text(key.public.number):
            raise fault
        return key

    @property
    def text(self) -> str:
        """The private key as it is kept: name, id, and type with seed in base64. To be shown to nobody."""
        encoded = to_base64(bytes([ED25519]) + self._private.private_bytes_raw())
        return f"{_PREFIX}{self.public.name}+{key_id_text(self.public.number)}+{encoded}"

    @property
    def seed(self) -> str:
        """The 32 bytes of the private key alone, in base64. To be shown to nobody."""
        return to_base64(self._private.private_bytes_raw())

    def signature(self, text: str) -> Signature:
        """This key's signature of a note's text."""
        return Signature(self.public.name, self.public.number, self._private.sign(text.encode()))

    def sign(self, text: str) -> str:
        """The text as a signed note. Raises NoteError for a text that cannot be one."""
        return Note(text, [self.signature(text)]).format()

    def follow(self, old: SigningKey) -> str:
        """The note by which the old key hands over to this one, signed by both."""
        text = key_change_text(old.public, self.public)
        return Note(text, [old.signature(text), self.signature(text)]).format()


def verify(public: bytes, signature: bytes, signed: bytes) -> bool:
    """Whether an Ed25519 signature is good."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def given_keys(name: str, environment: Mapping[str, str] | None = None) -> list[SigningKey]:
    """The keys that the environment gives: the one that signs, and after it those that it follows. Raises KeyFault."""
    text = (os.environ if environment is None else environment).get(VARIABLE, "")
    try:
        return [SigningKey.parse(part, name) for part in text.split()]
    except KeyFault as fault:
        raise KeyFault(f"{VARIABLE}: {fault}") from None


def evidence_file(data: Path, origin: str, kind: str) -> Path:
    """Where a data folder keeps something of an instance: one folder may serve several databases over time."""
    readable = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in origin)[:40]
    return data / FOLDER / f"{readable}-{hashlib.sha256(origin.encode()).hexdigest()[:8]}.{kind}"


def key_file(data: Path, origin: str) -> Path:
    """Where a data folder has the key of an instance."""
    return evidence_file(data, origin, "key")


def read_keys(path: Path, name: str) -> list[SigningKey]:
    """The keys in a file: the one that signs, and those before it; none where there is no file. Raises KeyFault."""
    try:
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise KeyFault(f"The signing key in {path} cannot be read: {error}") from None
    try:
        keys = [SigningKey.parse(line, name) for line in text.split()]
    except (KeyFault, NoteError):
        keys = []
    if not keys:
        raise KeyFault(f"{path} is no signing key. Put it back as it was, or move it away and a new one is made.")
    return keys


def write_keys(path: Path, keys: Sequence[SigningKey]) -> None:
    """Keep keys in a file that its owner alone can read, all of it or nothing. Raises KeyFault."""
    write_private(path, "".join(key.text + "\n" for key in keys))


def write_private(path: Path, text: str) -> None:
    """A file for its owner alone, in a folder for its owner alone; on disk when it returns. Raises KeyFault."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise KeyFault(f"{path} cannot be written: {error.strerror or error}.") from None
