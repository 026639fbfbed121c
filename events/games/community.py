"""Bastard Brag with community cards (rules.md §3)."""

from __future__ import annotations

from events.amounts import even_split
from events.cards import CARDS
from events.games.bank import Bank
from events.games.betting import BettingTable, Offer, call_of
from events.games.hand import Hand
from events.games.side_pots import layers
from events.refusals import Refusal, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


class Community(Bank):
    """Three private cards each, three turned in the centre one at a time, a betting round before and after each."""

    game = "community"

    def set_up(self) -> None:
        BettingTable.set_up(self)
        self.min_bet = self.unit.chips(self.rules["min_bet"])
        self.times = self.rules["max_raise_times"]
        self.turned = self.rules["community_cards"]
        self.stud = self.rules["private_cards"] == 4
        self.side_pots = self.rules["side_pots"]

    # betting (rules.md §3.1-§3.4)

    def begin_betting(self) -> None:
        """The blind round."""
        self.begin_round()

    def begin_round(self) -> None:
        """A betting round: the level starts at zero, the dealer's left acts first."""
        hand = self.open_hand
        hand.phase = "act"
        hand.level = 0
        for name in hand.order:
            hand.holdings[name].acted = False
            hand.holdings[name].committed = 0
        self.next_turn(hand.order[-1])

    def next_turn(self, after: str) -> None:
        """Who must still act, from the left of `after`; nobody: the round is over.

        Where just one is not all in, and the level is met, there is no more betting.
        """
        hand = self.open_hand
        holdings, left_of, level = hand.holdings, hand.left_of, hand.level
        name = after
        for _ in left_of:
            name = left_of[name]
            holding = holdings[name]
            if holding.out or holding.all_in:
                continue
            if holding.committed < level or (not holding.acted and self.several_can_bet(hand)):
                hand.to_act = name
                return
        self.end_round()

    def several_can_bet(self, hand: Hand) -> bool:
        """Whether more than one of those still in is not all in."""
        if not self.side_pots:
            return hand.live > 1
        able = 0
        for name in hand.order:
            if not (hand.holdings[name].out or hand.holdings[name].all_in):
                able += 1
        return able > 1

    def end_round(self) -> None:
        """The next card, or the showing."""
        hand = self.open_hand
        hand.level = 0
        hand.to_act = None
        if len(hand.board) < self.turned:
            hand.phase = "flip"
        else:
            self.begin_showing()

    def go_on(self, after: str) -> None:
        if self.open_hand.live == 1:
            self.take_all(self.open_hand.still_in()[0], "last_in")
        else:
            self.next_turn(after)

    def may_not_look(self, name: str) -> str | None:
        if self.rules["blind_until_last"] and len(self.open_hand.board) < self.turned:
            return "at this table nobody looks before the last community card is turned"
        return None

    def offer(self, name: str, blind: bool) -> Offer:
        """A bet opens at `min_bet`; a raise adds `min_bet` or more; a short all-in lets nobody who has acted raise."""
        hand = self.open_hand
        holding = hand.holdings[name]
        low: int | None = hand.level + self.min_bet
        high = None if self.max_raise is None else hand.level + self.max_raise
        if hand.level and self.times is not None:
            high = hand.level * self.times if high is None else min(high, hand.level * self.times)
        if holding.acted and holding.committed < hand.level:  # a short all-in has moved the level since
            low = None
        return Offer(blind, hand.level, holding.committed, self.step, low, high)

    def invalid_now(self, event: dict[str, Any]) -> Refusal | None:
        if event["type"] == "bet" and event.get("all_in"):
            return self.all_in_fault(event)
        return self.price_fault(event) if event["type"] in ("buy", "cash") else None

    def all_in_fault(self, event: dict[str, Any]) -> Refusal | None:
        """`event.invalid` for an all-in that is not the whole stack, or where an ordinary bet would do."""
        name, hand = event["player"], self.hand
        player, chips = self.players.get(name), self.unit.chips(event["amount"])
        if not self.side_pots:
            return invalid({"all_in": ["is for tables with side pots"]})
        if player is not None and chips != player.stack:
            return invalid({"all_in": [f"is the whole stack: {self.text(player.stack)}"]})
        if hand is not None and hand.phase == "act" and hand.why_out(name) is None:
            if self.offer(name, self.pays_blind(event)).fault(chips) is None:
                return invalid({"all_in": ["an ordinary bet of that size may be made: leave it out"]})
        return None

    def bet_fault(self, event: dict[str, Any], offer: Offer, chips: int) -> str | None:
        """An all-in may be less than the call, less than the least raise, or in no step; it is never too high."""
        if event.get("all_in"):
            return "bet.too_high" if offer.over(chips) else None
        return offer.fault(chips)

    def bet(self, event: dict[str, Any]) -> None:
        """Chips in: the call, a raise, all in, or what the table let stand (rules.md §3.4, §5)."""
        hand = self.open_hand
        name = event["player"]
        holding = hand.holdings[name]
        if event["as"] == "seen":
            holding.looked = True
        blind = not holding.looked  # `pays_blind`, once the look is noted
        chips = self.unit.chips(event["amount"])
        if chips == call_of(blind, hand.level, holding.committed):
            units = hand.level - holding.committed
            self.put_in(name, chips, units)
            holding.committed = hand.level
        else:
            self.set_level(hand, name, chips, self.offer(name, blind), bool(event.get("all_in")))
        holding.acted = True
        self.go_on(name)

    def set_level(self, hand: Hand, name: str, chips: int, offer: Offer, all_in: bool) -> None:
        """A bet other than the call opens or raises, as far as it goes (§5)."""
        reached = offer.level_of(chips)
        all_in = all_in and not offer.over(chips)
        due = chips if all_in else offer.due(chips)
        if due != chips:
            hand.asked[self.now] = (due, offer.level_of(due) - offer.committed)
        self.put_in(name, chips, reached - offer.committed)
        short = reached < hand.level or (not hand.level and not all_in and due > chips)
        if reached > hand.level and not short:
            if not all_in:
                for other in hand.order:
                    hand.holdings[other].acted = False
            hand.level = hand.last_level = reached
        hand.holdings[name].committed = reached if all_in else hand.level

    def verify_check(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.4: after the first flip, while nobody has bet in the round."""
        for refusal in self.verify_act(event):
            yield refusal
            if not refusal.recordable:
                return
        if not self.may_check():
            detail = (
                "there is no check in the blind round"
                if not self.open_hand.round
                else "there is a bet: call, raise or fold"
            )
            yield Refusal("check.not_allowed", detail, "rules.md §3.4")

    def may_check(self) -> bool:
        """Whether whoever acts may check."""
        return self.open_hand.round > 0 and not self.open_hand.level

    def check(self, event: dict[str, Any]) -> None:
        """The turn passes; let stand over a bet, it counts as the level met."""
        holding = self.open_hand.holdings[event["player"]]
        holding.acted = True
        holding.committed = self.open_hand.level
        self.go_on(event["player"])

    # the centre

    def verify_flip(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.3."""
        fault = self.out_of_phase(event, "flip") or self.lying_twice([CARDS[event["card"]]])
        if fault is not None:
            yield fault

    def flip(self, event: dict[str, Any]) -> None:
        """A community card is turned; betting follows where two can still bet."""
        hand = self.open_hand
        hand.board = hand.board + (CARDS[event["card"]],)
        hand.round = len(hand.board)
        self.begin_round()

    # showing (rules.md §3.5-§3.7)

    def see_price(self, name: str) -> int:
        """Double the level; for a blind player double the blind rate, which is the level."""
        hand = self.open_hand
        return hand.last_level * (2 if hand.holdings[name].looked else 1) if name in hand.holdings else 0

    def begin_showing(self) -> None:
        hand = self.open_hand
        hand.to_act = None
        hand.phase = "discard" if self.stud else "reveal"

    def verify_discard(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3 (private_cards): each still in throws one, in any order."""
        name = event["player"]
        fault = self.out_of_phase(event, "discard")
        if fault is None and name in self.open_hand.holdings and self.open_hand.holdings[name].discarded:
            fault = self.not_now(event, f"{name} has thrown a card already")
        fault = fault or self.not_in_hand(name)
        if fault is not None:
            yield fault

    def discard(self, event: dict[str, Any]) -> None:
        """One of four private cards is thrown, unshown."""
        hand = self.open_hand
        hand.holdings[event["player"]].discarded = True
        for name in hand.still_in():
            if not hand.holdings[name].discarded:
                return
        hand.phase = "reveal"

    def verify_muck(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.6: anyone while showing, who has not shown."""
        name = event["player"]
        fault = self.out_of_phase(event, "reveal")
        if fault is None and (name in self.open_hand.shown or name in self.open_hand.mucked):
            fault = self.not_now(event, f"{name} has shown or mucked already")
        fault = fault or self.not_in_hand(name)
        if fault is not None:
            yield fault

    def muck(self, event: dict[str, Any]) -> None:
        """Gives up unseen; the last who has not mucked takes the pot."""
        hand = self.open_hand
        name = event["player"]
        hand.holdings[name].out = True
        hand.live -= 1
        hand.mucked = hand.mucked + (name,)
        left = hand.still_in()
        if len(left) == 1:
            self.take_all(left[0], "see" if hand.payer else "showdown")
        else:
            self.after_showing(name)

    def after_showing(self, name: str) -> None:
        hand = self.open_hand
        left = hand.still_in()
        for other in left:
            if other not in hand.shown:
                return
        if hand.payer is not None:
            self.take_all(self.seen_winner(hand), "see")
        else:
            self.showdown(hand)

    def take_all(self, name: str, by: str) -> None:
        """One player takes the whole pot."""
        hand = self.open_hand
        hand.winners = [name]
        hand.due = {name: hand.pot}
        self.finish("won", by)

    def showdown(self, hand: Hand) -> None:
        """The best hand takes the pot; with side pots, each layer goes to the best of those who reached it."""
        paid = [(player, chips, units) for _, player, chips, units in hand.payments]
        hand.due, pots = self.distribute(hand, paid)
        contested = [pot for pot in pots if len(pot[1]) > 1] or pots
        hand.winners = [name for name in self.seats if any(name in pot[2] for pot in contested)]
        if len(pots) > 1:
            hand.side_pots = pots
        self.finish("won" if len(hand.winners) == 1 else "split", "showdown")

    def distribute(
        self, hand: Hand, paid: list[tuple[str, int, int]]
    ) -> tuple[dict[str, int], list[tuple[int, list[str], list[str]]]]:
        """(awards, layers) of these payments between those still in; odd chips from the dealer's left."""
        awards: dict[str, int] = {}
        pots: list[tuple[int, list[str], list[str]]] = []
        for chips, reached in layers(paid, hand.still_in(), self.side_pots):
            best = max(hand.best[name][0] for name in reached) if len(reached) > 1 else 0
            winners = [name for name in reached if len(reached) == 1 or hand.best[name][0] == best]
            shares = even_split(chips, winners)
            for name in winners:
                awards[name] = awards.get(name, 0) + shares[name]
            by_seat = [name for name in self.seats if name in reached]
            pots.append((chips, by_seat, [name for name in by_seat if name in winners]))
        return {name: awards[name] for name in self.seats if awards.get(name)}, pots

    def as_the_rules_have_it(self, hand: Hand, seqs: list[int]) -> dict[str, int]:
        """The awards, had the payments of these events been what the rules ask; for what is owed (rules.md §5)."""
        paid = []
        for seq, player, chips, units in hand.payments:
            if seq in seqs:
                chips, units = hand.asked[seq]
            paid.append((player, chips, units))
        if hand.by == "showdown" and len(hand.still_in()) > 1:
            return self.distribute(hand, paid)[0]
        return {hand.winners[0]: sum(chips for _, chips, _ in paid)}

    # legal

    def legal_in_hand(self) -> list[dict[str, Any]]:
        hand = self.open_hand
        if hand.phase == "ante":
            return [{"type": "ante", "player": name} for name in hand.order if not hand.paid[name]]
        if hand.phase == "flip":
            return [{"type": "flip"}]
        if hand.phase == "discard":
            return [
                {"type": "discard", "player": name} for name in hand.still_in() if not hand.holdings[name].discarded
            ]
        if hand.phase == "reveal":
            waiting = [name for name in hand.still_in() if name not in hand.shown]
            return [{"type": kind, "player": name} for name in waiting for kind in ("reveal", "muck")]
        name = hand.to_act or ""
        entries: list[dict[str, Any]] = []
        if not hand.holdings[name].looked:
            entries += self.legal_bet(name, True) + self.legal_all_in(name, True)
        may_look = self.may_not_look(name) is None
        if hand.holdings[name].looked or may_look:
            entries += self.legal_bet(name, False) + self.legal_all_in(name, False)
        if not hand.holdings[name].looked and may_look:
            entries.append({"type": "look", "player": name})
        if self.may_check():
            entries.append({"type": "check", "player": name})
        return entries + self.legal_see(name) + [{"type": "fold", "player": name}]

    def legal_all_in(self, name: str, blind: bool) -> list[dict[str, Any]]:
        """The all-in of `legal`, where the whole stack is no ordinary bet and not too high."""
        stack, purse = self.players[name].stack, self.purse(name)
        if not self.side_pots or not stack or (purse is not None and stack > purse):
            return []
        offer = self.offer(name, blind)
        if offer.fault(stack) is None or offer.over(stack):
            return []
        return [
            {
                "type": "bet",
                "player": name,
                "as": "blind" if blind else "seen",
                "amount": self.text(stack),
                "all_in": True,
            }
        ]
