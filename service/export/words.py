"""Events and hands in words, as a hand history tells them (English)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from service.export.night import Night, StoredEvent
from service.one_line import one_line

SUIT_SIGNS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
CATEGORIES = {
    "prial": "a prial", "running_flush": "a running flush", "run": "a run", "flush": "a flush", "pair": "a pair",
    "high_card": "high card",
}  # fmt: skip
HOW_WON = {
    "see": "after a see",
    "showdown": "at the showdown",
    "last_in": "as the last one in",
    "knock": "after the knock",
}
State = Mapping[str, Any]


def card(text: str) -> str:
    """`Ks` as `K♠`."""
    return text[:-1] + SUIT_SIGNS[text[-1]]


def cards(texts: Iterable[str]) -> str:
    """Cards in the order given, apart by spaces."""
    return " ".join(card(text) for text in texts)


def signed(amount: str) -> str:
    """An amount that was won or lost, with its sign: `+9`, `-7`, `0`."""
    return amount if amount.startswith("-") or amount == "0" else f"+{amount}"


def listed(parts: list[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def lives_left(count: int) -> str:
    """`2 lives`, `1 life`, `no life`."""
    return "no life" if count == 0 else f"{count} {'life' if count == 1 else 'lives'}"


class Teller:
    """Tells the events of one night. Each sentence begins with a capital and has no full stop."""

    def __init__(self, night: Night) -> None:
        self.night = night
        self._before: State = {}
        self._after: State = {}
        self._told: dict[str, Callable[[StoredEvent], str]] = {
            name[4:]: getattr(self, name) for name in dir(self) if name.startswith("_on_")
        }

    def tell(self, event: StoredEvent, before: State, after: State) -> str:
        """The event in words. before, after: the session's state (contract.md §4) around it."""
        self._before, self._after = before, after
        words = self._told[event["type"]](event)
        if "irregular" in event:
            words += f" [against the rules, let stand: {_plain(event['irregular'])}]"
        if "replaces" in event:
            words += f" [stands for event {event['replaces']}]"
        return words

    def hand(self, hand: Mapping[str, Any]) -> str:
        """What came of a hand, in a sentence."""
        result, pot = hand["result"], hand["pot"]
        winners = listed([self._who(player) for player in hand["winners"]]) if hand["winners"] else ""
        how = HOW_WON.get(hand["by"] or "", "")
        if result == "open":
            return "Still open"
        if result == "misdeal":
            return "Misdealt: what was paid in goes back"
        if result == "carried":
            return f"Nobody takes the pot: {hand['carried']} carried to the next deal"
        if result == "life":
            losers = [self._who(player) for player in hand["losers"]]
            return (
                f"{listed(losers)} {'loses' if len(losers) == 1 else 'lose'} a life"
                if losers
                else "Nobody loses a life"
            )
        if result == "split":
            return f"{winners} share {pot} {how}".rstrip()
        return f"{winners} wins {pot} {how}".rstrip()

    def nets(self, nets: Mapping[str, str]) -> str:
        """What a hand, or a ruling, moved, in seat order: `Ann -7, Bob +9`."""
        return ", ".join(f"{self._who(player)} {signed(nets[player])}" for player in sorted(nets, key=self.night.seat))

    def _who(self, player: str) -> str:
        return _plain(self.night.label(player))

    def _whose(self, event: StoredEvent) -> str:
        return self._who(event["player"])

    def _paid(self, event: StoredEvent) -> str:
        """What the event's player put in: as it says, else by what their payments grew."""
        if "amount" in event:
            return str(event["amount"])
        unit, player = self.night.unit, event["player"]
        paid = [
            unit.chips_of(state["players"].get(player, {}).get("paid", "0")) for state in (self._before, self._after)
        ]
        return unit.text(max(paid[1] - paid[0], 0))

    def _on_join(self, event: StoredEvent) -> str:
        seat = f", on the right of {self._who(event['before'])}" if "before" in event else ""
        return f"{self._whose(event)} sits down{seat}"

    def _on_leave(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} goes home"

    def _on_buy(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} buys {event['chips']} chips for {event.get('price', event['chips'])}"

    def _on_cash(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} hands back {event['chips']} chips for {event.get('price', event['chips'])}"

    def _on_count(self, event: StoredEvent) -> str:
        held = [
            f"{self._who(player)} {event['chips'][player]}" for player in sorted(event["chips"], key=self.night.seat)
        ]
        return f"The chips are counted: {', '.join(held)}"

    def _on_deal(self, event: StoredEvent) -> str:
        words = f"{self._who(event['dealer'])} deals"
        if "players" in event:
            words += f" to {listed([self._who(player) for player in event['players']])}"
        if "shuffled" in event:
            words += ", having shuffled" if event["shuffled"] else ", without shuffling"
        return words + (f"; {card(event['up'])} lies face up" if "up" in event else "")

    def _on_ante(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} antes {self._paid(event)}"

    def _on_look(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} looks" + (f" at the {event['which']} hand" if "which" in event else "")

    def _on_keep(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} keeps the hand looked at, and throws in the other"

    def _on_throw(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} throws in the hand looked at, and plays on with the other, blind"

    def _on_bet(self, event: StoredEvent) -> str:
        unit, level = self.night.unit, self._after["level"]
        was, now = unit.chips_of(self._before["level"]), unit.chips_of(level)
        words = f"{self._whose(event)} bets {event['amount']} {event['as']}"
        if event.get("all_in"):
            words += ", all in"
        if now > was:
            words += f", {'opening at' if was == 0 else 'raising the level to'} {level}"
        return words

    def _on_check(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} checks"

    def _on_fold(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} folds"

    def _on_see(self, event: StoredEvent) -> str:
        still_in = ("blind", "seen", "all_in")
        rivals = [
            player for player, standing in self._before["players"].items()
            if standing["status"] in still_in and player != event["player"]
        ]  # fmt: skip
        whom = f" to see {self._who(rivals[0])}" if len(rivals) == 1 else " to see"
        return f"{self._whose(event)} pays {self._paid(event)}{whom}"

    def _on_flip(self, event: StoredEvent) -> str:
        board = self._after["board"] or [*self._before["board"], event["card"]]
        return f"{card(event['card'])} is turned" + (f"; the board is {cards(board)}" if len(board) > 1 else "")

    def _on_discard(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} throws in one card, unshown"

    def _on_swap(self, event: StoredEvent) -> str:
        who = self._whose(event)
        if event["take"] == "up":
            taken = card(self._before["up"]) if self._before["up"] else "the face-up card"
            return f"{who} takes {taken} and gives {card(event['give'])}"
        if event["take"] == "down":
            return f"{who} swaps a card for one that lies face down"
        return f"{who} swaps the whole hand for the centre, leaving {card(event['leave'])} face up"

    def _on_knock(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} knocks: one last turn for each of the others"

    def _on_reveal(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} shows {cards(event['cards'])}"

    def _on_muck(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} gives up without showing"

    def _on_retain(self, event: StoredEvent) -> str:
        which = f"the {event['which']} hand" if "which" in event else "the blind hand"
        return f"{self._whose(event)} keeps {which} for the next deal, unlooked at"

    def _on_settle(self, event: StoredEvent) -> str:
        if "losers" in event:
            return f"The table took a life from {listed([self._who(player) for player in event['losers']]) or 'nobody'}"
        awards = event.get("awards")
        if not awards:
            return "The table settled it so"
        paid = [f"{self._who(player)} {awards[player]}" for player in sorted(awards, key=self.night.seat)]
        return f"The table paid {listed(paid)}"

    def _on_misdeal(self, event: StoredEvent) -> str:
        return f"The hand is called off: {_plain(event['reason'])}"

    def _on_void(self, event: StoredEvent) -> str:
        return f"Struck out: {spans(event['seqs'])} ({_plain(event['reason'])})"

    def _on_dispute(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} disputes hand {event['of_hand']}: {_plain(event['claim'])}"

    def _on_rule(self, event: StoredEvent) -> str:
        moved = f"; {self.nets(event['adjust'])}" if event.get("adjust") else ""
        return f"Ruling on dispute {event['dispute']}: {event['decision']}{moved} ({_plain(event['reason'])})"

    def _on_note(self, event: StoredEvent) -> str:
        tied = f" on dispute {event['dispute']}" if "dispute" in event else ""
        return f"Note{tied}: {_plain(event['text'])}"

    def _on_sign(self, event: StoredEvent) -> str:
        return f"{self._whose(event)} agrees with the settlement"

    def _on_pay(self, event: StoredEvent) -> str:
        return f"{self._who(event['from'])} has paid {self._who(event['to'])} {event['amount']}"

    def _on_close(self, event: StoredEvent) -> str:
        how = {"refund": ", and the pot goes back to those who paid it in", "split": ", and the pot is shared equally"}
        return "The session closes" + how.get(event.get("carry", ""), "")


def spans(seqs: Iterable[int]) -> str:
    """Event numbers, runs of them short: `events 4 to 7 and 12`."""
    ordered, runs = sorted(seqs), list[list[int]]()
    for seq in ordered:
        if runs and seq == runs[-1][-1] + 1:
            runs[-1][1:] = [seq]
        else:
            runs.append([seq])
    parts = [str(run[0]) if len(run) == 1 else f"{run[0]} to {run[1]}" for run in runs]
    return f"event{'s' if len(ordered) > 1 else ''} {listed(parts)}"


def _plain(text: str) -> str:
    """A free text on one line."""
    return " ".join(one_line(str(text)).split())
