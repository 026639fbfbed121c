"""events/ is the game, pure: it imports the standard library and itself, and nothing else."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

EVENTS = Path(__file__).resolve().parent.parent.parent / "events"


def imported(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "events" if node.level else str(node.module)


def test_events_imports_the_standard_library_only():
    allowed = {*sys.stdlib_module_names, "events"}
    files = list(EVENTS.rglob("*.py"))
    assert files
    for path in files:
        for line, module in imported(path):
            assert module.split(".")[0] in allowed, f"{path.relative_to(EVENTS.parent)}:{line} imports {module}"
