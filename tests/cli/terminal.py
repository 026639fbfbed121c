"""Runs `bragbook` as a person would: its words, its exit code.

`bragbook` runs it in this process, which is quicker by seconds each time; `in_a_process` in one of its own.
"""

from __future__ import annotations

import atexit
import io
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from service.cli import main

SECONDS = 120
# For whoever names no folder: keys are kept beside any database, and the user's own folder is none of a test's.
OWN_FOLDER = tempfile.mkdtemp(prefix="bragbook-")
atexit.register(shutil.rmtree, OWN_FOLDER, ignore_errors=True)


@dataclass
class Ran:
    code: int
    out: str
    err: str


def bragbook(*arguments: object, stdin: bytes = b"", **environment: str) -> Ran:
    """The command with these arguments; `environment` over the one of the tests."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    code: object = 0
    with (
        patch.dict(os.environ, {"BRAGBOOK_DATA": OWN_FOLDER, **environment}),
        patch("sys.stdin", given),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as left:
            code = left.code or 0
        out.flush()
        err.flush()
    assert isinstance(code, int)
    return Ran(code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())


def in_a_process(*arguments: object, stdin: bytes = b"", **environment: str) -> Ran:
    """The same in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        timeout=SECONDS,
        env={**os.environ, "BRAGBOOK_DATA": OWN_FOLDER, **environment},
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
