"""Measures, and writes `docs/figures.md` and the table of the README.

make bench                          everything, ten minutes or so
make bench ARGS=replay              one part: to the terminal, and in its own place on the page
BENCH_SCALE=1000000 make bench      with a store of a million events
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

from tests.benchmarks.harness import Table, machine, server

PARTS = ("appends", "imports", "replay", "rebuild", "reads", "looking", "watching", "evidence", "phone")
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "figures.md"
README = ROOT / "README.md"
HEADING = "## "
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
    headlines = dict(headline for table in tables for headline in table.headlines)
    if names:
        for table in tables:
            table.notes.append(f"Measured apart from the rest of this page. {said}")
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    else:
        PAGE.write_text("\n".join([HEAD, said + "\n", *(table.markdown() for table in tables)]), encoding="utf-8")
    write_readme(headlines, keep=bool(names))
    print(f"{PAGE} and {README} are written.", file=sys.stderr)
    return 0


def replaced(page: str, tables: list[Table]) -> str:
    """The page of figures with these tables in the place of those of the same title, or at its end."""
    head, *parts = page.split(HEADING)
    titled = {part.partition("\n")[0]: part.rstrip("\n") for part in parts}
    for table in tables:
        titled[table.title] = table.markdown().removeprefix(HEADING).rstrip("\n")
    return HEADING.join([head, *(part + "\n\n" for part in titled.values())]).rstrip("\n") + "\n"


def write_readme(headlines: dict[str, str], *, keep: bool) -> None:
    """Put the figures that matter most into the README's table; the others that are there stay, or go."""
    before, table, after = README.read_text(encoding="utf-8").partition(README_TABLE)
    if not table:
        raise RuntimeError("The README has no table of figures to write into.")
    rest = after.splitlines(keepends=True)
    found: dict[str, str] = {}
    while rest and rest[0].startswith("|"):
        what, ratio = (cell.strip() for cell in rest.pop(0).strip().strip("|").split("|"))
        found[what] = ratio
    wanted = {**found, **headlines} if keep else headlines
    rows = "".join(f"| {what} | {ratio} |\n" for what, ratio in wanted.items())
    README.write_text(before + table + rows + "".join(rest), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
