"""An installed Bragbook, without its checkout, has all that it reads: migrations, documents, pages, fonts, words."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
USED = """
import sys
from pathlib import Path
import service.app
from service import migrate
assert Path(service.app.__file__).is_relative_to(sys.argv[1]), service.app.__file__
assert [each.number for each in migrate.read_migrations()]
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(build, cwd=ROOT, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def test_all_files_that_are_not_code_come_with_it(installed: Path):
    kept = subprocess.run(
        ["git", "ls-files", "service"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    missing = [name for name in kept if name and (ROOT / name).exists() and not (installed / name).exists()]
    assert missing == []
    for folder in ("migrations", "docs"):
        originals = {path.name for path in (ROOT / folder).iterdir()}
        assert {path.name for path in (installed / "service" / folder).iterdir()} == originals


def test_it_starts_without_the_checkout(installed: Path, tmp_path: Path):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    started = subprocess.run(
        [sys.executable, "-P", "-c", USED, str(installed)],
        cwd=tmp_path,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert started.returncode == 0, started.stderr
