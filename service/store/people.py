"""A club's people over its nights, each under a name of their own; two may have the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, LiteralString, NamedTuple
from uuid import UUID

from service.store.database import Database, Row, Statement

# The time is given: a cluster takes no `now()` in a `coalesce`.
_ERASE: Final[LiteralString] = """
update people set name = null, erased_at = coalesce(erased_at, %s)
where club = %s and (person = %s or same_as = %s)
"""
_NAMED_IN: Final[LiteralString] = """
select n.session, n.player, greatest(clock_timestamp(), max(others.revised_at) + interval '1 microsecond')
from names n
join sessions s on s.session = n.session
join people p on p.club = s.club and p.person = n.person
join names others on others.session = n.session
where s.club = %s and (p.person = %s or p.same_as = %s) and n.name is not null
group by n.session, n.player
"""
_ERASE_THERE: Final[LiteralString] = """
update names set name = null, erased_at = now(), revised_at = %s where session = %s and player = %s
"""
_NIGHTS: Final[LiteralString] = """
select s.session, s.night, s.game, n.player, b.net_chips, b.money_coins, s.unit
from names n
join sessions s on s.session = n.session
join balances b on b.session = n.session and b.player = n.player
join people p on p.club = s.club and p.person = n.person
where s.club = %s and (p.person = %s or p.same_as = %s)
order by s.opened_at desc, s.session
"""
_AT: Final[LiteralString] = """
select n.player, known.person, known.name
from names n
join sessions s on s.session = %s
join people p on p.club = s.club and p.person = n.person
join people known on known.club = s.club and known.person = coalesce(p.same_as, p.person)
where n.session = %s
"""


class Person(NamedTuple):
    """A person of a club. name: None once erased. same_as: the person that they turned out to be, if any."""

    id: UUID
    name: str | None
    same_as: UUID | None


class People:
    """The people of every club."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, club: UUID) -> list[Person]:
        """The club's people, the first remembered first. Raises Unavailable."""
        rows = self._database.ask(
            "select person, name, same_as from people where club = %s order by created_at, person", (club,)
        )
        return [Person(*row) for row in rows]

    def named(self, club: UUID, names: Iterable[str]) -> dict[str, list[UUID]]:
        """Name -> the people of the club who have it, the first remembered first. Raises Unavailable."""
        found: dict[str, list[UUID]] = {}
        rows = self._database.ask(
            "select name, person from people where club = %s and name = any(%s) and same_as is null"
            " order by created_at, person",
            (club, sorted(set(names))),
        )
        for name, person in rows:
            found.setdefault(name, []).append(person)
        return found

    def rename(self, club: UUID, person: UUID, name: str) -> bool:
        """Give a person another name; the nights keep the name that they had then. Raises Unavailable."""
        return self._one(
            "update people set name = %s, erased_at = null where club = %s and person = %s", (name, club, person)
        )

    def join(self, club: UUID, person: UUID, same_as: UUID | None) -> bool:
        """Say that a person is the same as another of the club, or (None) is not after all. No night is touched.

        False, and nothing changed, where either is not there, or where it would go round in a circle or be
        said of somebody whom others were said to be. Raises Unavailable.
        """
        if same_as is None:
            return self._one("update people set same_as = null where club = %s and person = %s", (club, person))
        return person != same_as and self._one(
            "update people set same_as = %s where club = %s and person = %s"
            " and exists (select 1 from people where club = %s and person = %s and same_as is null)"
            " and not exists (select 1 from people where club = %s and same_as = %s)",
            (same_as, club, person, club, same_as, club, person),
        )

    def erase(self, club: UUID, person: UUID) -> bool:
        """Erase a person's name, and of all who turned out to be them, here and in every night they played.

        False where there is nobody of this id. Raises Unavailable.
        """
        named = self._database.ask(_NAMED_IN, (club, person, person))
        there: list[Statement] = [(_ERASE_THERE, (later, session, player)) for session, player, later in named]
        return self._database.run([(_ERASE, (datetime.now(UTC), club, person, person)), *there])[0] > 0

    def seat(self, club: UUID, session: UUID, player: str, person: UUID | None) -> bool:
        """Say which person of the club sits as this player, or (None) that nobody knows. Raises Unavailable."""
        return self._one(
            "update names set person = %s where session = %s and player = %s"
            " and (%s::uuid is null or exists (select 1 from people where club = %s and person = %s))",
            (person, session, player, person, club, person),
        )

    def nights(self, club: UUID, person: UUID) -> list[Row]:
        """(session, night, game, player, net_chips, money_coins, unit) of each night they played, the last first."""
        return self._database.ask(_NIGHTS, (club, person, person))

    def at(self, session: UUID) -> dict[str, Person]:
        """Player -> who sits there, as the person that they turned out to be. Raises Unavailable."""
        rows = self._database.ask(_AT, (session, session))
        return {player: Person(person, name, None) for player, person, name in rows}

    def _one(self, sql: Any, values: tuple[Any, ...]) -> bool:
        return self._database.run([(sql, values)]) == [1]


def remembering(club: UUID, people: Mapping[UUID, str]) -> list[Statement]:
    """The statements that remember new people of a club: id -> name."""
    return [
        ("insert into people (club, person, name) values (%s, %s, %s) on conflict do nothing", (club, person, name))
        for person, name in people.items()
    ]
