"""What the events come to, kept for whoever asks over hands and over sessions: written, read, held against a replay.

A projection leaves the open hand out, as if it were called off. So it changes only when a hand ends, and with what is
done between hands; and it is a function of the events alone, however they were grouped into requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, LiteralString, NamedTuple
from uuid import UUID

import orjson
from psycopg.types.json import Jsonb

from events.session import Session
from events.views import hand_view
from service.night_label import happened_at, night_of
from service.store.database import Database, Statement
from service.store.log import INSERT_ONE, INSERT_SEVERAL, ONE_TYPES, SEVERAL_TYPES, AtOnce, Beside
from service.store.prepared import JSONB, Prepared, jsonb

# What may change more than the hand that it ends: struck events, disputes ruled on.
FAR_REACHING: Final = ("void", "rule")
# What changes a projection whether or not a hand ends with it.
BETWEEN_HANDS: Final = frozenset(("join", "leave", "buy", "cash", "count", "settle", "misdeal", "close"))

Hand = dict[str, Any]


class Entry(NamedTuple):
    """A session's line in the list. unit: as in the `open` event. winners: None until it is closed."""

    game: str
    title: str | None
    night: str
    unit: dict[str, Any]
    seats: list[str]
    opened_at: str
    closed: bool
    winners: list[str] | None


class Seat(NamedTuple):
    """A player's part in a hand that is over; amounts in chips. category: of the hand shown, if any."""

    hand: int
    player: str
    paid: int
    awarded: int
    net: int
    won: bool
    lost_life: bool
    category: str | None


class Balance(NamedTuple):
    """Where a player stands: chips; coins of money in a session with a bank of chips; lives in `lives`."""

    net_chips: int
    money_coins: int | None
    lives: int | None


class Projection(NamedTuple):
    """All that is kept of a session. hands: number -> the hand as contract.md §4 shows it."""

    entry: Entry
    hands: dict[int, Hand]
    seats: list[Seat]
    balances: dict[str, Balance]


def over(session: Session) -> int:
    """How many of the hands that count are over."""
    table = session.table
    return len(table.hands) - (table.hand is not None)


def project(session: Session, from_hand: int = 1) -> Projection:
    """What is to be kept of a session; of its hands only those from a number on."""
    open_hand = session.table.hand
    hands = {}
    for hand in session.table.hands:
        if hand.number >= from_hand and hand is not open_hand:
            hands[hand.number] = hand_view(session, hand)
    opening = session.opening
    entry = Entry(
        game=session.game,
        title=opening.get("title"),
        night=night_of(opening),
        unit=opening["unit"],
        seats=list(session.seats),
        opened_at=happened_at(opening),
        closed=session.closed,
        winners=session.table.winners(),
    )
    return Projection(entry, hands, _seats(hands.values(), session), _balances(session))


def _balances(session: Session) -> dict[str, Balance]:
    table = session.table
    if table.hand is not None:
        session = session.fork()
        session.apply({"type": "misdeal", "reason": "as if the open hand were called off"}, session.version + 1)
        table = session.table
    shown, _ = table.balances()
    return {
        name: Balance(
            net_chips=table.players[name].net,
            money_coins=shown[name] if table.with_chips else None,
            lives=table.players[name].lives if table.game == "lives" else None,
        )
        for name in table.seats
    }


def _seats(hands: Iterable[Hand], session: Session) -> list[Seat]:
    chips = session.unit.chips_of
    return [
        Seat(
            hand=hand["hand"],
            player=player,
            paid=chips(hand["paid"].get(player, "0")),
            awarded=chips(hand["awards"].get(player, "0")),
            net=chips(net),
            won=player in hand["winners"],
            lost_life=player in hand["losers"],
            category=hand["shown"].get(player, {}).get("category"),
        )
        for hand in hands
        for player, net in hand["net"].items()
    ]


# --- writing ----------------------------------------------------------------------------------------------------------

