"""Serves the application: granian in front, one worker process, and an end that leaves nothing behind.

The process that was started watches over one worker, which answers the requests. SIGTERM, Ctrl-C and a closed terminal
(unless it was started with nohup) stop both: requests under way are answered, open streams are ended, and what is still
running after `stop_timeout_seconds` is killed. The worker does not outlive the process that started it, however that
one dies.
"""

from __future__ import annotations

import errno
import http.client
import os
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from granian import Granian
from granian.constants import Interfaces, SSLProtocols
from granian.log import LogLevels

from service import logs
from service.server_settings import ServerSettingFault, ServerSettings

_POLL_SECONDS: Final = 0.02
_READY_TIMEOUT_SECONDS: Final = 60.0


class PortFault(Exception):
    """The service cannot listen where it was told to; the message is one line that says what to do."""


def take_port(settings: ServerSettings) -> ServerSettings:
    """The settings with a port that is free; port 0 becomes one that is. Raises PortFault.

    To be asked before anything else is started: the server itself would share a port with another of its kind.
    """
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror:
        raise PortFault(f"{settings.host} is no address of this machine: name another with --host.") from None
    family, kind, protocol, _, address = found[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            raise PortFault(_why_not(settings, error)) from None
        return replace(settings, port=probe.getsockname()[1])


def _why_not(settings: ServerSettings, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {settings.port} on {settings.host} is taken: stop what uses it, or name another with --port."
    if error.errno == errno.EACCES:
        return f"Port {settings.port} is only for root: name one from 1024 with --port."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{settings.host} is no address of this machine: name another with --host."
    return f"Cannot listen on {settings.host}:{settings.port}: {os.strerror(error.errno or 0)}."


def check_certificate(settings: ServerSettings) -> None:
    """Raises ServerSettingFault for a certificate that HTTPS cannot be served with, before anything is started."""
    if settings.tls_cert is None:
        return
    try:
        # No password: a key that has one would be asked for at a terminal that may not be there.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_cert, settings.tls_key, lambda: "")
    except OSError as error:
        raise ServerSettingFault(
            f"HTTPS cannot be served with the certificate {settings.tls_cert} and the key {settings.tls_key} "
            f"({error.strerror or error}): both must be PEM files that can be read, without a password, and belong "
            "together."
        ) from None


def announce(url: str) -> None:
    """Says that the service can be used."""
    print(f"Bragbook is ready at {url}", flush=True)  # noqa: T201


def run(settings: ServerSettings, ready: Callable[[str], None] = announce) -> int:
    """Serves until told to stop; returns the process's exit code. `ready` is called, in the worker, with the address.

    The database that `settings` name must be up and migrated. Raises PortFault where the port is taken.
    """
    settings = take_port(settings)
    server = Granian(
        "service.app:create_app",
        address=str(socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][4][0]),
        port=settings.port,
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=settings.threads,
        # Requests waiting for a thread; beyond these, connections wait in the backlog.
        backpressure=max(128, settings.threads * 4),
        websockets=False,
        respawn_failed_workers=True,
        workers_kill_timeout=settings.stop_timeout_seconds,
        ssl_cert=settings.tls_cert,
        ssl_key=settings.tls_key,
        ssl_protocol_min=SSLProtocols.tls12,  # older phones know nothing newer
        log_level=LogLevels.debug if settings.log_level == "debug" else LogLevels.error,
        log_dictconfig=_ON_STANDARD_ERROR,
    )
    hung_up = signal.getsignal(signal.SIGHUP)
    if hung_up is not signal.SIG_IGN:
        hung_up = server.signal_handler_interrupt
    # granian has a handler of its own set by then, which would begin a new worker: under nohup too.
    server.on_startup(lambda: signal.signal(signal.SIGHUP, hung_up))
    _when_told_to_stop(lambda: _insist(server.signal_handler_interrupt))
    # Until the worker serves there is nothing to finish; what it inherits would take no notice of a stop, told once.
    os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
    try:
        server.serve(target_loader=_Worker(settings, ready, os.getpid()), wrap_loader=False)
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else 1
    return 0


# granian's own lines; requests are logged by the application.
_ON_STANDARD_ERROR: Final[dict[str, Any]] = {
    "formatters": {"plain": {"format": "%(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain", "stream": "ext://sys.stderr"}},
    "loggers": {"_granian": {"handlers": ["stderr"], "propagate": False}},
}


@dataclass(frozen=True, slots=True)
class _Worker:
    """Makes the application in the worker. The connection pool opens there, after the fork."""

    settings: ServerSettings
    ready: Callable[[str], None]
    parent: int

    def __call__(self) -> Any:
        from service.app import create_app, end_streams
        from service.embedded.child import die_with_parent
        from service.garbage import look_seldom
        from service.parts import EXTENSION

        die_with_parent(self.parent, signal.SIGKILL)
        # Ctrl-C and a closed terminal are for the process that watches: it tells this one.
        os.setpgid(0, 0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        logs.configure(self.settings.log_level, self.settings.log_format)
        app = create_app(self.settings)
        look_seldom()
        stopping = app.extensions[EXTENSION].closing
        _when_told_to_stop(lambda: end_streams(app))
        threading.Thread(target=self._say_when_ready, args=(stopping,), daemon=True, name="ready").start()
        return app

    def _say_when_ready(self, stopping: threading.Event) -> None:
        until = time.monotonic() + _READY_TIMEOUT_SECONDS
        while time.monotonic() < until and not stopping.is_set():
            if _answers(self.settings) and not stopping.is_set():
                self.ready(self.settings.url)
                return
            time.sleep(_POLL_SECONDS)


def _answers(settings: ServerSettings) -> bool:
    """Whether the service says of itself that it is ready."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    connection: http.client.HTTPConnection
    if settings.tls:
        # Whether the certificate is good for this address is for clients to judge.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, settings.port, timeout=5, context=context)
    else:
        connection = http.client.HTTPConnection(host, settings.port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _insist(stop: Callable[[], object]) -> None:
    """Tells the server to stop until this process ends.

    Once would do but for two moments. Python's own handler does not interrupt a wait that is just about to begin; and
    while granian replaces a worker that died, it forgets by what it was woken.
    """
    while True:
        stop()
        time.sleep(_POLL_SECONDS)


def _when_told_to_stop(act: Callable[[], object]) -> None:
    """Calls `act` in a thread when a signal to stop arrives, whoever handles the signal itself.

    granian sets its own handlers; the wakeup descriptor gets the signal's number besides, if it is not ignored.
    """
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)

    def wait() -> None:
        while sender.fileno() >= 0:
            if receiver.recv(1)[0] in {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}:
                act()

    threading.Thread(target=wait, daemon=True, name="stop").start()
