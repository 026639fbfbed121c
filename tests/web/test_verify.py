"""/verify in a real Chromium, over plain HTTP under a name that gives it no cryptography of the browser's own."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request

from events.session import Session
from service.export.documents import ndjson
from service.export.night import Night
from service.web.engine_bundle import VERIFIER, sources
from tests.evidence.signing import Host
from tests.evidence.test_bundle import changed
from tests.export.nights import named_case, of_case
from tests.web.chromium import SWITCHES

NAME = "bragbook.test"


@pytest.fixture(scope="module")
def night() -> Night:
    return of_case(named_case("three-card-worked-example"))


@pytest.fixture(scope="module")
def host() -> Host:
    return Host()


@pytest.fixture(scope="module")
def plain(browser: Browser, chromium: str) -> Iterator[Browser]:
    """A browser to which the service is a name on plain HTTP, so that its pages are no secure context."""
    switches = [*SWITCHES, f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
    other = browser.browser_type.launch(executable_path=chromium, args=switches)
    yield other
    other.close()


@pytest.fixture
def page(plain: Browser, service: str) -> Iterator[Page]:
    context = plain.new_context(locale="en-GB", base_url=f"http://{NAME}:{service.rsplit(':', 1)[1]}")
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto("/verify")
    assert page.evaluate("[isSecureContext, typeof crypto.subtle]") == [False, "undefined"]
    yield page
    context.close()
    assert faults == []


def give(page: Page, data: bytes, name: str = "night.json") -> None:
    """Gives the page a file, and waits for what it says of it. (Of one of the same name it may have said so before.)"""
    page.set_input_files("#file", {"name": name, "mimeType": "application/json", "buffer": data})
    page.wait_for_selector(f".verdict p:has-text('{name}')")


def codes(page: Page, which: str) -> list[Any]:
    return [item.get_attribute("data-code") for item in page.locator(f".{which} li").all()]


def test_a_bundle_with_the_key_that_was_noted(page: Page, night: Night, host: Host) -> None:
    page.fill("#key", host.key.text())
    give(page, host.bundle(night))
    assert page.locator(".verdict h2").inner_text() == "All is right: the night was played and settled by the rules."
    assert codes(page, "proven") == ["chain", "settlement", "signature", "log"]
    assert codes(page, "not_proven") == ["truth", "names"]
    said = page.locator(".proven li[data-code=settlement]").inner_text()
    assert said == "The settlement beside the events is what follows from them."


def test_a_file_that_brings_its_own_key_says_what_that_is_worth(page: Page, night: Night, host: Host) -> None:
    give(page, host.bundle(night))
    assert codes(page, "not_proven") == ["host", "log.own_key", "truth", "names"]
    page.fill("#key", Host(2).key.text())
    page.press("#key", "Tab")
    page.wait_for_selector(".faults")
    assert codes(page, "faults") == ["signature.wrong", "log_proof.wrong"]


def test_a_night_made_anew_is_caught_by_a_head_that_was_kept(page: Page, night: Night, host: Host) -> None:
    kept = host.head(list(night.events), 9)
    forged = changed(night, lambda events: events[6].update(recorded_at="2026-06-27T23:59:00Z"))
    page.fill("#key", host.key.text())
    give(page, host.bundle(forged))
    assert page.locator(".faults").count() == 0
    page.set_input_files("#heads", {"name": "head", "mimeType": "text/plain", "buffer": kept.encode()})
    page.wait_for_selector(".faults")
    assert codes(page, "faults") == ["given_head.off_log"]
    assert "This proves it." in page.locator(".faults").inner_text()


def test_a_byte_that_was_changed_names_its_event(page: Page, night: Night, host: Host) -> None:
    for name, data in (("bundle.json", host.bundle(night)), ("log.ndjson", b"".join(ndjson(night)))):
        place = data.index(b'"as":"seen"') + 6
        give(page, data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], name)
        page.wait_for_selector(".faults li")
        assert page.locator(".faults li").first.inner_text() == "Event 8 was changed, or is not in its place."
    give(page, data[:place] + b"\x00" + data[place + 1 :], "worse.json")
    page.wait_for_selector("h2:has-text('Event 8 is damaged.')")


def test_a_file_that_was_cut_off_says_from_where_on_events_are_missing(page: Page, night: Night, host: Host) -> None:
    data = host.bundle(night)
    give(page, data[: data.rindex(b",\n") + 2])
    said = page.locator(".verdict h2").inner_text()
    assert said == "Events are missing from number 18 on: the file was cut off. Export the night again."


def test_a_night_of_one_event_is_said_of_one(page: Page, night: Night) -> None:
    opened = dataclasses.replace(night, events=night.events[:1], session=Session.replay(list(night.events[:1])))
    host = Host()
    host.leaves, host.later_leaves = [], []
    page.fill("#key", host.key.text())
    give(page, host.bundle(opened))
    said = page.locator(".proven").inner_text()
    assert "The only event fits its hash" in said
    assert "of 1 entry:" in said


def test_nothing_is_uploaded(page: Page, night: Night, host: Host) -> None:
    give(page, host.bundle(night))
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))  # a built-in will not do
    give(page, host.bundle(night), "again.json")
    page.fill("#key", host.key.text())
    page.press("#key", "Tab")
    page.wait_for_selector("li[data-code=signature]")
    assert [request.url for request in asked] == []


def test_a_file_dropped_on_the_page(page: Page, night: Night, host: Host) -> None:
    page.evaluate(
        """(text) => {
            const given = new DataTransfer();
            given.items.add(new File([text], "dropped.json"));
            const drop = new DragEvent("drop", { dataTransfer: given, bubbles: true, cancelable: true });
            document.querySelector(".verify").dispatchEvent(drop);
        }""",
        host.bundle(night).decode(),
    )
    page.wait_for_selector(".verdict")
    assert "dropped.json" in page.locator(".verdict").inner_text()


def test_an_unsound_night_says_what_the_audit_found(page: Page, host: Host) -> None:
    give(page, host.bundle(of_case(named_case("common-wrong-award"))))
    assert page.locator(".verdict h2").inner_text() == "Something here is not right: see what was found."
    assert page.locator(".verdict ul").last.inner_text().strip()


def test_what_is_no_night_at_all(page: Page) -> None:
    give(page, b"hello")
    assert page.locator(".verdict h2").inner_text() == "This is no file of a night, or it is damaged."


@pytest.mark.parametrize(("code", "title"), [("es", "Comprobar un archivo"), ("fr", "Vérifier un fichier")])
def test_in_the_visitors_language(page: Page, night: Night, host: Host, code: str, title: str) -> None:
    page.goto(f"/verify?lang={code}")
    give(page, host.bundle(night))
    assert page.locator("h1").inner_text() == title
    assert page.locator(".proven li [lang=en]").count() == 0


def test_the_page_s_engine_holds_the_audit_and_nothing_that_records() -> None:
    found = sources(VERIFIER)
    assert {"verifier.py", "typing.py", "__future__.py", "events/bundle.py", "events/audit/cards_lives.py"} <= set(
        found
    )
    assert "bridge.py" not in found
    for source in found.values():
        ast.parse(source)


def test_the_vendored_files_are_listed() -> None:
    static = VERIFIER.parent / "static"
    listed = (static / "vendor" / "VENDORED.md").read_text(encoding="utf-8")
    for path in (static / "verify").rglob("*.js"):
        assert path.name == "worker.js" or Path(path).name in listed
