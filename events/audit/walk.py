"""A log gone through once more, event by event: what the rules had against each, and whether the sums held.

Only the events that count are walked; what was struck is as though it had not been (rules.md §5).
"""

from __future__ import annotations

from events.refusals import Refusal, Refused
from events.session import Session
from events.vocabulary import without_stamps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Breach:
    """Something that the rules had against an event that stands in the log.

    seq, hand: of the event; hand 0 outside any. let_stand: the table said so, with `irregular`.
    """

    __slots__ = ("seq", "hand", "event", "refusal", "let_stand")

    def __init__(self, seq: int, hand: int, event: dict[str, Any], refusal: Refusal, let_stand: bool) -> None:
        self.seq = seq
        self.hand = hand
        self.event = event
        self.refusal = refusal
        self.let_stand = let_stand


class Walk:
    """The log's events in order, the session that they make, and what was found on the way.

    counted: (seq, event) of those that count, read anew. undecided: whether cards were too tangled to decide on.
    session: after the last event that could be replayed. stopped: the seq that could not, or None. sums: (seq, what
    does not add up) of the first event after which nets, pots and chips no longer made zero, or None.
    """

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self.events = events
        self.breaches: list[Breach] = []
        self.counted: list[tuple[int, dict[str, Any]]] = []
        self.undecided = False
        self.stopped: int | None = None
        self.sums: tuple[int, str] | None = None
        self.session = Session.opened(events[0])
        self._go()

    def _go(self) -> None:
        session = self.session
        session.events = list(self.events)
        session.version = len(self.events)
        for seq in range(1, session.version + 1):
            event = self.events[seq - 1]
            if event.get("type") == "void":
                self._note_void(seq, event)
            if isinstance(event.get("replaces"), int):
                session.replaced[event["replaces"]] = seq
        for seq in range(2, session.version + 1):
            event = self.events[seq - 1]
            if seq in session.struck:
                if event.get("type") == "deal":
                    session.table.skip_deal(seq)
            elif event.get("type") != "void" and not self._step(seq, event):
                self.stopped = seq
                return

    def _note_void(self, seq: int, event: dict[str, Any]) -> None:
        session = self.session
        targets = event.get("seqs")
        if not isinstance(targets, list) or not targets:
            targets = [0]
        for target in targets:
            why = session.why_not_struck(target if isinstance(target, int) else 0, seq)
            if why is not None:
                self._found(seq, event, Refusal("void.target", f"event {target}: {why}", "rules.md §5", actual=target))
                return
        session.note_void(seq, event)

    def _step(self, seq: int, event: dict[str, Any]) -> bool:
        """One event that counts; False where nothing after it can be replayed."""
        session = self.session
        try:
            clean = session.clean(without_stamps(event))
        except Refused as refused:
            self._found(seq, event, refused.refusal)
            return False
        for refusal in session.verify(clean):
            self._found(seq, event, refusal)
            if not refusal.recordable:
                return False
        session.apply(clean, seq)
        self.counted.append((seq, clean))
        if self.sums is None:
            fault = self._sums_fault()
            self.sums = None if fault is None else (seq, fault)
        return True

    def _found(self, seq: int, event: dict[str, Any], refusal: Refusal) -> None:
        let_stand = "irregular" in event and refusal.recordable
        self.breaches.append(Breach(seq, self.hand_of(event), event, refusal, let_stand))

    def hand_of(self, event: dict[str, Any]) -> int:
        """The number of the hand that an event is about: the one it opens, the open one, or the last; 0: none yet."""
        table = self.session.table
        if event.get("type") == "deal" and table.hand is None:
            return len(table.deal_of) + 1
        return table.hands[-1].number if table.hands else 0

    def _sums_fault(self) -> str | None:
        """What no longer adds up (rules.md §1, sums)."""
        table = self.session.table
        nets = sum(table.players[name].net for name in table.seats)
        if nets + table.in_play() != 0:
            return f"the nets make {table.text(nets)} with {table.text(table.in_play())} in play"
        hand = table.hand
        if hand is not None:
            paid = sum(hand.paid[name] for name in hand.order)
            if hand.pot != hand.carried_in + paid:
                return f"the pot is {table.text(hand.pot)}, what was put in makes {table.text(hand.carried_in + paid)}"
        if table.with_chips:
            for name in table.seats:
                if table.players[name].stack < 0:
                    return f"{name} holds less than nothing"
        return None
