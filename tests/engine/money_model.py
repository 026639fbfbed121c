"""Who has what: a second reading of rules.md, slow and plain, for money and lives alone.

It knows nothing of turns, of what may be done, or of how the engine counts, and takes nothing from it; it is told what
happened, takes the events that count from the first on, and says what everybody should have. Shares are fractions until
they are paid.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

from tests.engine.second_ranking import Worth, best_worth

Event = dict[str, Any]


def spread(total: int, weights: list[tuple[str, Fraction]]) -> dict[str, int]:
    """Whole pieces in proportion, what is left one each by largest remainder, ties in the order given."""
    together = sum(weight for _, weight in weights)
    if not together:
        return {name: 0 for name, _ in weights}
    exact = {name: Fraction(total) * weight / together for name, weight in weights}
    shares = {name: floor(exact[name]) for name in exact}
    by_remainder = sorted(exact, key=lambda name: shares[name] - exact[name])  # sorted keeps ties in order
    for name in by_remainder[: total - sum(shares.values())]:
        shares[name] += 1
    return shares


class Deal:
    """A hand as money sees it."""

    def __init__(self, number: int, dealer: str, order: list[str], brought: int) -> None:
        self.number = number
        self.dealer = dealer
        self.order = order
        self.brought = brought
        self.paid = dict.fromkeys(order, 0)
        self.payments: list[tuple[str, int, int]] = []
        self.gone: list[str] = []
        self.looked: list[str] = []
        self.half_looked: dict[str, str] = {}
        self.shown: dict[str, list[str]] = {}
        self.board: list[str] = []
        self.level = self.last_level = 0
        self.committed = dict.fromkeys(order, 0)
        self.payer: str | None = None
        self.due: dict[str, int] = {}
        self.awards: dict[str, int] = {}
        self.losers: list[str] = []
        self.due_losers: list[str] = []
        self.waited: list[str] = []  # those who waited for this pot to be resolved
        self.carried = False
        self.lives_before: dict[str, int] = {}
        self.owners_before: dict[str, int] = {}

    def pot(self) -> int:
        return self.brought + sum(self.paid.values())

    def left(self) -> list[str]:
        return [name for name in self.order if name not in self.gone]


class Money:
    """Told every event of a log; says what everybody should have after it."""

    def __init__(self, opening: Event) -> None:
        self.game: str = opening["game"]
        self.rules: Event = opening["rules"]
        self.in_chips = self.rules.get("bank") == "chips"
        self.chip = Fraction(opening["unit"]["chip"])
        self.coin = Fraction(opening["unit"]["coin"])
        self.seats: list[str] = list(opening["players"])
        self.away: list[str] = []
        self.waiting: list[str] = []  # sat down while a pot was carried
        self.net = dict.fromkeys(self.seats, 0)
        self.bought = dict.fromkeys(self.seats, 0)
        self.money = dict.fromkeys(self.seats, 0)  # coins paid in, less cashed out
        self.lives = {name: self.rules.get("lives", 0) for name in self.seats}
        self.stakes = 0
        self.carried = 0
        self.owners: dict[str, int] = {}  # of the carried pot: who paid how much into it
        self.deals: list[Deal] = []
        self.numbers = 0
        self.open: Deal | None = None
        self.resolved = 0
        self.prize: tuple[str, int] | None = None
        self.over = False
        for name in self.seats:
            self.take_stake(name)

    @classmethod
    def after(cls, log: list[Event]) -> Money:
        """Told a whole log, in which what a `void` names did not happen."""
        struck = {seq for event in log if event["type"] == "void" for seq in event["seqs"]}
        money = cls(log[0])
        for seq, event in enumerate(log[1:], 2):
            money.told(event, seq in struck)
        return money

    # amounts

    def chips(self, text: str) -> int:
        amount = Fraction(text) / self.chip
        assert amount.denominator == 1
        return int(amount)

    def rule(self, name: str) -> int:
        return self.chips(self.rules[name])

    def stack(self, name: str) -> int:
        return self.bought[name] + self.net[name]

    def in_play(self) -> int:
        if self.game == "lives":
            return self.stakes
        return self.open.pot() if self.open is not None else self.carried

    def balances(self) -> dict[str, int]:
        """Chips; coins of money where chips were bought."""
        if not self.in_chips:
            return dict(self.net)
        weights = [(name, Fraction(self.stack(name))) for name in self.seats]
        shares = spread(sum(self.money.values()), [*weights, ("", Fraction(self.in_play()))])
        return {name: shares[name] - self.money[name] for name in self.seats}

    def winners(self) -> list[str] | None:
        if not self.over:
            return None
        if self.game == "lives":
            return None if self.prize is None else [self.prize[0]]
        worth = {name: self.stack(name) if self.in_chips else self.net[name] for name in self.seats}
        return [name for name in self.seats if worth[name] == max(worth.values())]

    # events

    def told(self, event: Event, struck: bool = False) -> None:
        """One event of the log, in order; a struck one only keeps its hand's number."""
        kind = event["type"]
        if struck:
            self.numbers += kind == "deal"
            return
        action = getattr(self, "on_" + kind, None)
        if action is not None:
            action(event)

    def from_left_of(self, dealer: str, names: list[str]) -> list[str]:
        at = self.seats.index(dealer) + 1
        return [name for name in self.seats[at:] + self.seats[:at] if name in names]

    def take_stake(self, name: str) -> None:
        if self.game == "lives":
            self.net[name] -= self.rule("stake")
            self.stakes += self.rule("stake")

    def on_join(self, event: Event) -> None:
        name, before = event["player"], event.get("before")
        if name not in self.net:
            self.net[name] = self.bought[name] = self.money[name] = 0
            self.lives[name] = self.rules.get("lives", 0)
            self.take_stake(name)
        else:
            self.away.remove(name)
            before = before or self.next_seat(name)
            self.seats.remove(name)
        self.seats.insert(self.seats.index(before) if before in self.seats else len(self.seats), name)
        if self.carried:
            self.waiting.append(name)

    def next_seat(self, name: str) -> str | None:
        at = self.seats.index(name) + 1
        return self.seats[at] if at < len(self.seats) else None

    def on_leave(self, event: Event) -> None:
        self.away.append(event["player"])
        if event["player"] in self.waiting:
            self.waiting.remove(event["player"])
        self.last_with_a_life()

    def on_buy(self, event: Event) -> None:
        self.bought[event["player"]] += self.chips(event["chips"])
        self.money[event["player"]] += int(Fraction(event.get("price", event["chips"])) / self.coin)

    def on_cash(self, event: Event) -> None:
        chips = self.chips(event["chips"])
        price = Fraction(event.get("price", event["chips"])) / self.coin
        if chips == sum(self.stack(name) for name in self.seats):  # the last chips: all the money that is there
            price = Fraction(sum(self.money.values()))
        self.bought[event["player"]] -= chips
        self.money[event["player"]] -= int(price)

    def on_count(self, event: Event) -> None:
        counted = {name: self.chips(event["chips"].get(name, "0")) for name in self.seats}
        if sum(counted.values()) == sum(self.stack(name) for name in self.seats):
            for name in self.seats:
                self.net[name] += counted[name] - self.stack(name)

    def on_rule(self, event: Event) -> None:
        for name, amount in event.get("adjust", {}).items():
            self.net[name] += self.chips(amount)

    def on_deal(self, event: Event) -> None:
        self.numbers += 1
        names = event.get("players") or [name for name in self.seats if self.may_play(name)]
        deal = Deal(self.numbers, event["dealer"], self.from_left_of(event["dealer"], names), self.carried)
        deal.lives_before = dict(self.lives)
        deal.owners_before = dict(self.owners)
        if self.rules.get("all_seen"):
            deal.looked = list(names)
        self.deals.append(deal)
        self.open = deal

    def may_play(self, name: str) -> bool:
        if name in self.away or name in self.waiting:
            return False
        if self.game == "lives":
            return self.lives[name] > 0
        return not self.in_chips or self.stack(name) >= self.rule("ante")

    # paying

    def put_in(self, name: str, chips: int, units: int) -> None:
        deal = self.now()
        deal.paid[name] += chips
        deal.payments.append((name, chips, units))
        self.net[name] -= chips

    def now(self) -> Deal:
        assert self.open is not None
        return self.open

    def on_ante(self, event: Event) -> None:
        chips = self.chips(event.get("amount", self.rules["ante"]))
        self.put_in(event["player"], chips, chips)

    def on_look(self, event: Event) -> None:
        deal, name = self.now(), event["player"]
        if "which" not in event or name in deal.half_looked:
            deal.looked.append(name)
            deal.half_looked.pop(name, None)
        else:
            deal.half_looked[name] = event["which"]

    def on_keep(self, event: Event) -> None:
        self.now().looked.append(event["player"])
        self.now().half_looked.pop(event["player"])

    def on_throw(self, event: Event) -> None:
        self.now().half_looked.pop(event["player"])

    def reached(self, name: str, chips: int, blind: bool) -> int:
        """The level that a payment amounts to."""
        deal = self.now()
        had = deal.committed[name] if self.game == "community" else 0
        missing = max(0, deal.level - had)
        if deal.level and chips == (ceil(Fraction(missing, 2)) if blind else missing):
            return deal.level
        return had + chips * (2 if blind else 1)

    def least_opening(self, name: str, blind: bool) -> int | None:
        """The least payment that opens the level, for this player."""
        least = self.rule("min_bet" if self.game == "community" else "min_open")
        highest = self.rules.get("max_open") or self.rules.get("max_raise")
        for chips in range(1, 2000):
            level = self.reached(name, chips, blind)
            if highest is not None and level > self.chips(highest):
                return None
            if level >= least and level % self.rule("step") == 0:
                return chips
        return None

    def on_bet(self, event: Event) -> None:
        deal, name, chips = self.now(), event["player"], self.chips(event["amount"])
        blind = event["as"] == "blind" and name not in deal.looked
        if event["as"] == "seen" and name not in deal.looked:
            deal.looked.append(name)
        had = deal.committed[name] if self.game == "community" else 0
        level = self.reached(name, chips, blind)
        least = self.least_opening(name, blind) if not deal.level and not event.get("all_in") else None
        self.put_in(name, chips, level - had)
        if level > deal.level and not (least is not None and chips < least):
            deal.level = deal.last_level = level
        deal.committed[name] = level if event.get("all_in") else deal.level

    def on_check(self, event: Event) -> None:
        self.now().committed[event["player"]] = self.now().level

    def on_see(self, event: Event) -> None:
        deal, name = self.now(), event["player"]
        seen = name in deal.looked
        price = deal.last_level * (2 if seen else 1)
        if self.rules.get("see_price") == "single":
            price = deal.last_level if seen else ceil(Fraction(deal.last_level, 2))
        chips = self.chips(event["amount"]) if "amount" in event else price
        self.put_in(name, chips, chips)
        deal.payer = name

    def on_flip(self, event: Event) -> None:
        deal = self.now()
        deal.board.append(event["card"])
        deal.level = 0
        deal.committed = dict.fromkeys(deal.order, 0)

    # the end of a hand

    def on_fold(self, event: Event) -> None:
        deal = self.now()
        deal.gone.append(event["player"])
        left = deal.left()
        if len(left) == 1:
            if self.game == "three-card" and left[0] not in deal.looked:
                self.finish({}, carried=True)
            else:
                self.finish({left[0]: deal.pot()})

    def on_muck(self, event: Event) -> None:
        deal = self.now()
        deal.gone.append(event["player"])
        left = deal.left()
        if len(left) == 1:
            self.finish({left[0]: deal.pot()})
        elif all(name in deal.shown for name in left):
            self.finish(self.showdown(deal))

    def on_reveal(self, event: Event) -> None:
        deal = self.now()
        deal.shown[event["player"]] = event["cards"]
        if all(name in deal.shown for name in deal.left()):
            if self.game == "lives":
                self.lose_lives(deal)
            else:
                self.finish(self.showdown(deal))

    def worth(self, deal: Deal, name: str) -> Worth:
        return best_worth(deal.shown[name] + deal.board, self.rules)

    def showdown(self, deal: Deal) -> dict[str, int]:
        left = deal.left()
        worth = {name: self.worth(deal, name) for name in left}
        if deal.payer is not None:
            rival = next(name for name in left if name != deal.payer)
            return {deal.payer if worth[deal.payer] > worth[rival] else rival: deal.pot()}
        awards: dict[str, int] = {}
        for chips, names in self.layers(deal):
            best = [name for name in names if worth[name] == max(worth[other] for other in names)]
            for name, share in spread(chips, [(name, Fraction(1)) for name in best]).items():
                awards[name] = awards.get(name, 0) + share
        return {name: awards[name] for name in awards if awards[name]}

    def layers(self, deal: Deal) -> list[tuple[int, list[str]]]:
        """Each layer of the pot, and who of those still in reached it. A payment is spread evenly over the level units
        that it covers."""
        left = deal.left()
        if not self.rules.get("side_pots"):
            return [(deal.pot(), left)]
        reach = {name: sum(units for who, _, units in deal.payments if who == name) for name in deal.order}
        tops = sorted({reach[name] for name in left})
        amounts = [Fraction(0) for _ in tops]
        filled = dict.fromkeys(deal.order, 0)
        for name, chips, units in deal.payments:
            for unit in range(filled[name], filled[name] + units):
                at = next((at for at, top in enumerate(tops) if unit < top), len(tops) - 1)
                amounts[at] += Fraction(chips, units)
            filled[name] += units
        whole = [floor(amount) for amount in amounts]
        whole[0] = deal.pot() - sum(whole[1:])
        return [(whole[at], [name for name in left if reach[name] >= tops[at]]) for at in range(len(tops))]

    def finish(self, awards: dict[str, int], carried: bool = False) -> None:
        deal = self.now()
        deal.due = awards
        deal.carried = carried
        self.open = None
        self.pay_out(deal, awards)

    def pay_out(self, deal: Deal, awards: dict[str, int]) -> None:
        deal.awards = awards
        for name in awards:
            self.net[name] += awards[name]
        if self.game != "three-card":
            return
        if awards:
            self.carried, self.owners = 0, {}
            self.resolved += 1
            deal.waited = list(self.waiting)
            self.waiting.clear()
            self.over = bool(self.rules["pots"]) and self.resolved >= self.rules["pots"]
        else:
            self.carried = deal.pot()
            self.owners = {name: self.owners.get(name, 0) + deal.paid.get(name, 0) for name in self.seats}

    def take_back(self, deal: Deal) -> None:
        for name in deal.awards:
            self.net[name] -= deal.awards[name]
        if self.game == "three-card":
            self.owners = dict(deal.owners_before)
            self.carried = deal.brought
            if deal.awards:
                self.resolved -= 1
                self.over = False
                self.waiting.extend(name for name in deal.waited if name not in self.away)

    def lose_lives(self, deal: Deal) -> None:
        worst = min(self.worth(deal, name) for name in deal.order)
        losers = [name for name in self.seats if name in deal.order and self.worth(deal, name) == worst]
        if all(self.lives[name] - (name in losers) <= 0 for name in deal.order):
            losers = []
        self.open = None
        deal.losers = losers
        deal.due_losers = losers
        self.count_lives(deal)

    def count_lives(self, deal: Deal) -> None:
        for name in deal.order:
            self.lives[name] = deal.lives_before[name] - (name in deal.losers)
        self.last_with_a_life()

    def last_with_a_life(self) -> None:
        if self.game != "lives" or self.prize is not None or self.over:
            return
        alive = [name for name in self.seats if self.lives[name] > 0 and name not in self.away]
        if len(alive) == 1:
            self.prize = (alive[0], self.stakes)
            self.net[alive[0]] += self.stakes
            self.stakes = 0
            self.over = True

    def on_settle(self, event: Event) -> None:
        deal = self.deals[-1]
        if self.game == "lives":
            losers = event.get("losers", deal.due_losers)
            deal.losers = [name for name in self.seats if name in losers]
            if self.prize is not None:
                self.net[self.prize[0]] -= self.prize[1]
                self.stakes, self.prize, self.over = self.prize[1], None, False
            self.count_lives(deal)
            return
        given = event.get("awards")
        awards = deal.due if given is None else {name: self.chips(given[name]) for name in given}
        awards = {name: awards[name] for name in awards if awards[name]}
        if awards != deal.awards:
            closed = self.over
            self.take_back(deal)
            self.pay_out(deal, awards)
            self.over = self.over or (closed and self.game == "community")

    def on_misdeal(self, event: Event) -> None:
        deal = self.now()
        for name in deal.order:
            self.net[name] += deal.paid[name]
            deal.paid[name] = 0
        self.open = None

    def on_close(self, event: Event) -> None:
        if self.open is not None:
            self.on_misdeal(event)
        here = [name for name in self.seats if name not in self.away and name not in self.waiting]
        if self.game == "lives":
            here = [name for name in here if self.lives[name] > 0]
        pot = self.stakes if self.game == "lives" else self.carried
        if pot and event["carry"] == "split":
            dealer = self.deals[-1].dealer if self.deals else self.seats[-1]
            shares = spread(pot, [(name, Fraction(1)) for name in self.from_left_of(dealer, here)])
        elif pot and self.game == "lives":
            shares = {name: self.rule("stake") for name in self.seats}
        else:
            shares = self.owners if pot else {}
        for name in shares:
            self.net[name] += shares[name]
        self.stakes = self.carried = 0
        self.over = True
