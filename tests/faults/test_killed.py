"""kill -9 of the service, of Postgres and of both, at random moments while tables record.

After each, what was acknowledged is there once, in order, in whole chains; what was worked out from it is what a replay
gives; and whoever asks again is answered as before.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import psutil
import pytest

from service.store.privileges import SERVICE_ROLE
from tests.cli.terminal import bragbook
from tests.embedded.processes import ended
from tests.factories import SessionFactory
from tests.faults.checking import check_all
from tests.faults.load import Writer
from tests.faults.served import Served, eventually, log_file

FEWEST_REQUESTS = 10
"""So many are answered before each kill, however slow the machine is."""
LONGEST_PEACE_S = 0.6


NOT_THERE = (StopIteration, OSError, ValueError, psutil.NoSuchProcess)
"""What is starting again just now cannot be killed."""


def the_service(served: Served) -> None:
    served.kill()


def the_worker(served: Served) -> None:
    """The process that answers; the one that watches over it starts another."""
    served.worker.kill()


def postgres(served: Served) -> None:
    server = psutil.Process(served.postmaster)
    there = server.children()
    server.kill()
    _have_ended(there)


def a_backend(served: Served) -> None:
    """One of Postgres's processes that serves the service: where it is killed, all of them begin anew."""
    there = psutil.Process(served.postmaster).children()
    next(child for child in there if SERVICE_ROLE in " ".join(child.cmdline())).kill()
    _have_ended(there)


def _have_ended(processes: list[psutil.Process]) -> None:
    """Until they have, somebody may still be answered as though nothing had happened."""
    eventually(lambda: all(map(ended, processes)), "Postgres has noticed")


def both(served: Served) -> None:
    os.kill(served.postmaster, signal.SIGKILL)
    served.kill()


def both_the_other_way(served: Served) -> None:
    pid = served.postmaster
    served.kill()
    with contextlib.suppress(ProcessLookupError):  # it was told to end already
        os.kill(pid, signal.SIGKILL)


KILLS: list[Callable[[Served], None]] = [the_service, postgres, both, the_worker, a_backend, both_the_other_way]


def kept_running(served: Served, writers: list[Writer]) -> None:
    """Waits until every writer has been answered, and starts the service where it has ended, as an init system does.

    It ends by itself, and not as though all were well, where its worker is killed and killed again within seconds.
    """
    while True:
        if served.process is not None and served.process.poll() is not None:
            assert served.process.returncode != 0
            served.stop()
        if served.process is None:
            served.start()
        if all(writer.is_paused(0.2) for writer in writers):
            return


def killed(served: Served, kills: list[Callable[[Served], None]], random: Random) -> int:
    """Kill, start again, and check, in turn; how many events were recorded meanwhile."""
    shared = served.open(SessionFactory())
    writers = [Writer(served, random.randrange(2**32)) for _ in range(3)]
    writers += [Writer(served, random.randrange(2**32), shared) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        for number, kill in enumerate(kills):
            places = [len(writer.acknowledged) for writer in writers]
            for writer in writers:
                writer.go()
            some = sum(places) + FEWEST_REQUESTS
            eventually(lambda some=some: sum(len(one.acknowledged) for one in writers) >= some, "they record")
            time.sleep(random.random() * LONGEST_PEACE_S)
            with contextlib.suppress(*NOT_THERE):
                kill(served)
            for writer in writers:
                writer.pause()
            kept_running(served, writers)
            eventually(lambda: served.ask("GET", "/readyz")[0] == 200, "it is ready again")
            check_all(served, writers, places)
            verified = bragbook("verify", "--data", served.data, DATABASE_URL="")
            assert verified.code == 0, f"after kill {number}, {kill.__name__}: {verified.out}{verified.err}"
        assert sum(writer.tries for writer in writers) > sum(len(writer.acknowledged) for writer in writers)
        return sum(len(one.stored) for writer in writers for one in writer.acknowledged)
    finally:
        for writer in writers:
            writer.end()


@pytest.mark.parametrize(
    ("seed", "times"), [(4, 4), pytest.param(100, 102, marks=pytest.mark.soak, id="a-hundred-times")]
)
def test_killed_at_any_moment(data: Path, folder: Path, seed: int, times: int) -> None:
    random = Random(seed)
    rounds = [random.sample(KILLS, len(KILLS)) for _ in range(0, times, len(KILLS))]
    kills = [kill for some in rounds for kill in some][:times]
    with Served(data, log_file(folder), log_level="error") as served:
        recorded = killed(served, kills, random)
    print(f"seed {seed}: {times} kills, {recorded} events recorded and there")
    assert recorded >= times * FEWEST_REQUESTS
