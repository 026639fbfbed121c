"""One phone is one recorder: whatever page or tab it records from, all goes through one outbox, in order, each once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.web.nights import NIGHT, Night, recorded
from tests.web.person import Person, stored_events, wait
from tests.web.signal import Signal
from tests.web.test_recorder import CAST

# Lets a tab be deaf to what the other tabs of its phone say that they have kept.
DEAF = """
const listen = BroadcastChannel.prototype.addEventListener;
BroadcastChannel.prototype.addEventListener = function (kind, heard) {
  listen.call(this, kind, (event) => window.deaf || heard(event));
};
"""
# Opens with the deal, and bets while the answer to that is being kept; the engine then takes its time.
TAPPED_AS_THE_ANSWER_COMES = """async () => {
  const { book } = bragbook;
  const { api, engine } = book;
  const [post, ask] = [api.post.bind(api), engine.ask.bind(engine)];
  const seen = [];
  const look = () => seen.push({ busy: book.busy, bets: book.log().filter((event) => event.type === "bet").length });
  const sent = new Promise((resolve) => {
    api.post = async (...asked) => {
      const answer = await post(...asked);
      api.post = post;
      queueMicrotask(async () => {
        for (let turn = 0; turn < 20; turn += 1) await null; // it is being kept by now
        engine.ask = async (...question) => {
          const answered = await ask(...question);
          while (book.sending) await new Promise((go) => setTimeout(go, 5));
          look();
          return answered;
        };
        const bet = book.record([{ type: "bet", player: "p1", as: "blind", amount: "0.5" }]);
        await bet;
        engine.ask = ask;
        resolve();
      });
      return answer;
    };
  });
  const antes = ["p1", "p2", "p3"].map((player) => ({ type: "ante", player }));
  await book.record([{ type: "deal", dealer: "p3" }, ...antes]);
  await sent;
  look();
  return seen;
}"""


@pytest.fixture
def night(service: str) -> Night:
    """One hand, its result as the rules have it, and the night closed: three payments are open."""
    return recorded(service, [*NIGHT[:-1], {"type": "close"}], rules={"pots": 0})


def opened(page: Page, night: Night, view: str, ready: str) -> Page:
    page.goto(f"/s/{night.id}/{view}#record={night.record}&hand=1")
    expect(page.locator(ready).first).to_be_visible()
    expect(page.locator(".light")).to_contain_text("live")
    return page


def added(night: Night, since: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = night.ask("GET", f"/events?after={since}")["events"]
    return found


def trouble(page: Page) -> Locator:
    return page.get_by_role("alertdialog")


def test_the_settlement_is_recorded_without_signal(phone: Callable[..., Page], night: Night, signal: Signal) -> None:
    page = opened(phone(), night, "settle", ".payments li")
    since = night.ask("GET", "")["version"]
    signal.cut()
    ticks = page.locator(".payments .tick")
    ticks.nth(0).click()
    expect(page.locator(".light")).to_have_text("○ offline, 1 waiting")
    expect(ticks.nth(0)).to_be_disabled()
    ticks.nth(1).click()
    page.get_by_role("button", name="Asha agrees").click()
    expect(page.locator(".light")).to_have_text("○ offline, 3 waiting")
    expect(page.locator(".outbox .log li")).to_have_count(3)
    assert added(night, since) == []
    signal.back()
    expect(page.locator(".light")).to_contain_text("live")
    expect(page.locator(".payments li.done")).to_have_count(2)
    assert [event["type"] for event in added(night, since)] == ["pay", "pay", "sign"]
    assert page.locator(".outbox .log").count() == 0


def test_the_light_is_not_live_before_the_night_has_been_read(phone: Callable[..., Page], night: Night) -> None:
    page = phone()
    held: list[Route] = []
    slow = True
    page.route(f"**/api/v1/sessions/{night.id}", lambda route: held.append(route) if slow else route.continue_())
    page.goto(f"/s/{night.id}/settle#record={night.record}")
    light = page.locator(".light")
    wait(page, lambda: held, "a look at the night")  # it has asked, and has no answer yet
    expect(light).to_contain_text("reading…")
    slow = False
    for route in held:
        route.continue_()
    expect(light).to_contain_text("live")


def test_what_waits_from_the_case_is_sent_by_the_recorder(
    phone: Callable[..., Page], night: Night, signal: Signal
) -> None:
    page = opened(phone(), night, "case", ".story li")
    since = night.ask("GET", "")["version"]
    left = False
    # the page is left before it is sent
    page.route("**/events", lambda route: route.fallback() if left else route.abort())
    page.get_by_role("button", name="Dispute this hand").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Ben", exact=True).click()
    sheet.get_by_label("What is said to have been wrong?").fill("my run was better")
    sheet.get_by_role("button", name="Open the dispute").click()
    expect(page.locator(".light")).to_contain_text("1 waiting")
    page.goto(f"/s/{night.id}/record")
    left = True
    Person(page).wait_for_engine()
    Person(page).wait_saved()
    assert [event["type"] for event in added(night, since)] == ["dispute"]


def test_a_dispute_and_its_argument_may_follow_another_phone_unasked_a_payment_may_not(
    phone: Callable[..., Page], night: Night, signal: Signal
) -> None:
    page = opened(phone(), night, "settle", ".payments li")
    since = night.ask("GET", "")["version"]
    page.evaluate("bragbook.book.live.stop()")
    signal.cut()
    page.evaluate(
        """async (dispute) => {
          await bragbook.book.record([{ type: "dispute", of_hand: 1, player: "p2", claim: "the run wins" }]);
          await bragbook.book.record([{ type: "note", text: "all saw it", dispute }]);
        }""",
        since + 1,
    )
    night.ask("POST", "/events", {"type": "note", "text": "the other phone"})
    signal.back()
    expect(page.locator(".light")).to_contain_text("live")
    first, dispute, argument = added(night, since)
    assert (first["text"], dispute["type"], argument["dispute"]) == ("the other phone", "dispute", dispute["seq"])

    night.ask("POST", "/events", {"type": "note", "text": "and again"})
    page.locator(".payments .tick").first.click()
    expect(trouble(page)).to_contain_text("Another phone was first")
    problem = page.evaluate("bragbook.book.record([{ type: 'note', text: 'not yet' }])")
    assert problem == {"code": "not_taken"}
    trouble(page).get_by_role("button", name="Add mine after it").click()
    expect(page.locator(".payments li.done")).to_have_count(1)
    assert [event["type"] for event in added(night, since)][3:] == ["note", "pay"]


def test_what_the_service_refuses_is_said_in_the_form_and_can_be_put_right(
    phone: Callable[..., Page], night: Night
) -> None:
    night.ask("POST", "/events", {"type": "dispute", "of_hand": 1, "player": "p2", "claim": "The run wins."})
    page = opened(phone(), night, "case", ".story li")
    page.get_by_role("button", name="Rule on it").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="upheld").click()
    sheet.get_by_label("Why, in a few words").fill("so it is")
    page.evaluate("bragbook.book.live.stop()")
    struck = night.ask("GET", "/events")["events"][-1]["seq"]
    night.ask("POST", "/events", {"type": "void", "seqs": [struck], "reason": "withdrawn"})
    page.evaluate("bragbook.book.tryNow()")
    Person(page).until(f"bragbook.book.events.length === {struck + 1}")
    sheet.get_by_role("button", name="Record the ruling").click()
    expect(sheet.get_by_role("alert")).to_be_visible()
    expect(sheet.get_by_label("Why, in a few words")).to_have_value("so it is")
    assert page.evaluate("bragbook.book.pending.length + bragbook.book.put_aside.length") == 0


def test_two_tabs_of_one_phone_are_one_recorder(phone: Callable[..., Page], signal: Signal) -> None:
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3], {"pots": "0"})
    person.does("Cal deals")
    person.wait_saved()
    other = Person(page.context.new_page())
    other.page.goto(f"/s/{session}/record")
    other.wait_for_engine()
    person.does("Open blind")
    expect(other.page.locator("#turn")).to_have_text("Ben to act")
    other.does("Fold")
    expect(page.locator("#turn")).to_have_text("Cal to act")
    other.wait_saved()

    signal.cut()
    person.does("Blind")
    expect(other.page.locator("#turn")).to_have_text("Asha to act")
    other.does("Blind")
    expect(page.locator(".light")).to_have_text("○ offline, 2 waiting")
    page.close()  # what it took, the other sends
    signal.back()
    other.wait_saved()
    assert trouble(other.page).count() == 0
    events = stored_events(other.page, session)
    assert [event.get("player") for event in events[-4:]] == ["p1", "p2", "p3", "p1"]
    assert other.page.evaluate("bragbook.book.pending.length") == 0


def test_a_tap_is_taken_after_another_tab_has_only_heard_that_it_was_stored(phone: Callable[..., Page]) -> None:
    """What waits in one tab, and is stored then, makes nothing different for what is tapped in the other."""
    page = phone()
    person = Person(page)
    session = person.open_night("three-card", CAST[:3], {"pots": "0"})
    person.does("Cal deals")
    person.wait_saved()
    other = Person(page.context.new_page())
    other.page.add_init_script(DEAF)
    other.page.goto(f"/s/{session}/record")
    other.wait_for_engine()
    held: list[Route] = []
    page.route("**/events", lambda route: held.append(route))
    person.does("Open blind")
    expect(other.page.locator("#turn")).to_have_text("Ben to act")
    other.page.evaluate("bragbook.book.live.stop(); window.deaf = true;")
    for route in held:
        route.continue_()
    person.wait_saved()
    other.does("Fold")
    expect(page.locator("#turn")).to_have_text("Cal to act")


def test_a_tap_is_at_work_until_it_is_on_the_phone(phone: Callable[..., Page]) -> None:
    """Also where the answer to the one before comes meanwhile: else it could be tapped twice, or be taken for saved."""
    page = phone()
    person = Person(page)
    person.open_night("three-card", CAST[:3], {"pots": "0"})
    person.wait_saved()
    seen = page.evaluate(TAPPED_AS_THE_ANSWER_COMES)
    assert seen == [{"busy": True, "bets": 0}, {"busy": False, "bets": 1}]
    person.wait_saved()
