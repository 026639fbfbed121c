"""The bank of chips: bought, cashed, counted (rules.md §3.8, §5)."""

from __future__ import annotations

from events.amounts import AmountError, share_out
from events.games.betting import BettingTable
from events.refusals import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


class Bank(BettingTable):
    """A table where chips may be bought first; money is counted in coins."""

    def kitty(self) -> int:
        """Coins of money paid in, less what was cashed out."""
        return sum(self.players[name].paid_in - self.players[name].paid_out for name in self.seats)

    def balances(self) -> tuple[dict[str, int], int]:
        """(player -> balance, in play) in coins: the money that was paid in, less what was cashed out, in proportion to
        the chips held, to the smallest coin by largest remainder (rules.md §3.8)."""
        if not self.with_chips:
            return BettingTable.balances(self)
        shares = share_out(
            self.kitty(), [(name, self.players[name].stack) for name in self.seats] + [("", self.in_play())]
        )
        balances = {}
        for name in self.seats:
            balances[name] = shares[name] + self.players[name].paid_out - self.players[name].paid_in
        return balances, shares[""]

    def held(self) -> int:
        """Chips that the players hold."""
        return sum(self.players[name].stack for name in self.seats)

    def price(self, event: dict[str, Any]) -> int:
        """The coins of money for a `buy` or `cash`: by default the same number as the chips.

        The last chips are by default cashed for all the money that is there (rules.md §6, after a gap).
        """
        if "price" in event:
            return self.unit.coins(event["price"])
        chips = self.unit.chips(event["chips"])
        if event["type"] == "cash" and chips == self.held():
            return self.kitty()
        return self.unit.coins(event["chips"])

    def price_fault(self, event: dict[str, Any]) -> Refusal | None:
        try:
            self.price(event)
        except AmountError as error:  # the chips' number is no whole number of coins
            return Refusal("amount.not_chip", f"name the price: {error}", "rules.md §3.8")
        return None

    def verify_buy(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.8: between hands, at any price agreed."""
        busy = self.between_hands(event)
        if busy is not None:
            yield busy

    def buy(self, event: dict[str, Any]) -> None:
        """Chips for money."""
        player = self.players[event["player"]]
        chips, price = self.unit.chips(event["chips"]), self.price(event)
        before = self.unless_at_par(chips, price)
        player.paid_in += price
        player.bought += chips
        self.note_change(before)

    def verify_cash(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §3.8: chips that they hold, for money that is there; the last chips for all of it."""
        busy = self.between_hands(event)
        if busy is not None:
            yield busy
            return
        chips, stack = self.unit.chips(event["chips"]), self.players[event["player"]].stack
        if chips > stack:
            detail = f"{event['player']} holds {self.text(stack)}, and can hand back no more"
            yield Refusal("bet.stack", detail, "rules.md §3.8", self.text(stack), event["chips"])
            return
        price, kitty = self.price(event), self.kitty()
        if price > kitty or (chips == self.held() and price != kitty):
            there = self.unit.coin_text(kitty)
            detail = f"there is {there} of money" + (
                "" if price > kitty else ": the last chips are cashed for all of it"
            )
            yield Refusal("cash.kitty", detail, "rules.md §3.8", there, self.unit.coin_text(price))

    def cash(self, event: dict[str, Any]) -> None:
        """Money for chips."""
        player = self.players[event["player"]]
        chips, price = self.unit.chips(event["chips"]), self.price(event)
        before = self.unless_at_par(chips, price)
        player.paid_out += price
        player.cashed += chips
        self.note_change(before)

    def unless_at_par(self, chips: int, price: int) -> tuple[dict[str, int], int] | None:
        """The balances now; None where every chip is a coin, and stays one: then none of them changes."""
        return None if chips == price and self.kitty() == self.held() + self.in_play() else self.balances()

    def note_change(self, before: tuple[dict[str, int], int] | None) -> None:
        """A purchase at the price of those before leaves the balances as they were, and the signatures under them."""
        if before is not None and self.balances() != before:
            self.changed_at = self.now

    def verify_count(self, event: dict[str, Any]) -> Iterator[Refusal]:
        """rules.md §5: between hands; the chips counted are those that the log holds."""
        busy = self.between_hands(event)
        if busy is not None:
            yield busy
            return
        counted, held = self.counted(event), self.held()
        if counted != held:
            detail = f"{self.text(counted)} were counted, the log holds {self.text(held)}: count again"
            yield Refusal("count.sum", detail, "rules.md §5", self.text(held), self.text(counted))

    def counted(self, event: dict[str, Any]) -> int:
        """All chips that a `count` names."""
        return sum(self.unit.chips(event["chips"][name]) for name in event["chips"])

    def count(self, event: dict[str, Any]) -> None:
        """Each holds what was counted; where the sum has a gap, what the log says (rules.md §6)."""
        moved: dict[str, int] = {}
        gap = self.counted(event) != self.held()
        for name in self.seats:
            more = self.unit.chips(event["chips"].get(name, "0")) - self.players[name].stack
            if more:
                moved[name] = more
        number = self.hands[-1].number if self.hands else 0
        self.counts.append((self.now, number, gap, moved))
        if not gap:
            self.move(moved)
