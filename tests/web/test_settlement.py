"""The end of the night: on one sheet of paper, dated by its night, all through one person, every file to take away."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from service.export import FORMATS
from tests.web.nights import Night, recorded
from tests.web.person import wait

EIGHT = ["Asha", "Ben", "Cal", "Dee", "Ed", "Fay", "Gus", "Bartholomew the Elder"]
HANDS = 24
PDF_PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")


def a_hand(number: int) -> list[dict[str, Any]]:
    """One in which the first after the dealer opens higher each time, and takes it."""
    ids = [f"p{n}" for n in range(1, 9)]
    dealer = number % 8
    order = ids[dealer + 1 :] + ids[: dealer + 1]
    opened = {"type": "bet", "player": order[0], "as": "seen", "amount": str(1 + number % 4)}
    folds = [{"type": "fold", "player": one} for one in order[1:]]
    return [{"type": "deal", "dealer": ids[dealer]}, *({"type": "ante", "player": one} for one in ids), opened, *folds]


@pytest.fixture(scope="module")
def night(service: str) -> Night:
    """Eight players, two dozen hands, dealt after midnight."""
    players = [{"id": f"p{n}", "name": name} for n, name in enumerate(EIGHT, 1)]
    unit = {"worth": "0.1", "currency": "GBP"}
    opening = {
        "players": players,
        "title": "The Crown",
        "unit": unit,
        "rules": {"pots": 0},
        "at": "2026-06-28T00:40:00Z",
    }
    made = recorded(service, [], **opening)
    for number in range(HANDS - 3):
        made.ask("POST", "/events", a_hand(number))
    made.ask("POST", "/events", {"type": "close"})
    return made


def settled(page: Page, night: Night, key: str = "record") -> Page:
    token = night.record if key == "record" else night.view
    page.goto(f"/s/{night.id}/settle#{key}={token}")
    expect(page.get_by_role("heading", name="Settlement")).to_be_visible()
    return page


@pytest.mark.parametrize("language", ["en-GB", pytest.param("fr-FR", marks=pytest.mark.soak)])
def test_a_night_of_eight_is_one_sheet_of_paper(
    phone: Callable[..., Page], night: Night, tmp_path: Path, language: str
) -> None:
    page = phone(language)
    page.goto(f"/s/{night.id}/settle#record={night.record}")
    expect(page.locator(".payments li").first).to_be_visible()
    paper = page.pdf(prefer_css_page_size=True, print_background=False, path=tmp_path / "night.pdf")
    assert len(PDF_PAGE.findall(paper)) == 1
    page.emulate_media(media="print")
    for part in (".balances", ".payments", ".signatures", ".chart", ".subtitle"):
        assert page.locator(part).first.is_visible(), part
    assert not page.locator(".files, .press, .foot").first.is_visible()


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en-GB", "the night of Saturday,? 27 June 2026"),
        ("es-ES", "la noche del sábado, 27 de junio de 2026"),
        pytest.param("fr-FR", "la soirée du samedi 27 juin 2026", marks=pytest.mark.soak),
        pytest.param("it-IT", "la serata di sabato 27 giugno 2026", marks=pytest.mark.soak),
    ],
)
def test_it_is_dated_by_its_night(phone: Callable[..., Page], night: Night, language: str, said: str) -> None:
    page = phone(language)
    page.goto(f"/s/{night.id}/settle#view={night.view}")
    expect(page.locator(".subtitle")).to_have_text(re.compile(said))
    exported = page.evaluate(
        """async ([id, token]) => (await fetch(`/api/v1/sessions/${id}/export?format=txt`,
             { headers: { Authorization: `Bearer ${token}` } })).text()""",
        [night.id, night.view],
    )
    assert "2026-06-27" in exported


def test_wins_have_signs_in_points_and_in_money(phone: Callable[..., Page], night: Night) -> None:
    page = settled(phone(), night, "view")
    cells = page.locator(".balances").first.locator("tbody tr").all()
    shown = [[cell.inner_text() for cell in row.locator("td").all()] for row in cells]
    assert len(shown) == len(EIGHT)
    for points, money in shown:
        assert re.fullmatch(r"[+−][\d.,]+|0", points), points
        assert money[0] == points[0] or points == "0", (points, money)
        assert "-" not in points + money


def test_all_through_one_person_and_a_tick_for_each(phone: Callable[..., Page], service: str) -> None:
    players = [{"id": f"p{n}", "name": name} for n, name in enumerate(EIGHT[:4], 1)]
    night = recorded(service, [], players=players, rules={"pots": 0})
    four = [{"type": "deal", "dealer": "p4"}, *({"type": "ante", "player": f"p{n}"} for n in (1, 2, 3, 4))]
    four += [{"type": "bet", "player": "p1", "as": "seen", "amount": "2"}]
    four += [{"type": "fold", "player": f"p{n}"} for n in (2, 3, 4)]
    night.ask("POST", "/events", [*four, {"type": "close"}])
    page = settled(phone(), night)
    page.get_by_label("All through one person").select_option("Ben")
    lines = page.locator(".payments li")
    expect(lines).to_have_count(3)
    assert [line.locator(".who").inner_text().split()[-1] for line in lines.all()].count("Ben") == 2
    page.get_by_role("button", name="Cal has paid Ben 1").click()
    expect(page.locator(".payments li.done")).to_have_count(1)
    page.get_by_role("button", name="Dee has paid Ben 1").click()
    page.get_by_role("button", name="Ben has paid Asha 3").click()
    expect(page.locator(".payments li.done")).to_have_count(3)
    expect(page.get_by_text("All has been paid.")).to_be_visible()
    assert night.ask("GET", "/settlement")["outstanding"] == []


def test_every_format_is_there_to_take_away(phone: Callable[..., Page], night: Night) -> None:
    page = settled(phone(), night, "view")
    buttons = page.locator(".files .press:not([data-meaning=print])")
    names = [button.locator("b").inner_text() for button in buttons.all()]
    assert set(names) == set(FORMATS)
    for name in names:
        with page.expect_download() as waiting:
            page.locator(f".files [data-meaning='save {name}']").click()
        path = waiting.value.path()
        assert path.stat().st_size > 500, name
        assert waiting.value.suggested_filename.startswith("bragbook-The-Crown."), name


def test_each_signs_on_their_own_phone(phone: Callable[..., Page], night: Night) -> None:
    own = phone()
    own.goto(f"/s/{night.id}/settle#seat={night.seat('p2')}&player=p2")
    expect(own.locator(".signatures .press")).to_have_count(1)
    assert own.locator(".payments .press").count() == 0
    own.get_by_role("button", name="I agree").click()
    ben = own.locator(".signatures li").nth(1)
    expect(ben).to_contain_text("✓")
    expect(ben).to_contain_text("from their own link")
    other = settled(phone(), night, "view")
    expect(other.locator(".signatures li").nth(1)).to_contain_text("✓")
    assert other.locator(".signatures .press").count() == 0


def test_no_older_answer_comes_over_a_newer_one(phone: Callable[..., Page], service: str) -> None:
    players = [{"id": f"p{n}", "name": name} for n, name in enumerate(EIGHT[:3], 1)]
    night = recorded(service, [], players=players, rules={"pots": 0})
    dealt = [{"type": "deal", "dealer": "p3"}, *({"type": "ante", "player": f"p{n}"} for n in (1, 2, 3))]
    bet = {"type": "bet", "player": "p1", "as": "seen", "amount": "2"}
    folds = [{"type": "fold", "player": f"p{n}"} for n in (2, 3)]
    night.ask("POST", "/events", [*dealt, bet, *folds, {"type": "close"}])
    owed = night.ask("GET", "/settlement")["outstanding"]
    page = settled(phone(), night, "view")
    late: list[tuple[Route, APIResponse]] = []

    def answer(route: Route) -> None:
        given = route.fetch()
        if late:
            route.fulfill(response=given)
        else:
            late.append((route, given))

    page.route("**/settlement", answer)
    night.ask("POST", "/events", {"type": "pay", **owed[0]})
    wait(page, lambda: late, "a look at the settlement")
    night.ask("POST", "/events", {"type": "pay", **owed[1]})
    page.wait_for_timeout(1_000)  # for a second look that would come over the first
    route, given = late[0]
    route.fulfill(response=given)
    page.wait_for_timeout(500)
    expect(page.locator(".payments li.done")).to_have_count(2)
