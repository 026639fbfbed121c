"""GET …/export: a night to take away (contract.md §6)."""

from __future__ import annotations

import json

import pytest

from events.bundle import read_bundle, verify_bundle
from service.export import FORMATS
from service.signing import verify
from tests.api.conftest import ROOT, Caller, Table, problem
from tests.factories import worked_example


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_comes_as_a_file_of_its_kind(crown: Table, name: str) -> None:
    crown.recorded(*worked_example())
    answer = crown.viewer.get(f"{crown.path}/export?format={name}")
    assert answer.status_code == 200, answer.text
    assert answer.content_type == FORMATS[name].media_type
    disposition = answer.headers["Content-Disposition"]
    assert disposition.startswith("attachment; filename=bragbook-")
    assert disposition.endswith(f".{FORMATS[name].extension}")
    assert len(answer.data) > 200


def test_the_lines_are_the_events_as_stored(crown: Table) -> None:
    crown.recorded(*worked_example())
    lines = crown.viewer.get(f"{crown.path}/export?format=ndjson").text.splitlines()
    assert [json.loads(line) for line in lines] == crown.read("/events")["events"]


@pytest.mark.parametrize("query", ["format=xls", "format=", "format=csv&format=pdf", "as=csv"])
def test_a_format_that_there_is_not_is_refused(crown: Table, query: str) -> None:
    problem(crown.viewer.get(f"{crown.path}/export?{query}"), "request.invalid")


def test_an_erased_name_is_in_no_export(crown: Table) -> None:
    crown.recorded(*worked_example())
    written = [name for name in FORMATS if name != "pdf"]

    def in_which() -> list[str]:
        answers = {name: crown.viewer.get(f"{crown.path}/export?format={name}") for name in written}
        assert {answer.status_code for answer in answers.values()} == {200}
        return [name for name in written if "Ann" in answers[name].text]

    assert len(in_which()) > len(written) / 2  # the events alone hold no names
    crown.keeper.ask("DELETE", f"{crown.path}/players/A/name")
    assert in_which() == []


@pytest.mark.parametrize(("chip", "most"), [("1", "999999999999999"), ("0.000001", "9007199254")])
def test_a_night_of_stakes_beyond_all_sense_is_kept_to_the_last_chip(club: Caller, chip: str, most: str) -> None:
    """Each amount is one that may be written; what they come to together is more than that."""
    rules = {"ante": most, "max_open": most, "max_raise": most}
    night = {"game": "three-card", "players": ["A", "B", "C"], "unit": {"chip": chip}, "rules": rules}
    opened = club.post(ROOT, night).json
    table = Table(opened["id"], *[Caller(club.client, opened["tokens"]["record"])] * 2, club, opened)
    for dealer, others in (("C", "AB"), ("A", "BC"), ("B", "CA")):
        bet = {"type": "bet", "player": others[0], "as": "seen", "amount": most}
        table.recorded(
            {"type": "deal", "dealer": dealer},
            *({"type": "ante", "player": player} for player in others + dealer),
            bet, {**bet, "player": others[1]}, {**bet, "player": dealer}, bet,
            {"type": "fold", "player": others[1]}, {"type": "fold", "player": dealer},
        )  # fmt: skip
    assert table.read("/settlement")["balances"] == dict.fromkeys("ABC", "0")
    table.recorded({"type": "deal", "dealer": "C"}, *({"type": "ante", "player": player} for player in "ABC"))
    table.recorded({"type": "dispute", "of_hand": 1, "player": "A", "claim": "all of it"})
    assert table.read("/hands/1")["awards"] == {"A": str(7 * int(most))}
    assert table.read("/audit")["verdict"] == "disputed"
    table.recorded({"type": "misdeal", "reason": "enough"}, {"type": "close"})
    for name in FORMATS:
        assert table.viewer.get(f"{table.path}/export?format={name}").status_code == 200, name
    whole = table.viewer.get(f"{table.path}/export?format=bundle").data
    report = verify_bundle(read_bundle(whole, json.loads), verify)
    assert (report["faults"], report["verdict"]) == ([], "disputed")


def test_amounts_of_more_chips_than_a_store_keeps_are_refused(club: Caller) -> None:
    night = {"game": "three-card", "players": ["A", "B"], "unit": {"chip": "0.000001"}, "rules": {"ante": "9007199255"}}
    assert "ante" in problem(club.post(ROOT, night), "event.invalid")["errors"]
