"""How much goes over the air, and how soon it can be used: on a processor four times slower, over slow 3G."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.web.chromium import slow
from tests.web.person import Person
from tests.web.taps import FIRST_PAINT, TAP_TO_TURN, TRANSFERRED
from tests.web.test_recorder import CAST

WATCHER_BYTES = 100_000
FIRST_USE_SECONDS = 12
NEXT_STATE_MS = 500


def test_a_watchers_first_load(phone: Callable[..., Page]) -> None:
    person = Person(phone())
    session = person.open_night("three-card", CAST[:4])
    person.does("Dee deals")
    person.wait_saved()
    link = person.link_to_watch(session)
    watcher = phone()
    slow(watcher)
    began = time.monotonic()
    watcher.goto(link, wait_until="commit")
    expect(watcher.locator("#turn")).to_have_text("Asha to act", timeout=30_000)
    seconds = time.monotonic() - began
    painted = watcher.evaluate(FIRST_PAINT)
    watcher.wait_for_timeout(3000)
    size = watcher.evaluate(TRANSFERRED)
    print(f"watcher: {size} bytes, first paint {painted:.0f} ms, the table after {seconds:.1f} s")
    assert size < WATCHER_BYTES
    assert seconds < FIRST_USE_SECONDS


def test_from_a_tap_to_the_next_state(phone: Callable[..., Page]) -> None:
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:4], {"pots": "0"})
    person.does("Dee deals")
    page.wait_for_timeout(1500)
    slow(page)
    times = []
    for _ in range(9):
        times.append(page.evaluate(TAP_TO_TURN))
        person.until("!bragbook.book.busy")
    times.sort()
    print(f"tap to next state: median {times[4]:.0f} ms, slowest {times[-1]:.0f} ms")
    assert times[4] < NEXT_STATE_MS
