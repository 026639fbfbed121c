"""A running service, a real Chromium, and phones that reach the one from the other by a signal that can fail."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.web.chromium import A_PHONE, PATIENCE_MS, program, started
from tests.web.signal import Signal

READY = "Bragbook is ready at "
READY_SECONDS = 60

expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "phone" in getattr(item, "fixturenames", ()) or "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's program. `BRAGBOOK_CHROMIUM` names one; else it is looked for."""
    found = program()
    if not found:
        pytest.skip("no Chromium found: `apt-get install chromium`, or name one in BRAGBOOK_CHROMIUM")
    return found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with started(chromium) as browser:
        yield browser


@pytest.fixture(scope="module")
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The service, as `bragbook serve` starts it, on a database of this file's own: its address.

    `BRAGBOOK_SERVICE` names a running one to use instead.
    """
    running = os.environ.get("BRAGBOOK_SERVICE")
    if running:
        yield running
        return
    database = request.getfixturevalue("database")
    folder = tmp_path_factory.mktemp("service")
    log = folder / "stderr"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "serve", "--port", "0", "--data", str(folder / "data")],
            env={**os.environ, "DATABASE_URL": database},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        yield _address(process, log)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _address(process: subprocess.Popen[str], log: Path) -> str:
    assert process.stdout is not None
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        if select.select([process.stdout], [], [], 0.2)[0]:
            line = process.stdout.readline()
            if line.startswith(READY):
                return line.removeprefix(READY).strip()
    raise AssertionError(f"the service did not start:\n{log.read_text(errors='replace')[-3000:]}")


@pytest.fixture
def signal(service: str) -> Iterator[Signal]:
    """The way from the phones to the service: it can be cut, and answers can be lost on it."""
    signal = Signal(int(service.rsplit(":", 1)[1]))
    yield signal
    signal.close()


@pytest.fixture
def phone(browser: Browser, signal: Signal) -> Iterator[Callable[..., Page]]:
    """Makes phones: each a browser of its own, at 360 × 640, in a language; a page that faults fails the test."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def make(language: str = "en-GB") -> Page:
        context = browser.new_context(viewport=A_PHONE, locale=language, has_touch=True, base_url=signal.address)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []
