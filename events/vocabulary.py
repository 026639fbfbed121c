"""Every event type, its fields and what they mean: the one declaration (contract.md §3).

HTTP schemas, OpenAPI, the documentation, the file format and what `cleaning.py` asks of an event follow from it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable

LIVES, COMMUNITY, THREE_CARD = "lives", "community", "three-card"
ALL = (LIVES, COMMUNITY, THREE_CARD)
BETTING = (COMMUNITY, THREE_CARD)

FORM = 1
"""The version of an event's form that is written today (contract.md §3, `v`)."""

LONGEST_TEXT = 2000
MOST_SEQS = 100_000
MOST_CARDS = 52
GREATEST_NUMBER = 2**53 - 1


class Field:
    """A field of an event.

    kind: "player" (an id), "new_player" (who need not sit here yet), "players", "amount" (chips > 0), "price" (coins
    > 0), "payment" (> 0, in what the settlement is in), "balances" (player -> signed chips), "awards" (player -> chips
    >= 0), "card", "cards", "text", "choice" (`values`), "flag", "seq", "seqs", "uuid", "time". games: where it may be
    given. `says` is its documentation.
    """

    __slots__ = ("name", "kind", "required", "says", "values", "games")

    def __init__(
        self,
        name: str,
        kind: str,
        says: str,
        required: bool = True,
        values: tuple[str, ...] = (),
        games: tuple[str, ...] = ALL,
    ) -> None:
        self.name = name
        self.kind = kind
        self.says = says
        self.required = required
        self.values = values
        self.games = games


class EventType:
    """A type of event: its name, its fields, the games that have it, and its documentation."""

    __slots__ = ("name", "fields", "games", "says")

    def __init__(self, name: str, games: tuple[str, ...], says: str, fields: Iterable[Field] = ()) -> None:
        self.name = name
        self.games = games
        self.says = says
        self.fields = tuple(fields)


def _optional(name: str, kind: str, says: str, values: tuple[str, ...] = (), games: tuple[str, ...] = ALL) -> Field:
    return Field(name, kind, says, False, values, games)


PLAYER = Field("player", "player", "whose action it is")
REASON = Field("reason", "text", "why, in words")
WHICH = _optional("which", "choice", "which of two hands", ("old", "new"), (THREE_CARD,))

