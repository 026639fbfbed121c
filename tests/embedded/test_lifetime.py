"""What ends, how, and what is there after it: nothing that was committed is ever lost, and no process stays."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

import psycopg
import pytest

from service.embedded import EmbeddedPostgres
from tests.embedded.processes import PATIENCE_SECONDS, ROOT, needs_root, parent_of, postmaster, processes_in, until

WRITER = """
import sys, psycopg
with psycopg.connect(sys.argv[1], autocommit=True) as connection:
    connection.execute("create table if not exists written (number bigint primary key)")
    number = 0
    while True:
        number += 1
        connection.execute("insert into written values (%s)", [number])
        print(number, flush=True)
"""


def write_until(conninfo: str, acknowledged: Path, deed) -> int:
    """Insert rows one by one until `deed` breaks the connection; the last row that was acknowledged."""
    with acknowledged.open("w") as file:
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, conninfo], stdout=file, stderr=subprocess.DEVNULL, text=True
        )
    try:
        until(lambda: len(acknowledged.read_text().split()) > 50, "rows are written")
        deed()
        writer.wait(PATIENCE_SECONDS)
    finally:
        writer.kill()
        writer.wait()
    return int(acknowledged.read_text().split()[-1])


def test_what_is_committed_is_there_at_the_next_start_and_no_process_is_left(start, folder: Path):
    first = start(folder / "data")
    first.query("create table kept as select 17 as number")
    assert parent_of(postmaster(folder / "data")) == first.process.pid
    assert first.stop() == 0
    assert list(processes_in(folder)) == []
    assert not (folder / "data" / "postgres" / "postmaster.pid").exists()

    second = start(folder / "data")
    assert second.query("select number from kept") == [(17,)]


def test_every_acknowledged_row_survives_kill_9_of_postgres_and_the_server_comes_back(start, folder: Path, data: Path):
    holder = start(data)
    pid = postmaster(data)
    last = write_until(holder.conninfo, folder / "acknowledged", lambda: os.kill(pid, signal.SIGKILL))
    until(lambda: holder.query("select 1"), "the server is back at the same socket")
    assert postmaster(data) != pid
    assert parent_of(postmaster(data)) == holder.process.pid
    # The row under way when it was killed may be there as well; none before it may be missing.
    assert holder.query("select count(*) in (%s::bigint, %s::bigint + 1) from written", last, last) == [(True,)]


def test_every_acknowledged_row_survives_kill_9_of_the_owner_and_postgres_dies_with_it(start, folder: Path, data: Path):
    holder = start(data)
    last = write_until(holder.conninfo, folder / "acknowledged", holder.kill)
    until(lambda: not list(processes_in(folder)), "Postgres died with its parent")

    second = start(data)
    assert second.query("select count(*) in (%s::bigint, %s::bigint + 1) from written", last, last) == [(True,)]


@pytest.mark.soak
def test_twenty_kills_at_any_moment_lose_no_acknowledged_row(start, folder: Path, data: Path):
    random = Random(20)
    for _ in range(20):
        holder = start(data)
        holder.query("drop table if exists written")

        def strike(holder=holder) -> None:
            time.sleep(random.random() / 2)
            server, owner = random.choice(
                [(signal.SIGKILL, False), (signal.SIGQUIT, False), (None, True), (signal.SIGKILL, True)]
            )
            if server:
                os.kill(postmaster(data), server)
            if owner:
                holder.kill()

        last = write_until(holder.conninfo, folder / "acknowledged", strike)
        again = start(data)
        assert again.query("select count(*) in (%s::bigint, %s::bigint + 1) from written", last, last) == [(True,)]
        for each in (holder, again):
            each.close()


def test_a_start_at_once_after_kill_9_waits_for_what_is_still_ending(start, data: Path):
    for _ in range(3):
        holder = start(data)
        holder.kill()
    assert start(data).runs_server


def test_kill_9_of_both_at_once(start, data: Path):
    holder = start(data)
    holder.query("create table kept as select 17 as number")
    os.kill(postmaster(data), signal.SIGKILL)
    holder.kill()
    assert (data / "postgres" / "postmaster.pid").exists()
    assert start(data).query("select number from kept") == [(17,)]


def test_the_pid_in_a_stale_file_may_be_another_process_by_now(start, folder: Path, data: Path):
    holder = start(data)
    holder.query("create table kept as select 17 as number")
    account = (data / "postgres").stat().st_uid
    os.kill(postmaster(data), signal.SIGKILL)
    holder.kill()
    until(lambda: not list(processes_in(folder)), "all is gone")

    # Of the server's own user: any other's would be passed over by Postgres itself.
    other = subprocess.Popen(["sleep", "600"], user=account if os.geteuid() == 0 else None)
    try:
        for stale in (data / "postgres" / "postmaster.pid", data / "socket" / ".s.PGSQL.5432.lock"):
            lines = stale.read_text().split("\n")
            stale.write_text("\n".join([str(other.pid), *lines[1:]]))
        assert start(data).query("select number from kept") == [(17,)]
    finally:
        other.kill()
        other.wait()


def test_a_first_start_that_was_cut_short_is_begun_anew(start, folder: Path):
    data = folder / "data"
    holder = start(data, wait=False)
    until(lambda: (data / "postgres.unfinished" / "global").exists(), "the cluster is being made")
    holder.kill()
    assert not (data / "postgres").exists()
    assert start(data).query("select 1") == [(1,)]
    assert not (data / "postgres.unfinished").exists()


@pytest.mark.parametrize("milliseconds", [2, 4, 100])
def test_a_start_that_is_interrupted_ends_in_order_whatever_it_had_come_to(folder: Path, data: Path, milliseconds: int):
    class Interrupted(BaseException):
        pass

    def interrupt(*_):
        raise Interrupted

    def begin() -> None:
        signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)
        server.start()
        time.sleep(30)  # where it was quicker

    before = signal.signal(signal.SIGALRM, interrupt)
    server = EmbeddedPostgres(data)
    try:
        with pytest.raises(Interrupted):
            begin()
    finally:
        signal.signal(signal.SIGALRM, before)
        server.stop()
    assert list(processes_in(folder)) == []
    assert not (data / "postgres" / "postmaster.pid").exists()
    assert "immediate shutdown" not in (data / "postgres.log").read_text()  # nobody had to hurry it


def test_ctrl_c_at_the_terminal_does_not_reach_postgres(start, data: Path):
    holder = start(data)
    assert os.getsid(postmaster(data)) != os.getsid(holder.process.pid)


def test_the_thread_that_starts_it_may_end(data: Path):
    server = EmbeddedPostgres(data)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(server.start()))
    thread.start()
    thread.join()
    try:
        pid = postmaster(data)
        time.sleep(0.3)
        with psycopg.connect(found[0]) as connection:
            assert connection.execute("select 1").fetchall() == [(1,)]
        assert postmaster(data) == pid
    finally:
        server.stop()
    server.stop()  # once more does nothing


def test_a_forked_process_does_not_keep_the_folder(data: Path):
    server = EmbeddedPostgres(data)
    server.start()
    hold, go = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go)
        os.read(hold, 1)  # until the parent closes its end
        os._exit(0)
    try:
        server.stop()
        for name in ("owner.lock", "server.lock"):
            with (data / name).open() as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(hold)
        os.close(go)
        os.waitpid(child, 0)


def test_a_child_whose_parent_is_already_gone_does_not_begin(tmp_path: Path):
    order = '{"parent": 1, "user": null, "group": null, "closed": null, "shown": []}'
    command = [sys.executable, str(ROOT / "service/embedded/child.py"), order, "/bin/touch", str(tmp_path / "begun")]
    assert subprocess.run(command, check=False).returncode == 1
    assert not (tmp_path / "begun").exists()


@needs_root
def test_restarts_as_pid_1_of_a_container(start, folder: Path, data: Path):
    """Where every start has the same few pids, the stale file always names a living process."""
    container = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*container, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no namespaces")
    expected = []
    for number in range(3):
        holder = start(data, before=container)
        assert holder.said["pid"] == 1
        holder.query("create table if not exists kept (number integer)")
        holder.query("insert into kept values (%s)", number)
        expected.append((number,))
        assert holder.query("select number from kept order by number") == expected
        holder.kill()  # and with pid 1 everything in the container, at once
        until(lambda: not list(processes_in(folder)), "the container is gone")
        assert (data / "postgres" / "postmaster.pid").exists()


def test_what_an_earlier_owner_left_running_is_told_to_end(start, data: Path):
    """As on a system whose kernel does not end a child with its parent."""
    with (data / "server.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        left = subprocess.Popen(["sleep", "600"], pass_fds=[lock.fileno()], cwd=data / "postgres")
    try:
        (data / "postgres" / "postmaster.pid").write_text(f"{left.pid}\n")
        assert start(data).query("select 1") == [(1,)]
        assert left.wait(PATIENCE_SECONDS) == -signal.SIGINT
    finally:
        left.kill()
        left.wait()


def test_a_postgres_that_someone_started_by_hand_is_left_alone(start, data: Path):
    by_hand = subprocess.Popen(["sleep", "600"], cwd=data / "postgres")
    try:
        (data / "postgres" / "postmaster.pid").write_text(f"{by_hand.pid}\n")
        assert f"kill -INT {by_hand.pid}" in start(data).fault
        assert by_hand.poll() is None
        assert (data / "postgres" / "postmaster.pid").exists()
    finally:
        by_hand.kill()
        by_hand.wait()


def test_a_server_that_fails_for_a_while_comes_back(start, data: Path):
    holder = start(data)
    holder.query("create table kept as select 17 as number")
    settings = data / "postgres" / "postgresql.conf"
    good = settings.read_text()
    settings.write_text(good + "shared_buffers = 'plenty'\n")
    os.kill(postmaster(data), signal.SIGKILL)
    until(lambda: (data / "postgres.log").read_text().count("shared_buffers") >= 2, "it has failed twice")
    settings.write_text(good)
    until(lambda: holder.query("select number from kept") == [(17,)], "it is back")


def test_a_server_that_cannot_start_says_why(start, data: Path):
    with (data / "postgres" / "postgresql.conf").open("a") as file:
        file.write("shared_buffers = 'plenty'\n")
    fault = start(data).fault
    assert "shared_buffers" in fault
    assert str(data / "postgres.log") in fault
