"""Which night an event belongs to: the one label that pages, papers, lists and leaderboards show."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

# A night that begins before this hour (UTC) belongs to the evening before: dealt at ten past midnight, it is
# still last night's game. Six suits both sides of the Atlantic without knowing where the table stands.
NIGHT_ENDS_AT_HOUR = 6


def happened_at(event: Mapping[str, Any]) -> str:
    """When the event happened, else when it was stored: RFC 3339 in UTC, ending in Z; "" where neither is known."""
    return str(event.get("at") or event.get("recorded_at") or "")


def night_of(event: Mapping[str, Any]) -> str:
    """The night an event belongs to, as `2026-06-27`; "" where it carries no time. A session's is its `open`'s.

    It is the event's date (UTC), or the day before where it happened earlier than six in the morning.
    """
    when = happened_at(event)
    if not when:
        return ""
    day = date.fromisoformat(when[:10])
    if int(when[11:13]) < NIGHT_ENDS_AT_HOUR and day > date.min:
        day -= timedelta(days=1)
    return day.isoformat()
