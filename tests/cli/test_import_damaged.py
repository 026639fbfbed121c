"""Whatever has happened to a file, `import` takes whole nights of it or none, and says in a line what is wrong where.

The nights that a file holds are found here by reading it line by line, apart from the code that imports it: what is in
the store afterwards is one of them to the last event, or nothing of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, currently_in_test_context, given, note, settings
from hypothesis import strategies as st

from service import event_pieces
from service.commands import all_cores, transfer
from tests.cli.damage import DAMAGE, Damage, a_stored_night, bundle, flipped, resealed, sent, stored
from tests.cli.terminal import Ran, bragbook

SMALL_PIECE = 6_000
KINDS = {"stored": stored, "bundle": bundle, "sent": sent}
Event = dict[str, Any]


NO_LINE = (
    "there is nothing in it", "the file is damaged, but not in its events", "events are missing from number",
    "`events` of a bundle", "`names` of a bundle", "`erased` of a bundle",
)  # fmt: skip
"""What is said of a file as a whole."""


class Store:
    """A store that files are imported into, seen from beside it."""

    def __init__(self, conninfo: str, folder: Path) -> None:
        self.conninfo = conninfo
        self.path = folder / "night.ndjson"
        self.connection = psycopg.connect(conninfo, autocommit=True, prepare_threshold=None)

    def run(self, *arguments: object) -> Ran:
        return bragbook(*arguments, DATABASE_URL=self.conninfo)

    def count(self) -> int:
        row = self.connection.execute("select count(*) from events").fetchone()
        assert row is not None
        return int(row[0])

    def events(self, session: str) -> list[Event]:
        rows = self.connection.execute(
            "select body, hash from events where session = %s order by seq", [session]
        ).fetchall()
        return [{**json.loads(body), "hash": digest.hex()} for body, digest in rows]


@pytest.fixture(scope="module")
def store(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(database, tmp_path_factory.mktemp("files"))
    yield store
    store.connection.close()
    ran = store.run("verify")
    assert (ran.code, ran.out[:22]) == (0, "All is as it should be"), ran.out


def nights_in(data: bytes) -> list[list[Event | None]]:
    """The nights of a file: its lines, from one `open` of another session to the next; None for a line of no sense."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    whole = _read(data)
    if whole is not None and isinstance(whole.get("events"), list):
        return [whole["events"]]
    nights: list[list[Event | None]] = []
    for line in data.split(b"\n"):
        if line.strip():
            event = _read(line)
            if not nights or _begins_another(event, nights[-1][0]):
                nights.append([])
            nights[-1].append(event)
    return nights


def _begins_another(event: Event | None, first: Event | None) -> bool:
    if event is None or event.get("type") != "open":
        return False
    return first is None or _session(event) is None or _session(event) != _session(first)


def _session(event: Event | None) -> Any:
    return None if event is None else event.get("session")


def _read(line: bytes) -> Event | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def holds(store: Store, data: bytes) -> None:
    """Imports a file, and holds what it says and what came of it against what is in the file."""
    store.path.write_bytes(data)
    before = store.count()
    ran = store.run("import", "--json", store.path)
    reports = [json.loads(line) for line in ran.out.splitlines()]
    nights = nights_in(data)
    assert store.count() - before == sum(report["new"] for report in reports)
    from_a_store = any(_session(event) is not None for night in nights for event in night)
    for report in reports:
        kept = store.events(report["session"])
        assert len(kept) >= report["new"] + report["known"] > 0
        # Not asserted as it stands, which would have pytest show how two lists of megabytes differ.
        whole = kept in nights if from_a_store else len(kept) in [len(night) for night in nights]
        assert whole, f"{len(kept)} events of {report['session']} are no night of the file: {report}"
    says_what_is_wrong(store, ran, data)


def can_be_read(store: Store, data: bytes) -> None:
    """The same file, offline."""
    for command in ("audit", "replay"):
        ran = store.run(command, store.path)
        assert ran.code in (0, 1, 2)
        assert len(ran.err.splitlines()) <= max(1, len(nights_in(data)))


def says_what_is_wrong(store: Store, ran: Ran, data: bytes) -> None:
    complaints = ran.err.splitlines()
    assert ran.code in ((1, 2) if complaints else (0,)), ran
    for complaint in complaints:
        said = re.fullmatch(rf"bragbook: {re.escape(str(store.path))}(?::(\d+)|: event (\d+))?:? (.+)", complaint)
        assert said is not None, complaint
        assert len(complaint) < 1_000
        if said[1] is not None:
            assert 1 <= int(said[1]) <= data.count(b"\n") + 1
        elif said[2] is None:
            assert said[3].startswith(NO_LINE), complaint


