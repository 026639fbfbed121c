"""PgBouncer in transaction mode before a database, as a cluster has it."""

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

START_SECONDS = 20.0
# Two connections to the server, so that what a client does in turn meets different ones.
CONFIGURATION = """
[databases]
{name} = {target}
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 2
server_lifetime = 1
logfile = {folder}/log
pidfile = {folder}/pid
"""


@contextmanager
def pgbouncer(conninfo: str) -> Iterator[str]:
    """How to connect to the same database through a pooler of our own; skips the test where there is none."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed (Debian: apt-get install pgbouncer)")
    target = {**conninfo_to_dict(conninfo)}
    folder = Path(tempfile.mkdtemp(prefix="bragbook-pooler-"))
    command = [program, str(folder / "pgbouncer.ini")]
    (folder / "pgbouncer.ini").write_text(
        CONFIGURATION.format(
            name=target["dbname"],
            folder=folder,
            target=" ".join(
                f"{key}={target[key]}" for key in ("host", "port", "user", "password", "dbname") if key in target
            ),
        )
    )
    if os.geteuid() == 0:
        # It does not run as root; as the owner of the server's socket it can reach that.
        socket_folder = Path(str(target.get("host") or "/"))
        owner = pwd.getpwuid(socket_folder.stat().st_uid) if socket_folder.is_dir() else pwd.getpwnam("nobody")
        account = owner if owner.pw_uid else pwd.getpwnam("nobody")
        for path in (folder, folder / "pgbouncer.ini"):
            os.chown(path, account.pw_uid, account.pw_gid)
        command[1:1] = ["--user", account.pw_name]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        pooled = make_conninfo(host=str(folder), port=6432, user=target["user"], dbname=target["dbname"])
        _wait_for(pooled, process, folder)
        yield pooled
    finally:
        process.terminate()
        process.wait(10)
        shutil.rmtree(folder)


def _wait_for(conninfo: str, process: subprocess.Popen[bytes], folder: Path) -> None:
    give_up_at = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(conninfo).close()
            return
        except psycopg.OperationalError:
            log = (folder / "log").read_text() if (folder / "log").exists() else "it wrote no log"
            assert process.poll() is None, f"PgBouncer ended: {log}"
            assert time.monotonic() < give_up_at, f"PgBouncer does not answer: {log}"
            time.sleep(0.05)
