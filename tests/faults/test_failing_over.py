"""A primary that is killed, and its replica that is promoted: what was acknowledged is there, and a service that knows
both of them goes on by itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service import migrate
from tests.faults.checking import check_all_go_on
from tests.faults.kept import Kept, verified
from tests.faults.load import four_recording
from tests.faults.served import Served, eventually, log_file
from tests.replicated import Pair, replicated


@pytest.fixture
def pair() -> Iterator[Pair]:
    """A primary that acknowledges nothing before its replica has it."""
    with replicated() as pair:
        migrate.apply(pair.primary.conninfo)
        pair.primary.ask("alter system set synchronous_standby_names = '*'")
        pair.primary.ask("select pg_reload_conf()")
        eventually(
            lambda: pair.primary.ask("select sync_state from pg_stat_replication") == [("sync",)],
            "the replica is waited for",
        )
        yield pair


def both(pair: Pair) -> str:
    """How to reach whichever of the two takes writes."""
    servers = [conninfo_to_dict(server.conninfo) for server in (pair.primary, pair.replica)]
    return make_conninfo(
        host=",".join(str(server["host"]) for server in servers),
        user=servers[0]["user"],
        dbname=servers[0]["dbname"],
        target_session_attrs="read-write",
    )


def test_the_replica_takes_over_while_tables_record(pair: Pair, tmp_path: Path) -> None:
    """The service is not started again, and nobody tells it."""
    with Served(tmp_path, log_file(tmp_path), both(pair), log_level="error") as served:
        kept = Kept(served)
        kept.records()
        with four_recording(served) as writers:
            pair.primary.stop(signal.SIGKILL)
            kept.is_refused()  # the replica only reads yet
            pair.replica.ask("select pg_promote()")
            check_all_go_on(served, writers)
            kept.records()
            kept.is_whole()
    verified(pair.replica.conninfo)
