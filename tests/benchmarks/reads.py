"""Reading sessions of several lengths: with the session in memory, and with all of it to be read and replayed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from service import migrate
from service.export import FORMATS
from service.sessions import Sessions
from service.store.clubs import Clubs
from service.store.database import Database
from tests.benchmarks.harness import Table, database, duration, percentile
from tests.benchmarks.http import Client, served
from tests.benchmarks.material import long_night

LENGTHS = (100, 1_000, 5_000)
SECONDS = 1.5
"""For each figure."""
LEAST, MOST = 7, 400


def measure(at: str) -> list[Table]:
    """A row for each kind of read and length."""
    with database(at) as conninfo:
        migrate.apply(conninfo)
        store = Database(conninfo, largest=2)
        store.open()
        store.wait(10)
        Clubs(store).make_first()
        sessions = Sessions(store)
        opened = {}
        for length in LENGTHS:
            night = long_night(length)
            made = sessions.open(night.body)
            for first in range(0, len(night.raws), 500):
                sessions.append(made.id, night.raws[first : first + 500], "bench", with_state=False)
            opened[length] = made
        table = Table(
            "Reading",
            "p50 / p99. Warm: the session is held in memory, and each answer still asks the database whether anything "
            "is newer; cold: all of it is read and replayed. HTTP is warm, over a kept connection. An audit is made "
            "anew each time.",
            ("", "warm", "cold", "HTTP"),
        )
        with served(conninfo) as port, Client(port) as client:
            for name, (path, read) in _READS.items():
                for length, made in opened.items():
                    url, token = f"/api/v1/sessions/{made.id}{path}", made.tokens["record"]
                    figures = (
                        figure(lambda read=read, made=made: read(sessions, made.id)),
                        figure(lambda read=read, made=made: read(Sessions(store), made.id)),
                        figure(lambda url=url, token=token: client.get(url, token)),
                    )
                    table.rows.append((f"{name}, {length:,} events", *figures))
        sessions.close()
        store.close()
    return [table]


_READS: dict[str, tuple[str, Callable[[Sessions, str], object]]] = {
    "state": ("", lambda sessions, session: sessions.state(session)),
    "a hand": ("/hands/3", lambda sessions, session: sessions.hand(session, 3)),
    "settlement": ("/settlement", lambda sessions, session: sessions.settlement(session)),
    "audit": ("/audit", lambda sessions, session: sessions.audit(session)),
    "a ledger of it": (
        "/export?format=hledger",
        lambda sessions, session: b"".join(FORMATS["hledger"].render(sessions.night(session))),
    ),
}


def figure(look: Callable[[], object]) -> str:
    """p50 and p99 of looking again and again."""
    look()
    gc.collect()
    took: list[float] = []
    until = time.perf_counter() + SECONDS
    while len(took) < LEAST or (time.perf_counter() < until and len(took) < MOST):
        begun = time.perf_counter()
        look()
        took.append(time.perf_counter() - begun)
    return f"{duration(percentile(took, 50))} / {duration(percentile(took, 99))}"
