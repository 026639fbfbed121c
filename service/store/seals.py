"""Seals on names and tokens: what was changed behind the service's back (migrations/0006_seals.sql)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, LiteralString, NamedTuple
from uuid import UUID

from service.store.database import Database

PAGE: Final = 5_000
"""So many rows, and the rest of the last one's owner, are held against their seals at a time: hashing them all in one
statement would take longer than a statement may."""
_LAST: Final = UUID(int=2**128 - 1)

_END_OF_PAGE: Final[LiteralString] = "select {owner} from {table} where {owner} > %s order by {owner} limit 1 offset %s"
_BROKEN: Final[LiteralString] = """
select coalesce(r.{owner}, s.session), coalesce(r.{key}, s.key), r.{owner} is null, s.session is null
from (select * from {table} where {owner} > %s and {owner} <= %s) r
full join (select * from seals where kind = '{kind}' and session > %s and session <= %s) s
    on s.session = r.{owner} and s.key = r.{key}
where r.{owner} is null or s.session is null or s.digest <> seal_of_{kind}(r)
"""


class _Sealed(NamedTuple):
    """A table whose rows are sealed. called: what one of them is called, by its key."""

    kind: LiteralString
    table: LiteralString
    owner: LiteralString
    key: LiteralString
    called: str

    def sql(self, sql: LiteralString) -> LiteralString:
        return sql.format(kind=self.kind, table=self.table, owner=self.owner, key=self.key)


_NAMES: Final = _Sealed("name", "names", "session", "player", "the name of {}")
_TOKENS: Final = _Sealed("token", "tokens", "session", "token", "the token {}")
_CLUB_TOKENS: Final = _Sealed("club_token", "club_tokens", "club", "token", "the club's token {}")


class Broken(NamedTuple):
    """A row whose seal does not fit. owner: its session, or its club. says: what is wrong, a clause."""

    owner: UUID
    kind: str
    key: str
    says: str


def broken_seals(database: Database, page: int = PAGE) -> Iterator[Broken]:
    """Every name and token that was changed, put in or removed by somebody other than the service; in a store that is
    distributed, of the clubs' tokens alone.

    Raises Unavailable.
    """
    # Over a cluster there are no triggers that would seal a row, but on the tables that stay in one place.
    for sealed in (_CLUB_TOKENS,) if database.distributed() else (_NAMES, _TOKENS, _CLUB_TOKENS):
        after = UUID(int=0)
        while after < _LAST:
            found = database.ask(sealed.sql(_END_OF_PAGE), (after, page - 1))
            last = found[0][0] if found else _LAST
            for owner, key, gone, unsealed in database.ask(sealed.sql(_BROKEN), (after, last, after, last)):
                happened = "was removed" if gone else "was put in" if unsealed else "was changed"
                what = sealed.called.format(key)
                yield Broken(owner, sealed.kind, key, f"{what} {happened} by somebody other than the service")
            after = last
