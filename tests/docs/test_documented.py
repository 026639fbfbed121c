"""Nothing that a person can use is left out of the documentation: commands, options, settings, tables, pages."""

from __future__ import annotations

import re
from pathlib import Path

import click
import psycopg
import pytest

from service.cli import COMMANDS, bragbook
from service.server_settings import variables
from service.settings import VARIABLES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SHARED = ROOT.parent / "shared"


FOR_MANY = ("--data",)  # said once, at the head of the page


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    sections = dict(
        re.findall(r"^## bragbook ([a-z]+)\n(.*?)(?=^## |\Z)", page("commands.md"), re.MULTILINE | re.DOTALL)
    )
    command = bragbook.get_command(click.Context(bragbook), name)
    assert command is not None
    options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
    missing = [option for option in options if option not in sections[name] and option not in FOR_MANY]
    assert missing == []


def test_no_command_is_documented_that_is_not_there() -> None:
    assert sorted(re.findall(r"^## bragbook ([a-z]+)$", page("commands.md"), re.MULTILINE)) == sorted(COMMANDS)


def test_every_setting_is_documented_as_it_is() -> None:
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| (.*) \|$", page("settings.md"), re.MULTILINE))
    assert rows == {**VARIABLES, **variables()}


def test_every_table_is_documented(database: str) -> None:
    with psycopg.connect(database) as connection:
        tables = connection.execute(
            "select table_name from information_schema.tables where table_schema = 'public' order by table_name"
        ).fetchall()
    documented = re.findall(r"^\| `([a-z_]+)` \|", page("tables.md"), re.MULTILINE)
    assert sorted(documented) == [name for (name,) in tables]


def test_every_page_can_be_found_from_the_first() -> None:
    first = page("README.md")
    assert [
        path.name for path in sorted(DOCS.glob("*.md")) if path.name != "README.md" and f"({path.name})" not in first
    ] == []


@pytest.mark.parametrize("path", sorted([*DOCS.glob("*.md"), ROOT / "README.md"]), ids=lambda path: path.name)
def test_every_link_within_the_documentation_leads_somewhere(path: Path) -> None:
    if path.name in ("rules.md", "contract.md"):
        pytest.skip("kept as it was agreed, word for word")
    links = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("name", ["rules.md", "contract.md"])
def test_what_was_agreed_is_kept_word_for_word(name: str) -> None:
    agreed = SHARED / name
    if not agreed.exists():
        pytest.skip("the agreed text does not lie beside this checkout")
    assert (DOCS / name).read_bytes() == agreed.read_bytes(), f"docs/{name} is old: copy it again"
