"""Logs: a line of JSON for everything that happened, with the request's id, on standard error.

What a table says stays at the table: no names, tokens or cards are logged. An exception's message can quote any of
them (a database's quotes the failing row), so that only its kind and the places it came through are written.
"""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import Path
from typing import Any, Final, TextIO, cast

import orjson
import structlog
from structlog.typing import EventDict, WrappedLogger

_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_ROOT: Final = Path(__file__).resolve().parent.parent


def places(error: BaseException) -> list[str]:
    """The way an exception took through the code: `file:line function`, the deepest last."""
    return [
        f"{_short(frame.filename)}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)
    ]


def _short(path: str) -> str:
    try:
        return str(Path(path).resolve().relative_to(_ROOT))
    except ValueError:
        return "/".join(Path(path).parts[-2:])


def _without_messages(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Puts an exception's kind and places where structlog would write its message."""
    error = event.pop("exc_info", None)
    if error is True:
        error = sys.exc_info()[1]
    if isinstance(error, BaseException):
        event["error"] = type(error).__name__
        event["places"] = places(error)
        sqlstate = getattr(error, "sqlstate", None)
        if sqlstate:
            event["sqlstate"] = sqlstate
        if error.__cause__ is not None:
            event["cause"] = type(error.__cause__).__name__
    return event


class _StandardError:
    """Standard error as it is when a line is written: it may be another by then."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


class _Lines(logging.Handler):
    """Python's own logging, which libraries and whatever a command uses too write to, as lines like all others."""

    def emit(self, record: logging.LogRecord) -> None:
        about: dict[str, Any] = {"logger": record.name}
        if record.exc_info:
            about["exc_info"] = record.exc_info[1]
        structlog.get_logger().log(record.levelno, record.getMessage(), **about)


def _json(event: Any, **_: Any) -> str:
    return orjson.dumps(event, default=str).decode()


def configure(level: str = "info", form: str = "json") -> None:
    """Sets up logging for the process. `level`: debug, info, warning, error. `form`: json, text."""
    render: Any = structlog.processors.JSONRenderer(_json) if form == "json" else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _without_messages,
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS.get(level, logging.INFO)),
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", _StandardError())),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    if not any(isinstance(handler, _Lines) for handler in root.handlers):
        root.addHandler(_Lines())
