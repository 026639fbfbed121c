"""Locks what Bragbook installs: every version, with the hashes of its files, and no word of where they come from.

    python tools/lock.py              resolve again, keeping the versions that still fit pyproject.toml
    python tools/lock.py --upgrade    resolve again to the newest versions
    python tools/lock.py --check      say whether the locks belong to pyproject.toml as it is; needs no network

The first line of each lock holds a digest of the part of pyproject.toml that it was made from.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / "pyproject.toml"
LOCKS = ROOT / "requirements"

# What each lock is for. "dev" comes first, and the others take their versions from it.
CHOICES = {
    "dev": ["--extra", "embedded", "--group", "dev"],
    "bench": ["--extra", "embedded", "--group", "bench"],
    "run": ["--extra", "embedded", "--group", "build"],
    "service": ["--group", "build"],
}
HEADER = "# Locked by `make lock` from pyproject.toml {digest}\n"
PINNED = re.compile(r"^([a-z0-9][a-z0-9-]*)==([^ \\;]+)", re.MULTILINE)


def inputs_digest() -> str:
    """The digest of everything in pyproject.toml that decides what is locked, and of how it is locked."""
    with PROJECT.open("rb") as file:
        project = tomllib.load(file)
    inputs = {
        "python": project["project"]["requires-python"],
        "dependencies": project["project"]["dependencies"],
        "extras": project["project"]["optional-dependencies"],
        "groups": project["dependency-groups"],
        "choices": CHOICES,
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def resolve(name: str, *, upgrade: bool) -> None:
    """Write requirements/<name>.txt."""
    lock = LOCKS / f"{name}.txt"
    command = [
        sys.executable, "-m", "uv", "pip", "compile", str(PROJECT), *CHOICES[name],
        "--universal", "--python-version", "3.11", "--generate-hashes",
        "--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate", "--quiet",
        "--output-file", str(lock),
    ]  # fmt: skip
    if upgrade and name == "dev":
        command.append("--upgrade")
    if name != "dev":
        command += ["--constraints", str(LOCKS / "dev.txt"), "--upgrade"]
    subprocess.run(command, cwd=ROOT, check=True)
    lock.write_text(HEADER.format(digest=inputs_digest()) + lock.read_text())


def faults() -> list[str]:
    """What is wrong with the locks, one sentence each."""
    found = []
    expected = HEADER.format(digest=inputs_digest())
    pins: dict[str, dict[str, str]] = {}
    for name in CHOICES:
        lock = LOCKS / f"{name}.txt"
        if not lock.exists():
            found.append(f"requirements/{name}.txt is missing. Run `make lock`.")
            continue
        text = lock.read_text()
        if not text.startswith(expected):
            found.append(f"requirements/{name}.txt is older than pyproject.toml. Run `make lock`.")
        if "://" in text or re.search(r"^ *--(?!hash=)", text, re.MULTILINE):
            found.append(
                f"requirements/{name}.txt names where packages come from. It must hold versions and hashes only."
            )
        pins[name] = dict(PINNED.findall(text))
    for name, pinned in pins.items():
        for package, version in pinned.items():
            if pins.get("dev", pinned).get(package, version) != version:
                found.append(f"requirements/{name}.txt has {package} {version}, dev.txt another. Run `make lock`.")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Lock the versions and hashes of what Bragbook installs.")
    parser.add_argument("--check", action="store_true", help="only say whether the locks are current")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    chosen = parser.parse_args()
    if not chosen.check:
        LOCKS.mkdir(exist_ok=True)
        for name in CHOICES:
            resolve(name, upgrade=chosen.upgrade)
    found = faults()
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
