"""`ndjson`, `json` and `bundle`: the night for a program."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from events.bundle import FORM
from events.log import canonical
from service.export.night import Night, StoredEvent
from service.export.span import Span, Totals

FORM_VERSION = 1


def ndjson(night: Night) -> Iterable[bytes]:
    """The events as stored, a line each."""
    for event in night.events:
        yield _line(event) + b"\n"


def ndjson_over_nights(span: Span) -> Iterable[bytes]:
    """The events of one night after another; each begins with its `open`."""
    for night in span.nights:
        yield from ndjson(night)


def _line(event: StoredEvent) -> bytes:
    """A stored event as it is everywhere on the wire: what was hashed, to the byte, and its hash behind it."""
    hashed = canonical({name: event[name] for name in event if name != "hash"})
    return hashed[:-1] + b',"hash":"' + str(event["hash"]).encode() + b'"}'


def report(night: Night) -> Iterable[bytes]:
    """`json`: the settlement and the hands, with what is needed to read them."""
    yield json.dumps(_report(night), ensure_ascii=False, indent=2).encode() + b"\n"


def report_over_nights(span: Span) -> Iterable[bytes]:
    """`json` over nights: `nights`, each as it is by itself and with its people; `people`, with what they came to."""
    bounds = {"from": span.first or None, "to": span.last or None}
    yield json.dumps(bounds).encode()[:-1] + b', "nights": ['
    totals, between = Totals(), b"\n"
    for night in span.nights:
        totals.add(night)
        people = {player: person.id for player, person in night.people.items() if player in night.seats}
        yield between + json.dumps({**_report(night), "people": people}, ensure_ascii=False).encode()
        between = b",\n"
    lines = [
        {
            "person": total.person, "name": total.name, "unit": total.unit, "worth": total.worth or None,
            "currency": total.currency or None, "net": total.net_text(), "nights": total.nights,
        }
        for total in totals.all()
    ]  # fmt: skip
    yield b'\n], "people": ' + json.dumps(lines, ensure_ascii=False).encode() + b"}\n"


def _report(night: Night) -> dict[str, Any]:
    return {
        "session": night.session_id,
        "title": night.title or None,
        "night_of": night.night_of,
        "game": night.game,
        "version": night.head["seq"],
        "head": night.head["hash"],
        "unit": night.opening["unit"],
        "rules": night.opening["rules"],
        "seats": night.seats,
        "names": night.shown_names(),
        "settlement": night.session.settlement(),
        "hands": night.session.hands(),
    }


def bundle(night: Night) -> Iterable[bytes]:
    """`bundle`: one JSON object with everything that an audit needs, away from the service that kept the night."""
    yield b"".join(_bundle(night))


def _bundle(night: Night) -> Iterator[bytes]:
    head = {"session": night.session_id, "version": night.head["seq"], "hash": night.head["hash"]}
    members: dict[str, Any] = {
        "form": FORM,
        "v": FORM_VERSION,
        "session": night.session_id,
        "names": {player: night.names[player] for player in night.seats if night.names.get(player) is not None},
        "erased": [player for player in night.seats if player in night.names and night.names[player] is None],
        "rules": night.opening["rules"],
        "settlement": night.session.settlement(),
        "head": head,
        **night.evidence,
    }
    yield b"{"
    for name, value in members.items():
        yield json.dumps(name).encode() + b":" + json.dumps(value, ensure_ascii=False).encode() + b",\n"
    yield b'"events":[\n'
    yield b",\n".join(_line(event) for event in night.events)
    yield b"\n]}\n"
