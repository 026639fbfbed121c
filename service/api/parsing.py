"""What comes in: bodies, queries and headers, read strictly (JSON by `service.strict_json`)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import marshmallow as ma
from flask import Request

from service import strict_json
from service.api.problems import refuse
from service.parts import parts

_DRAIN_BYTES: Final = 16 * 1024 * 1024

_ENTITY_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')
# The version, and behind a point what it is that changed since without an event: a name.
_VERSION_TAG: Final = re.compile(r'"([1-9][0-9]{0,17})(?:\.[0-9a-f]{1,32})?"')
_LONGEST_TAG_SHOWN: Final = 80


def parse_json(body: bytes) -> Any:
    """The value that `body` holds; raises Refused (`request.invalid`) saying what is wrong with it."""
    try:
        return strict_json.parse(body)
    except strict_json.Unreadable as error:
        raise refuse("request.invalid", f"The body cannot be taken: {error}.") from None


def client_address(request: Request) -> str:
    """Under what a client's requests are counted: the address; of IPv6, the network that one household has (/64)."""
    address = request.remote_addr or "unknown"
    if ":" not in address:
        return address[:64]
    try:
        return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False).network_address)
    except ValueError:
        return address[:64]


def read_body(request: Request) -> bytes:
    """The body's bytes; raises Refused where it is larger than the limit (`too_large`), or is not said to be JSON."""
    here = parts()
    limit = here.settings.body_limit_bytes
    length = request.content_length
    if length is not None and length > limit:
        with here.limits.bodies.held(client_address(request)):
            _drain(request, length)
        raise _too_large(limit)
    if request.mimetype != "application/json":
        raise refuse(
            "media_type",
            "Send JSON, with the header Content-Type: application/json.",
            expected="application/json",
            actual=request.mimetype or None,
        )
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if charset not in {"utf-8", "utf8"}:
        raise refuse("media_type", "JSON is UTF-8; send no other charset.", expected="utf-8", actual=charset[:40])
    coding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in {"", "identity"}:
        raise refuse("media_type", "Send the body as it is, not compressed.", expected="identity", actual=coding[:40])
    with here.limits.bodies.held(client_address(request)):
        body = request.stream.read(limit + 1)
    if len(body) > limit:
        raise _too_large(limit)
    return body


def _too_large(limit: int) -> Exception:
    return refuse("too_large", f"A request's body may have {limit} bytes; send it in parts.", expected=limit)


def _drain(request: Request, length: int) -> None:
    """Reads what a client is still sending, so that it gets to read the answer. Past some megabytes it may not."""
    left = min(length, _DRAIN_BYTES)
    while left > 0:
        chunk = request.stream.read(min(left, 65536))
        if not chunk:
            break
        left -= len(chunk)


def read_json(request: Request) -> Any:
    """The request's JSON body, read strictly. Raises Refused."""
    return parse_json(read_body(request))


def read_query(request: Request, schema: ma.Schema) -> dict[str, Any]:
    """The query's parameters by `schema`; unknown ones, and one given twice, are refused. Raises Refused."""
    given: dict[str, str] = {}
    for name, values in request.args.lists():
        if len(values) > 1:
            raise refuse("request.invalid", f"The query has {name[:80]!r} twice.", errors={name: ["is there twice"]})
        given[name] = values[0]
    return load(schema, given, "request.invalid")


def load(schema: ma.Schema, given: Mapping[str, Any], code: str) -> dict[str, Any]:
    """`given` as `schema` reads it; raises Refused with `code` and the messages by field."""
    try:
        loaded: dict[str, Any] = schema.load(given, unknown=ma.RAISE)
    except ma.ValidationError as error:
        errors = _by_field(error.messages)
        detail = "; ".join(f"{name}: {' '.join(messages)}" for name, messages in sorted(errors.items()))
        raise refuse(code, detail[:1000], errors=errors) from None
    return loaded


def _by_field(messages: Any, prefix: str = "") -> dict[str, list[str]]:
    """marshmallow's nested messages as field → messages, nested fields with dots."""
    if isinstance(messages, list):
        return {prefix or "body": [str(message) for message in messages]}
    errors: dict[str, list[str]] = {}
    for name, below in messages.items():
        errors |= _by_field(below, f"{prefix}.{name}"[:120] if prefix else str(name)[:120])
    return errors


@dataclass(frozen=True, slots=True)
class Header:
    """A header that a view reads: how, and what is said of it in OpenAPI."""

    read: Callable[[Request], Any]
    parameter: dict[str, Any]


def if_match(request: Request) -> list[int | str] | None:
    """The versions that the client takes (`If-Match: "n"`, or a list); None where it does not say, or says `*`.

    A tag that is a proper one but not of ours, as a weak one is, stands as it was given, and is no session's version.
    Raises Refused for anything else.
    """
    given = request.headers.get("If-Match")
    if given is None or given.strip() == "*":
        return None
    tags = _ENTITY_TAG.findall(given)
    # A list may have empty places, and a tag may hold commas.
    if not tags or {part.strip() for part in _ENTITY_TAG.sub('""', given).split(",")} - {"", '""'}:
        raise refuse("request.invalid", 'If-Match must be the version in quotes, such as "7".', actual=given[:80])
    return [int(match[1]) if (match := _VERSION_TAG.fullmatch(tag)) else tag[:_LONGEST_TAG_SHOWN] for tag in tags]


def last_event_id(request: Request) -> int:
    """Where a stream goes on: the seq in `Last-Event-ID`; 0 where there is none. Raises Refused."""
    given = request.headers.get("Last-Event-ID")
    if given is None:
        return 0
    # An empty one is refused too: browsers send none, and the server hands over as empty what is not ASCII.
    given = given.strip()
    if not given.isascii() or not given.isdigit() or len(given) > 15:
        raise refuse("request.invalid", "Last-Event-ID must be the seq of the last event received.", actual=given[:80])
    return int(given)


IF_MATCH: Final = Header(
    if_match,
    {
        "in": "header",
        "name": "If-Match",
        "schema": {"type": "string"},
        "description": 'the version that the session must still have, in quotes: `"7"`; a list: one of them; '
        'a weak tag (`W/"7"`) matches none',
    },
)
LAST_EVENT_ID: Final = Header(
    last_event_id,
    {
        "in": "header",
        "name": "Last-Event-ID",
        "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
        "description": "the seq of the last event received: the stream goes on after it",
    },
)
