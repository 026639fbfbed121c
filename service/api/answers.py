"""What goes out: JSON, versions and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import orjson
from flask import Request, Response

JSON_TYPE: Final = "application/json"
NDJSON_TYPE: Final = "application/x-ndjson"
_TAGS: Final = re.compile(r'(?:W/)?("[^"]*")')


def as_json(data: Any) -> bytes:
    """`data` as JSON. Bytes in it are JSON already: stored events are sent as they were hashed."""
    return orjson.dumps(data, default=_raw)


def _raw(value: Any) -> Any:
    if isinstance(value, (bytes, memoryview)):
        return orjson.Fragment(bytes(value))
    raise TypeError(f"{type(value).__name__} is not JSON")


def answer(data: Any, status: int = 200, tag: str | None = None, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer. `tag`: the version that it shows, for `ETag`."""
    response = Response(as_json(data), status, content_type=JSON_TYPE)
    if tag is not None:
        response.headers["ETag"] = f'"{tag}"'
    for name, value in (headers or {}).items():
        response.headers[name] = value
    return response


def unchanged(request: Request, tag: str) -> Response | None:
    """304 where the client has this version already (`If-None-Match`), else None."""
    given = request.headers.get("If-None-Match", "")
    if given.strip() == "*" or f'"{tag}"' in _TAGS.findall(given):
        response = Response(status=304)
        response.headers["ETag"] = f'"{tag}"'
        return response
    return None


def lines(parts: Iterable[bytes]) -> Response:
    """An NDJSON answer, sent as it is made."""
    return Response(parts, content_type=NDJSON_TYPE)
