"""Tokens: made once, shown once, kept as hashes.

A token reads `bb_KIND_` and 56 letters: its session's id (a club's for a `club` token), its own id and its secret, so
that it is looked up in one row of one session. What is stored of the secret is its SHA-256; there is nothing to guess
of 20 random bytes, so a slow hash would only slow the table down.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import Final, LiteralString, NamedTuple
from uuid import UUID

from service.store.database import Database, Statement
from service.store.names import AS_DOCUMENT, Called, called
from service.store.prepared import TEXT, Prepared
from service.store.prepared import UUID as UUID_OID

SESSION_KINDS: Final = ("record", "view", "seat")
CLUB_KIND: Final = "club"
_PREFIX: Final = "bb_"
_ID_BYTES: Final = 6
_SECRET_BYTES: Final = 20
_LETTERS: Final = (16 + _ID_BYTES + _SECRET_BYTES) * 4 // 3


class Token(NamedTuple):
    """A token as it is handed out, once: `text` goes to its holder, `id` is public and says in events who recorded."""

    id: str
    text: str
    kind: str
    player: str | None
    secret_hash: bytes


class Known(NamedTuple):
    """Who a known token speaks for. `session` is None for a club's, `player` for all but a seat's.

    called: what the players of its session were called when the token was looked up, which takes no second look;
    None for a club's. version: of its session at that moment, at the primary: everything acknowledged before is in it;
    0 for a club's.
    """

    id: str
    kind: str
    club: str
    session: str | None
    player: str | None
    called: Called | None = None
    version: int = 0


class Listed(NamedTuple):
    """A token as it can be shown afterwards: who it is, never what it is."""

    id: str
    kind: str
    player: str | None
    revoked: bool


def make(kind: str, of: UUID, player: str | None = None) -> Token:
    """A new token of a session, or of a club, not yet stored."""
    number, secret = secrets.token_bytes(_ID_BYTES), secrets.token_bytes(_SECRET_BYTES)
    text = f"{_PREFIX}{kind}_{base64.urlsafe_b64encode(of.bytes + number + secret).decode()}"
    return Token(_public(kind, number), text, kind, player, hashlib.sha256(secret).digest())


def _public(kind: str, number: bytes) -> str:
    return f"{kind}-{number.hex()}"


def _read(text: str) -> tuple[str, UUID, str, bytes] | None:
    """(kind, session or club, public id, hash of the secret); None for what is no token."""
    prefix, _, rest = text.partition("_")
    kind, _, letters = rest.partition("_")
    if prefix + "_" != _PREFIX or kind not in (*SESSION_KINDS, CLUB_KIND) or len(letters) != _LETTERS:
        return None
    try:
        whole = base64.b64decode(letters, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    number, secret = whole[16 : 16 + _ID_BYTES], whole[16 + _ID_BYTES :]
    return kind, UUID(bytes=whole[:16]), _public(kind, number), hashlib.sha256(secret).digest()


_LOOK_UP: Final[LiteralString] = """
select secret_hash, club, player, ({names}),
    coalesce((select seq from events where session = $1 order by seq desc limit 1), 0)
from tokens where session = $1 and token = $2 and revoked_at is null
"""
_OF_SESSION: Final = Prepared(
    "look_up_token",
    _LOOK_UP.format(names=AS_DOCUMENT.format(session="$1")),
    (UUID_OID, TEXT),
)
_OF_CLUB: Final = Prepared(
    "look_up_club_token",
    "select secret_hash, club, null, null, 0::int8 from club_tokens"
    " where club = $1 and token = $2 and revoked_at is null",
    (UUID_OID, TEXT),
)


class Tokens:
    """The tokens of every session and club."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def know(self, text: str) -> Known | None:
        """Who a token speaks for; None for one that is unknown, mistyped or revoked. Raises Unavailable."""
        read = _read(text)
        if read is None:
            return None
        kind, of, public, secret_hash = read
        looking = _OF_CLUB if kind == CLUB_KIND else _OF_SESSION
        rows = self._database.patiently(lambda connection: looking.rows(connection, [of.bytes, public.encode()]))
        stored_hash, club, player, names, version = rows[0] if rows else (None, None, None, None, None)
        # Compared in constant time, and as long where there is no such token.
        if not hmac.compare_digest(stored_hash or bytes(32), secret_hash) or club is None:
            return None
        known = Known(public, kind, str(UUID(bytes=club)), None, None)
        if kind == CLUB_KIND:
            return known
        return known._replace(
            session=str(of),
            player=player.decode() if player is not None else None,
            called=called(names),
            version=int.from_bytes(version or b""),
        )

    def of(self, session: UUID) -> list[Listed]:
        """The session's tokens, the first made first, those revoked too. Raises Unavailable."""
        rows = self._database.ask(
            "select token, kind, player, revoked_at is not null from tokens where session = %s"
            " order by created_at, token",
            (session,),
        )
        return [Listed(*row) for row in rows]

    def revoke(self, session: UUID, token: str) -> bool:
        """Revoke a session's token by its public id; False where it has no good one of that id. Raises Unavailable."""
        revoking: Statement = (
            "update tokens set revoked_at = now() where session = %s and token = %s and revoked_at is null",
            (session, token),
        )
        return self._database.run([revoking]) == [1]

    def revoked(self, tokens: list[tuple[UUID, str]]) -> set[tuple[UUID, str]]:
        """Which of these (session, public id) are revoked or gone: for streams that are open. Raises Unavailable."""
        sessions, publics = [session for session, _ in tokens], [token for _, token in tokens]
        rows = self._database.ask(
            "select session, token from tokens where session = any(%s) and token = any(%s) and revoked_at is null",
            (sessions, publics),
        )
        return set(tokens) - {(session, token) for session, token in rows}


def keeping(token: Token, session: UUID, club: UUID) -> Statement:
    """The statement that keeps a session's token."""
    return (
        "insert into tokens (session, token, club, kind, player, secret_hash) values (%s, %s, %s, %s, %s, %s)",
        (session, token.id, club, token.kind, token.player, token.secret_hash),
    )


def keeping_of_club(token: Token, club: UUID) -> Statement:
    """The statement that keeps a club's token."""
    return (
        "insert into club_tokens (club, token, secret_hash) values (%s, %s, %s)",
        (club, token.id, token.secret_hash),
    )
