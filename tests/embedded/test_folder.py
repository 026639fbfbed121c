"""Which folders can be used, by whom, what is made in them; and what is refused, with nothing changed."""

import os
import pwd
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.embedded import EmbeddedFault, EmbeddedPostgres
from service.embedded.programs import Programs, choose_programs, installed_programs
from tests.embedded.processes import HERE, ROOT, needs_root, postmaster

ANOTHER_VERSION = "12"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def everything_in(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Mode, owner and content of all there is in a folder."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.lstat().st_uid,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in (folder, *folder.rglob("*"))
    }


def refusal(data: Path) -> str:
    with pytest.raises(EmbeddedFault) as caught:
        EmbeddedPostgres(data).start()
    return str(caught.value)


def ordinary_user(folder: Path, name: str = "nobody") -> list[str]:
    """What to put before a command for it to run as an ordinary user with an empty home in `folder`."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    os.chown(home, pwd.getpwnam(name).pw_uid, pwd.getpwnam(name).pw_gid)
    before = [sys.executable, str(HERE / "as_user.py"), name, str(home)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    tried = subprocess.run(
        [*before, sys.executable, "-c", ""], check=False, capture_output=True, text=True, env=environment
    )
    if tried.returncode:
        pytest.skip(f"this Python cannot be shown to another user here: {tried.stderr}")
    return before


@pytest.fixture
def closed(folder: Path) -> Iterator[Path]:
    """A folder that other users may not pass through, as root's home is."""
    made = folder / "closed"
    made.mkdir(mode=0o700)
    yield made
    assert mode(made) == 0o700


@needs_root
def test_as_root_the_server_runs_as_another_user_and_no_account_is_made(start, folder: Path):
    accounts = Path("/etc/passwd").read_bytes(), Path("/etc/group").read_bytes()
    start(folder / "data")
    pid = postmaster(folder / "data")
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    users, groups = set(status["Uid"].split("\t")), set(status["Gid"].split("\t"))
    assert len(users) == len(groups) == 1
    assert "0" not in users | groups
    assert status["Groups"].strip() == ""
    assert int(status["CapEff"], 16) == 0
    assert (Path("/etc/passwd").read_bytes(), Path("/etc/group").read_bytes()) == accounts
    assert mode(folder) == 0o755
    assert mode(folder / "data" / "postgres") == mode(folder / "data" / "socket") == 0o700
    assert {path.lstat().st_uid for path in (folder / "data" / "programs").rglob("*")} == {0}


@needs_root
@pytest.mark.parametrize("data", [".", "deep/in/it"])
def test_as_root_in_a_folder_that_is_closed_to_others_which_stays_so(start, closed: Path, data: str):
    before = mode(closed)
    holder = start(closed / data)
    assert holder.query("select 1") == [(1,)]
    assert mode(closed) == before
    assert holder.stop() == 0
    assert start(closed / data).query("select 1") == [(1,)]


@needs_root
def test_as_root_the_programs_are_copied_once(start, data: Path):
    made = [path.stat().st_mtime_ns for path in sorted((data / "programs").iterdir())]
    (data / "programs" / "old-17").mkdir()
    start(data).stop()
    assert [path.stat().st_mtime_ns for path in sorted((data / "programs").iterdir())] == made


@needs_root
def test_as_an_ordinary_user_in_its_own_home(start, folder: Path):
    holder = start(before=ordinary_user(folder))
    data = folder / "home" / ".local" / "share" / "bragbook"
    nobody = pwd.getpwnam("nobody").pw_uid
    assert postmaster(data)
    assert {path.lstat().st_uid for path in (data, *data.rglob("*"))} == {nobody}
    assert mode(data) == 0o700
    assert not (data / "programs").exists()
    assert holder.query("select current_user") == [("bragbook",)]
    assert holder.stop() == 0


@needs_root
def test_the_folder_of_another_user_is_refused(start, folder: Path):
    before = ordinary_user(folder)
    start(folder / "data").stop()
    assert "belongs to root" in start(folder / "data", before=before).fault
    assert "belongs to nobody" in refusal(folder / "home")


