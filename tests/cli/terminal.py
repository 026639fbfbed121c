"""Runs `bragbook` as a person would: a process of its own, its output and exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

SECONDS = 60


@dataclass
class Ran:
    code: int
    out: str
    err: str


def bragbook(*arguments: object, stdin: bytes = b"", **environment: str) -> Ran:
    """The command with these arguments; `environment` over the one of the tests."""
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        timeout=SECONDS,
        env={**os.environ, **environment},
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
