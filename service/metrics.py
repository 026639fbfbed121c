"""What the service counts about itself, for Prometheus at `/metrics`. No names, tokens or sessions are in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

# What psycopg's pool says of itself, and how it is called here.
_POOL = {
    "pool_size": "connections open",
    "pool_available": "connections waiting to be used",
    "requests_waiting": "requests waiting for a connection",
    "requests_errors": "requests that got no connection in time",
    "connections_lost": "connections lost",
}


class _Pool(Collector):
    def __init__(self, statistics: Callable[[], dict[str, int]]) -> None:
        self._statistics = statistics

    def collect(self) -> Iterable[GaugeMetricFamily]:
        figures = self._statistics()
        for name, says in _POOL.items():
            yield GaugeMetricFamily(f"bragbook_pool_{name.removeprefix('pool_')}", says, value=figures.get(name, 0))


class Metrics:
    """Counters and clocks of one application; each application has its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "bragbook_requests", "Requests answered", ("route", "method", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "bragbook_request_seconds",
            "Time to answer",
            ("route", "method"),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.appended = Counter("bragbook_events_appended", "Events stored", ("type",), registry=self.registry)
        self.opened = Counter("bragbook_sessions_opened", "Sessions opened", ("game",), registry=self.registry)
        self.refusals = Counter("bragbook_refusals", "Requests refused, by code", ("code",), registry=self.registry)
        self.streams = Gauge("bragbook_streams_open", "Streams open now", registry=self.registry)

    def watch_pool(self, statistics: Callable[[], dict[str, int]]) -> None:
        """Shows the figures of the connection pool, asked for when `/metrics` is read."""
        self.registry.register(_Pool(statistics))

    def text(self) -> bytes:
        """Everything, in the text form that Prometheus reads."""
        return generate_latest(self.registry)
