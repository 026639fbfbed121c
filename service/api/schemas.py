"""What answers and small bodies look like (contract.md §2 to §5), for OpenAPI and for checking what comes in.

Answers are built by the engine and sent as they are; these schemas describe them and tests hold the answers to the
description. Events and a session's body follow from the engine's own lists: see `event_schemas`.
"""

from __future__ import annotations

import re
from typing import Any, Final

import marshmallow as ma
from marshmallow import fields, validate

from events.audit.checks import CHECKS
from events.cleaning import is_player_id
from events.house_rules import GAMES
from events.opening import LONGEST_NAME
from events.story import LANGUAGES

PLAYER_ID: Final = r"^[A-Za-z0-9_-]{1,32}$"
AMOUNT: Final = r"^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$"
SHA256: Final = r"^[0-9a-f]{64}$"
_DIGITS: Final = re.compile("-?[0-9]{1,20}")
VERDICTS: Final = ("unsound", "disputed", "irregular", "sound")


def component(name: str) -> dict[str, str]:
    """A reference to a schema of `event_schemas`."""
    return {"$ref": f"#/components/schemas/{name}"}


def described_by(name: str, **more: Any) -> fields.Raw:
    """A field whose form another schema says."""
    return fields.Raw(metadata={"allOf": [component(name)]}, **more)


def text_of(says: str, **more: Any) -> fields.String:
    """A text."""
    return fields.String(metadata={"description": says}, **more)


def number_of(says: str, **more: Any) -> fields.Integer:
    """A whole number, written as one."""
    return fields.Integer(strict=True, metadata={"description": says}, **more)


def amount_of(says: str, **more: Any) -> fields.String:
    """A decimal string without trailing zeros."""
    return fields.String(metadata={"description": says, "pattern": AMOUNT}, **more)


def amounts_by_player(says: str, **more: Any) -> fields.Dict:
    """Player's id -> an amount, as `amount_of` has it."""
    return fields.Dict(
        keys=fields.String(), values=fields.String(metadata={"pattern": AMOUNT}), metadata={"description": says}, **more
    )


def players_of(says: str, **more: Any) -> fields.List[Any]:
    """Players' ids."""
    return fields.List(fields.String(), metadata={"description": says}, **more)


# --- what comes in ------------------------------------------------------------------------------------------------


class Strict(ma.Schema):
    """Nothing but what is declared."""

    class Meta:
        unknown = ma.RAISE


class Whole(fields.Integer):
    """A whole number of a query, in plain digits: Python would also read ` 1`, `1_0`, and digits of other scripts."""

    def _validated(self, value: Any) -> int:
        if not isinstance(value, str) or not _DIGITS.fullmatch(value):
            raise self.make_error("invalid", input=value)
        number: int = super()._validated(value)
        return number


class NoQuery(Strict):
    """No parameters."""


class DryRunQuery(Strict):
    dry_run = fields.String(
        load_default="false",
        validate=validate.OneOf(("true", "false")),
        metadata={"description": "all but the storing; the answer says in `effects` what would change"},
    )


class InLanguage(Strict):
    language = fields.String(
        validate=validate.OneOf(LANGUAGES),
        metadata={"description": "of the story; else the first of Accept-Language that there is"},
    )


class StateQuery(Strict):
    at = Whole(
        validate=validate.Range(1, 2**53 - 1),
        metadata={"description": "the state as it was after the event of this seq"},
    )


class EventsQuery(Strict):
    after = Whole(
        load_default=0, validate=validate.Range(0, 2**53 - 1), metadata={"description": "events after this seq"}
    )
    limit = Whole(
        load_default=500, validate=validate.Range(1, 5000), metadata={"description": "at most so many events"}
    )


class SessionsQuery(Strict):
    limit = Whole(load_default=100, validate=validate.Range(1, 1000), metadata={"description": "at most so many"})
    after = fields.UUID(metadata={"description": "sessions after this one: the `next` of the answer before"})
    game = fields.String(validate=validate.OneOf(GAMES), metadata={"description": "of this game only"})


def is_id(value: str) -> None:
    """Raises ValidationError for what can be no player's id."""
    if not is_player_id(value):
        raise ma.ValidationError("must be a player's id: 1 to 32 of A-Z a-z 0-9 _ -.")


class NewToken(Strict):
    kind = fields.String(
        required=True,
        validate=validate.OneOf(("record", "view", "seat")),
        metadata={"description": "what its holder may do"},
    )
    player = fields.String(
        validate=is_id, metadata={"pattern": PLAYER_ID, "description": "whose seat it is, with `seat` only"}
    )


