"""hledger and Beancount themselves accept what we write, and come to the balances that the settlement has."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from service.export import FORMATS
from service.export.accounts import player_of
from service.export.journal import Journal
from service.export.night import Night
from tests.export.nights import awkward, named_case, night, of_case, recordable_cases

HLEDGER = shutil.which("hledger")
BEAN_CHECK = shutil.which("bean-check") or shutil.which("bean-check", path=str(Path(sys.executable).parent))

with_hledger = pytest.mark.skipif(HLEDGER is None, reason="hledger is not installed (Debian: apt-get install hledger)")
with_beancount = pytest.mark.skipif(BEAN_CHECK is None, reason="bean-check is not installed (pip install beancount)")

EVERY_NIGHT = [pytest.param(case, id=case["name"]) for case in recordable_cases()]


def written(night: Night, name: str, folder: Path) -> Path:
    path = folder / f"night.{FORMATS[name].extension}"
    path.write_bytes(b"".join(FORMATS[name].render(night)))
    return path


def owed(night: Night) -> dict[str, Decimal]:
    """Player -> the settlement's balance less what was paid, by the plainest arithmetic there is."""
    settled = night.session.settlement()
    standing = {player: Decimal(settled["balances"].get(player, "0")) for player in night.seats}
    for payment in settled["paid"]:
        standing[payment["from"]] += Decimal(payment["amount"])
        standing[payment["to"]] -= Decimal(payment["amount"])
    return standing


def summed(book: Journal) -> dict[str, Decimal]:
    """Player -> all that was posted to their account in money."""
    balances = dict.fromkeys(book.night.seats, Decimal(0))
    for entry in book.entries:
        for posting in entry.postings:
            player = player_of(posting.account)
            if player is not None and posting.commodity == book.money:
                balances[player] += Decimal(posting.amount)
    return balances


