"""Holds the locked versions against the known vulnerabilities of packages, with pip-audit.

Exit 1 where one is known. A registry that has no such data, or that cannot be reached, is said to have audited nothing.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOCK = "requirements/bench.txt"
"""Holds what the other locks hold, in the same versions: tools/lock.py sees to that."""
LONGEST = 25
"""Seconds."""


class Findings(NamedTuple):
    """vulnerable: one sentence for each vulnerability. audited, silent: packages the registry knew of, and did not."""

    vulnerable: list[str]
    audited: int
    silent: int


def judged(report: str) -> Findings:
    """What a JSON report of pip-audit says. Raises ValueError where it is none."""
    try:
        packages = json.loads(report)["dependencies"]
        known = [package for package in packages if "skip_reason" not in package]
        vulnerable = [
            f"{package['name']} {package['version']}: {flaw['id']}, "
            + (f"mended in {' or '.join(flaw['fix_versions'])}" if flaw["fix_versions"] else "mended in no version yet")
            for package in known
            for flaw in package["vulns"]
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError("pip-audit gave no report that can be read") from error
    return Findings(vulnerable, len(known), len(packages) - len(known))


def main() -> int:
    command = [
        sys.executable, "-m", "pip_audit", "--requirement", LOCK, "--disable-pip", "--no-deps",
        "--format", "json", "--progress-spinner", "off", "--timeout", "5",
    ]  # fmt: skip
    try:
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=LONGEST)
        found = judged(done.stdout)
    except subprocess.TimeoutExpired:
        print(f"not audited: the registry did not answer within {LONGEST} seconds")
        return 0
    except ValueError as error:
        if "ConnectionError" in done.stderr or "Could not connect" in done.stderr:
            print("not audited: the registry cannot be reached")
            return 0
        print(f"{error}: {done.stderr.strip()[-500:]}", file=sys.stderr)
        return 1
    print(f"{found.audited} audited, {found.silent} not audited: the registry said nothing of them")
    for vulnerability in found.vulnerable:
        print(f"{vulnerability}. Run `make lock ARGS=--upgrade`.", file=sys.stderr)
    return 1 if found.vulnerable else 0


if __name__ == "__main__":
    sys.exit(main())