class NewName(Strict):
    name = fields.String(required=True, validate=validate.Length(1, LONGEST_NAME))


# --- what goes out ------------------------------------------------------------------------------------------------


class Problem(ma.Schema):
    """What went wrong: RFC 9457, and the code of contract §7."""

    type = fields.String(
        required=True, metadata={"format": "uri-reference", "description": "where the code is explained"}
    )
    title = text_of("what the code means", required=True)
    status = number_of("the HTTP status", required=True)
    detail = text_of("what it was this time, and what to do", required=True)
    code = text_of("the refusal's code", required=True)
    event = number_of("the index of the event in the array that was sent")
    rule = text_of("where the rule stands, such as `rules.md §4.9`")
    expected = fields.Raw(metadata={"description": "what the rules ask"})
    actual = fields.Raw(metadata={"description": "what was sent"})
    errors = fields.Dict(
        keys=fields.String(), values=fields.List(fields.String()), metadata={"description": "field → messages"}
    )
    request_id = text_of("under which the request was logged")


class Player(ma.Schema):
    name = text_of("the name, or the id where none was given or it was erased", required=True)
    status = fields.String(
        required=True,
        validate=validate.OneOf(("blind", "seen", "folded", "all_in", "in", "knocked", "out", "left")),
    )
    hands = number_of("how many hands the player holds", required=True)
    net = amount_of("over the session", required=True)
    paid = amount_of("into this hand, ante included", required=True)
    lives = number_of("lives left", required=True, allow_none=True)
    stack = amount_of("chips held", required=True, allow_none=True)


class UnitOf(ma.Schema):
    name = text_of("what one is called", required=True)
    chip = amount_of("the smallest chip", required=True)
    coin = amount_of("the smallest coin", required=True)
    worth = amount_of("what one is in money")
    currency = text_of("the money's code")


class State(ma.Schema):
    """The state of a session (contract §4)."""

    id = fields.UUID(required=True)
    game = fields.String(required=True, validate=validate.OneOf(GAMES))
    title = text_of("the session's title", allow_none=True)
    version = number_of("the seq of the last event", required=True)
    closed = fields.Boolean(required=True)
    unit = fields.Nested(UnitOf, required=True)
    rules = fields.Dict(required=True, metadata={"description": "complete, defaults filled in"})
    seats = players_of("clockwise", required=True)
    hand = number_of("the hand's number, or the last one's", required=True, allow_none=True)
    phase = fields.String(
        required=True,
        validate=validate.OneOf(("deal", "ante", "act", "flip", "discard", "choose", "reveal", "closed")),
        metadata={"description": "what is awaited"},
    )
    dealer = text_of("who deals, or dealt last", required=True, allow_none=True)
    to_act = text_of("whose turn it is", required=True, allow_none=True)
    round = number_of("the round", required=True)
    pot = amount_of("all that is in play in the open hand", required=True)
    carried = amount_of("what waits for the next deal, or came from before", required=True)
    level = amount_of("the level of the betting", required=True)
    pots_resolved = number_of("pots resolved", required=True)
    up = text_of("the centre's face-up card", required=True, allow_none=True)
    board = fields.List(fields.String(), required=True, metadata={"description": "the community cards turned"})
    knocker = text_of("who has knocked", required=True, allow_none=True)
    players = fields.Dict(keys=fields.String(), values=fields.Nested(Player), required=True)
    legal = fields.List(fields.Dict(), required=True, metadata={"description": "everything that may be done now"})
    winners = players_of("the session's, once it is closed", required=True, allow_none=True)


class Tokens(ma.Schema):
    record = text_of("may do everything in the session", required=True)
    view = text_of("may read it", required=True)


class Opened(ma.Schema):
    id = fields.UUID(required=True)
    version = number_of("1", required=True)
    tokens = fields.Nested(Tokens, required=True, metadata={"description": "shown this once; only hashes are kept"})
    state = fields.Nested(State, required=True)


class Appended(ma.Schema):
    version = number_of("the session's version now", required=True)
    events = fields.List(described_by("StoredEvent"), required=True, metadata={"description": "as stored"})
    state = fields.Nested(State, required=True)
    head = text_of("the session's signed head, a note; null where it cannot be signed now", allow_none=True)
    effects = fields.Dict(metadata={"description": "with `dry_run`: what would change in hands that are over"})


class EventsPage(ma.Schema):
    events = fields.List(described_by("StoredEvent"), required=True)
    next = number_of("the `after` of the next page", required=True, allow_none=True)


class Shown(ma.Schema):
    cards = fields.List(fields.String(), required=True)
    best = fields.List(fields.String(), required=True)
    category = fields.String(
        required=True, validate=validate.OneOf(("prial", "running_flush", "run", "flush", "pair", "high_card"))
    )


