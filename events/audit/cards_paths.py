"""The paths of named cards through a `lives` deal: all of them together, or that there are none.

See `cards_lives.py` for what this is for. Here players are numbers (their seat among those dealt in), and a *time* is
the number of swaps made so far. A *node* is a place between two swaps that touch it: what lies in a hand stays the
same until that player's next swap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.audit.cards_solver import Solver

if TYPE_CHECKING:
    from collections.abc import Sequence

HAND_CARDS = 3
DOWN_CARDS = 2
UP_CARDS = 1

# How a card can move between the hand (h), the face-down pair (d) and the face-up place (u) when nothing is known of
# it; the card named by a swap moves from the hand to the face-up place, and no other does.
_WAYS = {
    "up": ("hh", "uh"),
    "down": ("hh", "hd", "dd", "dh"),
    "all": ("hd", "dh", "uh"),
    "any": ("hh", "hd", "hu", "dh", "dd", "du", "uh", "ud", "uu"),
}
_TOUCHED = {"up": "hu", "down": "hd", "all": "hdu", "any": "hdu"}
# Of a swap for a face-down card: at most so many cards go each of the four ways.
_DOWN_LIMITS = (("hh", 2), ("hd", 1), ("dd", 1), ("dh", 1))


class Step:
    """A swap: its event's number, whose (by seat), its kind (`any`: nothing is known of it), the card it names."""

    __slots__ = ("card", "hand", "seq", "take")

    def __init__(self, seq: int, hand: int, take: str, card: int | None) -> None:
        self.seq = seq
        self.hand = hand
        self.take = take
        self.card = card


class Deal:
    """What is known: the players, the face-up card (or none), the swaps, and hands shown: (time, seat, cards)."""

    __slots__ = ("down", "players", "shown", "steps", "up", "upcard")

    def __init__(
        self,
        players: Sequence[str],
        upcard: int | None,
        steps: Sequence[Step],
        shown: Sequence[tuple[int, int, tuple[int, ...]]],
    ) -> None:
        self.players = players
        self.upcard = upcard
        self.steps = steps
        self.shown = shown
        self.down = len(players)  # the number of the face-down pair as a place, after the hands'
        self.up = len(players) + 1  # and of the face-up place

    def place(self, step: Step, letter: str) -> int:
        """The place that ``h``, ``d`` or ``u`` means in this swap."""
        if letter == "h":
            return step.hand
        return self.down if letter == "d" else self.up

    def capacity(self, place: int) -> int:
        """How many cards lie there."""
        if place == self.down:
            return DOWN_CARDS
        return UP_CARDS if place == self.up else HAND_CARDS

    def cards_in_play(self) -> int:
        """How many cards were dealt, the centre's included."""
        return HAND_CARDS * len(self.players) + DOWN_CARDS + UP_CARDS

    def named(self) -> list[int]:
        """The cards that anything names, in order."""
        cards = set()
        if self.upcard is not None:
            cards.add(self.upcard)
        for step in self.steps:
            if step.card is not None:
                cards.add(step.card)
        for _time, _hand, shown in self.shown:
            cards.update(shown)
        return sorted(cards)


class Paths:
    """Where every named card lies at every time: ``places[card][time]``, in the deal they explain."""

    __slots__ = ("conflicts", "deal", "places")

    def __init__(self, deal: Deal, places: dict[int, list[int]], conflicts: int) -> None:
        self.deal = deal
        self.places = places
        self.conflicts = conflicts
        """How many dead ends the search ran into."""


def find_paths(deal: Deal, only: Sequence[int] | None = None) -> Paths | None:
    """Paths for all named cards together (or ``only`` for some of them), or none where there are none."""
    cards = [card for card in deal.named() if only is None or card in only]
    if len(cards) > deal.cards_in_play():
        return None
    if any(len(set(shown)) != HAND_CARDS for _time, _hand, shown in deal.shown):
        return None
    domains = {}
    for card in cards:
        domain = _domain(deal, card)
        if domain is None:
            return None
        domains[card] = domain
    if not all(_has_room(deal, [domains[card][time] for card in cards]) for time in range(len(deal.steps) + 1)):
        return None
    return _Search(deal, cards, domains).run()


def _sightings(deal: Deal, card: int) -> list[int]:
    """For each time, the places where the card can be by what was seen at that time, as bits."""
    everywhere = (1 << (deal.up + 1)) - 1
    seen = [everywhere] * (len(deal.steps) + 1)
    up = 1 << deal.up
    if deal.upcard is not None:
        seen[0] &= up if card == deal.upcard else ~up
    for time in range(len(deal.steps)):
        step = deal.steps[time]
        if step.card is not None:
            seen[time] &= 1 << step.hand if card == step.card else everywhere
            seen[time + 1] &= up if card == step.card else ~up
    for time, hand, shown in deal.shown:
        seen[time] &= 1 << hand if card in shown else ~(1 << hand)
    return seen


def _ways(deal: Deal, step: Step, card: int) -> list[tuple[int, int]]:
    """The moves, (from, to), that the swap leaves open to the card among the places that it touches."""
    if step.card is not None and step.card == card:
        return [(step.hand, deal.up)]
    return [(deal.place(step, way[0]), deal.place(step, way[1])) for way in _WAYS[step.take]]


