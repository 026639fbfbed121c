"""Processes that run or join an embedded Postgres, and a folder for it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.embedded import EmbeddedPostgres
from tests.embedded.processes import Holder, processes_in, until


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[..., Holder]]:
    """Starts a holder on a data folder and waits until it is ready, unless told not to."""
    holders = []

    def begin(
        data: Path | None = None,
        *,
        wait: bool = True,
        before: list[str] | None = None,
        environment: dict[str, str] | None = None,
    ) -> Holder:
        holder = Holder([str(data)] if data else [], before or [], environment)
        holders.append(holder)
        return holder.ready() if wait else holder

    yield begin
    for holder in holders:
        holder.close()


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
    """A data folder in `folder` that has been used once, so that a test need not wait for a first start."""
    subprocess.run(["cp", "-a", str(used_once), str(folder / "data")], check=True)
    return folder / "data"
