"""The commands of docs/running.md, carried out as they stand: on the Postgres that comes along, and on another."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from service.embedded.programs import installed_programs
from tests.cli.terminal import bragbook
from tests.conftest import create_database, drop_database
from tests.factories import EventFactory, SessionFactory, worked_example
from tests.faults.served import Served, eventually

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SESSIONS = "/api/v1/sessions"
SECONDS = 120


class Machine:
    """Somebody's machine: a home, and what they type there. `blocks` of the page are found by a word of theirs."""

    def __init__(self, home: Path, database_url: str = "") -> None:
        self.home = home
        self.data = home / ".local" / "share" / "bragbook"
        self.database_url = database_url
        programs = home / "bin"
        programs.mkdir()
        (programs / "bragbook").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m service.cli "$@"\n')
        (programs / "bragbook").chmod(0o755)
        beside = [str(one.folder / "bin") for one in installed_programs() if (one.folder / "bin" / "pg_dump").exists()]
        self.path = ":".join([str(programs), *beside[:1], os.environ["PATH"]])

    def types(self, word: str, code: int = 0, **words: str) -> str:
        """Runs the block that this word is of, with these words in the place of the page's; what it printed."""
        block = next(one for one in BLOCKS if word in one)
        for placeholder, given in words.items():
            assert placeholder in block
            block = block.replace(placeholder, given)
        # The data folder is named for root too, whose is elsewhere.
        environment = {
            **os.environ, "HOME": str(self.home), "PATH": self.path, "PYTHONPATH": str(ROOT),
            "DATABASE_URL": self.database_url, "BRAGBOOK_DATA": str(self.data),
        }  # fmt: skip
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=self.home, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    def serves(self, as_user: str = "") -> Served:
        return Served(self.data, self.home / "log", as_user or self.database_url)


def play(served: Served) -> dict[str, Any]:
    """A night with a hand."""
    table = served.open(SessionFactory())
    assert served.record(table, *worked_example())[0] == 201
    return table


def logged(served: Served) -> dict[str, Any]:
    """What the log of heads says to everyone."""
    return dict(json.loads(served.ask("GET", "/api/v1/log")[2]))


def state(served: Served, table: dict[str, Any], token: str) -> int:
    """What reading the night with a token is answered."""
    return served.ask("GET", f"/api/v1/sessions/{table['id']}", None, token)[0]


def only_for_oneself(path: Path) -> bool:
    return path.stat().st_mode & 0o077 == 0


@pytest.mark.soak  # each command starts its own Postgres and ends it
def test_on_the_postgres_that_comes_along(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)  # as root, the server's user has to pass through
    machine = Machine(tmp_path)
    first_key = ""
    with machine.serves() as served:
        table = play(served)
        assert "1 session, 13 events" in machine.types("bragbook backup")
        assert only_for_oneself(tmp_path / "tuesday.backup")
        backed_up = logged(served)["size"]
        machine.types("bragbook export", SESSION=table["id"])
        first_key = machine.types("bragbook key --rotate").splitlines()[1]
        assert state(served, table, machine.types("bragbook token SESSION", SESSION=table["id"]).strip()) == 200
        before = served.said[-2].strip()
        after = machine.types("bragbook token --club").strip()
        people = [served.ask("GET", "/api/v1/people", None, token)[0] for token in (before, after)]
        assert (before[:8], people) == ("bb_club_", [401, 200])
        assert served.record(table, EventFactory())[0] == 201  # signed with the old key still
    with machine.serves() as served:
        assert served.record(table, EventFactory())[0] == 201
        eventually(lambda: logged(served)["size"] > backed_up, "what came after the backup is in the log of heads")
    machine.types("tar --create")
    assert only_for_oneself(tmp_path / "bragbook.tar.gz")
    assert "All is as it should be: 1 session, 15 events" in machine.types("tar --extract")
    assert bragbook("audit", tmp_path / "night.json", "--key", first_key).code == 0
    restored = machine.types("--data NEW_FOLDER", code=1, NEW_FOLDER=str(tmp_path / "new"))
    assert "was given out" in restored, "the night went on after the backup"


@pytest.fixture
def databases(postgres: str) -> Iterator[list[str]]:
    """Databases with nothing in them, as `createdb` makes them."""
    made = [create_database(postgres) for _ in range(3)]
    yield made
    for one in made:
        drop_database(postgres, one)


@pytest.fixture
def user(databases: list[str]) -> Iterator[str]:
    """A user of the database with a password, as `createuser --pwprompt` makes one."""
    name = f"bragbook_{uuid.uuid4().hex}"
    with psycopg.connect(databases[0], autocommit=True) as owner:
        owner.execute(sql.SQL("create role {} login password 'secret'").format(sql.Identifier(name)))
    yield name
    for one in databases:
        with psycopg.connect(one, autocommit=True) as owner:
            owner.execute(sql.SQL("drop owned by {}").format(sql.Identifier(name)))
    with psycopg.connect(databases[0], autocommit=True) as owner:
        owner.execute(sql.SQL("drop role {}").format(sql.Identifier(name)))


def test_on_another_postgres(databases: list[str], user: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path, databases[0])
    assert "change none" in machine.types("bragbook db grant", **{"grant bragbook": f"grant {user}"})
    with machine.serves(make_conninfo(databases[0], user=user, password="secret")) as served:
        play(served)
        assert "1 session, 13 events" in machine.types("bragbook backup")
        machine.types("pg_dump")
        assert only_for_oneself(tmp_path / "bragbook.dump")
        backed_up = logged(served)["size"]
        play(served)
        eventually(lambda: logged(served)["size"] > backed_up, "the second night is in the log of heads")
    assert "events: the database lets this user add and read only" in served.log.read_text()
    machine.database_url = databases[1]
    assert "was given out" in machine.types("pg_restore", code=1)
    machine.types("bragbook db grant", **{"grant bragbook": f"grant {user}"})
    machine.database_url = databases[2]
    assert "was given out" in machine.types("restore tuesday.backup\n", code=1)
    assert "recorded for everyone to see" in machine.types("bragbook restore --accept-rollback")
    with machine.serves() as served:
        assert [one["reason"] for one in logged(served)["rollbacks"]] == ["the disk died"]


def test_every_block_of_the_page_is_carried_out_here() -> None:
    said = re.findall(r'\.types\(\s*"([^"]+)"', Path(__file__).read_text(encoding="utf-8"))
    typed = [word.replace("\\n", "\n") for word in said]
    untried = [block for block in BLOCKS if not any(word in block for word in typed)]
    assert [block for block in untried if not block.startswith("docker ")] == []
