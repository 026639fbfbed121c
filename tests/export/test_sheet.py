"""The printed sheet: one page a night, names in five scripts, the log's head as text and QR."""

from __future__ import annotations

import io

import pypdf
import pytest

from service.export import FORMATS
from service.export.sheet import Sheet, head_text, paper_for, printable_letters, unprintable
from tests.export.nights import awkward, named_case, night, of_case, recordable_cases


def pages(recorded) -> list[str]:
    reader = pypdf.PdfReader(io.BytesIO(b"".join(FORMATS["pdf"].render(recorded))))
    return [page.extract_text() for page in reader.pages]


def test_the_worked_example_on_one_sheet() -> None:
    recorded = of_case(named_case("three-card-worked-example"))
    (text,) = pages(recorded)
    assert recorded.head["hash"] in text
    assert "The night of 2026-06-27: three-card, counted in pts" in text
    assert "won, see" in text


@pytest.mark.parametrize("name", [case["name"] for case in recordable_cases() if case["name"].startswith("random")])
def test_every_random_night_is_one_sheet(name: str) -> None:
    (case,) = [case for case in recordable_cases() if case["name"] == name]
    assert len(pages(of_case(case))) == 1


def test_a_night_of_very_many_hands_goes_on_overleaf_and_loses_none() -> None:
    hand = [{"type": "deal", "dealer": "A"}, {"type": "ante", "player": "A"}, {"type": "misdeal", "reason": "again"}]
    text = pages(night({"game": "three-card", "players": ["A", "B"]}, hand * 120))
    assert len(text) == 2
    for number in range(1, 121):
        assert f"\n{number} 1 misdeal" in "\n".join(text), number


@pytest.mark.parametrize("name", ["Ann", "Ωμέγα", "Жанна", "مريم", "שרה", "Łukasz", "♠Max♠", "Ann é"])
def test_names_in_five_scripts_can_be_printed(name: str) -> None:
    assert unprintable(name) == []


def test_other_letters_are_named_at_the_foot() -> None:
    assert unprintable("Ann 李") == ["李"]
    (text,) = pages(awkward())
    assert "Not printable here, shown as □: U+674E CJK UNIFIED IDEOGRAPH-674E" in text


def test_the_fonts_have_the_scripts_that_they_are_there_for() -> None:
    wanted = [
        *range(0x41, 0x7B),
        *range(0x391, 0x3A2),
        *range(0x410, 0x450),
        *range(0x621, 0x63B),
        *range(0x5D0, 0x5EB),
    ]
    assert [hex(letter) for letter in wanted if letter not in printable_letters()] == []


def test_arabic_letters_are_joined() -> None:
    """Joined letters are narrower than the same letters standing alone; without shaping they would be as wide."""
    with paper_for("A night") as paper:
        sheet = Sheet(night({"game": "lives", "players": ["A", "B", "C"]}, []), paper)
        sheet.draw()
        sheet._write(20, 20, 50, 5, "بببب", 9)
        joined, alone = paper.get_string_width("بببب"), paper.get_string_width("ب")
    assert joined < 0.9 * 4 * alone


def test_the_qr_says_what_a_later_log_can_be_held_to() -> None:
    recorded = of_case(named_case("three-card-worked-example"))
    assert head_text(recorded) == f"bragbook\n{recorded.session_id}\n18\n{recorded.head['hash']}\n"


def test_the_same_night_is_the_same_sheet_byte_for_byte() -> None:
    recorded = of_case(named_case("three-card-worked-example"))
    assert b"".join(FORMATS["pdf"].render(recorded)) == b"".join(FORMATS["pdf"].render(recorded))
