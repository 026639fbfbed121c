"""What holds after every event of every night (rules.md §1 sums, §2 to §6; contract.md §4, §5; design.md §2)."""

from __future__ import annotations

from typing import Any

from events.audit import audit_hand, audit_session
from events.refusals import RECORDABLE, Refused
from events.session import Session
from tests.engine.agreement import agrees
from tests.engine.case_runner import dump, stored
from tests.engine.nights import Night

GRID = 26
"""Up to how many chips every bet is tried against what `legal` offers."""
HANDS = ("old", "new")


def holds(night: Night) -> None:
    """The sums, the chips, the lives, and the views, after any event."""
    session, unit = night.session, night.unit
    state, settled = session.state({}), session.settlement()
    players = state["players"]
    nets = sum(unit.chips(players[name]["net"]) for name in players)
    pot, carried = unit.chips(state["pot"]), unit.chips(state["carried"])
    is_open = state["phase"] not in ("deal", "closed")
    assert sorted(state["seats"]) == sorted(players)
    assert state["closed"] == (state["phase"] == "closed")
    if session.game == "lives":
        assert nets + pot == 0
        assert carried == 0
    else:
        assert nets + (pot if is_open else carried) == 0
        assert is_open or pot == 0
    if is_open and session.game != "lives":
        assert pot == carried + sum(unit.chips(players[name]["paid"]) for name in players)
    for name in players:
        holds_of(state, players[name], is_open)
    if night.rules.get("bank") == "chips":
        table = session.table
        stacks = [unit.chips(players[name]["stack"]) for name in players]
        bought = sum(table.players[name].bought - table.players[name].cashed for name in players)
        assert min(stacks) >= 0
        assert sum(stacks) + pot == bought
    hands_hold(session)
    settlement_holds(session, state, settled)


def holds_of(state: dict[str, Any], player: dict[str, Any], is_open: bool) -> None:
    """One player of the state."""
    between = ("in", "out", "left")
    statuses = {
        "lives": ("in", "knocked", "out", "left"),
        "community": ("blind", "seen", "folded", "all_in", "out", "left"),
        "three-card": ("blind", "seen", "folded", "out", "left"),
    }
    assert player["status"] in (statuses[state["game"]] if is_open else between)
    if not is_open:
        assert player["paid"] == "0"
        assert player["hands"] in (0, 1)
    if player["status"] in ("folded", "out", "left"):
        assert player["hands"] == 0 or not is_open
    assert not player["paid"].startswith("-")
    assert (player["lives"] is None) == (state["game"] != "lives")
    assert player["lives"] is None or player["lives"] >= 0


def hands_hold(session: Session) -> None:
    """Each hand takes in what it pays out or hands on; nobody pays or wins from nowhere."""
    unit, brought = session.unit, 0
    for hand in session.hands():
        paid = sum(unit.chips(hand["paid"][name]) for name in hand["paid"])
        awards = sum(unit.chips(hand["awards"][name]) for name in hand["awards"])
        handed_on = unit.chips(hand["carried"])
        if hand["result"] == "open":
            continue
        assert brought + paid == awards + handed_on
        assert sum(unit.chips(hand["net"][name]) for name in hand["net"]) == brought - handed_on
        if hand["result"] != "misdeal" and session.game != "lives":
            assert unit.chips(hand["pot"]) == brought + paid
        if "side_pots" in hand:
            assert sum(unit.chips(layer["amount"]) for layer in hand["side_pots"]) == unit.chips(hand["pot"])
        brought = handed_on


def settlement_holds(session: Session, state: dict[str, Any], settled: dict[str, Any]) -> None:
    """Balances and what is in play make zero; the payments clear every balance."""
    read = session.unit.coins if state["rules"].get("bank") == "chips" else session.unit.chips
    balances = {name: read(settled["balances"][name]) for name in settled["balances"]}
    assert sum(balances[name] for name in balances) == read(settled["sum"])
    assert read(settled["sum"]) + read(settled["in_play"]) == 0
    if read(settled["in_play"]):
        assert settled["payments"] == []
        assert settled["outstanding"] == []
        return
    for payment in settled["payments"]:
        assert read(payment["amount"]) > 0
        balances[payment["from"]] += read(payment["amount"])
        balances[payment["to"]] -= read(payment["amount"])
    assert set(balances.values()) <= {0}


def legal_holds(night: Night) -> None:
    """What `legal` offers is accepted, and of ordinary actions nothing else."""
    state = night.state()
    offered = []
    for entry in state["legal"]:
        if entry["type"] == "bet" and "amount" not in entry:
            offered += bets_within(night, entry)
        else:
            offered.append(entry)
    for entry in offered:
        assert night.tried(entry) is None, f"offered and refused: {entry}"
    for event in ordinary(night, state):
        if event not in offered:
            assert refused(night, event), f"accepted and not offered: {event}"


