"""Somebody with a phone: reads what the page says and taps what can be tapped, in the page's language."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from events.amounts import Unit
from events.cards import card_name
from events.refusals import Refused
from events.session import Session
from service.web.languages import read_all
from tests.web.chromium import PATIENCE_MS

LANGUAGES = read_all()
RAISES_ON_SCREEN = 5
POLL_MS = 15


def wait(page: Page, holds: Callable[[], Any], what: str) -> None:
    """Until it holds, while the page goes on."""
    over = time.monotonic() + PATIENCE_MS / 1000
    while not holds():
        assert time.monotonic() < over, f"never came: {what}"
        page.wait_for_timeout(POLL_MS)


class Person:
    """One phone's page, its language's words, and how often it was tapped."""

    def __init__(self, page: Page, language: str = "en") -> None:
        self.page = page
        self.words = LANGUAGES[language]
        self.taps = 0

    # ---- a new night

    def open_night(
        self, game: str, names: list[str], rules: dict[str, str] | None = None, *, with_chips: bool = False
    ) -> str:
        """Opens a night by the form; the session's id."""
        t, page = self.words, self.page
        page.goto("/")
        page.get_by_role("radio", name=t(f"game.{game}")).check()
        while page.locator(".players li").count() < len(names):
            page.get_by_role("button", name=t("start.add")).click()
        for n, name in enumerate(names):
            page.get_by_label(t("start.seat", n=n + 1), exact=True).fill(name)
        if with_chips:
            page.get_by_label(t("rule.bank")).select_option("chips")
        if rules:
            page.get_by_role("button", name=t("start.all_rules")).click()
            for rule, value in rules.items():
                page.locator(f"#rule-{rule}").fill(value)
        page.get_by_role("button", name=t("start.begin", n=len(names))).click()
        page.wait_for_url("**/record")
        self.wait_for_engine()
        return page.url.split("/")[-2]

    def wait_for_engine(self) -> None:
        """Until the rules run on the phone itself, and the night has been looked for at the service."""
        self.until("Boolean(globalThis.bragbook?.book.engine && bragbook.book.state && bragbook.book.live)")

    def wait_closed(self) -> None:
        """Until no sheet is open, and the history has been put back: going elsewhere before would cross with that."""
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        self.until("!history.state?.sheet")

    def until(self, holds: str) -> None:
        """Until the page says so. (The page's policy forbids the waiting that playwright brings along.)"""
        wait(self.page, lambda: self.page.evaluate(holds), holds)

    def link_to_watch(self, session: str) -> str:
        """The link to a night that this phone opened, for whoever may look on."""
        token = self.page.evaluate("(id) => JSON.parse(localStorage.getItem('bragbook.keys'))[id].view", session)
        return f"/s/{session}#view={token}"

    # ---- reading

    def light(self) -> str:
        return self.page.locator(".light").inner_text()

    def turn(self) -> str:
        return self.page.locator("#turn").inner_text()

    def wait_saved(self) -> None:
        expect(self.page.locator(".light")).to_contain_text(self.words("light.live"))

    # ---- tapping

    def tap(self, button: Locator) -> None:
        self.taps += 1
        button.click()

    def does(self, name: str, *, exact: bool = False) -> None:
        """Taps a button of the moment by its words."""
        before = self.version()
        self.tap(self.page.locator(".actions").get_by_role("button", name=name, exact=exact).first)
        self.wait_past(before)

    def version(self) -> int:
        return int(self.page.evaluate("bragbook.book.state.version"))

    def wait_past(self, version: int) -> None:
        """Until the page shows a later version than this."""
        self.page.wait_for_function(
            "(version) => bragbook.book.state.version > version && !bragbook.book.busy", arg=version
        )

    def pick(self, cards: list[str]) -> None:
        """Two taps a card."""
        area = self.page.locator(".picker")
        for card in cards:
            self.tap(area.get_by_role("button", name=self.words(f"rank.{card[0]}"), exact=True))
            self.tap(area.get_by_role("button", name=self.words(f"suit.{card[1]}"), exact=True))

    def undo(self) -> None:
        before = self.version()
        self.tap(self.page.locator(".footer .undo"))
        self.wait_past(before)

    def redo(self) -> None:
        before = self.version()
        self.tap(self.page.locator(".footer .redo").first)
        self.wait_past(before)


