"""What clients see of a session: state, hand and settlement, as contract.md §4 has them."""

from __future__ import annotations

from events.cards import card_name
from events.settlement import fewest_payments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from events.games.hand import Hand
    from events.games.table import Table
    from events.session import Session


def state_view(session: Session, names: dict[str, str]) -> dict[str, Any]:
    """GET /sessions/{id}, without the id."""
    table = session.table
    hand, last = table.hand, table.last_hand
    return {
        "game": session.game,
        "title": session.opening.get("title"),
        "version": session.version,
        "closed": table.closed,
        "unit": session.opening["unit"],
        "rules": session.rules,
        "seats": list(table.seats),
        "hand": last.number if last is not None else None,
        "phase": table.phase,
        "dealer": last.dealer if last is not None else None,
        "to_act": hand.to_act if hand is not None and hand.phase in ("act", "choose", "reveal") else None,
        "round": hand.round if hand is not None else 0,
        "pot": table.text(pot_shown(table)),
        "carried": table.text(hand.carried_in if hand is not None else table.carried),
        "level": table.text(hand.level if hand is not None else 0),
        "pots_resolved": table.pots_resolved,
        "up": card_name(hand.up) if hand is not None and hand.up is not None else None,
        "board": [card_name(card) for card in hand.board] if hand is not None else [],
        "knocker": hand.knocker if hand is not None else None,
        "players": {name: player_view(table, name, names) for name in table.seats},
        "legal": table.legal(),
        "winners": table.winners(),
    }


def pot_shown(table: Table) -> int:
    """Chips: all that is in play in the open hand; in `lives` the stakes; else 0."""
    return table.in_play() if table.hand is not None or table.game == "lives" else 0


def player_view(table: Table, name: str, names: dict[str, str]) -> dict[str, Any]:
    """One player of the state."""
    player, hand = table.players[name], table.hand
    return {
        "name": names.get(name, name),
        "status": status(table, name),
        "hands": hands_held(table, name),
        "net": table.text(player.net),
        "paid": table.text(hand.paid.get(name, 0) if hand is not None else 0),
        "lives": player.lives if table.game == "lives" else None,
        "stack": table.text(player.stack) if table.with_chips else None,
    }


def status(table: Table, name: str) -> str:
    """How a player stands (contract.md §4)."""
    if table.players[name].left:
        return "left"
    hand = table.hand
    if hand is None:
        return "in" if table.can_be_dealt_in(name) else "out"
    holding = hand.holdings.get(name)
    if holding is None:
        return "out"
    if table.game == "lives":
        return "knocked" if holding.knocked else "in"
    if holding.out:
        return "folded"
    if holding.all_in:
        return "all_in"
    return "seen" if holding.looked else "blind"


def hands_held(table: Table, name: str) -> int:
    """How many hands a player holds."""
    hand = table.hand
    if hand is None:
        return 1 if table.players[name].kept else 0
    holding = hand.holdings.get(name)
    return len(holding.hands) if holding is not None and not holding.out else 0


def hand_view(session: Session, hand: Hand) -> dict[str, Any]:
    """GET …/hands/{n}."""
    return hand.view(session.table.seats, session.unit, session.table.ranking)


def settlement_view(session: Session) -> dict[str, Any]:
    """GET …/settlement."""
    table = session.table
    text = session.unit.coin_text if table.with_chips else session.unit.text
    read = session.unit.coins if table.with_chips else session.unit.chips
    balances, in_play = table.balances()
    payments: list[tuple[str, str, int]] = []
    outstanding: list[tuple[str, str, int]] = []
    exact = True
    if not in_play:
        payments, exact = fewest_payments([(name, balances[name]) for name in table.seats])
        left = dict(balances)
        for _, event in session.paid:
            left[event["from"]] += read(event["amount"])
            left[event["to"]] -= read(event["amount"])
        outstanding, _ = fewest_payments([(name, left[name]) for name in table.seats])

    covering = session.covering()
    signed = [name for name in table.seats if any(name == signer and seq in covering for seq, signer in session.signs)]

    def listed(some: list[tuple[str, str, int]]) -> list[dict[str, str]]:
        return [{"from": payer, "to": payee, "amount": text(amount)} for payer, payee, amount in some]

    return {
        "version": session.version,
        "balances": {name: text(balances[name]) for name in table.seats},
        "sum": text(sum(balances[name] for name in table.seats)),
        "in_play": text(in_play),
        "winners": table.winners(),
        "payments": listed(payments),
        "fewest": exact,
        "lives": {name: table.players[name].lives for name in table.seats} if table.game == "lives" else None,
        "signed": signed,
        "signatures": [
            {"player": name, "seq": seq, "by": session.events[seq - 1].get("by"), "covers": seq in covering}
            for seq, name in session.signs
        ],
        "disputes": [dispute_view(session, seq) for seq in sorted(session.disputes)],
        "paid": [
            {"from": event["from"], "to": event["to"], "amount": event["amount"], "seq": seq}
            for seq, event in session.paid
        ],
        "outstanding": listed(outstanding),
    }


def dispute_view(session: Session, seq: int) -> dict[str, Any]:
    """A dispute: what is claimed, whether it is open, and how and by whom it was ruled on."""
    event = session.disputes[seq]
    ruled = session.rulings.get(seq)
    view: dict[str, Any] = {
        "seq": seq,
        "hand": session.hand_standing_for(event["of_hand"]) or event["of_hand"],
        "player": event["player"],
        "claim": event["claim"],
        "open": ruled is None,
        "ruling": None,
    }
    if ruled is not None:
        ruling = ruled[1]
        view["ruling"] = {
            "seq": ruled[0],
            "decision": ruling["decision"],
            "reason": ruling["reason"],
            "adjust": ruling.get("adjust", {}),
            "by": session.events[ruled[0] - 1].get("by"),
        }
    return view
