"""Bringing whole nights in: checked, chained and projected, beside COPY of the same rows into a bare table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from uuid import UUID

import psycopg

from service.event_files import parse
from service.store.log import Log, New
from tests.benchmarks.harness import Table, database, in_turn, median, ratio, seconds
from tests.benchmarks.material import played, stored_nights
from tests.benchmarks.peers import Bare, Store

ROUNDS = 7
Nights = list[tuple[UUID, list[New]]]
_BARE_COPY = "copy bare (session, seq, body, hash, client_id) from stdin (format binary)"


def measure(at: str) -> list[Table]:
    """Importing files, keeping what is trusted, and the bare thing."""
    nights = stored_nights()
    with ExitStack() as stack:
        bare = Bare(stack.enter_context(database(at)), 1)
        stack.callback(bare.close)
        ours = Store(stack.enter_context(database(at)), 1)
        stack.callback(ours.close)
        log = Log(ours.database)

        def keep(chosen: Nights) -> None:
            for session, rows in chosen:
                log.append_many(session, rows)

        def take(chosen: Nights) -> None:
            files = [b"\n".join(row.stored().line() for row in rows) for _, rows in chosen]
            for file in files:
                for night in parse("file", file):
                    ours.sessions.import_events(night.events, True)

        def take_together(chosen: Nights) -> None:
            file = b"\n".join(row.stored().line() for _, rows in chosen for row in rows)
            ours.sessions.import_many([(night.events, night.kept) for night in parse("file", file)])

        def rate(work: Callable[[Nights], None]) -> Callable[[], float]:
            def run() -> float:
                chosen = [next(nights) for _ in played()]
                return sum(len(rows) for _, rows in chosen) / seconds(lambda: work(chosen))

            return run

        rates = in_turn(
            {
                "copy": rate(lambda chosen: _copy(bare.connections[0], [chosen])),
                "copy a night": rate(lambda chosen: _copy(bare.connections[0], [[night] for night in chosen])),
                "keep": rate(keep),
                "take": rate(take),
                "together": rate(take_together),
            },
            ROUNDS,
        )
    said = {
        "copy": "COPY into a bare table, all in one",
        "copy a night": "COPY into a bare table, a transaction a night",
        "keep": "Bragbook's log: hash and chain checked by the database, a transaction a night",
        "take": "`import`: decoded, every rule checked, chained, projected, a transaction a night",
        "together": "`import` of a large file, one of its processes: the same, many nights a transaction",
    }
    return [
        Table(
            "Bulk import",
            f"Events a second, of {len(played())} nights of all games a round, {ROUNDS} rounds in turn.",
            ("", "events/s", "of COPY", "of COPY a night"),
            [
                (
                    said[name],
                    median(rates[name]),
                    "1" if name == "copy" else ratio(rates[name], rates["copy"]),
                    "1" if name == "copy a night" else ratio(rates[name], rates["copy a night"]),
                )
                for name in said
            ],
        )
    ]


def _copy(connection: psycopg.Connection, transactions: list[Nights]) -> None:
    for chosen in transactions:
        with connection.cursor().copy(_BARE_COPY) as copy:
            copy.set_types(("uuid", "int8", "bytea", "bytea", "uuid"))
            for session, rows in chosen:
                for row in rows:
                    copy.write_row((session, *row))
