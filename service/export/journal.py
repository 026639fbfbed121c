"""A night as double entry: what `hledger` and `beancount` both write down.

Every movement between players, pot, bank and kitty becomes a posting, and every entry's postings make zero. The log
is followed as it was written: a hand that was recorded, struck out and recorded anew stands there three times, as the
first entry, its reversal and the new one, and the balances are as if only the last existed.

Signs: a player's account is above zero by what the others owe them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from events.session import Session
from service.export.accounts import BANK, KITTY, POT
from service.export.chart import Chart
from service.export.night import Night, StoredEvent
from service.export.words import spans
from service.night_label import happened_at, night_of

_BESIDE_THE_HANDS = frozenset(("buy", "cash", "pay"))
"""What moves chips or money by itself: gone through for each entry, as all events of a long session cannot be."""
_LAST_DAY = "9999-12-30"
"""A ledger asserts its balances on the day after its last, and there has to be one."""


@dataclass(frozen=True)
class Posting:
    """An amount, in decimal text of its commodity, put on an account."""

    account: str
    amount: str
    commodity: str
    note: str = ""


@dataclass(frozen=True)
class Entry:
    """One transaction. day: the night it belongs to. at: its time, RFC 3339. seqs: the events it is made of."""

    day: str
    words: str
    at: str
    seqs: tuple[int, int]
    postings: list[Posting]


@dataclass
class _Standing:
    """Who holds what, in whole chips (nets, where there is no bank of chips), what the bank sold, and who paid what."""

    chips: dict[str, int] = field(default_factory=dict)
    sold: int = 0
    coins: dict[str, int] = field(default_factory=dict)

    def moved(self, before: _Standing, after: _Standing) -> _Standing:
        """This standing, with what changed from `before` to `after` added to it."""
        return _Standing(
            _sum(self.chips, before.chips, after.chips),
            self.sold - before.sold + after.sold,
            _sum(self.coins, before.coins, after.coins),
        )


class Journal:
    """The entries of a night, the accounts they use and how those must stand at the end.

    chart: of the file that the night is written in, where it is one of several there.
    """

    def __init__(self, night: Night, chart: Chart | None = None) -> None:
        self.night = night
        self.chart = chart or Chart()
        self.accounts = self.chart.accounts(night, self.first_day)
        self.chips, self.money = self.chart.symbols(night, self.first_day)
        self.entries = list(self._entries())

    @property
    def first_day(self) -> str:
        """The day on which the accounts are opened."""
        return min(self.night.night_of or "1970-01-01", _LAST_DAY)

    @property
    def last_day(self) -> str:
        """The day of the last entry."""
        return max([entry.day for entry in self.entries], default=self.first_day)

    def final_balances(self) -> dict[str, str]:
        """Player -> what is still owed to them (below zero: by them), in `money`: the settlement less what was paid."""
        measure, settled = self._money_measure(), self.night.session.settlement()
        standing = {player: measure.read(settled["balances"].get(player, "0")) for player in self.night.seats}
        for payment in settled["paid"]:
            amount = measure.read(payment["amount"])
            standing[payment["from"]] += amount
            standing[payment["to"]] -= amount
        return {player: measure.write(amount) for player, amount in standing.items()}

    def _money_measure(self) -> _Measure:
        unit = self.night.unit
        if self.night.in_money:
            return _Measure(unit.coins_of, unit.coin_text)
        return _Measure(unit.chips_of, unit.text)

    def _entries(self) -> Iterator[Entry]:
        yield from self._played()
        if self.night.in_money:
            yield from self._chips_turned_into_money()

    def _played(self) -> Iterator[Entry]:
        """The log's entries in its order: one a hand, one for each other event that moves anything."""
        live: dict[int, StoredEvent] = {}
        before = _Standing()
        opened = Session(self.night.opening)
        after = self._standing(opened, live)
        entry = self._entry("Stakes", self.night.opening, self.night.opening, before, after)
        if entry is not None:
            yield entry
        before, first, was_open = after, None, False
        for event, session in self.night.steps():
            if event["type"] == "void":
                for seq in event["seqs"]:
                    live.pop(seq, None)
            elif event["type"] in _BESIDE_THE_HANDS:
                live[event["seq"]] = event
            is_open = _hand_is_open(session)
            if was_open and first is None:
                first = event
            if was_open and is_open:
                if event["type"] == "void" and (first is None or min(event["seqs"]) < first["seq"]):
                    held, after = self._standing_before(event), self._standing(session, live)
                    entry = self._entry(self._words(event, first), event, event, held, after)
                    if entry is not None:
                        yield entry
                        before = before.moved(held, after)
                continue
            if is_open and not was_open and event["type"] == "deal":
                first, was_open = event, True
                continue
            after = self._standing(session, live)
            entry = self._entry(self._words(event, first), first or event, event, before, after)
            if entry is not None:
                yield entry
            before, first, was_open = after, None, is_open
        if was_open:
            last = self.night.head
            after = self._standing(self.night.session, live)
            entry = self._entry(f"{_hand(last, first)}, still open", first or last, last, before, after)
            if entry is not None:
                yield entry

    def _standing_before(self, event: StoredEvent) -> _Standing:
        """How all stood before this event, later ones not yet known."""
        earlier = self.night.events[: event["seq"] - 1]
        return self._standing(Session.replay(earlier), _effective(earlier))

    def _standing(self, session: Session, live: Mapping[int, StoredEvent]) -> _Standing:
        unit, players = self.night.unit, session.table.players
        if not self.night.in_money:
            return _Standing({player: players[player].net for player in players}, 0, _paid(live, unit.chips))
        standing = _Standing({player: players[player].stack for player in players})
        standing.coins = _paid(live, unit.coins)
        for event in live.values():
            if event["type"] in ("buy", "cash"):
                sign = 1 if event["type"] == "buy" else -1
                standing.sold += sign * unit.chips(event["chips"])
                price = unit.coins(event.get("price", event["chips"]))
                player = event["player"]
                standing.coins[player] = standing.coins.get(player, 0) - sign * price
        return standing

    def _entry(
        self, words: str, first: StoredEvent, last: StoredEvent, before: _Standing, after: _Standing
    ) -> Entry | None:
        """The entry that leads from one standing to the other, or None where nothing moved."""
        unit, money = self.night.unit, self._money_measure()
        postings, chips_moved, coins_moved = [], 0, 0
        for player in self.night.seats:
            chips = after.chips.get(player, 0) - before.chips.get(player, 0)
            coins = after.coins.get(player, 0) - before.coins.get(player, 0)
            chips_moved, coins_moved = chips_moved + chips, coins_moved + coins
            for moved, text, symbol in ((chips, unit.text(chips), self.chips), (coins, money.write(coins), self.money)):
                if moved:
                    postings.append(Posting(self.accounts[player], text, symbol, self.night.name(player)))
        sold = after.sold - before.sold
        for name, moved, text, symbol in (
            (BANK, -sold, unit.text(-sold), self.chips),
            (POT, sold - chips_moved, unit.text(sold - chips_moved), self.chips),
            (KITTY, -coins_moved, money.write(-coins_moved), self.money),
        ):
            if moved:
                postings.append(Posting(name, text, symbol))
        if not postings:
            return None
        return Entry(self._day(last), words, happened_at(last), (first["seq"], last["seq"]), postings)

    def _day(self, event: StoredEvent) -> str:
        """The event's night; never before the session's, however an event's own clock stood."""
        return max(min(night_of(event), _LAST_DAY), self.first_day)

    def _words(self, event: StoredEvent, first: StoredEvent | None) -> str:
        kind = event["type"]
        if kind == "void":
            return f"Struck out: {spans(event['seqs'])} ({event['reason']})"
        if kind == "pay":
            return f"Payment: {self.night.label(event['from'])} to {self.night.label(event['to'])}"
        if kind in ("buy", "cash"):
            return f"Chips {'bought' if kind == 'buy' else 'handed back'}: {self.night.label(event['player'])}"
        if kind == "rule":
            return f"Ruling on dispute {event['dispute']}: {event['decision']}"
        if kind == "count":
            return "The chips are counted"
        if kind == "join":
            return f"Joining: {self.night.label(event['player'])}"
        if kind == "settle":
            return f"{_hand(event, first)}, as the table paid it"
        if kind == "close":
            return "The session closes"
        return _hand(event, first)

    def _chips_turned_into_money(self) -> Iterator[Entry]:
        """What each holds at the end becomes their share of the money (rules.md §3.8)."""
        unit, session = self.night.unit, self.night.session
        settled = session.settlement()
        live = _effective(self.night.events)
        standing = self._standing(session, live)
        payments = _paid(live, unit.coins)
        postings, handed, shared = [], 0, 0
        for player in self.night.seats:
            chips = standing.chips.get(player, 0)
            balance = unit.coins_of(settled["balances"].get(player, "0"))
            share = balance + payments.get(player, 0) - standing.coins.get(player, 0)
            handed, shared = handed + chips, shared + share
            name = self.night.name(player)
            if chips:
                postings.append(Posting(self.accounts[player], unit.text(-chips), self.chips, name))
            if share:
                postings.append(Posting(self.accounts[player], unit.coin_text(share), self.money, name))
        if handed:
            postings.append(Posting(BANK, unit.text(handed), self.chips))
        if shared:
            postings.append(Posting(KITTY, unit.coin_text(-shared), self.money))
        if postings:
            head = self.night.head
            day = max(self._day(head), self.first_day)
            yield Entry(day, "The chips are turned into money", happened_at(head), (1, head["seq"]), postings)


