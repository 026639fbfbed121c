"""What tests need to begin with, each valid by itself and ready to be varied: bodies of sessions, and events."""

from __future__ import annotations

from typing import Any

import factory

NAMES = ("Ann", "Bob", "Cat", "Dan", "Eve", "Flo", "Gus", "Hal", "Ivy", "Jon", "Kim", "Lee", "Max", "Nan", "Oz", "Pat")


class PlayerFactory(factory.DictFactory):
    """A player as a session's body has them: A is Ann, B is Bob, …"""

    class Params:
        number = factory.Sequence(lambda n: n % len(NAMES))

    id = factory.LazyAttribute(lambda player: chr(ord("A") + player.number))
    name = factory.LazyAttribute(lambda player: NAMES[player.number])


class SessionFactory(factory.DictFactory):
    """The body that opens a session. `seats`: how many sit down. Traits: `lives`, `community`, `chips`."""

    class Params:
        seats = 4
        lives = factory.Trait(game="lives")
        community = factory.Trait(game="community")
        chips = factory.Trait(game="community", rules={"bank": "chips", "side_pots": True})

    title = "Tuesday at the Crown"
    game = "three-card"
    players = factory.LazyAttribute(lambda body: [PlayerFactory(number=n) for n in range(body.seats)])
    rules: Any = factory.Dict({})


class EventFactory(factory.DictFactory):
    """An event of any type: `EventFactory(type="fold", player="A")`. By default a note, which is always allowed."""

    type = "note"

    @classmethod
    def _build(cls, model_class: type[dict[str, Any]], *args: Any, **kwargs: Any) -> dict[str, Any]:
        event = super()._build(model_class, *args, **kwargs)
        if event == {"type": "note"}:
            event["text"] = "The landlord brought crisps."
        return event

    _create = _build


def worked_example() -> list[dict[str, Any]]:
    """The hand of rules.md §4, the worked example: B ends +9, A −7, C and D −1 each."""
    antes = [EventFactory(type="ante", player=player) for player in "ABCD"]
    return [
        EventFactory(type="deal", dealer="D"),
        *antes,
        EventFactory(type="bet", player="A", amount="2", **{"as": "seen"}),
        EventFactory(type="bet", player="B", amount="2", **{"as": "seen"}),
        EventFactory(type="fold", player="C"),
        EventFactory(type="fold", player="D"),
        EventFactory(type="see", player="A", amount="4"),
        EventFactory(type="reveal", player="B", cards=["5s", "6h", "7d"]),
        EventFactory(type="reveal", player="A", cards=["Kc", "9c", "4c"]),
    ]
