"""A table in a test: what happens at it, in few words, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from events.audit import audit_session
from events.refusals import ORDER, STATUS, Refusal, Refused
from events.session import Session, open_session
from tests.engine.case_runner import dump, stored


class AtTable:
    """A session that a test plays, event by event.

    `table.bet("A", "2")` records the event and gives its seq; `table.refusal("bet", "A", amount="9")` gives what is
    said against one that is refused, and checks that it left everything as it was. A field that is a word of Python
    has a line after it: `as_="blind"`.
    """

    def __init__(
        self, game: str, players: str | list[str], rules: dict[str, Any] | None = None, **opening: Any
    ) -> None:
        body = {"game": game, "players": list(players), "rules": rules or {}, **opening}
        event, self.names = open_session(body)
        self.session = Session(event)

    def does(self, kind: str, player: str | None = None, **fields: Any) -> int:
        """Record one event; its seq."""
        self.session.record(self.event(kind, player, **fields))
        return self.session.version

    @staticmethod
    def event(kind: str, player: str | None = None, **fields: Any) -> dict[str, Any]:
        event = {"type": kind, **{name.rstrip("_"): fields[name] for name in fields}}
        if player is not None:
            event["player"] = player
        return event

    def request(self, *events: dict[str, Any]) -> int:
        """Record several events as one request, whole or not at all; the seq of the first."""
        later = self.session.fork()
        for at, event in enumerate(events):
            later.record(event, events[at + 1 :])
        first = self.session.version + 1
        self.session = later
        return first

    def refusal(self, kind: str, player: str | None = None, **fields: Any) -> Refusal:
        """Why an event is refused. It fails the test where it is not, or where it changed anything."""
        before = dump(self.session)
        try:
            self.session.record(self.event(kind, player, **fields))
        except Refused as refused:
            assert dump(self.session) == before, "a refusal changed the state"
            return refused.refusal
        raise AssertionError(f"recorded, though it should be refused: {kind} {player or ''} {fields}")

    def refuses(self, kind: str, player: str | None = None, **fields: Any) -> str:
        """The code with which an event is refused."""
        return self.refusal(kind, player, **fields).code

    # the events that tests are full of

    def deal(self, dealer: str, **fields: Any) -> int:
        return self.does("deal", dealer=dealer, **fields)

    def antes(self) -> None:
        """Everyone dealt in pays the ante."""
        for entry in self.legal():
            if entry["type"] == "ante":
                self.does("ante", entry["player"])

    def dealt(self, dealer: str, **fields: Any) -> int:
        """A deal and its antes; the seq of the deal."""
        seq = self.deal(dealer, **fields)
        self.antes()
        return seq

    def bet(self, player: str, amount: str, as_: str = "seen", **fields: Any) -> int:
        return self.does("bet", player, amount=amount, as_=as_, **fields)

    def blind(self, player: str, amount: str, **fields: Any) -> int:
        return self.does("bet", player, amount=amount, as_="blind", **fields)

    def look(self, player: str, **fields: Any) -> int:
        return self.does("look", player, **fields)

    def see(self, player: str, **fields: Any) -> int:
        return self.does("see", player, **fields)

    def folds(self, *players: str) -> None:
        for player in players:
            self.does("fold", player)

    def checks(self, *players: str) -> None:
        for player in players:
            self.does("check", player)

    def flip(self, card: str) -> int:
        return self.does("flip", card=card)

    def shows(self, player: str, cards: str, **fields: Any) -> int:
        """`shows("A", "Ks Kd 2c")`"""
        return self.does("reveal", player, cards=cards.split(), **fields)

    def swaps(self, *players: str) -> None:
        """Each swaps a card for a face-down one."""
        for player in players:
            self.does("swap", player, take="down")

    def knocked(self, knocker: str, *others: str) -> None:
        """All swap once, from the knocker on; then the knock, and the last turns: what is left is the showing."""
        self.swaps(knocker, *others)
        self.does("knock", knocker)
        self.swaps(*others)

    def buys(self, **chips: str) -> None:
        """`buys(A="20", B="10")`, at the default price."""
        for player in chips:
            self.does("buy", player, chips=chips[player])

    def void(self, *seqs: int, **fields: Any) -> int:
        return self.does("void", seqs=list(seqs), reason="a wrong tap", **fields)

    def ruled(self, hand: int, player: str, adjust: dict[str, str] | None = None, decision: str = "upheld") -> int:
        """A dispute of a hand and the ruling on it; the seq of the ruling."""
        dispute = self.does("dispute", player, of_hand=hand, claim="that is not right")
        moved = {} if adjust is None else {"adjust": adjust}
        return self.does("rule", dispute=dispute, decision=decision, reason="settled at the bar", **moved)

    # what came of it

    def state(self) -> dict[str, Any]:
        return self.session.state(self.names)

    def legal(self, *kinds: str) -> list[dict[str, Any]]:
        """What may be done now; of these types, where any are named."""
        return [entry for entry in self.state()["legal"] if not kinds or entry["type"] in kinds]

    def of_each(self, field: str) -> dict[str, Any]:
        """player -> a field of the state's players: `net`, `status`, `stack`, `lives`, …"""
        players = self.state()["players"]
        return {name: players[name][field] for name in players}

    def hand(self, number: int) -> dict[str, Any]:
        hand = self.session.hand(number)
        assert hand is not None
        return hand

    def settlement(self) -> dict[str, Any]:
        return self.session.settlement()

    def audit(self) -> dict[str, Any]:
        return audit_session(stored(self.session))

    def found(self) -> list[tuple[str, str]]:
        """(code, severity) of each finding."""
        return [(finding["code"], finding["severity"]) for finding in self.audit()["findings"]]

    def owed(self) -> list[tuple[str, str, str]]:
        """(payer, payee, amount) of what is owed."""
        return [(debt["from"], debt["to"], debt["amount"]) for debt in self.audit()["owed"]]


def refused_to(do: Callable[[], object]) -> Refusal | None:
    """The refusal, one that can be answered with; None where it was done."""
    try:
        do()
    except Refused as refused:
        refusal = refused.refusal
    else:
        return None
    assert refusal.code in ORDER
    assert STATUS.get(refusal.code, 422) in (422, 409, 412)
    json.dumps(refusal.as_dict())
    return refusal
