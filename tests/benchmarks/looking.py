"""Looking over many sessions, in a small store and in a large one: what should take as long in both, and what grows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice
from uuid import UUID

from service.sessions import Sessions
from service.store.clubs import FIRST_CLUB
from service.store.database import Database
from service.store.entries import Entries
from service.store.heads import PAGE, Heads
from service.store.log import Log
from tests.benchmarks.harness import SCALE, Table, database
from tests.benchmarks.reads import figure
from tests.benchmarks.stores import fill

SIZES = (10_000, SCALE)
AT_A_TIME = 32
SOME = 20
"""Sessions that something is asked of, in a store of any size."""


def measure(at: str) -> list[Table]:
    """A row for each thing asked, a column for each size."""
    columns: list[dict[str, str]] = []
    held = []
    for size in SIZES:
        with database(at) as conninfo:
            nights = fill(conninfo, size)
            store = Database(conninfo, largest=2)
            store.open()
            store.wait(10)
            sessions = Sessions(store)
            for first in range(0, len(nights), AT_A_TIME):
                sessions.rebuild_many(nights[first : first + AT_A_TIME])
            columns.append({name: figure(partial(look, store, nights)) for name, look in _LOOKS.items()})
            held.append(f"{size:,} events, {len(nights):,} sessions")
            sessions.close()
            store.close()
    table = Table(
        "Looking over many sessions",
        "p50 / p99, through the store, of nights of all games that are all of one club; of what was worked out from "
        "the events the database may know nothing yet.",
        ("", *held),
        [(name, *(column[name] for column in columns)) for name in _LOOKS],
    )
    return [table]


_LOOKS: dict[str, Callable[[Database, list[UUID]], object]] = {
    "what is new in 20 watched sessions": lambda store, nights: list(
        Log(store).newer(dict.fromkeys(nights[:SOME], 10_000))
    ),
    "heads of 20 sessions that are not in the log": lambda store, nights: Heads(store).behind(nights[:SOME]),
    "heads of up to 500 sessions that are not in the log": lambda store, nights: Heads(store).behind(nights[:PAGE]),
    "the list's first 20 nights": lambda store, _: Entries(store).of_club(FIRST_CLUB, limit=SOME),
    "the ids of up to 500 sessions": lambda store, _: list(islice(Sessions(store).all_sessions(), PAGE)),
    "the leaderboard of all nights": lambda store, _: Sessions(store).leaderboard(str(FIRST_CLUB)),
}
