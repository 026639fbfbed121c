"""A store is verified while tables record in it: nobody is accused of what is only under way."""

from __future__ import annotations

import threading
from pathlib import Path
from uuid import UUID

from service.evidence import Evidence
from service.evidence.checking import log_faults
from service.sessions import Sessions
from service.store.database import Database
from tests.factories import EventFactory, SessionFactory


def test_heads_are_entered_while_the_log_of_heads_is_verified(fresh_database: str, tmp_path: Path) -> None:
    store = Database(fresh_database)
    store.open()
    sessions, evidence, stop = Sessions(store), Evidence(store, tmp_path), threading.Event()
    entered = 0

    def record() -> None:
        nonlocal entered
        session = sessions.open(SessionFactory()).id
        while not stop.is_set():
            sessions.append(session, [EventFactory()], "r", with_state=False)
            evidence.keeper.enter_now([UUID(session)])
            entered += 1

    recording = threading.Thread(target=record)
    recording.start()
    try:
        for _ in range(40):
            assert list(log_faults(store, tmp_path)) == []
    finally:
        stop.set()
        recording.join()
        evidence.close()
        sessions.close()
        store.close()
    assert entered
