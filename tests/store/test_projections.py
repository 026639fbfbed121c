"""What is kept beside the events: always what a replay gives, and made again from them at any time."""

from __future__ import annotations

import copy
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from events.refusals import Refused
from events.session import Session
from service.decoding import bodies
from service.sessions import Sessions
from service.store.database import Database
from service.store.projections import BETWEEN_HANDS, FAR_REACHING, Projections, over, project
from tests.engine.case_runner import load_cases, resolve
from tests.engine.nights import VARIANTS, Night, Variant
from tests.factories import SessionFactory, worked_example

Event = dict[str, Any]
BY = "record-test"
TESTS = Path(__file__).parent.parent
CASES = sorted((TESTS / "cases").glob("*.json"))
NIGHTS = sorted((TESTS / "nights").glob("*.ndjson"))


def drift(store: Database, sessions: Sessions, session: UUID) -> list[str]:
    stored = list(sessions._log.stream(session))
    return Projections(store).drift(session, Session.replay(bodies(stored)))


def requests_of(case: Event) -> Iterator[tuple[int, list[Event]]]:
    """The requests of a case that are to be taken, each with the number of its step."""
    for number, step in enumerate(case["steps"]):
        if "refused" not in step and ("event" in step or "events" in step):
            yield number, [step["event"]] if "event" in step else step["events"]


def record_case(sessions: Sessions, case: Event, checked: Any) -> UUID:
    session = UUID(sessions.open(copy.deepcopy(case["session"])).id)
    first_seq: dict[int, int] = {}
    for number, events in requests_of(case):
        appended = sessions.append(session, [resolve(event, first_seq) for event in events], BY)
        first_seq[number] = appended.events[0].seq
        checked(session, events)
    return session


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_after_every_request_of_a_case(store: Database, sessions: Sessions, path: Path) -> None:
    case = load_cases(path)[0]
    if "session_refused" in case["steps"][0]:
        pytest.skip("it cannot be opened")

    def checked(session: UUID, events: list[Event]) -> None:
        assert drift(store, sessions, session) == [], events

    record_case(sessions, case, checked)


@pytest.mark.parametrize("path", NIGHTS, ids=lambda path: path.stem)
def test_after_every_hand_of_a_night(store: Database, sessions: Sessions, path: Path) -> None:
    for case in load_cases(path)[:2]:
        session = record_case(sessions, case, lambda session, events: None)
        assert drift(store, sessions, session) == []
        assert sessions.verify(session).faults == []


def play(variant: Variant, seed: int, moves: int) -> list[Event]:
    """A random night's events, dishonest ones too."""
    chance = random.Random(seed)
    night = Night(variant, chance.randrange, honest=False)
    for _ in range(moves):
        if night.session.closed:
            break
        night.step()
    return night.session.events[1 : night.session.version]


def as_sent(event: Event) -> Event:
    return {name: value for name, value in event.items() if name != "hand"}


@pytest.mark.parametrize("variant", VARIANTS, ids=repr)
def test_however_events_are_grouped_into_requests(store: Database, sessions: Sessions, variant: Variant) -> None:
    events = play(variant, seed=len(variant.name), moves=120)
    chance = random.Random(variant.name)
    one_by_one, grouped = (UUID(sessions.open(copy.deepcopy(variant.body)).id) for _ in range(2))
    for event in events:
        sessions.append(one_by_one, [as_sent(event)], BY, with_state=False)
    at = 0
    while at < len(events):
        size = chance.randint(1, 12)
        sessions.append(grouped, [as_sent(event) for event in events[at : at + size]], BY, with_state=False)
        at += size
        assert drift(store, sessions, grouped) == []
    assert drift(store, sessions, one_by_one) == []
    assert kept(store, one_by_one) == kept(store, grouped)


def kept(store: Database, session: UUID) -> list[list[tuple[Any, ...]]]:
    """All that is kept of a session, but for when it was."""
    return [
        store.ask("select game, title, unit, seats, closed, winners from sessions where session = %s", (session,)),
        store.ask("select hand, result, first, last, detail from hands where session = %s order by hand", (session,)),
        store.ask(
            "select hand, player, paid, awarded, net, won, lost_life, category from hand_players where session = %s"
            " order by hand, player",
            (session,),
        ),
        store.ask(
            "select player, net_chips, money_coins, lives from balances where session = %s order by player", (session,)
        ),
    ]


@pytest.mark.parametrize("variant", VARIANTS, ids=repr)
def test_only_what_is_said_to_changes_a_projection(variant: Variant) -> None:
    """The shortcut of an append: an event that ends no hand and is of no listed type leaves all that is kept alone."""
    events = play(variant, seed=7, moves=150)
    session = Session(Night(variant, lambda below: 0).session.opening)
    before = project(session)
    for event in events:
        hands_over = over(session)
        session.record(as_sent(event), events[session.version :])
        now = project(session)
        if event["type"] not in FAR_REACHING and event["type"] not in BETWEEN_HANDS and over(session) == hands_over:
            assert now == before, event
        before = now


