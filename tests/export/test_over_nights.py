"""Several nights in one file: the rows of each as they are by themselves, and one account for one person."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pypdf
import pytest

from events.session import open_session
from service.export import FORMATS
from service.export.cells import read
from service.export.night import Night, Person
from service.export.span import Span
from tests.export.nights import stored

HLEDGER = shutil.which("hledger")
BEAN_CHECK = shutil.which("bean-check") or shutil.which("bean-check", path=str(Path(sys.executable).parent))

ANN = Person("01890a5d-ac96-774b-bcce-00000000000a", "Ann")
SAM = Person("01890a5d-ac96-774b-bcce-00000000000b", "Sam")
OTHER_SAM = Person("01890a5d-ac96-774b-bcce-00000000000c", "Sam")
GONE = Person("01890a5d-ac96-774b-bcce-00000000000d", None)
POINTS = {"name": "pts", "worth": "0.05", "currency": "GBP"}
CHIPS = {"name": "chips", "chip": "1", "coin": "0.01", "currency": "GBP"}


def played(number: int, day: str, body: dict, raws: list[dict], people: dict[str, Person | None]) -> Night:
    """A night of people who sit down in this order, under ids that differ from night to night."""
    players = list(people)
    opening, names = open_session({**body, "players": [{"id": player, "name": player[:-1]} for player in players]})
    session_id = f"01890a5d-ac96-774b-bcce-{number:012x}"
    raws = [{"at": f"{day}T21:{at:02}:00Z", **raw} for at, raw in enumerate(raws)]
    events = stored({**opening, "at": f"{day}T20:00:00Z"}, raws, session_id)
    called = {player: None if people[player] == GONE else name for player, name in names.items()}
    sitting = {player: person for player, person in people.items() if person is not None}
    return replace(Night.of(session_id, events, called), people=sitting)


def points(number: int, day: str, winner: int, people: dict[str, Person | None], unit: dict = POINTS) -> Night:
    """One hand of three-card Brag: everybody antes 1, the winner is the last one in."""
    players = list(people)
    dealer = players[winner - 1]
    order = [players[(winner + step) % len(players)] for step in range(len(players))]
    raws = [{"type": "deal", "dealer": dealer}, *({"type": "ante", "player": player} for player in order)]
    raws += [{"type": "bet", "player": players[winner], "as": "seen", "amount": "2"}]
    raws += [{"type": "fold", "player": player} for player in order[1:]]
    return played(number, day, {"game": "three-card", "unit": unit}, raws, people)


def chips(number: int, day: str, people: dict[str, Person | None]) -> Night:
    """Everybody buys 20, and the first takes 5 from the second; a payment of it follows three days later."""
    first, second, *others = people
    raws = [{"type": "buy", "player": player, "chips": "20"} for player in people]
    raws += [{"type": "count", "chips": {first: "25", second: "15", **dict.fromkeys(others, "20")}}, {"type": "close"}]
    pay = {"type": "pay", "from": second, "to": first, "amount": "2", "at": f"{day[:8]}{int(day[8:]) + 3:02}T12:00:00Z"}
    return played(number, day, {"game": "community", "unit": CHIPS, "rules": {"bank": "chips"}}, [*raws, pay], people)


@pytest.fixture
def november() -> list[Night]:
    return [
        points(1, "2026-11-03", 1, {"Ann1": ANN, "Sam1": SAM, "Zed1": GONE}),
        chips(2, "2026-11-05", {"Sam2": OTHER_SAM, "Ann2": ANN, "New2": None}),
        points(3, "2026-11-06", 0, {"Annie3": ANN, "Sam3": OTHER_SAM, "New3": None}),
        points(4, "2026-11-10", 1, {"Ann4": ANN, "Sam4": SAM}, {**POINTS, "worth": "0.1"}),
        points(5, "2026-11-10", 1, {"Ann5": ANN, "Zed5": GONE}, {"name": "£"}),
        points(6, "2026-11-11", 1, {"Ann6": ANN, "Sam6": SAM}, {"name": "€"}),
    ]


def rendered(name: str, nights: list[Night]) -> bytes:
    render = FORMATS[name].render_span
    assert render is not None
    return b"".join(render(Span("2026-11-01", "2026-11-30", iter(nights))))


@pytest.mark.parametrize("name", ["csv", "hands.csv"])
def test_the_rows_are_those_of_each_night_and_say_who_it_was(november: list[Night], name: str) -> None:
    head, *rows = read(rendered(name, november))
    assert head[-1] == "person"
    alone = [read(b"".join(FORMATS[name].render(night))) for night in november]
    assert [row[:-1] for row in rows] == [row for table in alone for row in table[1:]]
    assert head[:-1] == alone[0][0]
    who = {row[-1] for row in rows if row[head.index("name")] == "Sam"}
    assert who == {SAM.id, OTHER_SAM.id}


def test_the_lines_are_those_of_each_night(november: list[Night]) -> None:
    assert rendered("ndjson", november) == b"".join(b"".join(FORMATS["ndjson"].render(night)) for night in november)


def test_json_adds_up_people_by_what_was_played_for(november: list[Night]) -> None:
    document = json.loads(rendered("json", november))
    assert (document["from"], document["to"]) == ("2026-11-01", "2026-11-30")
    assert [night["night_of"] for night in document["nights"]] == [night.night_of for night in november]
    assert document["nights"][0]["people"] == {"Ann1": ANN.id, "Sam1": SAM.id, "Zed1": GONE.id}
    single = json.loads(b"".join(FORMATS["json"].render(november[0])))
    assert {name: document["nights"][0][name] for name in single} == single
    came_to = {(one["person"], one["unit"], one["worth"]): (one["net"], one["nights"]) for one in document["people"]}
    assert came_to[ANN.id, "pts", "0.05"] == ("1", 2)
    assert came_to[ANN.id, "pts", "0.1"] == ("-1", 1)
    assert came_to[ANN.id, "GBP", None] == ("-5", 1)
    assert came_to[SAM.id, "pts", "0.05"] == ("2", 1)
    assert [one["name"] for one in document["people"] if one["person"] is None] == ["New", "New"]
    for unit in {(one["unit"], one["worth"]) for one in document["people"]}:
        assert sum(Decimal(one["net"]) for one in document["people"] if (one["unit"], one["worth"]) == unit) == 0


def test_the_histories_follow_each_other(november: list[Night]) -> None:
    text = rendered("txt", november).decode()
    for night in november:
        assert b"".join(FORMATS["txt"].render(night)).decode() in text
    assert "The nights of 2026-11-01 to 2026-11-30\n" in text
    assert "Ann                                                 1 pts of 0.05 GBP, 2 nights" in text


def test_a_sheet_a_night_in_one_file(november: list[Night]) -> None:
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(rendered("pdf", november))).pages]
    assert len(pages) == len(november)
    for page, night in zip(pages, november, strict=True):
        assert night.head["hash"] in page
        assert "sheet 1" in page


@pytest.mark.skipif(HLEDGER is None, reason="hledger is not installed (Debian: apt-get install hledger)")
def test_hledger_accepts_the_nights_and_has_one_account_for_one_person(november: list[Night], tmp_path: Path) -> None:
    path = tmp_path / "nights.journal"
    path.write_bytes(rendered("hledger", november))
    subprocess.run([str(HLEDGER), "-f", str(path), "check", "--strict"], check=True)
    command = [str(HLEDGER), "-f", str(path), "balance", "--flat", "--layout=bare", "--no-total", "-O", "csv", "P-"]
    table = csv.DictReader(io.StringIO(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    balances = {(row["account"], row["commodity"]): Decimal(row["balance"]) for row in table}
    ann = "Equity:Brag:P-00000000000a:Ann"
    assert balances[ann, "PTS"] == 1
    assert balances[ann, "PTS-2"] == -1
    assert balances[ann, "GBP"] == -3
    assert balances[ann, "POINTS"] == balances[ann, "POINTS-2"] == -1
    assert balances["Equity:Brag:P-00000000000c:Sam", "GBP"] == 3
    assert len({account for account, _ in balances if ":Sam" in account}) == 2
    assert {account for account, _ in balances if "P-00000000000d" in account} == {
        "Equity:Brag:P-00000000000d:Player-3"
    }
    declared = [line.split(";")[0] for line in path.read_text("utf-8").splitlines() if line.startswith("account ")]
    assert len(declared) == len(set(declared))
    assert len([line for line in declared if ":New" in line]) == 2
    path.write_text(path.read_text("utf-8").replace('= -3 "GBP"', '= -4 "GBP"', 1), "utf-8")
    assert subprocess.run([str(HLEDGER), "-f", str(path), "check"], check=False, capture_output=True).returncode != 0


@pytest.mark.skipif(BEAN_CHECK is None, reason="bean-check is not installed (pip install beancount)")
def test_bean_check_accepts_the_nights(november: list[Night], tmp_path: Path) -> None:
    path = tmp_path / "nights.beancount"
    path.write_bytes(rendered("beancount", november))
    subprocess.run([str(BEAN_CHECK), "--no-cache", str(path)], check=True)
    text = path.read_text("utf-8")
    assert text.count('option "title"') == 1
    assert text.count("open Equity:Brag:P-00000000000a:Ann") == 1
    assert f'  player: "{ANN.id}"' in text
    path.write_text(text.replace(":Ann  -3 GBP", ":Ann  -4 GBP", 1), "utf-8")
    assert subprocess.run([str(BEAN_CHECK), "--no-cache", str(path)], check=False, capture_output=True).returncode == 1


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.render_span is not None])
def test_no_night_at_all_is_a_file_too(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"none.{FORMATS[name].extension}"
    path.write_bytes(rendered(name, []))
    if name == "hledger" and HLEDGER:
        subprocess.run([HLEDGER, "-f", str(path), "check", "--strict"], check=True)
    if name == "beancount" and BEAN_CHECK:
        subprocess.run([BEAN_CHECK, "--no-cache", str(path)], check=True)


def test_a_bundle_is_of_one_night() -> None:
    assert [name for name, form in FORMATS.items() if form.render_span is None] == ["bundle"]
