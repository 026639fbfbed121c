"""The engine as the phone's page gets it: the sources of `events/`, as they are installed, in one JSON file.

The page runs them on MicroPython. There is no second implementation of any rule: what is bundled is what the service
imports. Beside them go `bridge.py`, which the page talks to, and stand-ins for the few modules of the standard library
that MicroPython does not have.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import events

PHONE = Path(__file__).parent / "phone"
# What only the service asks for: no page seals, signs or audits.
LEFT_OUT = ("audit/", "log.py", "vocabulary_docs.py")


def _without_docstrings(source: str) -> str:
    """The same program in fewer bytes: no comments, docstrings or annotations, which only people and mypy read."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in (*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs):
                argument.annotation = None
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def sources() -> dict[str, str]:
    """Path on the phone -> source, in the order of their names."""
    root = Path(events.__file__).parent
    found: dict[str, str] = {}
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(LEFT_OUT):
            found[f"events/{name}"] = _without_docstrings(path.read_text(encoding="utf-8"))
    for path in sorted(PHONE.rglob("*.py")):
        name = path.relative_to(PHONE).as_posix().removeprefix("stubs/")
        found[name] = _without_docstrings(path.read_text(encoding="utf-8"))
    return found


def bundle() -> bytes:
    """`{"files": {path: source}}`, the same bytes for the same sources."""
    return json.dumps({"files": sources()}, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
