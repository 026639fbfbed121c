"""The service as a process: when it says that it is ready, and how it ends (contract.md §1)."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.api.serving import FROM_A_TERMINAL, PATIENCE_SECONDS, ROOT, Service, Stream, eventually
from tests.embedded.processes import ended
from tests.factories import EventFactory, SessionFactory


def processes_of(service: Service) -> list[psutil.Process]:
    """The process that was started and its children."""
    started = psutil.Process(service.process.pid)
    return [started, *started.children(recursive=True)]


def said_until_now(service: Service) -> str:
    """What it has said that was not read yet, without waiting for more."""
    assert service.process.stdout is not None
    pipe = service.process.stdout.fileno()
    os.set_blocking(pipe, False)
    try:
        return os.read(pipe, 65536).decode()
    except BlockingIOError:
        return ""
    finally:
        os.set_blocking(pipe, True)


@pytest.fixture(scope="module")
def service(database: str) -> Iterator[Service]:
    """A service with few threads, for whatever leaves it running.

    What it needs does not grow with how many of them happen to answer: each would keep what it was given once.
    """
    with Service(database, through=(*FROM_A_TERMINAL, "MALLOC_ARENA_MAX=1"), threads=8, log_level="error") as service:
        yield service


def test_it_can_be_used_when_it_says_so(service: Service) -> None:
    assert service.said[-1] == f"Bragbook is ready at http://127.0.0.1:{service.port}"
    assert service.ask("GET", "/readyz")[0] == 200
    assert service.open(SessionFactory())["version"] == 1


def test_the_club_s_token_is_shown_at_the_first_start_alone(fresh_database: str) -> None:
    with Service(fresh_database) as service:
        (token,) = [line.strip() for line in service.said if line.strip().startswith("bb_club_")]
        assert service.ask("GET", "/api/v1/people", token=token)[0] == 200
        opened = service.open(SessionFactory())
    with Service(fresh_database, "--host", "0.0.0.0") as service:
        assert not [line for line in service.said if "bb_club_" in line]
        assert service.ask("POST", "/api/v1/sessions", SessionFactory())[0] == 401
        assert service.ask("POST", "/api/v1/sessions", SessionFactory(), token)[0] == 201
        assert service.ask("GET", f"/api/v1/sessions/{opened['id']}", token=opened["tokens"]["view"])[0] == 200


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_ends_at_once_with_streams_open_and_leaves_nothing_behind(database: str, how: signal.Signals) -> None:
    """A worker that had to be killed would have more time to end than there is patience here."""
    with Service(database, log_level="error", stop_timeout_seconds=10 * PATIENCE_SECONDS) as service:
        opened = service.open(SessionFactory())
        streams = [Stream(service, opened["id"], opened["tokens"]["view"]) for _ in range(5)]
        for stream in streams:
            assert stream.event()["seq"] == 1
        there = processes_of(service)
        assert service.stop(how) == 0
        for stream in streams:
            assert stream.block() is None
            stream.close()
        assert all(map(ended, there))


def test_under_nohup_a_closed_terminal_changes_nothing(database: str) -> None:
    with Service(database, through=("nohup",), log_level="error") as service:
        opened = service.open(SessionFactory())
        there = processes_of(service)
        with Stream(service, opened["id"], opened["tokens"]["view"], after=1) as stream:
            service.process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
            path = f"/api/v1/sessions/{opened['id']}/events"
            assert service.ask("POST", path, EventFactory(), opened["tokens"]["record"])[0] == 201
            assert stream.event()["seq"] == 2
        assert processes_of(service) == there


@pytest.mark.parametrize(("how", "seconds"), [(signal.SIGHUP, 0.2), (signal.SIGINT, 0.5), (signal.SIGTERM, 0.9)])
def test_told_to_stop_while_it_starts_it_stops(database: str, how: signal.Signals, seconds: float) -> None:
    """At any moment: before it knows the signal, while it reaches for the database, while its worker begins."""
    service = Service(database, log_level="error")
    time.sleep(seconds)
    there = processes_of(service)
    service.stop(how)
    eventually(lambda: all(map(ended, there)))
    with suppress(AssertionError):  # it has ended, ready or not: what is left are its pipes
        service.__enter__()
    service.__exit__(None, None, None)


@pytest.mark.parametrize(("how", "seconds"), [(signal.SIGTERM, 0), (signal.SIGHUP, 0.05), (signal.SIGTERM, 0.2)])
def test_told_to_stop_while_its_worker_starts_it_has_nothing_to_wait_for(
    database: str, how: signal.Signals, seconds: float
) -> None:
    """A worker that did not hear it would have more time to end than there is patience here."""
    service = Service(database, log_level="error", stop_timeout_seconds=10 * PATIENCE_SECONDS)
    eventually(lambda: psutil.Process(service.process.pid).children())
    time.sleep(seconds)
    there = processes_of(service)
    said_until_now(service)
    assert service.stop(how) == 0
    assert all(map(ended, there))
    assert service.process.stdout is not None
    assert "ready" not in service.process.stdout.read()
    service.__exit__(None, None, None)


def test_what_was_acknowledged_is_there_after_the_service_is_killed(database: str) -> None:
    with Service(database, log_level="error") as service:
        opened = service.open(SessionFactory())
        path, token = f"/api/v1/sessions/{opened['id']}", opened["tokens"]["record"]
        for number in range(20):
            assert service.ask("POST", f"{path}/events", EventFactory(text=str(number)), token)[0] == 201
        there = processes_of(service)
        assert len(there) > 1
        service.process.kill()
        service.process.wait()
        # The worker does not outlive the process that watches over it.
        eventually(lambda: all(map(ended, there)))
    with Service(database, log_level="error") as service:
        assert service.ask("GET", path, token=token)[2]["version"] == 21


def test_a_worker_that_is_killed_is_replaced(database: str) -> None:
    with Service(database, log_level="error") as service:
        opened = service.open(SessionFactory())
        worker = next(child for child in psutil.Process(service.process.pid).children() if "python" in child.name())
        worker.kill()

        def answers() -> bool:
            try:
                return service.ask("GET", f"/api/v1/sessions/{opened['id']}", token=opened["tokens"]["view"])[0] == 200
            except OSError:
                return False

        eventually(answers)


def serve(conninfo: str, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """`bragbook serve` that does not get as far as serving."""
    environment = {**os.environ, "DATABASE_URL": conninfo, **settings}
    command = [sys.executable, "-m", "service.cli", "serve", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_a_taken_port_is_one_clear_line(service: Service, database: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    for taken in (service.port, listener.getsockname()[1]):
        ended = serve(database, "--port", str(taken))
        assert ended.returncode == 1
        assert ended.stdout == ""
        (line,) = ended.stderr.splitlines()
        assert f"Port {taken} on 127.0.0.1 is taken" in line
        assert "--port" in line
    listener.close()


@pytest.mark.parametrize(
    ("arguments", "settings", "says"),
    [
        (["--host", "192.0.2.1"], {}, "192.0.2.1 is no address of this machine"),
        (["--host", "no.such.host.invalid"], {}, "no.such.host.invalid is no address"),
        (["--tls-cert", __file__], {}, "needs both"),
        ([], {"BRAGBOOK_THREADS": "many"}, "BRAGBOOK_THREADS is a whole number"),
        (["--port", "70000"], {}, "70000"),
    ],
)
def test_what_cannot_be_served_is_one_clear_line(
    database: str, arguments: list[str], settings: dict[str, str], says: str
) -> None:
    ended = serve(database, *arguments, **settings)
    assert ended.returncode in {1, 2}
    (line,) = ended.stderr.splitlines()
    assert says in line


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and its key."""
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "bragbook.test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    folder = tmp_path_factory.mktemp("tls")
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "cert.pem", folder / "key.pem"