class Scorekeeper:
    """Records a night by tapping, with the engine beside it to know what should come out."""

    def __init__(self, person: Person, opening: dict[str, Any], names: dict[str, str], seed: int) -> None:
        self.person = person
        self.beside = Session(opening)
        self.names = names
        self.chance = random.Random(seed)
        self.unit = Unit(opening["unit"]["chip"], opening["unit"]["coin"])
        self.t = person.words

    def text(self, amount: str) -> str:
        """As this language writes it."""
        return amount if self.t.code == "en" else amount.replace(".", ",")

    def play(self, hands: int) -> None:
        """Until the night is over, or so many hands are, and no hand is open."""
        for _ in range(2000):
            state = self.beside.state(self.names)
            if state["phase"] == "closed" or (state["phase"] == "deal" and len(self.beside.hands()) >= hands):
                return
            self.one(state)
        raise AssertionError("the night does not end")

    def one(self, state: dict[str, Any]) -> None:
        """One decision of the table: tapped on the phone, and recorded beside it."""
        event = self.decide(state)
        self.tap(state, event)
        self.note(state, event)

    def tap(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        """On the phone, until it shows what came of it."""
        before = self.person.version()
        self.do(state, event)
        self.person.wait_past(before)

    def note(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        """Beside the phone."""
        self.beside.record(event)
        if event["type"] == "deal" and "up" not in event:
            for player in (one for one in state["seats"] if state["players"][one]["status"] == "in"):
                self.beside.record({"type": "ante", "player": player})

    def decide(self, state: dict[str, Any]) -> dict[str, Any]:
        """Something legal, not too wild, so that hands end."""
        legal = [one for one in state["legal"] if one["type"] != "retain"]
        kinds = {one["type"] for one in legal}
        if "see" in kinds and self.chance.random() < 0.5:
            return next(one for one in legal if one["type"] == "see")
        if state["phase"] == "act" and state["game"] != "lives":
            legal = [one for one in legal if one["type"] != "look" or self.chance.random() < 0.3]
            legal = [one for one in legal if one["type"] != "fold" or self.chance.random() < 0.4]
        entry = dict(self.chance.choice(legal))
        kind = entry["type"]
        if kind == "bet":
            return self.bet(entry)
        if kind in ("deal", "reveal", "flip", "swap"):
            return self.with_cards(state, entry)
        return {name: entry[name] for name in entry if name != "amount"}

    def bet(self, entry: dict[str, Any]) -> dict[str, Any]:
        chips = self.unit.chips
        amounts = [entry["call"]] * 3 if entry["call"] else []
        if entry["min"] is not None:
            most = chips(entry["max"]) if entry["max"] is not None else None
            for n in range(RAISES_ON_SCREEN + (entry["call"] is None)):  # the least opening has a button of its own
                raised = chips(entry["min"]) + n * chips(entry["step"])
                if most is None or raised <= most:
                    amounts.append(self.unit.text(raised))
        amount = self.chance.choice(amounts)
        return {"type": "bet", "player": entry["player"], "as": entry["as"], "amount": amount}

    def with_cards(self, state: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
        """Cards that can be: the engine says which."""
        known = self.known_cards(state)
        for _ in range(3000):
            some = self.chance.sample(known, self.chance.randint(0, min(3, len(known))))
            rest = [one for one in map(card_name, range(52)) if one not in some]
            pack = self.chance.sample(some + self.chance.sample(rest, 3 - len(some)), 3)
            event = dict(entry)
            if entry["type"] == "reveal":
                event["cards"] = pack
            elif entry["type"] == "flip":
                event["card"] = pack[0]
            elif entry["type"] == "deal" and state["game"] == "lives":
                event["up"] = pack[0]
            elif entry["type"] == "swap" and entry["take"] != "down":
                event["give" if entry["take"] == "up" else "leave"] = pack[0]
            try:
                self.beside.fork().record(event)
            except Refused as refused:
                assert refused.refusal.code.startswith(("cards.", "swap.")), refused.refusal.detail  # noqa: PT017
                continue
            return event
        raise AssertionError(f"no cards fit {entry}")

    def known_cards(self, state: dict[str, Any]) -> list[str]:
        """Cards that have lain face up in this hand: in `lives` some hand must show them."""
        found = set()
        for event in self.beside.events[: self.beside.version]:
            if event.get("hand") == state["hand"]:
                found |= {event[name] for name in ("up", "give", "leave") if name in event}
        return sorted(found)

    # ---- the same, on the phone

    def do(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        getattr(self, f"do_{event['type']}", self.do_other)(state, event)

    def press(self, name: str, *, exact: bool = False) -> None:
        self.person.tap(self.person.page.locator(".actions").get_by_role("button", name=name, exact=exact).first)

    def do_deal(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        choices = [one for one in state["legal"] if one["type"] == "deal"]
        if state["game"] != "lives" or len(choices) > 1:
            self.press(self.t("do.deal", player=self.names[event["dealer"]]))
        if "up" in event:
            self.person.pick([event["up"]])

    def do_bet(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        kinds = [one for one in state["legal"] if one["type"] == "bet" and not one.get("all_in")]
        entry = next(one for one in kinds if one["as"] == event["as"])
        pays = entry["call"] or entry["min"]
        if event["amount"] == pays:
            word = "plain" if len(kinds) == 1 and event["as"] == "seen" else event["as"]
            self.press(self.t(f"do.{'call' if entry['call'] else 'open'}_{word}"))
            return
        if len(kinds) > 1 and event["as"] != kinds[0]["as"]:
            self.press(self.t("raise.as", **{"as": self.t(f"status.{kinds[0]['as']}")}))
        chips, rate = self.unit.chips, 2 if event["as"] == "blind" else 1
        by = self.unit.text((chips(event["amount"]) - chips(pays)) * rate)
        self.press(
            self.t(
                "raise.one" if entry["call"] else "raise.open_one", by=self.text(by), amount=self.text(event["amount"])
            ),
            exact=True,
        )

    def do_see(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        self.person.tap(self.person.page.locator(".actions .see"))

    def whose(self, state: dict[str, Any], player: str) -> None:
        """Where several may show, the first in seat order is asked first."""
        may = {one["player"] for one in state["legal"] if one["type"] == "reveal"}
        if player != next(one for one in state["seats"] if one in may):
            self.press(self.names[player], exact=True)

    def do_reveal(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        self.whose(state, event["player"])
        self.person.pick(event["cards"])

    def do_muck(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        self.whose(state, event["player"])
        self.press(self.t("do.muck", player=self.names[event["player"]]))

    def do_flip(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        self.person.pick([event["card"]])

    def do_swap(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        self.press(self.t(f"do.swap_{event['take']}"))
        if event["take"] != "down":
            self.person.pick([event["give" if event["take"] == "up" else "leave"]])

    def do_other(self, state: dict[str, Any], event: dict[str, Any]) -> None:
        which = f"_{event['which']}" if event.get("which") else ""
        self.press(self.t(f"do.{event['type']}{which}"), exact=True)


def stored_state(page: Page, session: str) -> dict[str, Any]:
    """The session's state as the service has it, asked with the phone's own token."""
    answer = page.evaluate(
        """async (session) => {
          const keys = JSON.parse(localStorage.getItem("bragbook.keys"))[session];
          const headers = { Authorization: `Bearer ${keys.record || keys.view}` };
          return (await fetch(`/api/v1/sessions/${session}`, { headers })).text();
        }""",
        session,
    )
    found: dict[str, Any] = json.loads(answer)
    return found


def stored_events(page: Page, session: str) -> list[dict[str, Any]]:
    """The session's stored events, the first thousand."""
    answer = page.evaluate(
        """async (session) => {
          const keys = JSON.parse(localStorage.getItem("bragbook.keys"))[session];
          const headers = { Authorization: `Bearer ${keys.record || keys.view}` };
          const path = `/api/v1/sessions/${session}/events?limit=500&after=`;
          const ask = async (after) => (await fetch(path + after, { headers })).json();
          return JSON.stringify([...(await ask(0)).events, ...(await ask(500)).events]);
        }""",
        session,
    )
    found: list[dict[str, Any]] = json.loads(answer)
    return found