@needs_root
def test_a_cluster_that_belongs_to_root_is_refused(start, data: Path):
    os.chown(data / "postgres", 0, 0)
    assert "chown -R nobody" in refusal(data)


def test_a_cluster_of_another_major_version_is_refused_with_the_way_out_and_nothing_changed(start, data: Path):
    (data / "postgres" / "PG_VERSION").write_text(f"{ANOTHER_VERSION}\n")
    before = everything_in(data)
    said = refusal(data)
    assert f"made by Postgres {ANOTHER_VERSION}" in said
    assert "DATABASE_URL" in said
    assert "bragbook export" in said
    assert everything_in(data) == before


def test_the_folder_of_a_postgres_itself_is_refused(folder: Path):
    (folder / "PG_VERSION").write_text("15\n")
    before = everything_in(folder)
    assert "another Postgres (version 15)" in refusal(folder)
    assert everything_in(folder) == before


def test_a_file_is_no_folder_and_other_contents_are_left_alone(folder: Path):
    (folder / "file").write_text("")
    assert "--data" in refusal(folder / "file")
    assert "--data" in refusal(folder / "file" / "below")
    (folder / "data" / "postgres").mkdir(parents=True)
    (folder / "data" / "postgres" / "letters.txt").write_text("mine")
    assert "not Bragbook's" in refusal(folder / "data")
    assert (folder / "data" / "postgres" / "letters.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ['a "quoted" one', "$HOME", "`id`", "back\\slash", "two\nlines"])
def test_a_path_that_a_shell_would_read_otherwise_is_refused(folder: Path, name: str):
    assert "for a character in it" in refusal(folder / name)
    assert list(folder.iterdir()) == []


def test_an_empty_folder_where_the_cluster_goes_is_used(start, folder: Path):
    (folder / "data" / "postgres").mkdir(parents=True)
    assert start(folder / "data").query("select 1") == [(1,)]


@pytest.mark.parametrize("name", ["x" * 100, "a, b", "ñandú's"])
def test_a_path_that_cannot_be_a_sockets_has_its_socket_in_a_private_folder(start, folder: Path, name: str):
    data = folder / name / "data"
    holder = start(data)
    elsewhere = Path((data / "socket-folder").read_text())
    assert mode(elsewhere) == 0o700
    assert elsewhere.stat().st_uid == (data / "postgres").stat().st_uid
    joined = start(data)
    assert joined.runs_server is False
    joined.query("create table kept as select 17 as number")
    joined.stop()
    holder.kill()

    # The next start uses it again; and makes another one when it is gone, or is no longer private.
    again = start(data)
    assert again.conninfo == holder.conninfo
    again.stop()
    elsewhere.chmod(0o755)
    third = start(data)
    assert third.query("select number from kept") == [(17,)]
    assert Path((data / "socket-folder").read_text()) != elsewhere
    elsewhere.rmdir()
    third.stop()
    Path((data / "socket-folder").read_text()).rmdir()


def test_of_several_versions_the_newest_is_taken_for_a_new_cluster_and_its_own_for_an_old_one(
    folder: Path, monkeypatch
):
    several = [Programs(18, folder / "18"), Programs(17, folder / "17")]
    monkeypatch.setattr("service.embedded.programs.installed_programs", lambda: several)
    assert choose_programs(folder / "cluster").major == 18
    (folder / "cluster").mkdir()
    (folder / "cluster" / "PG_VERSION").write_text("17\n")
    assert choose_programs(folder / "cluster").major == 17


def test_without_the_programs_the_way_out_is_told(folder: Path, monkeypatch):
    monkeypatch.setattr("service.embedded.programs.PACKAGE", "no_such_package")
    assert installed_programs() == []
    assert "DATABASE_URL" in refusal(folder / "data")


def test_a_long_log_is_set_aside(start, data: Path):
    with (data / "postgres.log").open("a") as file:
        file.write("x" * 2_000_000)
    start(data)
    assert (data / "postgres.log").stat().st_size < 100_000
    assert (data / "postgres.log.1").stat().st_size > 1_000_000
