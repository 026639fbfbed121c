"""Three-card Brag with blind hands (rules.md §4)."""

from __future__ import annotations

from events.cards import card_name
from events.games.betting import BettingTable, Offer, call_of
from events.games.hand import Hand
from events.games.pack import Pack
from events.refusals import Refusal, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


class ThreeCard(BettingTable):
    """Each turn pays the whole new amount; betting goes round until one is left or one sees."""

    game = "three-card"

    def set_up(self) -> None:
        BettingTable.set_up(self)
        self.min_open = self.unit.chips(self.rules["min_open"])
        self.max_open = self.unit.chips(self.rules["max_open"])
        self.pack = Pack()
        self.may_retain: str | None = None  # the blind last one in, until the next deal

    def copy(self) -> ThreeCard:
        twin = BettingTable.copy(self)
        assert isinstance(twin, ThreeCard)
        twin.pack = self.pack.copy()
        return twin

    # the deal (§4.2, §4.3, §4.9)

    def must_shuffle(self) -> bool:
        """For the first deal, after a misdeal, and when the hand before was won in a showdown by a prial."""
        last = self.last_hand
        if last is None or last.result == "misdeal":
            return True
        if last.by != "see" or last.winners[0] not in last.shown:
            return False
        return self.ranking.category(last.best[last.winners[0]][0]) == "prial"

    def deal(self, event: dict[str, Any]) -> None:
        shuffled = event["shuffled"] if "shuffled" in event else self.must_shuffle()
        if self.may_retain is not None:
            self.throw_in(self.may_retain, self.hands[-1])
            self.may_retain = None
        hand = self.new_hand(event)
        for name in self.seats:
            if name in self.pack.kept and (name not in hand.paid or not self.players[name].kept):
                self.pack.bury(name, "old")
                self.players[name].kept = False
        if shuffled:
            self.pack.shuffle()
        self.pack.deal(hand.order)
        for name in hand.order:
            holding = hand.holdings[name]
            holding.looked = self.rules["all_seen"]
            if self.players[name].kept:
                holding.hands = ("old", "new")
                self.players[name].kept = False
        hand.phase = "ante"
        self.begin_hand(hand)

    def begin_betting(self) -> None:
        hand = self.open_hand
        hand.phase = "act"
        hand.to_act = hand.order[0]

    def throw_in(self, name: str, hand: Hand) -> None:
        """All that a player holds goes under the pack, the older hand first."""
        for which in hand.holdings[name].hands:
            self.pack.bury(name, which)

    # betting (§4.4-§4.6)

    def offer(self, name: str, blind: bool) -> Offer:
        """The first bet opens at `min_open` to `max_open`; later ones keep the level or add up to `max_raise`."""
        level = self.open_hand.level
        if not level:
            return Offer(blind, 0, 0, self.step, self.min_open, self.max_open)
        high = None if self.max_raise is None else level + self.max_raise
        return Offer(blind, level, 0, self.step, level // self.step * self.step + self.step, high)

    def bet(self, event: dict[str, Any]) -> None:
        """The whole new amount; one short of the level leaves it, one over sets what it amounts to (§5)."""
        hand = self.open_hand
        name = event["player"]
        holding = hand.holdings[name]
        if event["as"] == "seen":
            holding.looked = True
        blind = not holding.looked  # `pays_blind`, once the look is noted
        chips = self.unit.chips(event["amount"])
        if chips == call_of(blind, hand.level, 0):
            self.put_in(name, chips, hand.level)
        else:
            offer = self.offer(name, blind)
            reached = offer.level_of(chips)
            due = offer.due(chips)
            if due != chips:
                hand.asked[self.now] = (due, offer.level_of(due))
            self.put_in(name, chips, reached)
            if due <= chips and reached > hand.level:
                hand.level = hand.last_level = reached
        self.go_on(name)

    def go_on(self, after: str) -> None:
        hand = self.open_hand
        if hand.live == 1:
            self.last_in(hand.still_in()[0])
            return
        holdings, left_of = hand.holdings, hand.left_of
        name = left_of[after]
        while holdings[name].out:
            name = left_of[name]
        hand.to_act = name

    def fold(self, event: dict[str, Any]) -> None:
        self.throw_in(event["player"], self.open_hand)
        BettingTable.fold(self, event)

    def last_in(self, name: str) -> None:
        """A seen player takes the pot without showing; a blind one nothing: it is carried (§4.7)."""
        hand = self.open_hand
        if hand.holdings[name].looked:
            hand.winners = [name]
            hand.due = {name: hand.pot}
            self.throw_in(name, hand)
            self.finish("won", "last_in")
        else:
            self.may_retain = name
            self.finish("carried", "last_in")

    # two hands (§4.9-§4.11)

    def pending_choice(self) -> str | None:
        hand = self.hand
        if hand is not None:
            for name in hand.order:
                if hand.holdings[name].peeked is not None:
                    return name
        return None

    def invalid_now(self, event: dict[str, Any]) -> Refusal | None:
        """With two hands `which` says which; with one there is nothing to say."""
        name = event.get("player", "")
        hand = self.hand if event["type"] == "look" else self.last_hand if self.hand is None else None
        if event["type"] not in ("look", "retain") or hand is None or name not in hand.holdings:
            return None
        if event["type"] == "retain" and name != self.may_retain:
            return None
        two = len(hand.holdings[name].hands) == 2
        if two and "which" not in event:
            return invalid({"which": [f"is missing: {name} holds two hands, say `old` or `new`"]})
        if not two and "which" in event:
            return invalid({"which": [f"is for two hands: {name} holds one"]})
        return None

    def has_looked(self, event: dict[str, Any]) -> bool:
        holding = self.open_hand.holdings[event["player"]]
        return holding.looked or (holding.peeked is not None and holding.peeked == event["which"])

    def may_not_look(self, name: str) -> str | None:
        if self.open_hand.holdings[name].peeked is not None:
            return f"{name} has looked at one of two hands: keep it or throw it, never both"
        return None

    def look(self, event: dict[str, Any]) -> None:
        """One's only hand, or one of two; who looks at both has kept the first."""
        holding = self.open_hand.holdings[event["player"]]
        if len(holding.hands) == 1:
            holding.looked = True
        elif holding.peeked is None:
            holding.peeked = event["which"]
        else:
            self.keep(event)

    def verify_keep(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """§4.9: by who has just looked at one of two hands."""
        name = event["player"]
        if self.hand is None or self.pending_choice() != name:
            yield self.not_now(event, f"{name} has not just looked at one of two hands")

    verify_throw = verify_keep

    def keep(self, event: dict[str, Any]) -> None:
        """The hand looked at is kept, and seen; the other is thrown unseen."""
        holding = self.open_hand.holdings[event["player"]]
        self.choose(event["player"], holding.peeked or "new")
        holding.looked = True

    def throw(self, event: dict[str, Any]) -> None:
        """The hand looked at is thrown; the other stays blind, alone."""
        self.choose(event["player"], "old" if self.open_hand.holdings[event["player"]].peeked == "new" else "new")

    def choose(self, name: str, which: str) -> None:
        """One of two hands remains; the other goes under the pack."""
        hand = self.open_hand
        holding = hand.holdings[name]
        self.pack.bury(name, "old" if which == "new" else "new")
        holding.hands = (which,)
        holding.peeked = None
        if hand.phase == "choose":
            self.begin_showing()

    def verify_retain(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """§4.7, §4.11: by the blind last one in, once, before the next deal."""
        name = event["player"]
        if self.hand is not None or name != self.may_retain or not self.carried:
            yield self.not_now(event, f"{name} has no blind hand to keep now")

    def retain(self, event: dict[str, Any]) -> None:
        """The hand stays out, unlooked at, for the next deal; of two, the other is thrown in."""
        name = event["player"]
        hands = self.hands[-1].holdings[name].hands
        which = event.get("which", hands[0])
        for other in hands:
            if other != which:
                self.pack.bury(name, other)
        if which == "new":
            self.pack.keep(name)
        self.players[name].kept = True
        self.may_retain = None

    # seeing (§4.8, §4.10)

    def see_price(self, name: str) -> int:
        """Double the rate the payer would bet at; single where the table plays so."""
        hand = self.open_hand
        if name not in hand.holdings:
            return 0
        if hand.holdings[name].looked:
            return hand.level * (2 if self.rules["see_price"] == "double" else 1)
        return hand.level if self.rules["see_price"] == "double" else (hand.level + 1) // 2

    def begin_showing(self) -> None:
        """Who still holds two hands settles on one; then the rival shows, then the payer."""
        hand = self.open_hand
        for name in (hand.rival or "", hand.payer or ""):
            if len(hand.holdings[name].hands) == 2:
                hand.phase = "choose"
                hand.to_act = name
                return
        hand.phase = "reveal"
        hand.to_act = hand.rival

    def verify_cards(self, name: str, cards: list[int]) -> Iterator[Refusal]:
        for refusal in BettingTable.verify_cards(self, name, cards):
            yield refusal
            return
        for card in self.pack.impossible(name, self.open_hand.holdings[name].hands[0], cards):
            detail = f"{card_name(card)} was shown before, and has not come round in the unshuffled pack"
            yield Refusal("cards.impossible", detail, "rules.md §4.2", actual=card_name(card))
            return

    def after_showing(self, name: str) -> None:
        hand = self.open_hand
        self.pack.show(name, hand.holdings[name].hands[0], hand.shown[name])
        for other in (hand.rival or "", hand.payer or ""):
            if other not in hand.shown:
                hand.to_act = other
                return
        self.decide(hand)

    def verify_muck(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """§4.8: by the payer, once the rival has shown."""
        name = event["player"]
        fault = self.out_of_phase(event, "reveal")
        hand = self.hand
        if fault is None and hand is not None:
            if name != hand.payer or hand.rival not in hand.shown:
                fault = self.not_now(event, "only the payer may give up, once the rival has shown")
        if fault is not None:
            yield fault

    def muck(self, event: dict[str, Any]) -> None:
        """The payer gives up unseen."""
        hand = self.open_hand
        hand.mucked = (event["player"],)
        self.decide(hand)

    def decide(self, hand: Hand) -> None:
        """The payer wins only if strictly better; the loser's hand goes under the pack first."""
        winner = self.seen_winner(hand)
        loser = hand.rival if winner == hand.payer else hand.payer
        self.throw_in(loser or "", hand)
        self.throw_in(winner, hand)
        hand.holdings[loser or ""].out = True
        hand.winners = [winner]
        hand.due = {winner: hand.pot}
        self.finish("won", "see")

    # the end of a hand, and of the match (§4.1, §4.7)

    def conclude(self, hand: Hand) -> None:
        """A pot that was paid out is resolved; else it is carried."""
        self.move(hand.awards)
        if hand.result == "misdeal":
            hand.carried_out = hand.carried_in
            return
        hand.waiting = [name for name in self.seats if self.players[name].waiting]
        if hand.awards:
            hand.carried_out = 0
            self.carried_before = self.carried_by
            self.carried = 0
            self.carried_by = {}
            self.pots_resolved += 1
            for name in self.seats:
                self.players[name].waiting = False
            if self.rules["pots"] and self.pots_resolved >= self.rules["pots"]:
                self.match_over = True
        else:
            hand.carried_out = self.carried = hand.pot
            self.carried_by = {
                name: self.carried_by.get(name, 0) + hand.paid.get(name, 0)
                for name in self.seats
                if self.carried_by.get(name) or hand.paid.get(name)
            }

    def unconclude(self, hand: Hand) -> None:
        self.move({name: -hand.awards[name] for name in hand.awards})
        if hand.awards:
            self.carried_by = self.carried_before
            self.pots_resolved -= 1
            self.match_over = False
            for name in hand.waiting:
                self.players[name].waiting = not self.players[name].left
        else:
            self.carried_by = {
                name: self.carried_by[name] - hand.paid.get(name, 0)
                for name in self.seats
                if self.carried_by.get(name, 0) > hand.paid.get(name, 0)
            }
        self.carried = hand.carried_in

    def misdeal(self, event: dict[str, Any]) -> None:
        """A kept hand that nobody has looked at stays kept (§5)."""
        hand = self.open_hand
        for name in hand.order:
            holding = hand.holdings[name]
            seen = holding.looked or holding.peeked == "old" or name in hand.shown
            if "old" in holding.hands and not (seen or holding.out):
                self.players[name].kept = True
            else:
                self.pack.kept.pop(name, None)
        self.pack.shuffle()
        BettingTable.misdeal(self, event)

    # legal

    def legal(self) -> list[dict[str, Any]]:
        entries = BettingTable.legal(self)
        name = self.may_retain
        if self.hand is None and name is not None and self.carried and not self.closed and not self.players[name].left:
            hands = self.hands[-1].holdings[name].hands
            if len(hands) == 1:
                entries.append({"type": "retain", "player": name})
            else:
                entries += [{"type": "retain", "player": name, "which": which} for which in hands]
        return entries

    def legal_in_hand(self) -> list[dict[str, Any]]:
        hand = self.open_hand
        if hand.phase == "ante":
            return [{"type": "ante", "player": name} for name in hand.order if not hand.paid[name]]
        name = hand.to_act or ""
        if self.pending_choice() is not None:
            return [{"type": kind, "player": self.pending_choice()} for kind in ("keep", "throw")]
        if hand.phase == "reveal":
            kinds = ("reveal", "muck") if name == hand.payer and hand.rival in hand.shown else ("reveal",)
            return [{"type": kind, "player": name} for kind in kinds]
        holding = hand.holdings[name]
        looks: list[dict[str, Any]] = []
        if len(holding.hands) == 2:
            looks = [{"type": "look", "player": name, "which": which} for which in holding.hands]
        elif not holding.looked:
            looks = [{"type": "look", "player": name}]
        if hand.phase == "choose":
            return looks
        entries: list[dict[str, Any]] = []
        if not holding.looked:
            entries += self.legal_bet(name, True)
        if len(holding.hands) == 1:
            entries += self.legal_bet(name, False)
        return entries + looks + self.legal_see(name) + [{"type": "fold", "player": name}]
