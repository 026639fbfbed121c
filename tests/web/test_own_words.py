"""In Spanish, French and Italian no page falls back into English, whatever state it is in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from service.export.documents import ndjson
from service.web.languages import read_all
from tests.export.nights import named_case, of_case
from tests.web.nights import NIGHT, Night, recorded
from tests.web.person import Person
from tests.web.test_people import club_token
from tests.web.test_recorder import CAST, PREFIX
from tests.web.test_verify import give

LANGUAGES = read_all()
GAP = re.compile(r"\{\w+\}")
LONG_ENOUGH_WORDS = 3
# What goes for one goes for all but for their words: the others are read where there is time.
EACH = ["es", *(pytest.param(code, marks=pytest.mark.soak) for code in ("fr", "it"))]
# Little words of which an English sentence has one, and which are none in the three others.
ENGLISH = re.compile(r"\b(?:the|of|and|is|was|with|this|from|what|which|been|has)\b", re.IGNORECASE)
# What free text of the table's own would be: in no language.
FREE = "Qqq"

VISIBLE = """() => {
  const found = [];
  const seen = (node) => node.checkVisibility?.() && !node.closest("[lang]:not(html)");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: parent, data } = walker.currentNode;
    const told = !["SCRIPT", "STYLE", "NOSCRIPT"].includes(parent.tagName);
    if (data.trim() && told && seen(parent)) found.push(data.trim());
  }
  for (const node of document.body.querySelectorAll("[aria-label], [title], [placeholder], [alt], [aria-valuetext]")) {
    if (!seen(node)) continue;
    for (const name of ["aria-label", "title", "placeholder", "alt", "aria-valuetext"]) {
      const text = node.getAttribute(name)?.trim();
      if (text) found.push(text);
    }
  }
  return [...found, document.title];
}"""


def english_only(code: str) -> tuple[set[str], list[str]]:
    """Whole texts, and parts of sentences, that the English catalogue has and the other language has nowhere."""
    english, other = LANGUAGES["en"].texts, LANGUAGES[code].texts
    theirs = {text.casefold() for text in other.values()}
    every = "\n".join(theirs)
    whole = {text for text in english.values() if text.casefold() not in theirs and not GAP.search(text)}
    parts = {part.strip() for text in english.values() for part in GAP.split(text)}
    long = [part for part in parts if len(part.split()) >= LONG_ENOUGH_WORDS and part.casefold() not in every]
    return whole, long


class Reader:
    """Reads every page that it is shown, and keeps what is English in it."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.whole, self.parts = english_only(code)
        self.left: list[str] = []

    def read(self, page: Page, state: str) -> None:
        expect(page.locator(".loading")).to_have_count(0)
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        texts: list[str] = page.evaluate(VISIBLE)
        assert len(texts) > 5, state
        for text in texts:
            if text in self.whole or ENGLISH.search(text) or any(part in text for part in self.parts):
                self.left.append(f"{state}: {text}")


def neutral(event: dict[str, Any]) -> dict[str, Any]:
    return {name: FREE if name in ("reason", "irregular", "claim") else value for name, value in event.items()}


@pytest.fixture
def night(service: str) -> Night:
    unit = {"worth": "0.1", "currency": "EUR"}
    made = recorded(service, [neutral(event) for event in NIGHT], title=FREE, unit=unit)
    made.ask("POST", "/events", {"type": "dispute", "player": "p2", "of_hand": 1, "claim": FREE})
    made.ask("POST", "/events", {"type": "sign", "player": "p1"})
    return made


def test_the_reader_finds_english(phone: Callable[..., Page], night: Night) -> None:
    reader = Reader("es")
    page = phone("en-GB")
    page.goto(f"/s/{night.id}/settle#record={night.record}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    reader.read(page, "settlement")
    assert "settlement: Settlement" in reader.left
    assert len(reader.left) > 30


@pytest.mark.parametrize("code", EACH)
def test_no_page_falls_back_into_english(phone: Callable[..., Page], night: Night, database: str, code: str) -> None:
    reader, page = Reader(code), phone(PREFIX[code])
    t = LANGUAGES[code]
    read_the_form(page, reader)
    for view in ("", "/settle", "/replay#hand=1&at=7", "/replay#hand=1&at=16", "/case", "/tv"):
        path, _, moment = view.partition("#")
        page.goto("about:blank")
        page.goto(f"/s/{night.id}{path}#record={night.record}&{moment}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        reader.read(page, view or "/watch")
    page.goto(f"/s/{night.id}/record")
    Person(page, code).wait_for_engine()
    reader.read(page, "recorder")
    for sheet in ("share", "note", "join", "leave", "close"):
        page.get_by_role("button", name=t("menu.title")).first.click()
        reader.read(page, "menu")
        page.get_by_role("button", name=t(f"menu.{sheet}"), exact=True).click()
        if sheet == "share":
            expect(page.locator(".tokens li").first).to_be_attached()
        reader.read(page, sheet)
        page.get_by_role("button", name=t("sheet.close"), exact=True).click()
    Person(page, code).wait_closed()
    page.goto(f"/people#club={club_token(database)}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator(".people .press").first.click()
    expect(page.locator(".person")).to_be_visible()
    reader.read(page, "people")
    assert reader.left == []


def read_the_form(page: Page, reader: Reader) -> None:
    t = LANGUAGES[reader.code]
    page.goto("/")
    for game in ("three-card", "community", "lives"):
        page.get_by_role("radio", name=t(f"game.{game}")).check()
        reader.read(page, f"form, {game}")
        page.get_by_role("button", name=t("start.all_rules")).click()
        reader.read(page, f"form, every rule of {game}")
        page.get_by_role("button", name=t("start.fewer_rules")).click()
    page.get_by_role("radio", name=t("game.three-card")).check()
    for n, name in enumerate(CAST[:2], 1):
        page.get_by_label(t("start.seat", n=n), exact=True).fill(name)
    page.get_by_role("button", name=t("start.all_rules")).click()
    for rule, value in (("ante", "x"), ("pots", "-1"), ("step", "0,3"), ("stake_limit", "0")):
        page.locator(f"#rule-{rule}").fill(value)
    page.get_by_role("button", name=t("start.begin", n=2)).click()
    expect(page.locator(".begin .fault")).to_be_visible()
    reader.read(page, "form, faults")


@pytest.mark.parametrize("code", EACH)
def test_strangers_and_files_are_answered_in_their_language(
    phone: Callable[..., Page], night: Night, code: str
) -> None:
    reader, page = Reader(code), phone(PREFIX[code])
    for path in (f"/s/{night.id}", f"/s/{night.id}#view=bb_view_made_up", f"/s/{night.id}/record", "/people"):
        page.goto("about:blank")  # to the same page again a link would only change what stands behind `#`
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        reader.read(page, path)
    page.goto("about:blank")
    page.goto("/people#club=bb_club_made_up")
    expect(page.locator(".fault")).to_be_visible()
    reader.read(page, "people, a wrong token")
    page.goto("/verify")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    reader.read(page, "/verify")
    unsound = of_case(named_case("common-wrong-award"))
    changed = b"".join(ndjson(unsound)).replace(b'"seen"', b'"blind"', 1)
    for name, data in (("none", b"hello"), ("unsound", b"".join(ndjson(unsound))), ("changed", changed)):
        give(page, data, f"{name}.json")
        reader.read(page, "/verify, a file")
    assert reader.left == []
