"""Processes that run or join an embedded Postgres, and a folder for it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
