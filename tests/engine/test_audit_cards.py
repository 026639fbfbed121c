"""Cards that can only be concluded to be impossible: taken by the table, named by the audit (rules.md §5)."""

from __future__ import annotations

from typing import Any

import pytest

from events.audit import audit_session
from events.audit.cards_solver import Solver, Undecided
from events.session import Session, open_session
from tests.engine.case_runner import stored


def shown_at_the_end(cards_of_b: list[str]) -> dict[str, Any]:
    """A's whole known hand goes face down to the centre, B takes a face-down card, and B shows."""
    opening, _ = open_session({"game": "lives", "players": ["A", "B", "C"]})
    session = Session(opening)
    events: list[dict[str, Any]] = [{"type": "deal", "dealer": "C", "up": "Qc"}]
    given = {"A": ["2c", "4c", "6c"], "B": ["3c", "5c", "7c"], "C": ["Jc", "Tc"]}
    for turn in range(8):
        player = "ABC"[turn % 3]
        events.append({"type": "swap", "player": player, "take": "up", "give": given[player][turn // 3]})
    events += [
        {"type": "knock", "player": "C"},
        {"type": "swap", "player": "A", "take": "all", "leave": "Qc"},
        {"type": "swap", "player": "B", "take": "down"},
        {"type": "reveal", "player": "B", "cards": cards_of_b},
        {"type": "reveal", "player": "C", "cards": ["3c", "5c", "Kd"]},
        {"type": "reveal", "player": "A", "cards": ["7c", "Ah", "As"]},
    ]
    for event in events:
        session.record(event)
    return audit_session([dict(event, by="case") for event in stored(session)])


def test_a_hand_that_some_deal_explains_is_sound() -> None:
    assert shown_at_the_end(["2c", "4c", "Jc"])["verdict"] == "sound"


def test_a_hand_without_either_of_two_known_cards_is_named_with_the_events_that_clash() -> None:
    report = shown_at_the_end(["2c", "4c", "9h"])
    found = [finding for finding in report["findings"] if finding["code"] == "cards.impossible"]
    assert len(found) == 1
    assert found[0]["severity"] == "warning"
    assert 13 in found[0]["seqs"]  # B swaps for a card that lies face down: the jack or the ten
    assert "B" in found[0]["players"]
    assert report["verdict"] == "irregular"


def test_where_cards_are_too_tangled_to_decide_on_the_audit_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(_solver: Solver) -> bool:
        raise Undecided

    monkeypatch.setattr(Solver, "solve", gives_up)
    report = shown_at_the_end(["2c", "4c", "Jc"])
    assert report["findings"] == []
    details = {check["check"]: check["detail"] for check in report["checks"]}
    assert details["cards"] == "3 hands shown, too tangled to say more"


def test_a_clash_that_is_certain_is_named_whole_where_naming_it_closer_takes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gives_up(_solver: Solver) -> bool:
        raise Undecided

    monkeypatch.setattr(Solver, "solve", gives_up)
    (found,) = shown_at_the_end(["2c", "4c", "9h"])["findings"]
    assert (found["code"], found["hand"]) == ("cards.impossible", 1)
    knock = 11
    assert found["seqs"] == [seq for seq in range(2, 17) if seq != knock]
