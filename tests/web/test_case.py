"""The case of a hand: its story in four languages, what the table did beside what the rules give, dispute to ruling."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.web.nights import NIGHT, Night, recorded
from tests.web.person import Person
from tests.web.signal import Signal
from tests.web.test_accessible import holds
from tests.web.test_recorder import PREFIX


@pytest.fixture
def night(service: str) -> Night:
    return recorded(service, NIGHT)


def opened(page: Page, night: Night, link: str) -> Page:
    page.goto(f"/s/{night.id}/case#{link}&hand=1")
    expect(page.locator(".story li").first).to_be_visible()
    return page


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def test_a_hand_is_told_with_prices_rules_and_what_was_struck(phone: Callable[..., Page], night: Night) -> None:
    page = opened(phone(), night, f"view={night.view}")
    story = page.locator(".story")
    expect(story).to_contain_text("Asha, seen, opens at level 2 and pays 2.")
    expect(story).to_contain_text("Ben’s run 7-6-5 beats Asha’s flush K-9-4: a run beats a flush in Brag.")
    expect(story.locator("li.struck")).to_have_text(re.compile("Ben bets 4.*struck: a wrong tap"))
    expect(story.locator("li.struck del")).to_have_text("Ben bets 4")
    expect(page.locator(".verdict")).to_contain_text("Not as the rules have it")
    expect(page.get_by_role("row", name="Ben 11 0 (−11)")).to_be_visible()
    expect(page.get_by_role("row", name="Asha 0 11 (+11)")).to_be_visible()
    expect(page.locator(".owed")).to_contain_text("Asha owes Ben 11")
    expect(page.locator(".found")).to_contain_text("By the rules: the call 2; a raise 3 to 7. At the table: 1.")
    assert page.get_by_role("button", name="Dispute this hand").count() == 0  # this link only watches
    links = page.locator("a.rule-link").evaluate_all("(links) => [...new Set(links.map((each) => each.href))]")
    assert len(links) > 3
    for link in links:
        page.goto(link)
        place = link.split("#")[1]
        assert page.evaluate("(id) => document.getElementById(id) !== null", place), link


def test_no_hand_is_missed_before_the_hands_have_been_read(phone: Callable[..., Page], night: Night) -> None:
    page = phone()
    held: list[Route] = []
    slow = True
    page.route("**/hands", lambda route: held.append(route) if slow else route.continue_())
    page.goto(f"/s/{night.id}/case#record={night.record}&hand=1")
    expect(page.locator(".light")).to_contain_text("live")  # the outbox has read the night, and the page is drawn
    Person(page).until("Boolean(bragbook.book.live)")
    expect(page.locator(".loading")).to_be_visible()
    expect(page.locator("#app")).not_to_contain_text("No hand has been played yet")
    assert held
    slow = False
    for route in held:
        route.continue_()
    expect(page.locator(".story li").first).to_be_visible()


def test_an_audit_that_got_no_answer_is_asked_for_again(phone: Callable[..., Page], night: Night) -> None:
    page = phone()
    asked: list[Route] = []

    def lost_once(route: Route) -> None:
        asked.append(route)
        route.abort() if len(asked) == 1 else route.continue_()

    page.route("**/hands/1/audit*", lost_once)
    page.goto(f"/s/{night.id}/case#view={night.view}&hand=1")
    expect(page.locator(".story li").first).to_be_visible()
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "a run beats a flush in Brag"),
        ("es", "Escalera 7-6-5 de Ben"),
        ("fr", "Suite 7-6-5 de Ben"),
        ("it", "Scala (run) 7-6-5 di Ben"),
    ],
)
def test_it_is_told_and_holds_in_every_language(
    phone: Callable[..., Page], night: Night, language: str, said: str
) -> None:
    page = opened(phone(PREFIX[language]), night, f"record={night.record}")
    t = Person(page, language).words
    expect(page.locator(".story")).to_contain_text(said)
    holds(page, "the case")
    page.get_by_role("button", name=t("dispute.open")).click()
    dialog(page).get_by_label(t("dispute.claim")).fill("Asha")
    holds(page, "a dispute, with a name in it")
    dialog(page).get_by_role("button", name="Ben", exact=True).click()
    dialog(page).get_by_role("button", name=t("dispute.record")).click()
    page.get_by_role("button", name=t("dispute.rule")).click()
    dialog(page).get_by_role("button", name=t("dispute.money_other")).click()
    holds(page, "a ruling")


def test_the_case_is_found_from_the_hands_the_replay_and_the_settlement(
    phone: Callable[..., Page], night: Night
) -> None:
    page = phone()
    page.goto(f"/s/{night.id}#view={night.view}")
    page.get_by_role("link", name="The case of hand 1").click()
    expect(page.get_by_role("heading", name="The case of hand 1")).to_be_visible()
    page.get_by_role("link", name="The hand, move by move").click()
    page.get_by_role("link", name="The case of a hand").click()
    expect(page.get_by_role("heading", name="The case of hand 1")).to_be_visible()
    page.get_by_role("link", name="Settlement").click()
    page.get_by_text("The cases of all hands").click()
    page.get_by_role("link", name="Hand 1").click()
    expect(page.get_by_role("heading", name="The case of hand 1")).to_be_visible()
    page.get_by_role("link", name="Event 10").click()
    expect(page.locator(".moment")).to_contain_text("Ben bets 1")


def test_a_hand_recorded_anew_is_found_under_its_old_number(phone: Callable[..., Page], service: str) -> None:
    night = recorded(service, NIGHT[:1])
    anew = [{"type": "void", "seqs": [2], "reason": "Asha dealt"}, {"type": "deal", "dealer": "p1", "replaces": 2}]
    night.ask("POST", "/events", anew)
    page = phone()
    page.goto(f"/s/{night.id}/case#view={night.view}&hand=1")
    expect(page.locator("#app")).to_contain_text("It was struck and recorded anew as hand 2.")
    page.get_by_role("button", name="The case of hand 2").click()
    expect(page.locator(".story")).to_contain_text("Asha deals to Ben, Cal, Dee and Asha.")


def test_from_dispute_to_ruling_and_open_anew(phone: Callable[..., Page], night: Night) -> None:
    """Ben disputes from his own phone and argues; the recorder rules, with money; Ben opens it anew."""
    ben = opened(phone(), night, f"seat={night.seat('p2')}&player=p2")
    ben.get_by_role("button", name="Dispute this hand").click()
    dialog(ben).get_by_label("What is said to have been wrong?").fill("my run beats the flush of asha")
    expect(dialog(ben)).to_contain_text("“Asha” would stay in the log for ever")
    dialog(ben).get_by_role("button", name="Write “Player 1” instead").click()
    dialog(ben).get_by_role("button", name="Open the dispute").click()
    expect(ben.locator(".disputes")).to_contain_text("Ben says: “my run beats the flush of Player 1”")
    assert ben.get_by_role("button", name="Rule on it").count() == 0
    ben.get_by_role("button", name="Add an argument").click()
    dialog(ben).get_by_label("What speaks for it").fill("everybody saw it")
    dialog(ben).get_by_role("button", name="Add it").click()
    expect(ben.locator(".arguments li")).to_have_count(1)

    keeper = opened(phone(), night, f"record={night.record}")
    expect(keeper.locator(".arguments")).to_contain_text("“everybody saw it” from Ben’s own link")
    keeper.get_by_role("button", name="Rule on it").click()
    sheet = dialog(keeper)
    sheet.get_by_role("button", name="upheld").click()
    sheet.get_by_label("Why, in a few words").fill("a run beats a flush")
    sheet.get_by_role("button", name="Other amounts").click()
    record = sheet.get_by_role("button", name="Record the ruling")
    expect(record).to_be_disabled()
    for key in ("plus or minus", "4", "decimal point", "5"):
        sheet.get_by_role("button", name=key, exact=True).click()
    sheet.get_by_role("button", name="Asha: −4.5").click()
    expect(sheet.locator(".sum")).to_have_text("Together it makes −4.5, not zero yet.")
    expect(record).to_be_disabled()
    sheet.get_by_role("button", name="The rest: +4.5").click()
    expect(sheet.locator(".sum")).to_have_text("Together it makes zero.")
    record.click()
    expect(ben.locator(".disputes")).to_contain_text("By the ruling: Asha −4.5 and Ben +4.5. by the recorder")

    ruling = night.ask("GET", "/settlement")["disputes"][0]["ruling"]
    assert ruling["adjust"] == {"p1": "-4.5", "p2": "4.5"}
    events = night.ask("GET", "/events")["events"]
    assert [event["type"] for event in events[-3:]] == ["dispute", "note", "rule"]
    assert events[-2]["dispute"] == events[-3]["seq"]
    assert "Asha" not in json.dumps(events)

    ben.get_by_role("button", name="Open it anew").click()
    dialog(ben).get_by_label("What is said to have been wrong?").fill("all of it was mine")
    dialog(ben).get_by_role("button", name="Open the dispute").click()
    Person(ben).wait_closed()
    ben.get_by_role("link", name="Settlement").click()
    expect(ben.locator(".disputes > li")).to_have_count(2)
    expect(ben.locator(".disputes > li").nth(1)).to_contain_text("○ Open Hand 1 Ben says: “all of it was mine”")


def test_a_ruling_as_the_rules_have_it_is_three_taps_and_a_reason(phone: Callable[..., Page], night: Night) -> None:
    night.ask("POST", "/events", {"type": "dispute", "of_hand": 1, "player": "p2", "claim": "The run wins."})
    page = opened(phone(), night, f"record={night.record}")
    page.get_by_role("button", name="Rule on it").click()
    dialog(page).get_by_role("button", name="compromise").click()
    dialog(page).get_by_role("button", name="As the rules have it").click()
    expect(dialog(page)).to_contain_text("Asha −11 and Ben +11")
    dialog(page).get_by_label("Why, in a few words").fill("so it is")
    dialog(page).get_by_role("button", name="Record the ruling").click()
    expect(page.locator(".verdict")).to_contain_text("nothing is owed for it")
    assert night.ask("GET", "/settlement")["balances"]["p2"] == "9"


@pytest.mark.parametrize("link", ["record", "seat"])
def test_an_answer_that_was_lost_is_recorded_once(
    phone: Callable[..., Page], night: Night, signal: Signal, link: str
) -> None:
    """The recorder's phone sends it again by itself; on a seat's link one taps again, with all that was typed."""
    held = f"record={night.record}" if link == "record" else f"seat={night.seat('p2')}&player=p2"
    page = opened(phone(), night, held)
    page.get_by_role("button", name="Dispute this hand").click()
    if link == "record":
        dialog(page).get_by_role("button", name="Ben", exact=True).click()
    dialog(page).get_by_label("What is said to have been wrong?").fill("the run wins")
    signal.lose_answers(2)  # a browser may send once more by itself
    dialog(page).get_by_role("button", name="Open the dispute").click()
    if link == "seat":
        expect(dialog(page).get_by_role("alert")).to_contain_text("No answer. Try again")
        signal.lose_answers(0)
        dialog(page).get_by_role("button", name="Open the dispute").click()
    expect(dialog(page)).to_have_count(0)
    expect(page.locator(".disputes > li")).to_have_count(1)
    assert signal.lost >= 1
    assert len(night.ask("GET", "/settlement")["disputes"]) == 1


def test_whose_signature_no_longer_covers_the_settlement(phone: Callable[..., Page], night: Night) -> None:
    night.ask("POST", "/events", {"type": "sign", "player": "p1"}, token=night.seat("p1"))
    night.ask("POST", "/events", {"type": "sign", "player": "p2"})
    page = phone()
    page.goto(f"/s/{night.id}/settle#record={night.record}")
    expect(page.locator(".signatures li").nth(0)).to_contain_text("✓ Asha agrees from their own link")
    expect(page.locator(".signatures li").nth(1)).to_contain_text("✓ Ben agrees by the recorder")
    claim = {"type": "dispute", "of_hand": 1, "player": "p2", "claim": "The run wins."}
    dispute = night.ask("POST", "/events", claim)["version"]
    moved = {"p1": "-11", "p2": "11"}
    ruling = {"type": "rule", "dispute": dispute, "decision": "upheld", "adjust": moved, "reason": "so"}
    version = night.ask("POST", "/events", ruling)["version"]
    for row in (0, 1):
        expect(page.locator(".signatures li").nth(row)).to_contain_text("but the balances have changed since")
    Person(page).until(f"bragbook.book.events.length === {version}")  # the phone's outbox has heard of it too
    page.get_by_role("button", name="Asha agrees").click()
    expect(page.locator(".signatures li").nth(0)).to_contain_text("✓ Asha agrees by the recorder")
