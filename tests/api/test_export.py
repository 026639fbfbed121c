"""GET …/export: a night to take away (contract.md §6)."""

from __future__ import annotations

import json

import pytest

from service.export import FORMATS
from tests.api.conftest import Table, problem
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
