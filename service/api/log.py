"""The log of heads: what the instance has signed, for everyone to hold against what they were given."""

from __future__ import annotations

from typing import Final

import marshmallow as ma
from flask import Response
from marshmallow import fields, validate

from service.api import schemas
from service.api.answers import answer
from service.api.asks import Ask, asks
from service.api.auth import ANYONE
from service.api.problems import refuse
from service.api.resource import Resource

blueprint = Resource("log", __name__, url_prefix="/api/v1", description="Signed heads, and the log of all heads.")

MOST_LEAVES: Final = 1000
MOST: Final = 2**53 - 1
"""The largest number that every reader of JSON keeps exact."""
_NOTE: Final = "text/plain; charset=utf-8"


class Rollback(ma.Schema):
    accepted_at = fields.String(required=True, metadata={"format": "date-time"})
    checkpoint = fields.String(required=True, metadata={"description": "that had been given out, as signed"})
    size = fields.Integer(required=True, metadata={"description": "of the log when it was accepted"})
    reason = fields.String(required=True)


class LogOfHeads(ma.Schema):
    origin = fields.String(required=True, metadata={"description": "the instance's name"})
    size = fields.Integer(required=True, metadata={"description": "how many heads are in the log"})
    checkpoint = fields.String(required=True, allow_none=True, metadata={"description": "a signed note"})
    keys = fields.List(fields.String(), required=True, metadata={"description": "public keys, the present one first"})
    key_changes = fields.List(fields.String(), required=True, metadata={"description": "notes signed by both keys"})
    rollbacks = fields.List(fields.Nested(Rollback), required=True)


class ConsistencyQuery(schemas.Strict):
    first = schemas.Whole(required=True, validate=validate.Range(0, MOST), metadata={"description": "a size"})
    second = schemas.Whole(required=True, validate=validate.Range(0, MOST), metadata={"description": "a later one"})


class Consistency(ma.Schema):
    first = fields.Integer(required=True)
    second = fields.Integer(required=True)
    proof = fields.List(fields.String(), required=True, metadata={"description": "hashes in base64 (RFC 6962 §2.1.2)"})


class LeavesQuery(schemas.Strict):
    start = schemas.Whole(load_default=0, validate=validate.Range(0, MOST), metadata={"description": "the first place"})
    limit = schemas.Whole(load_default=500, validate=validate.Range(1, MOST_LEAVES))


class Leaves(ma.Schema):
    start = fields.Integer(required=True)
    hashes = fields.List(fields.String(), required=True, metadata={"description": "of the leaves, in base64"})


class HeadQuery(schemas.Strict):
    version = schemas.Whole(validate=validate.Range(1, MOST), metadata={"description": "by default the present one"})


class SessionHead(ma.Schema):
    version = fields.Integer(required=True)
    head = fields.String(required=True, metadata={"description": "a signed note: origin, session, version, head, time"})
    log_head = fields.String(metadata={"description": "the session's last head in the log, up to this version"})
    log_proof = fields.String(metadata={"description": "that it is there (c2sp.org/tlog-proof)"})


@blueprint.route("/log", methods=["GET"])
@blueprint.response(200, LogOfHeads)
@asks(ANYONE)
def log(ask: Ask) -> Response:
    """The log of heads: who keeps it, its keys, its last checkpoint."""
    return answer(ask.parts.evidence.log())


@blueprint.route("/log/checkpoint", methods=["GET"])
@blueprint.response(200, {"type": "string"}, content_type=_NOTE, description="A signed note (tlog-checkpoint).")
@asks(ANYONE)
def checkpoint(ask: Ask) -> Response:
    """The last checkpoint, as a signed note."""
    signed = ask.parts.evidence.heads.checkpoint()
    if signed is None:
        raise refuse("not_found", "There is no checkpoint yet: nothing was recorded here.")
    return Response(signed.note, content_type=_NOTE)


@blueprint.route("/log/consistency", methods=["GET"])
@blueprint.response(200, Consistency)
@asks(ANYONE, query=ConsistencyQuery)
def consistency(ask: Ask) -> Response:
    """Prove that the log only grew from one size to another."""
    first, second = ask.query["first"], ask.query["second"]
    try:
        proof = ask.parts.evidence.consistency(first, second)
    except ValueError as error:
        raise refuse("request.invalid", str(error)) from None
    return answer({"first": first, "second": second, "proof": proof})


@blueprint.route("/log/leaves", methods=["GET"])
@blueprint.response(200, Leaves)
@asks(ANYONE, query=LeavesQuery)
def leaves(ask: Ask) -> Response:
    """The hashes of the log's leaves, from which anyone can work out its root."""
    start = ask.query["start"]
    return answer({"start": start, "hashes": ask.parts.evidence.leaf_hashes(start, ask.query["limit"])})


@blueprint.route("/sessions/<session_id>/head", methods=["GET"])
@blueprint.response(200, SessionHead)
@asks("read the session", query=HeadQuery)
def head(ask: Ask) -> Response:
    """The session's signed head, with the proof that the log of heads has it."""
    sessions, evidence = ask.parts.sessions, ask.parts.evidence
    version = ask.query.get("version") or sessions.version(ask.session, by=ask.by)
    found = sessions.events(ask.session, version - 1, 1, by=ask.by)
    if not found:
        raise refuse("not_found", f"The session has no event {version} yet.")
    evidence.keeper.enter_now([ask.session])
    proof = evidence.log_proof(ask.session, version)
    return answer({"version": version, "head": evidence.head(ask.session, found[0]), **proof})
