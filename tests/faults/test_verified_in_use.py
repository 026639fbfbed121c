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
from tests.faults.served import PATIENCE_SECONDS


def test_heads_are_entered_while_the_log_of_heads_is_verified(fresh_database: str, tmp_path: Path) -> None:
    store = Database(fresh_database)
    store.open()
    sessions, evidence = Sessions(store), Evidence(store, tmp_path)
    stop, entering = threading.Event(), threading.Event()

    def record() -> None:
        session = sessions.open(SessionFactory()).id
        while not stop.is_set():
            sessions.append(session, [EventFactory()], "r", with_state=False)
            evidence.keeper.enter_now([UUID(session)])
            entering.set()

    recording = threading.Thread(target=record)
    recording.start()
    try:
        assert entering.wait(PATIENCE_SECONDS)
        for _ in range(40):
            assert list(log_faults(store, tmp_path)) == []
    finally:
        stop.set()
        recording.join()
        evidence.close()
        sessions.close()
        store.close()
