"""An event that comes at the wrong time is refused with the rule that says when it comes, and no two for one reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from events.games.when import PLACES, place_of
from events.house_rules import GAMES
from events.refusals import Refused
from events.session import Session, open_session
from events.vocabulary import BY_NAME

RULES = Path("docs/rules.md")
ANY_TIME = {"open", "void", "note", "sign", "dispute"}
BETWEEN_HANDS = {
    "lives": {"swap": {"take": "down"}, "knock": {}},
    "community": {"bet": {"as": "seen", "amount": "1"}, "check": {}, "fold": {}, "look": {}, "see": {}, "ante": {}},
    "three-card": {"bet": {"as": "seen", "amount": "1"}, "fold": {}, "look": {}, "see": {}, "ante": {}, "keep": {}},
}


def test_every_event_that_has_a_time_has_a_rule() -> None:
    assert set(BY_NAME) - ANY_TIME == set(PLACES)


@pytest.mark.parametrize("game", GAMES)
def test_between_hands_each_names_its_own_rule(game: str) -> None:
    opening, _ = open_session({"game": game, "players": ["A", "B", "C"]})
    session = Session(opening)
    for kind, more in BETWEEN_HANDS[game].items():
        with pytest.raises(Refused) as refused:
            session.record({"type": kind, "player": "A", **more})
        refusal = refused.value.refusal
        assert (refusal.code, refusal.rule, refusal.actual) == ("event.not_now", place_of(kind, game), kind)
        assert refusal.expected == ["deal"]


def test_every_rule_named_stands_in_the_rules() -> None:
    text = RULES.read_text(encoding="utf-8")
    for place in PLACES.values():
        for one in [place] if isinstance(place, str) else place.values():
            chapter, _, number = one.partition(".")
            part = re.split(rf"^## {chapter}\b", text, flags=re.MULTILINE)[1].split("\n## ")[0]
            assert not number or re.search(rf"^{number}\. ", part, flags=re.MULTILINE), one
