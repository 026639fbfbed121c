"""The story of a hand, in four languages."""

from __future__ import annotations

import string
from pathlib import Path

import pytest

from events.audit import Audit
from events.story import LANGUAGES, tell
from events.story.english import PHRASES as ENGLISH
from events.story.french import PHRASES as FRENCH
from events.story.italian import PHRASES as ITALIAN
from events.story.spanish import PHRASES as SPANISH
from tests.engine.case_runner import load_cases, play, stored
from tests.engine.tables import AtTable

CASES = Path(__file__).resolve().parent.parent / "cases"


def story(case: str, hand: int, language: str = "en") -> list[str]:
    session, names = play(load_cases(CASES / f"{case}.json")[0])
    return [step["text"] for step in tell(Audit(stored(session)), hand, names, language)]


def test_a_run_beats_a_flush_and_the_story_says_why() -> None:
    told = story("three-card-worked-example", 1)
    assert "B’s run 7-6-5 beats A’s flush K-9-4: a run beats a flush in Brag." in told
    assert "A, seen, pays 4 to see B: double the level of 2." in told
    assert "In this hand: A −7, B +9, C −1, D −1." in told


def test_what_the_table_did_otherwise_and_who_owes_whom() -> None:
    told = story("common-wrong-award", 1)
    assert told[-1] == "A owes B 12."
    assert any("they took the flush for better" in sentence for sentence in told)


def test_what_the_rules_asked_is_told_with_names_in_every_language() -> None:
    for language in LANGUAGES:
        told = " ".join(story("common-wrong-award", 1, language))
        assert "12 → B" in told
        assert "award" not in told
    assert "4 to call or a raise of 5 to 9" in " ".join(story("common-short-payment", 1))
    assert "igualar con 4 o subir con 5 a 9" in " ".join(story("common-short-payment", 1, "es"))


def test_what_was_struck_is_told_as_struck() -> None:
    assert "Struck out (it was a two): bet B 5" in story("common-void", 1)


def test_what_was_struck_is_named_in_every_language() -> None:
    told = {language: " ".join(story("common-void", 1, language)) for language in LANGUAGES}
    assert "Tachado (it was a two): apuesta B 5" in told["es"]
    assert "Rayé (it was a two) : mise B 5" in told["fr"]
    assert "Cancellato (it was a two): puntata B 5" in told["it"]


def test_a_blind_last_one_in_takes_nothing() -> None:
    assert "P1 is the last one in, but blind, and takes nothing: the 5 is carried over." in story(
        "three-card-carried-pot", 1
    )


def test_amounts_have_a_comma_where_the_language_writes_one() -> None:
    assert "P1, a ciegas, mantiene el nivel 3 y paga 1,5 (la mitad de 3)." in story("three-card-carried-pot", 2, "es")


def test_a_signature_is_no_part_of_the_hand_in_which_it_comes() -> None:
    table = AtTable("three-card", "AB")
    table.dealt("B")
    table.does("sign", "A")
    told = tell(Audit(stored(table.session)), 1, table.names)
    assert [step["type"] for step in told] == ["deal", "ante", "ante", "result"]


def test_who_gained_what_has_its_sign_and_nothing_has_none() -> None:
    table = AtTable("three-card", "AB")
    table.dealt("B")
    table.folds("A")
    table.ruled(1, "A", {"A": "1.5", "B": "-1.5"})
    table.ruled(1, "A", {"A": "0"})
    told = [step["text"] for step in tell(Audit(stored(table.session)), 1, table.names, "es") if step["type"] == "rule"]
    assert told[0].endswith("A +1,5 y B −1,5.")
    assert told[1].endswith("A 0.")


@pytest.mark.parametrize("phrases", [SPANISH, FRENCH, ITALIAN], ids=["es", "fr", "it"])
def test_every_language_says_the_same_things(phrases: dict[str, str]) -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert sorted(phrases) == sorted(ENGLISH)
    repeated = {"player"}
    wrong = [key for key in ENGLISH if values(phrases[key]) - repeated != values(ENGLISH[key]) - repeated]
    assert wrong == []


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
def test_every_hand_of_every_case_can_be_told(path: Path) -> None:
    case = load_cases(path)[0]
    if "session_refused" in case["steps"][0]:
        return
    session, names = play(case)
    audit = Audit(stored(session))
    for hand in session.hands():
        for language in LANGUAGES:
            told = tell(audit, hand["hand"], names, language)
            assert told[0]["type"] == "deal"
            assert all(step["text"] and "{" not in step["text"] for step in told)
