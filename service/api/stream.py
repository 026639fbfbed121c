"""Watching: each stored event as a server-sent event, as it is stored (contract.md §4).

A stream holds a thread for as long as it is open, so that only half of them may: whoever finds none free is told when
to ask again, and can read the events meanwhile. A comment now and then finds out who has gone, and one at once where
somebody finds no place.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Final

from flask import Response

from events.refusals import Refused
from service.api.asks import Ask, asks
from service.api.parsing import LAST_EVENT_ID
from service.api.resource import Resource
from service.store.watch import Watcher

blueprint = Resource("stream", __name__, url_prefix="/api/v1/sessions", description="Watching.")

STREAM_TYPE: Final = "text/event-stream"
COME_BACK_AFTER_MS: Final = 2_000
"""How long a browser waits before it takes up a stream that broke off."""


@blueprint.route("/<session_id>/stream", methods=["GET"])
@blueprint.response(200, {"type": "string"}, content_type=STREAM_TYPE, description="Each event, its `id` the seq.")
@asks("read the session", header=LAST_EVENT_ID)
def stream(ask: Ask) -> Response:
    """Watch a session.

    Sends what there is after `Last-Event-ID`, then each event as it is stored, and a comment now and then. Ends when
    the token is revoked. A `Last-Event-ID` that the session has not come to is refused: the log is not the one that was
    watched, as after a backup was put back.
    """
    here, places = ask.parts, ask.parts.limits.streams
    key = f"{ask.session}/{ask.by.id}"
    try:
        places.take(key)
    except Refused:
        # A client that has gone is noticed when something is sent to it: its place is free when this one asks again.
        here.sessions.watching.nudge()
        raise
    try:
        idle_seconds = here.settings.stream_keep_alive_seconds
        watcher = here.sessions.watch(ask.session, ask.header, ask.by, idle_seconds)
    except BaseException:
        places.give_back(key)
        raise
    response = Response(_told(watcher), content_type=STREAM_TYPE)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # nginx would hold events back

    ended = threading.Lock()

    def end() -> None:
        # A server may close twice, from two threads: where the client went, and where the answer is thrown away.
        if ended.acquire(blocking=False):
            watcher.close()
            places.give_back(key)

    # Called when the stream ends and when the client goes, also where not one event was sent.
    response.call_on_close(end)
    return response


def _told(watcher: Watcher) -> Iterator[bytes]:
    """The stream's bytes: a comment at once, so that the client knows that it is heard, then events and comments."""
    yield f"retry: {COME_BACK_AFTER_MS}\n: watching\n\n".encode()
    for event in watcher:
        if event is None:
            yield b": still here\n\n"
        else:
            yield b"id: %d\ndata: %b\n\n" % (event.seq, event.line())
