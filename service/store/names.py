"""What the players of a session are called, and who of the club's people they are.

Names are not in the events (contract.md §2): here one can be changed or erased without breaking a chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, LiteralString, NamedTuple
from uuid import UUID

import orjson

from service.store.database import Database, Statement

_NAME: Final[LiteralString] = """
insert into names (session, player, name, person, revised_at) values (%s, %s, %s, %s, %s)
on conflict (session, player) do update set
    name = excluded.name, person = excluded.person, erased_at = null, revised_at = excluded.revised_at
"""
_ERASED: Final[LiteralString] = """
insert into names (session, player, erased_at, revised_at) values (%s, %s, now(), %s)
on conflict (session, player) do update set
    name = null, person = null, erased_at = excluded.erased_at, revised_at = excluded.revised_at
"""


class Called(NamedTuple):
    """What the players of a session are called.

    names: player -> name, None where it was erased; a player left out was never named, and goes by their id.
    revision: grows whenever a name changes after the opening; 0 where none did.
    """

    names: dict[str, str | None]
    revision: int

    def shown(self, seats: Sequence[str]) -> dict[str, str]:
        """What to call each player: "Player 3", by seat, where the name was erased."""
        shown = {}
        for seat, player in enumerate(seats, 1):
            name = self.names.get(player, player)
            shown[player] = f"Player {seat}" if name is None else name
        return shown


AS_DOCUMENT: Final[LiteralString] = """
select jsonb_agg(jsonb_build_array(player, name, (extract(epoch from revised_at) * 1000000)::bigint))::text
from names where session = {session}
"""
"""The names of a session as one value, for a statement that reads them with something else; `called` reads it."""


def called(document: bytes | str | None) -> Called:
    """What the players of a session are called, from `AS_DOCUMENT`."""
    rows = orjson.loads(document) if document is not None else []
    return Called({player: name for player, name, _ in rows}, max((row[2] or 0 for row in rows), default=0))


class Names:
    """The names of every session's players."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, session: UUID) -> Called:
        """What a session's players are called. Raises Unavailable."""
        rows = self._database.ask(AS_DOCUMENT.format(session="%s"), (session,))
        return called(rows[0][0])

    def people_of(self, session: UUID) -> dict[str, UUID]:
        """Player -> the person who sits there, where that is known. Raises Unavailable."""
        rows = self._database.ask(
            "select player, person from names where session = %s and person is not null", (session,)
        )
        return dict(rows)

    def later(self, session: UUID) -> datetime:
        """Now, and later than every revision of a session so far, though the clock may have jumped back: a page with
        other names is another page. Raises Unavailable."""
        rows = self._database.ask(
            "select greatest(clock_timestamp(), max(revised_at) + interval '1 microsecond') from names"
            " where session = %s",
            (session,),
        )
        later: datetime = rows[0][0]
        return later

    def erase(self, session: UUID, player: str) -> None:
        """Forget a player's name in this session, and who they are. Raises Unavailable."""
        self._database.run([erasing(session, player, self.later(session))])


def naming(
    session: UUID, names: Mapping[str, str], people: Mapping[str, UUID], revised_at: datetime | None
) -> list[Statement]:
    """The statements that name players and say who they are; a player not in `people` is nobody that is known.

    revised_at: `Names.later`; None while the session is being opened.
    """
    return [(_NAME, (session, player, name, people.get(player), revised_at)) for player, name in names.items()]


def erasing(session: UUID, player: str, revised_at: datetime) -> Statement:
    """The statement that erases a player's name. revised_at: `Names.later`."""
    return _ERASED, (session, player, revised_at)
