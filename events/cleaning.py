"""One event as a client sends it, read into the form in which it is stored (contract.md §3)."""

from __future__ import annotations

from events.amounts import AmountError, Unit, kept, read_decimal, write_decimal
from events.cards import card_name, parse_card
from events.refusals import Refusal, Refused, invalid
from events.texts import writable
from events.times import utc
from events.vocabulary import (
    BY_NAME,
    COMMON,
    GREATEST_NUMBER,
    LONGEST_TEXT,
    MOST_CARDS,
    MOST_SEQS,
    Field,
    of_this_game,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def clean(raw: Any, game: str, rules: dict[str, Any], unit: Unit) -> dict[str, Any]:
    """One event as sent -> the same in the form that is stored: cards `Ks`, amounts `2.5`, times in UTC.

    Raises Refused: `event.unknown_type`, `event.not_this_game`, `event.invalid`, `amount.*`.
    """
    if not isinstance(raw, dict):
        raise Refused(invalid({"event": ["is an object with a `type`"]}))
    name = raw.get("type")
    if not isinstance(name, str):
        raise Refused(invalid({"type": ["is missing"]} if name is None else {"type": ["is a text"]}))
    if name == "open":
        raise Refused(invalid({"type": ["`open` is written by the service when the session is opened"]}))
    if name not in BY_NAME:
        raise Refused(Refusal("event.unknown_type", f"there is no event of type {name[:40]!r}", "contract.md §3"))
    if not of_this_game(name, game, rules):
        raise Refused(
            Refusal("event.not_this_game", f"a {game} table that agreed on these rules has no {name}", "contract.md §3")
        )
    event, errors, amount_faults = _read_fields(raw, name, game, unit)
    _check_shape(event, errors)
    if errors:
        raise Refused(invalid(errors))
    for code in ("amount.not_exact", "amount.not_positive", "amount.not_chip"):
        for fault_code, field, message in amount_faults:
            if fault_code == code:
                raise Refused(Refusal(code, f"{field}: {message}", "rules.md §1", actual=_shown(raw.get(field))))
    return event


_forms: dict[tuple[str, str], tuple[dict[str, Field], list[str]]] = {}


def _form(kind: str, game: str) -> tuple[dict[str, Field], list[str]]:
    """The fields that an event of a type may have in a game, by name, and the names of those that it must have."""
    form = _forms.get((kind, game))
    if form is None:
        fields = [field for field in BY_NAME[kind].fields + COMMON if game in field.games]
        form = {field.name: field for field in fields}, [field.name for field in fields if field.required]
        _forms[(kind, game)] = form
    return form


def _read_fields(
    raw: dict[str, Any], kind: str, game: str, unit: Unit
) -> tuple[dict[str, Any], dict[str, list[str]], list[tuple[str, str, str]]]:
    fields, required = _form(kind, game)
    event: dict[str, Any] = {"type": kind}
    errors: dict[str, list[str]] = {}
    amount_faults: list[tuple[str, str, str]] = []
    for name in raw:
        if name == "type":
            continue
        field = fields.get(name)
        if field is None:
            errors[name if isinstance(name, str) else repr(name)] = [f"is not a field of {kind}"]
            continue
        try:
            event[name] = _READERS[field.kind](field, raw[name], unit)
        except AmountError as error:
            if error.code == "event.invalid":
                errors[name] = [str(error)]
            else:
                amount_faults.append((error.code, name, str(error)))
                event[name] = None
        except ValueError as error:
            errors[name] = [str(error)]
    for name in required:
        if name not in event and name not in errors:
            errors[name] = ["is missing"]
    return event, errors, amount_faults


def _check_shape(event: dict[str, Any], errors: dict[str, list[str]]) -> None:
    """What fields ask of one another."""
    if event["type"] == "swap" and not errors:
        for take, name in (("up", "give"), ("all", "leave")):
            if event["take"] == take and name not in event:
                errors[name] = [f"is missing: with `{take}`, say which card"]
            if event["take"] != take and name in event:
                errors[name] = [f"goes with `take`: `{take}`"]
    if event["type"] == "pay" and not errors and event["from"] == event["to"]:
        errors["to"] = ["is who paid: name two players"]


def _shown(value: Any) -> Any:
    return str(value) if isinstance(value, float) else value


def is_player_id(value: Any) -> bool:
    """Whether it may be a player's id: `[A-Za-z0-9_-]{1,32}` (contract.md §2)."""
    return isinstance(value, str) and 1 <= len(value) <= 32 and not value.strip(_ID_LETTERS)


_ID_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def _player(field: Field, value: Any, unit: Unit) -> str:
    if not is_player_id(value):
        raise ValueError("is a player's id")
    return str(value)


def _players(field: Field, value: Any, unit: Unit) -> list[str]:
    if not isinstance(value, list) or not all(is_player_id(player) for player in value):
        raise ValueError("is a list of players' ids")
    if len(set(value)) < len(value):
        raise ValueError("names a player twice")
    return list(value)


def _amount(field: Field, value: Any, unit: Unit) -> str:
    return unit.text(kept(unit.chips(_positive(value))))


def _positive(value: Any) -> Any:
    """`value`, unless it is an amount of zero or less; which is said before whether it is whole chips."""
    if read_decimal(value)[0] <= 0:
        raise AmountError("amount.not_positive", "must be more than 0")
    return value


def _price(field: Field, value: Any, unit: Unit) -> str:
    return unit.coin_text(kept(unit.coins(_positive(value))))


def _payment(field: Field, value: Any, unit: Unit) -> str:
    """An amount that `session.py` holds to chips or to coins, as the settlement is in: here, exact and positive."""
    significand, places = read_decimal(_positive(value))
    return write_decimal(significand, places)


def _balances(field: Field, value: Any, unit: Unit) -> dict[str, str]:
    if not isinstance(value, dict) or not all(is_player_id(player) for player in value):
        raise ValueError("is an object: player -> amount")
    faults: list[AmountError] = []
    amounts: dict[str, str] = {}
    for player in sorted(value):
        try:
            given = value[player]
            if field.kind == "awards" and unit.chips(given) < 0:
                raise AmountError("amount.not_positive", "may not be less than 0")
            amounts[player] = unit.text(kept(unit.chips(given)))
        except AmountError as error:
            faults.append(AmountError(error.code, f"{player}: {error}"))
    for code in ("event.invalid", "amount.not_exact", "amount.not_positive", "amount.not_chip"):
        for fault in faults:
            if fault.code == code:
                raise fault
    return amounts


def _card(field: Field, value: Any, unit: Unit) -> str:
    return card_name(parse_card(value))


def _cards(field: Field, value: Any, unit: Unit) -> list[str]:
    if not isinstance(value, list) or len(value) > MOST_CARDS:
        raise ValueError("is a list of cards")
    return [card_name(parse_card(card)) for card in value]


def _text(field: Field, value: Any, unit: Unit) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("is a text, and not an empty one")
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"is at most {LONGEST_TEXT} characters")
    if not writable(value):
        raise ValueError("has a character that cannot be written")
    return value