TYPES = (
    EventType(
        "join",
        ALL,
        "Somebody sits down, between hands; in `lives` only before the first deal.",
        (
            Field("player", "new_player", "who sits down, or comes back"),
            _optional("before", "player", "whose right-hand seat they take; left out, the last seat or their old one"),
        ),
    ),
    EventType("leave", ALL, "Somebody goes home, between hands.", (PLAYER,)),
    EventType(
        "buy",
        (COMMUNITY,),
        "Chips are bought, between hands.",
        (
            PLAYER,
            Field("chips", "amount", "how many"),
            _optional("price", "price", "the money paid; default the same number"),
        ),
    ),
    EventType(
        "cash",
        (COMMUNITY,),
        "Chips are handed back for money, between hands.",
        (
            PLAYER,
            Field("chips", "amount", "how many"),
            _optional("price", "price", "the money given; default the same number"),
        ),
    ),
    EventType(
        "count",
        (COMMUNITY,),
        "The chips are counted, between hands.",
        (Field("chips", "awards", "player -> chips, for everyone holding any"),),
    ),
    EventType(
        "deal",
        ALL,
        "A hand is dealt.",
        (
            Field("dealer", "player", "who deals"),
            _optional("players", "players", "who is dealt in; default all who are in"),
            _optional("shuffled", "flag", "whether the pack was shuffled; default what the rules ask"),
            Field("up", "card", "the centre's face-up card", games=(LIVES,)),
        ),
    ),
    EventType(
        "ante",
        BETTING,
        "A player pays the ante.",
        (
            PLAYER,
            _optional("amount", "amount", "what was paid; default the table's ante"),
        ),
    ),
    EventType("look", BETTING, "A player looks at their cards, on their turn.", (PLAYER, WHICH)),
    EventType("keep", (THREE_CARD,), "The hand just looked at is kept, the other thrown in unseen.", (PLAYER,)),
    EventType("throw", (THREE_CARD,), "The hand just looked at is thrown in, the other stays blind.", (PLAYER,)),
    EventType(
        "bet",
        BETTING,
        "A player puts chips in: calls, opens or raises.",
        (
            PLAYER,
            Field("as", "choice", "as a blind or a seen player", values=("blind", "seen")),
            Field("amount", "amount", "what is put in now"),
            _optional("all_in", "flag", "the whole stack, where an ordinary bet would be refused", games=(COMMUNITY,)),
        ),
    ),
    EventType("check", (COMMUNITY,), "A player passes the turn, nobody having bet in the round.", (PLAYER,)),
    EventType("fold", BETTING, "A player is out of the hand; what was put in stays in.", (PLAYER,)),
    EventType(
        "see",
        BETTING,
        "One of the last two pays to see the other.",
        (
            PLAYER,
            _optional("amount", "amount", "what was paid; default the price"),
        ),
    ),
    EventType("flip", (COMMUNITY,), "A community card is turned.", (Field("card", "card", "the card"),)),
    EventType("discard", (COMMUNITY,), "One of four private cards is thrown, unshown.", (PLAYER,)),
    EventType(
        "swap",
        (LIVES,),
        "A player swaps one card, or all three, with the centre.",
        (
            PLAYER,
            Field("take", "choice", "which: the face-up card, a face-down one, or all", values=("up", "down", "all")),
            _optional("give", "card", "with `up`: the card given, now face up"),
            _optional("leave", "card", "with `all`: the card left face up"),
        ),
    ),
    EventType("knock", (LIVES,), "A player keeps their hand; each of the others has one last turn.", (PLAYER,)),
    EventType("reveal", ALL, "A player shows three cards.", (PLAYER, Field("cards", "cards", "the three cards"))),
    EventType("muck", BETTING, "A player gives up without showing.", (PLAYER,)),
    EventType("retain", (THREE_CARD,), "The blind last one in keeps the hand, unlooked at.", (PLAYER, WHICH)),
    EventType(
        "settle",
        ALL,
        "What the table did with the hand just over: the same as the rules, or not.",
        (
            _optional("awards", "awards", "player -> what they were paid", games=BETTING),
            _optional("losers", "players", "who lost a life", games=(LIVES,)),
        ),
    ),
    EventType("misdeal", ALL, "The hand is called off; what was paid into it goes back.", (REASON,)),
    EventType(
        "void",
        ALL,
        "Events are struck out and the rest is replayed without them.",
        (
            Field("seqs", "seqs", "the events to strike"),
            REASON,
        ),
    ),
    EventType(
        "dispute",
        ALL,
        "A player disputes a hand.",
        (
            Field("of_hand", "seq", "the hand's number"),
            PLAYER,
            Field("claim", "text", "what they say"),
        ),
    ),
    EventType(
        "rule",
        ALL,
        "A dispute is settled, with or without money.",
        (
            Field("dispute", "seq", "the dispute's seq"),
            Field("decision", "choice", "how", values=("upheld", "rejected", "compromise")),
            _optional("adjust", "balances", "player -> amount; the amounts make zero"),
            REASON,
        ),
    ),
    EventType(
        "note",
        ALL,
        "Something worth writing down.",
        (
            Field("text", "text", "the note"),
            _optional("dispute", "seq", "the dispute that it argues"),
        ),
    ),
    EventType("sign", ALL, "A player agrees with the settlement as it stands.", (PLAYER,)),
    EventType(
        "pay",
        ALL,
        "A payment of the settlement has been made.",
        (
            Field("from", "player", "who paid"),
            Field("to", "player", "who was paid"),
            Field("amount", "payment", "how much"),
        ),
    ),
    EventType(
        "close",
        ALL,
        "The session ends.",
        (_optional("carry", "choice", "what becomes of a pot that is open or carried", ("refund", "split")),),
    ),
)

# What any event may carry besides its own fields.
COMMON = (
    _optional("id", "uuid", "the client's own UUID: sent again, the event is stored once"),
    _optional("at", "time", "when it happened (RFC 3339)"),
    _optional("replaces", "seq", "the struck event that this one stands for"),
    _optional("irregular", "text", "why the table let it stand although the rules forbid it"),
)

# What the service adds to a stored event.
STAMPED = ("session", "seq", "v", "hand", "recorded_at", "by", "prev", "hash")

_STAMPED = frozenset(STAMPED)
BY_NAME = {event_type.name: event_type for event_type in TYPES}


def without_stamps(event: dict[str, Any]) -> dict[str, Any]:
    """A stored event as its client sent it."""
    return {name: event[name] for name in event if name not in _STAMPED}


def of_this_game(name: str, game: str, rules: dict[str, Any]) -> bool:
    """Whether a table of `game` under `rules` has events of this type."""
    if game not in BY_NAME[name].games:
        return False
    if name in ("buy", "cash", "count"):
        return bool(rules["bank"] == "chips")
    if name == "discard":
        return bool(rules["private_cards"] == 4)
    return True
