"""flask-smorest's blueprint, with types for what is used of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import marshmallow as ma
from flask_smorest import Blueprint

View = TypeVar("View", bound=Callable[..., Any])


class Resource(Blueprint):  # type: ignore[misc]
    """A resource: its addresses, its views, and what is said of them in OpenAPI."""

    def route(self, rule: str, **options: Any) -> Callable[[View], View]:
        """Registers a view under an address."""
        decorator: Callable[[View], View] = super().route(rule, **options)
        return decorator

    def response(
        self, status_code: int, schema: type[ma.Schema] | dict[str, Any] | None = None, **about: Any
    ) -> Callable[[View], View]:
        """Says what a view answers with; the view makes the answer itself."""
        decorator: Callable[[View], View] = super().response(status_code, schema, **about)
        return decorator

    def alt_response(self, status_code: int, **about: Any) -> Callable[[View], View]:
        """Says what else a view may answer with."""
        decorator: Callable[[View], View] = super().alt_response(status_code, **about)
        return decorator
