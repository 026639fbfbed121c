"""A new night in under a minute, by the form: who, what, for how much; with what is wrong said where it is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.person import Person, stored_events
from tests.web.test_accessible import holds
from tests.web.test_people import a_night, club_token
from tests.web.test_recorder import CAST


def test_the_keyboard_goes_from_seat_to_seat_and_begins_nothing(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/")
    page.get_by_label("Seat 1", exact=True).focus()
    for name in [*CAST[:5]]:
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    assert page.url.endswith("/")
    assert [page.get_by_label(f"Seat {n}", exact=True).input_value() for n in range(1, 7)] == [*CAST[:5], ""]
    expect(page.get_by_label("Seat 6", exact=True)).to_be_focused()
    expect(page.get_by_role("button", name="Begin with 5")).to_be_in_viewport()


def test_two_taps_open_last_weeks_table(phone: Callable[..., Page]) -> None:
    """Wherever the page is scrolled to, the button that begins is in reach."""
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:4])
    page.goto("/")
    person.taps = 0
    person.tap(page.get_by_role("button", name="Same table as last time"))
    begin = page.get_by_role("button", name="Begin with 4")
    expect(begin).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0
    person.tap(begin)
    page.wait_for_url("**/record")
    assert person.taps == 2


def test_the_clubs_people_are_offered_on_a_phone_that_is_new(phone: Callable[..., Page], database: str) -> None:
    a_night(phone, ["Peggy", *CAST[1:3]])
    fresh = phone()
    fresh.goto(f"/#club={club_token(database)}")
    remembered = fresh.get_by_role("group", name="Remembered people")
    for name in ("Peggy", "Ben"):
        remembered.get_by_role("button", name=f"+ {name}").click()
    assert [fresh.get_by_label(f"Seat {n}", exact=True).input_value() for n in (1, 2)] == ["Peggy", "Ben"]
    expect(remembered.get_by_role("button", name="+ Peggy")).to_have_count(0)


def test_what_is_wrong_is_said_at_its_field_and_nothing_is_sent(phone: Callable[..., Page]) -> None:
    page = phone()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method) if "/api/" in request.url else None)
    page.goto("/")
    for n, name in enumerate(CAST[:3], 1):
        page.get_by_label(f"Seat {n}", exact=True).fill(name)
    page.get_by_role("button", name="All house rules").click()
    page.get_by_text("Points or money").click()
    wrong = {
        "#rule-ante": ("1,25", "Whole chips of 0.5 only."),
        "#rule-pots": ("99999", "A whole number from 0 to 9999."),
        "#rule-step": ("x", "Not an amount. Write it like 2.5 or 2,5."),
        "#rule-stake_limit": ("0", "More than nothing."),
    }
    for field, (typed, _) in wrong.items():
        page.locator(field).fill(typed)
    page.get_by_label("One point is worth").fill("0")
    page.get_by_role("button", name="Begin with 3").click()
    for field, (_, said) in wrong.items():
        expect(page.locator(field)).to_have_attribute("aria-invalid", "true")
        assert (
            page.locator(field).evaluate(
                "(field) => document.getElementById(field.getAttribute('aria-describedby').split(' ')[0]).innerText"
            )
            == said
        )
    expect(page.locator("#fault-worth")).to_have_text("More than nothing.")
    expect(page.get_by_role("alert")).to_contain_text("something in the form needs another look")
    expect(page.locator("#rule-ante")).to_be_focused()
    assert sent == []
    holds(page, "the form, with faults")
    page.locator("#rule-ante").fill("1,5")
    expect(page.locator("#fault-ante")).to_have_count(0)


def test_what_only_the_service_knows_is_wrong(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/")
    for n, name in enumerate(CAST[:3], 1):
        page.get_by_label(f"Seat {n}", exact=True).fill(name)
    page.get_by_role("button", name="All house rules").click()
    page.locator("#rule-min_open").fill("5")
    page.locator("#rule-max_open").fill("2")
    page.get_by_role("button", name="Begin with 3").click()
    expect(page.locator("#fault-max_open")).to_contain_text("leaves no level to open at")
    page.locator("#rule-max_open").fill("8")
    page.get_by_role("button", name="Begin with 3").click()
    page.wait_for_url("**/record")


@pytest.mark.parametrize(
    ("language", "typed", "limit"),
    [
        ("en-GB", "0.05", "5.5"),
        ("es-ES", "0,05", "5,5"),
        pytest.param("fr-FR", "0,05", "5,5", marks=pytest.mark.soak),
    ],
)
def test_money_and_the_landlords_limit_as_each_language_types_them(
    phone: Callable[..., Page], language: str, typed: str, limit: str
) -> None:
    page = phone(language)
    t = Person(page, language[:2]).words
    page.goto("/")
    for n, name in enumerate(CAST[:3], 1):
        page.get_by_label(t("start.seat", n=n), exact=True).fill(name)
    assert "5" in page.locator("#help-stake_limit").inner_text()
    page.locator("#rule-stake_limit").fill(limit)
    page.get_by_text(t("start.money")).click()
    page.get_by_label(t("start.worth")).fill(typed)
    page.get_by_role("button", name=t("start.begin", n=3)).click()
    page.wait_for_url("**/record")
    opened = stored_events(page, page.url.split("/")[-2])[0]
    assert opened["rules"]["stake_limit"] == "5.5"
    assert (opened["unit"]["worth"], opened["unit"]["currency"]) == ("0.05", "GBP")


def test_two_of_one_name_are_pointed_out_and_stay_two(phone: Callable[..., Page]) -> None:
    page = phone()
    page.goto("/")
    for n, name in enumerate(["Ben", "Asha", "Ben"], 1):
        page.get_by_label(f"Seat {n}", exact=True).fill(name)
    expect(page.locator(".players .warning")).to_contain_text("Two are called Ben.")
    page.get_by_role("button", name="Begin with 3").click()
    page.wait_for_url("**/record")
    assert len(stored_events(page, page.url.split("/")[-2])[0]["players"]) == 3


@pytest.mark.parametrize(("clock", "night"), [("00:30", "Sat, 27 Jun 2026"), ("06:30", "Sun, 28 Jun 2026")])
def test_a_night_begun_after_midnight_is_last_nights(phone: Callable[..., Page], clock: str, night: str) -> None:
    page = phone()
    page.clock.set_fixed_time(f"2026-06-28T{clock}:00Z")
    page.goto("/")
    for n, name in enumerate(CAST[:2], 1):
        page.get_by_label(f"Seat {n}", exact=True).fill(name)
    page.get_by_role("button", name="Begin with 2").click()
    page.wait_for_url("**/record")
    page.goto("/")
    expect(page.locator(".nights li").first).to_contain_text(re.compile(re.escape(night)))
