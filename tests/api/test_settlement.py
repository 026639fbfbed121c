"""GET …/settlement and …/audit: who owes whom, and whether it is right (contract.md §4, §5)."""

from __future__ import annotations

from tests.api.conftest import Table
from tests.factories import EventFactory, worked_example


def test_the_settlement_clears_every_balance(crown: Table) -> None:
    crown.recorded(*worked_example())
    settled = crown.read("/settlement")
    assert settled["version"] == 13
    assert settled["balances"] == {"A": "-7", "B": "9", "C": "-1", "D": "-1"}
    assert (settled["sum"], settled["in_play"]) == ("0", "0")
    assert (
        settled["payments"]
        == settled["outstanding"]
        == [
            {"from": "A", "to": "B", "amount": "7"},
            {"from": "C", "to": "B", "amount": "1"},
            {"from": "D", "to": "B", "amount": "1"},
        ]
    )
    assert settled["lives"] is None


def test_what_was_paid_is_no_longer_outstanding(crown: Table) -> None:
    crown.recorded(*worked_example(), {"type": "pay", "from": "A", "to": "B", "amount": "7"})
    settled = crown.read("/settlement")
    assert settled["paid"] == [{"from": "A", "to": "B", "amount": "7", "seq": 14}]
    assert [payment["from"] for payment in settled["outstanding"]] == ["C", "D"]


def test_a_seat_signs_for_itself(crown: Table) -> None:
    crown.recorded(*worked_example())
    seat = crown.seat("A")
    signed = seat.post(f"{crown.path}/events", EventFactory(type="sign", player="A"))
    assert signed.status_code == 201
    assert signed.json["events"][0]["by"].startswith("seat-")
    assert crown.read("/settlement")["signed"] == ["A"]


def test_it_says_who_signed_and_who_ruled(crown: Table) -> None:
    """A signature by the recorder is shown as recorded for them (contract.md §2)."""
    crown.recorded(*worked_example())
    crown.seat("A").post(f"{crown.path}/events", EventFactory(type="sign", player="A"))
    crown.recorded(EventFactory(type="sign", player="B"))
    crown.recorded(EventFactory(type="dispute", of_hand=1, player="C", claim="Short by one."))
    crown.recorded(EventFactory(type="rule", dispute=16, decision="rejected", reason="It was there."))
    settled = crown.read("/settlement")
    assert [signature["by"].split("-")[0] for signature in settled["signatures"]] == ["seat", "record"]
    assert settled["disputes"][0]["ruling"]["by"].startswith("record-")


def test_a_sound_night_is_audited_as_one(crown: Table) -> None:
    crown.recorded(*worked_example())
    audited = crown.read("/audit")
    assert (audited["version"], audited["verdict"]) == (13, "sound")
    assert [check["check"] for check in audited["checks"]] == [
        "chain", "rules", "pot", "award", "zero_sum", "cards", "lives", "projection", "settlement",
    ]  # fmt: skip
    assert audited["findings"] == audited["owed"] == []
    assert audited["hands"] == crown.read("/hands")["hands"]


def test_a_wrong_award_is_found_and_who_is_owed_what(crown: Table) -> None:
    crown.recorded(*worked_example(), EventFactory(type="settle", awards={"A": "12"}, irregular="B let it be."))
    audited = crown.read("/audit")
    assert audited["verdict"] == "unsound"
    finding = next(finding for finding in audited["findings"] if finding["code"] == "award.wrong")
    assert finding["severity"] == "error"
    assert finding["rule"].startswith("rules.md")
    assert audited["owed"] == [{"from": "A", "to": "B", "amount": "12"}]
    one = crown.read("/hands/1/audit")
    assert one["verdict"] == "unsound"


def test_an_audit_is_never_answered_from_a_cache(crown: Table) -> None:
    """What is stored beside the events could have been changed with no new version."""
    answer = crown.viewer.get(f"{crown.path}/audit")
    assert "ETag" not in answer.headers
    assert answer.headers["Cache-Control"] == "no-store"
