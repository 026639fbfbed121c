"""What the page may ask of the engine: JSON in, JSON out, one session at a time.

Runs on MicroPython in the page, and on any Python for the tests. The page never sees an engine object, so it cannot
come to depend on one.
"""

import json

from events.refusals import Refused
from events.session import Session, effects, open_session


class Table:
    """The session that the page has open: what the server is known to have, and what was tapped since."""

    def __init__(self):
        self.session = None
        self.names = {}
        self.stored = []


TABLE = Table()


def _load(asked):
    TABLE.stored = asked["events"]
    TABLE.names = asked["names"]
    TABLE.session = Session.replay(TABLE.stored)
    return _view(asked)


def _open(asked):
    opening, names = open_session(asked["body"])
    TABLE.stored = [opening]
    TABLE.names = names
    TABLE.session = Session(opening)
    return _view(asked)


def _view(asked):
    session = TABLE.session
    return {"version": session.version, "state": session.state(TABLE.names)}


def _all_recorded(session, raws):
    clean = []
    index = 0
    for raw in raws:
        try:
            clean.append(session.record(raw, raws[index + 1 :]))
        except Refused as refused:
            refused.refusal.event = index
            raise
        index += 1
    return clean


def _record(asked):
    """Records all of `events`, or none of them."""
    later = TABLE.session.fork()
    clean = _all_recorded(later, asked["events"])
    TABLE.session = later
    answer = _view(asked)
    answer["events"] = clean
    return answer


def _try(asked):
    """What recording `events` would do, without doing it."""
    later = TABLE.session.fork()
    clean = _all_recorded(later, asked["events"])
    return {"events": clean, "state": later.state(TABLE.names), "effects": effects(TABLE.session, later)}


def _why(asked):
    """For each of `events`, alone: null where it may be done now, else the refusal."""
    found = []
    for raw in asked["events"]:
        try:
            TABLE.session.fork().record(raw)
            found.append(None)
        except Refused as refused:
            found.append(refused.refusal.as_dict())
    return found


def _at(asked):
    return Session.replay(asked["events"][: asked["seq"]]).state(TABLE.names)


def _name(asked):
    TABLE.names = asked["names"]
    return _view(asked)


def _hand(asked):
    return TABLE.session.hand(asked["hand"])


def _hands(asked):
    return TABLE.session.hands()


def _settlement(asked):
    return TABLE.session.settlement()


OPERATIONS = {
    "load": _load,
    "open": _open,
    "view": _view,
    "name": _name,
    "record": _record,
    "try": _try,
    "why": _why,
    "at": _at,
    "hand": _hand,
    "hands": _hands,
    "settlement": _settlement,
}


def answer(question):
    """The answer to one question, as JSON: `{"ok": …}`, or `{"refused": …}` with the refusal."""
    asked = json.loads(question)
    try:
        return json.dumps({"ok": OPERATIONS[asked["do"]](asked)})
    except Refused as refused:
        return json.dumps({"refused": refused.refusal.as_dict()})
