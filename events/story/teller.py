"""Tells one hand, event by event, from the log alone."""

from __future__ import annotations

from events.cards import parse_card
from events.games.betting import BettingTable
from events.games.when import place_of
from events.session import Session
from events.story.ending import ending
from events.story.words import LANGUAGES, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from events.audit import Audit
    from events.games.hand import Hand
    from events.games.table import Table

__all__ = ["LANGUAGES", "Teller"]

# Told with the settlement; none of them is part of a hand, though each may come while one is open.
_BESIDE_A_HAND = ("sign", "void")


class Teller:
    """One audit's log, told in one language to people with names."""

    def __init__(self, audit: Audit, names: dict[str, str | None], language: str) -> None:
        self.audit = audit
        self.final = audit.walk.session
        self.words = Words(language, names, self.final.seats)

    def tell(self, number: int) -> list[dict[str, Any]]:
        """All steps of hand `number`, its result, and what came of it."""
        hands = [hand for hand in self.final.table.hands if hand.number == number]
        if not hands:
            return []
        hand = hands[0]
        session = Session.replay(self.audit.events[: hand.first - 1])
        session.struck = self.final.struck
        session.replaced = self.final.replaced
        last = self._last_seq(hand)
        steps: list[dict[str, Any]] = []
        over = False
        for seq in range(hand.first, last + 1):
            event = self.audit.events[seq - 1]
            about = seq <= (hand.last or last) or self._is_about(event, hand, seq)
            if event["type"] in _BESIDE_A_HAND or (not about and seq not in self.final.struck):
                if event["type"] == "deal" and seq > hand.first:
                    break
                continue
            if seq in self.final.struck:
                if seq <= (hand.last or last):
                    steps.append(self._struck(seq, event))
                continue
            steps.append(self._step(session, seq, event))
            if seq == hand.last and not over:
                over = True
                steps += ending(self.words, self.final, hand)
        steps += self._after(hand, last)
        if not over:
            steps += ending(self.words, self.final, hand)
        return steps + self._owed(number)

    def _last_seq(self, hand: Hand) -> int:
        """Up to where events are part of the hand, or say what the table did with it."""
        later = [other.first for other in self.final.table.hands if other.first > hand.first]
        return min(later) - 1 if later else len(self.audit.events)

    def _is_about(self, event: dict[str, Any], hand: Hand, seq: int) -> bool:
        return event["type"] in ("settle", "retain") and seq > hand.last

    def _after(self, hand: Hand, last: int) -> list[dict[str, Any]]:
        """Disputes of the hand, what was argued, and rulings, whenever they were made after it."""
        steps = []
        disputes = [
            seq
            for seq in sorted(self.final.disputes)
            if self.final.hand_standing_for(self.final.disputes[seq]["of_hand"]) == hand.number
        ]
        for seq in range(hand.first, len(self.audit.events) + 1):
            event = self.audit.events[seq - 1]
            kind = event["type"]
            if seq in self.final.struck or (hand.last == 0 and seq <= last) or hand.first <= seq <= hand.last:
                continue
            tied = kind in ("rule", "note") and "dispute" in event
            if seq in disputes or (tied and self.final.standing_for(event["dispute"]) in disputes):
                steps.append(self._made(seq, event, self._sentence(self.final, event)))
        return steps

    def _made(self, seq: int, event: dict[str, Any], text: str) -> dict[str, Any]:
        rule = "rules.md §5" if event["type"] in ("dispute", "note") else place_of(event["type"], self.final.game)
        text = text[:1].upper() + text[1:]
        return {"seq": seq, "type": event["type"], "text": text, "pot": None, "level": None, "rule": rule}

    def _struck(self, seq: int, event: dict[str, Any]) -> dict[str, Any]:
        """An event that was struck, told as far as it can be, with why."""
        reason = self.audit.events[self.final.struck_by[seq] - 1]["reason"]
        who = self.words.name(event.get("player") or event.get("dealer"))
        amount = self.words.amount(event["amount"]) if "amount" in event else ""
        deed = self.words.phrases.get("deed." + event["type"], event["type"])
        text = " ".join([part for part in (deed, who, amount) if part])
        step = self._made(seq, event, self.words.say("struck", reason=reason, text=text))
        step["struck"] = True
        return step

    def _step(self, session: Session, seq: int, event: dict[str, Any]) -> dict[str, Any]:
        text = self._sentence(session, event)
        session.version = seq
        session.apply(event, seq)
        table = session.table
        if event["type"] == "deal":
            text += self._of_the_deal(table)
        elif event["type"] == "reveal":
            text = self._reveal(session, event["player"])
        text += self._breaches(seq)
        step = self._made(seq, event, text)
        if table.hand is not None and isinstance(table, BettingTable):
            step["pot"], step["level"] = table.text(table.hand.pot), table.text(table.hand.level)
        return step

    def _breaches(self, seq: int) -> str:
        """What the rules had against the event, which the table let stand."""
        text = ""
        for breach in self.audit.walk.breaches:
            if breach.seq == seq and breach.let_stand:
                detail = self._asked(breach.refusal.expected)
                if not detail:
                    english = self.words.language == "en"
                    detail = self._named(breach.refusal.detail) if english else breach.refusal.rule or ""
                text += " " + self.words.say("breach", detail=detail, reason=breach.event["irregular"])
        return text

    def _asked(self, expected: Any) -> str:
        """What the rules ask: the bets that there were, amounts, players; "" for what has no words."""
        words = self.words
        if isinstance(expected, dict) and "call" in expected:
            call, low, high = expected["call"], expected["min"], expected["max"]
            said = [words.say("asked.call", amount=words.amount(call))] if call is not None else []
            if low is not None:
                key = "asked.raise" if high is None or high == low else "asked.raise.to"
                said.append(words.say(key, low=words.amount(low), high=words.amount(high or low)))
            return words.phrases["or"].join(said)
        if isinstance(expected, dict):
            if any(name not in words.names for name in expected):
                return ""
            return words.listed([f"{words.amount(expected[name])} → {words.name(name)}" for name in sorted(expected)])
        if isinstance(expected, list):
            return words.phrases["or"].join([words.name(part) for part in expected])
        if isinstance(expected, str):
            return words.names[expected] if expected in words.names else words.amount(expected)
        return ""

    def _named(self, detail: str) -> str:
        """A refusal's words with names for the players' ids."""
        said = []
        for word in detail.split(" "):
            bare = word.rstrip(",.:;")
            said.append(self.words.name(bare) + word[len(bare) :])
        return " ".join(said)

    def _of_the_deal(self, table: Table) -> str:
        hand = table.open_hand
        text = ""
        if hand.carried_in:
            text += " " + self.words.say("deal.carried", amount=self.words.amount(table.text(hand.carried_in)))
        if hand.up is not None:
            text += " " + self.words.say("deal.up", card=self.words.card(hand.up))
        for name in hand.order:
            if len(hand.holdings[name].hands) == 2:
                text += " " + self.words.say("deal.two_hands", player=self.words.name(name))
        return text

    def _sentence(self, session: Session, event: dict[str, Any]) -> str:
        """One event in words, from the state before it."""
        words, table = self.words, session.table
        kind = event["type"]
        player = words.name(event.get("player"))
        if kind == "deal":
            dealt_in = event.get("players") or table.next_dealt_in()
            return words.say(
                "deal",
                dealer=words.name(event["dealer"]),
                players=words.players(table.from_left_of(event["dealer"], dealt_in)),
            )
        if kind == "swap":
            return self._swap(table, event, player)
        if kind == "bet" and isinstance(table, BettingTable):
            return self._bet(table, event, player)
        if kind == "reveal":
            return ""
        if kind == "ante":
            return words.say("ante", player=player, amount=words.amount(event.get("amount", session.rules["ante"])))
        if kind == "fold" and table.hand is not None:
            return words.say("fold", player=player, amount=words.amount(table.text(table.hand.paid[event["player"]])))
        if kind == "see" and isinstance(table, BettingTable):
            return self._see(table, event, player)
        if kind == "flip" and table.hand is not None:
            card = parse_card(event["card"])
            return words.say("flip", card=words.card(card), board=words.cards(table.hand.board + (card,)))
        if kind == "look" and table.hand is not None:
            holding = table.hand.holdings[event["player"]]
            key = "look" if len(holding.hands) == 1 else "look.one" if holding.peeked is None else "look.both"
            return words.say(key, player=player)
        if kind == "rule":
            moved = [f"{words.name(name)} {words.signed(event['adjust'][name])}" for name in event.get("adjust", {})]
            text = words.say("rule", decision=words.phrases[event["decision"]], reason=event["reason"])
            return text + (" " + words.say("rule.moved", moved=words.listed(moved)) if moved else "")
        if kind == "settle":
            return self._settle(event)
        if kind in ("dispute", "note", "misdeal"):
            values = {name: event[name] for name in ("claim", "text", "reason") if name in event}
            return words.say(kind, player=player, **values)
        return words.say(kind, player=player) if kind in words.phrases else kind

    def _settle(self, event: dict[str, Any]) -> str:
        words = self.words
        if "irregular" not in event:
            return words.say("settle")
        awards = event.get("awards")
        if awards is not None:
            done = words.listed([f"{words.amount(awards[name])} → {words.name(name)}" for name in sorted(awards)])
        else:
            done = words.players(event.get("losers", [])) or "–"
        return words.say("settle.other", done=done)

    def _swap(self, table: Table, event: dict[str, Any], player: str) -> str:
        up = table.open_hand.up
        given = event.get("give") or event.get("leave")
        return self.words.say(
            "swap." + event["take"],
            player=player,
            taken=self.words.card(up) if up is not None else "",
            given=self.words.card(given) if given else "",
        )

    def _see(self, table: BettingTable, event: dict[str, Any], player: str) -> str:
        words, name, hand = self.words, event["player"], table.open_hand
        looked = hand.holdings[name].looked
        level = words.amount(table.text(hand.last_level))
        single = table.rules.get("see_price") == "single"
        price = "price.single" if single else "price.double" if looked else "price.blind"
        others = [other for other in hand.still_in() if other != name]
        amount = event.get("amount") or table.text(table.see_price(name))
        return words.say(
            "see",
            player=player,
            how=words.phrases["seen" if looked else "blind"],
            amount=words.amount(amount),
            rival=words.players(others),
            price=words.say(price, level=level, player=player),
        )

    def _bet(self, table: BettingTable, event: dict[str, Any], player: str) -> str:
        """What a bet comes to: an opening, the call, a raise, all in, or less than asked."""
        words, name = self.words, event["player"]
        blind = table.pays_blind(event)
        offer, chips = table.offer(name, blind), table.unit.chips(event["amount"])
        reached = offer.level_of(chips)
        goal = max(reached, offer.level)
        if event.get("all_in"):
            key = "bet.all_in"
        elif offer.due(chips) > chips:
            key, goal = "bet.short", offer.level or (offer.low or 0)
        else:
            key = "bet.open" if not offer.level else "bet.call" if chips == offer.call else "bet.raise"

        def text(amount: int) -> str:
            return words.amount(table.text(amount))

        return words.say(
            key,
            player=player,
            how=words.phrases["blind" if blind else "seen"],
            amount=text(chips),
            level=text(goal),
            before=text(offer.level),
            half=words.say("half", level=text(goal - offer.committed)) if blind else "",
            missing=words.say("missing", committed=text(offer.committed)) if offer.committed else "",
        )

    def _reveal(self, session: Session, name: str) -> str:
        """A showing, and what it makes, from the state after it."""
        words, table = self.words, session.table
        hand = table.hands[-1]
        strength, three = hand.best[name]
        shown = hand.shown[name]
        return words.say(
            "reveal" if set(three) == set(shown) else "reveal.best",
            player=words.name(name),
            cards=words.cards(shown),
            best=words.cards(three),
            hand=words.hand(strength, three, table.ranking),
        )

    def _owed(self, number: int) -> list[dict[str, Any]]:
        report = self.audit.hand_report(number)
        return [
            {
                "seq": None,
                "type": "owed",
                "pot": None,
                "level": None,
                "rule": "rules.md §5",
                "text": self.words.say(
                    "owes",
                    payer=self.words.name(debt["from"]),
                    payee=self.words.name(debt["to"]),
                    amount=self.words.amount(debt["amount"]),
                ),
            }
            for debt in (report["owed"] if report else [])
        ]
