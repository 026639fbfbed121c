"""Folders in which the Postgres that comes along can live, also where the tests run as root."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.embedded.conftest import data, folder, used_once

__all__ = ["copied", "data", "folder", "used_once"]


def copied(data: Path, to: Path) -> Path:
    """A copy of a data folder with all rights kept."""
    subprocess.run(["cp", "-a", str(data), str(to)], check=True)
    return to
