"""Folders in which the Postgres that comes along can live, also where the tests run as root."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.embedded import EmbeddedPostgres
from tests.embedded.processes import processes_in, until


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path that every user may pass through, as /var/lib is."""
    made = Path(tempfile.mkdtemp(prefix="bragbook-"))
    made.chmod(0o755)
    yield made
    until(lambda: not list(processes_in(made)), "the server is gone")
    shutil.rmtree(made)


@pytest.fixture(scope="session")
def used_once() -> Iterator[Path]:
    """A data folder after a first start and an orderly end, to copy."""
    made = Path(tempfile.mkdtemp(prefix="bragbook-"))
    made.chmod(0o755)
    server = EmbeddedPostgres(made / "data")
    server.start()
    server.stop()
    yield made / "data"
    shutil.rmtree(made)


@pytest.fixture
def data(folder: Path, used_once: Path) -> Path:
    """A data folder that has been used once, so that a test need not wait for a first start."""
    return copied(used_once, folder / "data")


def copied(data: Path, to: Path) -> Path:
    """A copy of a data folder with all rights kept."""
    subprocess.run(["cp", "-a", str(data), str(to)], check=True)
    return to
