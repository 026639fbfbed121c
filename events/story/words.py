"""Cards, hands, amounts and lists in words."""

from __future__ import annotations

from events.cards import RANKS, card_name
from events.story.english import PHRASES as ENGLISH
from events.story.french import PHRASES as FRENCH
from events.story.italian import PHRASES as ITALIAN
from events.story.spanish import PHRASES as SPANISH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from events.ranking import Ranking

LANGUAGES = ("en", "es", "fr", "it")
_PHRASES = {"en": ENGLISH, "es": SPANISH, "fr": FRENCH, "it": ITALIAN}
_SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


class Words:
    """The words of one language, for one session's players.

    names: player id -> name, None where it was erased, who is then called by seat; who is not there, by id.
    """

    def __init__(self, language: str, names: dict[str, str | None], seats: list[str]) -> None:
        self.language = language if language in LANGUAGES else "en"
        self.phrases = _PHRASES[self.language]
        self.names: dict[str, str] = {}
        for at in range(len(seats)):
            name = names.get(seats[at], seats[at])
            self.names[seats[at]] = self.phrases["player"].format(number=at + 1) if name is None else name

    def say(self, key: str, **values: str) -> str:
        """A phrase with its values."""
        return self.phrases[key].format(**values)

    def name(self, player: str | None) -> str:
        """A player's name."""
        return self.names.get(player or "", player or "")

    def amount(self, text: str) -> str:
        """A decimal text as the language writes it."""
        return text if self.language == "en" else text.replace(".", ",")

    def signed(self, text: str) -> str:
        """A decimal text with the sign that says who gained: "+9", "−7", "0"."""
        amount = self.amount(text)
        return "−" + amount[1:] if text[:1] == "-" else amount if text == "0" else "+" + amount

    def listed(self, parts: Iterable[str]) -> str:
        """ "A, B and C"."""
        some = list(parts)
        if len(some) < 2:
            return "".join(some)
        return ", ".join(some[:-1]) + self.phrases["and"] + some[-1]

    def players(self, players: Iterable[str]) -> str:
        """Several players' names."""
        return self.listed([self.name(player) for player in players])

    def card(self, card: int | str) -> str:
        """ "K♣"."""
        text = card if isinstance(card, str) else card_name(card)
        return ("10" if text[0] == "T" else text[0]) + _SUITS[text[1]]

    def cards(self, cards: Iterable[int | str]) -> str:
        """ "K♣ 9♣ 4♣"."""
        return " ".join([self.card(card) for card in cards])

    def hand(self, strength: int, cards: tuple[int, ...], ranking: Ranking) -> str:
        """ "flush K-9-4": the category, and the ranks from the highest on, a pair's first."""
        return self.phrases[ranking.category(strength)] + " " + "-".join(ranks_of(cards))


def ranks_of(cards: tuple[int, ...]) -> list[str]:
    """The ranks of three cards: those that stand twice first, then from the highest on; A-2-3 as a run is read."""
    ranks = [card // 4 for card in cards]
    ordered = sorted(ranks, key=lambda rank: (-ranks.count(rank), -rank))
    if sorted(ranks) == [0, 1, 12]:
        ordered = [12, 0, 1]
    return ["10" if RANKS[rank] == "T" else RANKS[rank] for rank in ordered]
