"""Nights to put on paper: the agreed cases and random nights, recorded by the engine, and a table of awkward names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from events.log import GENESIS, seal
from events.session import Session, open_session
from service.export.night import Night

TESTS = Path(__file__).parent.parent
SESSION = "01890a5d-ac96-774b-bcce-b302099a8057"
BEGUN = "2026-06-27T23:10:00Z"

# As people really write themselves, two of one name and a few that would run in a spreadsheet among them.
AWKWARD_NAMES = {
    "j-r": "J.R.",
    "big_c": "Big C (host)",
    "S": "spa @ ces",
    "ONeil": 'O\'Neil "Doc"',
    "AB": "Ann, Bob",
    "max": "♠Max♠",
    "mariam": "مريم",
    "sam1": "Sam",
    "sam2": "Sam",
    "f": '=HYPERLINK("http://x","y")',
    "t": "+44 7700",
    "at": "@sum",
    "dee": "-Dee",
    "q": "'quoted",
    "he": "שרה",
    "gr": "Ωμέγα Жанна 李",
}


def stored(opening: Mapping[str, Any], raws: list[dict[str, Any]], session_id: str = SESSION) -> list[dict[str, Any]]:
    """The events as a store would hold them: recorded by the engine, numbered, timed and chained."""
    session, prev, events = Session(dict(opening)), GENESIS, []
    for seq, raw in enumerate([None, *raws], 1):
        event = dict(opening) if raw is None else session.record(raw, upcoming=raws[seq - 1 :])
        body = {
            **event, "session": session_id, "seq": seq, "v": 1, "by": "test", "prev": prev,
            "recorded_at": f"2026-06-2{7 + (seq > 50)}T23:{10 + seq % 50}:00Z",
        }  # fmt: skip
        _, prev = seal(body)
        events.append({**body, "hash": prev})
    return events


def night(body: Mapping[str, Any], raws: list[dict[str, Any]], names: Mapping[str, str | None] | None = None) -> Night:
    """A session's body and the events of a night -> the night; `names` over those of the body."""
    opening, given = open_session(dict(body))
    events = stored(opening, raws)
    return Night(SESSION, events, {**given, **(names or {})}, Session.replay(events))


def of_case(case: Mapping[str, Any]) -> Night:
    """The night that a case records, what it expects to be refused left out."""
    raws: list[dict[str, Any]] = []
    first_seq: dict[int, int] = {}
    for number, step in enumerate(case["steps"]):
        given = step.get("events") or ([step["event"]] if "event" in step else [])
        if given and "refused" not in step:
            first_seq[number] = len(raws) + 2
            raws += [_resolved(event, first_seq) for event in given]
    return night(case["session"], raws)


def _resolved(value: Any, first_seq: Mapping[int, int]) -> Any:
    if isinstance(value, str) and value.startswith("$") and value[1:].isdigit():
        return first_seq[int(value[1:])]
    if isinstance(value, list):
        return [_resolved(item, first_seq) for item in value]
    if isinstance(value, dict):
        return {name: _resolved(item, first_seq) for name, item in value.items()}
    return value


def cases() -> Iterator[dict[str, Any]]:
    """Every case and random night that opens a session."""
    for path in sorted((TESTS / "cases").glob("*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((TESTS / "nights").glob("*.ndjson")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def recordable_cases() -> list[dict[str, Any]]:
    return [case for case in cases() if not any("session_refused" in step for step in case["steps"])]


def named_case(name: str) -> dict[str, Any]:
    """The case in tests/cases of this file name."""
    case: dict[str, Any] = json.loads((TESTS / "cases" / f"{name}.json").read_text(encoding="utf-8"))
    return case


def awkward() -> Night:
    """One short hand among sixteen people with awkward names; the one who is `t` has had theirs erased since."""
    players = [{"id": player, "name": name} for player, name in AWKWARD_NAMES.items()]
    ids = list(AWKWARD_NAMES)
    deal = [{"type": "deal", "dealer": ids[-1], "at": BEGUN}, *({"type": "ante", "player": player} for player in ids)]
    play: list[dict[str, Any]] = [
        {"type": "look", "player": ids[0]},
        {"type": "bet", "player": ids[0], "as": "seen", "amount": "2"},
    ]
    for player in ids[1:]:
        play += [{"type": "look", "player": player}, {"type": "fold", "player": player}]
    body = {"title": "=Tuesday, at the Crown", "game": "three-card", "players": players}
    return night(body, [*deal, *play], {"t": None})