def _domain(deal: Deal, card: int) -> list[int] | None:
    """For each time, the places through which some path of this card alone leads, as bits; none without a path."""
    seen = _sightings(deal, card)
    reached = [seen[0]]
    for time in range(len(deal.steps)):
        step = deal.steps[time]
        before = reached[time]
        after = before
        for letter in _TOUCHED[step.take]:
            after &= ~(1 << deal.place(step, letter))
        for here, there in _ways(deal, step, card):
            if before >> here & 1:
                after |= 1 << there
        reached.append(after & seen[time + 1])
    for time in range(len(deal.steps) - 1, -1, -1):
        step = deal.steps[time]
        after = reached[time + 1]
        before = after
        for letter in _TOUCHED[step.take]:
            before &= ~(1 << deal.place(step, letter))
        for here, there in _ways(deal, step, card):
            if after >> there & 1:
                before |= 1 << here
        reached[time] &= before
    return reached if all(reached) else None


def _has_room(deal: Deal, options: list[int]) -> bool:
    """Whether the cards of one time fit into their places: each has some, and a place holds only so many."""
    lying: list[list[int]] = [[] for _place in range(deal.up + 1)]

    def settle(index: int, tried: set[int]) -> bool:
        for place in range(deal.up + 1):
            if not options[index] >> place & 1 or place in tried:
                continue
            tried.add(place)
            if len(lying[place]) < deal.capacity(place):
                lying[place].append(index)
                return True
            for position in range(len(lying[place])):
                if settle(lying[place][position], tried):
                    lying[place][position] = index
                    return True
        return False

    return all(settle(index, set()) for index in range(len(options)))


class _Search:
    """The choice of paths, put as conditions for the solver.

    They are put from the first time to the last, so that the search, which begins with what was put last, lays the
    paths backwards from the hands that were shown, each staying where it is as long as it can.
    """

    __slots__ = ("cards", "deal", "domains", "literals", "now", "solver")

    def __init__(self, deal: Deal, cards: list[int], domains: dict[int, list[int]]) -> None:
        self.deal = deal
        self.cards = cards
        self.domains = domains
        self.solver = Solver()
        # By card: the literal "it lies there" of each place as it is now, and of each time and place.
        self.now: dict[int, dict[int, int]] = {}
        self.literals: dict[int, list[dict[int, int]]] = {}

    def run(self) -> Paths | None:
        """Poses the conditions time by time, and solves them."""
        deal = self.deal
        for card in self.cards:
            self.now[card] = {}
            self._enter(card, 0, range(deal.up + 1))
            self.literals[card] = [dict(self.now[card])]
            self.solver.add_clause(list(self.now[card].values()))
        self._limit_places(range(deal.up + 1))
        for time in range(len(deal.steps)):
            self._pass(time)
        if not self.solver.solve():
            return None
        places = {}
        for card in self.cards:
            path = []
            for here in self.literals[card]:
                path.extend([place for place in here if self.solver.value(here[place])])
            places[card] = path
        return Paths(deal, places, self.solver.conflicts)

    def _enter(self, card: int, time: int, places: Sequence[int]) -> None:
        """New nodes of ``places`` from ``time`` on: a literal each that the card can reach, one at most of all."""
        now = self.now[card]
        domain = self.domains[card][time]
        for place in places:
            now.pop(place, None)
        for place in places:
            if domain >> place & 1:
                literal = 2 * self.solver.new_variable(place < self.deal.down)
                if domain == 1 << place:
                    self.solver.add_clause([literal])
                else:
                    for other in now.values():
                        self.solver.add_clause([literal ^ 1, other ^ 1])
                now[place] = literal

    def _limit_places(self, places: Sequence[int]) -> None:
        for place in places:
            here = [self.now[card][place] for card in self.cards if place in self.now[card]]
            self.solver.add_at_most(self.deal.capacity(place), here)

    def _pass(self, time: int) -> None:
        """The swap from ``time`` to the next: which ways it leaves open, and how many cards go each."""
        deal = self.deal
        step = deal.steps[time]
        touched = [deal.place(step, letter) for letter in _TOUCHED[step.take]]
        moves: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for card in self.cards:
            before = {}
            for place in touched:
                if place in self.now[card]:
                    before[place] = self.now[card][place]
            self._enter(card, time + 1, touched)
            after = self.now[card]
            self.literals[card].append(dict(after))
            ways = [way for way in _ways(deal, step, card) if way[0] in before and way[1] in after]
            for here in before:
                self.solver.add_clause([before[here] ^ 1] + [after[way[1]] for way in ways if way[0] == here])
            for there in touched:
                if there in after:
                    self.solver.add_clause([after[there] ^ 1] + [before[way[0]] for way in ways if way[1] == there])
            for way in ways:
                moves.setdefault(way, []).append((before[way[0]], after[way[1]]))
        self._limit_places(touched)
        if step.take == "down":
            for letters, most in _DOWN_LIMITS:
                way = (deal.place(step, letters[0]), deal.place(step, letters[1]))
                self._limit_moves(most, moves.get(way, []))

    def _limit_moves(self, most: int, moves: list[tuple[int, int]]) -> None:
        """At most ``most`` cards make the moves, each given by the literals of where it is before and after."""
        if len(moves) <= most:
            return
        both = []
        for before, after in moves:
            if self.solver.value(before):
                both.append(after)
            elif self.solver.value(after):
                both.append(before)
            else:
                moved = 2 * self.solver.new_variable(False)
                self.solver.add_clause([before ^ 1, after ^ 1, moved])
                both.append(moved)
        self.solver.add_at_most(most, both)
