"""Every page in its states holds WCAG 2.2 AA as far as axe can tell, fits 320 px, and can be used without a finger."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Page, ViewportSize, expect

from service.export.documents import ndjson
from tests.export.nights import named_case, of_case
from tests.web.chromium import A_PHONE
from tests.web.nights import NIGHT, PLAYERS, Night, recorded
from tests.web.person import Person
from tests.web.test_people import club_token
from tests.web.test_recorder import CAST, PREFIX
from tests.web.test_verify import give

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SMALLEST_TARGET_PX = 44
MAIN_TARGET_PX = 56
LONG_NAME = "Bartholomew the Elder of Somewhere"
MOST_STOPS = 120
# What has the focus: its name with its place, whether it is drawn on top of all else, and whether a line is around it.
FOCUS = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const box = at.getBoundingClientRect();
  const style = getComputedStyle(at);
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  const all = [...document.querySelectorAll("*")];
  const name = at.getAttribute("aria-label") || at.innerText || at.id || at.tagName;
  return {
    name: `${all.indexOf(at)} ${name.trim().slice(0, 40)}`,
    seen: Boolean(top && (at.contains(top) || top.contains(at))),
    outlined: style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 2,
  };
}"""
STOPS = """() => {
  const all = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), summary, [tabindex='0']";
  const stops = [...document.querySelectorAll(all)].filter((each) => each.checkVisibility());
  // of the radio buttons of one name, one is a stop
  const radios = new Set(stops.filter((each) => each.type === "radio").map((each) => each.name));
  return stops.filter((each) => each.type !== "radio").length + radios.size;
}"""
# How much moves when a button gets another colour.
MOVING = """() => {
  const { style } = document.querySelector(".press");
  style.backgroundColor = "red";
  const moving = document.getAnimations().length;
  style.backgroundColor = "";
  return moving;
}"""
NARROW: ViewportSize = {"width": 320, "height": 640}
SMALL_TARGETS = """(least) => {
  const taps = "button, a, summary, select, input:not([type=checkbox]):not([type=radio])";
  const inText = "p.hint, .why-list, p.about";
  return [...document.querySelectorAll(taps)]
    .filter((each) => each.offsetParent && !each.classList.contains("skip") && !each.closest(inText))
    .map((each) => [each.textContent.trim().slice(0, 30), each.getBoundingClientRect()])
    .filter(([, box]) => box.height < least - 0.5 || box.width < least - 0.5)
    .map(([text, box]) => `${text}: ${Math.round(box.width)} × ${Math.round(box.height)}`);
}"""


def faults(page: Page, beside: str = "") -> list[str]:
    """What axe finds, each with where; beside: a rule of its that does not count here."""
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate("(tags) => axe.run(document, { runOnly: tags })", RULES)
    return [
        f"{fault['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
        for fault in found["violations"]
        for node in fault["nodes"]
        if fault["id"] != beside
    ]


def settled(page: Page) -> None:
    """What has been asked for is there, and no colour is on its way to another."""
    expect(page.locator(".loading")).to_have_count(0)
    page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")


def resized(page: Page, size: ViewportSize) -> None:
    page.set_viewport_size(size)
    Person(page).until(f"innerWidth === {size['width']}")


def fits(page: Page, state: str) -> None:
    resized(page, NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], f"{state}: wider than 320 px"
    resized(page, A_PHONE)


def holds(page: Page, state: str) -> None:
    settled(page)
    assert faults(page) == [], state
    assert page.evaluate(SMALL_TARGETS, SMALLEST_TARGET_PX) == [], state
    fits(page, state)


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


@pytest.fixture
def night(service: str) -> Night:
    """One hand, disputed; a title as long as titles get, money, and a name that fits nowhere."""
    players = [*PLAYERS[:3], {"id": "p4", "name": LONG_NAME}]
    made = recorded(service, NIGHT, players=players, title="T" * 80, unit={"worth": "0.1", "currency": "GBP"})
    made.ask("POST", "/events", {"type": "dispute", "player": "p2", "of_hand": 1, "claim": "The run was better."})
    made.ask("POST", "/events", {"type": "sign", "player": "p1"})
    owed = made.ask("GET", "/settlement")["outstanding"]
    made.ask("POST", "/events", {"type": "pay", **owed[0]})
    return made


def opened(page: Page, night: Night, view: str, key: str = "record") -> Page:
    path, _, moment = view.partition("#")
    page.goto("about:blank")  # to the same page again a link would only change what stands behind `#`
    page.goto(f"/s/{night.id}{path}#{key}={getattr(night, key)}&{moment}")
    expect(page.locator("#app h1, #app h2").first).to_be_visible()
    settled(page)
    return page


