"""For machines that watch over the service: is it alive, can it answer, and how is it doing."""

from __future__ import annotations

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_LATEST

from service.api.answers import answer
from service.api.problems import refuse
from service.parts import parts
from service.store.faults import StoreFault, Unavailable

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def alive() -> Response:
    """Whether the process answers at all; it does."""
    return answer({"status": "ok"})


@blueprint.get("/readyz")
def ready() -> Response:
    """Whether requests can be answered: the database is there and takes events, and the service is not stopping."""
    here = parts()
    if here.closing.is_set():
        raise refuse("unavailable", "The service is stopping.")
    try:
        only_reads = here.database.ask("show transaction_read_only") != [("off",)]
    except (Unavailable, StoreFault):
        raise refuse("unavailable", "The store does not answer.") from None
    if only_reads:
        raise refuse("unavailable", "The store only reads: nothing can be recorded.")
    return answer({"status": "ok"})


@blueprint.get("/metrics")
def metrics() -> Response:
    """What the service counts about itself, for Prometheus."""
    here = parts()
    here.metrics.streams.set(here.limits.streams.taken)
    return Response(here.metrics.text(), content_type=CONTENT_TYPE_LATEST)
