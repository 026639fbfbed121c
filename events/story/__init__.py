"""A hand told so that a player understands it: each action, what it cost and why, who won and why (contract.md §5)."""

from __future__ import annotations

from events.story.teller import LANGUAGES, Teller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from events.audit import Audit

__all__ = ["LANGUAGES", "tell"]


def tell(audit: Audit, number: int, names: dict[str, str | None], language: str = "en") -> list[dict[str, Any]]:
    """The story of hand `number`: steps of `seq`, `type`, `text`, `pot` and `level` after it, `rule`, `struck`.

    names: player id -> name, None where it was erased. language: one of LANGUAGES; amounts are written as it
    writes them. Empty where there is no such hand.
    """
    return Teller(audit, names, language).tell(number)
