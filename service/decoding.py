"""Stored events from bytes, fast; and the one place where an old form is lifted to today's.

For what was stored by us and hashed: nothing is checked here. What comes from outside goes through `strict_json`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import orjson

from events.vocabulary import FORM
from service.store.log import PAGE, Stored

Event = dict[str, Any]


class NewerForm(Exception):
    """An event was written by a newer Bragbook, and this one does not know what it means."""


def lift(event: Event) -> Event:
    """An event of any form as one of today's. There has been one form so far. Raises NewerForm."""
    if event["v"] != FORM:
        raise NewerForm(
            f"Event {event['seq']} of session {event['session']} has form {event['v']}, and this Bragbook knows "
            f"{FORM}. Use the newer one that wrote it."
        )
    return event


def bodies(stored: Iterable[Stored]) -> list[Event]:
    """Stored events as the engine takes them, without their hashes. Raises NewerForm."""
    events: list[Event] = []
    rows = iter(stored)
    # One array is read faster than as many texts; of a long session in one, nothing else would run meanwhile.
    while page := [event.body for event in islice(rows, PAGE)]:
        events += orjson.loads(b"[" + b",".join(page) + b"]")
    for event in events:
        if event["v"] != FORM:
            lift(event)
    return events


def whole(stored: Iterable[Stored]) -> list[Event]:
    """Stored events as they are on the wire, each with its hash. Raises NewerForm."""
    events = []
    for row in stored:
        event = lift(orjson.loads(row.body))
        event["hash"] = row.hash.hex()
        events.append(event)
    return events
