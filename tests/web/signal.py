"""A wire between phones and service that can be cut, and that can lose answers: one bar of signal, made exact."""

from __future__ import annotations

import contextlib
import socket
import threading

CHUNK_BYTES = 65536
ACCEPT_SECONDS = 0.2


class Signal:
    """Forwards connections on a port of its own to the service's.

    `cut()`: every connection breaks and no new one gets through, until `back()`. `lose_answers(n)`: the next n
    POST requests reach the service, and their answers do not come back. `hold()`: nothing more reaches the service
    until `back()`, and no connection breaks.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.there = True
        self.flowing = threading.Event()
        self.flowing.set()
        self.losing = 0
        self.lost = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(ACCEPT_SECONDS)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.open: set[socket.socket] = set()
        self.closing = False
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def cut(self) -> None:
        self.there = False
        for one in list(self.open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def hold(self) -> None:
        self.flowing.clear()

    def back(self) -> None:
        self.there = True
        self.flowing.set()

    def lose_answers(self, count: int) -> None:
        self.losing = count

    def close(self) -> None:
        self.closing = True
        self.cut()
        self.flowing.set()
        self.thread.join()
        self.listener.close()

    def _accept(self) -> None:
        while not self.closing:
            try:
                near, _ = self.listener.accept()
            except TimeoutError:
                continue
            if not self.there:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.port))
            lost = threading.Event()
            self.open |= {near, far}
            if not self.there:  # it was cut meanwhile
                self._end(near, far)
                continue
            threading.Thread(target=self._up, args=(near, far, lost), daemon=True).start()
            threading.Thread(target=self._down, args=(far, near, lost), daemon=True).start()

    def _up(self, near: socket.socket, far: socket.socket, lost: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := near.recv(CHUNK_BYTES):
                if self.losing and data.startswith(b"POST ") and b"/events" in data.split(b"\r\n", 1)[0]:
                    self.losing -= 1
                    self.lost += 1
                    lost.set()
                self.flowing.wait()
                far.sendall(data)
        self._end(near, far)

    def _down(self, far: socket.socket, near: socket.socket, lost: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := far.recv(CHUNK_BYTES):
                if lost.is_set():
                    break  # the service has answered: the event is stored, and the phone never hears of it
                near.sendall(data)
        self._end(near, far)

    def _end(self, near: socket.socket, far: socket.socket) -> None:
        for one in (near, far):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
            self.open.discard(one)
