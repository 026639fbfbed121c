"""What the table did with a hand, the chips counted, a hand called off, the end of the night: told by tapping."""

from __future__ import annotations

import io
from collections.abc import Callable

import pypdf
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.person import Person, stored_events, stored_state
from tests.web.test_accessible import holds
from tests.web.test_recorder import CAST


@pytest.fixture
def over(phone: Callable[..., Page]) -> tuple[Person, str]:
    """A hand of three that Ben has won, as the last one in: 4 in the pot."""
    person = Person(phone())
    session = person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    person.does("Fold")
    person.does("Look, open seen")
    person.tap(person.page.locator(".actions .fold"))
    expect(person.page.get_by_role("heading", name="Ben wins 4")).to_be_visible()
    return person, session


def sheet(page: Page) -> Locator:
    return page.get_by_role("dialog")


def last(person: Person, session: str) -> dict[str, object]:
    person.wait_saved()
    return stored_events(person.page, session)[-1]


def amount(pad: Locator, text: str) -> None:
    for sign in text:
        pad.get_by_role("button", name="decimal point" if sign == "." else sign, exact=True).click()


def test_the_table_confirms_in_one_tap(over: tuple[Person, str]) -> None:
    person, session = over
    before = person.version()
    person.page.get_by_role("button", name="Paid like this").click()
    person.wait_past(before)
    expect(person.page.locator(".table-did")).to_contain_text("✓ The table confirmed it")
    assert last(person, session)["type"] == "settle"
    person.undo()
    expect(person.page.get_by_role("button", name="Paid like this")).to_be_visible()


def test_the_pot_went_to_somebody_else(over: tuple[Person, str]) -> None:
    person, session = over
    page = person.page
    page.get_by_role("button", name="Paid otherwise").click()
    holds(page, "paid otherwise")
    record = sheet(page).get_by_role("button", name="Record it so")
    sheet(page).get_by_role("button", name="All to Cal").click()
    expect(record).to_be_disabled()  # not without a reason
    sheet(page).get_by_label("Why, in a few words").fill("nobody looked at ben's cards")
    sheet(page).get_by_role("button", name="Write “Player 2” instead").click()
    before = person.version()
    record.click()
    person.wait_past(before)
    expect(page.get_by_role("heading", name="Cal was paid 4")).to_be_visible()
    expect(page.locator(".summary")).to_contain_text("By the rules the pot was Ben’s.")
    assert last(person, session)["awards"] == {"p3": "4"}
    assert last(person, session)["irregular"] == "nobody looked at Player 2's cards"
    page.get_by_role("link", name="The case", exact=True).click()
    expect(page.locator(".owed")).to_contain_text("Cal owes Ben 4")


def test_the_pot_was_shared(over: tuple[Person, str]) -> None:
    person, session = over
    page = person.page
    page.get_by_role("button", name="Paid otherwise").click()
    sheet(page).get_by_role("button", name="Shared…").click()
    amount(sheet(page), "1.5")
    sheet(page).get_by_role("button", name="Asha: 1.5").click()
    expect(sheet(page).locator(".sum")).to_have_text("2.5 of the pot is left over.")
    holds(page, "a pot that is shared")
    sheet(page).get_by_role("button", name="The rest: 2.5").click()
    expect(sheet(page).locator(".sum")).to_have_text("That makes the pot.")
    sheet(page).get_by_label("Why, in a few words").fill("they agreed")
    before = person.version()
    sheet(page).get_by_role("button", name="Record it so").click()
    person.wait_past(before)
    assert last(person, session)["awards"] == {"p1": "1.5", "p2": "2.5"}


