"""What all games share: seats, the deal and who deals, money in and out, coming and going, the end (rules.md §1, §5).

A table is changed only by `apply`; `verify` says beforehand what the rules have against an event. Each event type
has a pair of methods, `verify_bet` and `bet`: the first yields refusals in the order of contract.md §7 and changes
nothing, the second never fails on what the first let through.
"""

from __future__ import annotations

from events.amounts import Unit, even_split
from events.games.hand import Hand
from events.games.player import Player
from events.games.seats import Seats
from events.games.when import place_of, said_in
from events.house_rules import most_dealt_in
from events.ranking import ranking_for
from events.refusals import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator

# contract.md §3, last paragraph.
AFTER_THE_CLOSE = frozenset(("settle", "dispute", "rule", "sign", "pay", "note", "void"))


class Table(Seats):
    """The state of one session's game: a projection of its events.

    rules: complete house rules as stored. unit: its chips. players: ids in seat order. Amounts are chips.
    """

    game = ""
    open_hand: Hand  # the hand that is open; only where there is one
    may_sit_out = True  # whether a deal may leave players out (rules.md §1, how many)

    def __init__(self, rules: dict[str, Any], unit: Unit, players: list[str]) -> None:
        self.rules = rules
        self.unit = unit
        Seats.__init__(self, players)
        self.ranking = ranking_for(rules)
        self.ante_chips = unit.chips(rules["ante"]) if "ante" in rules else 0
        self.limit = None if rules["stake_limit"] is None else unit.chips(rules["stake_limit"])
        self.with_chips = rules.get("bank") == "chips"
        self.hands: list[Hand] = []  # those that count, the open one last
        self.hand: Hand | None = None  # the open one
        self.deal_of: list[int] = []  # hand number - 1 -> seq of its deal, struck ones included
        self.carried = 0
        self.carried_by: dict[str, int] = {}
        self.carried_before: dict[str, int] = {}  # as the last hand that paid a pot out found it
        self.carry_shared = False  # given back or shared out at the close
        self.shared_out: tuple[int, list[str]] | None = None  # chips of a carried pot, and among whom, at the close
        self.pots_resolved = 0
        self.match_over = False
        self.closed_early = False  # by a `close`
        self.now = 1  # seq of the event being applied
        self.changed_at = 1  # seq of the last change of any balance
        self.counts: list[tuple[int, int, bool, dict[str, int]]] = []  # seq, hand, gap, player -> chips moved
        self.set_up()

    def set_up(self) -> None:
        """What a game adds at the opening."""

    def copy(self) -> Table:
        """An independent copy; hands that are over are shared, but for the last, which `settle` may change."""
        twin = object.__new__(self.__class__)
        for name in self.__dict__:
            setattr(twin, name, self.__dict__[name])
        twin.seats = list(self.seats)
        twin.players = {name: self.players[name].copy() for name in self.seats}
        twin.hands = list(self.hands)
        if twin.hands:
            twin.hands[-1] = self.hands[-1].copy()
        if self.hand is not None:
            twin.hand = twin.open_hand = twin.hands[-1]
        twin.deal_of = list(self.deal_of)
        twin.carried_by = dict(self.carried_by)
        twin.counts = list(self.counts)
        return twin

    # asking

    @property
    def closed(self) -> bool:
        """Whether the session has ended, by the rules or by the table."""
        return self.match_over or self.closed_early

    @property
    def phase(self) -> str:
        """What is awaited (contract.md §4)."""
        if self.closed:
            return "closed"
        return "deal" if self.hand is None else self.hand.phase

    @property
    def last_hand(self) -> Hand | None:
        """The last hand that counts, open or over."""
        return self.hands[-1] if self.hands else None

    def text(self, chips: int) -> str:
        """Chips as decimal text in points."""
        return self.unit.text(chips)

    def can_be_dealt_in(self, name: str) -> bool:
        """Whether a player is in for the next deal: here, not waiting, with a life, with the ante."""
        player = self.players[name]
        if player.left or player.waiting:
            return False
        return not self.with_chips or player.stack >= self.ante_chips

    def next_dealt_in(self) -> list[str]:
        """Who would be dealt in, in seat order."""
        return [name for name in self.seats if self.can_be_dealt_in(name)]

    def dealers(self, dealt_in: list[str]) -> list[str]:
        """Who may deal: anyone before the first deal; after a misdeal the same again; else the next on the left."""
        last = self.last_hand
        if last is None:
            return dealt_in
        if last.result == "misdeal" and last.dealer in dealt_in:
            return [last.dealer]
        return self.from_left_of(last.dealer, dealt_in)[:1]

    def purse(self, name: str) -> int | None:
        """The most that a player can still put into the open hand; None where nothing limits it."""
        most = self.players[name].stack if self.with_chips else None
        if self.limit is not None:
            left = max(0, self.limit - self.open_hand.paid.get(name, 0))
            most = left if most is None else min(most, left)
        return most

    def in_play(self) -> int:
        """Chips that belong to nobody yet: the open pot, or what is carried."""
        return self.hand.pot if self.hand is not None else self.carried

    def balances(self) -> tuple[dict[str, int], int]:
        """(player -> what the settlement has for them, what is in play): chips."""
        return {name: self.players[name].net for name in self.seats}, self.in_play()

    def winners(self) -> list[str] | None:
        """The session's winners in seat order, once closed: the highest net, or with chips the most held."""
        if not self.closed:
            return None
        worth = {name: self.players[name].stack if self.with_chips else self.players[name].net for name in self.seats}
        best = max(worth[name] for name in self.seats)
        return [name for name in self.seats if worth[name] == best]

    # verifying

    def invalid_now(self, event: dict[str, Any]) -> Refusal | None:
        """What makes an event meaningless at this point, before anything else is asked."""
        return None

    def verify(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """What the rules have against an event, in the order of contract.md §7; nothing where it may be applied."""
        kind = event["type"]
        if self.closed and kind not in AFTER_THE_CLOSE:
            detail = "the session is closed: open a new one, or strike what closed it"
            yield Refusal("session.closed", detail, said_in("session.closed", self.game))
            return
        fault = self.absent(event)
        if fault is not None:
            yield fault
            return
        for refusal in getattr(self, "verify_" + kind)(event):
            yield refusal

    def apply(self, event: dict[str, Any], seq: int) -> None:
        """Do what the event says. It has been verified, or stands in a log."""
        self.now = seq
        getattr(self, event["type"])(event)

    def not_now(self, event: dict[str, Any], detail: str | None = None) -> Refusal:
        """`event.not_now`, with what is awaited, and where the rules say when this comes."""
        awaited: list[str] = []
        for entry in self.legal():
            if entry["type"] not in awaited:
                awaited.append(entry["type"])
        if detail is None:
            detail = f"{event['type']} does not fit here"
            detail += ": now comes " + " or ".join(awaited) if awaited else ""
        rule = place_of(event["type"], self.game)
        return Refusal("event.not_now", detail, rule, expected=awaited, actual=event["type"])

    def between_hands(self, event: dict[str, Any]) -> Refusal | None:
        """`event.not_now` while a hand is open."""
        if self.hand is None:
            return None
        return self.not_now(event, f"a {event['type']} waits until hand {self.hand.number} is over")

    def not_in_hand(self, name: str) -> Refusal | None:
        """`player.not_in_hand` for who takes no part in the open hand, or no part any more."""
        why = self.open_hand.why_out(name)
        if why is None:
            return None
        rule = said_in("player.not_in_hand", self.game)
        return Refusal("player.not_in_hand", f"{name} {why}", rule, actual=name)

    def legal(self) -> list[dict[str, Any]]:
        """All that may be done now towards what is awaited, as contract.md §4 has it."""
        if self.closed:
            return []
        if self.hand is not None:
            return self.legal_in_hand()
        dealt_in = self.next_dealt_in()
        if len(dealt_in) < 2 or (not self.may_sit_out and len(dealt_in) > most_dealt_in(self.game, self.rules)):
            return []
        return [self.offered_deal(name, dealt_in) for name in self.dealers(dealt_in)]

    def offered_deal(self, dealer: str, dealt_in: list[str]) -> dict[str, Any]:
        """The `deal` of `legal`: who may be dealt in, or, where they are too many, the dealer and those on the left."""
        entry: dict[str, Any] = {"type": "deal", "dealer": dealer}
        most = most_dealt_in(self.game, self.rules)
        if len(dealt_in) > most:
            entry["players"] = [dealer] + self.from_left_of(dealer, dealt_in)[: most - 1]
        return entry

    def legal_in_hand(self) -> list[dict[str, Any]]:
        """`legal` while a hand is open: each game's own."""
        raise NotImplementedError

    # the deal

    def verify_deal(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §1: who deals, who is dealt in, and whether the pack is shuffled."""
        busy = self.between_hands(event)
        if busy is not None:
            yield busy
            return
        dealer = event["dealer"]
        chosen = event.get("players")
        for name in [dealer] + (chosen or []):
            why = self.why_not_dealt_in(name)
            if why is not None:
                rule = "rules.md §2.5" if self.game == "lives" else "rules.md §5"
                yield Refusal("player.not_in_hand", f"{name} {why} and cannot be dealt in", rule, actual=name)
                return
        dealt_in = self.next_dealt_in() if chosen is None else chosen
        most = most_dealt_in(self.game, self.rules)
        if len(dealt_in) < 2:
            detail = "a deal needs two players: let somebody join, or close the session"
            yield Refusal("deal.too_few", detail, "rules.md §1", expected=2, actual=len(dealt_in))
            return
        if len(dealt_in) > most:
            detail = f"at most {most} are dealt in at this table: name them in `players`"
            rule = said_in("deal.too_many", self.game)
            yield Refusal("deal.too_many", detail, rule, expected=most, actual=len(dealt_in))
            return
        right = self.dealers([name for name in self.seats if name in dealt_in])
        if dealer not in right:
            yield Refusal("deal.wrong_dealer", f"{' or '.join(right)} deals now", "rules.md §1", right, dealer)
        if "shuffled" in event and event["shuffled"] != self.must_shuffle():
            due, rule = self.must_shuffle(), said_in("deal.shuffle", self.game)
            detail = "the pack is shuffled now" if due else "the pack is not shuffled now"
            yield Refusal("deal.shuffle", detail, rule, due, event["shuffled"])
        for name in dealt_in:
            if self.with_chips and self.players[name].stack < self.ante_chips:
                detail = (
                    f"{name} does not hold the ante of {self.text(self.ante_chips)}: let them buy, or leave them out"
                )
                yield Refusal(
                    "bet.stack", detail, "rules.md §3.8", self.rules["ante"], self.text(self.players[name].stack)
                )
                return

    def why_not_dealt_in(self, name: str) -> str | None:
        """Why a player may not even be named in a deal."""
        return "waits until the carried pot is resolved" if self.players[name].waiting else None

    def must_shuffle(self) -> bool:
        """Whether the rules ask for a shuffle before the next deal (rules.md §1, §4.2)."""
        return True

    def new_hand(self, event: dict[str, Any]) -> Hand:
        """The hand that a deal begins, not yet the table's."""
        chosen = event.get("players") or self.next_dealt_in()
        self.deal_of.append(self.now)
        order = self.from_left_of(event["dealer"], chosen)
        return Hand(len(self.deal_of), event["dealer"], order, self.now, self.carried)

    def deal(self, event: dict[str, Any]) -> None:
        """A hand is dealt."""
        self.begin_hand(self.new_hand(event))

    def begin_hand(self, hand: Hand) -> None:
        """This is the open hand from now on."""
        self.hand = self.open_hand = hand
        self.hands.append(hand)

    def skip_deal(self, seq: int) -> None:
        """A struck deal keeps its number (rules.md §5)."""
        self.deal_of.append(seq)

    # money

    def move(self, amounts: dict[str, int]) -> None:
        """Nets change by these amounts of chips."""
        for name in amounts:
            if amounts[name]:
                self.players[name].net += amounts[name]
                self.changed_at = self.now

    def finish(self, result: str, by: str | None) -> None:
        """The open hand is over; its awards are paid."""
        hand = self.open_hand
        hand.result, hand.by, hand.last = result, by, self.now
        hand.awards = hand.due
        self.hand = None
        self.conclude(hand)

    def conclude(self, hand: Hand) -> None:
        """What a hand's awards do to the table. `unconclude` takes it back."""
        self.move(hand.awards)

    def unconclude(self, hand: Hand) -> None:
        """As though the hand had not been paid out yet."""
        self.move({name: -hand.awards[name] for name in hand.awards})

    def in_dealer_order(self, names: list[str]) -> list[str]:
        """Players from the left of who dealt last."""
        last = self.last_hand
        return self.from_left_of(last.dealer if last is not None else self.seats[-1], names)

    def verify_misdeal(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §5: any open hand can be called off."""
        if self.hand is None:
            yield self.not_now(event, "no hand is open: there is nothing to call off")

    def misdeal(self, event: dict[str, Any]) -> None:
        """The hand is over, and what was paid into it in this deal goes back."""
        hand = self.open_hand
        self.move(hand.paid)
        hand.paid = {name: 0 for name in hand.order}
        hand.pot = 0
        hand.due = {}
        hand.payments = []
        hand.asked = {}
        self.finish("misdeal", None)

    def verify_settle(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """contract.md §3: the hand just over, as the rules have it, or otherwise with `irregular`."""
        hand = self.last_hand
        if self.hand is not None or hand is None or hand.result == "misdeal":
            yield self.not_now(event, "there is no finished hand to settle")
            return
        for refusal in self.verify_settlement(hand, event):
            yield refusal

    def verify_settlement(self, hand: Hand, event: dict[str, Any]) -> Iterator[Refusal]:
        """`settle` of a hand with a pot: the awards make the pot and are those of the rules."""
        awards = self.awards_in(event) if "awards" in event else hand.due
        if hand.result == "carried" and bool(awards) != bool(hand.awards):
            if self.carry_shared:
                yield self.not_now(event, "the carried pot has been given back or shared out already")
                return
            if self.closed_early:
                yield self.not_now(event, "the session is closed, and nothing can be carried: strike the close first")
                return
        for name in self.seats:
            less = hand.awards.get(name, 0) - awards.get(name, 0)
            if self.with_chips and less > 0 and self.players[name].stack < less:
                yield Refusal(
                    "bet.stack", f"{name} no longer holds the {self.text(less)} to give back", "rules.md §3.8"
                )
                return
        if sum(awards[name] for name in awards) != (hand.pot if awards or hand.due else 0):
            expected, actual = self.text(hand.pot), self.text(sum(awards[name] for name in awards))
            detail = f"the awards make {actual}, the pot was {expected}: name what each was paid"
            yield Refusal("settle.sum", detail, "contract.md §3", expected, actual)
            return
        if awards != hand.due:
            detail = "the rules give " + (self.spoken(hand.due) or "the pot to nobody yet: it is carried")
            yield Refusal("award.wrong", detail, hand.rule(self.game), self.texts(hand.due), self.texts(awards))

    def settle(self, event: dict[str, Any]) -> None:
        """What the table did with the hand just over; the last word counts."""
        hand = self.hands[-1]
        awards = self.awards_in(event) if "awards" in event else hand.due
        hand.settles = hand.settles + [(self.now, awards == hand.due)]
        if awards != hand.awards:
            self.unconclude(hand)
            hand.awards = awards
            self.conclude(hand)

    def awards_in(self, event: dict[str, Any]) -> dict[str, int]:
        """The awards that a `settle` names, in chips, those of nothing left out."""
        given = event["awards"]
        chips = {name: self.unit.chips(given[name]) for name in given}
        return {name: chips[name] for name in chips if chips[name]}

    def texts(self, chips: dict[str, int]) -> dict[str, str]:
        """player -> decimal text, in seat order."""
        return {name: self.text(chips[name]) for name in self.seats if name in chips}

    def spoken(self, chips: dict[str, int]) -> str:
        """Who gets what, for a sentence."""
        return ", ".join(f"{self.text(chips[name])} to {name}" for name in self.seats if name in chips)

    # coming, going and the end

    def verify_join(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §5: between hands; not by someone who sits there."""
        busy = self.between_hands(event)
        if busy is None and event["player"] in self.players and not self.players[event["player"]].left:
            busy = self.not_now(event, f"{event['player']} sits at the table already")
        if busy is not None:
            yield busy

    def join(self, event: dict[str, Any]) -> None:
        """A new player, or one who comes back to the old seat unless `before` names another (rules.md §6)."""
        name, before = event["player"], event.get("before")
        if name in self.players:
            self.players[name].left = False
            if before is not None and before != name:
                self.seats.remove(name)
                self.seats.insert(self.seats.index(before), name)
        else:
            self.players[name] = Player()
            self.seats.insert(len(self.seats) if before is None else self.seats.index(before), name)
        self.players[name].waiting = self.carried > 0

    def verify_leave(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §5: between hands."""
        busy = self.between_hands(event)
        if busy is not None:
            yield busy

    def leave(self, event: dict[str, Any]) -> None:
        """They keep their place in the order, their net, and what they have in a carried pot."""
        player = self.players[event["player"]]
        player.left = True
        player.waiting = False
        player.kept = False

    def sharers(self) -> list[str]:
        """Among whom `split` shares a pot at the close: those at the table who do not wait (rules.md §6)."""
        return [name for name in self.seats if not self.players[name].left and not self.players[name].waiting]

    def verify_close(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §4.12: not over an open or carried pot without saying what becomes of it."""
        if event.get("carry") == "split" and self.in_play() and not self.sharers():
            yield self.not_now(event, "nobody is at the table to share the pot: close with carry: refund")
        elif "carry" not in event and self.in_play():
            detail = f"{self.text(self.in_play())} is in play: close with carry: refund, or carry: split"
            rule = said_in("close.pot_open", self.game)
            yield Refusal("close.pot_open", detail, rule, expected=["refund", "split"])

    def close(self, event: dict[str, Any]) -> None:
        """An open hand counts as misdealt; a carried pot is given back or shared; the session is over."""
        if self.hand is not None:
            self.misdeal(event)
        if self.carried:
            if event.get("carry") == "split":
                self.shared_out = (self.carried, self.in_dealer_order(self.sharers()))
                shares = even_split(self.carried, self.shared_out[1])
            else:
                shares = dict(self.carried_by)
            self.move(shares)
            self.carried = 0
            self.carried_by = {}
            self.carry_shared = True
        for name in self.seats:
            self.players[name].waiting = False
        self.closed_early = True