class SidePot(ma.Schema):
    amount = amount_of("what lies in it", required=True)
    players = players_of("who reached it", required=True)
    winners = players_of("who took it", required=True)


class Hand(ma.Schema):
    """One hand (contract §4)."""

    hand = number_of("its number", required=True)
    dealer = text_of("who dealt", required=True)
    result = fields.String(
        required=True, validate=validate.OneOf(("won", "split", "carried", "life", "misdeal", "open"))
    )
    by = fields.String(
        required=True, allow_none=True, validate=validate.OneOf(("see", "showdown", "last_in", "knock", None))
    )
    winners = players_of("in seat order", required=True)
    losers = players_of("who lost a life", required=True)
    pot = amount_of("what lay in it", required=True)
    carried = amount_of("what it hands on", required=True)
    paid = amounts_by_player("what each put in", required=True)
    awards = amounts_by_player("what each took out", required=True)
    net = amounts_by_player("out less in", required=True)
    shown = fields.Dict(keys=fields.String(), values=fields.Nested(Shown), required=True)
    side_pots = fields.List(fields.Nested(SidePot), metadata={"description": "main pot first"})
    board = fields.List(fields.String(), required=True, metadata={"description": "the community cards turned"})
    first = number_of("the seq of the deal", required=True)
    last = number_of("the seq of the event with which it was over", required=True, allow_none=True)


class Hands(ma.Schema):
    hands = fields.List(fields.Nested(Hand), required=True)


class Payment(ma.Schema):
    from_ = fields.String(required=True, data_key="from")
    to = fields.String(required=True)
    amount = amount_of("how much", required=True)


class PaidPayment(Payment):
    seq = number_of("the event that says so", required=True)


class Signature(ma.Schema):
    player = text_of("who agreed", required=True)
    seq = number_of("the event that says so", required=True)
    by = text_of("the credential that recorded it", required=True, allow_none=True)
    covers = fields.Boolean(required=True, metadata={"description": "whether no balance has changed since"})


class Ruling(ma.Schema):
    seq = number_of("the event that rules", required=True)
    decision = fields.String(required=True, validate=validate.OneOf(("upheld", "rejected", "compromise")))
    reason = text_of("why", required=True)
    adjust = amounts_by_player("what it moves", required=True)
    by = text_of("the credential that recorded it", required=True, allow_none=True)


class Dispute(ma.Schema):
    seq = number_of("the event that disputes", required=True)
    hand = number_of("the hand's number now", required=True)
    player = text_of("who disputes", required=True)
    claim = text_of("what they say", required=True)
    open = fields.Boolean(required=True, metadata={"description": "whether nobody has ruled yet"})
    ruling = fields.Nested(Ruling, required=True, allow_none=True)


class Settlement(ma.Schema):
    """Who owes whom (contract §4)."""

    version = number_of("of the session", required=True)
    balances = amounts_by_player("what each is up or down", required=True)
    sum = amount_of("of the balances", required=True)
    in_play = amount_of("what lies in a pot", required=True)
    winners = players_of("the session's", required=True, allow_none=True)
    payments = fields.List(fields.Nested(Payment), required=True)
    paid = fields.List(fields.Nested(PaidPayment), required=True)
    outstanding = fields.List(fields.Nested(Payment), required=True)
    lives = fields.Dict(keys=fields.String(), values=fields.Integer(), required=True, allow_none=True)
    signed = players_of("who agreed since the last change", required=True)
    fewest = fields.Boolean(
        required=True, metadata={"description": "whether the payments are known to be the fewest, not only few"}
    )
    signatures = fields.List(
        fields.Nested(Signature), required=True, metadata={"description": "all, with what each still covers"}
    )
    disputes = fields.List(
        fields.Nested(Dispute), required=True, metadata={"description": "open ones and settled ones"}
    )


class Check(ma.Schema):
    check = fields.String(required=True, validate=validate.OneOf(CHECKS))
    status = text_of("`pass`, `fail`, or why it was not made", required=True)
    detail = text_of("in words", required=True)


class Finding(ma.Schema):
    code = text_of("a refusal's code, or one of the audit's own", required=True)
    severity = fields.String(required=True, validate=validate.OneOf(("error", "warning")))
    hand = number_of("where", allow_none=True)
    seqs = fields.List(fields.Integer())
    players = fields.List(fields.String())
    expected = fields.Raw()
    actual = fields.Raw()
    message = text_of("in words")
    rule = text_of("where the rule stands", allow_none=True)