def hledger_balances(path: Path, commodity: str) -> dict[str, Decimal]:
    command = [
        str(HLEDGER),
        "-f",
        str(path),
        "balance",
        "--flat",
        "--empty",
        "--no-total",
        "-O",
        "csv",
        f"cur:{commodity}",
    ]
    rows = csv.DictReader(io.StringIO(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    found = {}
    for row in rows:
        player = player_of(row["account"])
        if player is not None:
            found[player] = Decimal(re.sub(r'["A-Z -]*\Z', "", row["balance"]) or "0")
    return found


@with_hledger
@pytest.mark.parametrize("case", EVERY_NIGHT)
def test_hledger_accepts_every_night_and_its_balances_are_the_settlement(case: dict, tmp_path: Path) -> None:
    recorded = of_case(case)
    path = written(recorded, "hledger", tmp_path)
    checked = subprocess.run([str(HLEDGER), "-f", str(path), "check", "--strict"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    balances = hledger_balances(path, Journal(recorded).money)
    assert {player: balances.get(player, Decimal(0)) for player in recorded.seats} == owed(recorded)


@with_hledger
def test_hledger_reports_with_as_many_decimals_as_the_chips_have(tmp_path: Path) -> None:
    """Half points as half points, and what they are worth to the penny."""
    opening = {"game": "three-card", "players": ["A", "B"], "unit": {"worth": "0.1", "currency": "GBP"}}
    played = [{"type": "deal", "dealer": "B"}, *({"type": "ante", "player": one} for one in "AB")]
    played += [{"type": "bet", "player": "A", "as": "seen", "amount": "1"}, {"type": "fold", "player": "B"}]
    path = written(night(opening, [*played, {"type": "close"}]), "hledger", tmp_path)
    assert 'commodity 1000.0 "PTS"' in path.read_text(encoding="utf-8")
    for asked, said in (([], ("-1.0 PTS", " 1.0 PTS")), (["--value", "now,GBP"], ("-0.10 GBP", " 0.10 GBP"))):
        command = [str(HLEDGER), "-f", str(path), "balance", "--flat", "--no-total", *asked, "P-"]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert all(one in shown for one in said), shown


@pytest.mark.parametrize("case", EVERY_NIGHT)
def test_beancount_accepts_every_night(case: dict, tmp_path: Path) -> None:
    """In this process, as bean-check does it in its own."""
    loader = pytest.importorskip("beancount.loader", reason="Beancount is not installed (pip install beancount)")
    entries, errors, _ = loader.load_file(str(written(of_case(case), "beancount", tmp_path)))
    assert errors == []
    assert entries


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "2026-12-31T23:59:60Z"])
@pytest.mark.parametrize("opens_then", [True, False])
def test_a_night_at_the_end_of_all_days_is_a_ledger_too(tmp_path: Path, at: str, opens_then: bool) -> None:
    """As a phone may have it whose clock is wrong."""
    loader = pytest.importorskip("beancount.loader", reason="Beancount is not installed (pip install beancount)")
    played = [{"type": "deal", "dealer": "B"}, *({"type": "ante", "player": one} for one in "AB")]
    played += [{"type": "bet", "player": "A", "as": "seen", "amount": "1"}, {"type": "fold", "player": "B", "at": at}]
    recorded = night({"game": "three-card", "players": ["A", "B"]}, played)
    if opens_then:
        recorded.events[0]["at"] = at
    _, errors, _ = loader.load_file(str(written(recorded, "beancount", tmp_path)))
    assert errors == []
    assert Journal(recorded).entries[0].postings != []


@pytest.mark.parametrize("case", EVERY_NIGHT)
def test_every_entry_makes_zero_in_every_commodity(case: dict) -> None:
    for entry in Journal(of_case(case)).entries:
        for commodity in {posting.commodity for posting in entry.postings}:
            amounts = [Decimal(posting.amount) for posting in entry.postings if posting.commodity == commodity]
            assert sum(amounts) == 0, entry


@pytest.mark.parametrize("case", EVERY_NIGHT)
def test_the_final_balances_are_the_settlement(case: dict) -> None:
    recorded = of_case(case)
    book = Journal(recorded)
    assert {player: Decimal(balance) for player, balance in book.final_balances().items()} == owed(recorded)
    assert summed(book) == owed(recorded)


@with_beancount
def test_bean_check_accepts_a_night_and_finds_a_changed_amount(tmp_path: Path) -> None:
    path = written(of_case(named_case("three-card-worked-example")), "beancount", tmp_path)
    assert subprocess.run([str(BEAN_CHECK), "--no-cache", str(path)], check=False).returncode == 0
    path.write_text(path.read_text(encoding="utf-8").replace("-7 PTS", "-6 PTS", 1), encoding="utf-8")
    assert subprocess.run([str(BEAN_CHECK), "--no-cache", str(path)], check=False).returncode == 1


@with_hledger
@with_beancount
def test_awkward_names_pass_both_programs_and_stand_there_as_they_are(tmp_path: Path) -> None:
    recorded = awkward()
    journal, ledger = written(recorded, "hledger", tmp_path), written(recorded, "beancount", tmp_path)
    subprocess.run([str(HLEDGER), "-f", str(journal), "check", "--strict"], check=True)
    subprocess.run([str(BEAN_CHECK), "--no-cache", str(ledger)], check=True)
    assert '; name: "Big C (host)"' in journal.read_text(encoding="utf-8")
    assert 'name: "O\'Neil \\"Doc\\""' in ledger.read_text(encoding="utf-8")
    assert "+44 7700" not in journal.read_text(encoding="utf-8") + ledger.read_text(encoding="utf-8")
    assert "Player-11" in ledger.read_text(encoding="utf-8")


def test_a_purchase_recorded_for_the_wrong_player_stands_there_with_its_reversal() -> None:
    recorded = night(
        {"game": "community", "players": ["A", "B", "C"], "rules": {"bank": "chips"}},
        [
            {"type": "buy", "player": "A", "chips": "20"},
            {"type": "void", "seqs": [2], "reason": "it was really B"},
            {"type": "buy", "player": "B", "chips": "20", "replaces": 2},
        ],
    )
    words = [entry.words for entry in Journal(recorded).entries]
    assert words == [
        "Chips bought: A",
        "Struck out: event 2 (it was really B)",
        "Chips bought: B",
        "The chips are turned into money",
    ]
    assert Journal(recorded).final_balances() == {"A": "0", "B": "0", "C": "0"}


def test_the_worked_example_to_the_letter() -> None:
    text = b"".join(FORMATS["hledger"].render(of_case(named_case("three-card-worked-example")))).decode()
    assert (
        "2026-06-27 * Hand 1\n    ; events 2 to 17, 2026-06-27T23:27:00Z\n"
        '    Equity:Brag:P-A:A  -7 "PTS"  ; "A"\n'
        '    Equity:Brag:P-B:B  9 "PTS"  ; "B"\n'
        '    Equity:Brag:P-C:C  -1 "PTS"  ; "C"\n'
        '    Equity:Brag:P-D:D  -1 "PTS"  ; "D"\n'
    ) in text


@pytest.mark.parametrize("case", EVERY_NIGHT)
def test_payments_clear_the_ledger_and_one_taken_back_owes_just_that(case: dict) -> None:
    recorded = of_case(case)
    payments = recorded.session.settlement()["payments"]
    if recorded.session.table.hand is not None or not payments:
        assert summed(Journal(recorded)) == owed(recorded)
        return
    events = [{"event": {"type": "pay", **payment}} for payment in payments]
    paid = of_case({**case, "steps": [*case["steps"], *events]})
    assert set(Journal(paid).final_balances().values()) == {"0"}
    void = {"event": {"type": "void", "seqs": [paid.session.version], "reason": "not handed over after all"}}
    owing = Journal(of_case({**case, "steps": [*case["steps"], *events, void]}))
    last = payments[-1]
    expected = {**dict.fromkeys(paid.seats, "0"), last["from"]: "-" + last["amount"], last["to"]: last["amount"]}
    assert owing.final_balances() == expected
    assert summed(owing) == {player: Decimal(amount) for player, amount in expected.items()}
