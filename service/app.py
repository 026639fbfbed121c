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
    parts = Parts(settings, database, Sessions(database), evidence, Limits(settings), Metrics())
    parts.metrics.watch_pool(database.figures)
    app.extensions[EXTENSION] = parts
    problems.register(app)
    observing.register(app)
    api = openapi.create(app)
    for resource in _RESOURCES:
        api.register_blueprint(resource.blueprint)
    openapi.register(app, api)
    for blueprint in (health.blueprint, documents.blueprint, pages):
        app.register_blueprint(blueprint)
    if settings.trusted_proxies:
        count = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, count, count, count)  # type: ignore[method-assign]
    return app


def close_app(app: Flask) -> None:
    """Ends open streams, and gives the connections back."""
    end_streams(app)
    parts: Parts = app.extensions[EXTENSION]
    parts.evidence.close()
    parts.database.close()


def end_streams(app: Flask) -> None:
    """Ends open streams and takes no new ones: the service is told to stop."""
    parts: Parts = app.extensions[EXTENSION]
    parts.closing.set()
    parts.sessions.close()
