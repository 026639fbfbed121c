"""What is measured with: the nights of `tests/nights`, as clients send them and as the store keeps them."""

from __future__ import annotations

import copy
import itertools
import random
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from events.cards import PACK, card_name
from events.log import GENESIS
from events.refusals import Refused
from events.session import Session, open_session
from events.vocabulary import without_stamps
from service.sessions.stamping import Stamp
from service.store.log import New
from tests.engine.case_runner import load_cases, play

NIGHTS = Path(__file__).resolve().parent.parent / "nights"
Event = dict[str, Any]


class Night(NamedTuple):
    """A night: the body that opens its session, its events as a client sends them, one at a time, and all its events,
    the opening first, as they are stored but for the stamps."""

    name: str
    body: Event
    raws: list[Event]
    events: list[Event]


@cache
def nights() -> tuple[Night, ...]:
    """Every night of `tests/nights`, all games and variants, with nothing struck: what is left is legal by itself."""
    found = []
    for path in sorted(NIGHTS.glob("*.ndjson")):
        for number, case in enumerate(load_cases(path)):
            session, _ = play(case)
            opening, _ = open_session(copy.deepcopy(case["session"]))
            again = Session(opening)
            raws: list[Event] = []
            for seq, event in enumerate(session.events[1 : session.version], 2):
                if event["type"] == "void" or seq in session.struck or event["type"] in ("dispute", "rule"):
                    continue
                raw = without_stamps(event)
                raw.pop("replaces", None)
                try:
                    again.record(copy.deepcopy(raw))
                except Refused:
                    break
                raws.append(raw)
            found.append(Night(f"{path.stem}.{number}", case["session"], raws, again.events))
    return tuple(found)


@cache
def played() -> tuple[tuple[Event, ...], ...]:
    """Every night of `tests/nights` whole, what was struck and disputed too, as clean events without stamps."""
    sessions = [play(case)[0] for path in sorted(NIGHTS.glob("*.ndjson")) for case in load_cases(path)]
    return tuple(tuple(session.events[: session.version]) for session in sessions)


def with_ids(raws: list[Event]) -> list[Event]:
    """The events with new client's ids, as our own pages send them."""
    return [{**raw, "id": str(uuid.uuid4())} for raw in raws]


def sealed(session: UUID, events: Iterator[Event] | list[Event], head: str = GENESIS, seq: int = 0) -> list[New]:
    """Clean events as the store keeps them in a session, chained from a head."""
    stamp = Stamp(session, seq, head, "", "t_0190b6a27c1e")
    return [stamp.seal(event)[1] for event in events]


def stored_nights() -> Iterator[tuple[UUID, list[New]]]:
    """Sessions with their events as stored, one after another without end, each under an id of its own."""
    for events in itertools.cycle(played()):
        session = uuid.uuid4()
        yield session, sealed(session, [{**event, "id": str(uuid.uuid4())} for event in events])


@cache
def long_night(events: int) -> Night:
    """A night of the community game with so many events, the opening counted: ordinary hands dealt from a seeded pack,
    a third of them passed to the last in, the rest shown down."""
    chance = random.Random(events)
    players = ["A", "B", "C", "D", "E"]
    body = {"title": "A long night", "game": "community", "players": players}
    opening, _ = open_session(copy.deepcopy(body))
    session = Session(opening)
    raws: list[Event] = []
    while len(raws) < events - 1:
        dealer = players[len(session.table.deal_of) % len(players)]
        for raw in _community_hand(chance, players, dealer):
            session.record(raw)
            raws.append(raw)
            if len(raws) == events - 1:
                break
    return Night(f"long.{events}", body, raws, session.events)


def _community_hand(chance: random.Random, players: list[str], dealer: str) -> list[Event]:
    """One hand's events: three of five stay for the first card, two or three to the end."""
    at = players.index(dealer) + 1
    order = players[at:] + players[:at]
    pack = [card_name(card) for card in chance.sample(range(PACK), 3 + 3 * len(players))]
    board, left = pack[:3], pack[3:]
    hand: list[Event] = [{"type": "deal", "dealer": dealer}]
    hand += [{"type": "ante", "player": player} for player in order]
    hand += [{"type": "bet", "player": order[0], "as": "blind", "amount": "1"}, {"type": "fold", "player": order[1]}]
    hand += [{"type": "bet", "player": player, "as": "seen", "amount": "2"} for player in order[2:4]]
    hand += [{"type": "fold", "player": order[4]}]
    stayed = [order[0], order[2], order[3]]
    for number, card in enumerate(board):
        hand.append({"type": "flip", "card": card})
        if number == 0:
            hand += [{"type": "check", "player": player} for player in stayed]
        else:
            raised = str(chance.randint(1, 4))
            hand += [{"type": "bet", "player": player, "as": "seen", "amount": raised} for player in stayed]
        if number == 1 and chance.random() < 1 / 3:
            hand.append({"type": "flip", "card": board[2]})
            hand.append({"type": "bet", "player": stayed[0], "as": "seen", "amount": "5"})
            hand += [{"type": "fold", "player": player} for player in stayed[1:]]
            return hand
    hand += [
        {"type": "reveal", "player": player, "cards": left[3 * number : 3 * number + 3]}
        for number, player in enumerate(stayed)
    ]
    return hand
