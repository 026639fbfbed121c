"""Runs every check of style, types, layers, migrations and locks; says all that is wrong, not just the first."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def checks() -> list[tuple[str, list[str]]]:
    migrations = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "migrations").glob("*.sql"))
    found = [
        ("style", [str(BIN / "ruff"), "check", "--quiet", "."]),
        ("types", [str(BIN / "mypy")]),
        ("layers", [str(BIN / "lint-imports"), "--no-cache"]),
        ("locks", [sys.executable, "tools/lock.py", "--check"]),
        ("vulnerabilities", [sys.executable, "tools/audit_dependencies.py"]),
    ]
    if migrations:
        found.append(("migrations", [str(BIN / "squawk"), *migrations]))
    return found


def main() -> int:
    failed = []
    for name, command in checks():
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
        said = f" ({done.stdout.strip()})" if name == "vulnerabilities" else ""
        print(f"{name}: {'ok' + said if done.returncode == 0 else 'FAILED'}", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stdout + done.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