_ENTRY: Final[LiteralString] = """
insert into sessions (session, club, version, changed_at, game, title, night, unit, seats, opened_at, closed, winners)
values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
on conflict (session) do update set
    version = excluded.version, changed_at = excluded.changed_at, game = excluded.game, title = excluded.title,
    night = excluded.night, unit = excluded.unit, seats = excluded.seats, opened_at = excluded.opened_at,
    closed = excluded.closed, winners = excluded.winners
"""
_MOVED_ON: Final[LiteralString] = """
update sessions set version = %s, changed_at = %s, seats = %s, closed = %s, winners = %s where session = %s
"""
_HANDS: Final[LiteralString] = "insert into hands (session, hand, result, first, last, detail)"
_HANDS_AGAIN: Final[LiteralString] = """
on conflict (session, hand) do update set
    result = excluded.result, first = excluded.first, last = excluded.last, detail = excluded.detail
"""
_SEATS: Final[LiteralString] = (
    "insert into hand_players (session, hand, player, paid, awarded, net, won, lost_life, category)"
)
_SEATS_AGAIN: Final[LiteralString] = """
on conflict (session, hand, player) do update set
    paid = excluded.paid, awarded = excluded.awarded, net = excluded.net, won = excluded.won,
    lost_life = excluded.lost_life, category = excluded.category
"""
_BALANCES: Final[LiteralString] = "insert into balances (session, player, net_chips, money_coins, lives)"
_BALANCES_AGAIN: Final[LiteralString] = """
on conflict (session, player) do update set
    net_chips = excluded.net_chips, money_coins = excluded.money_coins, lives = excluded.lives
"""
_DROP_SEATS: Final[LiteralString] = "delete from hand_players where session = %s and hand >= %s"
_DROP_HANDS: Final[LiteralString] = "delete from hands where session = %s and hand >= %s"
_DROP_STRANGERS: Final[LiteralString] = "delete from balances where session = %s and player <> all(%s)"
_DROP_BALANCES: Final[LiteralString] = "delete from balances where session = %s"


def entering(session: UUID, club: UUID, version: int, changed_at: str, entry: Entry) -> Statement:
    """The statement that enters a session in the list, or corrects what is there; its club is set once."""
    return _ENTRY, (
        session, club, version, changed_at, entry.game, entry.title, entry.night, Jsonb(entry.unit, _dumps),
        entry.seats, entry.opened_at, entry.closed, entry.winners,
    )  # fmt: skip


# In one statement with the event, a hand that ends is written from JSON documents: few values, and one plan. The
# parts of one statement are done in no order but the one that they ask for: the event, the session's row, the rest, as
# everywhere. Whoever rebuilds holds that row, and would wait for us as we for them.
_AT_ONCE: Final[LiteralString] = """
returning seq), moved as (
    update sessions set version = (entry->>'version')::bigint, changed_at = (entry->>'changed_at')::timestamptz,
        seats = array(select jsonb_array_elements_text(entry->'seats')), closed = (entry->>'closed')::boolean,
        winners = case when jsonb_typeof(entry->'winners') = 'array'
            then array(select jsonb_array_elements_text(
                -- asked for even where it is not wanted, once somebody else held the row
                case when jsonb_typeof(entry->'winners') = 'array' then entry->'winners' else '[]' end
            )) end
    from (select $6::jsonb as entry) as given
    where session = $1 and (select count(*) from added) > 0
    returning version
), over as (
    {hands}
    select $1, (hand->>'hand')::bigint, hand->>'result', (hand->>'first')::bigint, (hand->>'last')::bigint, hand
    from jsonb_array_elements($7::jsonb) as given (hand)
    where (select count(*) from moved) >= 0
    {hands_again}
), dealt_in as (
    {seats}
    select $1, hand, player, paid, awarded, net, won, lost_life, category
    from jsonb_to_recordset($8::jsonb) as given (
        hand bigint, player text, paid bigint, awarded bigint, net bigint, won boolean, lost_life boolean, category text
    )
    where (select count(*) from moved) >= 0
    {seats_again}
)
{balances}
select $1, player, net_chips, money_coins, lives
from jsonb_to_recordset($9::jsonb) as given (player text, net_chips bigint, money_coins bigint, lives bigint)
where (select count(*) from moved) >= 0
{balances_again}
"""
_MORE: Final[LiteralString] = _AT_ONCE.format(
    hands=_HANDS,
    hands_again=_HANDS_AGAIN,
    seats=_SEATS,
    seats_again=_SEATS_AGAIN,
    balances=_BALANCES,
    balances_again=_BALANCES_AGAIN,
)
_MORE_TYPES: Final = (JSONB, JSONB, JSONB, JSONB)
_ONE: Final = Prepared("insert_event_and_more", "with added as (" + INSERT_ONE + _MORE, ONE_TYPES + _MORE_TYPES)
_SEVERAL: Final = Prepared(
    "insert_events_and_more", "with added as (" + INSERT_SEVERAL + _MORE, SEVERAL_TYPES + _MORE_TYPES
)


def moving_on(session: UUID, version: int, changed_at: str, now: Projection) -> Beside:
    """What is written for a session that has moved on, where `now` has all hands that changed and none has gone."""
    values = [jsonb(document) for document in _documents(version, changed_at, now)]
    return Beside(_in_turn(session, version, changed_at, now), AtOnce(_ONE, _SEVERAL, values))


def going_back(session: UUID, version: int, changed_at: str, now: Projection, from_hand: int | None) -> Beside:
    """The same where something was struck: hands from a number on are written anew, and so is who has sat there."""
    dropping: list[Statement] = [(_DROP_STRANGERS, (session, now.entry.seats))]
    if from_hand is not None:
        dropping += [(_DROP_SEATS, (session, from_hand)), (_DROP_HANDS, (session, from_hand))]
    return Beside(dropping + _in_turn(session, version, changed_at, now))


