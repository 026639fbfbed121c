"""What a bundle proves and what not, in words; and that no byte of an event changes unnoticed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest

from events.bundle import BundleError, read_bundle, verify_bundle
from events.heads import Head
from events.log import GENESIS, seal
from events.session import Session
from events.signed_note import NoteError
from service import strict_json
from service.export.documents import bundle, ndjson
from service.export.night import Night
from tests.evidence.signing import ORIGIN, Host, verify
from tests.export.nights import named_case, of_case

DEEPEST = 24


def loads(data: bytes) -> Any:
    return strict_json.parse(data, DEEPEST)


def verified(data: bytes, key: str | None = None, heads: tuple[str, ...] = ()) -> dict[str, Any]:
    return verify_bundle(read_bundle(data, loads), verify, key, heads)


def codes(report: dict[str, Any], which: str) -> list[str]:
    return [one["code"] for one in report[which]]


def places(report: dict[str, Any]) -> list[tuple[str, int | None]]:
    """(code, event) of each fault."""
    return [(fault["code"], fault["event"]) for fault in report["faults"]]


def changed(night: Night, change: Callable[[list[dict[str, Any]]], None]) -> Night:
    """The night with its events changed and the whole chain made anew, as only its keeper can."""
    events = [dict(event) for event in night.events]
    change(events)
    prev = GENESIS
    for seq, event in enumerate(events, 1):
        event.update(seq=seq, prev=prev)
        _, prev = seal(event)
        event["hash"] = prev
    return dataclasses.replace(night, events=events, session=Session.replay(events))


def test_a_pinned_key_proves_the_host_and_the_log(night: Night, host: Host) -> None:
    report = verified(host.bundle(night), host.key.text())
    assert report["sound"]
    assert report["verdict"] == "sound"
    assert codes(report, "proven") == ["chain", "settlement", "signature", "log"]
    assert report["proven"][0]["values"] == {"n": len(night.events), "head": night.events[-1]["hash"]}
    assert codes(report, "not_proven") == ["truth", "names"]


def test_a_file_with_its_own_key_proves_nothing_against_its_host(night: Night, host: Host) -> None:
    report = verified(host.bundle(night))
    assert report["sound"]
    assert codes(report, "proven") == ["chain", "settlement"]
    assert codes(report, "not_proven") == ["host", "log.own_key", "truth", "names"]
    says = next(one["says"] for one in report["not_proven"] if one["code"] == "host")
    assert "a key that it brings along itself" in says
    assert ORIGIN in says


def test_without_signatures_the_file_says_so(night: Night) -> None:
    for data in (b"".join(bundle(night)), b"".join(ndjson(night))):
        report = verified(data)
        assert report["sound"]
        assert codes(report, "not_proven")[:2] == ["unsigned", "unlogged"]


def test_another_hosts_key_is_not_taken(night: Night, host: Host) -> None:
    report = verified(host.bundle(night), Host(2).key.text())
    assert not report["sound"]
    assert codes(report, "faults") == ["signature.wrong", "log_proof.wrong"]
    assert "not signed by the key you gave" in report["faults"][0]["says"]
    with pytest.raises(NoteError, match="NAME"):
        verified(host.bundle(night), "no key")


def test_a_night_made_anew_by_its_host_is_caught_by_a_head(night: Night, host: Host) -> None:
    kept = host.head(list(night.events), 9)

    def cheat(events: list[dict[str, Any]]) -> None:
        events[6]["recorded_at"] = "2026-06-27T23:59:00Z"

    forged = host.bundle(changed(night, cheat))
    assert verified(forged, host.key.text())["sound"], "its keeper can make all of it anew, signatures too"
    report = verified(forged, host.key.text(), (kept,))
    assert codes(report, "faults") == ["given_head.off_log"]
    assert report["faults"][0]["event"] == 9
    assert "This proves it" in report["faults"][0]["says"]


def test_a_night_made_anew_by_somebody_else_is_no_proof_against_the_host(night: Night, host: Host) -> None:
    kept = host.head(list(night.events), 9)

    def cheat(events: list[dict[str, Any]]) -> None:
        events[6]["recorded_at"] = "2026-06-27T23:59:00Z"

    unsigned = b"".join(bundle(changed(night, cheat)))
    report = verified(unsigned, host.key.text(), (kept,))
    assert codes(report, "faults") == ["given_head.off_file"]
    assert "or somebody else changed this file" in report["faults"][0]["says"]
    # with the host's signatures of the real night pasted in, its own signature shows the change
    signed = dataclasses.replace(changed(night, cheat), evidence=host.evidence(list(night.events)))
    report = verified(b"".join(bundle(signed)), host.key.text())
    assert places(report) == [("head.off_log", len(night.events)), ("log_head.off_log", len(night.events))]
    assert codes(report, "proven") == ["chain", "settlement"]


def test_a_head_that_lies_on_the_log(night: Night, host: Host) -> None:
    report = verified(host.bundle(night), host.key.text(), (host.head(list(night.events), 5),))
    assert report["sound"]
    assert "given_head" in codes(report, "proven")


def test_a_log_that_was_cut_short(night: Night, host: Host) -> None:
    kept = host.head(list(night.events))
    short = dataclasses.replace(night, events=night.events[:-1], session=Session.replay(night.events[:-1]))
    report = verified(host.bundle(short), host.key.text(), (kept,))
    assert codes(report, "faults") == ["given_head.beyond"]
    signed = dataclasses.replace(short, evidence=host.evidence(list(night.events)))
    report = verified(b"".join(bundle(signed)), host.key.text())
    assert places(report) == [("head.off_log", None), ("log_head.off_log", None)]


def test_heads_of_other_sessions_and_keys(night: Night, host: Host) -> None:
    other = changed(night, lambda events: [event.update(session="0190a3c4-0000-7000-8000-000000000000")
                                           for event in events][:0])  # fmt: skip
    report = verified(host.bundle(night), host.key.text(), (host.head(list(other.events)),))
    assert codes(report, "faults") == ["given_head.elsewhere"]
    report = verified(host.bundle(night), host.key.text(), (Host(2).head(list(night.events)),))
    assert codes(report, "faults") == ["given_head.unsigned"]
    report = verified(host.bundle(night), host.key.text(), ("no note",))
    assert codes(report, "faults") == ["given_head.unsigned"]


def test_a_new_key_does_not_break_old_proofs(night: Night, host: Host) -> None:
    noted, kept = host.key.text(), host.head(list(night.events), 5)
    host.take_new_key(7)
    host.take_new_key(8)
    for key in (noted, host.key.text()):
        report = verified(host.bundle(night), key, (kept,))
        assert report["sound"]
        assert {"signature", "log", "given_head"} <= set(codes(report, "proven"))
    # a change that only the new key has signed leads nowhere
    host.changes = ["\n".join(line for line in note.split("\n") if not line.startswith("— ") or n % 2)
                    for n, note in enumerate(host.changes)]  # fmt: skip
    assert "signature.wrong" in codes(verified(host.bundle(night), noted), "faults")


def test_the_log_may_be_a_little_behind(night: Night, host: Host) -> None:
    report = verified(host.bundle(night, logged=6), host.key.text())
    assert report["sound"]
    says = next(one["says"] for one in report["proven"] if one["code"] == "log")
    assert "up to event 6" in says


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("settlement", {"version": 1}, "settlement.other"),
        ("rules", {}, "rules.other"),
        ("session", "0190a3c4-0000-7000-8000-000000000000", "session.other"),
        ("head", {"version": 3}, "head.other"),
        ("signed_head", "nonsense", "signature.wrong"),
        ("log_proof", "nonsense", "log_proof.wrong"),
        ("log_head", "nonsense", "log_proof.wrong"),
        ("keys", ["nonsense"], "key.unreadable"),
    ],
)
def test_what_stands_beside_the_events_is_held_against_them(
    night: Night, host: Host, member: str, value: Any, code: str
) -> None:
    members = json.loads(host.bundle(night))
    members[member] = value
    report = verified(json.dumps(members).encode())
    assert not report["sound"]
    assert code in codes(report, "faults")


def test_a_proof_is_of_the_head_beside_it(night: Night, host: Host) -> None:
    members = json.loads(host.bundle(night))
    members["log_head"] = host.head_of(list(night.events), 5).text()
    report = verified(json.dumps(members).encode(), host.key.text())
    assert codes(report, "faults") == ["log_proof.wrong"]
    assert "log" not in codes(report, "proven")


def test_signatures_without_a_key_and_what_is_no_text(night: Night, host: Host) -> None:
    members = json.loads(host.bundle(night))
    report = verified(json.dumps({**members, "keys": []}).encode())
    assert codes(report, "faults") == ["signature.wrong", "log_proof.wrong"]
    assert all("there is no public key to check it with: give one" in fault["says"] for fault in report["faults"])
    report = verified(json.dumps({**members, "signed_head": 3, "log_proof": None, "keys": {}}).encode())
    assert report["faults"] == []
    assert codes(report, "not_proven")[:2] == ["unsigned", "unlogged"]


def test_no_signature_holds_for_events_that_were_changed(night: Night, host: Host) -> None:
    data = host.bundle(night)
    start, _ = spans(data, night)[3]
    members = json.loads(data)
    members["events"][3]["recorded_at"] = "2026-06-27T23:59:00Z"
    for spoilt in (data[: start + 1] + b" " + data[start + 1 :], json.dumps(members).encode()):
        report = verified(spoilt, host.key.text())
        assert places(report) == [("event.changed", 4)]
        assert report["faults"][0]["says"].startswith("Event 4 ")
        assert codes(report, "proven") == ["settlement"]


def test_a_signed_head_is_of_this_session_and_of_its_times(night: Night, host: Host) -> None:
    members = json.loads(host.bundle(night))
    report = verified(
        json.dumps({**members, "signed_head": host.head(list(night.events), 5)}).encode(), host.key.text()
    )
    assert report["faults"] == []
    assert "later" in codes(report, "not_proven")
    session, digest, time = (night.events[4][name] for name in ("session", "hash", "recorded_at"))
    for head, wrong in (
        (Head(ORIGIN, "0190a3c4-0000-7000-8000-000000000000", 5, digest, time), "is another session's"),
        (Head(ORIGIN, session, 5, digest, "2026-06-27T23:59:00Z"), "has another time than event 5 has here"),
        (Head(ORIGIN, session, 5, "0" * 64, time), "is another than event 5 has here"),
    ):
        report = verified(json.dumps({**members, "signed_head": host.sign(head.text())}).encode(), host.key.text())
        assert places(report) == [("head.off_log", 5)]
        assert wrong in report["faults"][0]["says"]


def test_an_unsound_night_is_unsound_however_well_it_is_signed(host: Host) -> None:
    wrong = of_case(named_case("common-wrong-award"))
    report = verified(host.bundle(wrong), host.key.text())
    assert report["verdict"] == "unsound"
    assert not report["sound"]
    assert report["faults"] == []


def spans(data: bytes, night: Night) -> list[tuple[int, int]]:
    """Where each event's bytes stand in the file."""
    found, place = [], 0
    for line in ndjson(night):
        event = line.rstrip(b"\n")
        place = data.index(event, place)
        found.append((place, place + len(event)))
    return found


