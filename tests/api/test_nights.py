"""GET /api/v1/export: a club's nights to take away in one file."""

from __future__ import annotations

import csv
import io
import json

import pytest

from service.api import nights
from service.export import FORMATS
from tests.api.conftest import Caller, open_table, problem
from tests.factories import worked_example

EXPORT = "/api/v1/export"
OVER_NIGHTS = [name for name, form in FORMATS.items() if form.render_span is not None]


@pytest.fixture(scope="module")
def tables(club: Caller) -> list[str]:
    """Two nights of the club, and who played them."""
    opened = [open_table(club, players=[{"id": p, "name": f"Nights {p}"} for p in "ABCD"]) for _ in range(2)]
    for table in opened:
        table.recorded(*worked_example())
    return [table.id for table in opened]


@pytest.mark.parametrize("name", OVER_NIGHTS)
def test_every_format_comes_as_one_file(club: Caller, tables: list[str], name: str) -> None:
    answer = club.get(f"{EXPORT}?format={name}&from=2001-01-01")
    assert answer.status_code == 200, answer.text
    assert answer.content_type == FORMATS[name].media_type
    assert answer.headers["Content-Disposition"].endswith(f"bragbook-2001-01-01-to-today.{FORMATS[name].extension}")
    if name != "pdf":
        assert all(session in answer.text for session in tables)


def test_the_same_person_is_one_over_nights(club: Caller, tables: list[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(club.get(f"{EXPORT}?format=csv").data.decode("utf-8-sig"))))
    persons = {row["person"] for row in rows if row["name"] == "Nights A" and row["kind"] == "balance"}
    assert len(persons) == 1
    people = club.get("/api/v1/people").json["people"]
    assert persons == {one["id"] for one in people if one["name"] == "Nights A"}
    ledger = club.get(f"{EXPORT}?format=beancount").text
    assert ledger.count(f"open Equity:Brag:P-{persons.pop()[-12:]}:Nights-A\n") == 1


def test_two_who_turned_out_to_be_one_have_one_account(club: Caller, tables: list[str]) -> None:
    open_table(club, players=[{"id": "A", "name": "Nights Anna"}, "B", "C"])
    people = {one["name"]: one["id"] for one in club.get("/api/v1/people").json["people"]}
    club.ask("PATCH", f"/api/v1/people/{people['Nights Anna']}", {"same_as": people["Nights A"]})
    ledger = club.get(f"{EXPORT}?format=hledger").text
    assert f":P-{people['Nights A'][-12:]}:Nights-A" in ledger
    assert f":P-{people['Nights Anna'][-12:]}" not in ledger


def test_an_erased_person_is_in_no_file_over_nights(club: Caller) -> None:
    table = open_table(club, players=[{"id": p, "name": f"Erased {p}"} for p in "ABCD"])
    table.recorded(*worked_example())
    person = next(one["id"] for one in club.get("/api/v1/people").json["people"] if one["name"] == "Erased A")
    written = [name for name in OVER_NIGHTS if name != "pdf"]

    def in_which() -> list[str]:
        answers = {name: club.get(f"{EXPORT}?format={name}") for name in written}
        assert {answer.status_code for answer in answers.values()} == {200}
        return [name for name in written if "Erased A" in answers[name].text or "Erased-A" in answers[name].text]

    assert len(in_which()) > len(written) / 2  # the events alone hold no names
    club.ask("DELETE", f"/api/v1/people/{person}/name")
    assert in_which() == []


def test_nights_outside_are_left_out_and_other_clubs_see_none(
    club: Caller, other_club: Caller, tables: list[str]
) -> None:
    none = {"from": "2001-01-01", "to": "2001-12-31", "nights": [], "people": []}
    assert json.loads(club.get(f"{EXPORT}?format=json&from=2001-01-01&to=2001-12-31").text) == none
    assert json.loads(other_club.get(f"{EXPORT}?format=json").text)["nights"] == []
    assert len(json.loads(club.get(f"{EXPORT}").text)["nights"]) >= 2


@pytest.mark.parametrize(
    "query",
    [
        "format=bundle",
        "format=xls",
        "from=yesterday",
        "to=2026-02-30",
        "from=2026-11-02&to=2026-11-01",
        "since=2026-11-02",
    ],
)
def test_what_cannot_be_had_is_refused(club: Caller, query: str) -> None:
    problem(club.get(f"{EXPORT}?{query}"), "request.invalid")


def test_too_many_nights_are_refused_with_the_limit(
    club: Caller, tables: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nights, "MOST_NIGHTS", 1)
    monkeypatch.setattr(nights, "MOST_SHEETS", 0)
    assert "at most 1 in one file" in problem(club.get(EXPORT), "request.invalid")["detail"]
    assert "at most 0 in one file" in problem(club.get(f"{EXPORT}?format=pdf"), "request.invalid")["detail"]