def bets_within(night: Night, entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The bets of an entry of `legal`: the call, and the raises up to the grid or the last of them."""
    bet = {key: entry[key] for key in ("type", "player", "as")}
    amounts = [] if entry["call"] is None else [entry["call"]]
    if entry["min"] is not None:
        read, write = night.unit.chips, night.unit.text
        least, stride = read(entry["min"]), read(entry["step"])
        most = max(least, GRID) if entry["max"] is None else read(entry["max"])
        assert (most - least) % stride == 0 or entry["max"] is None
        amounts += [write(chips) for chips in range(least, min(most, GRID) + 1, stride)]
        if entry["max"] is not None and most > GRID:
            amounts.append(entry["max"])
    return [{**bet, "amount": amount} for amount in amounts]


def ordinary(night: Night, state: dict[str, Any]) -> list[dict[str, Any]]:
    """Every action that has no free field, by everybody, and every bet of whoever acts up to the grid."""
    events: list[dict[str, Any]] = []
    simple = ("ante", "look", "keep", "throw", "check", "fold", "see", "discard", "knock", "muck", "retain")
    kinds = [kind for kind in simple if kind_fits(night, kind)]
    for name in state["seats"]:
        events += [{"type": kind, "player": name} for kind in kinds]
        events += [{"type": kind, "player": name, "which": which} for kind in ("look", "retain") for which in HANDS]
        if state["phase"] == "deal":
            events.append({"type": "deal", "dealer": name})
    if state["game"] != "lives" and state["phase"] == "act":
        for as_ in ("blind", "seen"):
            bet = {"type": "bet", "player": state["to_act"], "as": as_}
            events += [{**bet, "amount": night.unit.text(chips)} for chips in range(1, GRID + 1)]
            stack = state["players"][state["to_act"]]["stack"]
            if stack not in (None, "0") and night.rules.get("side_pots"):
                events.append({**bet, "amount": stack, "all_in": True})
    return events


def kind_fits(night: Night, kind: str) -> bool:
    if kind == "discard":
        return bool(night.rules.get("private_cards") == 4)
    return True


def refused(night: Night, event: dict[str, Any]) -> bool:
    """Whether an event is refused as it stands; a `see` that names no price is the one that legal offers with it."""
    if event["type"] == "see":
        offered = [entry for entry in night.state()["legal"] if entry["type"] == "see"]
        if offered and offered[0]["player"] == event["player"]:
            return True
    if event["type"] == "deal" and night.session.game == "lives":
        event = {**event, "up": "As"}
    session = night.session
    try:
        return bool(session.refusals(session.clean(event)))
    except Refused:
        return True


def replays(night: Night) -> None:
    """A replay, a reading and a fork of what was recorded are what was recorded."""
    session = night.session
    seen = dump(session)
    events = session.events[: session.version]
    assert dump(Session.replay(events)) == seen
    assert dump(Session.read(events)) == seen
    fork = session.fork()
    fork.record({"type": "note", "text": "on another evening"})
    assert dump(session) == seen
    assert dump(fork.fork()) == dump(fork)


def audits(night: Night) -> None:
    """An audit never fails; of an honest night it finds nothing but the disputes that are open."""
    events = stored(night.session)
    report = audit_session(events)
    by_check = {check["check"]: check["status"] for check in report["checks"]}
    assert by_check["chain"] == by_check["zero_sum"] == by_check["pot"] == by_check["settlement"] == "pass"
    assert all(check["status"] in ("pass", "fail") for check in report["checks"])
    errors = [finding for finding in report["findings"] if finding["severity"] == "error"]
    assert (report["verdict"] == "unsound") == bool(errors)
    for finding in report["findings"]:
        assert finding["code"] in RECORDABLE | {"dispute.open", "count.gap", "count.moved"}
    if night.honest:
        assert {finding["code"] for finding in report["findings"]} <= {"dispute.open"}
        assert report["verdict"] == ("disputed" if report["findings"] else "sound")
        assert report["owed"] == []
    for number in range(1, len(night.session.hands()) + 1):
        hand = audit_hand(events, number)
        assert (hand is None) == (night.session.hand(number) is None)


def in_turn_with(night: Night, dumps: dict[int, str]) -> None:
    """`?at=seq`: every beginning of the log is as it was known then."""
    events = night.session.events
    for seq in dumps:
        assert dump(Session.replay(events[:seq])) == dumps[seq], f"as it was after event {seq}"


def money_holds(night: Night) -> None:
    """What everybody has is what a second reading of the rules gives them."""
    session = night.session
    agrees(session.events[: session.version], session.state({}), session.settlement(), session.hands())