class Audit(ma.Schema):
    """Whether it was right, from the events alone (contract §5)."""

    version = number_of("of the session", required=True)
    verdict = fields.String(required=True, validate=validate.OneOf(VERDICTS))
    checks = fields.List(fields.Nested(Check), required=True)
    findings = fields.List(fields.Nested(Finding), required=True)
    hands = fields.List(fields.Nested(Hand), required=True)
    owed = fields.List(fields.Nested(Payment), required=True)


class StoryStep(ma.Schema):
    seq = number_of("of the event told; null for what follows from several", allow_none=True)
    type = text_of("of the event, `result` or `owed`", required=True)
    text = text_of("in words", required=True)
    pot = text_of("after it", allow_none=True)
    level = text_of("after it", allow_none=True)
    rule = text_of("where the rule stands", allow_none=True)
    struck = fields.Boolean(metadata={"description": "it was struck out"})


class HandAudit(Audit):
    """Whether one hand was right, and its story."""

    story = fields.List(fields.Nested(StoryStep), required=True)


class TokenMade(ma.Schema):
    id = text_of("public; `by` in an event is this", required=True)
    token = text_of("shown this once; only its hash is kept", required=True)


class TokenListed(ma.Schema):
    id = text_of("public", required=True)
    kind = fields.String(required=True, validate=validate.OneOf(("record", "view", "seat")))
    player = text_of("whose seat", allow_none=True)


class TokenList(ma.Schema):
    tokens = fields.List(fields.Nested(TokenListed), required=True)


class Named(ma.Schema):
    player = fields.String(required=True)
    name = text_of("the name now", required=True)


class SessionListed(ma.Schema):
    id = fields.UUID(required=True)
    title = text_of("the session's title", required=True, allow_none=True)
    game = fields.String(required=True, validate=validate.OneOf(GAMES))
    night = text_of("the date of the night that it began in", required=True)
    players = players_of("in seat order", required=True)
    unit = fields.Nested(UnitOf, required=True)
    opened_at = fields.String(required=True, metadata={"format": "date-time"})
    changed_at = fields.String(required=True, metadata={"format": "date-time"})
    version = number_of("of the session", required=True)
    closed = fields.Boolean(required=True)
    winners = players_of("once it is closed", required=True, allow_none=True)


class SessionList(ma.Schema):
    sessions = fields.List(fields.Nested(SessionListed), required=True)
    next = fields.UUID(required=True, allow_none=True, metadata={"description": "the `after` of the next page"})


class LeaderboardQuery(Strict):
    game = fields.String(validate=validate.OneOf(GAMES), metadata={"description": "of this game only"})
    first_night = fields.Date(metadata={"description": "nights from this date on"})
    last_night = fields.Date(metadata={"description": "nights up to this date"})


class LeaderboardLine(ma.Schema):
    game = fields.String(required=True, validate=validate.OneOf(GAMES))
    person = fields.UUID(required=True, allow_none=True, metadata={"description": "who, where that is known"})
    name = text_of("their name; null where it was erased", required=True, allow_none=True)
    unit = text_of("what is counted in: points, or a currency", required=True, allow_none=True)
    in_money = fields.Boolean(required=True)
    net = amount_of("over all nights", required=True)
    nights = number_of("sessions played", required=True)
    won = number_of("sessions won", required=True)
    hands = number_of("hands dealt in", required=True)
    hands_won = number_of("hands won", required=True)
    lives_lost = number_of("in `lives`", required=True)
    last_night = text_of("the date of the last", required=True)


class Leaderboard(ma.Schema):
    leaderboard = fields.List(fields.Nested(LeaderboardLine), required=True)


class PersonListed(ma.Schema):
    id = fields.UUID(required=True)
    name = text_of("their name; null once erased", required=True, allow_none=True)
    same_as = fields.UUID(required=True, allow_none=True, metadata={"description": "who they turned out to be"})


class PeopleList(ma.Schema):
    people = fields.List(fields.Nested(PersonListed), required=True)


class ChangedPerson(Strict):
    name = fields.String(validate=validate.Length(1, LONGEST_NAME))
    same_as = fields.UUID(allow_none=True, metadata={"description": "who they turned out to be; null: nobody"})


class NightPlayed(ma.Schema):
    session = fields.UUID(required=True)
    night = text_of("the date of the night", required=True)
    game = fields.String(required=True, validate=validate.OneOf(GAMES))
    player = text_of("as whom they sat there", required=True)
    net = amount_of("what they came to", required=True)
    unit = fields.Nested(UnitOf, required=True)
    in_money = fields.Boolean(required=True)


class NightsPlayed(ma.Schema):
    nights = fields.List(fields.Nested(NightPlayed), required=True)
