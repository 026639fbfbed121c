"""GET …/hands/{n}/audit: the story of a hand, in the reader's language, with the names that people have."""

from __future__ import annotations

from tests.api.conftest import Table, problem
from tests.factories import worked_example


def told(table: Table, **headers: str) -> list[str]:
    answer = table.viewer.get(f"{table.path}/hands/1/audit", headers=headers)
    assert answer.status_code == 200, answer.text
    return [step["text"] for step in answer.json["story"]]


def test_the_worked_example_is_told_with_its_reason(crown: Table) -> None:
    crown.recorded(*worked_example())
    names = {player: seat["name"] for player, seat in crown.read()["players"].items()}
    story = told(crown)
    assert f"{names['B']}’s run 7-6-5 beats {names['A']}’s flush K-9-4: a run beats a flush in Brag." in story
    assert story[0].startswith(f"{names['D']} deals to ")


def test_it_is_told_in_the_language_asked_for(crown: Table) -> None:
    crown.recorded(*worked_example())
    assert any("escalera 7-6-5" in text for text in told(crown, **{"Accept-Language": "es-ES, en;q=0.5"}))
    answer = crown.viewer.get(f"{crown.path}/hands/1/audit?language=fr")
    assert answer.headers["Content-Language"] == "fr"
    assert any("suite 7-6-5" in step["text"] for step in answer.json["story"])
    problem(crown.viewer.get(f"{crown.path}/hands/1/audit?language=eo"), "request.invalid")


def test_a_person_who_was_erased_is_called_by_seat(crown: Table) -> None:
    crown.recorded(*worked_example())
    assert crown.keeper.ask("DELETE", f"{crown.path}/players/B/name").status_code in (200, 204)
    assert any(text.startswith("Player 2’s run") for text in told(crown))
