"""Cells as people write them: each means one thing, or is refused with what to write."""

from __future__ import annotations

import pytest

from service.ledger import values
from service.ledger.values import DAY_FIRST, MONTH_FIRST, NotUnderstood


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("20", "20"), ("2.50", "2.5"), ("2,50", "2.5"), (",50", "0.5"), ("0", "0"), ("+5", "5"), ("0,500", "0.5"),
        ("1.234,50", "1234.5"), ("1,234.50", "1234.5"), ("1 234,50", "1234.5"), ("1'234.50", "1234.5"),
        ("1,234,567", "1234567"), ("£20", "20"), ("20 €", "20"), ("GBP 20.10", "20.1"), ("20kr", "20"), ("２０", "20"),
    ],
)  # fmt: skip
def test_an_amount_is_read_as_it_was_meant(cell: str, meant: str) -> None:
    assert values.amount(cell, 2) == meant


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("2,505", "a thousand or a fraction"), ("1.234", "a thousand or a fraction"), ("", "write 0 for nothing"),
        ("-5", "less than nothing"), ("(5)", "less than nothing"), ("−5", "less than nothing"), ("20+20", "no amount"),
        ("1,23,456", "no amount"), ("1.2.3", "no amount"), ("1e3", "no amount"), ("all of it", "no amount"),
        ("0.1234", "more than 2 decimals"), ("9" * 13, "too large"), ("NaN", "no amount"), (".", "no amount"),
    ],
)  # fmt: skip
def test_what_could_be_two_amounts_or_none_is_refused(cell: str, says: str) -> None:
    with pytest.raises(NotUnderstood, match=says.replace("(", r"\(")):
        values.amount(cell, 2)


def test_a_currency_without_small_coins_has_none() -> None:
    assert values.amount("2000", 0) == values.amount("2000.00", 0) == "2000"
    with pytest.raises(NotUnderstood, match="more than 0 decimals"):
        values.amount("20.5", 0)


@pytest.mark.parametrize(
    "cell",
    [
        "2026-11-03", "20261103", "3.11.2026", "03/11/2026", "3-11-26", "3 November 2026", "Nov 3rd, 2026",
        "martes 3 de noviembre de 2026", "3 novembre 2026", "2026-11-04T00:30", "2026-11-03 21:15",
        "2026-11-03T23:59:59Z", "2026-11-04 01:00:00+02:00",
    ],
)  # fmt: skip
def test_a_night_is_one_label(cell: str) -> None:
    assert values.night(cell, DAY_FIRST) == "2026-11-03"


@pytest.mark.parametrize("cell", ["", "tomorrow", "31/2/2026", "2026-13-01", "November 2026", "3", "3 Nov", "0"])
def test_what_is_no_date_is_refused(cell: str) -> None:
    with pytest.raises(NotUnderstood, match="2026-11-03"):
        values.night(cell, DAY_FIRST)


def test_the_dates_of_a_file_show_how_they_are_written() -> None:
    assert values.date_order(["3/11/2026", "25/11/2026"]) == DAY_FIRST
    assert values.date_order(["11/3/2026", "11/25/2026"]) == MONTH_FIRST
    assert values.date_order(["3/11/2026", "11/11/2026", "2026-11-25"]) is None
    with pytest.raises(NotUnderstood, match="some dates have the day first"):
        values.date_order(["25/11/2026", "11/25/2026"])
    assert values.night("3/11/2026", MONTH_FIRST) == "2026-03-11"
    assert values.night("11/11/2026", None) == "2026-11-11"
    with pytest.raises(NotUnderstood, match="could be two dates"):
        values.night("3/11/2026", None)


@pytest.mark.parametrize(
    "cell", ["Asha,Ben,Cal", "Asha; Ben", "Asha/Ben", "Asha & Ben", "Asha and Ben", "Asha + Ben", "A\nB"]
)
def test_a_list_of_people_is_known_as_one(cell: str) -> None:
    assert values.names_several(cell)


@pytest.mark.parametrize(
    "cell", ["J.R.", "Big C (host)", "spa @ ces", 'O\'Neil "Doc"', "♠Max♠", "مريم", "+44 7700", "Andy"]
)
def test_an_awkward_name_is_no_list(cell: str) -> None:
    assert not values.names_several(cell)


def test_a_name_that_a_spreadsheet_was_kept_from_running_is_as_it_was() -> None:
    assert values.name("'=HYPERLINK(1)") == "=HYPERLINK(1)"
    assert values.name("'quoted") == "'quoted"
    assert values.name("  Ann \u00a0 Lee ") == "Ann Lee"
