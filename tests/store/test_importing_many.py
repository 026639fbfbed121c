"""Many nights brought in together: what is there afterwards, and what is refused, as one by one."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from events.log import GENESIS
from events.refusals import Refused
from events.session import open_session
from service import event_pieces, strict_json
from service.event_files import Recording, Unreadable, as_written, parse, read
from service.event_pieces import pieces
from service.sessions import Imported, Sessions
from service.sessions.stamping import encode
from service.store.database import Database
from tests.benchmarks.material import stored_nights
from tests.factories import SessionFactory, worked_example
from tests.store.test_projections import kept

Night = tuple[UUID, list[bytes]]


def written(count: int) -> list[Night]:
    """Nights of all games as a store writes them, a line an event."""
    nights = stored_nights()
    return [(session, [row.stored().line() for row in rows]) for session, rows in (next(nights) for _ in range(count))]


def recording(lines: list[bytes]) -> Recording:
    return parse("night.ndjson", b"\n".join(lines))[0]


def asked(*nights: list[bytes]) -> list[tuple[list[dict[str, Any]], list[tuple[bytes, bytes]] | None]]:
    return [(night.events, night.kept) for night in map(recording, nights)]


def test_all_is_there_as_if_brought_in_one_by_one(store: Database, sessions: Sessions) -> None:
    nights = written(6)
    made = sessions.import_many(asked(*(lines for _, lines in nights)))
    for (session, lines), imported in zip(nights, made, strict=True):
        assert isinstance(imported, Imported)
        assert (imported.session, imported.added, imported.known) == (session, len(lines), 0)
        assert list(sessions.stream(session)) == lines
        assert sorted(imported.tokens) == ["record", "view"]
        assert sessions.credential(imported.tokens["record"]) is not None
    assert [one.faults for one in sessions.verify_many([session for session, _ in nights])] == [[]] * len(nights)
    before = [kept(store, session) for session, _ in nights]
    sessions.rebuild_many([session for session, _ in nights])
    assert [kept(store, session) for session, _ in nights] == before


def test_what_is_there_comes_twice_or_is_wrong_is_told_apart(sessions: Sessions) -> None:
    (second, two), (_, _), (first, one), (_, three) = written(4)
    sessions.import_events(recording(one[:20]).events, True)
    wrong = [*three[:9], three[9].replace(b'"seq":10', b'"seq":11'), *three[10:]]
    assert min(len(one), len(two), len(three)) > 20
    made = sessions.import_many(asked(one, two, wrong, two[:9], two))
    assert [(got.session, got.added, got.known) for got in made if isinstance(got, Imported)] == [
        (first, len(one) - 20, 20), (second, len(two), 0), (second, 0, 9), (second, 0, len(two)),
    ]  # fmt: skip
    refused = made[2]
    assert isinstance(refused, Refused)
    assert (refused.refusal.code, refused.refusal.event) == ("request.invalid", 9)


@pytest.mark.parametrize("how", ["field", "rules", "stamps", "id"])
def test_a_good_chain_of_what_may_not_be_is_refused_together_as_alone(sessions: Sessions, how: str) -> None:
    """Bodies and hashes that fit prove nothing about the rules."""
    opening, _ = open_session(SessionFactory())
    stamps = {"session": str(uuid4()), "v": 1, "by": "r", "recorded_at": "2026-11-30T20:00:00.000000Z"}
    events: list[dict[str, Any]] = [
        {**raw, **stamps, "seq": seq} | ({"hand": 1} if seq > 1 else {})
        for seq, raw in enumerate([opening, *worked_example()[:3]], 1)
    ]
    match how:
        case "field":
            events[2]["amount"] = "2"
        case "rules":
            events[2]["type"] = "see"
        case "stamps":
            events[2]["by"] = ""
        case "id":
            events[2]["id"] = "no id"
    before, out = GENESIS, []
    for event in events:
        body = encode({**event, "prev": before})
        before = sha256(body).hexdigest()
        out.append(body[:-1] + b',"hash":"' + before.encode() + b'"}')
    night = recording(out)
    assert night.kept is not None
    together = sessions.import_many([(night.events, night.kept)])[0]
    assert isinstance(together, Refused)
    with pytest.raises(Refused) as alone:
        sessions.import_events(night.events, True)
    assert (str(together), together.refusal.event) == (str(alone.value), alone.value.refusal.event)


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace(b'":"', b'": "', 1),
        lambda line: line.replace(b'"seq":1,', b'"seq":1.0,'),
        lambda line: line.replace(b'"seq":1,', b'"seq":1,"seq":1,'),
        lambda line: line.replace(b'"seq":1,', b'"seq":9007199254740993,'),
        lambda line: line.replace(b'"seq":1,', b'"seq":NaN,'),
        lambda line: line.replace(b'"title":"', b'"title":"\\u0000'),
        lambda line: line.replace(b'"title":"', b'"title":"\xff'),
        lambda line: line[:-3] + (b'0"}' if line[-3:] != b'0"}' else b'1"}'),
        lambda line: line + b" ",
        lambda line: b"[" * 5_000,
        lambda line: b"",
        lambda line: b"1" * 200,
    ],
)
def test_only_what_a_store_wrote_to_the_byte_is_taken_for_it(change: Any) -> None:
    (_, lines), *_ = written(1)
    line = lines[0]
    found = as_written(line)
    assert found is not None
    assert found[0] == strict_json.parse(line)
    assert change(line) != line
    assert as_written(change(line)) is None


def test_a_large_file_is_read_in_pieces_of_whole_nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nights = written(5)
    data = b"\n\n".join(b"\r\n".join(lines) for _, lines in nights) + b"\n"
    path = tmp_path / "store.ndjson"
    path.write_bytes(data)
    whole = read(str(path))
    for size in (1, 2_000, 50_000, len(data), len(data) + 1):
        monkeypatch.setattr(event_pieces, "LARGE", size)
        found = list(pieces(str(path)))
        assert [night for piece in found for night in piece.nights()] == whole
        assert (len(found) > 1) == (1 < size < len(data)), size
    assert [night.events[0]["session"] for night in whole] == [str(session) for session, _ in nights]


def test_a_piece_that_cannot_be_read_names_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (_, one), (_, two) = written(2)
    path = tmp_path / "store.ndjson"
    path.write_bytes(b"\n".join([*one, *two[:4], b"{", *two[5:]]))
    monkeypatch.setattr(event_pieces, "LARGE", 2_000)
    first, second = pieces(str(path))
    assert len(first.nights()) == 1
    with pytest.raises(Unreadable, match=f"store.ndjson:{len(one) + 5}: "):
        second.nights()
    assert [piece.fault for piece in pieces(str(tmp_path / "none"))] == [
        f"{tmp_path / 'none'}: No such file or directory"
    ]
