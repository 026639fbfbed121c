"""What the service counts about itself, for Prometheus at `/metrics`. No names, tokens or sessions are in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
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
    def __init__(self, name: str, statistics: Callable[[], dict[str, int]]) -> None:
        self._name = name
        self._statistics = statistics

    def collect(self) -> Iterable[GaugeMetricFamily]:
        figures = self._statistics()
        for name, says in _POOL.items():
            yield GaugeMetricFamily(f"{self._name}_{name.removeprefix('pool_')}", says, value=figures.get(name, 0))


class _ReplicaReads(Collector):
    def __init__(self, reads: Callable[[], dict[str, int]]) -> None:
        self._reads = reads

    def collect(self) -> Iterable[CounterMetricFamily]:
        says = "Reads that the replica answered whole, or the primary had to: it was behind, or away"
        family = CounterMetricFamily("bragbook_replica_reads", says, labels=["answer"])
        for answer, count in self._reads().items():
            family.add_metric([answer], count)
        yield family


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
        self.registry.register(_Pool("bragbook_pool", statistics))

    def watch_replica(self, statistics: Callable[[], dict[str, int]], reads: Callable[[], dict[str, int]]) -> None:
        """Shows the same of the replica's pool, and how many reads it answered and how many it could not."""
        self.registry.register(_Pool("bragbook_replica_pool", statistics))
        self.registry.register(_ReplicaReads(reads))

    def text(self) -> bytes:
        """Everything, in the text form that Prometheus reads."""
        return generate_latest(self.registry)
