"""One hand: who is dealt in, what each paid, what was shown, who was paid (contract.md §4, hands)."""

from __future__ import annotations

from events.cards import card_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from events.amounts import Unit
    from events.ranking import Ranking


_DECIDED_BY = {"see": {"community": "rules.md §3.5"}, "last_in": {"community": "rules.md §3.7"}}
_RULES = {"see": "rules.md §4.8", "last_in": "rules.md §4.7", "knock": "rules.md §2.4"}


class Holding:
    """A player's part in the open hand.

    looked: has seen the cards. out: has folded or mucked. all_in: has paid the last chip. acted: has acted since the
    betting was last opened. committed: level units of this betting round. hands: blind or chosen hands held, "new"
    and "old" (kept from the hand before). peeked: which of two was looked at and not yet kept or thrown. turns:
    swaps and knock of a `lives` deal. known: cards that the log knows to be in the hand.
    """

    __slots__ = (
        "looked",
        "out",
        "all_in",
        "acted",
        "committed",
        "hands",
        "peeked",
        "turns",
        "knocked",
        "known",
        "discarded",
    )

    def __init__(self) -> None:
        self.looked = False
        self.out = False
        self.all_in = False
        self.acted = False
        self.committed = 0
        self.hands: tuple[str, ...] = ("new",)
        self.peeked: str | None = None
        self.turns = 0
        self.knocked = False
        self.known: frozenset[int] = frozenset()
        self.discarded = False

    def copy(self) -> Holding:
        """An independent copy, written out as that of a player."""
        twin = object.__new__(Holding)
        twin.looked = self.looked
        twin.out = self.out
        twin.all_in = self.all_in
        twin.acted = self.acted
        twin.committed = self.committed
        twin.hands = self.hands
        twin.peeked = self.peeked
        twin.turns = self.turns
        twin.knocked = self.knocked
        twin.known = self.known
        twin.discarded = self.discarded
        return twin


class Hand:
    """A hand, open or over. Amounts are chips; cards are 0..51.

    order: who is dealt in, from the dealer's left; left_of: player -> the next of them. first, last: seqs of the `deal`
    and of the event that ended it (0 while open). payments: (seq, player, chips, level units) of each into the pot;
    asked: seq -> (chips, level units) that the rules would have had instead, of those that they would have otherwise.
    due: what the rules award; awards: what the table did. carried_in, carried_out: chips. settles: (seq, whether right)
    of each `settle`. side_pots: (chips, players, winners), main pot first.
    """

    __slots__ = (
        "number",
        "dealer",
        "order",
        "left_of",
        "first",
        "last",
        "phase",
        "to_act",
        "carried_in",
        "carried_out",
        "pot",
        "paid",
        "holdings",
        "live",
        "payments",
        "asked",
        "shown",
        "best",
        "mucked",
        "result",
        "by",
        "winners",
        "losers",
        "due_losers",
        "due",
        "awards",
        "settles",
        "side_pots",
        "waiting",
        "level",
        "last_level",
        "round",
        "board",
        "payer",
        "rival",
        "up",
        "down",
        "knocker",
        "lives_before",
    )

    def __init__(self, number: int, dealer: str, order: list[str], first: int, carried_in: int) -> None:
        self.number = number
        self.dealer = dealer
        self.order = order
        self.left_of = dict(zip(order, order[1:] + order[:1]))
        self.first = first
        self.last = 0
        self.phase = "act"
        self.to_act: str | None = None
        self.carried_in = carried_in
        self.carried_out = 0
        self.pot = carried_in
        self.paid = {name: 0 for name in order}
        self.holdings = {name: Holding() for name in order}
        self.live = len(order)  # how many have neither folded nor mucked
        self.payments: list[tuple[int, str, int, int]] = []
        self.asked: dict[int, tuple[int, int]] = {}
        self.shown: dict[str, tuple[int, ...]] = {}
        self.best: dict[str, tuple[int, tuple[int, ...]]] = {}
        self.mucked: tuple[str, ...] = ()
        self.result = "open"
        self.by: str | None = None
        self.winners: list[str] = []
        self.losers: list[str] = []
        self.due_losers: list[str] = []
        self.due: dict[str, int] = {}
        self.awards: dict[str, int] = {}
        self.settles: list[tuple[int, bool]] = []
        self.side_pots: list[tuple[int, list[str], list[str]]] = []
        self.waiting: list[str] = []
        # betting
        self.level = 0
        self.last_level = 0
        self.round = 0
        self.board: tuple[int, ...] = ()
        self.payer: str | None = None
        self.rival: str | None = None
        # lives
        self.up: int | None = None
        self.down: frozenset[int] = frozenset()
        self.knocker: str | None = None
        self.lives_before: dict[str, int] = {}

    def copy(self) -> Hand:
        """An independent copy. What is replaced whole and never changed in place is shared."""
        twin = object.__new__(self.__class__)
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.paid = dict(self.paid)
        twin.holdings = {name: self.holdings[name].copy() for name in self.order}
        twin.payments = list(self.payments)
        twin.asked = dict(self.asked)
        twin.shown = dict(self.shown)
        twin.best = dict(self.best)
        return twin

    def still_in(self) -> list[str]:
        """Who has neither folded nor mucked, from the dealer's left."""
        return [name for name in self.order if not self.holdings[name].out]

    def why_out(self, name: str) -> str | None:
        """Why a player takes no part any more, or None."""
        holding = self.holdings.get(name)
        if holding is None:
            return "is not dealt in"
        if holding.out:
            return "has mucked" if name in self.mucked else "has folded"
        if self.phase == "act" and holding.all_in:
            return "is all in"
        if self.phase == "act" and holding.knocked:
            return "has knocked"
        return None

    def rule(self, game: str) -> str:
        """Where the rule stands by which it was decided."""
        by = self.by or ""
        return _DECIDED_BY.get(by, {}).get(game) or _RULES.get(by, "rules.md §3.6")

    def view(self, seats: list[str], unit: Unit, ranking: Ranking) -> dict[str, Any]:
        """The hand as contract.md §4 shows it."""
        names = [name for name in seats if name in self.paid or self.awards.get(name)]
        over = self.result != "open"
        shown: dict[str, Any] = {}
        for name in names:
            if name in self.shown:
                strength, three = self.best[name]
                shown[name] = {
                    "cards": [card_name(card) for card in self.shown[name]],
                    "best": [card_name(card) for card in three],
                    "category": ranking.category(strength),
                }
        view: dict[str, Any] = {
            "hand": self.number,
            "dealer": self.dealer,
            "result": self.result,
            "by": self.by,
            "winners": self.winners,
            "losers": self.losers,
            "pot": unit.text(self.pot),
            "carried": unit.text(self.carried_out),
            "paid": {name: unit.text(self.paid[name]) for name in names if name in self.paid},
            "awards": {name: unit.text(self.awards[name]) for name in seats if self.awards.get(name)},
            "net": {name: unit.text(self.awards.get(name, 0) - self.paid.get(name, 0)) for name in names},
            "shown": shown,
            "board": [card_name(card) for card in self.board],
            "first": self.first,
            "last": self.last if over else None,
        }
        if self.side_pots:
            view["side_pots"] = [
                {"amount": unit.text(chips), "players": players, "winners": winners}
                for chips, players, winners in self.side_pots
            ]
        return view
