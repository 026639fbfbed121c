"""What stands in front of every view: reading the request, knowing who asks, and whether they may.

What is wrong is answered in the order of contract.md §7: a request that cannot be read (400), then who asks (401), then
what they may (403), then all else.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import marshmallow as ma
from flask import g, request

from events.refusals import Refused
from service.api import auth, parsing
from service.api.problems import refuse
from service.api.schemas import NoQuery
from service.parts import Parts, parts
from service.server_settings import is_loopback
from service.sessions import Known

View = Callable[..., Any]
NO_SESSION: Final = UUID(int=0)
UUID_FORM: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(slots=True)
class Ask:
    """A request that may be answered: who asks, and what for."""

    parts: Parts
    who: Known | None
    query: dict[str, Any] = field(default_factory=dict)
    body: Any = None
    header: Any = None
    session: UUID = NO_SESSION

    @property
    def by(self) -> Known:
        """Who asks, where only somebody known gets this far."""
        if self.who is None:
            raise LookupError("a view that anyone may ask asks who it is")
        return self.who


def asks(
    permission: str,
    *,
    query: type[ma.Schema] = NoQuery,
    body: type[ma.Schema] | dict[str, Any] | None = None,
    body_says: str = "",
    header: parsing.Header | None = None,
) -> Callable[[View], View]:
    """Makes a view of `view(ask, **path)`: reads the request and holds it against `permission` first.

    body: a schema that the body is loaded with, or a description (an OpenAPI schema) of what the view reads itself;
    None where there is no body. header: one that the view reads. A session in the path is
    `session_id`.
    """
    query_schema = query()
    body_schema = body() if isinstance(body, type) else None

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def guarded(**path: Any) -> Any:
            query = parsing.read_query(request, query_schema)
            read = header.read(request) if header is not None else None
            ask = _ask(permission, body is not None, body_schema, path.pop("session_id", None))
            ask.query, ask.header = query, read
            return view(ask, **path)

        guarded.permission = permission  # type: ignore[attr-defined]
        documentation = deepcopy(getattr(guarded, "_apidoc", {}))
        documentation["arguments"] = _documented(query, header, body, body_says)
        documentation.setdefault("manual_doc", {})["security"] = _security(permission)
        guarded._apidoc = documentation  # type: ignore[attr-defined]
        return guarded

    return decorate


def _ask(permission: str, has_body: bool, body_schema: ma.Schema | None, session_id: str | None) -> Ask:
    """The request, its body read, and permitted. Raises Refused."""
    body: Any = None
    later: Refused | None = None
    if has_body:
        try:
            body = parsing.read_json(request)
        except Refused as refused:
            if refused.refusal.code == "request.invalid":
                raise
            later = refused  # too large, or not JSON: by the order of the codes, who asks is looked at first
    here = parts()
    session = _session_of(session_id)
    who = identify(here, permission, session)
    if session_id is not None and session is None:
        raise refuse("not_found", "There is no session of this id.")
    if later is not None:
        raise later
    if body_schema is not None:
        if not isinstance(body, dict):
            raise refuse("request.invalid", "The body must be a JSON object.")
        body = parsing.load(body_schema, body, "event.invalid")
    return Ask(here, who, body=body, session=session or NO_SESSION)


def _session_of(session_id: str | None) -> UUID | None:
    """The session in the path; None where there is none, or what stands there can be no session's id."""
    if session_id is None or not UUID_FORM.fullmatch(session_id):
        return None
    return UUID(session_id)


def identify(here: Parts, permission: str, session: UUID | None) -> Known | None:
    """Who asks, and that they may; None where nobody needs to be known. Raises Refused."""
    if auth.ANYONE in auth.PERMISSIONS[permission]:
        return None
    token = auth.bearer(request)
    if token is None:
        if permission == "open a session" and here.settings.loopback_only and _on_this_machine():
            return None
        raise auth.missing()
    who = here.sessions.credential(token)
    if who is None:
        raise auth.unknown()
    here.limits.request_with(who.id)
    g.by = who.id
    auth.check(here.sessions, who, permission, session)
    return who


def _on_this_machine() -> bool:
    """Whether the request was made to this machine by its own name.

    A page from elsewhere whose name was pointed at 127.0.0.1, and a proxy that lets others in, come under another name.
    """
    host = request.host.rsplit(":", 1)[0] if not request.host.endswith("]") else request.host
    return is_loopback(host.strip("[]"))


# --- for OpenAPI --------------------------------------------------------------------------------------------------


def _documented(
    query: type[ma.Schema], header: parsing.Header | None, body: type[ma.Schema] | dict[str, Any] | None, says: str
) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [] if header is None else [header.parameter]
    if query is not NoQuery:
        parameters.append({"in": "query", "schema": query})
    if body is not None:
        parameters.append({"in": "json", "required": True, "schema": body, "description": says or "The body."})
    return {"parameters": parameters} if parameters else {}


def _security(permission: str) -> list[dict[str, list[str]]]:
    if auth.ANYONE in auth.PERMISSIONS[permission]:
        return []
    open_too: list[dict[str, list[str]]] = [{}] if permission == "open a session" else []
    return [{"bearer": []}, *open_too]
