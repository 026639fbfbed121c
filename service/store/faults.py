"""What can go wrong with the database, in words that quote no row and no password."""

from __future__ import annotations

import re
from typing import Final

import psycopg
from psycopg import errors


class Unavailable(Exception):
    """The database cannot answer now; ask again in `retry_after_s`.

    perhaps_done: the connection was lost under a statement, so that nobody knows whether it was done. Else nothing was.
    """

    retry_after_s: Final = 1

    def __init__(self, detail: str, perhaps_done: bool = False) -> None:
        super().__init__(detail)
        self.perhaps_done = perhaps_done


class StoreFault(Exception):
    """The database refused what it should have taken, or holds what it should not: a fault of ours, or tampering."""


class VersionTaken(Exception):
    """Another event has this number in its session already: read on, check again."""


class EventRefused(StoreFault):
    """The database refused an event that does not continue the one before it, or is not what its hash says."""


# SQLSTATE by class or whole: what passes by itself, and what to say of it.
_PASSING = {
    "08": "The database cannot be reached.",
    "57P": "The database is starting or stopping.",
    "57014": "The database took too long to answer.",
    "55P03": "Somebody else holds what this needs.",
    "40": "Somebody else changed what this needs.",
    "53": "The database has run out of room, memory or connections.",
    "25006": "The database only reads at the moment.",
    "58": "The database cannot use its disk.",
}

EVENT_DOES_NOT_CONTINUE = "BRAG1"
EVENTS_STAY = "BRAG2"
# A cluster's coordinator repeats what a node said, and leaves the constraint's own field out; under a `copy` it calls
# all of it an internal error (XX000). The sentences with these codes quote no row.
_TAKEN: Final = ("23505", "XX000")
_NAMING: Final = (*_TAKEN, "23514")
_CONSTRAINT: Final = re.compile(r"\b(?:\w+_pkey|events_client_id|events_hash_is_of_body)\w*")


def passing(sqlstate: str | None) -> str | None:
    """What to say of a failure that passes by itself; None for one that does not."""
    for length in (5, 3, 2):
        if sqlstate and sqlstate[:length] in _PASSING:
            return _PASSING[sqlstate[:length]]
    return None


def fault_of(sqlstate: str | None, constraint: str | None) -> Exception:
    """The fault that a failed statement comes to."""
    said = passing(sqlstate)
    if said is not None:
        return Unavailable(said)
    name = constraint or ""
    # A distributed table's constraints have the shard's number behind their name. Where none is named, it is an
    # event's: nothing else is inserted that may be there.
    of_events = name.startswith(("events_pkey", "events_client_id"))
    if (of_events and sqlstate in _TAKEN) or (not name and sqlstate == "23505"):
        return VersionTaken()
    if sqlstate == EVENT_DOES_NOT_CONTINUE or name.startswith("events_hash_is_of_body"):
        return EventRefused("The database refused an event that does not continue its session's log.")
    if sqlstate == EVENTS_STAY:
        return StoreFault("Events are never changed or removed.")
    return StoreFault(f"The database refused a statement (SQLSTATE {sqlstate or 'unknown'}{name and ', ' + name}).")


def translated(fault: psycopg.Error) -> Exception:
    """A driver's error as one of this module's, without the row that its text may quote."""
    if fault.sqlstate is None and isinstance(fault, (errors.OperationalError, errors.InterfaceError)):
        return Unavailable("The database cannot be reached.", perhaps_done=True)
    constraint = fault.diag.constraint_name
    if constraint is None and fault.sqlstate in _NAMING:
        said = _CONSTRAINT.search(fault.diag.message_primary or "")
        constraint = said[0] if said is not None else None
    return fault_of(fault.sqlstate, constraint)
