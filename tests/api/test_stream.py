"""GET …/stream: each event once, in order, from where one was, on a real server (contract.md §4)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.api.serving import Service, Stream, eventually
from tests.factories import EventFactory, SessionFactory, worked_example


@pytest.fixture(scope="module")
def service(database: str) -> Iterator[Service]:
    with Service(database, threads=16, stream_keep_alive_seconds=0.5, log_level="error") as service:
        yield service


def open_streams(service: Service) -> float:
    with service.connection() as connection:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    return float(next(line for line in text.splitlines() if line.startswith("bragbook_streams_open ")).split()[1])


@pytest.fixture
def opened(service: Service) -> dict[str, Any]:
    """A table that nobody watches yet, as nobody watches any other."""
    eventually(lambda: open_streams(service) == 0)
    return service.open(SessionFactory())


def record(service: Service, opened: dict[str, Any], *events: Any) -> list[dict[str, Any]]:
    path = f"/api/v1/sessions/{opened['id']}/events"
    status, _, answer = service.ask("POST", path, list(events), opened["tokens"]["record"])
    assert status == 201, answer
    return list(answer["events"])


def stream(service: Service, opened: dict[str, Any], after: int | None = None) -> Stream:
    return Stream(service, opened["id"], opened["tokens"]["view"], after)


def test_what_was_stored_comes_first_and_then_each_event_as_it_is_stored(
    service: Service, opened: dict[str, Any]
) -> None:
    first = record(service, opened, *worked_example()[:3])
    with stream(service, opened) as watching:
        assert watching.answer.status == 200
        assert watching.answer.headers["Content-Type"] == "text/event-stream"
        assert watching.answer.headers["Cache-Control"] == "no-store"
        assert watching.event()["type"] == "open"
        assert [watching.event() for _ in first] == first
        for event in worked_example()[3:]:
            stored = record(service, opened, event)
            assert watching.event() == stored[0]


def test_a_stream_goes_on_after_the_last_event_received(service: Service, opened: dict[str, Any]) -> None:
    stored = record(service, opened, *worked_example())
    with stream(service, opened, after=9) as watching:
        assert [watching.event() for _ in range(4)] == stored[-4:]
    with stream(service, opened, after=13) as watching:
        later = record(service, opened, EventFactory())
        assert watching.event() == later[0]


def test_many_watch_and_each_gets_every_event_once_and_in_order(service: Service, opened: dict[str, Any]) -> None:
    watchers = [stream(service, opened, after=1) for _ in range(4)]
    try:
        with ThreadPoolExecutor(len(watchers)) as pool:
            seen = [pool.submit(lambda w=watcher: [w.event()["seq"] for _ in range(300)]) for watcher in watchers]
            for number in range(100):
                record(service, opened, *[EventFactory(text=f"{number}.{part}") for part in range(3)])
            for result in seen:
                assert result.result(60) == list(range(2, 302))
    finally:
        for watcher in watchers:
            watcher.close()


def test_who_hears_nothing_is_told_that_the_service_is_there(service: Service, opened: dict[str, Any]) -> None:
    with stream(service, opened, after=1) as watching:
        assert watching.comment() == "watching"
        assert watching.comment() == "still here"
        assert watching.comment() == "still here"


def test_a_client_that_goes_frees_its_place(service: Service, opened: dict[str, Any]) -> None:
    watchers = [stream(service, opened) for _ in range(4)]  # half of the half of 16 threads: what one token may
    assert open_streams(service) == 4
    refused = stream(service, opened)
    assert refused.answer.status == 429
    assert int(refused.answer.headers["Retry-After"]) >= 1
    refused.close()
    for watcher in watchers:
        watcher.close()
    eventually(lambda: open_streams(service) == 0)
    with stream(service, opened) as again:
        assert again.event()["type"] == "open"


def test_with_all_places_taken_everything_else_is_still_answered(service: Service, opened: dict[str, Any]) -> None:
    tables = [opened, *(service.open(SessionFactory()) for _ in range(2))]
    watchers = [stream(service, tables[number // 3]) for number in range(8)]
    try:
        assert [watcher.answer.status for watcher in watchers] == [200] * 8
        full = stream(service, tables[2])
        assert full.answer.status in {429, 503}
        full.close()
        for _ in range(20):
            record(service, tables[0], EventFactory())
    finally:
        for watcher in watchers:
            watcher.close()


def test_whoever_finds_no_place_gets_that_of_a_client_that_has_gone(database: str) -> None:
    """A phone that loads its page anew and anew: though nothing was to be said to those streams for a long while."""
    with Service(database, threads=16, stream_keep_alive_seconds=600, log_level="error") as service:
        opened = service.open(SessionFactory())
        watchers = [stream(service, opened) for _ in range(4)]
        assert [watcher.event()["seq"] for watcher in watchers] == [1] * 4
        staying, *gone = watchers
        for watcher in gone:
            watcher.close()

        def gets_a_place() -> bool:
            with stream(service, opened) as watching:
                return watching.answer.status == 200

        eventually(gets_a_place)
        later = record(service, opened, EventFactory())
        assert staying.event() == later[0]
        staying.close()


def test_revoking_a_token_ends_its_streams(service: Service, opened: dict[str, Any]) -> None:
    tokens = f"/api/v1/sessions/{opened['id']}/tokens"
    _, _, made = service.ask("POST", tokens, {"kind": "view"}, opened["tokens"]["record"])
    with Stream(service, opened["id"], made["token"]) as watching, stream(service, opened) as other:
        assert watching.event()["seq"] == other.event()["seq"] == 1
        status, _, _ = service.ask("DELETE", f"{tokens}/{made['id']}", token=opened["tokens"]["record"])
        assert status == 204
        assert watching.block() is None
        record(service, opened, EventFactory())
        assert other.event()["seq"] == 2


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 20, "", "1é", "\u0661".encode().decode("latin-1")])
def test_a_place_that_cannot_be_is_refused(service: Service, opened: dict[str, Any], last: str) -> None:
    status, _, problem = service.ask(
        "GET", f"/api/v1/sessions/{opened['id']}/stream", token=opened["tokens"]["view"], **{"Last-Event-ID": last}
    )
    assert (status, problem["code"]) == (400, "request.invalid")
    assert "Last-Event-ID" in problem["detail"]


def test_whoever_saw_more_than_there_is_is_told_to_begin_anew(service: Service, opened: dict[str, Any]) -> None:
    """As after a backup was put back: nothing that is stored from then on would be what they take it for."""
    record(service, opened, EventFactory())
    path, token = f"/api/v1/sessions/{opened['id']}/stream", opened["tokens"]["view"]
    status, _, problem = service.ask("GET", path, token=token, **{"Last-Event-ID": "3"})
    assert (status, problem["code"], problem["expected"], problem["actual"]) == (400, "request.invalid", 2, 3)
    assert "anew" in problem["detail"]
    assert open_streams(service) == 0
    with stream(service, opened, after=2) as watching:
        later = record(service, opened, EventFactory())
        assert watching.event() == later[0]