def _choice(field: Field, value: Any, unit: Unit) -> str:
    if not isinstance(value, str) or value not in field.values:
        raise ValueError("is one of " + ", ".join(field.values))
    return value


def _flag(field: Field, value: Any, unit: Unit) -> bool:
    if value is not True and value is not False:
        raise ValueError("is true or false")
    return bool(value)


def _seq(field: Field, value: Any, unit: Unit) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= GREATEST_NUMBER:
        raise ValueError("is a whole number from 1")
    return value


def _seqs(field: Field, value: Any, unit: Unit) -> list[int]:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_SEQS:
        raise ValueError("is a list of the events' seqs, at least one")
    seqs = [_seq(field, seq, unit) for seq in value]
    if len(set(seqs)) < len(seqs):
        raise ValueError("names an event twice")
    return seqs


def _uuid(field: Field, value: Any, unit: Unit) -> str:
    if isinstance(value, str) and len(value) == 36:
        text = value.lower()
        digits = text.replace("-", "")
        dashed = text[8] == "-" and text[13] == "-" and text[18] == "-" and text[23] == "-"
        if dashed and len(digits) == 32 and not digits.strip("0123456789abcdef"):
            return text
    raise ValueError("is a UUID, 8-4-4-4-12 hexadecimal digits")


def _time(field: Field, value: Any, unit: Unit) -> str:
    return utc(value)


# How a value of each kind is read into the form in which it is stored. Each raises ValueError or AmountError.
_READERS = {
    "player": _player,
    "new_player": _player,
    "players": _players,
    "amount": _amount,
    "price": _price,
    "payment": _payment,
    "balances": _balances,
    "awards": _balances,
    "card": _card,
    "cards": _cards,
    "text": _text,
    "choice": _choice,
    "flag": _flag,
    "seq": _seq,
    "seqs": _seqs,
    "uuid": _uuid,
    "time": _time,
}
