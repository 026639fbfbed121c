"""What the page may ask of the engine: JSON in, JSON out, one session at a time.

Runs on MicroPython in the page, and on any Python for the tests. The page never sees an engine object, so it cannot
come to depend on one.
"""

from __future__ import annotations

import json

from events.refusals import Refused
from events.session import Session, effects, open_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The session that the page has open, and the players' names; both are put by `load` or `open`.
OPEN: dict[str, Any] = {}


def _session() -> Session:
    session: Session = OPEN["session"]
    return session


def _view() -> dict[str, Any]:
    return {"version": _session().version, "state": _session().state(OPEN["names"])}


def _load(asked: dict[str, Any]) -> Any:
    """The session after the events that the server has stored."""
    OPEN["session"] = Session.replay(asked["events"])
    OPEN["names"] = asked["names"]
    return _view()


def _open(asked: dict[str, Any]) -> Any:
    """A session from what a client sends to open one."""
    opening, names = open_session(asked["body"])
    OPEN["session"] = Session(opening)
    OPEN["names"] = names
    return _view()


def _all_recorded(session: Session, raws: list[Any]) -> list[dict[str, Any]]:
    clean = []
    for index in range(len(raws)):
        try:
            clean.append(session.record(raws[index], raws[index + 1 :]))
        except Refused as refused:
            refused.refusal.event = index
            raise
    return clean


def _record(asked: dict[str, Any]) -> Any:
    """Records all of `events`, or none of them."""
    later = _session().fork()
    clean = _all_recorded(later, asked["events"])
    OPEN["session"] = later
    answer = _view()
    answer["events"] = clean
    return answer


def _try(asked: dict[str, Any]) -> Any:
    """What recording `events` would do, without doing it."""
    later = _session().fork()
    clean = _all_recorded(later, asked["events"])
    return {"events": clean, "state": later.state(OPEN["names"]), "effects": effects(_session(), later)}


def _why(asked: dict[str, Any]) -> Any:
    """For each of `events`, alone: null where it may be done now, else the refusal."""
    found: list[Any] = []
    for raw in asked["events"]:
        try:
            _session().fork().record(raw)
            found.append(None)
        except Refused as refused:
            found.append(refused.refusal.as_dict())
    return found


def _name(asked: dict[str, Any]) -> Any:
    OPEN["names"] = asked["names"]
    return _view()


def _hand(asked: dict[str, Any]) -> Any:
    return _session().hand(asked["hand"])


def _settlement(asked: dict[str, Any]) -> Any:
    return _session().settlement()


OPERATIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "load": _load,
    "open": _open,
    "view": lambda asked: _view(),  # noqa: ARG005
    "name": _name,
    "record": _record,
    "try": _try,
    "why": _why,
    "hand": _hand,
    "settlement": _settlement,
}


def answer(question: str) -> str:
    """The answer to one question, as JSON: `{"ok": …}`, or `{"refused": …}` with the refusal."""
    asked = json.loads(question)
    try:
        return json.dumps({"ok": OPERATIONS[asked["do"]](asked)})
    except Refused as refused:
        return json.dumps({"refused": refused.refusal.as_dict()})
