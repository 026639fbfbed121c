"""Clubs: whose sessions, people and tokens they are. An instance starts with one."""

from __future__ import annotations

from typing import Final, LiteralString
from uuid import UUID

from service.store.database import Database, Statement
from service.store.tokens import CLUB_KIND, Token, keeping_of_club, make

FIRST_CLUB: Final = UUID("00000000-0000-7000-8000-000000000001")
"""The club that an instance starts with: one id everywhere, so that several starters make one."""
_FIRST_NAME: Final = "The club"

_MAKE_FIRST: Final[LiteralString] = """
with made as (insert into clubs (club, name) values (%s, %s) on conflict do nothing returning club)
insert into club_tokens (club, token, secret_hash) select %s, %s, %s from made
"""


class Clubs:
    """The clubs of the instance."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def make_first(self) -> Token | None:
        """Make the first club with a token, which is to be shown to whoever starts the instance; None where it is
        there already. Raises Unavailable."""
        token = make(CLUB_KIND, FIRST_CLUB)
        made = self._database.run([(_MAKE_FIRST, (FIRST_CLUB, _FIRST_NAME, FIRST_CLUB, token.id, token.secret_hash))])
        return token if made == [1] else None

    def new_token(self, club: UUID = FIRST_CLUB) -> Token:
        """Another token for a club. Raises Unavailable."""
        token = make(CLUB_KIND, club)
        self._database.run([keeping_of_club(token, club)])
        return token

    def renew_token(self) -> Token:
        """A new token for the first club; those that it had are no good from then on. Raises Unavailable."""
        token = make(CLUB_KIND, FIRST_CLUB)
        revoking: Statement = (
            "update club_tokens set revoked_at = now() where club = %s and revoked_at is null",
            (FIRST_CLUB,),
        )
        self._database.run([revoking, keeping_of_club(token, FIRST_CLUB)])
        return token

    def all(self) -> list[tuple[UUID, str]]:
        """(id, name) of every club. Raises Unavailable."""
        return [(row[0], row[1]) for row in self._database.ask("select club, name from clubs order by club")]
