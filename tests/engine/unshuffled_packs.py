"""Matches of three-card Brag with real cards behind them, spoilt ones, and a second opinion on whether they can be."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pysat.formula import IDPool
from pysat.solvers import Cadical153

from events.audit.cards_three import PackStep


def played(chance: random.Random, players: int, deals: int, show: float, shuffle: float, keep: float) -> list[PackStep]:
    """What happened to a pack over some deals. show, shuffle, keep: how often a hand is, the pack is, a hand is."""
    names = [chr(ord("A") + seat) for seat in range(players)]
    pack = list(range(52))
    chance.shuffle(pack)
    steps, kept = [PackStep("shuffle")], {}
    seq = 1
    for deal in range(deals):
        if deal and chance.random() < shuffle:
            chance.shuffle(pack)
            steps.append(PackStep("shuffle", order=sorted(kept)))
        first = deal % players
        order = names[first:] + names[:first]
        hands = {(name, "old"): cards for name, cards in kept.items()}
        for seat, name in enumerate(order):
            hands[name, "new"] = [pack[turn * players + seat] for turn in range(3)]
        pack = pack[3 * players :]
        steps.append(PackStep("deal", order=order))
        kept = {}
        dying = list(hands)
        chance.shuffle(dying)
        dying.sort(key=lambda hand: hand[1] == "new" and (hand[0], "old") in dying)  # the older of two first
        for name, which in dying:
            if chance.random() < show:
                seq += 1
                cards = chance.sample(hands[name, which], 3)
                steps.append(PackStep("show", name, which, cards=cards, seq=seq))
        for name, which in dying:
            if which == "new" and not kept and chance.random() < keep and (name, "old") not in hands:
                kept[name] = hands[name, which]
                steps.append(PackStep("keep", name))
                continue
            steps.append(PackStep("bury", name, which))
            pack += chance.sample(hands[name, which], 3)
    return steps


def spoilt(chance: random.Random, steps: Sequence[PackStep]) -> list[PackStep]:
    """The same with one card of one showing another."""
    shown = [place for place, step in enumerate(steps) if step.kind == "show"]
    if not shown:
        return list(steps)
    place = chance.choice(shown)
    step = steps[place]
    others = [card for other in shown for card in steps[other].cards]
    card = chance.choice(others) if chance.random() < 0.7 else chance.randrange(52)
    cards = [card, *step.cards[1:]]
    changed = PackStep("show", step.player, step.which, cards=cards, seq=step.seq)
    return [*steps[:place], changed, *steps[place + 1 :]]


class SecondOpinion:
    """The same question put to another solver, without any of the product's short cuts.

    Every card that was shown is followed from the first shuffle on, through each single place of the pack.
    """

    def __init__(self, steps: Sequence[PackStep], seqs: Sequence[int]) -> None:
        self.steps = [step for step in steps if step.kind != "show" or step.seq in seqs]
        self.named = sorted({card for step in self.steps for card in step.cards})
        self.numbers, self.solver = IDPool(), Cadical153()

    def place(self) -> dict[int, int]:
        """A new place for one card: which it is."""
        made = {card: int(self.numbers.id(object())) for card in self.named}
        self.at_most_one(list(made.values()))
        return made

    def at_most_one(self, literals: list[int]) -> None:
        for index, literal in enumerate(literals):
            for other in literals[:index]:
                self.solver.add_clause([-literal, -other])

    def spread(self, sources: list[dict[int, int]], places: int) -> list[dict[int, int]]:
        """The cards of some places, in any order, over as many others."""
        made = [self.place() for _place in range(places)]
        for card in self.named:
            here, there = [source[card] for source in sources], [place[card] for place in made]
            self.at_most_one(there)
            for literal in here:
                self.solver.add_clause([-literal, *there])
            for literal in there:
                self.solver.add_clause([-literal, *here])
        return made

    def possible(self) -> bool:
        if any(len(set(step.cards)) != 3 for step in self.steps if step.kind == "show"):
            return False
        pack = [self.place() for _place in range(52)]
        for card in self.named:
            self.at_most_one([place[card] for place in pack])
            self.solver.add_clause([place[card] for place in pack])
        hands: dict[tuple[str, str], list[dict[int, int]]] = {}
        for step in self.steps:
            hand = (step.player, step.which)
            if step.kind == "shuffle":
                pack = self.spread(pack, len(pack))
            elif step.kind == "deal":
                count = len(step.order)
                for seat, name in enumerate(step.order):
                    hands[name, "new"] = [pack[turn * count + seat] for turn in range(3)]
                pack = pack[3 * count :]
            elif step.kind == "keep":
                hands[step.player, "old"] = hands.pop(hand)
            elif step.kind == "bury":
                pack += self.spread(hands.pop(hand), 3)
            else:
                for card in step.cards:
                    self.solver.add_clause([place[card] for place in hands[hand]])
        return bool(self.solver.solve())


def possible(steps: Sequence[PackStep], seqs: Sequence[int]) -> bool:
    """Whether any order of the pack explains those showings, by another solver."""
    return SecondOpinion(steps, seqs).possible()