def first_event_at_fault(data: bytes) -> int | None:
    try:
        report = verify_bundle(read_bundle(data, loads), verify)
    except BundleError as error:
        return error.event
    assert not report["sound"]
    events = [fault["event"] for fault in report["faults"] if fault["event"] is not None]
    return events[0] if events else None


@pytest.mark.parametrize(("first", "flip"), [(0, 0x01), (1, 0x20), (2, 0x80), (3, 0xFF)])
def test_any_byte_of_any_event_that_is_changed_names_its_event(night: Night, host: Host, first: int, flip: int) -> None:
    """Each byte in turn, in one of four ways: every fourth byte in each."""
    for data in (host.bundle(night), b"".join(ndjson(night))):
        for number, (start, end) in enumerate(spans(data, night), 1):
            for place in range(start + first, end, 4):
                spoilt = bytearray(data)
                spoilt[place] ^= flip
                assert first_event_at_fault(bytes(spoilt)) == number, (number, data[start:place][-20:], flip)


def test_events_that_were_left_out_put_in_or_moved(night: Night, host: Host) -> None:
    members = json.loads(host.bundle(night))
    events = members["events"]
    for spoilt, number in (
        (events[:3] + events[4:], 4),
        ([*events[:3], events[2], *events[3:]], 4),
        ([*events[:3], events[4], events[3], *events[5:]], 4),
        (events[1:], 1),
    ):
        data = json.dumps({**members, "events": spoilt}).encode()
        assert first_event_at_fault(data) == number


