"""The quick way to an event's bytes is the same as the one that verifies, and as the standard's."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from events.log import GENESIS, chain_fault, seal
from service.decoding import NewerForm, bodies, whole
from service.sessions.stamping import Stamp, encode, later_than
from service.store.log import Stored
from tests.engine.case_runner import load_cases, play

NIGHTS = sorted((Path(__file__).parent.parent / "nights").glob("*.ndjson"))
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)
NAMES = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ_-0123456789", min_size=1, max_size=32)
VALUES = st.recursive(
    TEXTS | st.integers(-(2**53) + 1, 2**53 - 1) | st.booleans() | st.none(),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(NAMES, values, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, VALUES, max_size=8))
def test_any_event_is_written_alike_by_all_three(event: dict[str, Any]) -> None:
    event.pop("hash", None)
    assert encode(event) == seal(event)[0] == rfc8785.dumps(event)


@pytest.mark.parametrize("path", NIGHTS, ids=lambda path: path.stem)
def test_every_event_of_a_night_is_written_alike(path: Path) -> None:
    session, _ = play(load_cases(path)[0])
    stamp = Stamp(uuid.uuid4(), 0, GENESIS, "", "record-0123456789ab")
    stored = []
    for event in session.events[: session.version]:
        stamped, row = stamp.seal(event)
        assert (row.body, row.hash.hex()) == seal(stamped)
        assert rfc8785.dumps(stamped) == row.body
        stored.append(row.stored())
    assert chain_fault(whole(stored)) is None


def test_a_newer_form_is_not_guessed_at() -> None:
    body = orjson.dumps({"session": "x", "seq": 1, "v": 2, "type": "open"})
    for read in (bodies, whole):
        with pytest.raises(NewerForm, match="form 2"):
            read([Stored(1, body, bytes(32))])


def test_time_goes_on_or_stands_still() -> None:
    now = later_than("")
    assert len(now) == 27
    assert now.endswith("Z")
    assert later_than(now) >= now
    assert later_than("9999-12-31T23:59:59.999999Z") == "9999-12-31T23:59:59.999999Z"
