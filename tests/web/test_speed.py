"""How much goes over the air, and how soon it can be used: on a processor four times slower, over slow 3G."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.web.person import Person
from tests.web.test_recorder import CAST

WATCHER_BYTES = 100_000
SLOW_3G = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}  # bytes a second
SLOWER = 4
FIRST_USE_SECONDS = 12
NEXT_STATE_MS = 500

TRANSFERRED = """() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
  .filter((each) => !each.name.includes("/stream"))
  .reduce((sum, each) => sum + each.transferSize, 0)"""
# From the press until the page shows another turn, in the page's own time.
TAP_TO_TURN = """() => new Promise((resolve) => {
  const turn = document.querySelector("#turn");
  const began = performance.now();
  const told = new MutationObserver(() => resolve(performance.now() - began));
  told.observe(turn, { childList: true, characterData: true, subtree: true });
  document.querySelector(".actions .main").click();
})"""


def slow(page: Page) -> None:
    tools = page.context.new_cdp_session(page)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", SLOW_3G)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


def test_a_watchers_first_load(phone: Callable[..., Page]) -> None:
    person = Person(phone())
    session = person.open_night("three-card", CAST[:4])
    person.does("Dee deals")
    person.wait_saved()
    token = person.page.evaluate("(id) => JSON.parse(localStorage.getItem('bragbook.keys'))[id].view", session)
    watcher = phone()
    slow(watcher)
    began = time.monotonic()
    watcher.goto(f"/s/{session}#view={token}", wait_until="commit")
    expect(watcher.locator("#turn")).to_have_text("Asha to act", timeout=30_000)
    seconds = time.monotonic() - began
    painted = watcher.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
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
