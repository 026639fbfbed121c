"""The pack of three-card Brag, which is not shuffled after every hand (rules.md §4, what is unshuffled).

For every place of the pack, and of every hand out of it, the cards that may lie there: those once shown, by name;
`UNSEEN` for whatever has not been shown since the last shuffle.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

UNSEEN = -1
SIZE = 52
_ANY = frozenset((UNSEEN,))


class Pack:
    """Where cards once shown may lie. A place is the set of cards that may lie in it.

    came, kept_from: the cards that may have come round in this deal, and in the one that a kept hand is from.
    """

    __slots__ = ("places", "dealt", "kept", "seen", "came", "kept_from")

    def __init__(self) -> None:
        self.places: list[frozenset[int]] = []
        self.dealt: dict[str, tuple[frozenset[int], ...]] = {}
        self.kept: dict[str, tuple[frozenset[int], ...]] = {}
        self.seen: frozenset[int] = frozenset()
        self.came: frozenset[int] = frozenset()
        self.kept_from: dict[str, frozenset[int]] = {}
        self.shuffle()

    def copy(self) -> Pack:
        """An independent copy."""
        twin = object.__new__(Pack)
        twin.places = list(self.places)
        twin.dealt = dict(self.dealt)
        twin.kept = dict(self.kept)
        twin.seen = self.seen
        twin.came = self.came
        twin.kept_from = dict(self.kept_from)
        return twin

    def shuffle(self) -> None:
        """Nothing is known any more of what is not kept; kept hands stay out."""
        self.dealt = {}
        self.places = [_ANY] * (SIZE - 3 * len(self.kept))
        self.seen = frozenset()

    def deal(self, order: list[str]) -> None:
        """Three cards each, one at a time, to players in the order from the dealer's left."""
        count = len(order)
        self.dealt = {}
        for at in range(count):
            self.dealt[order[at]] = (self.places[at], self.places[count + at], self.places[2 * count + at])
        self.came = frozenset()
        for place in self.places[: 3 * count]:
            if place is not _ANY:
                self.came = self.came | place
        self.places = self.places[3 * count :]

    def keep(self, name: str) -> None:
        """The hand dealt in this deal stays out for the next."""
        self.kept[name] = self.dealt.pop(name)
        self.kept_from[name] = self.came

    def bury(self, name: str, which: str) -> None:
        """A hand ("new" or "old") goes under the pack; the order of its cards is not known."""
        hand = (self.kept if which == "old" else self.dealt).pop(name, None)
        if which == "old":
            self.kept_from.pop(name, None)
        if hand is not None:
            anywhere = hand[0] if hand[0] is hand[1] is hand[2] else hand[0] | hand[1] | hand[2]
            self.places += [anywhere, anywhere, anywhere]

    def impossible(self, name: str, which: str, cards: list[int]) -> list[int]:
        """Those of the cards that were shown before and cannot have come round in the deal that this hand is from."""
        came = self.kept_from.get(name, self.came) if which == "old" else self.came
        return [card for card in cards if card in self.seen and card not in came]

    def show(self, name: str, which: str, cards: tuple[int, ...]) -> None:
        """These three lay in this hand, and so nowhere else."""
        gone = frozenset(cards)
        self.seen = self.seen | gone
        self.places = _without(gone, self.places)
        for hands in (self.dealt, self.kept):
            for other in hands:
                hands[other] = tuple(_without(gone, hands[other]))
        self.came = self.came - gone
        for other in self.kept_from:
            self.kept_from[other] = self.kept_from[other] - gone
        hands = self.kept if which == "old" else self.dealt
        hands[name] = tuple([frozenset((card,)) for card in cards])


def _without(gone: frozenset[int], places: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The places without these cards; most are `_ANY` itself, of which nothing is taken."""
    return [place if place is _ANY or place.isdisjoint(gone) else place - gone for place in places]
