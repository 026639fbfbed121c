"""Replay: from stored bytes to the state of a night, beside decoding alone and beside a hand-history library."""

from __future__ import annotations

import cProfile
import itertools
import json
import pstats
from collections.abc import Callable
from pathlib import Path

from pokerkit import HandHistory

from events.session import Session
from service.decoding import bodies
from service.store.log import Stored
from tests.benchmarks.harness import Table, in_turn, median, ratio, seconds
from tests.benchmarks.material import played, stored_nights

ROUNDS = 21
_HANDS = 40

# Hold'em of 21 actions, the cards dealt and shown counted.
_TABLE = """
variant = "NT"
antes = {0}
blinds_or_straddles = {1}
min_bet = 2
starting_stacks = {2}
actions = [{3}]
"""
_FOLDED = """
  "d dh p1 7h7d", "d dh p2 Ks9s", "d dh p3 AsQs", "d dh p4 2s3d", "d dh p5 Tc8c", "d dh p6 4h5h",
  "p3 cbr 6", "p4 f", "p5 f", "p6 f", "p1 f", "p2 cbr 18", "p3 cc", "d db 2hJs9c", "p2 cbr 20", "p3 cc",
  "d db 4c", "p2 cc", "p3 cbr 60", "p2 cbr 150", "p3 f"
"""
_SHOWN = """
  "d dh p1 7h7d", "d dh p2 Ks9s", "d dh p3 AsQs", "d dh p4 2s3d", "d dh p5 Tc8c",
  "p3 cbr 6", "p4 f", "p5 f", "p1 f", "p2 cc", "d db 2hJs9c", "p2 cc", "p3 cc",
  "d db 4c", "p2 cc", "p3 cc", "d db 6d", "p2 cc", "p3 cc", "p2 sm Ks9s", "p3 sm AsQs"
"""


def _hand(players: int, actions: str) -> HandHistory:
    seats = [0] * players
    return HandHistory.loads(_TABLE.format(seats, [1, 2, *seats[2:]], [200] * players, actions))


def measure(at: str) -> list[Table]:
    """Ours beside `json` and beside pokerkit."""
    nights = []
    for session, rows in itertools.islice(stored_nights(), len(played())):
        nights.append((session, [row.stored() for row in rows]))
    logs = [stored for _, stored in nights]
    events = sum(len(log) for log in logs)
    hands = {"folded": _hand(6, _FOLDED), "shown down": _hand(5, _SHOWN)}

    def rate(work: Callable[[list[Stored]], object]) -> Callable[[], float]:
        def run() -> float:
            return events / seconds(lambda: [work(log) for log in logs])

        return run

    def hand_rate(history: HandHistory) -> Callable[[], float]:
        def run() -> float:
            return _HANDS * len(history.actions) / seconds(lambda: [_last(history) for _ in range(_HANDS)])

        return run

    decoded = {id(log): bodies(log) for log in logs}
    works = {
        "json": rate(lambda log: [json.loads(event.body) for event in log]),
        "ours": rate(lambda log: Session.replay(bodies(log))),
        "decoded": rate(lambda log: Session.replay(decoded[id(log)])),
        **{name: hand_rate(history) for name, history in hands.items()},
    }
    rates = in_turn(works, ROUNDS)
    peers = {"json": "`json.loads`, nothing else", **{name: f"pokerkit, a hand {name}" for name in hands}}
    size = sum(len(event.body) for log in logs for event in log) / events
    table = Table(
        "Replay",
        f"Events (or actions) a second, of {events:,} stored events of {len(logs)} nights of all games, {size:.0f} "
        f"bytes each, {ROUNDS} rounds in turn. Ours goes from bytes to the state, with what was struck left out; "
        "`json` of the standard library decodes the same bytes and does nothing. pokerkit replays hands of hold'em "
        "that it has read already, of 21 actions, cards dealt and shown counted as such: beside it stand our events "
        "decoded already, too.",
        ("", "a second", "ours from bytes to it", "ours decoded already to it"),
        [
            ("Bragbook, decoding included", median(rates["ours"]), "1", ""),
            ("Bragbook, events decoded already", median(rates["decoded"]), "", "1"),
            *(
                (label, median(rates[name]), ratio(rates["ours"], rates[name]), ratio(rates["decoded"], rates[name]))
                for name, label in peers.items()
            ),
        ],
    )
    table.headlines.append(("events replayed, decoding included, to JSON decoding alone", table.rows[2][2]))
    table.headlines.append(
        ("events replayed, decoded already, to actions replayed by pokerkit, a hand shown down", table.rows[4][3])
    )
    table.notes.append(_profile(logs, events))
    return [table]


def _last(history: HandHistory) -> object:
    state = None
    for state in history:  # noqa: B007  # each is the hand one action further
        pass
    return state


def _named(path: str, function: str) -> str:
    """A function as the profile's line has it: the interpreter's own have no file."""
    return f"{Path(path).stem}.{function}" if path != "~" else function.strip("<>").removeprefix("built-in ")


def _profile(logs: list[list[Stored]], events: int) -> str:
    """Where the time of a replay goes, by the standard profiler."""
    profile = cProfile.Profile()
    decoded = [bodies(log) for log in logs]
    profile.enable()
    for log in decoded:
        Session.replay(log)
    profile.disable()
    stats = pstats.Stats(profile)
    rows = sorted(stats.stats.items(), key=lambda row: -row[1][2])[:8]  # type: ignore[attr-defined]
    whole = sum(row[1][2] for row in stats.stats.items())  # type: ignore[attr-defined]
    parts = [f"`{_named(path, function)}` {100 * own / whole:.0f} %" for (path, _, function), (_, _, own, _, _) in rows]
    return f"Where a replay's time goes, decoding apart ({len(rows)} largest of {events:,} events): {', '.join(parts)}."
