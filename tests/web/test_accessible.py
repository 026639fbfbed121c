"""Every page in its states holds WCAG 2.2 AA as far as axe can tell, fits 320 px, and can be used without a finger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Page, expect

from tests.web.person import Person
from tests.web.test_recorder import CAST, PREFIX

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SMALLEST_TARGET_PX = 44
MAIN_TARGET_PX = 56
NARROW = {"width": 320, "height": 640}
SMALL_TARGETS = """(least) => {
  const taps = "button, a, summary, select, input:not([type=checkbox]):not([type=radio])";
  const inText = "p.hint, .why-list, p.about";
  return [...document.querySelectorAll(taps)]
    .filter((each) => each.offsetParent && !each.classList.contains("skip") && !each.closest(inText))
    .map((each) => [each.textContent.trim().slice(0, 30), each.getBoundingClientRect()])
    .filter(([, box]) => box.height < least - 0.5 || box.width < least - 0.5)
    .map(([text, box]) => `${text}: ${Math.round(box.width)} × ${Math.round(box.height)}`);
}"""


def faults(page: Page) -> list[str]:
    """What axe finds, each with where."""
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate("(tags) => axe.run(document, { runOnly: tags })", RULES)
    return [
        f"{fault['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


def holds(page: Page, state: str) -> None:
    page.wait_for_timeout(250)  # colours have settled
    assert faults(page) == [], state
    assert page.evaluate(SMALL_TARGETS, SMALLEST_TARGET_PX) == [], state
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], f"{state}: wider than 320 px"
    page.set_viewport_size({"width": 360, "height": 640})


@pytest.mark.parametrize("language", ["en", "es", "fr", "it"])
def test_the_recorder_in_every_phase(phone: Callable[..., Page], language: str) -> None:
    page = phone(PREFIX[language])
    person = Person(page, language)
    t = person.words
    page.goto("/")
    expect(page.locator("form h1")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == language
    holds(page, "start")
    page.get_by_role("button", name=t("start.all_rules")).click()
    holds(page, "start, all rules")
    person.open_night("community", [*CAST[:3], "Bartholomew the Elder of Somewhere"])
    holds(page, "first deal")
    person.does(t("do.deal", player="Cal"))
    holds(page, "blind round")
    for name in (t("why.title"), t("irregular.title"), t("menu.title"), t("timeline.short"), t("raise.more")):
        page.get_by_role("button", name=name).first.click()
        holds(page, name)
        page.get_by_role("button", name=t("sheet.close"), exact=True).click()
    person.does(t("do.open_blind"))
    person.does(t("do.call_seen"))
    person.does(t("do.call_blind"))
    person.does(t("do.call_blind"))
    holds(page, "flip")
    person.pick(["Kh"])
    person.until("bragbook.book.state.phase === 'act'")
    holds(page, "a round with a check")
    for _ in range(3):
        person.does(t("do.fold"), exact=True)
    expect(page.locator(".summary")).to_be_visible()
    holds(page, "a hand that is over")


@pytest.mark.parametrize("game", ["three-card", "lives"])
def test_the_other_games(phone: Callable[..., Page], game: str) -> None:
    page = phone()
    person = Person(page)
    person.open_night(game, CAST[:3])
    person.does("Cal deals") if game != "lives" else person.tap(page.get_by_role("button", name="Cal deals"))
    if game == "lives":
        holds(page, "the centre's card")
        person.pick(["Qc"])
        person.until("bragbook.book.state.phase === 'act'")
        holds(page, "a swap")
        page.locator(".actions").get_by_role("button", name="Take").click()
        holds(page, "the card given")
    else:
        person.does("Fold")
        person.does("Open blind")
        person.tap(page.locator(".actions .fold"))
        person.until("bragbook.book.state.phase === 'deal'")
        holds(page, "a pot that is carried")


def test_the_pages_of_those_who_watch(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    person.does("Look, open seen")
    person.does("Fold")
    person.does("Fold")
    person.wait_saved()
    for view in ("", "/tv", "/replay", "/settle"):
        page.goto(f"/s/{session}{view}")
        expect(page.locator("#app h1, #app h2").first).to_be_visible()
        holds(page, view or "/watch")
    page.goto("/people")
    holds(page, "people")
    stranger = phone()
    stranger.goto(f"/s/{session}")
    expect(stranger.get_by_role("heading", name="This link does not open the table")).to_be_visible()
    holds(stranger, "no key")


def test_a_hand_with_the_keyboard_alone(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3])
    for words, turn in (("Cal deals", "Asha to act"), ("Open blind", "Ben to act"), ("Fold", "Cal to act")):
        button = page.locator(".actions").get_by_role("button", name=words).first
        for _ in range(40):
            if button.evaluate("(button) => button === document.activeElement"):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#turn")).to_have_text(turn)


def test_the_main_buttons_are_big(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    for name in (".main", ".fold", ".second", ".raise"):
        box = page.locator(f".actions {name}").first.bounding_box()
        assert box is not None
        assert box["height"] >= MAIN_TARGET_PX
