"""How much one client may ask for, so that none takes the service from the others.

Everything is counted in this process and by the monotonic clock: no store, no thread, and a clock that is set back
neither lets everybody in nor shuts them out.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from events.refusals import Refused
from service.api.problems import refuse
from service.server_settings import ServerSettings

_PLACE_AGAIN_SECONDS: Final = 2
_MOST_KEYS: Final = 20_000
"""Clients remembered at a time. Who has not asked for a while is forgotten first."""


def too_many(detail: str, retry_after_seconds: float, limit: int, code: str = "too_many") -> Refused:
    """A refusal that says what the limit is, and when to come back."""
    refused = refuse(code, detail, expected=limit)
    refused.retry_after = max(1, math.ceil(retry_after_seconds))  # type: ignore[attr-defined]
    return refused


class Rate:
    """So many a minute for each key, of which a whole minute's worth may come at once.

    The generic cell rate algorithm: for each key, only the time at which it will have used up what it was given.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self._each_seconds = 60.0 / per_minute
        self._clock = clock
        self._paid_until: dict[str, float] = {}
        self._lock = threading.Lock()

    def wait_seconds(self, key: str) -> float:
        """Counts one for `key` and returns 0; or counts nothing and returns how long to wait."""
        now = self._clock()
        with self._lock:
            paid_until = max(self._paid_until.get(key, now), now) + self._each_seconds
            wait = paid_until - now - 60.0
            if wait > 0:
                return wait
            self._paid_until[key] = paid_until
            if len(self._paid_until) > _MOST_KEYS:
                self._forget(now)
        return 0.0

    def _forget(self, now: float) -> None:
        """Drops who owes nothing any more; and where that frees too little, who owes least."""
        kept = {key: until for key, until in self._paid_until.items() if until > now}
        if len(kept) > _MOST_KEYS // 2:
            most = sorted(kept.items(), key=lambda entry: entry[1])[-_MOST_KEYS // 2 :]
            kept = dict(most)
        self._paid_until = kept


class Slots:
    """Places for what holds a thread for long: so many in all, and at most half of them for one client.

    full, held: what is said where all are taken, and where the client's own are.
    """

    def __init__(self, total: int, full: str, held: str) -> None:
        self.total = total
        self.each = max(1, total // 2)
        self._full = full
        self._held = held
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """How many are open now."""
        with self._lock:
            return self._open.total()

    def take(self, key: str) -> None:
        """Takes a place for `key`; raises Refused where there is none. `give_back` must follow."""
        with self._lock:
            if self._open.total() >= self.total:
                raise too_many(self._full, _PLACE_AGAIN_SECONDS, self.total, "unavailable")
            if self._open[key] >= self.each:
                raise too_many(self._held, _PLACE_AGAIN_SECONDS, self.each)
            self._open[key] += 1

    def give_back(self, key: str) -> None:
        """Frees a place that was taken."""
        with self._lock:
            self._open[key] -= 1
            if self._open[key] <= 0:
                del self._open[key]

    @contextmanager
    def held(self, key: str) -> Iterator[None]:
        """A place for as long as the block runs."""
        self.take(key)
        try:
            yield
        finally:
            self.give_back(key)


class Limits:
    """Every limit on requests, made from the settings."""

    def __init__(self, settings: ServerSettings) -> None:
        self.by_token = Rate(settings.requests_per_minute_by_token)
        self.by_address = Rate(settings.requests_per_minute_by_address)
        self.sessions = Rate(settings.sessions_per_minute_by_address)
        self.streams = Slots(
            settings.stream_limit,
            "As many streams are open as this service can hold; ask again, or read the events meanwhile.",
            "This token has as many streams open as one may; close one first.",
        )
        # A client that sends its body slowly holds a thread. Some are kept for those who send none.
        self.bodies = Slots(
            max(2, settings.threads * 3 // 4),
            "More requests are being received than this service can hold; ask again.",
            "More requests of this address are being received than one may send at a time; ask again.",
        )

    def request_from(self, address: str) -> None:
        """Counts a request from an address. Raises Refused (`too_many`)."""
        self._count(self.by_address, address, "requests a minute may come from one address")

    def request_with(self, token_id: str) -> None:
        """Counts a request made with a token. Raises Refused (`too_many`)."""
        self._count(self.by_token, token_id, "requests a minute may be made with one token")

    def session_from(self, address: str) -> None:
        """Counts a session opened from an address. Raises Refused (`too_many`)."""
        self._count(self.sessions, address, "sessions a minute may be opened from one address")

    @staticmethod
    def _count(rate: Rate, key: str, what: str) -> None:
        wait_seconds = rate.wait_seconds(key)
        if wait_seconds:
            raise too_many(f"At most {rate.per_minute} {what}; wait a little.", wait_seconds, rate.per_minute)