def _sum(base: dict[str, int], before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    players = base.keys() | before.keys() | after.keys()
    return {player: base.get(player, 0) - before.get(player, 0) + after.get(player, 0) for player in players}


def _effective(events: Sequence[StoredEvent]) -> dict[int, StoredEvent]:
    """The events that move something beside the hands and were not struck out, by seq."""
    live = {event["seq"]: event for event in events if event["type"] in _BESIDE_THE_HANDS}
    for event in events:
        if event["type"] == "void":
            for seq in event["seqs"]:
                live.pop(seq, None)
    return live


class _Measure:
    """Amounts of money as whole pieces, and back."""

    def __init__(self, read: Callable[[str], int], write: Callable[[int], str]) -> None:
        self.read = read
        self.write = write


def _paid(live: Mapping[int, StoredEvent], read: Callable[[object], int]) -> dict[str, int]:
    """What payments made between players moved: who has paid owes less."""
    moved: dict[str, int] = {}
    for event in live.values():
        if event["type"] == "pay":
            amount = read(event["amount"])
            moved[event["from"]] = moved.get(event["from"], 0) + amount
            moved[event["to"]] = moved.get(event["to"], 0) - amount
    return moved


def _hand_is_open(session: Session) -> bool:
    return session.table.hand is not None


def _hand(event: StoredEvent, first: StoredEvent | None) -> str:
    number = event.get("hand") or (first or {}).get("hand")
    return f"Hand {number}" if number else str(event["type"]).capitalize()
