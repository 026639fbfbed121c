"""Why an event is refused: the codes of contract.md §7, in the order in which they are given.

A refusal is what the rules say against an event. The same object is the problem that a client gets, and, where
the table let the event stand (`irregular`), the finding that an audit reports.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Status 422 unless listed here. contract.md §7.
STATUS = {
    "request.invalid": 400,
    "auth.missing": 401,
    "auth.wrong": 403,
    "not_found": 404,
    "method": 405,
    "id.reused": 409,
    "version.conflict": 412,
    "too_large": 413,
    "media_type": 415,
    "too_many": 429,
    "unavailable": 503,
}

# Every refusal of an event, in the order of contract.md §7: where several apply, the first is given.
ORDER = (
    "event.unknown_type",
    "event.not_this_game",
    "event.invalid",
    "amount.not_exact",
    "amount.not_positive",
    "amount.not_chip",
    "id.reused",
    "version.conflict",
    "session.closed",
    "player.unknown",
    "player.left",
    "event.not_now",
    "player.not_in_hand",
    "turn.not_yours",
    "deal.too_few",
    "deal.too_many",
    "deal.wrong_dealer",
    "deal.shuffle",
    "ante.wrong",
    "look.not_allowed",
    "check.not_allowed",
    "bet.not_blind",
    "bet.stack",
    "bet.limit",
    "bet.too_low",
    "bet.too_high",
    "bet.step",
    "see.not_two",
    "see.no_level",
    "see.blind_rival",
    "see.amount",
    "swap.same_card",
    "swap.not_held",
    "knock.too_early",
    "knock.twice",
    "reveal.count",
    "reveal.out_of_order",
    "cards.twice",
    "cards.impossible",
    "settle.sum",
    "award.wrong",
    "cash.kitty",
    "count.sum",
    "void.target",
    "void.breaks",
    "rule.sum",
    "close.pot_open",
)

# What a table may let stand: an event that carries `irregular` is recorded although one of these speaks
# against it (contract.md §7, marked with a dagger).
RECORDABLE = frozenset(
    (
        "turn.not_yours",
        "deal.wrong_dealer",
        "deal.shuffle",
        "ante.wrong",
        "look.not_allowed",
        "check.not_allowed",
        "bet.not_blind",
        "bet.limit",
        "bet.too_low",
        "bet.too_high",
        "bet.step",
        "see.blind_rival",
        "see.amount",
        "knock.too_early",
        "reveal.out_of_order",
        "cards.impossible",
        "award.wrong",
        "count.sum",
    )
)


class Refusal:
    """One thing that the rules say against an event.

    code: a code of `ORDER`. detail: a sentence that tells a scorekeeper what to do next. rule: where it stands
    ("rules.md §4.9"). expected, actual: what the rules ask and what was sent, as JSON values. errors: field ->
    messages, for `event.invalid`. event: the index of the event in its request, set by who knows it. final: not to be
    recorded here even where the code may be.
    """

    __slots__ = ("code", "detail", "rule", "expected", "actual", "errors", "event", "final")

    def __init__(
        self,
        code: str,
        detail: str,
        rule: str | None = None,
        expected: Any = None,
        actual: Any = None,
        errors: dict[str, list[str]] | None = None,
        event: int | None = None,
        final: bool = False,
    ) -> None:
        self.code = code
        self.detail = detail
        self.rule = rule
        self.expected = expected
        self.actual = actual
        self.errors = errors
        self.event = event
        self.final = final

    @property
    def recordable(self) -> bool:
        """Whether the table may let it stand, with `irregular`."""
        return not self.final and self.code in RECORDABLE

    def as_dict(self) -> dict[str, Any]:
        """The members of the problem document that apply, without `type`, `title` and `status`."""
        members: dict[str, Any] = {"code": self.code, "detail": self.detail}
        for name in ("event", "rule", "expected", "actual", "errors"):
            value = getattr(self, name)
            if value is not None:
                members[name] = value
        return members

    def __repr__(self) -> str:
        return f"Refusal({self.code!r}, {self.detail!r})"


class Refused(Exception):
    """An event, or a session, that the rules forbid. Nothing has changed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code + ": " + refusal.detail)
        self.refusal = refusal

    def __reduce__(self) -> tuple[type[Refused], tuple[Refusal]]:
        """As it passes from one process to another: whole."""
        return Refused, (self.refusal,)


def invalid(errors: dict[str, list[str]]) -> Refusal:
    """An `event.invalid` that names the fields at fault."""
    detail = "; ".join(name + ": " + ", ".join(errors[name]) for name in sorted(errors))
    return Refusal("event.invalid", detail, errors=errors)
