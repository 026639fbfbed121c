"""People over nights: remembered by name, joined and taken apart again, for whoever holds the club's token."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from service.store.clubs import Clubs
from service.store.database import Database
from tests.web.person import Person
from tests.web.test_recorder import CAST


def club_token(conninfo: str) -> str:
    """One more token of the instance's first club, as its keeper would make it."""
    database = Database(conninfo, largest=1)
    database.open()
    try:
        clubs = Clubs(database)
        made = clubs.new_token()
    finally:
        database.close()
    return made.text


def a_night(phone: Callable[..., Page], people: list[str]) -> None:
    person = Person(phone())
    person.open_night("three-card", people)
    person.does(f"{people[-1]} deals")
    person.does("Look, open seen")
    for _ in people[1:]:
        person.does("Fold")
    person.page.get_by_role("button", name="Menu").click()
    person.page.get_by_role("button", name="End the night").click()
    person.page.get_by_role("dialog").get_by_role("button", name="End the night").click()
    expect(person.page.locator("#turn")).to_have_text("The night is over")
    person.wait_saved()


def keeper_of(phone: Callable[..., Page], database: str) -> Page:
    keeper = phone()
    keeper.goto(f"/people#club={club_token(database)}")
    expect(keeper.get_by_role("region", name="Three-card Brag")).to_be_visible()
    return keeper


def test_two_nights_of_one_table_and_two_names_of_one_person(phone: Callable[..., Page], database: str) -> None:
    a_night(phone, CAST[:3])
    a_night(phone, ["Ash", *CAST[1:3]])
    keeper = keeper_of(phone, database)
    board = keeper.get_by_role("region", name="Three-card Brag")
    expect(board.get_by_role("row", name=re.compile(r"^Ben 2 0 −2"))).to_be_visible()
    expect(board.get_by_role("row", name=re.compile(r"^Asha 1 1 \+2"))).to_be_visible()
    expect(keeper).not_to_have_url(re.compile("club="))
    keeper.get_by_role("button", name="Ash 1 night").click()
    keeper.get_by_label("Is the same person as").select_option("Asha")
    expect(board.get_by_role("row", name=re.compile(r"^Asha 1 1 \+2"))).to_be_visible()  # nothing is joined by choosing
    keeper.get_by_role("button", name="Join with Asha").click()
    expect(board.get_by_role("row", name=re.compile(r"^Asha 2 2 \+4"))).to_be_visible()
    keeper.get_by_role("button", name="take apart").click()
    expect(board.get_by_role("row", name=re.compile(r"^Asha 1 1 \+2"))).to_be_visible()


def test_a_persons_nights_with_a_chart_and_its_table(phone: Callable[..., Page], database: str) -> None:
    a_night(phone, ["Nell", *CAST[1:3]])
    a_night(phone, ["Nell", *CAST[1:3]])
    keeper = keeper_of(phone, database)
    nell = keeper.get_by_role("listitem").filter(has=keeper.get_by_role("button", name="Nell 2 nights"))
    button = nell.get_by_role("button", name="Nell 2 nights")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(nell.locator(".hands li")).to_have_count(2)
    expect(nell.locator(".hands .net").first).to_have_text("+2 pts")
    expect(nell.get_by_role("img")).to_be_visible()
    nell.get_by_text("As a table").click()
    assert [cell.inner_text() for cell in nell.locator("tbody td").all()] == ["+2", "+4"]
    button.click()
    expect(nell.locator(".hands")).to_have_count(0)


def test_two_people_of_one_name_stay_two(phone: Callable[..., Page], database: str) -> None:
    """Two Vals at one table are two people ever after, and the page tells them apart."""
    a_night(phone, ["Val", "Val", "Wyn"])
    keeper = keeper_of(phone, database)
    board = keeper.get_by_role("region", name="Three-card Brag")
    rows = board.get_by_role("row", name=re.compile("^Val 1 night"))
    expect(rows).to_have_count(2)
    assert {row.locator("td").last.inner_text() for row in rows.all()} == {"+2", "−1"}
    expect(keeper.get_by_role("button", name="Val 1 night")).to_have_count(2)


def test_a_stranger_sees_nobody(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/people")
    expect(page.get_by_text("For whoever holds the club’s link.")).to_be_visible()
    page.get_by_label("The club’s token").fill("made-up")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_label("The club’s token")).to_be_visible()