def test_the_list_the_hands_and_the_balances_of_the_worked_example(store: Database, played: UUID) -> None:
    listed, hands, seats, balances = kept(store, played)
    assert [row[0:2] for row in listed] == [("three-card", "Tuesday at the Crown")]
    assert [row[0:4] for row in hands] == [(1, "won", 2, 13)]
    assert [(player, paid, net, won) for _, player, paid, _, net, won, _, _ in seats] == [
        ("A", 14, -14, False), ("B", 6, 18, True), ("C", 2, -2, False), ("D", 2, -2, False),
    ]  # fmt: skip
    assert [(player, net) for player, net, _, _ in balances] == [("A", -14), ("B", 18), ("C", -2), ("D", -2)]
    assert [row[-1] for row in seats] == ["flush", "run", None, None]


def test_a_player_whose_coming_was_struck_is_no_more_kept(store: Database, sessions: Sessions, table: UUID) -> None:
    joined = sessions.append(table, [{"type": "join", "player": "E"}], BY).version
    assert len(kept(store, table)[3]) == 5
    sessions.append(table, [{"type": "void", "seqs": [joined], "reason": "wrong table"}], BY)
    assert len(kept(store, table)[3]) == 4
    assert drift(store, sessions, table) == []


TAMPERINGS = {
    "the session is missing from the list": "delete from sessions where session = %s",
    "the list closed is not what a replay gives": "update sessions set closed = true where session = %s",
    "the list seats is not what a replay gives": "update sessions set seats = '{A}' where session = %s",
    "the list speaks of version 99": "update sessions set version = 99 where session = %s",
    "hand 1 is missing": "delete from hands where session = %s",
    "hand 1 is not what a replay gives": 'update hands set detail = detail || \'{"pot": "13"}\' where session = %s',
    "hand 2 is kept, and the events have none": (
        "insert into hands select session, 2, result, first, last, detail from hands where session = %s"
    ),
    "player of hand 1, A is not what a replay gives": (
        "update hand_players set won = true where session = %s and player = 'A'"
    ),
    "player of hand 1, B is missing": "delete from hand_players where session = %s and player = 'B'",
    "balance of A is not what a replay gives": (
        "update balances set net_chips = net_chips + 1 where session = %s and player = 'A'"
    ),
    "balance of Z is kept, and the events have none": "insert into balances values (%s, 'Z', 0, null, null)",
}


@pytest.mark.parametrize("fault", TAMPERINGS)
def test_a_change_is_found_named_and_mended(
    sessions: Sessions, owner: psycopg.Connection, played: UUID, fault: str
) -> None:
    assert sessions.verify(played).faults == []
    owner.execute(TAMPERINGS[fault], (played,))
    assert any(found.startswith(fault) for found in sessions.verify(played).faults), sessions.verify(played).faults
    audit = sessions.audit(played)
    assert audit["verdict"] == "unsound"
    assert [finding["code"] for finding in audit["findings"]] == ["projection.drift"]
    assert sessions.rebuild(played) == 13
    assert sessions.verify(played).faults == []
    assert sessions.audit(played)["verdict"] == "sound"


def test_rebuilding_gives_what_was_there(store: Database, sessions: Sessions, owner: psycopg.Connection) -> None:
    made = [record_case(sessions, load_cases(path)[0], lambda session, events: None) for path in NIGHTS[:4]]
    before = [kept(store, session) for session in made]
    for table in ("hands", "hand_players", "balances", "sessions"):
        owner.execute(f"delete from {table}")
    for session in made:
        sessions.rebuild(session)
    assert [kept(store, session) for session in made] == before
    assert all(sessions.verify(session).faults == [] for session in made)
    assert {str(session) for session in made} <= {
        listed["id"] for listed in sessions.list(_club(sessions), limit=1_000)["sessions"]
    }


def _club(sessions: Sessions) -> Any:
    known = sessions.credential(sessions.clubs.new_token().text)
    assert known is not None
    return known


@contextmanager
def time_and_again(work: Callable[[], object]) -> Iterator[None]:
    """Something is done over and over meanwhile; what goes wrong in it fails the test."""
    done = threading.Event()
    faults: list[BaseException] = []

    def over_and_over() -> None:
        try:
            while not done.is_set():
                work()
        except BaseException as fault:
            faults.append(fault)

    working = threading.Thread(target=over_and_over)
    working.start()
    try:
        yield
    finally:
        done.set()
        working.join()
    assert faults == []


def test_rebuilding_while_hands_end_loses_none_of_them(sessions: Sessions, elsewhere: Sessions, table: UUID) -> None:
    """Hands end in one process while another makes everything anew, time and again."""
    with time_and_again(lambda: elsewhere.rebuild(table)):
        dealers = "DABCDABC"
        for dealer in dealers:
            after = "ABCD"[("ABCD".index(dealer) + 1) % 4 :] + "ABCD"[: ("ABCD".index(dealer) + 1) % 4]
            hand: list[Event] = [{"type": "deal", "dealer": dealer}]
            hand += [{"type": "ante", "player": player} for player in "ABCD"]
            hand += [{"type": "bet", "player": after[0], "as": "seen", "amount": "1"}]
            hand += [{"type": "fold", "player": player} for player in after[1:]]
            for event in hand:
                try:
                    sessions.append(table, [event], BY, with_state=False)
                except Refused as refused:
                    if refused.refusal.code != "session.closed":
                        raise
    assert sessions.verify(table).faults == []


def test_an_audit_while_others_record_finds_nothing(sessions: Sessions, elsewhere: Sessions) -> None:
    table = UUID(sessions.open(SessionFactory()).id)
    verdicts = set()
    for event in worked_example():
        elsewhere.append(table, [event], BY)
        verdicts.add(sessions.audit(table)["verdict"])
    assert verdicts == {"sound"}
