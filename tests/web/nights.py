"""Nights at a running service, recorded without a phone."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import dataclass
from typing import Any

from tests.web.chromium import PATIENCE_MS
from tests.web.test_recorder import CAST

PLAYERS = [{"id": f"p{n}", "name": name} for n, name in enumerate(CAST[:4], 1)]
# rules.md §4, the worked example, with a wrong tap struck, a payment that was short, and the pot given to the wrong one
NIGHT: list[dict[str, Any]] = [
    {"type": "deal", "dealer": "p4"},
    *[{"type": "ante", "player": f"p{n}"} for n in (1, 2, 3, 4)],
    {"type": "bet", "player": "p1", "as": "seen", "amount": "2"},
    {"type": "bet", "player": "p2", "as": "seen", "amount": "4"},
    {"type": "void", "seqs": [8], "reason": "a wrong tap"},
    {"type": "bet", "player": "p2", "as": "seen", "amount": "1", "irregular": "all there was"},
    {"type": "fold", "player": "p3"},
    {"type": "fold", "player": "p4"},
    {"type": "see", "player": "p1"},
    {"type": "reveal", "player": "p2", "cards": ["5s", "6h", "7d"]},
    {"type": "reveal", "player": "p1", "cards": ["Kc", "9c", "4c"]},
    {"type": "settle", "awards": {"p1": "11"}, "irregular": "they took the flush for better"},
]


@dataclass
class Night:
    """A night at the service, recorded without a phone, and its links."""

    service: str
    id: str
    record: str
    view: str

    def ask(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        return asked(self.service, method, f"/sessions/{self.id}{path}", body, token or self.record)

    def seat(self, player: str) -> str:
        return str(self.ask("POST", "/tokens", {"kind": "seat", "player": player})["token"])


def asked(service: str, method: str, path: str, body: Any, token: str = "") -> Any:
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{service}/api/v1{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=PATIENCE_MS / 1000) as answer:
        return json.load(answer)


def recorded(service: str, events: list[dict[str, Any]], **opening: Any) -> Night:
    body = {"game": "three-card", "players": PLAYERS, **opening}
    made = asked(service, "POST", "/sessions", body)
    night = Night(service, made["id"], made["tokens"]["record"], made["tokens"]["view"])
    for event in events:
        night.ask("POST", "/events", event)
    return night
