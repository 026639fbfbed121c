"""The Chromium that stands for a phone: where it is found, how it is started, and how it is made slow."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
# No traffic of the browser's own: nothing here needs a network but the loopback.
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
A_PHONE: ViewportSize = {"width": 360, "height": 640}
SLOW_3G = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
"""Milliseconds, and bytes a second."""
SLOWER = 4
"""How many times slower a cheap phone's processor is."""
PATIENCE_MS = 30_000
"""How long is waited for what should come, however busy the machine is: longer only hangs."""


def program() -> str | None:
    """Where the browser is: as `BRAGBOOK_CHROMIUM` names it, else as it is found; None where there is none."""
    return os.environ.get("BRAGBOOK_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def started(at: str) -> Iterator[Browser]:
    """The browser, until the block ends."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=at, args=SWITCHES)
        yield browser
        browser.close()


def slow(page: Page) -> None:
    """From now on this page has a cheap phone's processor, and slow 3G."""
    tools = page.context.new_cdp_session(page)
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", SLOW_3G)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
