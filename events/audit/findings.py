"""What an audit found, each with the rule, what it asks and what was done (contract.md §5)."""

from __future__ import annotations

from events.audit.owed import Debts
from events.audit.walk import Breach, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The check that a finding belongs to; all others to `rules`.
CHECK_OF = {
    "chain.broken": "chain",
    "projection.drift": "projection",
    "award.wrong": "award",
    "cards.twice": "cards",
    "cards.impossible": "cards",
    "count.gap": "pot",
    "count.moved": "pot",
}


class Finding:
    """One thing found. severity: "error" where it leaves something owed, a life wrong, or the log or the store not
    what it should be; else "warning". hand: its number, or None. check: the check that it fails."""

    __slots__ = ("code", "severity", "hand", "seqs", "players", "expected", "actual", "message", "rule", "check")

    def __init__(
        self,
        code: str,
        severity: str,
        message: str,
        hand: int | None = None,
        seqs: list[int] | None = None,
        players: list[str] | None = None,
        expected: Any = None,
        actual: Any = None,
        rule: str | None = None,
        check: str | None = None,
    ) -> None:
        self.code = code
        self.severity = severity
        self.message = message
        self.hand = hand
        self.seqs = seqs or []
        self.players = players or []
        self.expected = expected
        self.actual = actual
        self.rule = rule
        self.check = check or CHECK_OF.get(code, "rules")

    def as_dict(self) -> dict[str, Any]:
        """As contract.md §5 shows it."""
        names = ("code", "severity", "hand", "seqs", "players", "expected", "actual", "message", "rule")
        return {name: getattr(self, name) for name in names}


def findings_of(walk: Walk, debts: Debts) -> list[Finding]:
    """All findings that follow from the events, in their order."""
    # A gap that the table let stand is told with the count it is in.
    breaches = [breach for breach in walk.breaches if breach.refusal.code != "count.sum" or not breach.let_stand]
    found = [_of_breach(walk, debts, breach) for breach in breaches]
    found += _counts(walk)
    found += _open_disputes(walk)
    return sorted(found, key=lambda finding: finding.seqs[0] if finding.seqs else 0)


def _of_breach(walk: Walk, debts: Debts, breach: Breach) -> Finding:
    refusal = breach.refusal
    error = not breach.let_stand
    players = [breach.event[field] for field in ("player", "dealer") if field in breach.event]
    if refusal.code in ("ante.wrong", "bet.too_low", "bet.too_high", "see.amount", "award.wrong"):
        owed = debts.by_seq.get(breach.seq, {})
        error = error or bool(owed)
    if refusal.code == "award.wrong":
        error, players = _wrong_award(walk, debts, breach)
    said = breach.event.get("irregular")
    message = refusal.detail + (f" (let stand: {said})" if breach.let_stand else "")
    return Finding(
        refusal.code,
        "error" if error else "warning",
        message,
        breach.hand or None,
        [breach.seq],
        players,
        refusal.expected,
        refusal.actual,
        refusal.rule,
        "lives" if refusal.code == "award.wrong" and walk.session.game == "lives" else None,
    )


def _wrong_award(walk: Walk, debts: Debts, breach: Breach) -> tuple[bool, list[str]]:
    """(whether it is an error still, whom it is about) for a pot or a life that went to the wrong player."""
    seats = walk.session.seats
    expected, actual = breach.refusal.expected, breach.refusal.actual
    if walk.session.game != "lives":
        players = [name for name in seats if expected.get(name) != actual.get(name)]
        return not breach.let_stand or bool(debts.by_seq.get(breach.seq)), players
    hand = [hand for hand in walk.session.table.hands if hand.number == breach.hand][0]
    last = hand.settles[-1][0] if hand.settles else 0
    wrong = hand.losers != hand.due_losers and last == breach.seq and not debts.settled(breach.seq, hand)
    return wrong, [name for name in seats if (name in expected) != (name in actual)]


def _counts(walk: Walk) -> list[Finding]:
    """rules.md §5, the chips are counted: what moved, and what is missing."""
    found = []
    table = walk.session.table
    agreed = 1
    for seq, number, gap, moved in table.counts:
        names = [name for name in table.seats if name in moved]
        amounts = {name: table.text(moved[name]) for name in names}
        event = walk.events[seq - 1]
        if gap:
            missing = table.text(sum(moved[name] for name in names))
            since = [hand.number for hand in table.hands if agreed < hand.first < seq]
            hands = ", ".join(str(hand) for hand in since) or "none"
            message = f"the count is {missing} off what the log holds; hands since the last count that agreed: {hands}"
            found.append(
                Finding(
                    "count.gap", "warning", message, number or None, [seq], names, None, event["chips"], "rules.md §5"
                )
            )
        else:
            if names:
                message = "chips moved that no event recorded: " + table.spoken(moved)
                found.append(
                    Finding(
                        "count.moved", "warning", message, number or None, [seq], names, None, amounts, "rules.md §5"
                    )
                )
            agreed = seq
    return found


def _open_disputes(walk: Walk) -> list[Finding]:
    found = []
    session = walk.session
    for seq in sorted(session.disputes):
        if seq not in session.rulings:
            event = session.disputes[seq]
            number = session.hand_standing_for(event["of_hand"]) or event["of_hand"]
            message = f"{event['player']} disputes hand {number}: {event['claim']}"
            found.append(
                Finding(
                    "dispute.open",
                    "warning",
                    message,
                    number,
                    [seq],
                    [event["player"]],
                    rule="rules.md §5",
                )
            )
    return found
