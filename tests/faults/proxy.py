"""What can happen between the service and its database: a proxy that passes on, is slow, stands still, or is gone."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from types import TracebackType
from typing import Literal

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.faults.served import free_port

Way = Literal["pass", "slow", "still", "gone"]
CHUNK = 65536


class Proxy:
    """Stands before a Postgres. `way` says what it does with what comes; `target`: to which server it passes on.

    pass: as though it were not there. slow: all answers come `delay_s` later. still: connections are taken and held,
    and nothing goes through. gone: nobody listens, and what was connected is cut.
    """

    def __init__(self, conninfo: str, delay_s: float = 0.0) -> None:
        self.target = conninfo
        self.way: Way = "pass"
        self.delay_s = delay_s
        self._pairs: set[tuple[socket.socket, socket.socket | None]] = set()
        self._guard = threading.Lock()
        self._ended = False
        self._listener: socket.socket | None = None
        self.port = free_port()  # which it leaves and comes back to
        self._listen()

    @property
    def conninfo(self) -> str:
        """How to connect to the database through it."""
        there = conninfo_to_dict(self.target)
        return make_conninfo(host="127.0.0.1", port=self.port, user=there["user"], dbname=there["dbname"])

    def be(self, way: Way) -> None:
        """Change what it does, also to connections that are open."""
        self.way = way
        if way == "gone":
            self._close_listener()
            self.cut()
        elif self._listener is None:
            self._listen()

    def cut(self) -> None:
        """Cut every connection that is open now."""
        with self._guard:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            for end in pair:
                if end is not None:
                    with contextlib.suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = True
        self._close_listener()
        self.cut()

    # --- threads ---

    def _listen(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _close_listener(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            while self.way == "still" and not self._ended:
                time.sleep(0.05)
            try:
                server = _connected(self.target)
            except OSError:
                return
            pair = (client, server)
            with server:
                with self._guard:
                    self._pairs.add(pair)
                if self.way != "gone":
                    with contextlib.suppress(OSError):
                        self._carry(client, server)
                with self._guard:
                    self._pairs.discard(pair)

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        while not self._ended:
            for end in select.select([client, server], [], [], 0.2)[0]:
                if self.way == "still":
                    time.sleep(0.05)
                    continue
                chunk = end.recv(CHUNK)
                if not chunk:
                    return
                if end is server and self.way == "slow":
                    time.sleep(self.delay_s)
                (client if end is server else server).sendall(chunk)


def _connected(conninfo: str) -> socket.socket:
    there = conninfo_to_dict(conninfo)
    host, port = str(there["host"]), int(there.get("port") or 5432)
    if not host.startswith("/"):
        return socket.create_connection((host, port))
    line = socket.socket(socket.AF_UNIX)
    line.connect(f"{host}/.s.PGSQL.{port}")
    return line