@pytest.mark.parametrize("key", ["record", "view"])
def test_the_pages_of_those_who_watch(phone: Callable[..., Page], night: Night, key: str) -> None:
    page = phone()
    for view in ("", "/tv", "/replay#hand=1&at=7", "/replay#hand=1&at=16", "/settle", "/case"):
        opened(page, night, view, key)
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        holds(page, f"{key} {view or '/watch'}")


def test_strangers(phone: Callable[..., Page], night: Night) -> None:
    page = phone()
    page.goto(f"/s/{night.id}")
    expect(page.get_by_role("heading", name="This link does not open the table")).to_be_visible()
    holds(page, "no key")
    page.goto("/people")
    expect(page.get_by_label("The club’s token")).to_be_visible()
    holds(page, "people, for a stranger")


def test_people_joined_and_apart(phone: Callable[..., Page], night: Night, database: str) -> None:
    page = phone()
    page.goto(f"/people#club={club_token(database)}")
    person = page.locator(".people li").first
    person.locator(".press").first.click()
    expect(page.locator(".person .hands")).to_be_visible()
    holds(page, "someone's nights")
    page.get_by_label("Is the same person as").select_option("Ben")
    holds(page, "someone else chosen")
    page.get_by_role("button", name="Join with Ben").click()
    apart = page.get_by_role("button", name=re.compile("take apart")).first
    expect(apart).to_be_visible()
    holds(page, "joined")
    apart.click()
    expect(apart).to_have_count(0)
    holds(page, "apart")


def test_a_file_that_is_checked(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/verify")
    holds(page, "no file")
    data = b"".join(ndjson(of_case(named_case("common-wrong-award"))))
    for name, given in (("unsound", data), ("tampered", data.replace(b'"fold"', b'"look"', 1)), ("no night", b"hello")):
        give(page, given, f"{name}.json")
        holds(page, f"a file, {name}")
    page.fill("#key", "no key at all")
    page.press("#key", "Tab")
    holds(page, "no key")


@pytest.mark.parametrize("path", ["/rules", "/contract", "/problems", "/problems/bet.too_low"])
def test_what_there_is_to_read(phone: Callable[..., Page], path: str) -> None:
    page = phone()
    page.goto(path)
    assert faults(page) == []
    fits(page, path)


def walk_by_keyboard(page: Page) -> list[str]:
    """Tabs once through the page; what had the focus, in order. Each must be seen, and show that it has the focus."""
    page.locator("a.skip").focus()
    order: list[str] = []
    for _ in range(MOST_STOPS):
        stop: dict[str, Any] | None = page.evaluate(FOCUS)
        if stop is None or (order and stop["name"] == order[0]):
            return order
        assert stop["outlined"], f"nothing shows the focus on {stop['name']}"
        assert stop["seen"], f"{stop['name']} has the focus and is covered or out of sight"
        order.append(stop["name"])
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard never gets out: {order[-8:]}")


@pytest.mark.parametrize("view", ["form", "", "/replay#hand=1&at=7", "/settle", "/case"])
def test_every_page_by_keyboard(phone: Callable[..., Page], night: Night, view: str) -> None:
    page = phone()
    if view == "form":
        page.goto("/")
        expect(page.locator("form h1")).to_be_visible()
        for n, name in enumerate(CAST[:3], 1):
            page.get_by_label(f"Seat {n}", exact=True).fill(name)
    else:
        opened(page, night, view)
    order = walk_by_keyboard(page)
    all_of_them = page.evaluate(STOPS)
    assert len(set(order)) == len(order) == all_of_them, order


@pytest.mark.parametrize("wish", [{"forced_colors": "active"}, {"reduced_motion": "reduce"}])
def test_a_visitors_own_colours_and_no_motion(phone: Callable[..., Page], night: Night, wish: dict[str, Any]) -> None:
    page = phone()
    page.emulate_media(**wish)
    for view in ("/settle", "/replay#hand=1&at=9"):
        opened(page, night, view)
        if "reduced_motion" in wish:
            assert page.evaluate(MOVING) == 0
        # axe reads the colours that the page asked for, not those that the visitor's own have replaced
        assert faults(page, "color-contrast" if "forced_colors" in wish else "") == [], view
    if "forced_colors" in wish:
        widths = page.locator(".seat.acts").evaluate("(seat) => getComputedStyle(seat).borderTopWidth")
        assert widths == "3px"  # who acts is told by a line where no colour can


def test_cards_are_named_and_a_dialog_lets_go(phone: Callable[..., Page], night: Night) -> None:
    page = phone()
    opened(page, night, "")
    expect(page.get_by_role("img", name="king of clubs")).to_have_count(1)
    opened(page, night, "/case")
    button = page.get_by_role("button", name="Rule on it")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    holds(page, "a dialog")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(button).to_be_focused()


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
