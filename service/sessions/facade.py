"""`Sessions`: all that can be done with sessions, in one object a process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from events.amounts import unit_for
from events.refusals import Refusal, Refused
from events.session import Session
from service.decoding import bodies, whole
from service.event_files import opened
from service.export.night import Night
from service.export.night import Person as Sitting
from service.sessions.appending import Appended, Recorder, no_session
from service.sessions.checking import Checker, Verified
from service.sessions.importing import Imported, Importer
from service.sessions.live import Memory
from service.sessions.opening import Opener, write_name
from service.sessions.sweeping import Sweeper
from service.store.clubs import FIRST_CLUB, Clubs
from service.store.database import Database
from service.store.entries import Entries, Listed, Standing
from service.store.log import Log, Stored
from service.store.names import Called, Names, naming
from service.store.people import People, Person, remembering
from service.store.replica import Replica
from service.store.tokens import Known, Tokens, keeping, make
from service.store.watch import Watcher, Watching

Event = dict[str, Any]
Look = TypeVar("Look")
SessionId = UUID | str
ON_THIS_MACHINE = "loopback"
"""`by` of what was recorded with no token, by who sits at the machine."""


class Opened(NamedTuple):
    """A session just opened. tokens: kind -> token, to be shown this once. state: contract.md §4."""

    id: str
    version: int
    tokens: dict[str, str]
    state: Event


class Made(NamedTuple):
    """A token just made, to be shown this once."""

    id: str
    token: str


class Sessions:
    """The sessions of one store, as this process sees them.

    A session is named by its id, as UUID or text; one that is not there is `not_found`. Everything raises Refused for
    what may not be, and Unavailable where the database cannot answer. Every answer holds what was acknowledged before
    it was asked for, by this process or another.

    replica: where to read logs from, for who reads `by` the session's token: with that its version was read at the
    primary, so nothing older is answered, and nothing is asked for that is known here already.
    """

    def __init__(self, database: Database, replica: Replica | None = None) -> None:
        self._database = database
        self._log = Log(database, replica)
        self._names = Names(database)
        self._tokens = Tokens(database)
        self._entries = Entries(database)
        self._memory = Memory(self._log)
        self.watching = Watching(self._log, self._tokens)
        self.clubs = Clubs(database)
        self.people = People(database)
        self._opener = Opener(database)
        self._recorder = Recorder(self._log, self._memory, self.watching)
        self._checker = Checker(database, self._log)
        self._sweeper = Sweeper(database, self._checker)
        self._importer = Importer(database, self._log, self._memory, self._opener, self._entries)

    def close(self) -> None:
        """End whoever is watching. The database is its owner's to close."""
        self.watching.stop()

    # --- recording ------------------------------------------------------------------------------------------------

    def open(self, body: Any, by: Known | None = None, people: Mapping[str, UUID] | None = None) -> Opened:
        """Open a session from the body of `POST /sessions` (contract.md §2).

        by: the club's token; None on the machine itself, for the first club. people: player -> person of the club,
        where it is said who they are; else their names tell.
        """
        opening, names = opened(body)
        club = UUID(by.club) if by is not None else FIRST_CLUB
        by_id = by.id if by is not None else ON_THIS_MACHINE
        session_id, session, tokens = self._opener.open(opening, names, by_id, club, people or {})
        state = {"id": str(session_id), **session.state({player: write_name(name) for player, name in names.items()})}
        return Opened(str(session_id), 1, {kind: token.text for kind, token in tokens.items()}, state)

    def append(
        self,
        session: SessionId,
        events: Sequence[Any],
        by: Known | str,
        if_match: Collection[int | str] | None = None,
        dry_run: bool = False,
        with_state: bool = True,
    ) -> Appended:
        """Record events as a client sends them, all or none (contract.md §3).

        Those whose ids are known are answered as first stored, before all else. if_match: the versions of which the
        session must still have one for what is new; a tag that is none stands as text, and matches none. dry_run:
        everything but the storing, with `effects`. with_state: whether the answer holds the state; without, it costs
        one round trip less.

        Raises Refused with the index of the event at fault in `refusal.event`.
        """
        session_id = _id(session)
        by_id = by if isinstance(by, str) else by.id
        appended = self._recorder.append(session_id, events, by_id, if_match, dry_run, with_state)
        if with_state:
            called = self._called(session_id, None if isinstance(by, str) else by)
            appended.state = _with_names(session_id, appended.state, called)
        return appended

    # --- reading --------------------------------------------------------------------------------------------------

    def state(self, session: SessionId, at: int | None = None, by: Known | None = None) -> tuple[str, Event]:
        """(tag, state) now, or as it was known after an event. The tag is the version; where names were changed after
        the opening it says so too, for a page that shows names is an older one then."""
        session_id = _id(session)
        as_of = _as_of(session_id, by)
        if at is None:
            state = self._now(session_id, as_of, lambda live: live.state())
        else:
            stored = list(self._log.stream(session_id, until=at, as_of=as_of)) if at > 0 else []
            if not stored or stored[-1].seq < at:
                self._check_there(session_id, as_of)
                raise Refused(Refusal("not_found", f"The session has no event {at} yet.", actual=at))
            state = Session.replay(bodies(stored)).state()
        called = self._called(session_id, by)
        tag = str(state["version"]) + (f".{called.revision:x}" if called.revision else "")
        return tag, _with_names(session_id, state, called)

    def hands(self, session: SessionId, by: Known | None = None) -> tuple[int, list[Event]]:
        """(version, all hands that count), the open one last."""
        session_id = _id(session)
        return self._now(session_id, _as_of(session_id, by), lambda live: (live.version, live.hands()))

    def hand(self, session: SessionId, number: int, by: Known | None = None) -> tuple[int, Event | None]:
        """(version, a hand); None where there is no such hand, or it was struck."""
        session_id = _id(session)
        return self._now(session_id, _as_of(session_id, by), lambda live: (live.version, live.hand(number)))

    def settlement(self, session: SessionId, by: Known | None = None) -> tuple[int, Event]:
        """(version, balances and payments)."""
        session_id = _id(session)
        # Worked out of a copy: the fewest payments of many take their time.
        twin = self._now(session_id, _as_of(session_id, by), lambda live: live.fork())
        return twin.version, twin.settlement()

    def audit(self, session: SessionId, by: Known | None = None) -> Event:
        """The audit (contract.md §5), from the events alone, what is stored held against a replay."""
        session_id = _id(session)
        report = self._checker.audit(session_id, _as_of(session_id, by))
        if report is None:
            raise no_session()
        return report

    def audit_hand(
        self, session: SessionId, number: int, language: str = "en", by: Known | None = None
    ) -> Event | None:
        """The audit of one hand, with its story in a language; None where there is no such hand."""
        session_id = _id(session)
        as_of, names = _as_of(session_id, by), self._called(session_id, by).names
        report = self._checker.audit_hand(session_id, number, names, language, as_of)
        if report is None:
            self._check_there(session_id, as_of)
        return report

    def events(self, session: SessionId, after: int = 0, limit: int = 500, by: Known | None = None) -> list[Stored]:
        """The stored events beyond a seq, at most `limit`; `Stored.line()` is one on the wire."""
        session_id = _id(session)
        as_of = _as_of(session_id, by)
        found = self._log.read(session_id, after, limit, as_of)
        if not found:
            self._check_there(session_id, as_of)
        return found

    def stream(
        self, session: SessionId, after: int = 0, most: int | None = None, by: Known | None = None
    ) -> Iterator[bytes]:
        """The stored events beyond a seq as they are on the wire, without line ends, in constant memory."""
        session_id = _id(session)
        # So that a session that is not there is refused before a line is out.
        first = self.events(session_id, after, 1, by)
        until = None if most is None or not first else first[0].seq + most - 1
        return (event.line() for event in self._log.stream(session_id, after, until, _as_of(session_id, by)))

    def whole(self, session: SessionId, by: Known | None = None) -> tuple[list[Event], dict[str, str | None]]:
        """(all stored events with their hashes, player -> name or None where erased): for papers and bundles."""
        session_id = _id(session)
        return self._whole(session_id, _as_of(session_id, by)), self._called(session_id, by).names

    def _whole(self, session_id: UUID, as_of: int | None) -> list[Event]:
        events = whole(self._log.stream(session_id, as_of=as_of))
        if not events:
            raise no_session()
        return events

    def night(self, session: SessionId) -> Night:
        """The night for the papers, with who of the club's people sat there."""
        session_id = _id(session)
        events, names = self._whole(session_id, self._log.as_of(session_id)), self._names.of(session_id).names
        people = {player: Sitting(str(one.id), one.name) for player, one in self.people.at(session_id).items()}
        return replace(Night.of(str(session_id), events, names), people=people)

    def version(self, session: SessionId, by: Known | None = None) -> int:
        """The version of the session now."""
        session_id = _id(session)
        version = _as_of(session_id, by) or self._log.version(session_id)
        if not version:
            raise no_session()
        return version

    def watch(
        self, session: SessionId, after: int = 0, holder: Known | None = None, idle_seconds: float = 15
    ) -> Watcher:
        """Every stored event beyond a seq as it comes, None when nothing came for a while; to be closed.

        Ends when the service stops, or the holder's token is revoked. Raises Refused (`request.invalid`) for a seq that
        the session does not have: a log that somebody saw more of is not the log that they saw.
        """
        session_id = _id(session)
        version = self.version(session_id)
        if after > version:
            detail = f"The session is at version {version}, and has no event {after}: read it anew from its first."
            raise Refused(Refusal("request.invalid", detail, expected=version, actual=after))
        held = (session_id, holder.id) if holder is not None and holder.session is not None else None
        return self.watching.watch(session_id, after, held, idle_seconds)

    def _now(self, session_id: UUID, as_of: int | None, look: Callable[[Session], Look]) -> Look:
        """What a look at the session as it stands now gives."""
        with self._memory.turn(session_id) as place:
            live = self._memory.current(place, as_of)
            if live is None:
                raise no_session()
            return look(live.session)

    def _check_there(self, session_id: UUID, as_of: int | None) -> None:
        """Raises Refused (`not_found`) where there is no such session."""
        if not as_of and not self._log.version(session_id):
            raise no_session()

    def _called(self, session_id: UUID, by: Known | None) -> Called:
        """What the players are called, as read with the session's token where there is one."""
        if by is not None and by.called is not None and by.session == str(session_id):
            return by.called
        return self._names.of(session_id)

    # --- names and people -----------------------------------------------------------------------------------------

    def names(self, session: SessionId) -> Called:
        """What the session's players are called."""
        return self._names.of(_id(session))

    def name(self, session: SessionId, player: str, name: str) -> str:
        """Name a player, one about to join too; the name as it is kept."""
        session_id, written = _id(session), write_name(name)
        club = self._entries.club_of(session_id)
        if club is None:
            raise no_session()
        sitting = [other for seat, other in self._names.people_of(session_id).items() if seat != player]
        seated, remembered = self._opener.seat(club, {player: written}, {}, sitting)
        called = naming(session_id, {player: written}, seated, self._names.later(session_id))
        self._database.run([*remembering(club, remembered), *called])
        return written

    def erase_name(self, session: SessionId, player: str) -> None:
        """Erase what a player is called here; they are "Player 3" then, and the log is as it was."""
        session_id = _id(session)
        self.version(session_id)
        self._names.erase(session_id, player)

    # --- tokens ---------------------------------------------------------------------------------------------------

    def credential(self, token: str) -> Known | None:
        """Who a token speaks for; None for one that is unknown or revoked."""
        return self._tokens.know(token)

    def club_of(self, session: SessionId) -> str:
        """The id of the club whose session it is."""
        club = self._entries.club_of(_id(session))
        if club is None:
            raise no_session()
        return str(club)

    def make_token(self, session: SessionId, kind: str, player: str | None = None, most: int = 1_000) -> Made:
        """A new token: `record`, `view`, or `seat` for a player. `too_many` where the session has `most` already."""
        session_id = _id(session)
        club = self._entries.club_of(session_id)
        if club is None:
            raise no_session()
        if len(self.tokens(session_id)) >= most:
            detail = f"A session has at most {most} tokens: revoke some that nobody uses."
            raise Refused(Refusal("too_many", detail, expected=most))
        token = make(kind, session_id, player)
        self._database.run([keeping(token, session_id, club)])
        return Made(token.id, token.text)

    def tokens(self, session: SessionId) -> list[dict[str, str | None]]:
        """The session's good tokens, the first made first: `id`, `kind`, `player`."""
        listed = self._tokens.of(_id(session))
        return [{"id": one.id, "kind": one.kind, "player": one.player} for one in listed if not one.revoked]

    def revoke_token(self, session: SessionId, token_id: str) -> bool:
        """Revoke a token at once, open streams too; False where there is no good one of this id."""
        session_id = _id(session)
        revoked = self._tokens.revoke(session_id, token_id)
        self.watching.revoked(session_id, token_id)
        return revoked

    # --- over sessions --------------------------------------------------------------------------------------------

    def list(self, by: Known, limit: int = 100, after: SessionId | None = None, game: str | None = None) -> Event:
        """What a credential may see, the last opened first: `sessions`, and `next` to go on after (or None)."""
        if by.session is not None:
            one = self._entries.one(UUID(by.session))
            return {"sessions": [] if one is None else [_listed(one)], "next": None}
        page = self._entries.of_club(UUID(by.club), game, None if after is None else _id(after), limit + 1)
        following = str(page[limit - 1].session) if len(page) > limit else None
        return {"sessions": [_listed(entry) for entry in page[:limit]], "next": following}

    def nights(self, club: str, first_night: str | None = None, last_night: str | None = None) -> Sequence[UUID]:
        """The club's sessions from one "night of" label to another, both included, the earliest first."""
        return self._entries.between(UUID(club), first_night, last_night)

    def leaderboard(
        self, club: str, game: str | None = None, first_night: str | None = None, last_night: str | None = None
    ) -> Sequence[Event]:
        """What everyone has come to over the club's sessions, by game and unit, the highest net first."""
        standings = self._entries.standings(UUID(club), game, first_night, last_night)
        return _leaderboard(standings)

    def people_of(self, club: str) -> Sequence[Person]:
        """The club's people, the first remembered first."""
        return self.people.of(UUID(club))

    # --- checking, importing --------------------------------------------------------------------------------------

    def all_sessions(self) -> Iterator[UUID]:
        """The ids of all sessions of the store: those with events, and those that only the list knows."""
        return self._log.all_sessions()

    def verify(self, session: SessionId) -> Verified:
        """The hash chain and what is stored beside it, against a replay."""
        return self._checker.verify(_id(session))

    def verify_many(self, sessions: Sequence[UUID]) -> Sequence[Verified]:
        """`verify` of each, in order, for less than a call of it for each."""
        return self._sweeper.verify(sessions)

    def rebuild_many(self, sessions: Sequence[UUID]) -> Sequence[int]:
        """`rebuild` of each, in order; 0 for one that only the list knew of, and now nothing does."""
        return self._sweeper.rebuild(sessions)

    def rebuild(self, session: SessionId) -> int:
        """Make what is stored beside the events anew from them; how many events there are."""
        version = self._checker.rebuild(_id(session))
        if not version:
            raise no_session()
        return version

    def import_events(
        self,
        events: Sequence[Any],
        stored: bool,
        names: Mapping[str, str | None] | None = None,
        by: str = "import",
        people: Mapping[str, UUID] | None = None,
    ) -> Imported:
        """Take in a night from an event file, which twice adds nothing (contract.md §6).

        stored: whether the events carry hashes, as a store wrote them. names: player -> name, None where erased.
        people: player -> person of the club, where it is said who they are; else their names tell.
        """
        if stored:
            return self._importer.stored(events, names or {}, FIRST_CLUB)
        return self._importer.sent(events, names or {}, FIRST_CLUB, by, people or {})

    def import_many(
        self, nights: Sequence[tuple[Sequence[Any], Sequence[tuple[bytes, bytes]] | None]]
    ) -> Sequence[Imported | Refused]:
        """`import_events` of stored events without names, for each of several nights: what it came to, or why not.

        Each night's events, and the body and the hash of each where the reader of its file found them to be good.
        """
        return self._importer.stored_many(nights, FIRST_CLUB)

    def figures(self) -> dict[str, int]:
        """How many sessions and events are held in memory, and how many are watching."""
        return {**self._memory.figures(), "watchers": self.watching.count()}


