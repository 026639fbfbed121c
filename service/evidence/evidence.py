"""`Evidence`: all that the instance signs, in one object a process."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import orjson

from events import merkle
from events.checkpoint import Checkpoint, LogProof
from events.heads import Head
from events.signed_note import to_base64
from service.evidence.checking import log_faults
from service.evidence.instance import Instance, instance
from service.evidence.keeper import Keeper
from service.evidence.rollback import keep
from service.signing import KeyFault
from service.store.database import Database
from service.store.faults import StoreFault, Unavailable
from service.store.heads import Heads, Leaf, Newest, Signed
from service.store.log import Stored
from service.store.seals import broken_seals

Event = dict[str, Any]
_LOG: Final = logging.getLogger(__name__)


class Evidence:
    """Signed heads of sessions, and the log of all heads.

    data: the folder that holds the key and the last checkpoint; None where none does. begins: whether the folder and
    the key are made where they are missing (see `instance`). The name and the key are looked up when they are first
    needed, so that the service can start before its database answers. Everything raises Unavailable where the database
    cannot answer, and KeyFault for a key that cannot be used.
    """

    def __init__(self, database: Database, data: Path | None, begins: bool = True) -> None:
        self._database = database
        self.heads = Heads(database)
        self._data = data
        self._begins = begins
        self._instance: Instance | None = None
        self._guard = threading.Lock()
        self.keeper = Keeper(self.heads, self._enter)

    def close(self) -> None:
        """Enter what is left into the log, and end."""
        self.keeper.stop()

    @property
    def instance(self) -> Instance:
        """The instance's name and keys."""
        if self._instance is None:
            with self._guard:
                if self._instance is None:
                    self._instance = instance(self.heads, self._data, self._begins)
        return self._instance

    # --- heads ----------------------------------------------------------------------------------------------------

    def head(self, session: UUID, event: Stored) -> str:
        """The signed head of a session at an event of it."""
        return self.instance.key.sign(self._text(session, event.seq, event.hash, _time(event)))

    def appended(self, session: UUID, event: Stored) -> str | None:
        """`head` of the event that was just recorded last; the log of heads follows.

        None where it cannot be signed now: what was recorded is recorded all the same.
        """
        self.keeper.told(session)
        try:
            return self.head(session, event)
        except (Unavailable, StoreFault, KeyFault) as fault:
            _LOG.warning("a head is not signed: %s", fault)
            return None

    def members(self, session: UUID, events: Sequence[Event]) -> Event:
        """What a bundle of a session's events brings along (events/bundle.py)."""
        self.keeper.enter_now([session])
        here, last = self.instance, events[-1]
        text = self._text(session, last["seq"], bytes.fromhex(last["hash"]), last["recorded_at"])
        found: Event = {"signed_head": here.key.sign(text), "keys": here.keys}
        if here.changes:
            found["key_changes"] = here.changes
        return {**found, **self.log_proof(session, last["seq"])}

    def log_proof(self, session: UUID, version: int) -> Event:
        """`log_head` and `log_proof` of a session's last head up to a version; empty where it is not in the log yet."""
        signed = self.heads.checkpoint()
        leaf = None if signed is None else self.heads.leaf_of(session, version, signed.size)
        if signed is None or leaf is None:
            return {}
        place, size = leaf.place, signed.size
        proof = self.heads.work_out(lambda read: merkle.inclusion_proof(place, size, read))
        return {"log_head": leaf.text, "log_proof": LogProof(place, proof, signed.note).format()}

    def _text(self, session: UUID, version: int, digest: bytes, time: str) -> str:
        return Head(self.instance.origin, str(session), version, digest.hex(), time).text()

    def faults(self) -> Iterator[str]:
        """What was changed behind the service's back, of what no session's own hashes show: a sentence each."""
        yield from log_faults(self._database, self._data)
        for broken in broken_seals(self._database):
            owner = "club" if broken.kind == "club_token" else "session"
            yield f"{owner} {broken.owner}: {broken.says}"

    # --- the log of heads -----------------------------------------------------------------------------------------

    def log(self) -> Event:
        """The log as everyone may see it: who keeps it, how long it is, and the last checkpoint."""
        here, signed = self.instance, self.heads.checkpoint()
        return {
            "origin": here.origin,
            "size": signed.size if signed is not None else 0,
            "checkpoint": signed.note if signed is not None else None,
            "keys": here.keys,
            "key_changes": here.changes,
            "rollbacks": [one._asdict() for one in self.heads.rollbacks()],
        }

    def consistency(self, first: int, second: int) -> list[str]:
        """The proof, in base64, that the log of `second` entries goes on from the one of `first`. Raises ValueError."""
        size = self.heads.size()
        if not 0 <= first <= second <= size:
            raise ValueError(f"The log has {size} entries: ask for 0 ≤ first ≤ second ≤ {size}.")
        proof = self.heads.work_out(lambda read: merkle.consistency_proof(first, second, read))
        return [to_base64(one) for one in proof]

    def leaf_hashes(self, start: int, limit: int) -> list[str]:
        """The hashes of leaves, in base64, so that anyone can work out the root: whose they are they do not say."""
        found = self.heads.nodes([(0, place) for place in range(start, start + limit)])
        return [to_base64(found[0, place]) for place in range(start, start + len(found))]

    def leaf(self, session: UUID, version: int) -> Leaf | None:
        """A session's last head in the log up to a version."""
        return self.heads.leaf_of(session, version, self.heads.size())

    def _enter(self, heads: list[Newest]) -> Signed | None:
        here = self.instance

        def text_of(newest: Newest) -> str:
            return self._text(newest.session, newest.version, newest.hash, newest.time)

        def sign(size: int, root: bytes) -> str:
            return here.key.sign(Checkpoint(here.origin, size, root).text())

        signed = self.heads.enter(heads, text_of, sign)
        if signed is not None and (self._begins or (self._data is not None and self._data.is_dir())):
            keep(self._data, here.origin, signed.note, signed.size)
        return signed


def _time(event: Stored) -> str:
    return str(orjson.loads(event.body)["recorded_at"])