A_FILE = {
    "kind": st.sampled_from(sorted(KINDS)),
    "damage": st.lists(st.sampled_from(DAMAGE), max_size=3),
    "seed": st.integers(0, 2**32 - 1),
}
QUIETLY = {
    "database": None,
    "phases": [Phase.generate],
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}


def damaged(kind: str, damage: list[Damage], seed: int) -> bytes:
    dice = Random(seed)
    data = KINDS[kind](dice)
    return after(damage, data, dice)


def after(damage: list[Damage], data: bytes, dice: Random) -> bytes:
    for happens in damage:
        data = happens(data, dice)
    if currently_in_test_context():
        note(f"{[happens.__name__ for happens in damage]}: {data[:3_000]!r}")
    return data


@settings(max_examples=40, derandomize=True, **QUIETLY)
@given(**A_FILE)
def test_a_file(store: Store, kind: str, damage: list[Damage], seed: int) -> None:
    data = damaged(kind, damage, seed)
    holds(store, data)
    can_be_read(store, data)


@pytest.mark.soak
@settings(max_examples=3_000, **QUIETLY)
@given(**A_FILE)
def test_very_many_files(store: Store, kind: str, damage: list[Damage], seed: int) -> None:
    data = damaged(kind, damage, seed)
    holds(store, data)
    can_be_read(store, data)


# --- in pieces --------------------------------------------------------------------------------------------------------

SEVERAL = {name: what for name, what in A_FILE.items() if name != "kind"}


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is large sooner than it is: every other night of a few is in a piece of its own."""
    for module in (event_pieces, transfer):
        monkeypatch.setattr(module, "LARGE", SMALL_PIECE)


@pytest.fixture
def on_one_core(in_pieces: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_cores, "_cores", lambda: 1)


def several(damage: list[Damage], seed: int, fewest: int, most: int) -> bytes:
    dice = Random(seed)
    data = b"".join(line + b"\n" for _ in range(dice.randint(fewest, most)) for line in a_stored_night(dice))
    return after(damage, data, dice)


@settings(max_examples=20, derandomize=True, **QUIETLY)
@given(**SEVERAL)
def test_a_file_in_pieces(store: Store, on_one_core: None, damage: list[Damage], seed: int) -> None:
    holds(store, several(damage, seed, 2, 6))


@pytest.mark.parametrize("damage", [flipped, pytest.param(resealed, marks=pytest.mark.soak)])
def test_a_file_on_all_cores(store: Store, in_pieces: None, damage: Damage) -> None:
    """With real processes, which take a second or two to start."""
    holds(store, several([damage], 1, 10, 14))
    assert len(list(event_pieces.pieces(str(store.path)))) > all_cores.FEW, "it was done before they had started"


@pytest.mark.soak
@settings(max_examples=600, **QUIETLY)
@given(**SEVERAL)
def test_very_many_files_in_pieces(store: Store, on_one_core: None, damage: list[Damage], seed: int) -> None:
    holds(store, several(damage, seed, 2, 6))


@pytest.mark.soak
@settings(max_examples=40, **QUIETLY)
@given(**SEVERAL)
def test_many_large_files_as_they_are(store: Store, damage: list[Damage], seed: int) -> None:
    """Of some megabytes, on all cores."""
    holds(store, several(damage, seed, 300, 400))


# --- what is said -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("large", [False, True])
def test_the_line_that_was_changed_is_the_one_that_is_named(
    store: Store, seed: int, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        for module in (event_pieces, transfer):
            monkeypatch.setattr(module, "LARGE", SMALL_PIECE)
    dice = Random(seed)
    lines = [line for _ in range(3) for line in a_stored_night(dice)]
    at = dice.randrange(len(lines))
    changed = bytearray(lines[at])
    changed[dice.randrange(len(changed))] = dice.choice(b"#~^")
    store.path.write_bytes(b"\n".join([*lines[:at], bytes(changed), *lines[at + 1 :]]))
    ran = store.run("import", store.path)
    assert ran.code in (1, 2)
    assert ran.err.startswith(f"bragbook: {store.path}:{at + 1}: ")
    assert ran.err.count("\n") == 1


def test_what_has_no_end_is_given_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (event_pieces, transfer):
        monkeypatch.setattr(module, "LARGE", SMALL_PIECE)
    monkeypatch.setattr(event_pieces, "LARGEST", 20 * SMALL_PIECE)
    before = store.count()
    ran = store.run("import", "/dev/zero")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("bragbook: /dev/zero: ")
    night = b"".join(line + b"\n" for line in a_stored_night(Random(0)))
    for more in (b" " * 1_000_000, b"{}\n" * 300_000):
        store.path.write_bytes(night + more)
        ran = store.run("import", store.path)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert re.match(rf"bragbook: {re.escape(str(store.path))}:\d+: there are ", ran.err)
    assert store.count() == before
