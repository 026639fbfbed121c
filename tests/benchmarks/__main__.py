"""Measures, and writes `docs/figures.md` and the table of the README.

make bench                          everything, ten minutes or so
make bench ARGS=replay              one part, to the terminal alone
BENCH_SCALE=1000000 make bench      with a store of a million events
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

from tests.benchmarks.harness import Table, machine, server

PARTS = ("appends", "imports", "replay", "rebuild", "reads", "watching", "evidence")
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "figures.md"
README = ROOT / "README.md"
README_TABLE = "| figure | ratio |\n|---|---|\n"
HEAD = """# Figures

Written by `make bench`. Each is measured beside the bare thing, or beside what somebody could take instead, in one
run on one machine, in turn: the ratios say more than the numbers. In brackets: the middle half of the rounds.
"""


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"There is no part {', '.join(unknown)}: there are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    tables: list[Table] = []
    with server() as at:
        said = machine(at)
        for name in names or PARTS:
            begun = time.monotonic()
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            part = importlib.import_module(f"tests.benchmarks.{name}").measure(at)
            print(f"  {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
            tables += part
            if names:
                print("\n".join(table.markdown() for table in part))
    page = "\n".join([HEAD, said + "\n", *(table.markdown() for table in tables)])
    if not names:
        PAGE.write_text(page, encoding="utf-8")
        write_readme([headline for table in tables for headline in table.headlines])
        print(f"{PAGE} and {README} are written.", file=sys.stderr)
    return 0


def write_readme(headlines: list[tuple[str, str]]) -> None:
    """Put the figures that matter most into the README's table, in the place of those that are there."""
    before, table, after = README.read_text(encoding="utf-8").partition(README_TABLE)
    if not table:
        raise RuntimeError("The README has no table of figures to write into.")
    rest = after.splitlines(keepends=True)
    while rest and rest[0].startswith("|"):
        del rest[0]
    rows = "".join(f"| {what} | {ratio} |\n" for what, ratio in headlines)
    README.write_text(before + table + rows + "".join(rest), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
