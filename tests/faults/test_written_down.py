"""What is written down of a night: no name, token, card or word of it, whatever goes wrong, in any log."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.factories import SessionFactory, worked_example
from tests.faults.served import PATIENCE_SECONDS, Served, eventually, log_file
from tests.faults.test_killed import a_backend

NAMES = ["Zebedee Quuxworth", "Ötzi-Wombat", "Xanthippe O'Vole", "Ignatz & Krazy"]
WORDS = ["Gallimaufry at the Flugelhorn", "somebody spilled the rhubarb", "Balderdash", "zyzzyva"]
CARDS = ["5s", "6h", "7d", "Kc", "9c", "4c"]
FORMS = [*NAMES, *WORDS, "Quuxworth", "Wombat", "tzi-W", "Xanthippe", "Ignatz", "rhubarb", "Flugelhorn"]


def a_night_and_its_faults(served: Served) -> list[str]:
    """Records one, and asks for much that is refused; every token that was in use."""
    players = [{"id": seat, "name": name} for seat, name in zip("ABCD", NAMES, strict=True)]
    table = served.open(SessionFactory(title=WORDS[0], players=players))
    view, record = table["tokens"]["view"], table["tokens"]["record"]
    assert served.record(table, *worked_example())[0] == 201
    assert served.record(table, {"type": "note", "text": WORDS[1]})[0] == 201
    path = f"/api/v1/sessions/{table['id']}"
    refused: list[Any] = [
        {"type": WORDS[3]},
        {"type": "note", "text": WORDS[1], WORDS[2]: NAMES[0]},
        {"type": "reveal", "player": "B", "cards": [*CARDS, WORDS[3]]},
        {"type": "ante", "player": NAMES[1]},
        {"type": "note", "text": 7, "id": WORDS[3]},
        WORDS[2],
    ]
    for body in refused:
        assert 400 <= served.ask("POST", f"{path}/events", body, record)[0] < 500
    asked = [
        served.ask("POST", f"{path}/events", {"type": "note", "text": WORDS[1]}, view),
        served.ask("GET", f"{path}?at={WORDS[3]}&token={record}", None, record),
        served.ask("GET", f"/api/v1/sessions/{WORDS[3]}", None, record),
        served.ask("GET", f"/api/v1/{record}/{WORDS[2]}"),
        served.ask("GET", path, None, record[:-4] + "0000"),
        served.ask("GET", f"{path}/stream", None, view, **{"Last-Event-ID": WORDS[3]}),
        served.ask("POST", "/api/v1/sessions", SessionFactory(title=WORDS[0], players=[*players, *players])),
        served.ask("DELETE", f"{path}/players/{WORDS[3]}/name", None, record),
    ]
    statuses = [status for status, *_ in asked]
    assert max(statuses) < 500
    assert min(statuses[:6]) >= 400
    return [view, record, *faults_of_the_store(served, players, table)]


def faults_of_the_store(served: Served, players: Any, table: dict[str, Any]) -> list[str]:
    """A statement that Postgres refuses with the row in its words, a backend that dies, a table that is gone."""
    conninfo = make_conninfo(host=str(served.data / "socket"), port=5432, user="bragbook", dbname="bragbook")
    body = SessionFactory(title=WORDS[0], players=players)
    with psycopg.connect(conninfo, autocommit=True) as owner:
        owner.execute("alter table names add constraint nobody check (name not like '%Quuxworth%') not valid")
        assert served.ask("POST", "/api/v1/sessions", body)[0] == 500
        owner.execute("alter table names drop constraint nobody")
    a_backend(served)
    eventually(lambda: served.ask("GET", "/readyz")[0] == 200, "it is ready again")
    again = served.open(body)
    with psycopg.connect(conninfo, autocommit=True) as owner:
        owner.execute("drop table hand_players")
        assert served.record(again, *worked_example())[0] == 500
        owner.execute("drop table names cascade")
        assert served.ask("POST", "/api/v1/sessions", body)[0] == 500
        assert served.ask("GET", f"/api/v1/sessions/{table['id']}", None, table["tokens"]["view"])[0] == 500
    return list(again["tokens"].values())


@pytest.mark.parametrize("level", ["info", pytest.param("debug", marks=pytest.mark.soak)])
def test_no_log_tells_who_played_what(data: Path, folder: Path, level: str) -> None:
    served = Served(data, log_file(folder), log_level=level).start()
    try:
        tokens = a_night_and_its_faults(served)
        process = served.process
        assert process is not None
        assert process.stdout is not None
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)
        on_standard_output = process.stdout.read()
    finally:
        served.stop()
    written = {path: path.read_text(errors="replace") for path in [served.log, *logs_of_postgres(data)]}
    written[Path("standard output")] = on_standard_output
    assert '"status":500' in written[served.log].replace(" ", "")
    assert "ERROR" in written[data / "postgres.log"]
    assert "terminated by signal 9" in written[data / "postgres.log"]
    secrets = [token.split("_", 2)[2] for token in tokens]  # whose letters may be "_" too
    for path, text in written.items():
        for secret in [*secrets, *FORMS]:
            found = [line for line in text.splitlines() if secret.casefold() in line.casefold()]
            assert not found, (path, secret, found)
        cards = [line for line in text.splitlines() if re.search(rf"\b({'|'.join(CARDS)})\b", line)]
        assert not cards, (path, cards)


def logs_of_postgres(data: Path) -> list[Path]:
    """Where Postgres may have written what it says."""
    return [*data.glob("postgres.log*"), *(data / "postgres").glob("log/*")]