def made_anew(session: UUID, club: UUID, version: int, changed_at: str, now: Projection) -> list[Statement]:
    """The statements that write everything about a session, whatever was there."""
    dropping: list[Statement] = [
        (_DROP_SEATS, (session, 0)), (_DROP_HANDS, (session, 0)), (_DROP_BALANCES, (session,)),
    ]  # fmt: skip
    return [entering(session, club, version, changed_at, now.entry), *dropping, *_rows(session, now)]


def _documents(version: int, changed_at: str, now: Projection) -> tuple[bytes, bytes, bytes, bytes]:
    """The session's line, its hands, their players and the balances, each as JSON."""
    entry = {
        "version": version,
        "changed_at": changed_at,
        "seats": now.entry.seats,
        "closed": now.entry.closed,
        "winners": now.entry.winners,
    }
    balances = [{"player": player, **balance._asdict()} for player, balance in now.balances.items()]
    seats = [seat._asdict() for seat in now.seats]
    return orjson.dumps(entry), orjson.dumps(list(now.hands.values())), orjson.dumps(seats), orjson.dumps(balances)


def _in_turn(session: UUID, version: int, changed_at: str, now: Projection) -> list[Statement]:
    """The same in one statement after another, of values as they stand: what a distributed database takes too."""
    entry = now.entry
    moved: Statement = (_MOVED_ON, (version, changed_at, entry.seats, entry.closed, entry.winners, session))
    return [moved, *_rows(session, now)]


def _rows(session: UUID, now: Projection) -> list[Statement]:
    hands = [
        (number, hand["result"], hand["first"], hand["last"], Jsonb(hand, _dumps)) for number, hand in now.hands.items()
    ]
    balances = [(player, *balance) for player, balance in now.balances.items()]
    return [
        (into + " values " + ", ".join([_row(1 + len(rows[0]))] * len(rows)) + again, _flat(session, rows))
        for into, again, rows in (
            (_HANDS, _HANDS_AGAIN, hands),
            (_SEATS, _SEATS_AGAIN, now.seats),
            (_BALANCES, _BALANCES_AGAIN, balances),
        )
        if rows
    ]


def _row(columns: int) -> LiteralString:
    return "(" + ", ".join(["%s"] * columns) + ")"


def _flat(session: UUID, rows: Sequence[Sequence[Any]]) -> list[Any]:
    return [value for row in rows for value in (session, *row)]


def _dumps(value: Any) -> bytes:
    return orjson.dumps(value)


# --- reading ----------------------------------------------------------------------------------------------------------

_READ_ENTRY: Final[LiteralString] = """
select version, game, title, night, unit, seats, opened_at, closed, winners from sessions where session = %s
"""
_READ_SEATS: Final[LiteralString] = """
select hand, player, paid, awarded, net, won, lost_life, category from hand_players where session = %s
"""


class Projections:
    """What is kept of every session."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def drift(self, session: UUID, replayed: Session) -> list[str]:
        """Where what is kept is not what a replay gives, a sentence each. Raises Unavailable."""
        entries = self._database.ask(_READ_ENTRY, (session,))
        if not entries:
            return ["the session is missing from the list"]
        version, *columns = entries[0]
        kept = Entry(*columns)
        now = project(replayed)
        faults = _differences("the list", _as_entry(now.entry), _as_entry(kept))
        if version > replayed.version:
            faults.append(f"the list speaks of version {version}, and the log ends at {replayed.version}")
        hands = self._database.ask("select hand, detail, result, first, last from hands where session = %s", (session,))
        faults += _differences(
            "hand",
            {number: (hand, hand["result"], hand["first"], hand["last"]) for number, hand in now.hands.items()},
            {number: tuple(rest) for number, *rest in hands},
        )
        seats = [Seat(*row) for row in self._database.ask(_READ_SEATS, (session,))]
        faults += _differences("player of hand", _by_hand(now.seats), _by_hand(seats))
        balances = self._database.ask(
            "select player, net_chips, money_coins, lives from balances where session = %s", (session,)
        )
        return faults + _differences("balance of", now.balances, {player: Balance(*rest) for player, *rest in balances})


def _as_entry(entry: Entry) -> dict[str, Any]:
    """The entry's columns that a replay can tell; a time is the database's to write in its own way."""
    return {name: value for name, value in entry._asdict().items() if name != "opened_at"}


def _by_hand(seats: list[Seat]) -> dict[str, Seat]:
    return {f"{seat.hand}, {seat.player}": seat for seat in seats}


def _differences(of: str, now: dict[Any, Any], kept: dict[Any, Any]) -> list[str]:
    faults = []
    for key in sorted({*now, *kept}):
        if key not in kept:
            faults.append(f"{of} {key} is missing")
        elif key not in now:
            faults.append(f"{of} {key} is kept, and the events have none")
        elif now[key] != kept[key]:
            faults.append(f"{of} {key} is not what a replay gives")
    return faults
