"""The rules, the contract and the problems, to read in a browser, with a place of its own for everything that is cited.

A refusal or a finding cites `rules.md §4.9`; `rule_link` makes the address of it, and the page has that anchor:
section 4 is `4`, and the ninth item of its list `4.9`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, render_template
from markdown_it import MarkdownIt
from markdown_it.token import Token

from events.refusals import ORDER, RECORDABLE, STATUS
from service.api.problems import TITLES, refuse, status_of

# Beside the packages in a checkout, inside `service` where it was installed from a wheel.
_FOLDERS: Final = (Path(__file__).parents[2] / "docs", Path(__file__).parents[1] / "docs")
PAGES: Final = {"rules": "rules.md", "contract": "contract.md"}

_CITED: Final = re.compile(r"(rules|contract)\.md(?: §(\d+(?:\.\d+)?))?")
_SECTION: Final = re.compile(r"(\d+)\b")

blueprint = Blueprint("documents", __name__, template_folder="templates")


def rule_link(cited: str) -> str | None:
    """The address of what is cited: `rules.md §4.9` → `/rules#4.9`; None for anything that is not a citation."""
    match = _CITED.fullmatch(cited.strip())
    if match is None:
        return None
    return f"/{match[1]}#{match[2]}" if match[2] else f"/{match[1]}"


def source(name: str) -> str:
    """The Markdown of a page of `PAGES`. Raises FileNotFoundError where the documents were not installed."""
    for folder in _FOLDERS:
        path = folder / PAGES[name]
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(PAGES[name])


@cache
def page(name: str) -> tuple[str, str]:
    """Title and HTML of a page of `PAGES`. The HTML is made from Markdown with no HTML of its own let through."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(source(name))
    title = next(tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open")
    _give_anchors(tokens)
    _let_reach(tokens)
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    return title, html


def _let_reach(tokens: Sequence[Token]) -> None:
    """What is wider than a phone can be scrolled by the keyboard too; a cell that heads nothing is no heading."""
    for index, token in enumerate(tokens):
        if token.type in ("table_open", "fence", "code_block"):
            token.attrSet("tabindex", "0")
        elif token.type == "th_open" and not tokens[index + 1].content.strip():
            token.tag = tokens[index + 2].tag = "td"


def _give_anchors(tokens: Sequence[Token]) -> None:
    """An `id` for every numbered section, and for every item of the lists numbered within it."""
    section, depth, given = "", 0, set()
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            match = _SECTION.match(tokens[index + 1].content)
            if match and token.tag == "h2":
                section = match[1]
                token.attrSet("id", section)
            continue
        depth += {"ordered_list_open": 1, "bullet_list_open": 1}.get(token.type, 0)
        depth -= {"ordered_list_close": 1, "bullet_list_close": 1}.get(token.type, 0)
        if token.type == "list_item_open" and token.info and section and depth == 1:
            anchor = f"{section}.{token.info}"
            if anchor not in given:
                given.add(anchor)
                token.attrSet("id", anchor)


@blueprint.get("/rules")
def rules() -> str:
    """The rules of the three games."""
    return _show("rules")


@blueprint.get("/contract")
def contract() -> str:
    """What a client can rely on."""
    return _show("contract")


def _show(name: str) -> str:
    title, html = page(name)
    return render_template("document.html", title=title, html=html, here=name)


@blueprint.get("/problems")
def problems() -> str:
    """Every code that a problem can have."""
    codes = [*(code for code in STATUS if code not in ORDER), "internal", *ORDER]
    return render_template("problems.html", problems=[describe(code) for code in codes], here="problems")


@blueprint.get("/problems/<code>")
def one_problem(code: str) -> str | Response:
    """What a problem's `type` points to."""
    if code not in TITLES:
        raise refuse("not_found", "There is no problem of this code. /problems lists all.")
    return render_template("problems.html", problems=[describe(code)], here="problems", only=code)


def describe(code: str) -> dict[str, str | int | bool]:
    """What there is to say about a code: title, status, and whether a table may let it stand."""
    return {"code": code, "title": TITLES[code], "status": status_of(code), "recordable": code in RECORDABLE}
