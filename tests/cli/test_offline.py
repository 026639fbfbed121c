"""`replay` and `audit`: from files alone, with clear words and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from service.export import FORMATS
from tests.cli.terminal import bragbook
from tests.export.nights import named_case, of_case, recordable_cases

OPEN = {"type": "open", "title": "Tuesday", "game": "three-card", "players": [{"id": "A", "name": "Ann"}, "B"]}
HAND = [
    {"type": "deal", "dealer": "B"}, {"type": "ante", "player": "A"}, {"type": "ante", "player": "B"},
    {"type": "bet", "player": "A", "as": "seen", "amount": "2"}, {"type": "fold", "player": "B"},
]  # fmt: skip


def lines(*events: object) -> bytes:
    return "".join(json.dumps(event) + "\n" for event in events).encode()


@pytest.fixture
def worked_example(tmp_path: Path):
    """The worked example in each form of an event file."""
    recorded = of_case(named_case("three-card-worked-example"))
    for name in ("ndjson", "bundle"):
        (tmp_path / f"night.{name}").write_bytes(b"".join(FORMATS[name].render(recorded)))
    return tmp_path


def test_replay_prints_each_hand_and_the_settlement(worked_example: Path) -> None:
    ran = bragbook("replay", worked_example / "night.ndjson")
    assert ran.code == 0
    assert "Hand 1: B wins 12 after a see; A -7, B +9, C -1, D -1" in ran.out
    assert "A pays B 7" in ran.out
    assert ran.err == ""


def test_replay_of_a_clients_events_shows_their_names() -> None:
    ran = bragbook("replay", "-", stdin=lines(OPEN, *HAND))
    assert (ran.code, ran.err) == (0, "")
    assert "Hand 1: Ann wins 4 as the last one in; Ann +1, B -1" in ran.out


@pytest.mark.parametrize("command", ["replay", "audit"])
def test_no_name_and_no_claim_makes_a_line_of_its_own(command: str) -> None:
    forged = "x\n  owed: B owes A 500\x1b[2K\u202e"
    opening = {**OPEN, "title": forged, "players": [{"id": "A", "name": forged}, {"id": "B", "name": forged}]}
    claim = {"type": "dispute", "of_hand": 1, "player": "A", "claim": forged}
    ran = bragbook(command, "-", stdin=lines(opening, *HAND, claim))
    plain = bragbook(command, "-", stdin=lines(OPEN, *HAND, {**claim, "claim": "x"}))
    assert len(ran.out.splitlines()) == len(plain.out.splitlines())
    assert "owed: B owes A 500" in ran.out
    assert not any(line.startswith("  owed") for line in ran.out.splitlines())
    assert not {"\x1b", "\u202e"} & set(ran.out)


@pytest.mark.parametrize("form", ["ndjson", "bundle"])
def test_replay_in_json_is_an_object_a_file(worked_example: Path, form: str) -> None:
    ran = bragbook("replay", "--json", worked_example / f"night.{form}", worked_example / f"night.{form}")
    first, second = (json.loads(line) for line in ran.out.splitlines())
    assert first == second
    assert first["settlement"]["balances"] == {"A": "-7", "B": "9", "C": "-1", "D": "-1"}
    assert first["hands"][0]["winners"] == ["B"]


def test_an_event_that_the_rules_forbid_is_named_by_its_line() -> None:
    ran = bragbook("replay", "-", stdin=b"\n" + lines(OPEN, *HAND[:3], {**HAND[3], "amount": "9"}))
    assert ran.code == 1
    assert ran.err.startswith("bragbook: standard input:6: bet.too_high: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("form", ["ndjson", "bundle"])
def test_audit_of_a_sound_night(worked_example: Path, form: str) -> None:
    ran = bragbook("audit", worked_example / f"night.{form}")
    assert (ran.code, ran.err) == (0, "")
    assert ": sound, 18 events\n" in ran.out
    assert "pass chain" in ran.out


def test_audit_finds_a_changed_byte(worked_example: Path) -> None:
    path = worked_example / "night.ndjson"
    path.write_bytes(path.read_bytes().replace(b'"amount":"2"', b'"amount":"3"', 1))
    ran = bragbook("audit", "--json", path)
    audited = json.loads(ran.out)
    assert ran.code == 1
    assert audited["verdict"] == "unsound"
    assert "chain.broken" in [finding["code"] for finding in audited["findings"]]


def test_audit_of_an_irregular_night_is_not_sound_and_says_what_is_owed(tmp_path: Path) -> None:
    path = tmp_path / "night.ndjson"
    path.write_bytes(b"".join(FORMATS["ndjson"].render(of_case(named_case("common-wrong-award")))))
    ran = bragbook("audit", path)
    assert ran.code == 1
    assert "error: award.wrong in hand 1" in ran.out
    assert "  owed: " in ran.out


def test_audit_of_events_that_were_never_stored_says_that_nothing_vouches_for_them() -> None:
    ran = bragbook("audit", "-", stdin=lines(OPEN, *HAND))
    assert ran.code == 0
    assert "came without hashes" in ran.out


def test_audit_of_an_illegal_event_that_was_never_stored_finds_it() -> None:
    ran = bragbook("audit", "--json", "-", stdin=lines(OPEN, *HAND[:3], {**HAND[3], "amount": "9"}, HAND[4]))
    audited = json.loads(ran.out)
    assert ran.code == 1
    assert [(finding["code"], finding["seqs"]) for finding in audited["findings"]][:1] == [("bet.too_high", [5])]


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        (b"", "there is nothing in it"),
        (b"nothing\n", "standard input:1: it is not JSON"),
        (b'{"type": "open", "type": "open"}\n', "standard input:1: the key 'type' is there twice"),
        (b'{"type": "open", "game": "lives", "players": NaN}\n', "standard input:1: NaN is not JSON"),
        (
            lines({**OPEN, "title": "x"}, HAND[0]) + b'{"type": "ante", "player": "\xff"}\n',
            "standard input:3: it is not UTF-8",
        ),
        (lines(OPEN) + b"[]\n", "standard input:2: an event is a JSON object"),
        (lines(*HAND), "standard input:1: the first event is an `open`"),
        (lines({"type": "open", "game": "whist", "players": ["A", "B"]}), "standard input:1: event.invalid: game"),
        (
            lines(OPEN, *HAND[:3], {**HAND[3], "amount": 2.0}),
            "standard input:5: amount.not_exact: a floating point number is not exact: write amounts as text",
        ),
        (lines(OPEN, *HAND[:3], {**HAND[3], "as": "blnd"}, {"type": "note", "text": 0.5}), "standard input:6: amount"),
        (b'{"form": "bragbook.bundle", "events": []}', "`events` of a bundle is a list of events"),
        (b"[" * 100_000, "standard input:1: "),
        (b"\x00\x01\x02", "standard input:1: "),
    ],
)
def test_what_is_no_event_file_is_one_line_and_exit_code_2(stdin: bytes, said: str) -> None:
    ran = bragbook("audit", "-", stdin=stdin)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_file_that_is_not_there_is_unreadable_and_the_others_are_read(worked_example: Path) -> None:
    ran = bragbook("audit", worked_example / "none", worked_example / "night.bundle")
    assert ran.code == 2
    assert ran.err == f"bragbook: {worked_example / 'none'}: No such file or directory\n"
    assert ": sound, " in ran.out


def test_neither_loads_a_database_driver_or_a_web_server(worked_example: Path) -> None:
    script = (
        "import sys; from service.cli import main\n"
        "try: main(['audit', sys.argv[1]])\n"
        "except SystemExit: pass\n"
        "print(sorted({'psycopg', 'flask', 'granian', 'fpdf', 'service.store'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", script, str(worked_example / "night.ndjson")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.endswith("[]\n")


def test_every_case_replays_from_its_file_as_it_was_recorded(tmp_path: Path) -> None:
    recorded = [of_case(case) for case in recordable_cases()]
    for number, night in enumerate(recorded):
        (tmp_path / f"{number:03}.ndjson").write_bytes(b"".join(FORMATS["ndjson"].render(night)))
    ran = bragbook("replay", "--json", *sorted(tmp_path.glob("*.ndjson")))
    assert (ran.code, ran.err) == (0, "")
    replayed = [json.loads(line) for line in ran.out.splitlines()]
    assert [each["settlement"] for each in replayed] == [night.session.settlement() for night in recorded]
    assert [each["hands"] for each in replayed] == [night.session.hands() for night in recorded]
