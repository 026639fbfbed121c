"""The same work for every session of a store, on all cores.

Each core has a process of its own with a connection of its own; a session is done whole by one of them. What is held in
memory at a time is one session a process, however large the store is.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final, TypeVar
from uuid import UUID

from service.embedded.child import die_with_parent
from service.sessions import Sessions
from service.store.database import Database

Done = TypeVar("Done")
Work = Callable[[Sessions, UUID], Done]
"""A function of a module: other processes find it by its name."""

FEW: Final = 200
"""So many sessions are done before other processes have started."""
AT_A_TIME: Final = 8

_sessions: Sessions | None = None


def on_all_cores(work: Work[Done], conninfo: str, sessions: Sessions, asked: Sequence[UUID]) -> Iterator[Done]:
    """What the work gives for each session, in order. Raises what it raises."""
    cores = _cores()
    if cores < 2 or len(asked) <= FEW:
        for session in asked:
            yield work(sessions, session)
        return
    pool = ProcessPoolExecutor(
        cores, mp_context=get_context("spawn"), initializer=_begin, initargs=(conninfo, os.getpid())
    )
    try:
        yield from pool.map(_do, [work] * len(asked), asked, chunksize=AT_A_TIME)
    finally:
        pool.shutdown(cancel_futures=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin(conninfo: str, parent: int) -> None:
    """In a process of the pool, once: Ctrl-C is for the process that was started, and this one ends with it."""
    global _sessions
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(parent, signal.SIGKILL)
    database = Database(conninfo, largest=1)
    database.open()
    _sessions = Sessions(database)


def _do(work: Work[Done], session: UUID) -> Done:
    assert _sessions is not None
    return work(_sessions, session)
