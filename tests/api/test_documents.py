"""Everything that is cited can be read, at the place that the citation names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.api.documents import PAGES, page, rule_link, source
from tests.api.conftest import Caller, problem

PACKAGES = [Path(__file__).parents[2] / name for name in ("events", "service")]


@pytest.mark.parametrize(
    ("cited", "link"),
    [
        ("rules.md §4.9", "/rules#4.9"),
        ("rules.md §5", "/rules#5"),
        ("rules.md", "/rules"),
        ("contract.md §7", "/contract#7"),
        ("the landlord", None),
        ("rules.md §4.9 and more", None),
    ],
)
def test_a_citation_has_an_address(cited: str, link: str | None) -> None:
    assert rule_link(cited) == link


def cited_in_code() -> set[str]:
    """Every place of the rules or the contract that a message of ours may cite."""
    found: set[str] = set()
    for folder in PACKAGES:
        for path in folder.rglob("*.py"):
            found |= set(re.findall(r'"((?:rules|contract)\.md §\d+(?:\.\d+)?)"', path.read_text(encoding="utf-8")))
    return found


def test_every_citation_in_the_code_leads_to_a_place_that_is_there() -> None:
    cited = cited_in_code()
    assert len(cited) > 10
    for citation in cited:
        link = rule_link(citation)
        assert link is not None, citation
        name, anchor = link[1:].split("#")
        assert f'id="{anchor}"' in page(name)[1], citation


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_everything_that_its_source_has(stranger: Caller, name: str) -> None:
    answer = stranger.get(f"/{name}")
    assert answer.status_code == 200
    assert answer.mimetype == "text/html"
    headings = re.findall(r"^#+ (.+)$", source(name), re.MULTILINE)
    assert len(headings) > 5
    for heading in headings:
        assert heading.replace("`", "").split(":")[0] in re.sub(r"</?code>", "", answer.text)


def test_an_anchor_is_there_once() -> None:
    for name in PAGES:
        anchors = re.findall(r' id="([^"]+)"', page(name)[1])
        assert len(anchors) == len(set(anchors))


def test_pages_load_nothing_from_elsewhere_and_run_nothing(stranger: Caller) -> None:
    for path in ("/rules", "/contract", "/problems", "/problems/bet.too_low"):
        answer = stranger.get(path)
        assert "script" not in answer.text
        assert "style=" not in answer.text
        assert not re.search(r"(src|href)=\"(https?:)?//", answer.text)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_a_problem_s_type_can_be_looked_up(stranger: Caller, crown) -> None:
    refused = problem(crown.record({"type": "fold", "player": "A"}), "event.not_now")
    answer = stranger.get(refused["type"])
    assert answer.status_code == 200
    assert refused["title"] in answer.text


def test_there_is_no_page_of_another_problem(stranger: Caller) -> None:
    problem(stranger.get("/problems/bet.too_loud"), "not_found")
