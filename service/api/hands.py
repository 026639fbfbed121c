"""Hands, one by one, and whether each was right (contract.md §4, §5)."""

from __future__ import annotations

from flask import Response, request

from service.api import schemas
from service.api.answers import answer, unchanged
from service.api.asks import Ask, asks
from service.api.problems import refuse
from service.api.resource import Resource
from service.languages import choose

blueprint = Resource("hands", __name__, url_prefix="/api/v1/sessions", description="Hands, one by one.")

_NUMBER = "<int(min=1, max=9007199254740991):number>"


@blueprint.route("/<session_id>/hands", methods=["GET"])
@blueprint.response(200, schemas.Hands)
@asks("read the session")
def list_hands(ask: Ask) -> Response:
    """List the hands."""
    version, hands = ask.parts.sessions.hands(ask.session, by=ask.by)
    return unchanged(request, str(version)) or answer({"hands": hands}, tag=str(version))


@blueprint.route(f"/<session_id>/hands/{_NUMBER}", methods=["GET"])
@blueprint.response(200, schemas.Hand)
@asks("read the session")
def one_hand(ask: Ask, number: int) -> Response:
    """One hand."""
    version, hand = ask.parts.sessions.hand(ask.session, number, by=ask.by)
    if hand is None:
        raise _no_hand(number)
    return unchanged(request, str(version)) or answer(hand, tag=str(version))


@blueprint.route(f"/<session_id>/hands/{_NUMBER}/audit", methods=["GET"])
@blueprint.response(200, schemas.HandAudit)
@asks("read the session", query=schemas.InLanguage)
def audit_hand(ask: Ask, number: int) -> Response:
    """Audit one hand, from the events alone, and tell its story in the language asked for."""
    language = choose(ask.query.get("language"), None, list(request.accept_languages.values()))
    audited = ask.parts.sessions.audit_hand(ask.session, number, language, by=ask.by)
    if audited is None:
        raise _no_hand(number)
    answered = answer(audited)
    answered.vary.add("Accept-Language")
    answered.content_language.add(language)
    return answered


def _no_hand(number: int) -> Exception:
    return refuse("not_found", f"There is no hand {number} in this session; …/hands lists those there are.")
