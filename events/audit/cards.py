"""Cards that cannot be (rules.md §5): what the engine let pass, since it could only be concluded, the audit says.

A refusal rests on what the log knows of single cards. Here whole deals are looked at: whether some deal, and some
choice of hidden cards, explains all that the table saw.
"""

from __future__ import annotations

from events.audit.cards_course import pack_steps
from events.audit.cards_lives import LivesDeal, Reveal, Swap, lives_clashes
from events.audit.cards_solver import Undecided
from events.audit.cards_three import pack_clashes
from events.audit.findings import Finding
from events.audit.walk import Walk
from events.cards import card_name, parse_card

TYPE_CHECKING = False
if TYPE_CHECKING:
    from events.games.hand import Hand


def cards(walk: Walk) -> list[Finding]:
    """Events that no deal explains together, those already found impossible one by one left out."""
    try:
        if walk.session.game == "three-card":
            return _unshuffled(walk)
        return _swapped(walk) if walk.session.game == "lives" else []
    except Undecided:
        walk.undecided = True
        return []


def _swapped(walk: Walk) -> list[Finding]:
    """Events of a `lives` deal that no deal explains together."""
    known = [breach.seq for breach in walk.breaches if breach.refusal.code == "cards.impossible"]
    found = []
    for hand in walk.session.table.hands:
        for clash in lives_clashes(_deal_of(walk, hand)):
            if clash.seqs[-1] in known:
                continue
            named = ", ".join([card_name(card) for card in clash.cards]) or "which of them, is too tangled to say"
            message = f"no deal explains these events together ({named}): leave out any one, and some deal does"
            found.append(
                Finding(
                    "cards.impossible",
                    "warning",
                    message,
                    hand.number,
                    list(clash.seqs),
                    list(clash.players),
                    rule="rules.md §5",
                )
            )
    return found


def _unshuffled(walk: Walk) -> list[Finding]:
    """Hands shown that no order of the unshuffled pack explains together (rules.md §4)."""
    known = [breach.seq for breach in walk.breaches if breach.refusal.code == "cards.impossible"]
    steps = [step for step in pack_steps(walk) if step.kind != "show" or step.seq not in known]
    found = []
    for clash in pack_clashes(steps):
        last = clash.seqs[-1]
        named = ", ".join([card_name(card) for card in clash.cards]) or "some of these cards"
        message = f"{named} cannot have come round to there in the unshuffled pack, if all these hands were as shown"
        players = [walk.events[seq - 1]["player"] for seq in clash.seqs]
        hands = [hand.number for hand in walk.session.table.hands if hand.first < last]
        found.append(
            Finding(
                "cards.impossible",
                "warning",
                message,
                hands[-1],
                list(clash.seqs),
                [name for name in walk.session.seats if name in players],
                rule="rules.md §4",
            )
        )
    return found


def _deal_of(walk: Walk, hand: Hand) -> LivesDeal:
    """What the table saw of one deal, without what was struck."""
    swaps, reveals, up = [], [], 0
    last = hand.last or len(walk.events)
    for seq in range(hand.first, last + 1):
        event = walk.events[seq - 1]
        if seq in walk.session.struck or (walk.stopped is not None and seq >= walk.stopped):
            continue
        if event["type"] == "deal":
            up = parse_card(event["up"])
        elif event["type"] == "swap":
            card = event.get("give") or event.get("leave")
            swaps.append(Swap(seq, event["player"], event["take"], None if card is None else parse_card(card)))
        elif event["type"] == "reveal":
            reveals.append(Reveal(seq, event["player"], [parse_card(card) for card in event["cards"]]))
    return LivesDeal(hand.order, hand.first, up, swaps, reveals)
