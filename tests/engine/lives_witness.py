"""One deal that explains what was seen of a `lives` deal, told so that it can be checked card by card."""

from __future__ import annotations

from collections.abc import Sequence

from events.audit.cards_paths import Deal, Paths, Step
from events.cards import PACK


class Move:
    """What a swap did in this explanation: its event's number, who, and the cards given and taken."""

    __slots__ = ("given", "player", "seq", "taken")

    def __init__(self, seq: int, player: str, given: Sequence[int], taken: Sequence[int]) -> None:
        self.seq = seq
        self.player = player
        self.given = tuple(given)
        self.taken = tuple(taken)


class Witness:
    """A deal: the hands dealt, the centre, what each swap did, and the hands at the end.

    It is one of those that fit, and no more: what really lay there, nobody knows.
    """

    __slots__ = ("centre", "final", "hands", "moves", "up")

    def __init__(
        self,
        hands: dict[str, tuple[int, ...]],
        centre: Sequence[int],
        up: int,
        moves: Sequence[Move],
        final: dict[str, tuple[int, ...]],
    ) -> None:
        self.hands = hands
        self.centre = tuple(centre)
        """The two cards dealt face down."""
        self.up = up
        self.moves = list(moves)
        self.final = final


def tell_witness(paths: Paths) -> Witness:
    """The paths of the named cards as a whole deal; where no card was named, the rest of the pack fills in.

    Only for deals of which no swap was left out of account.
    """
    deal = paths.deal
    rest = [card for card in range(PACK) if card not in paths.places]
    lying: list[list[int]] = []
    for place in range(deal.up + 1):
        cards = [card for card in paths.places if paths.places[card][0] == place]
        while len(cards) < deal.capacity(place):
            cards.append(rest.pop(0))
        lying.append(sorted(cards))
    dealt = [tuple(cards) for cards in lying]
    moves = [_move(deal, step, paths, time, lying) for time, step in enumerate(deal.steps)]
    players = deal.players
    return Witness(
        {players[hand]: dealt[hand] for hand in range(len(players))},
        dealt[deal.down],
        dealt[deal.up][0],
        moves,
        {players[hand]: tuple(sorted(lying[hand])) for hand in range(len(players))},
    )


def _move(deal: Deal, step: Step, paths: Paths, time: int, lying: list[list[int]]) -> Move:
    """Makes the swap on ``lying``, as the paths say; cards without a name move where there is a choice left."""
    hand = lying[step.hand]
    if step.take == "up":
        given, taken = [card for card in hand if card == step.card], list(lying[deal.up])
        lying[deal.up] = given
    elif step.take == "down":
        given = [_goes(paths, time, hand, deal.down)]
        taken = [_goes(paths, time, lying[deal.down], step.hand)]
        lying[deal.down] = [card for card in lying[deal.down] if card not in taken] + given
    else:
        given, taken = list(hand), lying[deal.down] + lying[deal.up]
        lying[deal.up] = [card for card in hand if card == step.card]
        lying[deal.down] = [card for card in hand if card != step.card]
    lying[step.hand] = [card for card in hand if card not in given] + taken
    return Move(step.seq, deal.players[step.hand], given, taken)


def _goes(paths: Paths, time: int, cards: list[int], there: int) -> int:
    """Which of the cards goes to ``there``: the named one that does, else one without a name."""
    for card in cards:
        if card in paths.places and paths.places[card][time + 1] == there:
            return card
    return next(card for card in cards if card not in paths.places)
