"""The engine as the phone's page gets it: the sources of `events/`, as they are installed, in one JSON file.

The page runs them on MicroPython. There is no second implementation of any rule: what is bundled is what the service
imports, and of that only what `bridge.py`, which the page talks to, comes to. Beside them go stand-ins for the few
modules of the standard library that MicroPython does not have.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import events

ENGINE = Path(events.__file__).parent
PHONE = Path(__file__).parent / "phone"
VERIFIER = Path(__file__).parent / "verifier"


def _says_only(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _for_people_only(statement: ast.stmt) -> bool:
    """`if TYPE_CHECKING:`, which no program runs."""
    return (
        isinstance(statement, ast.If) and isinstance(statement.test, ast.Name) and statement.test.id == "TYPE_CHECKING"
    )


def _lean(source: str) -> ast.Module:
    """The same program in fewer bytes: no comments, docstrings or annotations, which only people and mypy read."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            kept = [one for one in node.body if not (_says_only(one) or _for_people_only(one))]
            node.body = kept or [ast.Pass()]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in (*node.args.args, *node.args.kwonlyargs):
                argument.annotation = None
    return ast.fix_missing_locations(tree)


def _modules_named(tree: ast.Module) -> set[str]:
    """Every module that a program may mean in its imports, in `events` and below."""
    named: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            named.add(node.module)
            named |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in named if name.split(".")[0] == "events"}


def _file_of(module: str) -> Path | None:
    """Where a module's source is; None for a name that is no module."""
    path = ENGINE.parent / module.replace(".", "/")
    if path.is_dir():
        return path / "__init__.py"
    source = path.with_suffix(".py")
    return source if source.is_file() else None


def sources(front: Path = PHONE) -> dict[str, str]:
    """Path on the phone -> source: what the page talks to, the stand-ins, and what of the engine they come to.

    front: the folder of what the page talks to.
    """
    found: dict[str, str] = {}
    waiting: set[str] = set()
    for path in sorted([*front.glob("*.py"), *(PHONE / "stubs").rglob("*.py")]):
        tree = _lean(path.read_text(encoding="utf-8"))
        found[path.name if path.parent == front else path.relative_to(PHONE / "stubs").as_posix()] = (
            ast.unparse(tree) + "\n"
        )
        waiting |= _modules_named(tree)
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        parts = module.split(".")
        # importing a.b.c imports a and a.b first
        waiting |= {".".join(parts[:n]) for n in range(1, len(parts))} - seen
        seen.add(module)
        path_of_it = _file_of(module)
        if path_of_it is not None:
            tree = _lean(path_of_it.read_text(encoding="utf-8"))
            found[path_of_it.relative_to(ENGINE.parent).as_posix()] = ast.unparse(tree) + "\n"
            waiting |= _modules_named(tree) - seen
    return found


def bundle(front: Path = PHONE) -> bytes:
    """`{"files": {path: source}}`, the same bytes for the same sources."""
    return json.dumps({"files": sources(front)}, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def ingredients() -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of all that bundles are made of, this file and the Python that writes them out included: whatever
    changes a bundle changes one of these, and they are read in a moment."""
    yield "python", sys.version.encode()
    for folder in (ENGINE, PHONE, VERIFIER):
        for path in sorted(folder.rglob("*.py")):
            yield path.relative_to(ENGINE.parent).as_posix(), path.read_bytes()
    yield "engine_bundle.py", Path(__file__).read_bytes()