def test_somebody_else_lost_a_life(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("lives", CAST[:3])
    person.tap(page.get_by_role("button", name="Cal deals"))
    person.pick(["Qc"])
    person.until("bragbook.book.state.phase === 'act'")
    for _ in range(3):
        person.does("Swap for a hidden card")
    person.does("Knock")
    for _ in range(2):
        person.does("Swap for a hidden card")
    for cards in (["As", "Ah", "Kd"], ["Ks", "Kh", "9d"], ["2s", "4h", "7d"]):
        person.until("bragbook.book.state.phase === 'reveal' && !bragbook.book.busy")
        before = person.version()
        person.pick(cards)
        person.wait_past(before)
    expect(page.get_by_role("heading", name="Cal loses a life")).to_be_visible()
    page.get_by_role("button", name="The table did otherwise").click()
    sheet(page).get_by_role("button", name="Cal").click()
    sheet(page).get_by_role("button", name="Ben", exact=True).click()
    sheet(page).get_by_label("Why, in a few words").fill("misread")
    before = person.version()
    sheet(page).get_by_role("button", name="Record it so").click()
    person.wait_past(before)
    assert last(person, session)["losers"] == ["p2"]
    state = stored_state(page, session)
    assert [state["players"][one]["lives"] for one in state["seats"]] == [3, 2, 3]


def counting(phone: Callable[..., Page]) -> tuple[Person, str]:
    page = phone()
    person = Person(page)
    person.open_night("community", CAST[:3], with_chips=True)
    before = person.version()
    page.evaluate("bragbook.book.record(['p1', 'p2', 'p3'].map((player) => ({ type: 'buy', player, chips: '20' })))")
    person.wait_past(before)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Count the chips").click()
    return person, page.url.split("/")[-2]


def test_the_chips_are_counted_and_a_gap_needs_a_reason(phone: Callable[..., Page]) -> None:
    person, session = counting(phone)
    page = person.page
    expect(sheet(page).locator(".sum")).to_have_text("Counted 0; the log holds 60.")
    for name, held in (("Asha", "22"), ("Ben", "18"), ("Cal", "19")):
        amount(sheet(page), held)
        sheet(page).get_by_role("button", name=f"{name}: {held}").click()
    expect(sheet(page).locator(".sum")).to_have_text("Counted 59; the log holds 60. ✕ 1 missing: count again.")
    holds(page, "a count with a gap")
    record = sheet(page).get_by_role("button", name="Record it with the gap")
    expect(record).to_be_disabled()
    sheet(page).get_by_role("button", name="Cal").click()
    sheet(page).get_by_role("button", name="The rest: 20").click()
    expect(sheet(page).locator(".sum")).to_contain_text("✓ They agree.")
    before = person.version()
    sheet(page).get_by_role("button", name="Record the count").click()
    person.wait_past(before)
    assert last(person, session)["chips"] == {"p1": "22", "p2": "18", "p3": "20"}
    state = stored_state(page, session)
    assert [state["players"][one]["stack"] for one in state["seats"]] == ["22", "18", "20"]


def test_a_gap_is_recorded_with_its_reason(phone: Callable[..., Page]) -> None:
    person, session = counting(phone)
    page = person.page
    for name, held in (("Asha", "20"), ("Ben", "20"), ("Cal", "0")):
        amount(sheet(page), held)
        sheet(page).get_by_role("button", name=f"{name}: {held}").click()
    sheet(page).get_by_label("If the gap stays").fill("a chip fell behind the bench")
    before = person.version()
    sheet(page).get_by_role("button", name="Record it with the gap").click()
    person.wait_past(before)
    assert last(person, session)["irregular"] == "a chip fell behind the bench"
    assert stored_state(page, session)["players"]["p3"]["stack"] == "20"


def test_a_hand_is_called_off_and_the_night_ends_over_a_carried_pot(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3])
    person.does("Cal deals")
    page.get_by_role("button", name="The table did it anyway").click()
    sheet(page).get_by_role("button", name="Call the hand off…").click()
    before = person.version()
    sheet(page).get_by_role("button", name="Call the hand off").click()
    person.wait_past(before)
    expect(page.get_by_role("heading", name="Misdeal")).to_be_visible()
    person.does("Cal deals")
    person.does("Fold")
    person.does("Open blind")
    person.tap(page.locator(".actions .fold"))
    expect(page.get_by_role("heading", name="is carried to the next deal")).to_be_visible()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="End the night").click()
    before = person.version()
    sheet(page).get_by_role("button", name="Shared equally at the table").click()
    person.wait_past(before)
    assert last(person, session)["carry"] == "split"
    holds(page, "the night is over")
    page.locator(".actions").get_by_role("link", name="Settlement").click()
    expect(page.get_by_role("heading", name="Who pays whom")).to_be_visible()


def test_a_title_with_a_name_in_it_is_pointed_out(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/")
    for n, name in enumerate(CAST[:3]):
        page.get_by_label(f"Seat {n + 1}", exact=True).fill(name)
    page.get_by_label("Name of the night").fill("Asha’s birthday")
    expect(page.locator("form")).to_contain_text("“Asha” would stay in the log for ever")
    page.get_by_label("Name of the night").fill("Tuesday at the Crown")
    expect(page.locator("form")).not_to_contain_text("would stay in the log")


def test_ids_say_nothing(over: tuple[Person, str]) -> None:
    """Names stand beside the log and nowhere in it: it holds places at the table only."""
    person, session = over
    person.wait_saved()
    events = stored_events(person.page, session)
    assert events[0]["players"] == ["p1", "p2", "p3"]
    assert not [name for name in CAST for event in events if name in str(event)]


def test_the_settlement_is_one_page_on_paper(phone: Callable[..., Page]) -> None:
    """Sixteen players, everything that a night leaves behind."""
    page = phone()
    person = Person(page)
    people = [f"Player-name {n}" for n in range(1, 17)]
    session = person.open_night("three-card", people)
    for _ in range(4):
        person.page.evaluate(
            """async () => {
              const { book } = bragbook;
              const { legal } = book.state;
              const dealer = legal.find((entry) => entry.type === "deal").dealer;
              const antes = book.state.seats.map((player) => ({ type: "ante", player }));
              await book.record([{ type: "deal", dealer }, ...antes]);
              await book.record([{ type: "bet", player: book.state.to_act, as: "seen", amount: "2" }]);
              while (book.state.phase === "act") await book.record([{ type: "fold", player: book.state.to_act }]);
            }"""
        )
    person.wait_saved()
    page.goto(f"/s/{session}/settle")
    expect(page.get_by_role("heading", name="Who pays whom")).to_be_visible()
    paper = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    assert len(paper.pages) == 1
    text = paper.pages[0].extract_text()
    for wanted in ("Settlement", "Balances", "Who pays whom", "Agreed by", "Player-name 16"):
        assert wanted in text
    for not_wanted in ("hledger", "Print and files", "The rules"):
        assert not_wanted not in text
