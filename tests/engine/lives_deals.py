"""Deals of `lives` with real cards behind them, spoilt ones, and a second opinion on whether they can be."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pysat.card import CardEnc, EncType
from pysat.formula import IDPool
from pysat.solvers import Cadical153

from events.audit.cards_lives import LivesDeal, Reveal, Swap
from tests.engine.lives_witness import Witness


def played(chance: random.Random, players: int, swaps: int, down: float, whole: float) -> LivesDeal:
    """A deal played with a shuffled pack: `down` and `whole` are the shares of those kinds of swap."""
    pack = list(range(52))
    chance.shuffle(pack)
    names = [chr(ord("A") + seat) for seat in range(players)]
    hands = [[pack.pop() for _ in range(3)] for _ in names]
    pair, up = [pack.pop(), pack.pop()], pack.pop()
    first_up = up
    made = []
    for number in range(swaps):
        seat, seq = number % players, number + 3
        hand, kind = hands[seat], chance.random()
        if kind < down:
            given, taken = chance.randrange(3), chance.randrange(2)
            hand[given], pair[taken] = pair[taken], hand[given]
            made.append(Swap(seq, names[seat], "down", None))
        elif kind < down + whole:
            left = chance.choice(hand)
            hands[seat], pair, up = [*pair, up], [card for card in hand if card != left], left
            made.append(Swap(seq, names[seat], "all", left))
        else:
            given = chance.randrange(3)
            hand[given], up = up, hand[given]
            made.append(Swap(seq, names[seat], "up", up))
    shown = [Reveal(swaps + 3 + seat, names[seat], hands[seat]) for seat in range(players)]
    return LivesDeal(names, 2, first_up, made, shown)


def spoilt(chance: random.Random, deal: LivesDeal) -> LivesDeal:
    """The deal with one thing recorded otherwise, as a scorekeeper's slip would have it."""
    swaps = [Swap(one.seq, one.player, one.take, one.card) for one in deal.swaps]
    shown = [Reveal(one.seq, one.player, one.cards) for one in deal.reveals]
    named = [one for one in swaps if one.card is not None]
    slip = chance.randrange(5)
    if slip == 0 and named:
        chance.choice(named).card = chance.randrange(52)
    elif slip == 1 and len(named) > 1:
        one, other = chance.sample(named, 2)
        one.card, other.card = other.card, one.card
    elif slip == 2:
        first, second = chance.sample(shown, 2)
        cards, others = list(first.cards), list(second.cards)
        cards[0], others[0] = others[0], cards[0]
        first.cards, second.cards = tuple(cards), tuple(others)
    elif slip == 3:
        hand = chance.choice(shown)
        hand.cards = (*hand.cards[:2], chance.randrange(52))
    elif swaps:
        swap = chance.choice(swaps)
        if swap.take == "down":
            swap.take, swap.card = "up", chance.randrange(52)
        else:
            swap.take, swap.card = "down", None
    return LivesDeal(deal.players, deal.seq, deal.up, swaps, shown)


def assert_explains(deal: LivesDeal, witness: Witness) -> None:
    """Plays the witness through, card by card, and compares all that the table saw."""
    hands = {player: set(witness.hands[player]) for player in deal.players}
    pair, up = set(witness.centre), witness.up
    dealt = [card for hand in hands.values() for card in hand] + list(pair) + [up]
    assert len(dealt) == len(set(dealt)) == 3 * len(deal.players) + 3
    assert up == deal.up
    moves = {move.seq: move for move in witness.moves}
    for event in sorted([*deal.swaps, *deal.reveals], key=lambda one: one.seq):
        hand = hands[event.player]
        if isinstance(event, Reveal):
            assert hand == set(event.cards)
            continue
        move = moves[event.seq]
        given, taken = set(move.given), set(move.taken)
        assert given <= hand
        assert move.player == event.player
        if event.take == "up":
            assert (given, taken) == ({event.card}, {up})
            up = move.given[0]
        elif event.take == "down":
            assert len(given) == len(taken) == 1
            assert taken <= pair
            pair = pair - taken | given
        else:
            assert event.card is not None
            assert given == hand
            assert taken == pair | {up}
            pair, up = given - {event.card}, event.card
        hands[event.player] = hand - given | taken
        assert (len(hands[event.player]), len(pair)) == (3, 2)
    assert hands == {player: set(witness.final[player]) for player in deal.players}


