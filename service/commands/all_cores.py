"""The same work for many things of a store, on all cores.

Each core has a process of its own with a connection of its own, and is given a batch at a time: a round trip costs as
much as a dozen events. What is held in memory is a batch a process, however large the store is.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from multiprocessing import get_context
from typing import Any, Final, TypeVar

from service.embedded.child import die_with_parent
from service.garbage import look_seldom, looked_for_seldom
from service.sessions import Sessions
from service.store.database import Database

Item = TypeVar("Item")
Done = TypeVar("Done")
Work = Callable[[Sessions, Sequence[Item]], Sequence[Done]]
"""A function of a module: other processes find it by its name. It gives something for each item, in order."""

FEW: Final = 6
"""So many batches are done before other processes have started."""
AT_A_TIME: Final = 32
"""How many sessions are a batch."""
AHEAD: Final = 2
"""How many batches wait for each process."""

_sessions: Sessions | None = None


def on_all_cores(
    work: Work[Item, Done], conninfo: str, sessions: Sessions, batches: Iterable[Sequence[Item]]
) -> Iterator[Done]:
    """What the work gives for each item of each batch, in order. Raises what it raises."""
    coming = iter(batches)
    few = list(islice(coming, FEW + 1))
    cores = _cores()
    if cores < 2 or len(few) <= FEW:
        with looked_for_seldom():
            for batch in chain(few, coming):
                yield from work(sessions, batch)
        return
    pool = ProcessPoolExecutor(
        cores, mp_context=get_context("spawn"), initializer=_begin, initargs=(conninfo, os.getpid())
    )
    waiting: deque[Future[Sequence[Done]]] = deque()
    try:
        for batch in chain(few, coming):
            waiting.append(pool.submit(_do, work, batch))
            if len(waiting) > cores * AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def in_batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """The items, so many at a time as are a batch."""
    for at in range(0, len(items), AT_A_TIME):
        yield items[at : at + AT_A_TIME]


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
    look_seldom()


def _do(work: Work[Any, Done], batch: Sequence[Any]) -> Sequence[Done]:
    assert _sessions is not None
    return work(_sessions, batch)
