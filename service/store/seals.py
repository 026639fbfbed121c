"""Seals on names and tokens: what was changed behind the service's back (migrations/0006_seals.sql)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, LiteralString, NamedTuple
from uuid import UUID

from service.store.database import Database

_NAMES: Final[LiteralString] = """
select coalesce(r.session, s.session), 'name', coalesce(r.player, s.key), r.session is null, s.session is null
from names r full join (select * from seals where kind = 'name') s on s.session = r.session and s.key = r.player
where r.session is null or s.session is null or s.digest <> seal_of_name(r)
"""
_TOKENS: Final[LiteralString] = """
select coalesce(r.session, s.session), 'token', coalesce(r.token, s.key), r.session is null, s.session is null
from tokens r full join (select * from seals where kind = 'token') s on s.session = r.session and s.key = r.token
where r.session is null or s.session is null or s.digest <> seal_of_token(r)
"""
_CLUB_TOKENS: Final[LiteralString] = """
select coalesce(r.club, s.session), 'club_token', coalesce(r.token, s.key), r.club is null, s.session is null
from club_tokens r full join (select * from seals where kind = 'club_token') s on s.session = r.club and s.key = r.token
where r.club is null or s.session is null or s.digest <> seal_of_club_token(r)
"""
_CALLED: Final = {"name": "the name of {}", "token": "the token {}", "club_token": "the club's token {}"}


class Broken(NamedTuple):
    """A row whose seal does not fit. owner: its session, or its club. says: what is wrong, a clause."""

    owner: UUID
    kind: str
    key: str
    says: str


def broken_seals(database: Database) -> Iterator[Broken]:
    """Every name and token that was changed, put in or removed by somebody other than the service; in a store that is
    distributed, of the clubs' tokens alone.

    Raises Unavailable.
    """
    # Over a cluster there are no triggers that would seal a row, but on the tables that stay in one place.
    for sql in (_CLUB_TOKENS,) if database.distributed() else (_NAMES, _TOKENS, _CLUB_TOKENS):
        for owner, kind, key, gone, unsealed in database.ask(sql):
            what = _CALLED[kind].format(key)
            happened = "was removed" if gone else "was put in" if unsealed else "was changed"
            yield Broken(owner, kind, key, f"{what} {happened} by somebody other than the service")
