"""Whether the hands shown at three-card Brag can have come round in the unshuffled pack: exactly (rules.md §4).

The pack is shuffled seldom. In between, hands go under it in the order in which they die, and only the order of the
three cards within a hand is not known. Since cards are dealt one at a time from the dealer's left, a card that was
shown lies from then on in one of a few places, and can come to some players in some deals, and to no others.

**How.** A card, once shown, goes on a path: from the hand to one of three places under the pack, from a place to the
hand that it is dealt into, and so on; at a shuffle into a pack where nothing is known of it any more. A place holds one
card, so the paths must not meet. A hand that was shown holds the three cards that it showed, and so no other card that
was shown before. :func:`pack_clashes` asks whether there are such paths for all cards together, of a solver, and where
there are none names a smallest set of showings that cannot all be true.

What was never shown is whatever is left, and cannot conflict. (One thing is not followed up: a hand kept through a
shuffle and then thrown unseen is, from there on, three cards of which nothing is known.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.audit.cards_least import first_clash, needed, without_slip
from events.audit.cards_solver import Solver, Undecided

if TYPE_CHECKING:
    from collections.abc import Sequence

HAND_CARDS = 3
PACK_CARDS = 52
_NEVER = 1 << 60
MOST_SEARCHES = 120
"""So many searches over one night before naming what clashes is given up: each may take a good part of a second."""


class PackStep:
    """Something that happened to the pack, in the log's order.

    kind: ``shuffle`` (the hands kept by ``order`` stay out), ``deal`` (three each to ``order``, from the dealer's
    left), ``keep`` (the hand just dealt to ``player`` stays out for the next deal), ``bury`` (a hand goes under the
    pack), ``show`` (``cards`` of a hand, by event ``seq``). which: ``new``, the hand dealt last, or ``old``, one kept.
    """

    __slots__ = ("cards", "kind", "order", "player", "seq", "which")

    def __init__(
        self,
        kind: str,
        player: str = "",
        which: str = "new",
        order: Sequence[str] = (),
        cards: Sequence[int] = (),
        seq: int = 0,
    ) -> None:
        self.kind = kind
        self.player = player
        self.which = which
        self.order = tuple(order)
        self.cards = tuple(cards)
        self.seq = seq


class PackClash:
    """Showings that cannot all be true: leave out any one, and some order of the pack explains the others."""

    __slots__ = ("cards", "seqs")

    def __init__(self, seqs: Sequence[int], cards: Sequence[int]) -> None:
        self.seqs = tuple(seqs)
        self.cards = tuple(cards)
        """The cards of the last of them that cannot have come there, lowest first."""


def pack_clashes(steps: Sequence[PackStep]) -> list[PackClash]:
    """Clashes, until what is left can be explained; empty where some order explains all.

    After each, one of its showings is left out of account, and the rest looked at again: one without which all is
    explained, if there is such a one (a slip that contradicts many others is told once), else its last. Where to name
    them would take too long, one clash of all showings, with no cards. Raises Undecided.
    """
    course = _Course(steps)
    shown = [step.seq for step in steps if step.kind == "show"]
    found = []
    while shown and _clashes(course, shown):
        try:
            count = first_clash(shown, lambda some: _clashes(course, some))
            clash = _smallest(course, shown[: count - 1], shown[count - 1])
            left = without_slip(shown, clash.seqs, lambda some: _clashes(course, some))
        except Undecided:  # that they clash is certain; which of them do, is not found out
            found.append(PackClash(shown, ()))
            break
        found.append(clash)
        shown = left
    return found


def _smallest(course: _Course, before: list[int], last: int) -> PackClash:
    """A smallest clash of the showing ``last`` with some of those ``before`` it."""
    # Mostly one card alone had no way there, which is found out fast; whether fewer will do is asked after that.
    stuck = [card for card in sorted(set(course.shown[last][1])) if _clashes(course, before + [last], card)]
    parts = [_needed_for(course, card, before, last) for card in stuck]
    parts.sort(key=len)
    seqs = needed(parts[0] if parts else before, [last], lambda some: _clashes(course, some))
    seqs.sort()
    seqs.append(last)
    cards = [card for card in stuck if _clashes(course, seqs, card)]
    return PackClash(seqs, cards or sorted(set(course.shown[last][1])))


def _needed_for(course: _Course, card: int, before: list[int], last: int) -> list[int]:
    """Which of the showings ``before`` leave that card alone no way to where it was shown ``last``."""
    return sorted(needed(before, [last], lambda some: _clashes(course, some, card)))


class _Node:
    """Where cards lie for a while: a place in the pack, a hand, or (after a shuffle) anywhere in the pack.

    begin, end: the steps between which they lie there. following: the nodes to which they go from there. room: how many
    cards it holds.
    """

    __slots__ = ("begin", "end", "following", "number", "room")

    def __init__(self, number: int, begin: int, room: int) -> None:
        self.number = number
        self.begin = begin
        self.end = _NEVER
        self.following: list[_Node] = []
        self.room = room


class _Course:
    """The ways that the pack has taken, whatever cards lay where: nodes in the order in which they came to be."""

    __slots__ = ("deals", "nodes", "places", "searches", "shown", "shuffles")

    def __init__(self, steps: Sequence[PackStep]) -> None:
        self.searches = 0
        self.nodes: list[_Node] = []
        self.places: list[_Node] = [self._node(0, 1) for _place in range(PACK_CARDS)]
        self.shuffles: list[_Node] = []
        self.deals: list[int] = []
        # By event: the hand's node, and the cards shown.
        self.shown: dict[int, tuple[_Node, tuple[int, ...]]] = {}
        hands: dict[tuple[str, str], _Node] = {}
        for time in range(len(steps)):
            step = steps[time]
            if step.kind == "shuffle":
                for key in [key for key in hands if key[1] == "new" or key[0] not in step.order]:
                    self._bury(time, hands.pop(key))
                self._shuffle(time, PACK_CARDS - HAND_CARDS * len(hands))
            elif step.kind == "deal":
                self.deals.append(time)
                self._deal(time, step.order, hands)
            elif step.kind == "keep":
                hands[step.player, "old"] = hands.pop((step.player, "new"))
            elif step.kind == "bury":
                self._bury(time, hands.pop((step.player, step.which), None))
            elif (step.player, step.which) in hands:
                self.shown[step.seq] = (hands[step.player, step.which], step.cards)

    def lies(self, domain: dict[int, list[_Node]], number: int, time: int) -> bool:
        """Whether a card of that domain can lie in the node at that step; after a shuffle, until it is seen again."""
        node = self.nodes[number]
        onward = domain[number]
        return node.begin <= time < (onward[0].begin if onward else node.end)

    def _node(self, time: int, room: int) -> _Node:
        node = _Node(len(self.nodes), time, room)
        self.nodes.append(node)
        return node

    def _shuffle(self, time: int, size: int) -> None:
        """All that is in the pack lies anywhere in it; where in particular, its new places do not say."""
        anywhere = self._node(time, PACK_CARDS)
        for place in self.places:
            place.end = time
            place.following.append(anywhere)
        self.shuffles.append(anywhere)
        self.places = [self._node(time, 1) for _place in range(size)]

    def _deal(self, time: int, order: Sequence[str], hands: dict[tuple[str, str], _Node]) -> None:
        for key in [key for key in hands if key[1] == "new"]:
            hands.pop(key)
        count = len(order)
        for seat in range(count):
            hand = hands[order[seat], "new"] = self._node(time, HAND_CARDS)
            for turn in range(HAND_CARDS):
                place = self.places[turn * count + seat]
                place.end = time
                place.following.append(hand)
        self.places = self.places[HAND_CARDS * count :]

    def _bury(self, time: int, hand: _Node | None) -> None:
        if hand is None:
            return
        hand.end = time
        hand.following = [self._node(time, 1) for _place in range(HAND_CARDS)]
        self.places.extend(hand.following)


def _clashes(course: _Course, seqs: Sequence[int], only: int | None = None) -> bool:
    """Whether no order of the pack explains these showings; with ``only``, whether that card alone has no path."""
    showings = [course.shown[seq] for seq in seqs if seq in course.shown]
    at_card: dict[int, list[_Node]] = {}
    seen: dict[int, tuple[int, ...]] = {}
    for node, cards in showings:
        if len(set(cards)) != HAND_CARDS or set(seen.get(node.number, cards)) != set(cards):
            return True
        for card in cards:
            if node.number not in seen:
                at_card.setdefault(card, []).append(node)
        seen[node.number] = cards
    if only is not None:
        return only in at_card and _domain(course, at_card[only], only, seen) is None
    domains = {}
    for card in sorted(at_card):
        domain = _domain(course, at_card[card], card, seen)
        if domain is None:
            return True
        domains[card] = domain
    if not all(_has_room(course, time, domains) for time in course.deals):
        return True
    course.searches += 1
    if course.searches > MOST_SEARCHES:
        raise Undecided
    return not _Search(course, at_card, domains).possible()


def _has_room(course: _Course, time: int, domains: dict[int, dict[int, list[_Node]]]) -> bool:
    """Whether the cards shown until ``time`` fit into where they can lie then: each somewhere, none too many anywhere.

    (Counting like this is what a search for paths is bad at.)
    """
    lying: dict[int, list[int]] = {}
    options: dict[int, list[int]] = {}
    for card in domains:
        numbers = [number for number in domains[card] if course.lies(domains[card], number, time)]
        if not any(course.nodes[number] in course.shuffles for number in numbers):
            if numbers:
                options[card] = numbers

    def settle(card: int, tried: set[int]) -> bool:
        for number in options[card]:
            if number in tried:
                continue
            tried.add(number)
            here = lying.setdefault(number, [])
            if len(here) < course.nodes[number].room:
                here.append(card)
                return True
            for position in range(len(here)):
                if settle(here[position], tried):
                    here[position] = card
                    return True
        return False

    return all(settle(card, set()) for card in sorted(options))


def _domain(
    course: _Course, at: list[_Node], card: int, seen: dict[int, tuple[int, ...]]
) -> dict[int, list[_Node]] | None:
    """The nodes through which some path of this card alone leads: each with those that follow it. None without a path.

    at: the hands in which it was shown, in order.
    """
    starts = sorted(at, key=lambda node: node.begin)
    for place in range(1, len(starts)):
        if starts[place].begin < starts[place - 1].end:
            return None  # shown in two hands at one time
    reached = {starts[0].number}
    open_to: dict[int, list[_Node]] = {}
    for node in course.nodes[starts[0].number :]:
        if node.number in reached:
            open_to[node.number] = _following(course, node, starts, card, seen)
            reached.update(one.number for one in open_to[node.number])
    # Backwards: what leads nowhere is no part of a path.
    alive: dict[int, list[_Node]] = {}
    for number in sorted(open_to, reverse=True):
        node = course.nodes[number]
        onward = [one for one in open_to[number] if one.number in alive]
        if onward or (node.end == _NEVER and not _later(node, starts)):
            alive[number] = onward
    if starts[0].number not in alive:
        return None
    reached = {starts[0].number}
    for number in sorted(alive):
        if number in reached:
            reached.update(one.number for one in alive[number])
        else:
            alive.pop(number)
    return alive


def _later(node: _Node, starts: list[_Node]) -> bool:
    """Whether the card was shown elsewhere while it would lie here."""
    return any(node.begin < start.begin for start in starts if start is not node)


def _following(
    course: _Course, node: _Node, starts: list[_Node], card: int, seen: dict[int, tuple[int, ...]]
) -> list[_Node]:
    """Where the card can go from a node: nowhere that it would lie while shown elsewhere, nor among three others."""
    onward = list(node.following)
    if node in course.shuffles:
        # Anywhere in the pack it lies until it is shown again, or shuffled again.
        node_end = _NEVER
        for other in course.shuffles:
            if node.begin < other.begin < node_end:
                node_end = other.begin
                onward = [other]
        for start in starts:
            if node.begin < start.begin < node_end:
                node_end = start.begin
                onward = [start]
        return onward
    allowed = []
    for one in onward:
        if one.number in seen and card not in seen[one.number]:
            continue
        if one in course.shuffles or not any(
            one.begin <= start.begin < one.end for start in starts if start is not one
        ):
            allowed.append(one)
    return allowed


class _Search:
    """The choice of paths, put as conditions for the solver."""

    __slots__ = ("at_card", "course", "domains", "solver")

    def __init__(
        self, course: _Course, at_card: dict[int, list[_Node]], domains: dict[int, dict[int, list[_Node]]]
    ) -> None:
        self.course = course
        self.at_card = at_card
        self.domains = domains
        self.solver = Solver()

    def possible(self) -> bool:
        """Poses the conditions card by card, and solves them."""
        holding: dict[int, list[int]] = {}
        for card in sorted(self.domains):
            self._pose(self.domains[card], holding)
        for number in sorted(holding):
            self.solver.add_at_most(self.course.nodes[number].room, holding[number])
        return self.solver.solve()

    def _pose(self, domain: dict[int, list[_Node]], holding: dict[int, list[int]]) -> None:
        """One card: it lies in each node that it comes to, and goes on from there to exactly one other."""
        first = min(domain)
        before: dict[int, list[int]] = {}
        for number in sorted(domain):
            sources = before.get(number, [])
            if len(sources) == 1:
                literal = sources[0]  # there is no other way to it
            else:
                literal = 2 * self.solver.new_variable(False)
                for source in sources:
                    self.solver.add_clause([source ^ 1, literal])
                self.solver.add_clause([literal] if number == first else [literal ^ 1] + sources)
            holding.setdefault(number, []).append(literal)
            self._go_on(literal, domain[number], before)

    def _go_on(self, literal: int, onward: list[_Node], before: dict[int, list[int]]) -> None:
        if len(onward) == 1:
            before.setdefault(onward[0].number, []).append(literal)
            return
        ways = [2 * self.solver.new_variable(False) for _one in onward]
        for place in range(len(onward)):
            before.setdefault(onward[place].number, []).append(ways[place])
            self.solver.add_clause([ways[place] ^ 1, literal])
            for other in range(place):
                self.solver.add_clause([ways[place] ^ 1, ways[other] ^ 1])
        if ways:
            self.solver.add_clause([literal ^ 1] + ways)
