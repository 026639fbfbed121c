"""OpenAPI schemas of events and of a session's body, made from the engine's own lists.

`events.vocabulary` declares every event type and `events.house_rules` every rule that a table may agree; what stands
here is only how a kind of field is written in JSON.
"""

from __future__ import annotations

from typing import Any, Final

from events.house_rules import FEWEST_TO_OPEN, GAMES, MOST_SEATED, HouseRule, rules_of
from events.opening import LONGEST_NAME
from events.vocabulary import COMMON, LONGEST_TEXT, TYPES, EventType, Field
from service.api.schemas import PLAYER_ID, SHA256, component

_ID: Final[dict[str, Any]] = {"type": "string", "pattern": PLAYER_ID}
# A decimal string; whole numbers are taken too. Numbers written with a point are not: 2.0 is not 2.
_POSITIVE: Final[dict[str, Any]] = {
    "anyOf": [{"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?$"}, {"type": "integer", "minimum": 1}],
    "examples": ["2.5", 3],
}
_ANY_AMOUNT: Final[dict[str, Any]] = {
    "anyOf": [{"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"}, {"type": "integer"}],
    "examples": ["-2.5", 3],
}
_CARD: Final[dict[str, Any]] = {
    "type": "string",
    "pattern": "^([2-9TJQKAtjqka]|10)([shdcSHDC♠♥♦♣])$",
    "examples": ["Ks", "10d", "K♠"],
}
_SEQ: Final[dict[str, Any]] = {"type": "integer", "minimum": 1, "maximum": 2**53 - 1}
_BY_PLAYER: Final[dict[str, Any]] = {"type": "object", "propertyNames": _ID}

_KINDS: Final[dict[str, dict[str, Any]]] = {
    "player": _ID,
    "new_player": _ID,
    "players": {"type": "array", "items": _ID, "uniqueItems": True},
    "amount": _POSITIVE,
    "price": _POSITIVE,
    "payment": _POSITIVE,
    "balances": {**_BY_PLAYER, "additionalProperties": _ANY_AMOUNT},
    "awards": {**_BY_PLAYER, "additionalProperties": _ANY_AMOUNT},
    "card": _CARD,
    "cards": {"type": "array", "items": _CARD, "maxItems": 52},
    "text": {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT},
    "choice": {"type": "string"},
    "flag": {"type": "boolean"},
    "seq": _SEQ,
    "seqs": {"type": "array", "items": _SEQ, "minItems": 1, "uniqueItems": True},
    "uuid": {"type": "string", "format": "uuid"},
    "time": {"type": "string", "format": "date-time"},
}


def field_schema(field: Field) -> dict[str, Any]:
    """How a field of an event is written. Raises KeyError for a kind that nobody has said how to write."""
    schema = {**_KINDS[field.kind], "description": _says(field)}
    if field.values:
        schema["enum"] = list(field.values)
    return schema


def _says(field: Field) -> str:
    return field.says if len(field.games) == len(GAMES) else f"{field.says} ({', '.join(field.games)})"


def type_schema(event_type: EventType) -> dict[str, Any]:
    """One type of event, as a client sends it."""
    own = {field.name: field_schema(field) for field in event_type.fields}
    # A field that only some of the type's games have cannot be required of all of them.
    required = [
        field.name for field in event_type.fields if field.required and set(event_type.games) <= set(field.games)
    ]
    return {
        "type": "object",
        "title": event_type.name,
        "description": f"{event_type.says} Games: {', '.join(event_type.games)}.",
        "properties": {
            "type": {"type": "string", "const": event_type.name},
            **own,
            **{field.name: field_schema(field) for field in COMMON},
        },
        "required": ["type", *required],
        "additionalProperties": False,
    }


def component_name(event_type: EventType) -> str:
    """What the type's schema is called among the components."""
    return f"Event.{event_type.name}"


def event_schemas(most_events: int) -> dict[str, dict[str, Any]]:
    """Every component that has to do with events: each type, `Event` and `Events` as sent, `StoredEvent`.

    most_events: how many one request may have.
    """
    schemas = {component_name(event_type): type_schema(event_type) for event_type in TYPES}
    references = {event_type.name: component(component_name(event_type)) for event_type in TYPES}
    schemas["Event"] = {
        "oneOf": list(references.values()),
        "discriminator": {
            "propertyName": "type",
            "mapping": {name: reference["$ref"] for name, reference in references.items()},
        },
        "description": "An event as a client sends it.",
    }
    schemas["Events"] = {
        "anyOf": [
            component("Event"),
            {"type": "array", "items": component("Event"), "minItems": 1, "maxItems": most_events},
        ],
        "description": "One event, or an array that is appended whole or not at all.",
        "examples": [{"type": "bet", "player": "A", "as": "seen", "amount": "2"}],
    }
    schemas["StoredEvent"] = _stored_event()
    return schemas


