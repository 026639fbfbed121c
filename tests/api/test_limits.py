"""So much a minute for each, and no more streams than there are places."""

from __future__ import annotations

import threading

import pytest

from events.refusals import Refused
from service.api.limits import Limits, Rate, Slots
from service.server_settings import ServerSettings


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_minutes_worth_may_come_at_once_and_then_so_many_a_minute() -> None:
    clock = Clock()
    rate = Rate(60, clock)
    assert [rate.wait_seconds("a") for _ in range(60)] == [0.0] * 60
    assert rate.wait_seconds("a") == pytest.approx(1.0)
    clock.now += 1.0
    assert rate.wait_seconds("a") == 0.0
    assert rate.wait_seconds("a") > 0


def test_each_has_its_own() -> None:
    rate = Rate(1, Clock())
    assert rate.wait_seconds("a") == 0.0
    assert rate.wait_seconds("b") == 0.0
    assert rate.wait_seconds("a") > 0


def test_what_is_refused_is_not_counted() -> None:
    clock = Clock()
    rate = Rate(1, clock)
    rate.wait_seconds("a")
    for _ in range(100):
        assert rate.wait_seconds("a") == pytest.approx(60.0)
    clock.now += 60.0
    assert rate.wait_seconds("a") == 0.0


def test_memory_is_bounded_and_who_asks_most_is_remembered() -> None:
    clock = Clock()
    rate = Rate(10, clock)
    for _ in range(10):
        rate.wait_seconds("busy")
    for number in range(60_000):
        rate.wait_seconds(str(number))
    assert len(rate._paid_until) <= 20_001
    assert rate.wait_seconds("busy") > 0


def test_a_refusal_says_the_limit_and_when_to_come_back() -> None:
    limits = Limits(ServerSettings(database_url="", requests_per_minute_by_address=2))
    limits.request_from("192.0.2.7")
    limits.request_from("192.0.2.7")
    with pytest.raises(Refused) as caught:
        limits.request_from("192.0.2.7")
    assert caught.value.refusal.code == "too_many"
    assert caught.value.refusal.expected == 2
    assert caught.value.retry_after == 30
    assert "192.0.2.7" not in caught.value.refusal.detail


def test_streams_take_half_of_the_threads_and_a_token_half_of_those() -> None:
    streams = Limits(ServerSettings(database_url="", threads=8)).streams
    assert streams.total == 4
    streams.take("a")
    streams.take("a")
    with pytest.raises(Refused, match="too_many"):
        streams.take("a")
    streams.take("b")
    streams.take("c")
    with pytest.raises(Refused, match="unavailable"):
        streams.take("d")
    streams.give_back("a")
    streams.take("d")
    assert streams.taken == 4


def test_a_place_is_freed_when_its_holder_fails() -> None:
    slots = Slots(2, "full", "held")
    with pytest.raises(ZeroDivisionError), slots.held("a"):
        raise ZeroDivisionError
    assert slots.taken == 0


def test_no_more_than_the_limit_get_through_at_the_same_time() -> None:
    rate = Rate(1000, Clock())
    through: list[int] = []

    def ask() -> None:
        through.append(sum(rate.wait_seconds("a") == 0.0 for _ in range(500)))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(through) == 1000
