"""Runs a case of `tests/cases` or `tests/nights` against the engine alone, by the matcher of the case runner."""

from __future__ import annotations

import copy
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from events.audit import audit_session
from events.log import GENESIS, seal
from events.refusals import Refused
from events.session import Session, open_session

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

from matching import mismatches, resolve, seat_order_faults, settlement_faults


def load_cases(path: Path) -> list[dict[str, Any]]:
    """One case, or a case a line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ndjson":
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return [json.loads(text)]


def stored(session: Session) -> list[dict[str, Any]]:
    """The session's events as a store would have stamped them."""
    prev, events = GENESIS, []
    for seq, event in enumerate(session.events[: session.version], 1):
        stamped = dict(event, session="case", seq=seq, v=1, recorded_at="2026-11-30T20:00:00Z", by="case", prev=prev)
        _, prev = seal(stamped)
        events.append(dict(stamped, hash=prev))
    return events


def dump(session: Session) -> str:
    """Everything that can be seen of a session, for comparing before and after."""
    return hashlib.sha256(json.dumps([session.state({}), session.hands(), session.settlement()]).encode()).hexdigest()


def play(case: dict[str, Any]) -> tuple[Session, dict[str, str]]:
    """The session that a case's accepted events make, and its names."""
    opening, names = open_session(copy.deepcopy(case["session"]))
    session = Session(opening)
    first_seq: dict[int, int] = {}
    for number, step in enumerate(case["steps"]):
        if ("event" in step or "events" in step) and "refused" not in step:
            session, _ = _post(session, number, step, first_seq)
    return session, names


def run_case(case: dict[str, Any]) -> list[str]:
    """Every place where the engine does not do what the case asks."""
    steps = case["steps"]
    refusal = steps[0].get("session_refused") if len(steps) == 1 else None
    try:
        opening, names = open_session(copy.deepcopy(case["session"]))
    except Refused as refused:
        got = refused.refusal.code
        return [] if got == refusal else [f"session refused with {got}: {refused}"]
    if refusal:
        return [f"the session was opened, expected {refusal}"]
    session = Session(opening)
    faults: list[str] = []
    first_seq: dict[int, int] = {}
    for number, step in enumerate(steps):
        if "event" in step or "events" in step:
            session, step_faults = _post(session, number, step, first_seq)
        else:
            step_faults = _compare(session, names, step)
        faults += [f"step {number}: {fault}" for fault in step_faults]
        if faults:
            break
    if not faults:
        replayed = Session.replay(stored(session))
        if dump(replayed) != dump(session):
            faults.append("a replay of the stored events is not the same")
    return faults


def _post(session: Session, number: int, step: dict[str, Any], first_seq: dict[int, int]) -> tuple[Session, list[str]]:
    raws = resolve([step["event"]] if "event" in step else step["events"], first_seq)
    later = session.fork()
    before = dump(session) if "refused" in step else ""
    try:
        for at, raw in enumerate(raws):
            later.record(raw, raws[at + 1 :])["by"] = "case"  # as a store stamps it
    except Refused as refused:
        if refused.refusal.code != step.get("refused"):
            return session, [f"{raws!r} refused with {refused}, expected {step.get('refused')}"]
        return session, [] if dump(session) == before else ["a refusal changed the state"]
    if "refused" in step:
        return session, [f"accepted, expected {step['refused']}: {raws!r}"]
    first_seq[number] = session.version + 1
    return later, []


def _compare(session: Session, names: dict[str, str], step: dict[str, Any]) -> list[str]:
    if "expect" in step:
        return mismatches(step["expect"], session.state(names))
    if "expect_hand" in step:
        return mismatches(step["expect_hand"], session.hand(step["expect_hand"]["hand"]))
    if "expect_settlement" in step:
        got = session.settlement()
        return (
            mismatches(step["expect_settlement"], got) + settlement_faults(got) + seat_order_faults(got, session.seats)
        )
    return mismatches(step["expect_audit"], audit_session(stored(session)))
