"""Work on every session of a store, by several processes at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from uuid import UUID

import pytest

from events.refusals import Refused
from service.commands import all_cores
from service.commands.all_cores import in_batches, on_all_cores
from service.sessions import Sessions
from tests.factories import SessionFactory, worked_example

MANY = 40


def who_and_how_far(sessions: Sessions, asked: Sequence[UUID]) -> list[tuple[UUID, int]]:
    return [(session, sessions.version(session)) for session in asked]


def in_which_process(sessions: Sessions, asked: Sequence[UUID]) -> list[int]:
    return [os.getpid() for _ in asked]


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_cores, "FEW", 1)
    monkeypatch.setattr(all_cores, "AT_A_TIME", 3)
    monkeypatch.setattr(all_cores, "_cores", lambda: 2)


def opened(sessions: Sessions) -> list[UUID]:
    asked = []
    for number in range(MANY):
        session = sessions.open(SessionFactory()).id
        sessions.append(session, worked_example()[: 1 + number % 12], "test", with_state=False)
        asked.append(UUID(session))
    return asked


def test_what_is_done_comes_in_order_from_other_processes(several: None, sessions: Sessions, database: str) -> None:
    asked = opened(sessions)
    done = list(on_all_cores(who_and_how_far, database, sessions, in_batches(asked)))
    assert done == [(session, 2 + number % 12) for number, session in enumerate(asked)]
    processes = set(on_all_cores(in_which_process, database, sessions, in_batches(asked)))
    assert os.getpid() not in processes


def test_what_is_refused_in_another_process_is_refused_here(several: None, sessions: Sessions, database: str) -> None:
    stranger = UUID("01890a5d-ac96-774b-bcce-000000000000")
    with pytest.raises(Refused) as refused:
        list(on_all_cores(who_and_how_far, database, sessions, in_batches([*opened(sessions), stranger])))
    assert refused.value.refusal.code == "not_found"


def test_what_comes_is_asked_for_only_as_it_is_needed(several: None, sessions: Sessions, database: str) -> None:
    """However much there is, little of it is held."""
    asked, ahead = opened(sessions), 0

    def coming() -> Iterator[Sequence[UUID]]:
        nonlocal ahead
        for batch in in_batches(asked):
            ahead += len(batch)
            yield batch

    for number, _ in enumerate(on_all_cores(who_and_how_far, database, sessions, coming())):
        assert ahead - number <= 3 * (2 * all_cores.AHEAD + 3)


def test_a_few_are_done_here(sessions: Sessions, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(all_cores, "ProcessPoolExecutor")
    asked = opened(sessions)
    done = on_all_cores(who_and_how_far, database, sessions, in_batches(asked))
    assert [session for session, _ in done] == asked