def test_a_file_that_was_laid_out_anew_is_still_good(night: Night, host: Host) -> None:
    again = json.dumps(json.loads(host.bundle(night)), indent=2, sort_keys=True).encode()
    assert verified(again, host.key.text())["sound"]


@pytest.mark.parametrize("data", [b"", b"[]", b"hello", b"\xff\xfe", b"null"])
def test_what_is_no_bundle(data: bytes) -> None:
    with pytest.raises(BundleError, match="neither a bundle nor a file of events"):
        read_bundle(data, loads)


@pytest.mark.parametrize(
    "events", ["[]", "[3]", "[null, {}]", "[{}, 3]", '[{"type": "open"}]', '[{"type": "fold"}]', "3"]
)
def test_events_of_which_nothing_replays_are_unsound(night: Night, host: Host, events: str) -> None:
    members, kept = json.loads(host.bundle(night)), host.head(list(night.events))
    data = json.dumps({**members, "events": json.loads(events)}).encode()
    report = verified(data, host.key.text(), (kept,))
    assert report["verdict"] == "unsound"
    assert report["faults"] != []


def test_a_bundle_without_events_proves_nothing(night: Night, host: Host) -> None:
    report = verified(json.dumps({**json.loads(host.bundle(night)), "events": []}).encode(), host.key.text())
    assert "event.missing" in codes(report, "faults")
    assert report["proven"] == []


