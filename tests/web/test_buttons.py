"""The buttons of the moment, what is said of those that are missing, and the way back out of a sheet."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.person import Person
from tests.web.test_recorder import CAST

COUNT_LOCKS = """
window.locks = { asked: 0, held: 0 };
const request = navigator.wakeLock.request.bind(navigator.wakeLock);
navigator.wakeLock.request = async (kind) => {
  window.locks.asked += 1;
  const lock = await request(kind);
  window.locks.held += 1;
  lock.addEventListener("release", () => (window.locks.held -= 1));
  return lock;
};
"""


def chips(page: Page) -> list[str]:
    return page.locator(".raises .press:not(.more)").evaluate_all("(all) => all.map((one) => one.innerText)")


def label(page: Page, number: int) -> str | None:
    return page.locator(".raises .press").nth(number).get_attribute("aria-label")


def test_an_opening_has_one_button_for_the_least_and_chips_above_it(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    page.get_by_role("button", name="Now blind").click()  # seen: opens at 1 to 5
    expect(page.locator(".raises")).to_have_attribute("aria-label", "Open higher")
    assert chips(page) == ["+1\n2", "+2\n3", "+3\n4", "+4\n5"]
    assert label(page, 0) == "Open higher by 1, pays 2"
    person.does("Look, open seen")
    page.get_by_role("button", name="Now blind").click()  # seen: the level 1, and up to 5 more
    expect(page.locator(".raises")).to_have_attribute("aria-label", "Raise by")
    assert chips(page) == ["+1\n2", "+2\n3", "+3\n4", "+4\n5", "+5\n6"]
    page.get_by_role("button", name="Now seen").click()  # blind: half of it
    assert chips(page) == ["+1\n1", "+2\n1.5", "+3\n2", "+4\n2.5", "+5\n3"]


@pytest.mark.parametrize(
    ("rules", "seen"),
    [
        ({"min_bet": "2"}, ["+1\n3", "+2\n4", "+3\n5", "+4\n6", "+5\n7"]),
        ({"step": "2", "min_bet": "2"}, ["+2\n4", "+4\n6", "+6\n8", "+8\n10", "+10\n12"]),
        ({"max_raise": "3"}, ["+1\n2", "+2\n3"]),
    ],
)
def test_the_chips_keep_to_the_tables_steps_and_caps(
    phone: Callable[..., Page], rules: dict[str, str], seen: list[str]
) -> None:
    page = phone()
    person = Person(page)
    person.open_night("community", CAST[:3], rules)
    person.does("Cal deals")
    page.get_by_role("button", name="Now blind").click()
    assert chips(page) == seen
    paid = page.locator(".actions .press.main .price").inner_text()
    person.does("Look, open seen")
    assert page.evaluate("bragbook.book.state.level") == rules.get("min_bet", "1")
    assert paid not in [one.split("\n")[1] for one in seen]


@pytest.mark.parametrize("game", ["three-card", "community", "lives"])
def test_why_not_gives_each_action_its_own_reason_and_rule(phone: Callable[..., Page], game: str) -> None:
    """Between hands, and in one, of somebody whose turn it is not."""
    page = phone()
    person = Person(page)
    person.open_night(game, CAST[:3])
    for moment in ("between hands", "in a hand"):
        if moment == "in a hand":
            if game == "lives":
                person.tap(page.get_by_role("button", name="Cal deals"))
                person.pick(["Qc"])
                person.until("bragbook.book.state.phase === 'act'")
            else:
                person.does("Cal deals")
        page.get_by_role("button", name="Why not").click()
        no = page.locator(".why-list .no")
        expect(no.first).to_be_visible()
        said = no.locator("> span").evaluate_all(
            "(all) => all.map((one) => [one.firstChild.textContent, one.querySelector('a')?.getAttribute('href')])"
        )
        assert all(rule and rule.startswith("/rules#") for _, rule in said), (moment, said)
        bets = 1 if game == "three-card" or game == "community" else 0
        if moment == "between hands":  # a bet seen and a bet blind wait for the same thing
            assert len({text for text, _ in said}) == len(said) - bets, said
        page.get_by_role("dialog").get_by_role("button", name="Ben", exact=True).click()
        if moment == "in a hand":
            expect(no.first).to_contain_text("somebody else’s turn")
        page.get_by_role("button", name="Close").click()


def test_going_back_closes_the_sheet_and_only_that(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3])
    dialog = page.get_by_role("dialog")
    here, length = page.url, page.evaluate("history.length")
    page.get_by_role("button", name="Menu").click()
    person.until("history.state?.sheet === true")
    page.go_back()
    expect(dialog).to_have_count(0)
    assert page.url == here
    # one sheet after the other is one step back
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Note something").click()
    expect(dialog).to_contain_text("worth remembering")
    person.until("history.state?.sheet === true")
    page.go_back()
    expect(dialog).to_have_count(0)
    assert page.url == here
    # closed by its button, or by what it records, nothing is left to go back over
    for _ in range(3):
        page.get_by_role("button", name="Menu").click()
        person.until("history.state?.sheet === true")
        page.get_by_role("button", name="Close").click()
        person.until("!history.state?.sheet")
    assert page.evaluate("history.length") == length + 1  # the closed one lies ahead, not behind
    person.does("Cal deals")
    page.go_back()
    page.wait_for_url(lambda url: not url.endswith("/record"))


def test_a_reload_with_a_sheet_open_leaves_no_step_behind(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3])
    page.get_by_role("button", name="Menu").click()
    person.until("history.state?.sheet === true")
    page.reload()
    person.wait_for_engine()
    person.until("!history.state?.sheet")
    page.go_back()
    page.wait_for_url(lambda url: not url.endswith("/record"))


def test_the_screen_stays_on_while_a_hand_is_open(phone: Callable[..., Page]) -> None:
    page = phone()
    page.add_init_script(COUNT_LOCKS)
    person = Person(page)
    person.open_night("three-card", CAST[:3])
    assert page.evaluate("locks") == {"asked": 0, "held": 0}
    person.does("Cal deals")
    person.until("locks.held === 1")
    person.does("Look, open seen")
    assert page.evaluate("locks") == {"asked": 1, "held": 1}
    person.does("All fold to Asha")
    person.until("locks.held === 0")
