"""The engine in the phone's page is the engine: every case comes out the same on MicroPython, in a real browser."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from service.web.engine_bundle import bundle
from service.web.pages import ASSETS
from tests.tools.matching import mismatches, resolve
from tests.web.taps import engine_bytes

CASES = sorted((Path(__file__).parent.parent / "cases").glob("*.json"))
MOST_COMPRESSED_BYTES = 1_500_000
ASK_ALL = """async (questions) => {
  const { Engine } = await import(window.engineAddress);
  window.engine ||= new Engine();
  await window.engine.ready;
  const answers = [];
  for (const question of questions) {
    try { answers.push({ ok: await window.engine.askText(question) }); }
    catch (fault) { if (!fault.problem) throw fault; answers.push({ refused: fault.problem }); }
  }
  return answers;
}"""


@pytest.fixture
def page(phone: Callable[..., Page]) -> Page:
    page = phone()
    page.goto("/people")
    page.evaluate("(address) => { window.engineAddress = address; }", ASSETS.address("app/engine.js"))
    return page


def questions_of(case: dict[str, Any]) -> list[tuple[str, dict[str, Any] | None]]:
    """(question, step that it belongs to); a `$n` of the case is the seq that it will have."""
    asked: list[tuple[str, dict[str, Any] | None]] = [(json.dumps({"do": "open", "body": case["session"]}), None)]
    version, first_seq = 1, {}
    for number, step in enumerate(case["steps"]):
        if "event" in step or "events" in step:
            events = resolve(step["events"] if "events" in step else [step["event"]], first_seq)
            asked.append((json.dumps({"do": "record", "events": events}), step))
            if "refused" not in step:
                first_seq[number] = version + 1
                version += len(events)
        elif "expect" in step:
            asked.append((json.dumps({"do": "view"}), step))
        elif "expect_hand" in step:
            asked.append((json.dumps({"do": "hand", "hand": step["expect_hand"]["hand"]}), step))
        elif "expect_settlement" in step:
            asked.append((json.dumps({"do": "settlement"}), step))
    return asked


def faults_of(case: dict[str, Any], answers: list[dict[str, Any]]) -> list[str]:
    first = case["steps"][0].get("session_refused")
    if first:
        return [] if answers[0].get("refused", {}).get("code") == first else [f"opening: {answers[0]}"]
    found = []
    for (_, step), answer in zip(questions_of(case), answers, strict=True):
        if step is None:
            continue
        if "refused" in step:
            if answer.get("refused", {}).get("code") != step["refused"]:
                found.append(f"expected {step['refused']}, got {str(answer)[:200]}")
        elif "refused" in answer:
            found.append(f"refused: {answer['refused']}")
        elif "expect" in step:
            found += mismatches(step["expect"], {"id": None, **answer["ok"]["state"]})
        elif "expect_hand" in step:
            found += mismatches(step["expect_hand"], answer["ok"])
        elif "expect_settlement" in step:
            found += mismatches(step["expect_settlement"], answer["ok"])
    return found


def test_every_case_in_the_page(page: Page) -> None:
    faults = {}
    for path in CASES:
        case = json.loads(path.read_text(encoding="utf-8"))
        answers = page.evaluate(ASK_ALL, [question for question, _ in questions_of(case)])
        found = faults_of(case, answers)
        if found:
            faults[path.stem] = found
    assert len(CASES) > 80
    assert faults == {}


def test_what_the_page_loads_for_it_is_small() -> None:
    """The runtime and all of the engine, as they go over the air."""
    total = engine_bytes()
    print(f"offline engine: {total} bytes compressed, of them the game's rules {len(gzip.compress(bundle(), 9))}")
    assert total < MOST_COMPRESSED_BYTES