def test_a_bundle_that_is_damaged_beside_its_events(night: Night, host: Host) -> None:
    with pytest.raises(BundleError, match="not in its events") as caught:
        read_bundle(host.bundle(night).replace(b"{", b"{,", 1), loads)
    assert caught.value.event is None


def test_a_bundle_that_is_cut_off_names_the_event(night: Night, host: Host) -> None:
    data = host.bundle(night)
    start, end = spans(data, night)[4]
    with pytest.raises(BundleError) as caught:
        read_bundle(data[: (start + end) // 2], loads)
    assert caught.value.event == 5
    assert str(caught.value).startswith("event 5 is damaged")


@pytest.mark.parametrize("kept", [0, 1, 5, 17])
@pytest.mark.parametrize("behind", [b"", b",", b",\n"])
def test_a_bundle_that_is_cut_off_behind_an_event_says_from_where_on_events_are_missing(
    night: Night, host: Host, kept: int, behind: bytes
) -> None:
    data = host.bundle(night)
    cut = data[: spans(data, night)[kept - 1][1]] + behind if kept else data[: spans(data, night)[0][0]]
    with pytest.raises(BundleError) as caught:
        read_bundle(cut, loads)
    assert (caught.value.event, caught.value.missing) == (kept + 1, True)
    assert str(caught.value).startswith(f"events are missing from number {kept + 1} on")


@pytest.mark.parametrize("behind", [b"", b"\n", b"\n]", b"\n]x\n"])
def test_a_bundle_that_has_all_its_events_and_not_its_end_is_missing_none(
    night: Night, host: Host, behind: bytes
) -> None:
    data = host.bundle(night)
    with pytest.raises(BundleError, match="not in its events") as caught:
        read_bundle(data[: spans(data, night)[-1][1]] + behind, loads)
    assert (caught.value.event, caught.value.missing) == (None, False)


def test_a_night_that_was_only_opened_is_one_event(night: Night, host: Host) -> None:
    opened = dataclasses.replace(night, events=night.events[:1], session=Session.replay(list(night.events[:1])))
    report = verified(host.bundle(opened), host.key.text())
    assert codes(report, "proven") == ["chain", "settlement", "signature", "log"]
    assert report["proven"][0]["values"]["n"] == 1
    assert report["proven"][0]["says"].startswith("The only event fits its hash, ")
