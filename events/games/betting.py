"""What the two betting games share: the ante, levels in seen units, blind at half price, seeing, showing.

rules.md §3.4 and §4.4: the level is counted in seen units; a seen player pays it whole, a blind one half of it,
rounded up to whole chips; a payment that can be the call is the call, and any other blind payment amounts to twice
itself.
"""

from __future__ import annotations

from events.cards import CARDS
from events.games.hand import Hand
from events.games.playing import PlayingTable
from events.games.when import said_in
from events.refusals import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


def call_of(blind: bool, level: int, committed: int) -> int | None:
    """The chips that keep a level, for who has `committed` in the round already; None before there is a level."""
    if level == 0:
        return None
    missing = level - committed if level > committed else 0
    return (missing + 1) // 2 if blind else missing


class Offer:
    """What one player may bet now, as a blind or as a seen player, in chips that they would pay.

    call: keeps the level; None before there is one. low, high: the least and the highest level that a bet may set,
    in level chips; low None: no raise; high None: no cap. committed: what they have in the round already.
    """

    __slots__ = ("blind", "level", "committed", "step", "low", "high", "call")

    def __init__(self, blind: bool, level: int, committed: int, step: int, low: int | None, high: int | None) -> None:
        self.blind = blind
        self.level = level
        self.committed = committed
        self.step = step
        self.low = low
        self.high = high
        self.call = call_of(blind, level, committed)

    def level_of(self, chips: int) -> int:
        """The level that a payment amounts to."""
        if chips == self.call:
            return self.level
        return self.committed + (2 * chips if self.blind else chips)

    def raises(self, purse: int | None) -> tuple[int | None, int | None, int | None]:
        """(min, max, step) of what opens or raises, at most `purse`; max None: no cap; all None: none is left."""
        if self.low is None:
            return None, None, None
        stride = self.step
        if self.blind:
            if self.step % 2 == 0:
                if self.committed % 2:
                    return None, None, None
                stride = self.step // 2
            # Twice the payment and what is committed make whole steps: at one payment in every `stride`.
            right = -self.committed // 2 if self.step % 2 == 0 else -self.committed * ((self.step + 1) // 2)
            least = max(-(-(self.low - self.committed) // 2), (self.call or 0) + 1)
            least += (right - least) % stride
            most = None if self.high is None else (self.high - self.committed) // 2
        else:
            least = self.low + -self.low % self.step - self.committed
            most = None if self.high is None else self.high - self.committed
        if purse is not None:
            most = purse if most is None else min(most, purse)
        if most is None:
            return least, None, stride
        if most < least:
            return None, None, None
        return least, least + (most - least) // stride * stride, stride

    def fault(self, chips: int) -> str | None:
        """The code of what is wrong with paying `chips` as an ordinary bet, or None."""
        if chips == self.call:
            return None
        if self.call is not None and chips < self.call:
            return "bet.too_low"
        least, most, stride = self.raises(None)
        if least is None or stride is None:
            return "bet.too_high" if self.call is not None or self.over(chips) else "bet.too_low"
        if chips < least:
            return "bet.too_low"
        if most is not None and chips > most:
            return "bet.too_high"
        return "bet.step" if (chips - least) % stride else None

    def over(self, chips: int) -> bool:
        """Whether `chips` are more than the call by someone who may not raise, or past what a bet may set: what an
        all-in, which need fit no step, is held to (rules.md §6, all in)."""
        if self.call is not None and chips <= self.call:
            return False
        return self.low is None or (self.high is not None and self.level_of(chips) > self.high)

    def due(self, chips: int) -> int:
        """What the rules ask instead of `chips`: the call or the least opening where it is short of them, the highest
        where it is over; else `chips` itself, which has no price (rules.md §5)."""
        if chips == self.call:
            return chips
        if self.call is not None and chips < self.call:
            return self.call
        least, most, _ = self.raises(None)
        if least is None:
            return chips if self.call is None else self.call
        if self.call is None and chips < least:
            return least
        return most if most is not None and chips > most else chips


class BettingTable(PlayingTable):
    """A table of `community` or `three-card`."""

    def set_up(self) -> None:
        self.step = self.unit.chips(self.rules["step"])
        self.max_raise = None if self.rules["max_raise"] is None else self.unit.chips(self.rules["max_raise"])
        self.side_pots = False

    # what each game says for itself

    def offer(self, name: str, blind: bool) -> Offer:
        """What a player may bet now."""
        raise NotImplementedError

    def go_on(self, after: str) -> None:
        """Who acts, or what comes, after an action that ended a turn."""
        raise NotImplementedError

    def begin_betting(self) -> None:
        """All antes are in."""
        raise NotImplementedError

    def may_not_look(self, name: str) -> str | None:
        """Why a player who has not looked may not, or None."""
        return None

    def see_price(self, name: str) -> int:
        """Chips that it costs a player to see the other (rules.md §3.5, §4.8)."""
        raise NotImplementedError

    # the purse

    def over_purse(self, name: str, chips: int) -> Iterator[Refusal]:
        """`bet.stack` and `bet.limit` for paying `chips` more into the open hand."""
        if self.with_chips and chips > self.players[name].stack:
            stack = self.text(self.players[name].stack)
            yield Refusal(
                "bet.stack", f"{name} holds {stack}, not {self.text(chips)}", "rules.md §3.8", stack, self.text(chips)
            )
            return
        paid = self.open_hand.paid[name]
        if self.limit is not None and paid + chips > self.limit:
            left = self.text(max(0, self.limit - paid))
            detail = f"the table's limit is {self.text(self.limit)} a hand: {name} may put in {left} more"
            yield Refusal("bet.limit", detail, "rules.md §5", left, self.text(chips))

    # the ante

    def deal(self, event: dict[str, Any]) -> None:
        PlayingTable.deal(self, event)
        self.open_hand.phase = "ante"

    def verify_ante(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.1, §4.3: once, by everyone dealt in."""
        name = event["player"]
        fault = self.out_of_phase(event, "ante")
        if fault is None and self.open_hand.paid.get(name):
            fault = self.not_now(event, f"{name} has paid the ante")
        fault = fault or self.not_in_hand(name)
        if fault is not None:
            yield fault
            return
        chips = self.ante_of(event)
        if chips != self.ante_chips:
            ante, rule = self.rules["ante"], said_in("ante.wrong", self.game)
            yield Refusal("ante.wrong", f"the ante is {ante}", rule, ante, event["amount"])
        for refusal in self.over_purse(name, chips):
            yield refusal

    def ante_of(self, event: dict[str, Any]) -> int:
        """The chips that an `ante` pays."""
        return self.unit.chips(event["amount"]) if "amount" in event else self.ante_chips

    def ante(self, event: dict[str, Any]) -> None:
        """A player pays the ante; when all have, the betting begins."""
        hand = self.open_hand
        chips = self.ante_of(event)
        if chips != self.ante_chips:
            hand.asked[self.now] = (self.ante_chips, self.ante_chips)
        self.put_in(event["player"], chips, chips)
        if len(hand.payments) == len(hand.order):
            self.begin_betting()

    def put_in(self, name: str, chips: int, units: int) -> None:
        """A payment into the pot, with what it amounts to in level units.

        With side pots, who pays the last chip is all in (rules.md §3, all in).
        """
        hand = self.open_hand
        player = self.players[name]
        hand.pot += chips
        hand.paid[name] += chips
        player.net -= chips
        self.changed_at = self.now
        hand.payments.append((self.now, name, chips, units))
        if self.side_pots and not player.stack:
            hand.holdings[name].all_in = True

    # acting

    def verify_look(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.4, §4.6: once, on one's own turn."""
        name = event["player"]
        fault = self.out_of_phase(event, "act", "choose")
        if fault is None and name in self.open_hand.holdings and self.has_looked(event):
            fault = self.not_now(event, f"{name} has looked already")
        fault = fault or self.not_in_hand(name)
        if fault is not None:
            yield fault
            return
        fault = self.turn(event)
        if fault is not None:
            yield fault
        why = self.may_not_look(name)
        if why is not None:
            yield Refusal("look.not_allowed", why, said_in("look.not_allowed", self.game))

    def has_looked(self, event: dict[str, Any]) -> bool:
        """Whether this look has been done already."""
        return self.open_hand.holdings[event["player"]].looked

    def look(self, event: dict[str, Any]) -> None:
        """The player is seen from now on, for this hand."""
        self.open_hand.holdings[event["player"]].looked = True

    def pays_blind(self, event: dict[str, Any]) -> bool:
        """Whether a bet is a blind payment: who has looked makes a seen one, whatever it is called (rules.md §5)."""
        return event["as"] == "blind" and not self.open_hand.holdings[event["player"]].looked

    def verify_bet(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.4, §4.4: the call, or an opening or a raise within its bounds."""
        name = event["player"]
        for refusal in self.verify_act(event):
            yield refusal
            if not refusal.recordable:
                return
        holding = self.open_hand.holdings[name]
        if event["as"] == "seen" and not holding.looked:
            why = self.may_not_look(name)
            if len(holding.hands) == 2:
                yield Refusal(
                    "look.not_allowed",
                    f"{name} holds two hands: look at one, and keep it or throw it, first",
                    "rules.md §4.9",
                    final=True,
                )
                return
            if why is not None:
                yield Refusal("look.not_allowed", why, said_in("look.not_allowed", self.game))
        if event["as"] == "blind" and holding.looked:
            yield Refusal(
                "bet.not_blind",
                f"{name} has looked, and pays as a seen player",
                said_in("bet.not_blind", self.game),
                "seen",
                "blind",
            )
        chips = self.unit.chips(event["amount"])
        for refusal in self.over_purse(name, chips):
            yield refusal
            if not refusal.recordable:
                return
        offer = self.offer(name, self.pays_blind(event))
        code = self.bet_fault(event, offer, chips)
        if code is not None:
            yield self.bet_refusal(code, offer, chips)

    def bet_fault(self, event: dict[str, Any], offer: Offer, chips: int) -> str | None:
        """The code of what is wrong with the amount of a bet."""
        return offer.fault(chips)

    def bet_refusal(self, code: str, offer: Offer, chips: int) -> Refusal:
        """A refusal of an amount, with what this player may pay."""
        least, most, stride = offer.raises(None)
        expected = {"call": offer.call, "min": least, "max": most, "step": stride}
        words = []
        if offer.call is not None:
            words.append(f"{self.text(offer.call)} keeps the level")
        if least is not None:
            words.append(
                f"{self.text(least)}"
                + (f" to {self.text(most)}" if most is not None else " or more")
                + (" raises it" if offer.call is not None else " opens")
                + f", in steps of {self.text(stride or 0)}"
            )
        shown = {key: None if expected[key] is None else self.text(expected[key] or 0) for key in expected}
        return Refusal(
            code,
            "; ".join(words) or "nothing can be bet now",
            said_in(code, self.game),
            shown,
            self.text(chips),
        )

    def verify_fold(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.2, §4.5."""
        return self.verify_act(event)

    def fold(self, event: dict[str, Any]) -> None:
        """Out of the hand; what was put in stays in."""
        name = event["player"]
        hand = self.open_hand
        hand.holdings[name].out = True
        hand.live -= 1
        self.go_on(name)

    # seeing

    def verify_see(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.5, §4.8: by one of the last two, once there is a level, at the price."""
        name = event["player"]
        for refusal in self.verify_act(event):
            yield refusal
            if not refusal.recordable:
                return
        hand = self.open_hand
        price = self.see_price(name)
        chips = self.unit.chips(event["amount"]) if "amount" in event else price
        for refusal in self.over_purse(name, chips):
            yield refusal
            if not refusal.recordable:
                return
        rival, rule = self.rival_of(name), said_in("see.amount", self.game)
        if rival is None:
            detail = "only when two are left, and neither is all in, may one see the other"
            yield Refusal("see.not_two", detail, rule)
            return
        if not hand.last_level:
            yield Refusal("see.no_level", "nobody has bet yet: open with a bet first", rule)
            return
        if self.may_not_see(name, rival):
            yield Refusal("see.blind_rival", f"{name} has looked and {rival} has not: bet or fold", rule)
        if chips != price:
            asked = self.text(price)
            yield Refusal("see.amount", f"seeing costs {asked}", rule, asked, self.text(chips))

    def rival_of(self, name: str) -> str | None:
        """The other of the last two, where one may see the other."""
        left = self.open_hand.still_in()
        if len(left) != 2 or name not in left:
            return None
        if self.open_hand.holdings[left[0]].all_in or self.open_hand.holdings[left[1]].all_in:
            return None
        return left[1] if left[0] == name else left[0]

    def may_not_see(self, name: str, rival: str) -> bool:
        """Whether a seen player would see a blind one at a table where that is not done."""
        holdings = self.open_hand.holdings
        return not self.rules["see_blind"] and holdings[name].looked and not holdings[rival].looked

    def see(self, event: dict[str, Any]) -> None:
        """The payer has paid; both show."""
        hand = self.open_hand
        name = event["player"]
        price = self.see_price(name)
        chips = self.unit.chips(event["amount"]) if "amount" in event else price
        rate = 1 if hand.holdings[name].looked else 2
        hand.payer, hand.rival = name, self.rival_of(name)  # before the price, which may be the payer's last chip
        if chips != price:
            hand.asked[self.now] = (price, rate * price)
        self.put_in(name, chips, rate * chips)
        hand.to_act = None
        self.begin_showing()

    def begin_showing(self) -> None:
        """What comes before hands are shown, and who shows first."""
        raise NotImplementedError

    def legal_see(self, name: str) -> list[dict[str, Any]]:
        """The `see` of `legal`, where it may be done."""
        rival = self.rival_of(name)
        if rival is None or not self.open_hand.last_level or self.may_not_see(name, rival):
            return []
        price, purse = self.see_price(name), self.purse(name)
        if purse is not None and price > purse:
            return []
        return [{"type": "see", "player": name, "amount": self.text(price)}]

    def legal_bet(self, name: str, blind: bool) -> list[dict[str, Any]]:
        """The `bet` of `legal` as a blind or a seen player, where its call, or its opening, can be paid."""
        offer, purse = self.offer(name, blind), self.purse(name)
        least, most, stride = offer.raises(purse)
        if (offer.call is not None and purse is not None and offer.call > purse) or (
            offer.call is None and least is None
        ):
            return []
        amounts = {"call": offer.call, "min": least, "max": most, "step": stride}
        entry: dict[str, Any] = {"type": "bet", "player": name, "as": "blind" if blind else "seen"}
        for key in ("call", "min", "max", "step"):
            value = amounts[key]
            entry[key] = None if value is None else self.text(value)
        return [entry]

    # showing

    def reveal(self, event: dict[str, Any]) -> None:
        """A player shows; when all have, the hand is decided."""
        hand = self.open_hand
        name = event["player"]
        cards = tuple([CARDS[card] for card in event["cards"]])
        hand.shown[name] = cards
        hand.best[name] = self.ranking.best_three(cards + hand.board)
        self.after_showing(name)

    def after_showing(self, name: str) -> None:
        """Who shows next, or how the hand ends."""
        raise NotImplementedError

    def seen_winner(self, hand: Hand) -> str:
        """Who wins after a `see`: the payer only if strictly better (rules.md §3.5, §4.8)."""
        payer, rival = hand.payer or "", hand.rival or ""
        if payer in hand.mucked:
            return rival
        if rival in hand.mucked:
            return payer
        return payer if hand.best[payer][0] > hand.best[rival][0] else rival
