"""What is made of a report of known vulnerabilities."""

import json

import pytest

from tools.audit_dependencies import Findings, judged

FLAW = {"id": "PYSEC-2026-1", "fix_versions": ["2.0.1"], "aliases": [], "description": "Bad."}
CLEAN = {"name": "flask", "version": "3.1.0", "vulns": []}
SKIPPED = {"name": "orjson", "skip_reason": "not found on PyPI and could not be audited"}


def report(*packages: object) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_a_vulnerability_is_named_with_what_mends_it():
    unmended = {**FLAW, "id": "PYSEC-2026-2", "fix_versions": []}
    found = judged(report(CLEAN, {"name": "x", "version": "2.0.0", "vulns": [FLAW, unmended]}))
    assert found.vulnerable == [
        "x 2.0.0: PYSEC-2026-1, mended in 2.0.1",
        "x 2.0.0: PYSEC-2026-2, mended in no version yet",
    ]


def test_what_the_registry_knows_nothing_of_is_not_called_audited():
    assert judged(report(CLEAN, SKIPPED, SKIPPED)) == Findings([], audited=1, silent=2)


@pytest.mark.parametrize("broken", ["", "{", "[]", "{}", '{"dependencies": [{"name": "x"}]}', '{"dependencies": 3}'])
def test_a_broken_report_is_no_clean_one(broken: str):
    with pytest.raises(ValueError, match="no report"):
        judged(broken)
