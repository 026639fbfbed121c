"""Tokens: shown once, kept as hashes, good in one place, revoked at once."""

from __future__ import annotations

import hashlib
import uuid
from itertools import pairwise
from uuid import UUID

import psycopg
import pytest

from events.refusals import Refused
from service.sessions import Sessions
from service.sessions.opening import new_id
from service.store.clubs import FIRST_CLUB
from service.store.tokens import make
from tests.factories import SessionFactory


def test_a_new_session_has_a_token_to_record_and_one_to_view(sessions: Sessions) -> None:
    opened = sessions.open(SessionFactory())
    for kind in ("record", "view"):
        known = sessions.credential(opened.tokens[kind])
        assert known is not None
        assert (known.kind, known.session, known.club, known.player) == (kind, opened.id, str(FIRST_CLUB), None)
        assert known.id.startswith(f"{kind}-")
        assert known.id not in opened.tokens[kind]


def test_a_seat_is_somebodys(sessions: Sessions, table: UUID) -> None:
    made = sessions.make_token(table, "seat", "B")
    known = sessions.credential(made.token)
    assert known is not None
    assert (known.id, known.kind, known.player) == (made.id, "seat", "B")


def test_a_clubs_token_is_of_no_session(sessions: Sessions) -> None:
    known = sessions.credential(sessions.clubs.new_token().text)
    assert known is not None
    assert (known.kind, known.session, known.club) == ("club", None, str(FIRST_CLUB))
    assert sessions.clubs.make_first() is None


def test_no_part_of_a_secret_is_stored(sessions: Sessions, owner: psycopg.Connection, table: UUID) -> None:
    made = sessions.make_token(table, "view")
    letters = made.token.split("_", 2)[2]
    rows = owner.execute("select t::text from tokens t where session = %s", (table,)).fetchall()
    assert len(rows) == 3
    assert all(letters[-20:] not in row[0] for row in rows)
    hashes = {bytes(row[0]) for row in owner.execute("select secret_hash from tokens where session = %s", (table,))}
    assert len(hashes) == 3
    assert hashlib.sha256(made.token.encode()).digest() not in hashes


def test_what_is_no_token_of_ours_is_unknown(sessions: Sessions, table: UUID) -> None:
    good = sessions.make_token(table, "record").token
    letters = good.split("_", 2)[2]
    changed = [good[:at] + ("A" if good[at] != "A" else "B") + good[at + 1 :] for at in range(len(good))]
    others = [
        "", "bb", "bb_", "bb_record_", "bb__" + letters, "bb_view_" + letters, "bb_club_" + letters, good + "A",
        good[:-1], " " + good, good + "\n", good.upper(), "bb_record_" + "é" * 56, "x" * 200, letters,
        make("record", table).text, make("record", uuid.uuid4()).text, make("club", FIRST_CLUB).text,
    ]  # fmt: skip
    for token in changed + others:
        assert sessions.credential(token) is None, token
    assert sessions.credential(good) is not None


def test_a_revoked_token_is_unknown_everywhere_at_once(sessions: Sessions, elsewhere: Sessions, table: UUID) -> None:
    made = sessions.make_token(table, "record")
    assert elsewhere.credential(made.token) is not None
    assert sessions.revoke_token(table, made.id)
    for one in (sessions, elsewhere):
        assert one.credential(made.token) is None
        assert made.id not in [token["id"] for token in one.tokens(table)]
    assert not sessions.revoke_token(table, made.id)
    assert not sessions.revoke_token(table, "record-000000000000")
    assert not sessions.revoke_token(uuid.uuid4(), made.id)


def test_a_token_of_another_session_is_not_revoked(sessions: Sessions, table: UUID) -> None:
    made = sessions.make_token(table, "view")
    other = sessions.open(SessionFactory()).id
    assert not sessions.revoke_token(other, made.id)
    assert sessions.credential(made.token) is not None


def test_tokens_are_listed_by_who_they_are(sessions: Sessions, table: UUID) -> None:
    seat = sessions.make_token(table, "seat", "A")
    listed = sessions.tokens(table)
    assert [token["kind"] for token in listed] == ["record", "view", "seat"]
    assert listed[-1] == {"id": seat.id, "kind": "seat", "player": "A"}


def test_a_session_has_so_many_tokens_and_no_more(sessions: Sessions, table: UUID) -> None:
    sessions.make_token(table, "view", most=3)
    with pytest.raises(Refused) as refused:
        sessions.make_token(table, "view", most=3)
    assert refused.value.refusal.code == "too_many"
    sessions.revoke_token(table, str(sessions.tokens(table)[0]["id"]))
    sessions.make_token(table, "view", most=3)


def test_a_secret_is_compared_in_constant_time_also_where_there_is_no_such_token(
    sessions: Sessions, table: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[int, int]] = []

    def comparing(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return one == other

    monkeypatch.setattr("service.store.tokens.hmac.compare_digest", comparing)
    good = sessions.make_token(table, "view").token
    wrong = good[:-4] + ("AAAA" if good[-4:] != "AAAA" else "BBBB")
    nowhere = make("view", uuid.uuid4()).text
    assert [sessions.credential(token) is not None for token in (good, wrong, nowhere)] == [True, False, False]
    assert compared == [(32, 32)] * 3


def test_an_id_cannot_be_guessed_from_another() -> None:
    """An id is no secret, a token is needed as well; yet who has seen one learns nothing of the next."""
    ids = []
    while len({one >> 80 for one in ids}) < 64:  # as many moments
        ids.append(new_id().int)
    at_each = list({one >> 80: one for one in ids}.values())
    others = [one ^ other for one, other in pairwise(at_each)]
    assert all(UUID(int=one).version == 7 for one in ids)
    for lowest, bits in ((0, 62), (64, 12)):  # all but the time and what says that it is a UUIDv7
        changed = [(other >> lowest & (1 << bits) - 1).bit_count() for other in others]
        assert 0.3 * bits < sum(changed) / len(changed) < 0.7 * bits
    in_a_row = [(one ^ other) & 0xFFFFFFFF for one, other in pairwise(ids)]  # in one moment: the rest counts on
    assert 15 < sum(one.bit_count() for one in in_a_row) / len(in_a_row) < 17
    assert len(set(in_a_row)) > 0.99 * len(in_a_row)
