"""What a player's ledger account is called, in hledger and in Beancount alike, and whose an account is.

An account is `Equity:Brag:P-ID:NAME`. The third part is the player's id after `P-`, with `-` written `--` and `_`
written `-u` (Beancount allows letters, digits and dashes): it alone says whose account it is, so two players of one
name never share one. The last part is the name, as near as an account can spell it, for people to read; the exact name
stands beside the account's declaration, and the account of a player whose name was erased ends in `Player-3`.
"""

from __future__ import annotations

import re
import unicodedata

ROOT = "Equity:Brag"
POT = "Equity:Brag:Pot"
BANK = "Equity:Brag:Bank"
KITTY = "Assets:Brag:Kitty"
CHIPS = "Chips"
LONGEST_NAME_PART = 40

_PLAYER = re.compile(rf"{ROOT}:P-(?P<id>[A-Za-z0-9-]+)(:.*)?\Z")


def account(player: str, name: str) -> str:
    """The account of a player, by id and name as shown."""
    return f"{ROOT}:P-{_spelled(player)}:{name_part(name)}"


def player_of(account_name: str) -> str | None:
    """The id of the player whose account (or sub-account) this is, or None where it is no player's."""
    found = _PLAYER.match(account_name)
    if found is None:
        return None
    return re.sub(r"-(.)", lambda escape: {"-": "-", "u": "_"}[escape[1]], found["id"])


def name_part(name: str) -> str:
    """The name as one part of an account: letters and digits, all else as dashes, beginning with a capital."""
    kept = "".join(letter if _is_letter_or_digit(letter) else "-" for letter in unicodedata.normalize("NFC", name))
    part = re.sub(r"-{2,}", "-", kept).strip("-")[:LONGEST_NAME_PART].rstrip("-")
    first = part[:1].upper()
    if len(first) == 1 and unicodedata.category(first) in ("Lu", "Nd"):
        return first + part[1:]
    return "Name-" + part if part else "Name"


def _is_letter_or_digit(letter: str) -> bool:
    category = unicodedata.category(letter)
    return category[0] == "L" or category == "Nd"


def _spelled(player: str) -> str:
    return player.replace("-", "--").replace("_", "-u")


def commodity(unit_name: str) -> str:
    """A unit's name as Beancount takes it, `pts` as `PTS`: capitals, digits, dashes; `POINTS` where none is left."""
    plain = unicodedata.normalize("NFKD", unit_name).upper()
    symbol = re.sub(r"[^A-Z0-9]+", "-", "".join(letter for letter in plain if letter.isascii())).strip("-")
    symbol = symbol[:20].rstrip("-")
    if not symbol:
        return "POINTS"
    return symbol if symbol[0].isalpha() and len(symbol) > 1 else f"U-{symbol}"
