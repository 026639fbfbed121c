"""What happened to the pack of three-card Brag, as the game itself plays it through: for `cards_three.py`."""

from __future__ import annotations

from events.audit.cards_three import PackStep
from events.games.pack import Pack
from events.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from events.audit.walk import Walk
    from events.games.table import Table


class _NotedPack(Pack):
    """A pack that notes what is done to it."""

    __slots__ = ("steps", "table")

    def __init__(self, table: Table) -> None:
        self.table = table
        self.steps: list[PackStep] = []
        super().__init__()

    def shuffle(self) -> None:
        self.steps.append(PackStep("shuffle", order=sorted(self.kept)))
        super().shuffle()

    def deal(self, order: list[str]) -> None:
        self.steps.append(PackStep("deal", order=order))
        super().deal(order)

    def keep(self, name: str) -> None:
        self.steps.append(PackStep("keep", name))
        super().keep(name)

    def bury(self, name: str, which: str) -> None:
        self.steps.append(PackStep("bury", name, which))
        super().bury(name, which)

    def show(self, name: str, which: str, cards: tuple[int, ...]) -> None:
        self.steps.append(PackStep("show", name, which, cards=cards, seq=self.table.now))
        super().show(name, which, cards)


class _Watched(Session):
    """A session whose pack notes what is done to it."""

    __slots__ = ()

    def begin(self) -> None:
        super().begin()
        self.table.pack = _NotedPack(self.table)  # type: ignore[attr-defined]  # of three-card Brag only


def pack_steps(walk: Walk) -> list[PackStep]:
    """What happened to the pack in a three-card session that was walked through, what was struck left out.

    A kept hand that a misdeal puts back into the pack is not kept at the shuffle that follows.
    """
    session = _Watched(walk.session.opening)
    for seq, event in walk.counted:
        session.apply(event, seq)
    pack: _NotedPack = session.table.pack  # type: ignore[attr-defined]
    return pack.steps
