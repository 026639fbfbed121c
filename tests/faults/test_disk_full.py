"""A disk that is full: a clear 503, nothing half-done, and all is well again by itself when there is room.

Postgres refuses a statement when its tables cannot grow, and ends by PANIC when its log cannot: both are tried, on a
small disk in memory that lies where the one or the other is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.cli.terminal import bragbook
from tests.embedded.processes import processes_in, until
from tests.faults.checking import check_all_go_on
from tests.faults.conftest import copied
from tests.faults.kept import Kept, is_alive_and_not_ready
from tests.faults.load import four_recording
from tests.faults.served import Served, eventually, log_file

ROOM_BYTES = 16 << 20


@contextmanager
def small_disk(place: Path, room: int) -> Iterator[Path]:
    """Puts a folder on a disk of its own with so many bytes of room; skips the test where that is not allowed."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    aside = copied(place, place.with_name(f"{place.name}.aside"))
    used = sum(path.stat().st_blocks * 512 for path in aside.rglob("*"))
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={used + room}", "tmpfs", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        shutil.rmtree(aside)
        pytest.skip(f"no small disk can be mounted here: {made.stderr.strip()}")
    try:
        subprocess.run(["cp", "-a", f"{aside}/.", str(place)], check=True)
        yield place
        until(lambda: not list(processes_in(place)), "nobody uses the disk any more")
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
        shutil.rmtree(aside)


class Ballast:
    """A file that fills what is left of a disk."""

    def __init__(self, disk: Path) -> None:
        self._path = disk / "ballast"

    def fill(self) -> None:
        """Take the last byte, for as long as others can free some."""
        with self._path.open("ab", buffering=0) as file:
            for size in (1 << 20, 4096):
                with suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass

    def remove(self) -> None:
        self._path.unlink()


def use_up_the_log(data: Path) -> None:
    """Have Postgres begin new files of its log until there is no room for one; it ends by PANIC."""
    conninfo = make_conninfo(host=str(data / "socket"), port=5432, user="bragbook", dbname="bragbook")
    with suppress(psycopg.OperationalError), psycopg.connect(conninfo, autocommit=True) as owner:
        for _ in range(20):
            owner.execute("select pg_logical_emit_message(false, 'tests', 'a new file needs something in the old one')")
            owner.execute("select pg_switch_wal()")
        raise AssertionError("it finds room for twenty files of its log on a full disk")


@pytest.mark.parametrize("part", ["base", "pg_wal"], ids=["the-tables", "the-log"])
def test_full_while_tables_record(data: Path, folder: Path, part: str) -> None:
    with (
        small_disk(data / "postgres" / part, ROOM_BYTES) as disk,
        Served(data, log_file(folder), log_level="error") as served,
    ):
        ballast = Ballast(disk)
        kept = Kept(served)
        with four_recording(served) as writers:
            ballast.fill()
            if part == "pg_wal":
                use_up_the_log(data)
                eventually(lambda: served.ask("GET", "/readyz")[0] == 503, "it is not ready")
                kept.is_refused()
                is_alive_and_not_ready(served)
            else:
                # What fits into a page that is there is taken yet.
                eventually(lambda: any("run out of room" in writer.last for writer in writers), "somebody has no room")
                assert served.ask("GET", "/readyz")[0] == 200  # what is there can be read
                assert len(served.lines(kept.table)) == 1
            ballast.remove()
            check_all_go_on(served, writers)
            kept.records()
            kept.is_whole()
        verified = bragbook("verify", "--data", data, DATABASE_URL="")
        assert verified.code == 0, verified.out + verified.err
