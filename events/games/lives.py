"""Bastard Brag with lives and a knock (rules.md §2)."""

from __future__ import annotations

from events.amounts import even_split
from events.cards import CARDS, card_name
from events.games.hand import Hand
from events.games.playing import PlayingTable
from events.refusals import Refusal, invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


class Lives(PlayingTable):
    """Everyone swaps with the centre until somebody knocks; the worst hand loses a life."""

    game = "lives"
    may_sit_out = False

    def set_up(self) -> None:
        self.stake = self.unit.chips(self.rules["stake"])
        self.stakes = 0  # chips that lie in the pot of the match
        self.prize: tuple[str, int] | None = None
        for name in self.seats:
            self.sit_down(name)

    def sit_down(self, name: str) -> None:
        """Full lives, and the stake paid."""
        player = self.players[name]
        player.lives = self.rules["lives"]
        player.stake = self.stake
        self.stakes += self.stake
        self.move({name: -self.stake})

    def in_play(self) -> int:
        return self.stakes

    def alive(self) -> list[str]:
        """Who is at the table with a life, in seat order."""
        return [name for name in self.seats if self.players[name].lives > 0 and not self.players[name].left]

    def can_be_dealt_in(self, name: str) -> bool:
        return self.players[name].lives > 0 and not self.players[name].left

    def why_not_dealt_in(self, name: str) -> str | None:
        return None if self.players[name].lives > 0 else "has no life left"

    def winners(self) -> list[str] | None:
        """The last with a life; nobody where the table closed early."""
        return [self.prize[0]] if self.prize is not None else None

    # the deal (§2.1)

    def invalid_now(self, event: dict[str, Any]) -> Refusal | None:
        if event["type"] == "deal" and "players" in event:
            left_out = [name for name in self.next_dealt_in() if name not in event["players"]]
            if left_out:
                return invalid({"players": [f"leaves out {', '.join(left_out)}: everyone with a life is dealt in"]})
        if event["type"] == "settle" and "losers" in event and self.hand is None and self.hands:
            lives = self.lives_after(self.hands[-1], event["losers"])
            if not any(lives[name] > 0 and not self.players[name].left for name in self.seats):
                return invalid({"losers": ["would leave nobody a life"]})
        return None

    def deal(self, event: dict[str, Any]) -> None:
        PlayingTable.deal(self, event)
        hand = self.open_hand
        hand.up = CARDS[event["up"]]
        hand.to_act = hand.order[0]

    # the turn (§2.2, §2.3)

    def verify_swap(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """§2.2: a card other than the one taken, that the log does not know to lie elsewhere."""
        for refusal in self.verify_act(event):
            yield refusal
            if not refusal.recordable:
                return
        if event["take"] == "down":
            return
        hand = self.open_hand
        given = CARDS[event["give"] if event["take"] == "up" else event["leave"]]
        name = card_name(given)
        if given == hand.up or (event["take"] == "all" and given in hand.down):
            yield Refusal("swap.same_card", f"{name} is the card taken: give another", "rules.md §2.2", actual=name)
            return
        place = self.known_place(given, event["player"])
        if place is not None:
            yield Refusal("swap.not_held", f"{name} {place}: give another", "rules.md §2.2", actual=name)

    def known_place(self, card: int, holder: str) -> str | None:
        """Where the log knows a card to lie, if not in the holder's hand."""
        hand = self.open_hand
        if card in hand.down:
            return "lies face down in the centre"
        for other in hand.order:
            if other != holder and card in hand.holdings[other].known:
                return f"is in {other}'s hand"
        return None

    def swap(self, event: dict[str, Any]) -> None:
        """One card, or all, for those of the centre; what the log knows of every place goes along (§5)."""
        hand = self.open_hand
        holding = hand.holdings[event["player"]]
        assert hand.up is not None
        if event["take"] == "up":
            given = CARDS[event["give"]]
            holding.known = holding.known - {given} | {hand.up}
            hand.up = given
        elif event["take"] == "all":
            left = CARDS[event["leave"]]
            holding.known, hand.down = hand.down | {hand.up}, holding.known - {left}
            hand.up = left
        else:
            holding.known = hand.down = frozenset()
        self.turn_taken(event["player"])

    def verify_knock(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """§2.3: once everybody has swapped, and once only."""
        for refusal in self.verify_act(event):
            yield refusal
            if not refusal.recordable:
                return
        hand = self.open_hand
        waiting = [name for name in hand.order if not hand.holdings[name].turns]
        if waiting:
            detail = (
                f"{', '.join(waiting)} {'has' if len(waiting) == 1 else 'have'} not swapped yet: until all have, swap"
            )
            yield Refusal("knock.too_early", detail, "rules.md §2.3", actual=waiting)
        if hand.knocker is not None:
            yield Refusal(
                "knock.twice", f"{hand.knocker} has knocked: swap one or three", "rules.md §2.3", actual=hand.knocker
            )

    def knock(self, event: dict[str, Any]) -> None:
        """The knocker keeps the hand; each of the others has one last turn."""
        hand = self.open_hand
        hand.knocker = event["player"]
        hand.holdings[event["player"]].knocked = True
        for name in hand.order:
            hand.holdings[name].acted = False
        self.turn_taken(event["player"])

    def turn_taken(self, name: str) -> None:
        """The next on the left; after a knock the next who has a last turn; then the showing."""
        hand = self.open_hand
        holdings = hand.holdings
        holdings[name].turns += 1
        holdings[name].acted = True
        for _ in hand.order:
            name = hand.left_of[name]
            if hand.knocker is None or not holdings[name].acted:
                hand.to_act = name
                hand.round = min([holdings[player].turns for player in hand.order])
                return
        hand.to_act = None
        hand.phase = "reveal"

    # showing, and who loses a life (§2.4, §2.5)

    def verify_cards(self, name: str, cards: list[int]) -> Iterator[Refusal]:
        """§5: not what lies elsewhere, and all that was taken face up."""
        for refusal in PlayingTable.verify_cards(self, name, cards):
            yield refusal
            return
        for card in cards:
            place = self.known_place(card, name)
            if place is not None:
                detail = f"{card_name(card)} {place}"
                yield Refusal("cards.impossible", detail, "rules.md §5", actual=card_name(card))
                return
        shown = frozenset(cards)
        missing = [card_name(card) for card in sorted(self.open_hand.holdings[name].known - shown)]
        if missing:
            detail = f"{name} holds {', '.join(missing)}, which was taken face up"
            yield Refusal("cards.impossible", detail, "rules.md §5", missing, [card_name(card) for card in cards])

    def reveal(self, event: dict[str, Any]) -> None:
        """A hand is shown; when all are, the worst loses a life."""
        hand = self.open_hand
        cards = tuple([CARDS[card] for card in event["cards"]])
        shown = frozenset(cards)
        for name in hand.order:
            holding = hand.holdings[name]
            if holding.known:
                holding.known = holding.known - shown
        hand.down = hand.down - shown
        hand.holdings[event["player"]].known = shown
        hand.shown[event["player"]] = cards
        hand.best[event["player"]] = self.ranking.best_three(cards)
        for name in hand.order:
            if name not in hand.shown:
                return
        worst = min(hand.best[name][0] for name in hand.order)
        losers = [name for name in self.seats if name in hand.paid and hand.best[name][0] == worst]
        if not any(self.players[name].lives > (name in losers) for name in hand.order):
            losers = []
        hand.due_losers = hand.losers = losers
        hand.lives_before = {name: self.players[name].lives for name in hand.order}
        self.finish("life", "knock")

    def lives_after(self, hand: Hand, losers: list[str]) -> dict[str, int]:
        """player -> lives, had these lost one in that hand."""
        lives = {name: self.players[name].lives for name in self.seats}
        for name in hand.lives_before:
            lives[name] = hand.lives_before[name] - (name in losers)
        return lives

    def conclude(self, hand: Hand) -> None:
        if hand.result == "misdeal":
            return
        lives = self.lives_after(hand, hand.losers)
        for name in self.seats:
            self.players[name].lives = lives[name]
        self.end_if_one_is_left()

    def unconclude(self, hand: Hand) -> None:
        if self.prize is not None:
            winner, chips = self.prize
            self.move({winner: -chips})
            self.stakes = chips
            self.prize = None
            self.match_over = False

    def end_if_one_is_left(self) -> None:
        """The last with a life takes the stakes, and the session closes (§2.5)."""
        alive = self.alive()
        if len(alive) == 1 and not self.closed:
            self.match_over = True
            self.prize = (alive[0], self.stakes)
            self.move({alive[0]: self.stakes})
            self.stakes = 0

    def verify_settlement(self, hand: Hand, event: dict[str, Any]) -> Iterator[Refusal]:
        """`settle`: those who lost a life are those of the rules."""
        if "losers" not in event:
            return
        for name in event["losers"]:
            if name not in hand.paid:
                yield Refusal("player.not_in_hand", f"{name} was not dealt in", "rules.md §2.4", actual=name)
                return
        losers = [name for name in self.seats if name in event["losers"]]
        if losers != hand.due_losers:
            detail = f"by the rules {', '.join(hand.due_losers) or 'nobody'} loses a life"
            yield Refusal("award.wrong", detail, "rules.md §2.4", hand.due_losers, losers)

    def settle(self, event: dict[str, Any]) -> None:
        hand = self.hands[-1]
        losers = [name for name in self.seats if name in event["losers"]] if "losers" in event else hand.due_losers
        hand.settles = hand.settles + [(self.now, losers == hand.due_losers)]
        if losers != hand.losers:
            self.unconclude(hand)
            hand.losers = losers
            self.conclude(hand)

    # coming, going and the end

    def verify_join(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """Only before the first deal, and never back (§5, §6)."""
        if self.hands or event["player"] in self.players:
            yield self.not_now(event, "nobody sits down once a match of lives has begun, and nobody comes back")

    def join(self, event: dict[str, Any]) -> None:
        PlayingTable.join(self, event)
        self.sit_down(event["player"])

    def leave(self, event: dict[str, Any]) -> None:
        """Who leaves is out, and forfeits the stake."""
        PlayingTable.leave(self, event)
        self.end_if_one_is_left()

    def sharers(self) -> list[str]:
        return self.alive()

    def close(self, event: dict[str, Any]) -> None:
        if self.hand is not None:
            self.misdeal(event)
        if event.get("carry") == "split":
            shares = even_split(self.stakes, self.in_dealer_order(self.sharers()))
        else:
            shares = {name: self.players[name].stake for name in self.seats}
        if self.stakes:
            self.move(shares)
            self.stakes = 0
        self.closed_early = True

    def legal_in_hand(self) -> list[dict[str, Any]]:
        hand = self.open_hand
        if hand.phase == "reveal":
            return [{"type": "reveal", "player": name} for name in hand.order if name not in hand.shown]
        name = hand.to_act or ""
        entries: list[dict[str, Any]] = [
            {"type": "swap", "player": name, "take": take} for take in ("up", "down", "all")
        ]
        if hand.knocker is None and all(hand.holdings[other].turns for other in hand.order):
            entries.append({"type": "knock", "player": name})
        return entries
