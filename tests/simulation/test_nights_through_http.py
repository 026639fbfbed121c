"""Whole nights through HTTP, with what goes wrong on the way, beside a second reading of the money and the lives.

Two services, processes as `bragbook serve` starts them, share the Postgres that comes along; each event goes to either.
Answers are lost and events sent again, some come twice, some with a version that is past; two phones record at once;
tokens are revoked, names erased. Services and Postgres are killed with -9 and start again; connections are cut. After
every night all is held against what was acknowledged, against what was played, and against a reading of rules.md that
takes nothing from the engine. A few nights are in every run, always the same. Many others, and one of them again:

    SEED=5000 BRAGBOOK_SOAK_NIGHTS=3000 make soak ARGS="-s tests/simulation"
    SEED=7321 BRAGBOOK_SOAK_NIGHTS=1 make soak ARGS="-s tests/simulation"

A night follows from its seed alone; only when a process is struck, to the millisecond, does not.
"""

from __future__ import annotations

import ast
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service import migrate
from tests.cli.terminal import bragbook
from tests.conftest import create_database
from tests.embedded.conftest import data, folder, used_once
from tests.engine import agreement, money_model, second_ranking
from tests.engine.nights import VARIANTS
from tests.simulation.evening import Evening
from tests.simulation.holding import HeadsLog, copy_holds, file_holds, night_holds
from tests.simulation.services import Services

__all__ = ["data", "folder", "used_once"]

SEED = int(os.environ.get("SEED", "1"))
SOAKED = int(os.environ.get("BRAGBOOK_SOAK_NIGHTS", "3000"))
FILE_EVERY = 3
WHOLE_STORE_EVERY = 100


@pytest.fixture
def services(data: Path, folder: Path) -> Iterator[Services]:
    services = Services(data, folder)
    yield services
    services.close()


def simulate(services: Services, seeds: range, fault_in: float, files: Path) -> None:
    """Plays a night for each seed. Raises what did not hold, with how to play that night again."""
    elsewhere = create_database(services.conninfo)
    migrate.apply(elsewhere)
    heads, began = HeadsLog(services), time.monotonic()
    for number, seed in enumerate(seeds, 1):
        variant = VARIANTS[seed % len(VARIANTS)]
        try:
            evening = Evening(services, variant, seed, fault_in)
            evening.play()
            lines = night_holds(evening)
            heads.goes_on(evening)
            if seed % FILE_EVERY == 0:
                file_holds(evening, files, heads.key)
                copy_holds(evening, lines, elsewhere)
            services.counts["nights"] += 1
            if number % WHOLE_STORE_EVERY == 0 or number == len(seeds):
                heads.holds()
                whole_store_holds(services)
                print(f"up to seed {seed}, {time.monotonic() - began:.0f} s: {dict(sorted(services.counts.items()))}")
        except BaseException as fault:
            fault.add_note(f'SEED={seed} BRAGBOOK_SOAK_NIGHTS=1 make soak ARGS="-s tests/simulation"  # {variant.name}')
            raise


def whole_store_holds(services: Services) -> None:
    verified = bragbook("verify", "--data", services.data, DATABASE_URL="")
    assert verified.code == 0, verified.out + verified.err


def test_a_few_nights(services: Services, folder: Path) -> None:
    simulate(services, range(1, 5), 0.5, folder)


@pytest.mark.soak
def test_thousands_of_nights(services: Services, folder: Path) -> None:
    simulate(services, range(SEED, SEED + SOAKED), 0.1, folder)


@pytest.mark.parametrize("module", [agreement, money_model, second_ranking], ids=lambda module: module.__name__)
def test_the_second_reading_takes_nothing_from_the_engine(module: object) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    taken = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    taken |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    ours = {name for name in taken if name and name.split(".")[0] in ("events", "service", "tests")}
    assert ours <= {"tests.engine.money_model", "tests.engine.second_ranking"}
