"""The list of sessions, and what is added up over them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, LiteralString, NamedTuple
from uuid import UUID

from service.store.database import Database

MOST_LISTED: Final = 1_000


class Listed(NamedTuple):
    """A session as the list shows it. version: of its last event. winners: None until it is closed."""

    session: UUID
    club: UUID
    title: str | None
    game: str
    night: str
    unit: dict[str, Any]
    seats: list[str]
    opened_at: datetime
    changed_at: datetime
    version: int
    closed: bool
    winners: list[str] | None


class Standing(NamedTuple):
    """What somebody has come to over the nights of one game, counted in one unit.

    person: who, None for a player of one night of whom nobody knows who they are. name: None where erased.
    unit: its name, chip, coin and currency (None: points); net: whole chips, or whole coins where `in_money`.
    nights, won: how many, and how many with the highest net (the last life, the most chips). hands, hands_won: dealt
    in, and won. lives_lost: in `lives`.
    """

    game: str
    person: UUID | None
    name: str | None
    unit_name: str
    chip: str
    coin: str
    currency: str | None
    in_money: bool
    net: int
    nights: int
    won: int
    hands: int
    hands_won: int
    lives_lost: int
    last_night: str


# An event is never before what was worked out from it: from there on the log is short. Asked for a session at a time:
# of a range the database guesses that it is a third of everything, and reads everything.
NEWEST: Final[LiteralString] = """
select s.session, (select max(e.seq) from events e where e.session = s.session and e.seq >= s.version)
from sessions s where s.session = any(%s)
"""
_COLUMNS: Final[LiteralString] = """
select session, club, title, game, night, unit, seats, opened_at, changed_at, version, closed, winners from sessions
"""
_ONE: Final[LiteralString] = _COLUMNS + "where session = %s"
_OF_CLUB: Final[LiteralString] = (
    _COLUMNS
    + """
where club = %s and (%s::text is null or game = %s)
    and (%s::timestamptz is null or (opened_at, session) < (%s::timestamptz, %s::uuid))
order by opened_at desc, session desc limit %s
"""
)
_BETWEEN: Final[LiteralString] = """
select session from sessions
where club = %s and (%s::text is null or night >= %s) and (%s::text is null or night <= %s)
order by night, opened_at, session
"""
_STANDINGS: Final[LiteralString] = """
select s.game, known.person, max(case when known.person is not null then known.name when n.player is null then b.player
        else n.name end),
    s.unit->>'name', s.unit->>'chip', s.unit->>'coin', s.unit->>'currency', b.money_coins is not null,
    sum(coalesce(b.money_coins, b.net_chips))::bigint, count(*),
    count(*) filter (where b.player = any(s.winners)),
    coalesce(sum(h.hands), 0)::bigint, coalesce(sum(h.won), 0)::bigint, coalesce(sum(h.lives_lost), 0)::bigint,
    max(s.night)
from sessions s
join balances b on b.session = s.session
left join names n on n.session = s.session and n.player = b.player
left join people p on p.club = s.club and p.person = n.person
left join people known on known.club = s.club and known.person = coalesce(p.same_as, p.person)
left join (
    select of_club.session, played.player, count(*) as hands, count(*) filter (where played.won) as won,
        count(*) filter (where played.lost_life) as lives_lost
    from hand_players played join sessions of_club on of_club.session = played.session
    where of_club.club = %s and (%s::text is null or of_club.game = %s)
        and (%s::text is null or of_club.night >= %s) and (%s::text is null or of_club.night <= %s)
    group by of_club.session, played.player
) h on h.session = s.session and h.player = b.player
where s.club = %s and (%s::text is null or s.game = %s)
    and (%s::text is null or s.night >= %s) and (%s::text is null or s.night <= %s)
group by s.game, known.person, case when known.person is null then s.session || '/' || b.player end,
    s.unit->>'name', s.unit->>'chip', s.unit->>'coin', s.unit->>'currency', b.money_coins is not null
order by s.game, 9 desc
"""


class Entries:
    """The sessions of the instance, as they are listed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def one(self, session: UUID) -> Listed | None:
        """One session's entry. Raises Unavailable."""
        listed = self._listed(_ONE, (session,))
        return listed[0] if listed else None

    def club_of(self, session: UUID) -> UUID | None:
        """Whose session it is. Raises Unavailable."""
        rows = self._database.ask("select club from sessions where session = %s", (session,))
        return rows[0][0] if rows else None

    def of_club(
        self, club: UUID, game: str | None = None, after: UUID | None = None, limit: int = MOST_LISTED
    ) -> list[Listed]:
        """The club's sessions, the last opened first; those after one of them, where given. Raises Unavailable."""
        last = self._database.ask("select opened_at from sessions where session = %s", (after,)) if after else []
        if after and not last:
            return []
        opened_at = last[0][0] if last else None
        return self._listed(_OF_CLUB, (club, game, game, opened_at, opened_at, after, min(limit, MOST_LISTED)))

    def _listed(self, sql: LiteralString, values: tuple[Any, ...]) -> list[Listed]:
        listed = [Listed(*row) for row in self._database.ask(sql, values)]
        asked = ([one.session for one in listed],)
        newest: dict[UUID, int | None] = dict(self._database.ask(NEWEST, asked) if listed else ())
        return [one._replace(version=newest.get(one.session) or one.version) for one in listed]

    def between(self, club: UUID, first_night: str | None, last_night: str | None) -> list[UUID]:
        """The club's sessions from one night to another, both included, the earliest first. Raises Unavailable."""
        return [
            row[0] for row in self._database.ask(_BETWEEN, (club, first_night, first_night, last_night, last_night))
        ]

    def standings(
        self, club: UUID, game: str | None = None, first_night: str | None = None, last_night: str | None = None
    ) -> list[Standing]:
        """What everyone has come to over the club's nights, by game and unit. Raises Unavailable."""
        asked = (club, game, game, first_night, first_night, last_night, last_night)
        return [Standing(*row) for row in self._database.ask(_STANDINGS, asked + asked)]
