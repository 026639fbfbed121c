"""Installs what Bragbook needs into .venv beside this folder, once; a second run finds it done and ends at once.

    python tools/install.py run    what `make run` needs
    python tools/install.py dev    that, and what the tests and checks need
    python tools/install.py bench  that, and what is measured beside Bragbook

Takes uv where it is on the PATH, else the standard library's venv and pip. Versions and hashes come from requirements/.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
OLDEST = (3, 11)
KINDS = ("run", "dev", "bench")
"""Each holds all that the ones before it do."""


class CannotInstall(Exception):
    """Says what is missing and how to get it."""


def wanted(name: str) -> str:
    """What an installed environment of this kind is marked with: it changes when anything it was made from does."""
    made_from = hashlib.sha256(str(ROOT).encode())
    for path in (ROOT / "requirements" / f"{name}.txt", ROOT / "pyproject.toml"):
        made_from.update(path.read_bytes())
    return made_from.hexdigest()


def stamp(name: str) -> Path:
    return VENV / f"installed-{name}"


def is_installed(name: str) -> bool:
    enough = KINDS[KINDS.index(name) :]
    return any(stamp(kind).exists() and stamp(kind).read_text() == wanted(kind) for kind in enough) and works(PYTHON)


def works(python: Path) -> bool:
    """Whether the environment's Python still starts: the one it was made from may have been removed."""
    check = [str(python), "-I", "-S", "-c", f"import sys; sys.exit(sys.version_info < {OLDEST})"]
    return python.exists() and subprocess.run(check, check=False, capture_output=True).returncode == 0


def run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode:
        raise CannotInstall(f"This failed, and says why above: {' '.join(command)}")


def make_environment(uv: str | None) -> None:
    if works(PYTHON) and (uv or (VENV / "bin" / "pip").exists()):
        return
    if VENV.exists():
        shutil.rmtree(VENV)
    if uv:
        run([uv, "venv", "--quiet", "--python", sys.executable, str(VENV)])
        return
    if importlib.util.find_spec("ensurepip") is None:
        raise CannotInstall(
            "This Python has no venv module. Install it (on Debian: apt-get install python3-venv), or install uv."
        )
    run([sys.executable, "-m", "venv", str(VENV)])


def install(name: str, uv: str | None) -> None:
    make_environment(uv)
    if uv:
        pip = [uv, "pip", "install", "--quiet", "--python", str(PYTHON)]
    else:
        pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    run([*pip, "--require-hashes", "--requirement", f"requirements/{name}.txt"])
    run([*pip, "--no-deps", "--no-build-isolation", "--editable", "."])


def install_either_way(name: str) -> None:
    print("Installing what Bragbook needs into .venv (only this once) ...", file=sys.stderr, flush=True)
    for kind in KINDS:
        stamp(kind).unlink(missing_ok=True)
    uv = shutil.which("uv")
    try:
        install(name, uv)
    except CannotInstall as fault:
        if not uv:
            raise
        # It may know nothing of the certificates or the proxy that pip is set up with.
        print(f"{fault}\nTrying pip instead of uv ...", file=sys.stderr, flush=True)
        install(name, None)
    stamp(name).write_text(wanted(name))


def main() -> int:
    if sys.version_info < OLDEST:
        print(f"Bragbook needs Python {OLDEST[0]}.{OLDEST[1]} or later.", file=sys.stderr)
        return 1
    if len(sys.argv) != 2 or sys.argv[1] not in KINDS:
        print(__doc__, file=sys.stderr)
        return 2
    name = sys.argv[1]
    if is_installed(name):
        return 0
    # Two of these at once, say `make run` and `make test`, take turns.
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another make installs into .venv; waiting for it ...", file=sys.stderr, flush=True)
        fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        if not is_installed(name):
            install_either_way(name)
    except CannotInstall as fault:
        print(fault, file=sys.stderr)
        return 1
    finally:
        os.close(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
