"""PgBouncer in transaction mode before a Postgres, as many services have it.

`TEST_POOLED=1` puts it before every database of a run; see conftest.py.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.store.privileges import SERVICE_ROLE

PATIENCE_SECONDS = 60.0
# What a client does in turn meets another connection each time, and few of them are shared by many.
CONFIGURATION = """
[databases]
* = {target}
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = 6432
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = {size}
server_round_robin = 1
server_lifetime = 1
max_client_conn = 500
logfile = {folder}/log
pidfile = {folder}/pid
"""


def through(pooler: str, conninfo: str) -> str:
    """How to connect to a database, as the same user, through a pooler or whatever else stands before its server."""
    there, named = conninfo_to_dict(pooler), conninfo_to_dict(conninfo)
    return make_conninfo(host=str(there["host"]), port=str(there["port"]), user=named["user"], dbname=named["dbname"])


@contextmanager
def pgbouncer(conninfo: str, size: int = 2) -> Iterator[str]:
    """How to connect to the same database through a pooler of our own, or to any other of its server with `through`.

    size: the most connections that it has to a database. Skips the test where there is no PgBouncer.
    """
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed (Debian: apt-get install pgbouncer)")
    server = conninfo_to_dict(conninfo)
    folder = Path(tempfile.mkdtemp(prefix="bragbook-pooler-"))
    command = [program, str(folder / "pgbouncer.ini")]
    target = " ".join(f"{key}={server[key]}" for key in ("host", "port") if key in server)
    (folder / "pgbouncer.ini").write_text(CONFIGURATION.format(folder=folder, target=target, size=size))
    known = {str(server["user"]): str(server.get("password", "")), SERVICE_ROLE: ""}
    (folder / "users").write_text("".join(f'"{user}" "{password}"\n' for user, password in known.items()))
    if os.geteuid() == 0:
        # It does not run as root; as the owner of the server's socket it can reach that.
        socket_folder = Path(str(server.get("host") or "/"))
        owner = pwd.getpwuid(socket_folder.stat().st_uid) if socket_folder.is_dir() else pwd.getpwnam("nobody")
        account = owner if owner.pw_uid else pwd.getpwnam("nobody")
        for path in (folder, *folder.iterdir()):
            os.chown(path, account.pw_uid, account.pw_gid)
        command[1:1] = ["--user", account.pw_name]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        pooled = through(make_conninfo(host=str(folder), port=6432), conninfo)
        _wait_for(pooled, process, folder)
        yield pooled
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
        shutil.rmtree(folder)


def _wait_for(conninfo: str, process: subprocess.Popen[bytes], folder: Path) -> None:
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            psycopg.connect(conninfo).close()
            return
        except psycopg.OperationalError:
            log = (folder / "log").read_text() if (folder / "log").exists() else "it wrote no log"
            assert process.poll() is None, f"PgBouncer ended: {log}"
            assert time.monotonic() < give_up_at, f"PgBouncer does not answer: {log}"
            time.sleep(0.05)
