"""A process that holds many streams open and notes when each event comes: started by `watching.py`.

Reads one JSON object from standard input: `port`, and `streams`, a list of [path, token]. Says "watching" once all are
open; ends when its standard input does, and then writes a line for each event: session's path, seq, monotonic seconds.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import sys
import time

_ID = re.compile(rb"^id: (\d+)$", re.MULTILINE)


def _opened(port: int, path: str, token: str) -> socket.socket:
    stream = socket.create_connection(("127.0.0.1", port))
    asked = ("GET {} HTTP/1.1", "Host: localhost", "Accept: text/event-stream", "Authorization: Bearer {}", "", "")
    stream.sendall("\r\n".join(asked).format(path, token).encode())
    heard = b""
    while b": watching" not in heard:
        more = stream.recv(65536)
        if not more or b"HTTP/1.1 200" not in heard + more:
            raise RuntimeError(f"{path} could not be watched: {(heard + more)[:300]!r}")
        heard += more
    stream.setblocking(False)
    return stream


def main() -> None:
    """See the module."""
    asked = json.loads(sys.stdin.readline())
    heard: list[tuple[str, int, float]] = []
    with selectors.DefaultSelector() as selector:
        for path, token in asked["streams"]:
            selector.register(_opened(asked["port"], path, token), selectors.EVENT_READ, path)
        selector.register(sys.stdin, selectors.EVENT_READ, None)
        print("watching", flush=True)
        ended = False
        while not ended:
            for key, _ in selector.select():
                if key.data is None:
                    ended = True
                    continue
                block = key.fileobj.recv(1 << 20)  # type: ignore[union-attr]
                now = time.monotonic()
                heard += [(key.data, int(seq), now) for seq in _ID.findall(block)]
                if not block:
                    selector.unregister(key.fileobj)
    for path, seq, at in heard:
        print(json.dumps([path, seq, at]))


if __name__ == "__main__":
    main()
