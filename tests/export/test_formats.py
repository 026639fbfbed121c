"""What holds for every format: true names, erased ones gone, times with their offset, one label a night."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pypdf
import pytest

from service.export import FORMATS
from service.export.cells import read
from service.night_label import night_of
from tests.export.nights import AWKWARD_NAMES, awkward, named_case, night, of_case

READABLE = [name for name in FORMATS if name != "pdf"]
CONTRACT = ("ndjson", "bundle", "csv", "hands.csv", "json", "txt", "hledger", "beancount", "pdf")


def rendered(name: str, recorded=None) -> bytes:
    return b"".join(FORMATS[name].render(recorded or awkward()))


def test_every_format_of_the_contract_is_there_and_no_other() -> None:
    assert sorted(FORMATS) == sorted(CONTRACT)


@pytest.mark.parametrize("name", READABLE)
def test_an_erased_name_is_nowhere_and_the_seat_stands_for_it(name: str) -> None:
    text = rendered(name).decode()
    assert AWKWARD_NAMES["t"] not in text
    if name not in ("ndjson", "bundle"):
        assert "Player 11" in text or "Player-11" in text


def test_an_erased_name_is_not_on_the_sheet_either() -> None:
    text = pypdf.PdfReader(io.BytesIO(rendered("pdf"))).pages[0].extract_text()
    assert "Player 11" in text
    assert "7700" not in text


@pytest.mark.parametrize("name", ["json", "bundle", "csv", "hands.csv"])
def test_names_survive_to_the_letter(name: str) -> None:
    data = rendered(name)
    if name.endswith("csv"):
        rows = read(data)
        found = {row[rows[0].index("player")]: row[rows[0].index("name")] for row in rows[1:]}
    else:
        found = json.loads(data)["names"]
    expected = {player: text for player, text in AWKWARD_NAMES.items() if player != "t"}
    assert {player: text for player, text in found.items() if player != "t"} == expected


@pytest.mark.parametrize("name", ["csv", "hands.csv"])
def test_no_text_cell_runs_and_every_amount_is_a_number(name: str) -> None:
    text = rendered(name).decode("utf-8-sig")
    assert "'=HYPERLINK" in text
    assert "'-Dee" in text
    assert "'@sum" in text
    assert ",-1," in text
    assert "'-1" not in text
    assert "\r\n" in text


def test_a_csv_begins_with_a_byte_order_mark() -> None:
    assert rendered("csv").startswith(b"\xef\xbb\xbf")


def test_two_of_one_name_are_told_apart() -> None:
    assert "Sam (sam1)" in rendered("txt").decode()
    assert "Sam (sam2)" in rendered("txt").decode()


FORGED = "Ann\n  B pays A 500\u2028\x1b[2K\u202e"


def test_no_name_title_or_claim_makes_a_line_of_the_history() -> None:
    body = {"game": "three-card", "title": FORGED, "players": ["A", "B"]}
    raws = [{"type": "deal", "dealer": "B"}, {"type": "dispute", "of_hand": 1, "player": "B", "claim": FORGED}]
    forged, honest = (rendered("txt", night(body, raws, {"A": name})).decode().splitlines() for name in (FORGED, "Ann"))
    assert len(forged) == len(honest)
    assert not any(line.startswith("  B pays") for line in forged)
    assert not {"\x1b", "\u202e"} & set("".join(forged))


@pytest.mark.parametrize(
    ("at", "label"),
    [
        ("2026-06-27T23:10:00Z", "2026-06-27"),  # ten past midnight on the 28th in London
        ("2026-06-28T00:10:00Z", "2026-06-27"),
        ("2026-06-28T06:00:00Z", "2026-06-28"),
        ("2026-10-24T22:40:00Z", "2026-10-24"),
        ("2026-01-01T00:00:00Z", "2025-12-31"),
        ("0001-01-01T00:00:00Z", "0001-01-01"),
    ],
)
def test_the_night_of_is_one_label(at: str, label: str) -> None:
    assert night_of({"at": at, "recorded_at": "2026-12-01T12:00:00Z"}) == label


def test_the_label_is_the_same_in_every_format() -> None:
    recorded = awkward()
    for name in ("csv", "hands.csv", "json", "txt", "hledger", "beancount"):
        assert recorded.night_of in rendered(name, recorded).decode(), name


def test_times_carry_their_offset() -> None:
    text = rendered("txt").decode()
    assert "2026-06-27 23:10:00 UTC" in text
    assert "2026-06-27T23:10:00Z" in rendered("hands.csv").decode()


def test_ndjson_is_the_events_as_they_are_stored() -> None:
    recorded = of_case(named_case("three-card-worked-example"))
    lines = rendered("ndjson", recorded).splitlines()
    assert [json.loads(line) for line in lines] == list(recorded.events)


def test_a_bundle_holds_all_that_an_audit_needs() -> None:
    recorded = of_case(named_case("common-void"))
    bundle = json.loads(rendered("bundle", recorded))
    assert bundle["events"] == list(recorded.events)
    assert bundle["settlement"] == recorded.session.settlement()
    assert bundle["rules"] == recorded.opening["rules"]
    assert bundle["head"] == {
        "session": recorded.session_id, "version": len(recorded.events), "hash": recorded.head["hash"],
    }  # fmt: skip


def test_the_history_tells_a_struck_event_and_what_struck_it() -> None:
    text = rendered("txt", of_case(named_case("common-void-reopens"))).decode()
    assert "10  [struck out by 11] D folds\n" in text
    assert "11  Struck out: event 10 (D had paid two)" in text


def test_the_history_says_the_pot_after_every_action() -> None:
    text = rendered("txt", of_case(named_case("three-card-worked-example"))).decode()
    lines = [line.split() for line in text.splitlines() if "  pot " in line]
    assert [line[-1] for line in lines] == ["1", "2", "3", "4", "4", "6", "6", "8", "8", "8", "8", "8", "12", "12"]
    assert "= B wins 12 after a see" in text
    assert "A pays B 7" in text


def test_a_payment_made_is_paid_in_every_paper() -> None:
    case = named_case("three-card-worked-example")
    case["steps"].append({"event": {"type": "pay", "from": "A", "to": "B", "amount": "7"}})
    recorded = of_case(case)
    rows = [row[:1] + row[5:6] + row[7:8] + row[9:10] for row in read(rendered("csv", recorded))[1:]]
    assert ["paid", "A", "B", "7"] in rows
    assert ["outstanding", "A", "B", "7"] not in rows
    assert ["outstanding", "C", "B", "1"] in rows
    assert '    Equity:Brag:P-A:A  0 "PTS" = 0 "PTS"' in rendered("hledger", recorded).decode()
    assert "balance Equity:Brag:P-B:B  2 PTS" in rendered("beancount", recorded).decode()
    assert "Still to pay:\n  C pays B 1" in rendered("txt", recorded).decode()


def test_a_file_name_says_which_night_and_names_nobody() -> None:
    assert FORMATS["pdf"].file_name(awkward()) == "bragbook-2026-06-27-b302099a8057.pdf"


def test_a_session_without_a_hand_can_be_put_on_every_paper() -> None:
    recorded = night({"game": "lives", "players": ["A", "B", "C"]}, [])
    for name in FORMATS:
        assert rendered(name, recorded), name


def test_docs_describe_every_format() -> None:
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    missing = [name for name in FORMATS if f"\n| `{name}` | " not in text]
    assert missing == []


def test_a_disputed_hand_struck_and_recorded_anew_in_one_request_can_be_put_on_every_paper() -> None:
    """The void fits only together with the deal that stands for the struck one, which keeps the dispute."""
    hand = [
        {"type": "deal", "dealer": "B"}, {"type": "ante", "player": "A"}, {"type": "ante", "player": "B"},
        {"type": "bet", "player": "A", "as": "seen", "amount": "2"}, {"type": "fold", "player": "B"},
    ]  # fmt: skip
    raws = [
        *hand,
        {"type": "dispute", "of_hand": 1, "player": "B", "claim": "I never folded"},
        {"type": "rule", "dispute": 7, "decision": "upheld", "reason": "so it was"},
        {"type": "void", "seqs": [2, 3, 4, 5, 6], "reason": "the wrong dealer"},
        {"type": "deal", "dealer": "A", "replaces": 2},
    ]
    recorded = night({"game": "three-card", "players": ["A", "B"]}, raws)
    for name in FORMATS:
        assert rendered(name, recorded), name
    assert "[stands for event 2]" in rendered("txt", recorded).decode()
