"""The one place where the parts are put together."""

from __future__ import annotations

from typing import Final

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from service.api import (
    club,
    documents,
    events,
    export,
    hands,
    health,
    log,
    nights,
    observing,
    openapi,
    players,
    problems,
    sessions,
    settlement,
    stream,
    tokens,
)  # fmt: skip
from service.api.limits import Limits
from service.evidence import Evidence
from service.metrics import Metrics
from service.parts import EXTENSION, Parts
from service.server_settings import ServerSettings
from service.sessions import Sessions
from service.store.database import Database
from service.store.replica import Replica
from service.web.pages import pages

_RESOURCES: Final = (sessions, events, hands, settlement, stream, export, nights, log, tokens, players, club)


def create_app(settings: ServerSettings) -> Flask:
    """The application on the database that `settings` name, which is up and migrated.

    The pool of connections opens here: after a fork, never before one. `close_app` gives everything back.
    """
    database = Database(settings.database_url, largest=settings.pool_size)
    database.open()
    app = Flask("service", static_folder=None)
    app.url_map.strict_slashes = True
    evidence = Evidence(database, settings.data)
    evidence.keeper.start()
    replica = _replica(settings)
    parts = Parts(settings, database, Sessions(database, replica), evidence, Limits(settings), Metrics(), replica)
    parts.metrics.watch_pool(database.figures)
    if replica is not None:
        parts.metrics.watch_replica(replica.figures, replica.reads)
    app.extensions[EXTENSION] = parts
    problems.register(app)
    observing.register(app)
    api = openapi.create(app, settings.batch_limit_events)
    for resource in _RESOURCES:
        api.register_blueprint(resource.blueprint)
    openapi.register(app, api)
    for blueprint in (health.blueprint, documents.blueprint, pages):
        app.register_blueprint(blueprint)
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, count, count, count)  # type: ignore[method-assign]
    return app


def _replica(settings: ServerSettings) -> Replica | None:
    """The replica that the settings name, open; whether it is there is of no matter."""
    if settings.database_read_url is None:
        return None
    replica = Replica(settings.database_read_url, largest=settings.pool_size)
    replica.open()
    return replica


def close_app(app: Flask) -> None:
    """Ends open streams, and gives the connections back."""
    end_streams(app)
    parts: Parts = app.extensions[EXTENSION]
    parts.evidence.close()
    parts.database.close()
    if parts.replica is not None:
        parts.replica.close()


def end_streams(app: Flask) -> None:
    """Ends open streams and takes no new ones: the service is told to stop."""
    parts: Parts = app.extensions[EXTENSION]
    parts.closing.set()
    parts.sessions.close()