def test_with_a_certificate_it_speaks_https(database: str, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    with Service(database, "--tls-cert", str(cert), "--tls-key", str(key), log_level="error") as service:
        assert service.said[-1] == f"Bragbook is ready at https://127.0.0.1:{service.port}"
        context = ssl.create_default_context(cafile=str(cert))
        with (
            socket.create_connection((service.host, service.port), timeout=30) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as secured,
        ):
            secured.sendall(b"GET /rules HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            head = secured.recv(65536).decode("latin-1").lower()
        assert head.startswith("http/1.1 200")
        assert "strict-transport-security: max-age=31536000" in head


def ask_raw(service: Service, request: bytes) -> bytes:
    with socket.create_connection((service.host, service.port), timeout=30) as connection:
        received = b""
        with suppress(OSError):  # the service may have hung up on it already
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65536):
                received += chunk
        return received


def test_what_is_no_http_does_no_harm(service: Service) -> None:
    for request in (
        b"\x00" * 1000,
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01" + os.urandom(300),
        b"",
    ):
        assert b"Traceback" not in ask_raw(service, request)
    assert service.ask("GET", "/healthz")[0] == 200


def test_a_large_body_is_refused_and_the_client_gets_to_read_why(service: Service) -> None:
    opened = service.open(SessionFactory())
    status, _, problem = service.ask(
        "POST",
        f"/api/v1/sessions/{opened['id']}/events",
        EventFactory(text="x" * 8_000_000),
        opened["tokens"]["record"],
    )
    assert (status, problem["code"]) == (413, "too_large")


def test_slow_clients_hold_up_nobody(service: Service) -> None:
    """A body that trickles in holds a thread; there are others."""
    opened: Any = service.open(SessionFactory())
    path = f"/api/v1/sessions/{opened['id']}/events"
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {opened['tokens']['record']}\r\nContent-Length: 1000\r\n\r\n{{"
    ).encode()
    slow = [socket.create_connection((service.host, service.port)) for _ in range(20)]
    try:
        for connection in slow:
            connection.sendall(head)
        time.sleep(0.5)
        for _ in range(10):
            assert service.ask("GET", f"/api/v1/sessions/{opened['id']}", token=opened["tokens"]["view"])[0] == 200
    finally:
        for connection in slow:
            connection.close()
    eventually(lambda: service.ask("POST", path, EventFactory(), opened["tokens"]["record"])[0] == 201)


def test_a_long_log_streams_in_constant_memory(service: Service) -> None:
    opened = service.open(SessionFactory())
    path, token = f"/api/v1/sessions/{opened['id']}/events", opened["tokens"]["record"]
    for number in range(8):
        notes = [EventFactory(text=f"{number} " + "x" * 500) for _ in range(1000)]
        assert service.ask("POST", path, notes, token)[0] == 201
    worker = next(child for child in psutil.Process(service.process.pid).children() if "python" in child.name())

    def read() -> int:
        lines = 0
        with service.connection() as connection:
            headers = {"Authorization": f"Bearer {token}", "Accept": "application/x-ndjson"}
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            while answer.readline():
                lines += 1
        return lines

    assert read() == 8001
    before = worker.memory_info().rss
    for _ in range(3):
        assert read() == 8001
    grown = worker.memory_info().rss - before
    assert grown < 3_000_000, f"{grown} bytes more for a log of some 8 MB"
