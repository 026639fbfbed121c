"""A session: the projection of one stream of events.

Replay is `apply` over the events that count; there is no other way to a state. Striking (`void`) replays the rest
without what was struck.
"""

from __future__ import annotations

from events.amounts import AmountError, kept, unit_for
from events.cleaning import clean
from events.games import table_of
from events.games.table import Table
from events.opening import open_session
from events.refusals import Refusal, Refused, invalid
from events.views import hand_view, settlement_view, state_view
from events.vocabulary import without_stamps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Iterator, Sequence

__all__ = ["Session", "effects", "open_session"]

# What does not change the table of the game.
BESIDE_THE_TABLE = frozenset(("void", "dispute", "rule", "note", "sign", "pay"))
# What can be struck and no balance is another one.
MOVES_NO_BALANCE = BESIDE_THE_TABLE - frozenset(("void", "rule"))


class Session:
    """The state after a stream's events, and the events themselves.

    version: seq of the last event. events: as stored or as cleaned, `events[seq - 1]`. struck: seqs that a `void`
    struck. replaced: struck seq -> seq recorded in its stead. disputes: seq -> event; rulings: seq of the dispute ->
    (seq of the ruling, event). signs: (seq, player). paid: (seq, event).
    """

    def __init__(self, open_event: dict[str, Any]) -> None:
        self.opening = open_event
        self.game: str = open_event["game"]
        self.rules: dict[str, Any] = open_event["rules"]
        self.unit = unit_for(open_event["unit"]["chip"], open_event["unit"]["coin"])
        self.version = 1
        self.events: list[dict[str, Any]] = [open_event]
        self.struck: set[int] = set()
        self.struck_by: dict[int, int] = {}
        self.replaced: dict[int, int] = {}
        self.voids: list[int] = []
        self.voids_changed: dict[int, bool] = {}  # seq of a void -> whether it changed a balance, where it was asked
        self.begin()

    def begin(self) -> None:
        """The table as it was opened."""
        self.table: Table = table_of(self.game, self.rules, self.unit, self.opening["players"])
        self.disputes: dict[int, dict[str, Any]] = {}
        self.rulings: dict[int, tuple[int, dict[str, Any]]] = {}
        self.signs: list[tuple[int, str]] = []
        self.paid: list[tuple[int, dict[str, Any]]] = []

    # from events to a session

    @classmethod
    def replay(cls, events: Iterable[dict[str, Any]]) -> Session:
        """The session after stored events, from seq 1 on, which are trusted to be legal."""
        stream = iter(events)
        session = cls(next(stream))
        session.events.extend(stream)
        seq = 0
        for event in session.events:
            seq += 1
            if event["type"] == "void":
                session.note_void(seq, event)
            if "replaces" in event:
                session.replaced[event["replaces"]] = seq
        session.version = seq
        session.run(None)
        return session

    @classmethod
    def read(cls, events: Iterable[dict[str, Any]]) -> Session:
        """The session after events that nobody has checked yet: stored ones, or a client's after an `open`.

        Raises Refused with the index of the first that fails in `refusal.event`.
        """
        session: Session | None = None
        raws = list(events)
        for at in range(len(raws)):
            raw = raws[at]
            try:
                if session is None:
                    session = cls.opened(raw)
                else:
                    event = without_stamps(raw) if isinstance(raw, dict) else raw
                    # Only a void asks what follows; of a long log the rest is not copied for every event.
                    follows = isinstance(event, dict) and event.get("type") == "void"
                    session.record(event, raws[at + 1 :] if follows else ())
            except Refused as refused:
                refused.refusal.event = at
                raise
        if session is None:
            raise Refused(invalid({"events": ["there are none: the first is an `open`"]}))
        return session

    @classmethod
    def opened(cls, raw: Any) -> Session:
        """A session from its `open`, as stored or as a client sends it. Raises Refused."""
        if not isinstance(raw, dict) or raw.get("type") != "open":
            raise Refused(invalid({"type": ["the first event is an `open`"]}))
        event, _ = open_session(without_stamps(raw))
        return cls(event)

    def fork(self) -> Session:
        """An independent copy, so that what is refused changes nothing."""
        twin = object.__new__(Session)
        for name in self.__dict__:
            setattr(twin, name, self.__dict__[name])
        twin.table = self.table.copy()
        twin.events = self.events if len(self.events) == self.version else self.events[: self.version]
        twin.struck = set(self.struck)
        twin.struck_by = dict(self.struck_by)
        twin.replaced = dict(self.replaced)
        twin.voids = list(self.voids)
        twin.voids_changed = dict(self.voids_changed)
        twin.disputes = dict(self.disputes)
        twin.rulings = dict(self.rulings)
        twin.signs = list(self.signs)
        twin.paid = list(self.paid)
        return twin

    # one more event

    def clean(self, raw: Any) -> dict[str, Any]:
        """An event as a client sends it -> as it is stored, but for what the service adds. Raises Refused."""
        event = clean(raw, self.game, self.rules, self.unit)
        if event["type"] == "pay":
            fault = self.payment_fault(event)
            if fault is not None:
                raise Refused(fault)
        return event

    def record(self, raw: Any, upcoming: Sequence[Any] = ()) -> dict[str, Any]:
        """Clean, verify and apply one event as the next of the stream; the event as stored, with its `hand`.

        upcoming: the raw events that follow in the same request: a hand struck and recorded anew in one request
        keeps its disputes (contract.md §3). Raises Refused, and then nothing has changed.
        """
        event = self.clean(raw)
        refusals = self.refusals(event, upcoming)
        if refusals:
            raise Refused(refusals[0])
        open_before = self.table.hand
        if len(self.events) > self.version:
            self.events = self.events[: self.version]
        self.version += 1
        self.events.append(event)
        if "replaces" in event:
            self.replaced[event["replaces"]] = self.version
        if event["type"] == "void":
            before = self.standing()
            self.note_void(self.version, event)
            self.run(None)
            self.voids_changed[self.version] = before != self.standing()
        else:
            self.apply(event, self.version)
        hand = self.table.hand if event["type"] == "deal" else open_before
        if hand is not None:
            event["hand"] = hand.number
        return event

    def refusals(self, event: dict[str, Any], upcoming: Sequence[Any] = ()) -> list[Refusal]:
        """Why a clean event may not be recorded; for one with `irregular`, only what cannot stand."""
        if "irregular" not in event:
            for refusal in self.verify(event, upcoming):
                return [refusal]
            return []
        return [refusal for refusal in self.verify(event, upcoming) if not refusal.recordable]

    def verify(self, event: dict[str, Any], upcoming: Sequence[Any] = ()) -> Iterator[Refusal]:
        """What the rules have against a clean event, in the order of contract.md §7."""
        kind = event["type"]
        if "replaces" in event and event["replaces"] not in self.struck:
            yield invalid({"replaces": [f"event {event['replaces']} has not been struck"]})
            return
        if kind in BESIDE_THE_TABLE:
            fault = self._invalid_now(event)
            if fault is not None:
                yield fault
                return
            absent = self.table.absent(event)
            if absent is not None:
                yield absent
                return
            if kind == "void":
                for refusal in self.verify_void(event, upcoming):
                    yield refusal
            elif kind == "rule":
                for refusal in self.verify_rule(event):
                    yield refusal
            elif kind == "pay" and self.table.hand is not None:
                yield self.table.not_now(event, f"a payment waits until hand {self.table.hand.number} is over")
            return
        fault = self.table.invalid_now(event)
        if fault is not None:
            yield fault
            return
        for refusal in self.table.verify(event):
            yield refusal

    def apply(self, event: dict[str, Any], seq: int) -> None:
        """Do what one event that counts says."""
        kind = event["type"]
        if kind not in BESIDE_THE_TABLE:
            self.table.apply(event, seq)
        elif kind == "dispute":
            self.disputes[seq] = event
        elif kind == "rule":
            self.rule(event, seq)
        elif kind == "sign":
            self.signs.append((seq, event["player"]))
        elif kind == "pay":
            self.paid.append((seq, event))

    def run(self, verify_from: int | None) -> Refusal | None:
        """Apply the events that count, from the opening; verifying those from a seq on. The first refusal, or None."""
        self.begin()
        table = self.table
        struck = self.struck
        actions: dict[str, Any] = {}  # the table's methods, looked up once: a night is replayed on every cold read
        seq = 1
        for event in self.events[1 : self.version]:
            seq += 1
            kind = event["type"]
            if seq in struck:
                if kind == "deal":
                    table.skip_deal(seq)
                continue
            if kind == "void":
                continue
            if verify_from is not None and seq >= verify_from:
                refusals = self.refusals(event)
                if refusals:
                    return Refusal(
                        "void.breaks",
                        f"event {seq} ({kind}) no longer fits: {refusals[0].detail}; strike it too",
                        "contract.md §7",
                        expected=seq,
                        actual=refusals[0].code,
                    )
            action = actions.get(kind)
            if action is None:
                if kind in BESIDE_THE_TABLE:
                    self.apply(event, seq)
                    continue
                action = actions[kind] = getattr(table, kind)
            table.now = seq
            action(event)
        return None

    # striking

    def note_void(self, seq: int, event: dict[str, Any]) -> None:
        """These are struck from now on."""
        self.voids.append(seq)
        for target in event["seqs"]:
            self.struck.add(target)
            self.struck_by[target] = seq

    def verify_void(self, event: dict[str, Any], upcoming: Sequence[Any]) -> Iterator[Refusal]:
        """rules.md §5, a wrong tap: events that are there, and without which the rest still replays."""
        for seq in event["seqs"]:
            why = self.why_not_struck(seq, self.version + 1)
            if why is not None:
                yield Refusal("void.target", f"event {seq}: {why}", "rules.md §5", actual=seq)
                return
        trial = self.fork()
        trial.note_void(trial.version, event)
        trial.expect_replacements(upcoming)
        broken = trial.run(min(self.first_of(seq) for seq in event["seqs"]))
        if broken is not None:
            yield broken

    def why_not_struck(self, target: int, void: int) -> str | None:
        """Why the event `target` cannot be struck by the event `void`, or None where it can."""
        if not 1 <= target < void:
            return "there is no such event"
        if target == 1:
            return "the opening cannot be struck"
        if target in self.struck:
            return "it has been struck already"
        if self.events[target - 1].get("type") == "void":
            return "a void cannot be struck: record anew what it struck"
        return None

    def expect_replacements(self, upcoming: Sequence[Any]) -> None:
        """Deals that the same request records anew: what hangs on the struck ones will hang on these."""
        for raw in upcoming:
            if (
                isinstance(raw, dict)
                and raw.get("type") in ("deal", "dispute")
                and isinstance(raw.get("replaces"), int)
            ):
                self.replaced.setdefault(raw["replaces"], self.version + 1)

    def first_of(self, seq: int) -> int:
        """The first of the events that this one was recorded anew for: disputes of any of them hang on it."""
        while "replaces" in self.events[seq - 1]:
            seq = self.events[seq - 1]["replaces"]
        return seq

    def standing_for(self, seq: int) -> int:
        """The event that now stands for one that was struck and recorded anew; else the same."""
        while seq in self.struck and self.replaced.get(seq, 0) > seq:
            seq = self.replaced[seq]
        return seq

    # disputes, rulings, payments

    def hand_standing_for(self, number: int) -> int | None:
        """The number under which a hand now stands; None where there is none, or not yet."""
        deal_of = self.table.deal_of
        if not 1 <= number <= len(deal_of):
            return None
        seq = self.standing_for(deal_of[number - 1])
        if seq in self.struck or seq > self.version or seq not in deal_of:
            return None
        return deal_of.index(seq) + 1

    def _invalid_now(self, event: dict[str, Any]) -> Refusal | None:
        kind = event["type"]
        if kind == "dispute":
            number = event["of_hand"]
            deal_of = self.table.deal_of
            if not 1 <= number <= len(deal_of) or self.standing_for(deal_of[number - 1]) in self.struck:
                return invalid({"of_hand": [f"there is no hand {number}"]})
        if (kind == "rule" or kind == "note") and "dispute" in event:
            if self.standing_for(event["dispute"]) not in self.disputes:
                return invalid({"dispute": [f"event {event['dispute']} is not a dispute"]})
        return None

    def verify_rule(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §5, a dispute: once, by amounts that make zero."""
        table = self.table
        adjust = self.adjustments(event)
        ruled = self.rulings.get(self.standing_for(event["dispute"]))
        if ruled is not None:
            yield table.not_now(event, f"that dispute was ruled on in event {ruled[0]}: open it anew first")
            return
        if table.with_chips and table.hand is not None and any(adjust[name] for name in adjust):
            yield table.not_now(event, f"a ruling that moves chips waits until hand {table.hand.number} is over")
            return
        for name in self.table.seats:
            if table.with_chips and table.players[name].stack + adjust.get(name, 0) < 0:
                stack = table.text(table.players[name].stack)
                yield Refusal(
                    "bet.stack",
                    f"{name} holds {stack}, and can give no more",
                    "rules.md §6",
                    stack,
                    event["adjust"][name],
                )
                return
        total = sum(adjust[name] for name in adjust)
        if total:
            detail = f"the adjustments make {table.text(total)}, not 0: what one is given, another gives"
            yield Refusal("rule.sum", detail, "rules.md §5", "0", table.text(total))

    def adjustments(self, event: dict[str, Any]) -> dict[str, int]:
        """player -> chips that a ruling moves."""
        given = event.get("adjust", {})
        return {name: self.unit.chips(given[name]) for name in given}

    def rule(self, event: dict[str, Any], seq: int) -> None:
        """A dispute is settled; chips move."""
        self.rulings[self.standing_for(event["dispute"])] = (seq, event)
        self.table.now = seq
        self.table.move(self.adjustments(event))

    def payment_fault(self, event: dict[str, Any]) -> Refusal | None:
        """`amount.not_chip` for a payment in no whole chips, or coins where the settlement is in money; `event.invalid`
        for one far too large."""
        try:
            if self.table.with_chips:
                event["amount"] = self.unit.coin_text(kept(self.unit.coins(event["amount"])))
            else:
                event["amount"] = self.unit.text(kept(self.unit.chips(event["amount"])))
        except AmountError as error:
            if error.code == "event.invalid":
                return invalid({"amount": [str(error)]})
            return Refusal(error.code, f"amount: {error}", "rules.md §1", actual=event["amount"])
        return None

    # what it shows

    @property
    def seats(self) -> list[str]:
        """Everyone who has sat at the table, in seat order."""
        return self.table.seats

    @property
    def closed(self) -> bool:
        """Whether the session has ended."""
        return self.table.closed

    def state(self, names: dict[str, str] | None = None) -> dict[str, Any]:
        """The state as contract.md §4 shows it, without the session's id; names: player id -> name."""
        return state_view(self, names or {})

    def hand(self, number: int) -> dict[str, Any] | None:
        """One hand as contract.md §4 shows it; None where there is no such hand, or it was struck."""
        for hand in self.table.hands:
            if hand.number == number:
                return hand_view(self, hand)
        return None

    def hands(self) -> list[dict[str, Any]]:
        """All hands that count, the open one last."""
        return [hand_view(self, hand) for hand in self.table.hands]

    def settlement(self) -> dict[str, Any]:
        """Balances and who pays whom, as contract.md §4 shows it."""
        return settlement_view(self)

    def covering(self) -> set[int]:
        """Seqs of the signatures that are later than the last change of any balance (contract.md §4, signed)."""
        since = [seq for seq, _ in self.signs if seq > self.table.changed_at]
        for void in self.voids:
            if since and void > since[0] and self.void_changed_a_balance(void):
                since = [seq for seq in since if seq > void]
        return set(since)

    def standing(self) -> dict[str, int]:
        """player -> balance, of those who are not at 0: to have sat down is no change of a balance."""
        balances, _ = self.table.balances()
        return {name: balances[name] for name in balances if balances[name]}

    def void_changed_a_balance(self, seq: int) -> bool:
        """Whether the balances were others right before a `void`: then who had signed signs again (rules.md §6)."""
        if seq not in self.voids_changed:
            struck = self.events[seq - 1]["seqs"]
            moved = any(self.events[target - 1]["type"] not in MOVES_NO_BALANCE for target in struck)
            if moved:
                before, after = Session.replay(self.events[: seq - 1]), Session.replay(self.events[:seq])
                moved = before.standing() != after.standing()
            self.voids_changed[seq] = moved
        return self.voids_changed[seq]


def effects(before: Session, after: Session) -> dict[str, Any]:
    """What changes in hands that are over, in lives and in balances, between two versions of a session."""
    was = {hand["hand"]: hand for hand in before.hands() if hand["result"] != "open"}
    now = {hand["hand"]: hand for hand in after.hands() if hand["result"] != "open"}
    hands = []
    for number in sorted(set(was) | set(now)):
        if number in was and was[number] != now.get(number):
            hands.append({"hand": number, "before": was[number], "after": now.get(number)})
    changes: dict[str, Any] = {"hands": hands, "lives": {}, "balances": {}}
    settled_before, settled_after = before.settlement(), after.settlement()
    for kind in ("lives", "balances"):
        old, new = settled_before[kind] or {}, settled_after[kind] or {}
        for name in after.seats:
            if old.get(name) != new.get(name):
                changes[kind][name] = {"before": old.get(name), "after": new.get(name)}
    return changes
