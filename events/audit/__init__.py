"""Whether what was played, paid and settled is right, and why (contract.md §5)."""

from __future__ import annotations

from events.audit.report import Audit, audit_hand, audit_session

__all__ = ["Audit", "audit_hand", "audit_session"]
