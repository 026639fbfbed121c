"""Two services on one Postgres, as two machines' processes would be, and whatever happens to them.

Both are started as a user starts them, on one data folder: the first runs the Postgres that comes along, the other
joins it, and takes it over where the first is gone.
"""

from __future__ import annotations

import http.client
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import psycopg

from service.embedded.folder import DataFolder
from service.embedded.supervisor import connection_string
from tests.faults.served import Served, log_file
from tests.faults.test_killed import KILLS, NOT_THERE

MOST_TRIES = 2_000
PAUSE_S = 0.03
ATTEMPT_S = 30.0


class Answer:
    """What a service said. `tries`: how often it was asked until it did."""

    def __init__(self, status: int, headers: dict[str, str], data: bytes, tries: int) -> None:
        self.status = status
        self.headers = headers
        self.data = data
        self.tries = tries

    @property
    def json(self) -> Any:
        return orjson.loads(self.data)

    def __repr__(self) -> str:
        return f"{self.status} after {self.tries}: {self.data.decode(errors='replace')[:2000]}"


class Services:
    """Whoever asks gets an answer in the end: what was not answered is asked again, of the other one.

    `counts`: what was done and what went wrong.
    """

    def __init__(self, data: Path, folder: Path) -> None:
        self.data = data
        self.both = [Served(data, log_file(folder, f"service-{at}.log"), log_level="error") for at in range(2)]
        self.counts: Counter[str] = Counter()
        for served in self.both:
            served.start()

    def close(self) -> None:
        for served in self.both:
            served.stop()

    @property
    def conninfo(self) -> str:
        """How to connect to their Postgres."""
        found = connection_string(DataFolder(self.data))
        if found is None:
            raise FileNotFoundError(f"there is no server in {self.data} now")
        return found

    # --- asking ---

    def ask(self, at: int, *asked: Any, **headers: str) -> Answer:
        """`asked`: token, method, path and body, if there is one; `at`: which of the two is asked first."""
        token, method, path, body = (*asked, None)[:4]
        for tries in range(1, MOST_TRIES + 1):
            served = self.both[(at + tries - 1) % 2]
            self.counts["requests"] += 1
            try:
                status, found, data = served.ask(method, path, body, token, ATTEMPT_S, **headers)
            except (OSError, http.client.HTTPException):
                self.counts["unanswered"] += 1
                self.keep_running()
            else:
                if status != 503:
                    return Answer(status, found, data, tries)
                assert int(found["retry-after"]) >= 1
                assert orjson.loads(data)["code"] == "unavailable"
                self.counts["unavailable"] += 1
            time.sleep(PAUSE_S)
        raise AssertionError(f"no answer after {MOST_TRIES} tries: {method} {path}")

    def lose(self, at: int, *asked: Any, wait_s: float, then: Callable[[], None] | None = None, **headers: str) -> None:
        """Ask, and be gone before the answer; after `wait_s` something else happens while it is on its way."""
        token, method, path, body = (*asked, None)[:4]
        given = {**headers, "Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.both[at].port, timeout=ATTEMPT_S)
        try:
            connection.request(method, path, orjson.dumps(body), given)
            time.sleep(wait_s)
            if then is not None:
                then()
        except OSError:
            pass  # it is down: all the same for whoever waits
        finally:
            connection.close()
        self.counts["answers lost"] += 1

    def keep_running(self) -> None:
        """Starts what has ended, as an init system does."""
        for served in self.both:
            if served.process is not None and served.process.poll() is not None:
                assert served.process.returncode != 0
                served.stop()
            if served.process is None:
                self.counts["started again"] += 1
                served.start()

    # --- what happens ---

    def strike(self, fault: str, at: int) -> None:
        """One of FAULTS."""
        try:
            FAULTS[fault](self, self.both[at])
        except (*NOT_THERE, psycopg.OperationalError):
            self.counts["struck what was down"] += 1
        else:
            self.counts[fault] += 1

    def cut(self, _: Served) -> None:
        """Every connection of the services to their database is cut."""
        with psycopg.connect(self.conninfo, autocommit=True) as owner:
            owner.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bragbook'")

    def both_killed(self, _: Served) -> None:
        """Both services, and with them the Postgres that the first has started."""
        for served in self.both:
            served.kill()


def _killed(kill: Callable[[Served], None]) -> Callable[[Services, Served], None]:
    return lambda _, served: kill(served)


FAULTS: dict[str, Callable[[Services, Served], None]] = {
    **{f"kill -9: {kill.__name__.replace('_', ' ')}": _killed(kill) for kill in KILLS},
    "kill -9: both services": Services.both_killed,
    "database connections cut": Services.cut,
    "ended in good order": lambda _, served: served.stop(),
}
