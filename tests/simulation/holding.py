"""What must hold at the end of every night, read from the services and from the files that they give out."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import orjson

from events.checkpoint import Checkpoint, parse_checkpoint
from events.heads import parse_head
from events.log import chain_fault
from events.merkle import verify_consistency
from events.refusals import RECORDABLE
from events.signed_note import from_base64, open_note, parse_key
from events.vocabulary import without_stamps
from service.sessions import Sessions
from service.signing import verify
from tests.api.conftest import opened
from tests.cli.terminal import bragbook
from tests.engine.agreement import agrees
from tests.faults.served import eventually
from tests.simulation.evening import Evening
from tests.simulation.services import Services

LEAVES_ASKED = 1000


def night_holds(evening: Evening) -> list[bytes]:
    """The log is what was acknowledged and what was played, the standings are those of a second reading, the audit and
    what is stored are sound; the log's lines."""
    lines = evening.read("/events", Accept="application/x-ndjson").data.splitlines()
    log = [orjson.loads(line) for line in lines]
    assert log[1:] == evening.acknowledged
    assert chain_fault(log) is None
    session = evening.night.session
    recorded = [without_stamps({**event, "id": None}) for event in log[1:]]
    played = [without_stamps({**event, "id": None}) for event in session.events[1 : session.version]]
    assert recorded == played
    state, settled = evening.read().json, evening.read("/settlement").json
    assert state["version"] == settled["version"] == len(log)
    agrees(log, state, settled, evening.read("/hands").json["hands"])
    audit = evening.read("/audit").json
    # What an honest table leaves is at most a dispute; of another one, breaches that stand and chips miscounted.
    left = {"dispute.open"} if evening.night.honest else RECORDABLE | {"dispute.open", "count.gap", "count.moved"}
    assert {finding["code"] for finding in audit["findings"]} <= left, audit["findings"]
    if evening.night.honest:
        assert audit["verdict"] == ("disputed" if audit["findings"] else "sound")
        assert audit["owed"] == []
    with opened(evening.services.conninfo) as store:
        assert Sessions(store).verify(evening.session).faults == []
    return lines


def file_holds(evening: Evening, folder: Path, key: str) -> None:
    """The night's file, away from the services: their key and a head that they gave out prove it, its audit is theirs,
    and it replays to the same standings."""
    path, head = folder / "night.json", folder / "head"
    path.write_bytes(evening.read("/export?format=bundle").data)
    given = []
    if evening.head:
        head.write_text(evening.head, encoding="utf-8")
        given = ["--head", head]
    audit = evening.read("/audit").json
    audited = bragbook("audit", "--json", "--key", key, *given, path)
    assert audited.code == (0 if audit["verdict"] == "sound" else 1), audited
    report = orjson.loads(audited.out)
    assert (report["pinned"], report["faults"]) == (True, [])
    proven = {"chain", "settlement", "signature", "log", *(["given_head"] if given else [])}
    assert {one["code"] for one in report["proven"]} == proven, report["proven"]
    named = ("version", "verdict", "findings", "hands", "owed")
    assert {name: report[name] for name in named} == {name: audit[name] for name in named}
    replayed = bragbook("replay", "--json", path)
    assert replayed.code == 0, replayed
    told = orjson.loads(replayed.out)
    settled = evening.read("/settlement").json
    assert told["settlement"] == {name: settled[name] for name in told["settlement"]}
    log = [orjson.loads(line) for line in evening.read("/events", Accept="application/x-ndjson").data.splitlines()]
    agrees(log, evening.read().json, told["settlement"], told["hands"])


def copy_holds(evening: Evening, lines: list[bytes], elsewhere: str) -> None:
    """Recorded anew in another store, byte for byte."""
    with opened(elsewhere) as store:
        sessions = Sessions(store)
        sessions.import_events([orjson.loads(line) for line in lines], stored=True)
        assert list(sessions.stream(evening.session)) == lines
        assert sessions.verify(evening.session).faults == []


class HeadsLog:
    """The log of heads as its reader sees it: each checkpoint that is given out is kept, and none may be taken back."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.key: str = self.ask("").json["keys"][0]
        self.kept: list[Checkpoint] = []

    def ask(self, path: str) -> Any:
        answer = self.services.ask(0, None, "GET", f"/api/v1/log{path}")
        assert answer.status == 200, answer
        return answer

    def goes_on(self, evening: Evening) -> None:
        """Once the night's head is entered, the newest checkpoint is signed by the key that was known first, and goes
        on from the last one and the first."""
        eventually(lambda: self._has(evening), "the night's head is in the log")
        note = open_note(self.ask("/checkpoint").data, [parse_key(self.key)], verify)
        now = parse_checkpoint(note.text)
        for before in self.kept[:1] + self.kept[-1:]:
            assert now.size >= before.size
            proof = self.ask(f"/consistency?first={before.size}&second={now.size}").json["proof"]
            verify_consistency(before.size, now.size, [from_base64(one) for one in proof], before.root, now.root)
        self.kept.append(now)
        said = self.ask("").json
        assert (said["keys"], said["key_changes"], said["rollbacks"]) == ([self.key], [], [])

    @staticmethod
    def _has(evening: Evening) -> bool:
        """Whether the log has the last head of the night: the other service may be entering heads just now."""
        said = evening.read("/head").json
        assert said["version"] == evening.version
        return "log_head" in said and parse_head(said["log_head"]).version == evening.version

    def holds(self) -> None:
        """Every checkpoint that was given out has the root of the leaves that are there now, worked out from them."""
        leaves: list[bytes] = []
        while len(leaves) < self.kept[-1].size:
            some = self.ask(f"/leaves?start={len(leaves)}&limit={LEAVES_ASKED}").json["hashes"]
            leaves += [from_base64(one) for one in some]
        known: dict[tuple[int, int], bytes] = {}
        for one in self.kept:
            assert _root(leaves, 0, one.size, known) == one.root


def _root(leaves: list[bytes], start: int, end: int, known: dict[tuple[int, int], bytes]) -> bytes:
    """RFC 6962 §2.1: of two halves, the left one the greatest power of two that leaves something for the right."""
    if end - start == 1:
        return leaves[start]
    if (start, end) not in known:
        half = 1 << (end - start - 1).bit_length() - 1
        left, right = _root(leaves, start, start + half, known), _root(leaves, start + half, end, known)
        known[start, end] = hashlib.sha256(b"\x01" + left + right).digest()
    return known[start, end]
