"""An instance's key and log of heads, small and in memory, for tests that need no database."""

from __future__ import annotations

import dataclasses
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from events import merkle
from events.checkpoint import Checkpoint, LogProof
from events.heads import Head, key_change_text
from events.signed_note import Key, Note, Signature
from service.export.documents import bundle
from service.export.night import Night

ORIGIN = "crown.example/bragbook"


def sign_note(text: str, key: Key, private: Ed25519PrivateKey) -> str:
    """A text as a note with one signature."""
    return Note(text, [Signature(key.name, key.number, private.sign(text.encode()))]).format()


def verify(public: bytes, signature: bytes, signed: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
    except InvalidSignature:
        return False
    return True


class Host:
    """Whoever keeps the log: signs heads, and enters them in a log of heads."""

    def __init__(self, seed: int = 1) -> None:
        self.private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.key = Key(ORIGIN, self.private.public_key().public_bytes_raw())
        self.keys = [self.key.text()]
        self.changes: list[str] = []
        self.leaves = [f"another session's head {number}\n" for number in range(6)]
        self.later_leaves = ["and one more after it\n"]

    def sign(self, text: str) -> str:
        return sign_note(text, self.key, self.private)

    def head_of(self, events: list[dict[str, Any]], version: int) -> Head:
        event = events[version - 1]
        return Head(ORIGIN, event["session"], version, event["hash"], event["recorded_at"])

    def head(self, events: list[dict[str, Any]], version: int | None = None) -> str:
        """The signed head of a version, the last by default."""
        return self.sign(self.head_of(events, version or len(events)).text())

    def take_new_key(self, seed: int) -> None:
        """A new key, with both keys' word for it."""
        old_key, old_private = self.key, self.private
        self.private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.key = Key(ORIGIN, self.private.public_key().public_bytes_raw())
        self.keys.insert(0, self.key.text())
        text = key_change_text(old_key, self.key)
        signatures = [
            Signature(ORIGIN, key.number, private.sign(text.encode()))
            for key, private in ((old_key, old_private), (self.key, self.private))
        ]
        self.changes.append(Note(text, signatures).format())

    def evidence(self, events: list[dict[str, Any]], logged: int | None = None) -> dict[str, Any]:
        """What a bundle of these events brings along; the log holds the head of version `logged`."""
        leaf = self.head_of(events, logged or len(events)).text()
        leaves = [*self.leaves, leaf, *self.later_leaves]
        tree = merkle.Tree([merkle.leaf_hash(one.encode()) for one in leaves])
        checkpoint = self.sign(Checkpoint(ORIGIN, len(leaves), tree.root()).text())
        return {
            "signed_head": self.head(events),
            "log_head": leaf,
            "log_proof": LogProof(len(self.leaves), tree.inclusion_proof(len(self.leaves)), checkpoint).format(),
            "keys": list(self.keys),
            "key_changes": list(self.changes),
        }

    def bundle(self, night: Night, logged: int | None = None) -> bytes:
        """The night as this host exports it."""
        with_evidence = dataclasses.replace(night, evidence=self.evidence(list(night.events), logged))
        return b"".join(bundle(with_evidence))
