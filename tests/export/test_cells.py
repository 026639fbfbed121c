"""A spreadsheet opens our tables cleanly, runs nothing in them, and they can be read back as they truly are."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.export.cells import Number, guarded, read, unguarded, written

DANGEROUS = ["=1+1", "+44 7700", "-Dee", "@sum", "\t=1", "\r=1", "\n=1", " =1", "＝1+1", "'=1"]


@pytest.mark.parametrize("text", DANGEROUS)
def test_a_text_that_could_run_begins_with_an_apostrophe(text: str) -> None:
    assert guarded(text) == "'" + text


@pytest.mark.parametrize("text", ["Ann", "O'Neil", "a=b", "", "3-3-3", "مريم", "♠Max♠"])
def test_any_other_text_is_left_alone(text: str) -> None:
    assert guarded(text) == text


def test_a_negative_amount_stays_a_number() -> None:
    data = b"".join(written([["-Dee", Number("-3.5"), -2, None]]))
    assert data == "\ufeff'-Dee,-3.5,-2,\r\n".encode()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_reading_gives_back_every_text(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert read(b"".join(written([[text, "x"]]))) == [[text, "x"]]


def test_any_csv_reader_sees_the_same_rows() -> None:
    data = b"".join(written([["a,b", 'say "hi"', "two\nlines"]]))
    assert list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))) == [["a,b", 'say "hi"', "two\nlines"]]