def _id(session: SessionId) -> UUID:
    """Raises Refused (`not_found`) for what is no session's id."""
    if isinstance(session, UUID):
        return session
    try:
        return UUID(session)
    except ValueError:
        raise no_session() from None


def _as_of(session_id: UUID, by: Known | None) -> int | None:
    """The version that the session had when its token was looked up; None where another asks, or nobody."""
    return by.version if by is not None and by.session == str(session_id) else None


def _with_names(session_id: UUID, state: Event, called: Called) -> Event:
    shown = called.shown(state["seats"])
    for player, view in state["players"].items():
        view["name"] = shown[player]
    return {"id": str(session_id), **state}


def _listed(entry: Listed) -> Event:
    return {
        "id": str(entry.session),
        "title": entry.title,
        "game": entry.game,
        "night": entry.night,
        "players": entry.seats,
        "unit": entry.unit,
        "opened_at": entry.opened_at.isoformat().replace("+00:00", "Z"),
        "changed_at": entry.changed_at.isoformat().replace("+00:00", "Z"),
        "version": entry.version,
        "closed": entry.closed,
        "winners": entry.winners,
    }


def _leaderboard(standings: Sequence[Standing]) -> list[Event]:
    """One line a person, game and unit: sessions with chips of other sizes are added up exactly."""
    lines: dict[tuple[Any, ...], Event] = {}
    for row in standings:
        unit = unit_for(row.chip, row.coin)
        net = Decimal(unit.coin_text(row.net) if row.in_money else unit.text(row.net))
        who = row.person or object()  # of whom nobody knows who they are is nobody else
        counted_in = row.currency if row.in_money else row.unit_name
        line = lines.setdefault(
            (row.game, who, counted_in, row.in_money),
            {
                "game": row.game, "person": str(row.person) if row.person else None, "name": row.name,
                "unit": counted_in, "in_money": row.in_money, "net": Decimal(0), "nights": 0, "won": 0, "hands": 0,
                "hands_won": 0, "lives_lost": 0, "last_night": "",
            },
        )  # fmt: skip
        line["net"] += net
        for name in ("nights", "won", "hands", "hands_won", "lives_lost"):
            line[name] += getattr(row, name)
        line["last_night"] = max(line["last_night"], row.last_night)
    ordered = sorted(lines.values(), key=lambda line: (line["game"], -line["net"], line["name"] or ""))
    return [{**line, "net": f"{line['net'].normalize():f}"} for line in ordered]
