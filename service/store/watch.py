"""Watching sessions: whoever watches gets every event once, in order, from where they were.

One loop per process asks, for all watched sessions at once, what is newer than what it knows; what this process appends
itself is told to it directly. There is no LISTEN/NOTIFY: it takes a lock on every commit and gets lost behind a pooler.
A watcher keeps nothing but its place. A session that is watched keeps its last few events for all its watchers; who is
further behind reads for themselves, a page at a time. So a slow watcher costs a place in the log, and no memory.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Final, Protocol
from uuid import UUID

from service.store.faults import StoreFault, Unavailable
from service.store.log import PAGE, Log, Stored
from service.store.tokens import Tokens

ASK_EVERY_MS: Final = 250
ASK_FOR_REVOKED_EVERY_MS: Final = 1_000
NUDGE_EVERY_MS: Final = 1_000
RECENT: Final = 64
"""How many of a watched session's last events are kept for its watchers."""
CATCH_UP_PAGE: Final = 100

Holder = tuple[UUID, str]
"""(session, public id) of the token that a watcher holds."""


class _Session:
    """A session that is watched: `version` of the last event known of, and the last few events."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.version = 0
        self.recent: deque[Stored] = deque(maxlen=RECENT)
        self.watchers: set[Watcher] = set()

    def add(self, events: Sequence[Stored]) -> None:
        """Events that are newer than those known, in order, perhaps not from the next on."""
        with self.changed:
            for event in events:
                if event.seq <= self.version:
                    continue
                if event.seq != self.version + 1:
                    self.recent.clear()
                self.recent.append(event)
                self.version = event.seq
            self.changed.notify_all()

    def after(self, seq: int) -> list[Stored] | None:
        """The events after one, where they are kept here; None where they have to be read."""
        if not self.recent or self.recent[0].seq > seq + 1:
            return None
        return [event for event in self.recent if event.seq > seq]


class Watcher(Iterator["Stored | None"]):
    """Every stored event of a session after a place, as they come; None when nothing came for a while.

    Ends when the watch stops or the holder's token is revoked. To be closed, by `with` or `close`.
    """

    def __init__(self, watch: Watch, session: UUID, after: int, holder: Holder | None, idle_s: float) -> None:
        self.session = session
        self.holder = holder
        self.place = after
        self.ended = False
        self.nudged = False
        self._watch = watch
        self._idle_s = idle_s
        self._ready: deque[Stored] = deque()
        self._watched = _Session()
        self._watched = watch.enter(self)

    def __next__(self) -> Stored | None:
        if not self._ready and not self._wait():
            return None
        event = self._ready.popleft()
        self.place = event.seq
        return event

    def _wait(self) -> bool:
        """Whether there is something ready, after waiting for it."""
        watched, give_up_at = self._watched, time.monotonic() + self._idle_s
        with watched.changed:
            while not (self.ended or self.nudged) and watched.version <= self.place:
                left = give_up_at - time.monotonic()
                if left <= 0 or not watched.changed.wait(left):
                    break
            if self.ended:
                raise StopIteration
            self.nudged = False
            if watched.version <= self.place:
                return False
            ready = watched.after(self.place)
        if ready is None:
            try:
                ready = self._watch.read(self.session, self.place)
            except Unavailable:
                time.sleep(min(1.0, self._idle_s))  # the caller says that it lives, and asks again
                return False
        self._ready.extend(ready)
        return bool(ready)

    def close(self) -> None:
        """Watch no longer."""
        self.end()
        self._watch.leave(self)

    def end(self) -> None:
        """Let whoever iterates come to an end."""
        with self._watched.changed:
            self.ended = True
            self._watched.changed.notify_all()

    def __enter__(self) -> Watcher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Watch(Protocol):
    """What a watcher needs of the watch."""

    def enter(self, watcher: Watcher) -> _Session: ...

    def leave(self, watcher: Watcher) -> None: ...

    def read(self, session: UUID, after: int) -> list[Stored]: ...


class Watching:
    """The watched sessions of this process, and the loop that asks what is new in them."""

    def __init__(self, log: Log, tokens: Tokens) -> None:
        self._log = log
        self._tokens = tokens
        self._sessions: dict[UUID, _Session] = {}
        self._guard = threading.Lock()
        self._wake = threading.Event()
        self._stopping = False
        self._nudge_again_at = 0.0
        self._loop: threading.Thread | None = None

    def watch(self, session: UUID, after: int, holder: Holder | None = None, idle_s: float = 15) -> Watcher:
        """Watch a session for what comes after a seq. holder: whose token must stay good. Raises Unavailable."""
        return Watcher(self, session, after, holder, idle_s)

    def told(self, session: UUID, events: Sequence[Stored]) -> None:
        """What this process has just appended."""
        watched = self._sessions.get(session)
        if watched is not None:
            watched.add(events)

    def revoked(self, session: UUID, token: str) -> None:
        """End whoever watches with this token."""
        with self._guard:
            watchers = self._watchers()
        for watcher in watchers:
            if watcher.holder == (session, token):
                watcher.end()

    def nudge(self) -> None:
        """Have all watchers that wait say that nothing came: to whom nothing can be said has gone. Once a second."""
        with self._guard:
            now = time.monotonic()
            if now < self._nudge_again_at:
                return
            self._nudge_again_at = now + NUDGE_EVERY_MS / 1000
            sessions = list(self._sessions.values())
            watchers = self._watchers()
        for watcher in watchers:
            watcher.nudged = True
        for watched in sessions:
            with watched.changed:
                watched.changed.notify_all()

    def count(self) -> int:
        """How many are watching."""
        with self._guard:
            return len(self._watchers())

    def stop(self) -> None:
        """End all watchers and the loop."""
        self._stopping = True
        self._wake.set()
        with self._guard:
            watchers, loop = self._watchers(), self._loop
        for watcher in watchers:
            watcher.end()
        if loop is not None and loop is not threading.current_thread():
            loop.join(timeout=5)

    # --- for watchers -------------------------------------------------------------------------------------------------

    def enter(self, watcher: Watcher) -> _Session:
        """Somebody begins to watch a session."""
        version = self._log.version(watcher.session)
        with self._guard:
            watched = self._sessions.setdefault(watcher.session, _Session())
            watched.watchers.add(watcher)
            if self._loop is None and not self._stopping:  # not before the first: a process may fork until then
                self._loop = threading.Thread(target=self._run, name="watching", daemon=True)
                self._loop.start()
        with watched.changed:
            watched.version = max(watched.version, version)
        watcher.ended |= self._stopping  # its token may have been revoked meanwhile
        self._wake.set()
        return watched

    def leave(self, watcher: Watcher) -> None:
        """Somebody watches no longer."""
        with self._guard:
            watched = self._sessions.get(watcher.session)
            if watched is not None:
                watched.watchers.discard(watcher)
                if not watched.watchers:
                    del self._sessions[watcher.session]

    def read(self, session: UUID, after: int) -> list[Stored]:
        """A page for a watcher that is behind. Raises Unavailable."""
        return self._log.read(session, after, CATCH_UP_PAGE)

    # --- the loop -----------------------------------------------------------------------------------------------------

    def _watchers(self) -> list[Watcher]:
        return [watcher for watched in self._sessions.values() for watcher in watched.watchers]

    def _run(self) -> None:
        ask_for_revoked_at = 0.0
        while not self._stopping:
            with self._guard:
                idle = not self._sessions
                if idle:
                    self._wake.clear()
            if idle:
                self._wake.wait()
                continue
            more = _whatever_happens(self._ask)
            if time.monotonic() >= ask_for_revoked_at:
                _whatever_happens(self._ask_for_revoked)
                ask_for_revoked_at = time.monotonic() + ASK_FOR_REVOKED_EVERY_MS / 1000
            if not more:
                time.sleep(ASK_EVERY_MS / 1000)

    def _ask(self) -> bool:
        """Ask once what is new; whether there is more to ask for at once."""
        with self._guard:
            sessions = dict(self._sessions)
        more = False
        for session, events in self._log.newer({session: watched.version for session, watched in sessions.items()}):
            sessions[session].add(events)
            more |= len(events) == PAGE
        return more

    def _ask_for_revoked(self) -> bool:
        with self._guard:
            held = {watcher.holder for watcher in self._watchers() if watcher.holder is not None}
        if held:
            for session, token in self._tokens.revoked(list(held)):
                self.revoked(session, token)
        return False


def _whatever_happens(ask: Callable[[], bool]) -> bool:
    """Ask, and be told nothing where the database is away: the loop goes on until it is back."""
    try:
        return ask()
    except (Unavailable, StoreFault):
        return False
