"""The rules that a table can agree, per game, with their defaults and limits.

They are agreed in the session's `open` event, complete, before the first deal (rules.md, first paragraph).
"""

from __future__ import annotations

from events.amounts import PLACES, AmountError, Unit, kept, read_decimal, write_decimal
from events.refusals import Refusal, Refused, invalid
from events.texts import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GAMES = ("lives", "community", "three-card")

# How many may open a session, and how many cards a player and the centre take at most. rules.md §2, §3, §4.
FEWEST_TO_OPEN = {"lives": 3, "community": 3, "three-card": 2}
MOST_SEATED = {"lives": 10, "community": 16, "three-card": 16}
FOUR_PRIVATE_CARDS_MOST = 12


class HouseRule:
    """One rule that a table may agree.

    kind: "choice" (`values`), "flag", "number" (whole, `least` to `most`), or "amount" (a decimal string in units,
    whole chips; `least` 0 or 1 chip; `optional` takes null: no such limit). defaults: game -> default; the games
    named there have the rule. says: what it does, in a line. source: where in rules.md.
    """

    __slots__ = ("name", "kind", "defaults", "says", "source", "values", "least", "most", "optional")

    def __init__(
        self,
        name: str,
        kind: str,
        defaults: dict[str, Any],
        says: str,
        source: str,
        values: tuple[str, ...] = (),
        least: int = 0,
        most: int = 0,
        optional: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind
        self.defaults = defaults
        self.says = says
        self.source = source
        self.values = values
        self.least = least
        self.most = most
        self.optional = optional

    def agreed(self, value: Any, unit: Unit) -> Any:
        """`value` in the form in which it is stored. Raises ValueError with what is wrong with it."""
        if value is None or (self.optional and value == "none"):
            if self.optional:
                return None
            raise ValueError("may not be null")
        if self.kind == "choice":
            if value not in self.values:
                raise ValueError("is one of " + ", ".join(self.values))
            return value
        if self.kind == "flag":
            if value is not True and value is not False:
                raise ValueError("is true or false")
            return value
        if self.kind == "number":
            if isinstance(value, bool) or not isinstance(value, int):
                raise ValueError("is a whole number")
            if not self.least <= value <= self.most:
                raise ValueError(f"is from {self.least} to {self.most}")
            return value
        try:
            chips = kept(unit.chips(value))
        except AmountError as error:
            raise ValueError(str(error)) from None
        if chips < self.least:
            raise ValueError("must be more than 0" if self.least else "may not be negative")
        return unit.text(chips)


def _each(value: Any) -> dict[str, Any]:
    return {"lives": value, "community": value, "three-card": value}


HOUSE_RULES = (
    HouseRule(
        "top_prial",
        "choice",
        {"lives": "threes", "three-card": "threes", "community": "threes"},
        "the best prial: three threes, then aces down to twos; or aces down to twos",
        "rules.md §1",
        values=("threes", "aces"),
    ),
    HouseRule(
        "ace_low_run",
        "choice",
        {"lives": "highest", "three-card": "highest", "community": "lowest"},
        "where A-2-3 stands among the runs: above A-K-Q, right below it, or lowest",
        "rules.md §1",
        values=("highest", "second", "lowest"),
    ),
    HouseRule(
        "ace_king_queen",
        "flag",
        {"lives": True, "three-card": True, "community": False},
        "whether A-K-Q is a run",
        "rules.md §1",
    ),
    HouseRule(
        "suit_tiebreak",
        "flag",
        {"lives": True, "three-card": False, "community": False},
        "whether hands equal in every rank are split by the suit of the highest card",
        "rules.md §1",
    ),
    HouseRule("wild", "choice", _each("none"), "whether deuces stand for any card", "rules.md §1", ("none", "deuces")),
    HouseRule(
        "stake_limit",
        "amount",
        _each(None),
        "the most that one player may put into one hand",
        "rules.md §5",
        least=1,
        optional=True,
    ),
    HouseRule("lives", "number", {"lives": 3}, "lives at the start", "rules.md §2", least=1, most=99),
    HouseRule("stake", "amount", {"lives": "0"}, "what each pays into the match, for the last one in", "rules.md §2"),
    HouseRule(
        "ante",
        "amount",
        {"community": "1", "three-card": "1"},
        "what everyone dealt in pays each hand",
        "rules.md §3.1",
        least=1,
    ),
    HouseRule(
        "step",
        "amount",
        {"community": "1", "three-card": "1"},
        "levels are whole multiples of it",
        "rules.md §3.4",
        least=1,
    ),
    HouseRule(
        "min_bet", "amount", {"community": None}, "the least opening and the least raise", "rules.md §3.4", least=1
    ),
    HouseRule(
        "max_raise",
        "amount",
        {"community": None, "three-card": "5"},
        "the most that one bet may add to the level",
        "rules.md §3.4",
        least=1,
        optional=True,
    ),
    HouseRule(
        "max_raise_times",
        "number",
        {"community": None},
        "the most a new level may be, as a multiple of the one it raises",
        "rules.md §3.4",
        least=2,
        most=1000,
        optional=True,
    ),
    HouseRule("max_players", "number", {"community": 8}, "the most dealt in", "rules.md §3", least=3, most=16),
    HouseRule("community_cards", "number", {"community": 3}, "cards in the centre", "rules.md §3", least=3, most=4),
    HouseRule("private_cards", "number", {"community": 3}, "cards dealt to each", "rules.md §3", least=3, most=4),
    HouseRule(
        "blind_until_last", "flag", {"community": False}, "nobody looks before the last card is turned", "rules.md §3"
    ),
    HouseRule(
        "see_blind",
        "flag",
        {"community": True, "three-card": False},
        "whether a seen player may see a blind one",
        "rules.md §3.5",
    ),
    HouseRule(
        "bank",
        "choice",
        {"community": "ledger"},
        "a tab that is settled at the end, or chips bought first",
        "rules.md §3.8",
        values=("ledger", "chips"),
    ),
    HouseRule(
        "side_pots", "flag", {"community": False}, "players short of chips go all in; needs chips", "rules.md §3"
    ),
    HouseRule(
        "pots",
        "number",
        {"three-card": 8},
        "pots resolved that end the match; 0: played until closed",
        "rules.md §4.1",
        most=9999,
    ),
    HouseRule("min_open", "amount", {"three-card": "1"}, "the least opening level", "rules.md §4.4", least=1),
    HouseRule("max_open", "amount", {"three-card": "5"}, "the highest opening level", "rules.md §4.4", least=1),
    HouseRule(
        "see_price",
        "choice",
        {"three-card": "double"},
        "what seeing costs: double, or the rate the payer bets at",
        "rules.md §4.8",
        values=("double", "single"),
    ),
    HouseRule(
        "all_seen", "flag", {"three-card": False}, "practice: everyone has looked as soon as dealt in", "rules.md §4.8"
    ),
)


def rules_of(game: str) -> list[HouseRule]:
    """The house rules that `game` has, in the order in which they are shown."""
    return [rule for rule in HOUSE_RULES if game in rule.defaults]


def default_chip(game: str) -> str:
    """The smallest chip where the session does not name one (rules.md §1, amounts)."""
    return "1" if game == "lives" else "0.5"


def most_dealt_in(game: str, rules: dict[str, Any]) -> int:
    """How many players a deal may have (rules.md §2, §3, §4)."""
    return rules["max_players"] if game == "community" else MOST_SEATED[game]


def agree(game: str, differing: Any, unit: Unit) -> dict[str, Any]:
    """The complete rules of a table that agreed on `differing` from the game's defaults.

    Amounts come back as decimal strings. Raises Refused (`event.invalid`, with the rule's name in `errors`).
    """
    if not isinstance(differing, dict):
        raise Refused(invalid({"rules": ["is an object: rule -> what the table agreed"]}))
    known = {rule.name: rule for rule in rules_of(game)}
    errors: dict[str, list[str]] = {}
    for name in sorted(differing, key=str):
        if name not in known:
            errors[str(name)] = [f"is not a rule of {game}"]
    agreed: dict[str, Any] = {}
    for rule in rules_of(game):
        value = differing.get(rule.name, rule.defaults[game])
        if rule.name == "min_bet" and value is None:
            if "ante" in errors:
                continue
            value = agreed["ante"]
        try:
            agreed[rule.name] = rule.agreed(value, unit)
        except ValueError as error:
            errors[rule.name] = [str(error)]
            if isinstance(value, float):
                errors[rule.name].append("write amounts as strings")
    if not errors:
        errors = _together(game, agreed, unit)
    if errors:
        raise Refused(invalid(errors))
    return agreed


def _together(game: str, agreed: dict[str, Any], unit: Unit) -> dict[str, list[str]]:
    """What is wrong between rules that are each fine alone; the words name the others, which may be the ones given."""
    errors: dict[str, list[str]] = {}

    def chips(name: str) -> int:
        return unit.chips(agreed[name])

    if agreed["stake_limit"] is not None and game != "lives" and chips("stake_limit") < chips("ante"):
        errors["stake_limit"] = ["is less than the ante: raise it, or lower ante"]
    if agreed.get("max_raise") is not None and chips("max_raise") < chips("step"):
        errors["max_raise"] = ["is less than a step: raise it, or lower step"]
    if game == "community":
        if agreed["side_pots"] and agreed["bank"] != "chips":
            errors["side_pots"] = ['needs bank "chips"']
        if agreed["private_cards"] == 4 and agreed["max_players"] > FOUR_PRIVATE_CARDS_MOST:
            errors["max_players"] = [f"is at most {FOUR_PRIVATE_CARDS_MOST} where private_cards is 4"]
        if agreed["max_raise"] is not None and chips("max_raise") < chips("min_bet"):
            errors["max_raise"] = ["is less than min_bet: raise it, or lower min_bet"]
    if game == "three-card":
        step = chips("step")
        if chips("max_open") // step * step < chips("min_open"):
            errors["max_open"] = ["leaves no level to open at: raise it, or lower min_open or step"]
    return errors


def players_error(game: str, rules: dict[str, Any], count: int) -> str | None:
    """What is wrong with opening `game` with `count` players, or None (rules.md §1, how many)."""
    fewest, most = FEWEST_TO_OPEN[game], most_dealt_in(game, rules)
    if fewest <= count <= most:
        return None
    return f"{game} opens with {fewest} to {most} players, not {count}"


def unit_of(game: str, given: Any) -> tuple[dict[str, str], Unit]:
    """The session's unit as stored, and as arithmetic. Raises Refused.

    `chip` is the smallest chip, `coin` the smallest coin, both decimal strings; `worth` and `currency` say what one
    point is in money (contract.md §2).
    """
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise Refused(invalid({"unit": ["is an object"]}))
    unknown = {str(name): ["is not a field of unit"] for name in given if name not in _UNIT_FIELDS}
    if unknown:
        raise Refused(invalid(unknown))
    unit = {
        "name": given.get("name", "pts"),
        "chip": given.get("chip", default_chip(game)),
        "coin": given.get("coin", "0.01"),
    }
    errors: dict[str, list[str]] = {}
    if not isinstance(unit["name"], str) or not 1 <= len(unit["name"]) <= 20 or not printable(unit["name"]):
        errors["unit.name"] = ["is a text of 1 to 20 characters"]
    if "currency" in given:
        currency = given["currency"]
        if not (isinstance(currency, str) and len(currency) == 3 and all("A" <= letter <= "Z" for letter in currency)):
            errors["unit.currency"] = ["is a currency's three capital letters"]
        unit["currency"] = currency
    for name in ("chip", "coin", "worth"):
        if name in unit or name in given:
            fault = _decimal_fault(given.get(name, unit.get(name)))
            if fault is not None and fault[0] == "event.invalid":
                errors["unit." + name] = [fault[1]]
    if errors:
        raise Refused(invalid(errors))
    for name in ("chip", "coin", "worth"):
        if name in unit or name in given:
            value = given.get(name, unit.get(name))
            fault = _decimal_fault(value)
            if fault is not None:
                raise Refused(Refusal(fault[0], f"unit.{name}: {fault[1]}", "rules.md §1"))
            unit[name] = _plain(value)
    return unit, Unit(unit["chip"], unit["coin"])


_UNIT_FIELDS = ("name", "chip", "coin", "worth", "currency")


def _decimal_fault(value: Any) -> tuple[str, str] | None:
    """(code, what is wrong) with a chip, a coin or a worth; None where nothing is."""
    try:
        significand, places = read_decimal(value)
    except AmountError as error:
        return error.code, str(error)
    if significand <= 0:
        return "amount.not_positive", "must be more than 0"
    if places > PLACES and significand % 10 ** (places - PLACES):
        return "event.invalid", f"has at most {PLACES} decimal places"
    return None


def _plain(value: Any) -> str:
    significand, places = read_decimal(value)
    return write_decimal(significand, places)
