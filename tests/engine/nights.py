"""Random nights of every game and variant, played from what `legal` offers with real cards.

A `Night` asks `pick(n)` for a number below n whenever something is open, so that hypothesis can choose (and shrink), or
a seeded `random.Random`. It plays, and now and then does what nights bring besides: somebody comes or goes, chips are
bought, counted and cashed, a hand is called off, a wrong tap is struck, a breach is let stand, a hand is disputed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from events.refusals import RECORDABLE, Refused
from events.session import Session, open_session
from tests.engine.cards_on_the_table import Cards, ThreeCardCards, cards_of

Pick = Callable[[int], int]
Event = dict[str, Any]

SEATED = [chr(ord("A") + number) for number in range(16)]
NEWCOMERS = ["Quin", "Rae", "Sam"]
DISHONEST_KINDS = ("bet", "see", "fold", "check", "look", "reveal", "knock", "swap", "ante", "deal")
# How often each is chosen among what `legal` offers: so that hands end, in every way.
OFTEN = {
    **dict.fromkeys(("deal", "ante", "reveal", "flip", "discard", "keep", "throw"), 3),
    "bet": 5,
    "check": 4,
    "look": 3,
    "fold": 2,
    "see": 3,
    "swap": 5,
    "knock": 4,
    "muck": 1,
    "retain": 9,
}


class Variant:
    """A game, how many sit down, and what its table agreed."""

    def __init__(self, name: str, game: str, seats: int, rules: Event | None = None, **unit: str) -> None:
        self.name = name
        self.body: Event = {"game": game, "players": SEATED[:seats], "rules": rules or {}}
        if unit:
            self.body["unit"] = unit

    def __repr__(self) -> str:
        return self.name


SIDE = {"bank": "chips", "side_pots": True}
VARIANTS = [
    Variant("lives", "lives", 4),
    Variant("lives-ten-with-a-stake", "lives", 10, {"stake": "5", "lives": 1}),
    Variant("lives-without-suits", "lives", 3, {"suit_tiebreak": False, "lives": 2}),
    Variant("lives-deuces", "lives", 5, {"wild": "deuces", "lives": 2, "stake": "0.5"}, chip="0.25"),
    Variant("three-card", "three-card", 4),
    Variant("three-card-two", "three-card", 2, {"pots": 0}),
    Variant("three-card-sixteen", "three-card", 16, {"pots": 3}),
    Variant("three-card-all-seen", "three-card", 5, {"all_seen": True, "pots": 4}),
    Variant("three-card-see-blind", "three-card", 3, {"see_blind": True, "pots": 5}),
    Variant("three-card-single", "three-card", 3, {"see_price": "single", "pots": 0, "suit_tiebreak": True}),
    Variant("three-card-chips-of-one", "three-card", 3, {"pots": 0}, chip="1"),
    Variant("three-card-limit", "three-card", 4, {"stake_limit": "12", "max_open": "3", "max_raise": "2", "pots": 0}),
    Variant("three-card-no-cap", "three-card", 4, {"max_raise": None, "step": "1.5", "pots": 0, "max_open": "6"}),
    Variant(
        "three-card-quarters",
        "three-card",
        3,
        {"ante": "0.5", "step": "0.5", "min_open": "0.5", "pots": 0, "wild": "deuces"},
        chip="0.25",
    ),
    Variant("community", "community", 5),
    Variant("community-sixteen", "community", 16, {"max_players": 16, "wild": "deuces"}),
    Variant("community-chips", "community", 4, {"bank": "chips"}),
    Variant("community-side-pots", "community", 4, SIDE),
    Variant("community-side-pots-of-one", "community", 5, {**SIDE, "step": "2", "ante": "1"}, chip="1"),
    Variant("community-stud-side-pots", "community", 3, {**SIDE, "private_cards": 4, "community_cards": 4}),
    Variant("community-blind", "community", 4, {"blind_until_last": True, "see_blind": False}),
    Variant("community-blind-side-pots", "community", 4, {**SIDE, "blind_until_last": True, "max_raise_times": 2}),
    Variant("community-capped", "community", 4, {**SIDE, "max_raise": "3", "min_bet": "2", "stake_limit": "15"}),
    Variant("community-step-and-cap", "community", 4, {"step": "2", "ante": "2", "max_raise": "5"}, chip="0.5"),
    Variant("community-tenths", "community", 3, {**SIDE, "ante": "0.3", "step": "0.2"}, chip="0.1", coin="0.05"),
    Variant("community-chips-of-two", "community", 3, {"bank": "chips", "ante": "2", "step": "2"}, chip="2", coin="1"),
]


class Night:
    """A session, the cards on its table, and all that was recorded.

    honest: only what the rules allow is done, and an audit must find nothing. `lies` is how many breaches were let
    stand. `cards_at[seq]`: the cards as they lay after each event, so that striking the last events takes them back.
    """

    def __init__(self, variant: Variant, pick: Pick, honest: bool = True) -> None:
        event, self.names = open_session(variant.body)
        self.session = Session(event)
        self.pick = pick
        self.honest = honest
        self.rules: Event = event["rules"]
        self.unit = self.session.unit
        self.cards_at: dict[int, Cards] = {1: cards_of(self.session.game, self.rules, pick(2**20))}
        self.lies = 0
        self.open_disputes: list[int] = []

    @property
    def cards(self) -> Cards:
        return self.cards_at[self.session.version]

    def state(self) -> Event:
        return self.session.state(self.names)

    def one_of(self, some: list[Any]) -> Any:
        return some[self.pick(len(some))]

    def chance(self, percent: int) -> bool:
        return self.pick(100) >= 100 - percent

    # recording

    def ready(self, event: Event, cards: Cards) -> Event:
        """The event with the cards that it names; at a deal, the cards are dealt first."""
        if event["type"] == "deal":
            if "shuffled" in event and isinstance(cards, ThreeCardCards):
                cards.to_shuffle = event["shuffled"]
            cards.deal(self.dealt_in(event))
        return cards.add_to(event)

    def dealt_in(self, event: Event) -> list[str]:
        """Who gets cards, from the dealer's left."""
        state = self.state()
        names = event.get("players") or [name for name in state["seats"] if state["players"][name]["status"] == "in"]
        at = state["seats"].index(event["dealer"]) + 1
        return [name for name in state["seats"][at:] + state["seats"][:at] if name in names]

    def record(self, event: Event) -> Event:
        """Record one event that must be taken."""
        cards = self.cards.copy()
        event = self.ready(event, cards)
        was_open = self.state()["hand"] if self.state()["phase"] not in ("deal", "closed") else None
        stored = self.session.record(event)
        over = None
        if was_open is not None and event["type"] != "void":
            hand = self.session.hand(was_open)
            over = hand if hand is not None and hand["result"] != "open" else None
        cards.told(event, over)
        self.cards_at[self.session.version] = cards
        return stored

    def tried(self, event: Event) -> str | None:
        """The code with which an event is refused now, or None."""
        try:
            later = self.session.fork()
            later.record(self.ready(event, self.cards.copy()))
        except Refused as refused:
            return refused.refusal.code
        return None

    # playing

    def buy_in(self) -> None:
        """Where chips are bought first, everybody buys some: few, so that stacks run out."""
        if self.rules.get("bank") == "chips":
            ante = self.unit.chips(self.rules["ante"])
            for name in self.session.seats:
                self.record({"type": "buy", "player": name, "chips": self.unit.text(ante * (3 + self.pick(12)))})

    def step(self) -> None:
        """The next thing that happens: mostly the next move; between hands, and on a dishonest night, more else."""
        waiting = self.state()["phase"] in ("deal", "closed")
        if not self.honest and self.chance(15):
            self.lie()
        elif self.chance(50 if waiting else 8):
            self.besides()
        else:
            self.play()

    def play(self) -> None:
        """One of the things that `legal` offers; a deal or a close where it offers nothing."""
        legal = self.state()["legal"]
        if legal:
            self.record(self.chosen(legal))
        elif not self.session.closed:
            self.record({"type": "close", "carry": "refund"})

    def chosen(self, legal: list[Event]) -> Event:
        there = {entry["type"] for entry in legal}
        kind = self.one_of([kind for kind in OFTEN if kind in there for _ in range(OFTEN[kind])])
        entry = self.one_of([entry for entry in legal if entry["type"] == kind])
        if kind == "bet" and "amount" not in entry:
            return self.a_bet(entry)
        if kind == "deal" and self.chance(10):
            return self.a_smaller_deal(entry)
        return dict(entry)

    def a_bet(self, entry: Event) -> Event:
        """The call, or an opening or a raise within what the entry offers."""
        event = {key: entry[key] for key in ("type", "player", "as")}
        least = None if entry["min"] is None else self.unit.chips(entry["min"])
        if entry["call"] is not None and (least is None or self.pick(3)):
            return {**event, "amount": entry["call"]}
        assert least is not None
        stride = self.unit.chips(entry["step"])
        most = least + 5 * stride if entry["max"] is None else self.unit.chips(entry["max"])
        steps = (most - least) // stride
        return {**event, "amount": self.unit.text(least + stride * self.pick(min(steps, 9) + 1))}

    def a_smaller_deal(self, entry: Event) -> Event:
        """A deal in which some sit out."""
        state = self.state()
        names = [name for name in state["seats"] if state["players"][name]["status"] == "in"]
        if self.session.game == "lives" or len(names) < 3 or "players" in entry:
            return dict(entry)
        out = self.one_of([name for name in names if name != entry["dealer"]])
        return {**entry, "players": [name for name in names if name != out]}

    # what nights bring besides

    def besides(self) -> None:
        """Something other than the next move, where it is possible now."""
        between = [self.come, self.go, self.buy, self.cash, self.count, self.settle, self.pay]
        anytime = [self.note, self.sign, self.dispute, self.rule, self.strike, self.call_off]
        kinds = anytime if self.state()["phase"] not in ("deal", "closed") else between + anytime
        event = self.one_of(kinds)()
        if event is not None:
            self.record(event)

    def come(self) -> Event | None:
        players = self.state()["players"]
        who = [name for name in players if players[name]["status"] == "left"] or [
            name for name in NEWCOMERS if name not in players
        ]
        if not who or self.session.closed:
            return None
        event = {"type": "join", "player": self.one_of(who)}
        if self.chance(30):
            event["before"] = self.one_of(self.state()["seats"])
            if event["before"] == event["player"]:
                del event["before"]
        return event if self.tried(event) is None else None

    def go(self) -> Event | None:
        players = self.state()["players"]
        here = [name for name in self.state()["seats"] if players[name]["status"] != "left"]
        if len(here) < 3 or self.session.closed or not self.chance(30):
            return None
        return {"type": "leave", "player": self.one_of(here)}

    def with_bank(self) -> list[str]:
        """Who may buy and cash now."""
        players = self.state()["players"]
        if self.rules.get("bank") != "chips" or self.session.closed:
            return []
        return [name for name in self.state()["seats"] if players[name]["status"] != "left"]

    def buy(self) -> Event | None:
        who = self.with_bank()
        if not who:
            return None
        name = self.one_of(who)
        event = {"type": "buy", "player": name, "chips": self.unit.text(self.unit.chips(self.rules["ante"]) * 8)}
        if self.chance(30):
            event["price"] = self.unit.coin_text(self.unit.coins(self.one_of(["5", "7", "30"])))
        return event if self.tried(event) is None else None

    def cash(self) -> Event | None:
        who = self.with_bank()
        holding = [name for name in who if self.unit.chips(self.state()["players"][name]["stack"]) > 0]
        if not holding:
            return None
        name = self.one_of(holding)
        stack = self.unit.chips(self.state()["players"][name]["stack"])
        event = {"type": "cash", "player": name, "chips": self.unit.text(stack if self.chance(50) else 1)}
        return event if self.tried(event) is None else None

    def count(self) -> Event | None:
        """The chips are counted, and are what the log says; on a dishonest night some have moved, or are missing."""
        if not self.with_bank():
            return None
        players = self.state()["players"]
        chips = {name: players[name]["stack"] for name in players}
        if not self.honest:
            one, other = self.one_of(sorted(chips)), self.one_of(sorted(chips))
            held = {name: self.unit.chips(chips[name]) for name in chips}
            moved = self.pick(held[one] + 1)
            held[one] -= moved
            held[other] += moved if self.chance(80) else moved + 1
            chips = {name: self.unit.text(held[name]) for name in held}
        event: Event = {"type": "count", "chips": chips}
        if self.tried(event) == "count.sum":
            event["irregular"] = "it does not add up"
        return event

    def last_hand(self) -> Event | None:
        hands = self.session.hands()
        return hands[-1] if hands and hands[-1]["result"] not in ("open", "misdeal") else None

    def settle(self) -> Event | None:
        """The table says what it did with the last hand: the same, or on a dishonest night something else."""
        hand = self.last_hand()
        if hand is None:
            return None
        event: Event = {"type": "settle"}
        if not self.honest and self.chance(60):
            if self.session.game == "lives":
                event["losers"] = [name for name in hand["net"] if self.chance(30)]
            else:
                event["awards"] = {self.one_of(list(hand["net"])): hand["pot"]}
            if self.tried(event) == "award.wrong":
                event["irregular"] = "the landlord said so"
        return event if self.tried(event) is None else None

    def pay(self) -> Event | None:
        payments = self.session.settlement()["outstanding"]
        return {"type": "pay", **self.one_of(payments)} if payments else None

    def note(self) -> Event:
        return {"type": "note", "text": "The landlord brought crisps."}

    def sign(self) -> Event:
        return {"type": "sign", "player": self.one_of(self.state()["seats"])}

    def dispute(self) -> Event | None:
        hands = self.session.hands()
        if not hands:
            return None
        number = self.one_of(hands)["hand"]
        return {"type": "dispute", "of_hand": number, "player": self.one_of(self.state()["seats"]), "claim": "not so"}

    def rule(self) -> Event | None:
        """A ruling on an open dispute; it may move money, as it does not on an honest night."""
        disputes = sorted(self.session.disputes)
        waiting = [seq for seq in disputes if seq not in self.session.rulings]
        if not waiting:
            return None
        decision = self.one_of(["upheld", "rejected", "compromise"])
        event: Event = {"type": "rule", "dispute": self.one_of(waiting), "decision": decision, "reason": "as agreed"}
        if self.chance(50):
            one, other = self.one_of(self.state()["seats"]), self.one_of(self.state()["seats"])
            if one != other:
                amount = self.unit.text(1 + self.pick(4))
                event["adjust"] = {one: amount, other: "-" + amount}
        return event if self.tried(event) is None else None

    def call_off(self) -> Event | None:
        if self.state()["phase"] in ("deal", "closed") or not self.chance(15):
            return None
        return {"type": "misdeal", "reason": "a card was exposed"}

    def strike(self) -> Event | None:
        """The last events of all are struck, as far as they are struck neither yet nor voids; the cards go back."""
        last = self.session.version
        back = 1 + self.pick(4)
        seqs = [
            seq
            for seq in range(last, max(1, last - back), -1)
            if seq not in self.session.struck and self.session.events[seq - 1]["type"] != "void"
        ]
        kept = [seq for seq in range(last, 0, -1) if seq not in self.session.struck and seq not in seqs]
        kept = [seq for seq in kept if self.session.events[seq - 1]["type"] != "void"]
        if not seqs or min(seqs) < kept[0]:
            return None
        event = {"type": "void", "seqs": sorted(seqs), "reason": "a wrong tap"}
        self.session.record(event)
        self.cards_at[self.session.version] = self.cards_at[kept[0]].copy()
        return None

    def end(self) -> None:
        """The table goes home."""
        if not self.session.closed:
            self.record({"type": "close", "carry": self.one_of(["refund", "split"])})

    # breaches that the table lets stand

    def lie(self) -> None:
        """Something that the rules forbid, recorded with a reason where it can be."""
        state = self.state()
        if state["phase"] == "closed":
            return
        event = self.something_else(state)
        code = self.tried(event)
        excused = {**event, "irregular": "let stand"}
        if code is None:
            self.record(excused)  # breaks no rule: stored, and found harmless
        elif code in RECORDABLE:
            if self.tried(excused) is None:
                self.record(excused)
                self.lies += 1
        else:
            assert self.tried(excused) is not None, f"{code} cannot be let stand: {event}"

    def something_else(self, state: Event) -> Event:
        """An event of a likely kind by any player, with any amount."""
        kind = self.one_of([kind for kind in DISHONEST_KINDS if kind != "deal" or state["phase"] == "deal"])
        name = self.one_of(state["seats"]) if self.chance(40) or state["to_act"] is None else state["to_act"]
        event: Event = {"type": kind, "player": name}
        if kind == "deal":
            event = {"type": kind, "dealer": name}
            if self.chance(30):
                event["shuffled"] = bool(self.pick(2))
        elif kind in ("bet", "see", "ante"):
            if kind == "bet" or self.chance(50):
                event["amount"] = self.unit.text(1 + self.pick(24))
            if kind == "bet":
                event["as"] = self.one_of(["blind", "seen"])
        elif kind == "swap":
            event["take"] = self.one_of(["up", "down", "all"])
        elif kind == "look" and state["players"][name]["hands"] == 2:
            event["which"] = self.one_of(["old", "new"])
        if kind == "swap" and (self.session.game != "lives" or name not in self.cards.hands):
            event = {"type": "fold", "player": name}
        if kind == "reveal" and not any(self.cards.hands.get(name, {}).values()):
            event = {"type": "fold", "player": name}
        return event
