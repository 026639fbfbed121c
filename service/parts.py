"""What the application is made of, put together in `service.app` and found by its views."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from flask import current_app

if TYPE_CHECKING:
    from service.api.limits import Limits
    from service.evidence import Evidence
    from service.metrics import Metrics
    from service.server_settings import ServerSettings
    from service.sessions import Sessions
    from service.store.database import Database
    from service.store.replica import Replica

EXTENSION = "bragbook"


@dataclass(slots=True)
class Parts:
    """The parts of one application. `closing` is set when the service is told to stop: streams end then."""

    settings: ServerSettings
    database: Database
    sessions: Sessions
    evidence: Evidence
    limits: Limits
    metrics: Metrics
    replica: Replica | None = None
    closing: threading.Event = field(default_factory=threading.Event)


def parts() -> Parts:
    """The parts of the application that answers this request."""
    return cast("Parts", current_app.extensions[EXTENSION])
