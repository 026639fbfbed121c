"""What the players of a session are called, and who of the club's people they are.

Names are not in the events (contract.md §2): here one can be changed or erased without breaking a chain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, LiteralString
from uuid import UUID

from service.store.database import Database, Statement

_NAME: Final[LiteralString] = """
insert into names (session, player, name, person) values (%s, %s, %s, %s)
on conflict (session, player) do update set name = excluded.name, person = excluded.person, erased_at = null
"""
_ERASED: Final[LiteralString] = """
insert into names (session, player, name, person, erased_at) values (%s, %s, null, null, now())
on conflict (session, player) do update set name = null, person = null, erased_at = now()
"""


class Names:
    """The names of every session's players."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, session: UUID) -> dict[str, str | None]:
        """Player -> name, None where it was erased; a player left out was never named. Raises Unavailable."""
        rows = self._database.ask("select player, name from names where session = %s", (session,))
        return dict(rows)

    def people_of(self, session: UUID) -> dict[str, UUID]:
        """Player -> the person who sits there, where that is known. Raises Unavailable."""
        rows = self._database.ask(
            "select player, person from names where session = %s and person is not null", (session,)
        )
        return dict(rows)

    def erase(self, session: UUID, player: str) -> None:
        """Forget a player's name in this session, and who they are. Raises Unavailable."""
        self._database.run([erasing(session, player)])


def naming(session: UUID, names: Mapping[str, str], people: Mapping[str, UUID]) -> list[Statement]:
    """The statements that name players and say who they are; a player not in `people` is nobody that is known."""
    return [(_NAME, (session, player, name, people.get(player))) for player, name in names.items()]


def erasing(session: UUID, player: str) -> Statement:
    """The statement that erases a player's name."""
    return _ERASED, (session, player)
