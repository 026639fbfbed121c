"""The phone: taps and seconds for a hand of each game, what goes over the air, and how soon there is something to see.

Chromium stands for the phone, at 360 × 640, with a processor four times slower and slow 3G.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from service import migrate
from tests.benchmarks.harness import Table, database, duration, median, number, percentile
from tests.benchmarks.http import served
from tests.web import chromium
from tests.web.person import Person
from tests.web.taps import FIRST_PAINT, KINDS, TAP_TO_TURN, TRANSFERRED, Tapped, begin, engine_bytes, tap_a_hand
from tests.web.test_recorder import CAST

TAPS_TIMED = 15
LOADS = 3
SETTLED_MS = 4000
"""After the first useful paint: what is still on its way then, comes."""
LOAD_PATIENCE_MS = 90_000
UNHINDERED, SLOWED = "unhindered", "slowed"
HOW = f"{chromium.SLOWER} × slower processor and slow 3G (400 ms, 50 kB/s), as Chromium's own tools make a page so"


def measure(at: str) -> list[Table]:
    """Raises RuntimeError where there is no Chromium."""
    program = chromium.program()
    if program is None:
        raise RuntimeError("No Chromium found: `apt-get install chromium`, or name one in BRAGBOOK_CHROMIUM.")
    with database(at) as conninfo:
        migrate.apply(conninfo)
        with served(conninfo) as port, chromium.started(program) as browser:
            address = f"http://127.0.0.1:{port}"
            return [_hands(browser, address), _loads(browser, address)]


def _phone(browser: Browser, address: str) -> Page:
    context = browser.new_context(viewport=chromium.A_PHONE, locale="en-GB", has_touch=True, base_url=address)
    context.set_default_timeout(LOAD_PATIENCE_MS)
    return context.new_page()


def _hands(browser: Browser, address: str) -> Table:
    table = Table(
        "Tapping a hand",
        "One whole hand of each game, from the deal until it is settled, recorded by tapping in Chromium at 360 × 640; "
        f"the seconds with nobody thinking, first unhindered, then with a {HOW}.",
        ("", "decisions", "taps", "fewest possible", "taps to fewest", f"seconds, {UNHINDERED}", f"seconds, {SLOWED}"),
    )
    for kind in KINDS:
        hands: dict[str, Tapped] = {}
        for how in (UNHINDERED, SLOWED):
            page = _phone(browser, address)
            keeper = begin(page, kind)
            if how == SLOWED:
                chromium.slow(page)
            hands[how] = tap_a_hand(keeper)
            page.context.close()
        hand, slowed = hands[UNHINDERED], hands[SLOWED]
        ratio = f"{hand.taps / hand.fewest:.2f}"
        name = f"{kind.game}, {kind.players} players"
        times = [number(one.seconds) for one in (hand, slowed)]
        table.rows.append((name, str(len(hand.events)), str(hand.taps), str(hand.fewest), ratio, *times))
        table.headlines.append((f"taps for a hand of {kind.game} on the phone, to the fewest possible", ratio))
    table.notes.append(
        "The fewest possible: one tap for each decision of the table, the antes coming with their deal, and two for "
        "each card that is named, its rank and its suit; cards shown or turned where nothing else can happen are no "
        "decision beside their own taps. The taps beyond: who has not looked and raises seen, first changes the row of "
        "raises; who shows before an earlier seat is named first. A typed amount would take a tap a digit, and is none "
        "of these hands'."
    )
    return table


def _loads(browser: Browser, address: str) -> Table:
    recorder = _phone(browser, address)
    person = Person(recorder)
    session = person.open_night("three-card", CAST[:4], {"pots": "0"})
    person.does("Dee deals")
    person.wait_saved()
    keys = recorder.evaluate("(id) => JSON.parse(localStorage.getItem('bragbook.keys'))[id]", session)
    watching = [_load(browser, address, f"/s/{session}#view={keys['view']}", _turn_is_there) for _ in range(LOADS)]
    opening = [_load(browser, address, "/", _form_is_there) for _ in range(LOADS)]
    recorder.wait_for_timeout(SETTLED_MS)
    chromium.slow(recorder)
    taps = []
    for _ in range(TAPS_TIMED):
        taps.append(recorder.evaluate(TAP_TO_TURN) / 1000)
        person.until("!bragbook.book.busy")
    recorder.context.close()
    table = Table(
        "Loading on the phone",
        f"A first visit in Chromium with nothing kept, with a {HOW}: {LOADS} loads, and {TAPS_TIMED} taps at a table.",
        ("", "bytes, compressed", "first paint", "first useful paint"),
        [
            ("a watcher, by the link: until it shows whose turn it is", *_figures(watching)),
            ("the first page: until a night can be opened", *_figures(opening)),
            ("the recorder's offline engine, apart and kept", f"{engine_bytes():,}", "", ""),
        ],
    )
    table.notes.append(
        f"From a tap to the next state on the page: {duration(percentile(taps, 50))} in the middle, "
        f"{duration(max(taps))} at the most; the phone decides by its own engine and does not wait for the service."
    )
    return table


def _turn_is_there(page: Page) -> None:
    expect(page.locator("#turn")).to_have_text("Asha to act", timeout=LOAD_PATIENCE_MS)


def _form_is_there(page: Page) -> None:
    expect(page.get_by_label("Seat 1", exact=True)).to_be_visible(timeout=LOAD_PATIENCE_MS)


def _load(browser: Browser, address: str, path: str, useful: Callable[[Page], None]) -> tuple[int, float, float]:
    """(bytes, seconds to the first paint, seconds to the first useful one) of a visit with nothing kept."""
    page = _phone(browser, address)
    chromium.slow(page)
    begun = time.monotonic()
    page.goto(path, wait_until="commit")
    useful(page)
    seconds = time.monotonic() - begun
    painted = page.evaluate(FIRST_PAINT) / 1000
    page.wait_for_timeout(SETTLED_MS)
    size = page.evaluate(TRANSFERRED)
    page.context.close()
    return size, painted, seconds


def _figures(loads: list[tuple[int, float, float]]) -> tuple[str, str, str]:
    sizes, painted, useful = zip(*loads, strict=True)
    return f"{max(sizes):,}", f"{median(painted)} s", f"{median(useful)} s"
