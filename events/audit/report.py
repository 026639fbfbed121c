"""The report that joins the checks (contract.md §5)."""

from __future__ import annotations

from events.audit import checks
from events.audit.cards import cards
from events.audit.findings import Finding, findings_of
from events.audit.owed import Debts
from events.audit.walk import Walk
from events.refusals import Refused
from events.settlement import fewest_payments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Audit:
    """One audit of a log, made once; the session's report and each hand's are read off it.

    events: stored events from seq 1. drift: what a store holds other than a replay gives, in sentences; None where
    there is no store.
    """

    def __init__(self, events: list[dict[str, Any]], drift: list[str] | None = None) -> None:
        self.events = events
        self.drift = drift
        self.walk = Walk(events)
        self.debts = Debts(self.walk.session)
        self.settled = self.walk.session.settlement()
        self.findings = (
            checks.chain(events)
            + findings_of(self.walk, self.debts)
            + cards(self.walk)
            + checks.pot(self.walk)
            + checks.zero_sum(self.walk)
            + checks.lives(self.walk)
            + checks.settlement(self.settled, self.walk)
            + checks.projection(drift)
        )

    def owed(self, debts: dict[str, int]) -> list[dict[str, str]]:
        """The fewest payments between players that make it as the rules have it."""
        session = self.walk.session
        payments, _ = fewest_payments([(name, debts[name]) for name in session.seats])
        return [{"from": payer, "to": payee, "amount": session.unit.text(chips)} for payer, payee, chips in payments]

    def checks(self, findings: list[Finding]) -> list[dict[str, str]]:
        """Each check, whether it passes, and what it saw."""
        passed = checks.details(self.walk, self.events, self.settled, self.drift)
        listed = []
        for name in checks.CHECKS:
            errors = [finding.message for finding in findings if finding.check == name and finding.severity == "error"]
            listed.append(
                {"check": name, "status": "fail" if errors else "pass", "detail": "; ".join(errors[:3]) or passed[name]}
            )
        return listed

    def session_report(self) -> dict[str, Any]:
        """GET …/audit."""
        return {
            "version": len(self.events),
            "verdict": verdict(self.findings),
            "checks": self.checks(self.findings),
            "findings": [finding.as_dict() for finding in self.findings],
            "hands": self.walk.session.hands(),
            "owed": self.owed(self.debts.total()),
        }

    def hand_report(self, number: int) -> dict[str, Any] | None:
        """GET …/hands/{n}/audit; None where there is no such hand."""
        view = self.walk.session.hand(number)
        if view is None:
            return None
        hand = [hand for hand in self.walk.session.table.hands if hand.number == number][0]
        findings = [finding for finding in self.findings if finding.hand == number or finding.code == "chain.broken"]
        debts = {name: 0 for name in self.walk.session.seats}
        seqs = [seq for seq, *_ in hand.payments] + [seq for seq, _ in hand.settles]
        for seq in seqs:
            for name in self.debts.by_seq.get(seq, {}):
                debts[name] += self.debts.by_seq[seq][name]
        return {
            "version": len(self.events),
            "verdict": verdict(findings),
            "checks": self.checks(findings),
            "findings": [finding.as_dict() for finding in findings],
            "hands": [view],
            "owed": self.owed(debts),
        }


def verdict(findings: list[Finding]) -> str:
    """The first that holds: unsound, disputed, irregular, sound (contract.md §5)."""
    if any(finding.severity == "error" for finding in findings):
        return "unsound"
    if any(finding.code == "dispute.open" for finding in findings):
        return "disputed"
    return "irregular" if findings else "sound"


def audit_session(events: list[dict[str, Any]], drift: list[str] | None = None) -> dict[str, Any]:
    """The audit of a whole session. A log whose opening cannot be read is unsound, with nothing else to say."""
    try:
        return Audit(events, drift).session_report()
    except Refused as refused:
        return unreadable(events, refused.refusal.detail)


def audit_hand(events: list[dict[str, Any]], number: int, drift: list[str] | None = None) -> dict[str, Any] | None:
    """The audit of one hand; None where there is no such hand."""
    try:
        return Audit(events, drift).hand_report(number)
    except Refused:
        return None


def unreadable(events: list[dict[str, Any]], why: str) -> dict[str, Any]:
    """The report on a log that does not begin with an opening."""
    finding = Finding("chain.broken", "error", f"event 1: {why}", None, [1], rule="contract.md §3")
    return {
        "version": len(events),
        "verdict": "unsound",
        "checks": [{"check": name, "status": "fail", "detail": finding.message} for name in checks.CHECKS],
        "findings": [finding.as_dict()],
        "hands": [],
        "owed": [],
    }