class SecondOpinion:
    """The same question put in another way to another solver.

    Here the cards dealt are followed one by one, each from its place in the deal, and which card has which name is
    what the solver chooses; the product follows the names instead.
    """

    def __init__(self, deal: LivesDeal, seqs: Sequence[int]) -> None:
        self.deal, self.kept = deal, set(seqs)
        self.names = IDPool()
        self.solver = Cadical153()
        self.pair, self.up = len(deal.players), len(deal.players) + 1
        self.places = range(len(deal.players) + 2)
        self.cards = range(3 * len(deal.players) + 3)
        self.sightings: list[tuple[int, int, int]] = []

    def at(self, time: int, card: int, place: int) -> int:
        return int(self.names.id(("at", time, card, place)))

    def named(self, card: int, name: int) -> int:
        return int(self.names.id(("named", card, name)))

    def exactly(self, count: int, literals: list[int]) -> None:
        condition = CardEnc.equals(lits=literals, bound=count, vpool=self.names, encoding=EncType.seqcounter)
        for clause in condition.clauses:
            self.solver.add_clause(clause)

    def possible(self) -> bool:
        swaps = sorted(self.deal.swaps, key=lambda one: one.seq)
        for card in self.cards:
            start = card // 3 if card < 3 * self.pair else self.pair if card < 3 * self.pair + 2 else self.up
            for place in self.places:
                self.solver.add_clause([self.at(0, card, place) if place == start else -self.at(0, card, place)])
        if self.deal.seq in self.kept:
            self.sightings.append((self.deal.up, 0, self.up))
        for time, swap in enumerate(swaps):
            self.swap(time, swap)
        for shown in self.deal.reveals:
            if shown.seq in self.kept:
                if len(set(shown.cards)) != 3:
                    return False
                time = len([swap for swap in swaps if swap.seq < shown.seq])
                hand = self.deal.players.index(shown.player)
                self.sightings += [(name, time, hand) for name in shown.cards]
        names = sorted({name for name, _time, _place in self.sightings})
        if len(names) > len(self.cards):
            return False
        for name in names:
            self.exactly(1, [self.named(card, name) for card in self.cards])
        for card in self.cards:
            for place, one in enumerate(names):
                for other in names[:place]:
                    self.solver.add_clause([-self.named(card, one), -self.named(card, other)])
        for name, time, place in self.sightings:
            for card in self.cards:
                self.solver.add_clause([-self.named(card, name), self.at(time, card, place)])
        return bool(self.solver.solve())

    def swap(self, time: int, swap: Swap) -> None:
        hand = self.deal.players.index(swap.player)
        for card in self.cards:
            self.exactly(1, [self.at(time + 1, card, place) for place in self.places])
            for place in self.places:
                if place not in (hand, self.pair, self.up):
                    self.solver.add_clause([-self.at(time, card, place), self.at(time + 1, card, place)])
        for place in self.places:
            size = 2 if place == self.pair else 1 if place == self.up else 3
            self.exactly(size, [self.at(time + 1, card, place) for card in self.cards])
        if swap.seq not in self.kept:
            return
        if swap.card is not None:
            self.sightings += [(swap.card, time, hand), (swap.card, time + 1, self.up)]
        ways = {
            "up": {self.up: [hand], self.pair: [self.pair], hand: [hand, self.up]},
            "down": {self.up: [self.up], self.pair: [self.pair, hand], hand: [hand, self.pair]},
            "all": {self.up: [hand], self.pair: [hand], hand: [self.pair, self.up]},
        }[swap.take]
        for card in self.cards:
            for here, there in ways.items():
                self.solver.add_clause([-self.at(time, card, here)] + [self.at(time + 1, card, one) for one in there])
        if swap.take == "down":
            moves = []
            for card in self.cards:
                moves.append(int(self.names.id(("moved", time, card))))
                before, after = self.at(time, card, hand), self.at(time + 1, card, self.pair)
                for clause in ([-moves[-1], before], [-moves[-1], after], [moves[-1], -before, -after]):
                    self.solver.add_clause(clause)
            self.exactly(1, moves)


def possible(deal: LivesDeal, seqs: Sequence[int] | None = None) -> bool:
    """Whether any deal explains those events (all, where none are given), by another solver."""
    return SecondOpinion(deal, deal.seqs() if seqs is None else seqs).possible()
