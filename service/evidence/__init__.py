"""Evidence: signed heads, the log of all heads, and what of it is given to whom (docs/evidence.md)."""

from service.evidence.evidence import Evidence
from service.evidence.rollback import RolledBack, accept_rollback, check_rollback

__all__ = ["Evidence", "RolledBack", "accept_rollback", "check_rollback"]
