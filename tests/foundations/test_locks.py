"""The locks are what pyproject.toml asks for, and say nothing of where packages come from."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_locks_are_current():
    check = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "lock.py"), "--check"], check=False, capture_output=True, text=True
    )
    assert check.returncode == 0, check.stderr


def test_a_changed_project_makes_them_old(tmp_path: Path):
    for name in (
        "pyproject.toml",
        "tools/lock.py",
        *(f"requirements/{lock}.txt" for lock in ("dev", "run", "service")),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    project = tmp_path / "pyproject.toml"
    project.write_text(project.read_text().replace('"flask>=', '"flask>=0.1,>='))
    dev = tmp_path / "requirements" / "dev.txt"
    dev.write_text("--index-url https://packages.example/simple\n" + dev.read_text())
    check = subprocess.run(
        [sys.executable, str(tmp_path / "tools" / "lock.py"), "--check"], check=False, capture_output=True, text=True
    )
    assert check.returncode == 1
    assert "requirements/run.txt is older than pyproject.toml" in check.stderr
    assert "requirements/dev.txt names where packages come from" in check.stderr