def _stored_event() -> dict[str, Any]:
    digest = {"type": "string", "pattern": SHA256}
    return {
        "type": "object",
        "description": "An event as stored: what was sent (see `Event`), and these.",
        "properties": {
            "type": {"type": "string", "enum": ["open", *(event_type.name for event_type in TYPES)]},
            "session": {"type": "string", "format": "uuid"},
            "seq": {**_SEQ, "description": "its place in the session, from 1, with no gap"},
            "v": {"type": "integer", "const": 1, "description": "the version of its form"},
            "hand": {"type": "integer", "minimum": 1, "description": "the hand's number, absent outside one"},
            "at": {"type": "string", "format": "date-time", "description": "when it happened"},
            "recorded_at": {"type": "string", "format": "date-time", "description": "when it was stored"},
            "by": {"type": "string", "description": "which credential recorded it"},
            "prev": {**digest, "description": "the hash of the event before; 64 zeros at seq 1"},
            "hash": {**digest, "description": "over the event's RFC 8785 canonical JSON, all fields but this one"},
        },
        "required": ["type", "session", "seq", "v", "recorded_at", "by", "prev", "hash"],
    }


# --- a session's body ---------------------------------------------------------------------------------------------


def rule_schema(rule: HouseRule, game: str) -> dict[str, Any]:
    """How a house rule is written, with the game's default."""
    default = rule.defaults[game]
    schema: dict[str, Any] = {"description": f"{rule.says} ({rule.source})"}
    if rule.kind == "choice":
        schema |= {"type": "string", "enum": list(rule.values)}
    elif rule.kind == "flag":
        schema["type"] = "boolean"
    elif rule.kind == "number":
        schema |= {"type": "integer", "minimum": rule.least, "maximum": rule.most}
    else:
        schema["anyOf"] = _ANY_AMOUNT["anyOf"]
    if rule.optional:
        schema = {"anyOf": [schema, {"type": "null"}], "description": schema.pop("description")}
    if default is not None or rule.optional:
        schema["default"] = default
    return schema


def session_schemas() -> dict[str, dict[str, Any]]:
    """`Session`, the body that opens one, as one form a game."""
    schemas = {f"Session.{game}": _session_of(game) for game in GAMES}
    schemas["Session"] = {
        "oneOf": [component(f"Session.{game}") for game in GAMES],
        "discriminator": {
            "propertyName": "game",
            "mapping": {game: component(f"Session.{game}")["$ref"] for game in GAMES},
        },
        "description": "What opens a session.",
        "examples": [
            {
                "title": "Tuesday at the Crown",
                "game": "three-card",
                "players": [{"id": "A", "name": "Ann"}, {"id": "B", "name": "Bob"}, "C", "D"],
                "rules": {"pots": 8},
            }
        ],
    }
    schemas["PlayerSent"] = {
        "anyOf": [
            {**_ID, "description": "an id that is the name as well"},
            {
                "type": "object",
                "properties": {
                    "id": _ID,
                    "name": {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME},
                },
                "required": ["id"],
                "additionalProperties": False,
            },
        ]
    }
    schemas["UnitSent"] = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 20, "default": "pts"},
            "chip": {**_POSITIVE, "description": "the smallest chip"},
            "coin": {**_POSITIVE, "description": "the smallest coin"},
            "worth": {**_POSITIVE, "description": "what one is in money"},
            "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
        },
        "additionalProperties": False,
    }
    return schemas


def _session_of(game: str) -> dict[str, Any]:
    return {
        "type": "object",
        "title": game,
        "properties": {
            "title": {"type": "string", "maxLength": 200},
            "game": {"type": "string", "const": game},
            "players": {
                "type": "array",
                "items": component("PlayerSent"),
                "minItems": FEWEST_TO_OPEN[game],
                "maxItems": MOST_SEATED[game],
                "description": "in seat order, clockwise",
            },
            "unit": component("UnitSent"),
            "rules": {
                "type": "object",
                "properties": {rule.name: rule_schema(rule, game) for rule in rules_of(game)},
                "additionalProperties": False,
                "description": "only what differs from the game's defaults",
            },
        },
        "required": ["game", "players"],
        "additionalProperties": False,
    }
