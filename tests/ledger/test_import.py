"""`bragbook import --ledger`: shown first, stored when that is said, twice without doubling."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_store import Terminal

LEDGER = """\
Date,Name,Buy-in (£),Cash-out,Notes
2026-11-03,Asha,20,35.50,won the last one
2026-11-03,Ben,20,4.5,
2026-11-03,Cal,10,10,
2026-11-10,Asha,20,0,
2026-11-10,Ben,20,40,
2026-11-10,Cal,10,10,
"""

SPANISH = (
    "\ufeffNoche;Jugador;Compra;Salida\r\n3.11.2026;Ana;1.000,50;0\r\n3.11.2026;Luz;0;1.000,50\r\n3.11.2026;Sol;5;5\r\n"
)
FRENCH = (
    "Soirée\tJoueur\tCave\tSortie\n2026-11-03\tAna\t1 000,50\t0\n2026-11-03\tLuz\t0\t1 000,50\n2026-11-03\tSol\t5\t5\n"
)
ENGLISH = """Our game,,,

player,cash out total,BUY IN,game night
Ana,0,1000.50,3 Nov 2026
Luz,"1,000.50",0,3 Nov 2026
Sol,5,5,3rd November 2026
"""

Ledger = Callable[..., dict[str, Any]]


@pytest.fixture
def terminal(fresh_database: str, tmp_path: Path) -> Terminal:
    return Terminal(fresh_database, tmp_path)


@pytest.fixture
def ledger(terminal: Terminal) -> Ledger:
    """Runs the import of a ledger; what it reports, with the exit code as `code`."""

    def run(text: str | bytes, *arguments: str) -> dict[str, Any]:
        path = terminal.file("ledger.csv", text if isinstance(text, bytes) else text.encode())
        ran = terminal.run("import", "--ledger", path, "--currency", "gbp", "--json", *arguments)
        assert ran.err == ""
        return {**json.loads(ran.out), "code": ran.code}

    return run


def balances(terminal: Terminal, session: str) -> dict[str, str]:
    document = json.loads(terminal.run("export", session, "--format", "json").out)
    return {document["names"][player]: amount for player, amount in document["settlement"]["balances"].items()}


def stored(terminal: Terminal) -> int:
    return terminal.execute("select count(distinct session) from events")[0][0]


@pytest.mark.parametrize("arguments", [(), ("--preview",), ("--preview", "--yes")])
def test_a_ledger_is_shown_and_nothing_is_stored(
    terminal: Terminal, ledger: Ledger, arguments: tuple[str, ...]
) -> None:
    shown = ledger(LEDGER, *arguments)
    assert (shown["code"], shown["stored"], stored(terminal)) == (0, False, 0)
    assert shown["columns"] == {"night": "Date", "player": "Name", "buy-in": "Buy-in (£)", "cash-out": "Cash-out"}
    assert shown["unused"] == ["Notes"]
    assert [(night["night"], night["standing"], len(night["players"])) for night in shown["nights"]] == [
        ("2026-11-03", "new", 3), ("2026-11-10", "new", 3),
    ]  # fmt: skip
    assert {player["club"] for player in shown["nights"][0]["players"]} == {"new"}
    assert terminal.execute("select count(*) from people") == [(0,)]


def test_the_preview_is_for_people_to_read(terminal: Terminal) -> None:
    text = (
        LEDGER + '2026-11-17,Ben,10,5,\n2026-11-17,Dee,10,10,\n2026-11-17,Cal,0,0,\n2026-11-24,"Asha,Ben,Cal",30,30,\n'
    )
    ran = terminal.run("import", "--ledger", terminal.file("a.csv", text.encode()), "--currency", "GBP")
    assert ran.code == 1
    assert "Not used: 'Notes'\n" in ran.out
    assert "New to the club: 'Asha' (line 2), 'Ben' (line 3), 'Cal' (line 4), 'Dee' (line 9)\n" in ran.out
    assert "  Asha                           bought        20  took      35.5  net      15.5\n" in ran.out
    assert "2026-11-17, 3 players: NOT TAKEN: 20 was bought and 15 taken: 5 is missing; --as-it-stands" in ran.out
    assert "line 11: the player 'Asha,Ben,Cal' is a list, and not a person" in ran.out
    assert ran.out.endswith("Nothing is stored. --yes stores 2 new nights.\n")


def test_what_is_stored_has_the_balances_of_the_ledger(terminal: Terminal, ledger: Ledger) -> None:
    done = ledger(LEDGER, "--yes", "--title", "The Crown")
    assert (done["code"], [night["standing"] for night in done["nights"]]) == (0, ["stored", "stored"])
    first, second = (night["session"] for night in done["nights"])
    assert balances(terminal, first) == {"Asha": "15.5", "Ben": "-15.5", "Cal": "0"}
    assert balances(terminal, second) == {"Asha": "-20", "Ben": "20", "Cal": "0"}
    document = json.loads(terminal.run("export", first, "--format", "json").out)
    assert (document["title"], document["night_of"]) == ("The Crown (imported from a ledger)", "2026-11-03")
    assert document["settlement"]["winners"] is not None
    assert terminal.run("verify").code == 0
    assert terminal.execute("select name from people order by name") == [("Asha",), ("Ben",), ("Cal",)]
    for form in ("txt", "hledger", "beancount", "pdf", "csv"):
        assert (
            terminal.run("export", "--from", "2026-11-01", "--format", form, "--output", terminal.folder / form).code
            == 0
        )


def test_twice_adds_nothing_whatever_the_file_is_called_and_however_its_rows_lie(
    terminal: Terminal, ledger: Ledger
) -> None:
    first = ledger(LEDGER, "--yes")
    events = terminal.execute("select count(*) from events")
    heading, *rows = LEDGER.splitlines()
    again = ledger("\n".join([heading, *reversed(rows)]), "--yes")
    assert (again["code"], [night["standing"] for night in again["nights"]]) == (0, ["here", "here"])
    assert [night["session"] for night in again["nights"]] == [night["session"] for night in first["nights"]]
    shorter = ledger("\n".join([heading, *rows[:3]]), "--yes")
    assert [night["standing"] for night in shorter["nights"]] == ["here"]
    longer = ledger(LEDGER + "2026-11-17,Ben,5,5,\n2026-11-17,Cal,5,5,\n2026-11-17,Asha,5,5,\n", "--yes")
    assert [night["standing"] for night in longer["nights"]] == ["here", "here", "stored"]
    assert {player["club"] for player in longer["nights"][0]["players"]} == {"matched"}
    assert terminal.execute("select count(*) from people") == [(3,)]
    assert stored(terminal) == 3
    assert terminal.execute("select count(*) from events") > events


def test_a_night_that_is_there_with_other_amounts_is_not_taken_twice(terminal: Terminal, ledger: Ledger) -> None:
    first = ledger(LEDGER, "--yes")
    changed = ledger(LEDGER.replace("2026-11-10,Ben,20,40", "2026-11-10,Ben,10,30"), "--yes")
    assert (changed["code"], [night["standing"] for night in changed["nights"]]) == (1, ["here", "differs"])
    assert changed["nights"][1]["session"] == first["nights"][1]["session"]
    assert stored(terminal) == 2
    other_table = ledger(LEDGER, "--yes", "--title", "The Anchor")
    assert [night["standing"] for night in other_table["nights"]] == ["stored", "stored"]


def test_a_night_that_does_not_add_up_is_refused_or_kept_as_it_stands(terminal: Terminal, ledger: Ledger) -> None:
    text = "night;player;in;out\n2026-11-03;Asha;20;35\n2026-11-03;Ben;20;0\n2026-11-03;Cal;0;0\n"
    refused = ledger(text, "--yes")
    assert (refused["code"], refused["nights"][0]["standing"], refused["nights"][0]["gap"]) == (1, "refused", "-5")
    assert "40 was bought and 35 taken: 5 is missing" in refused["nights"][0]["why"]
    assert stored(terminal) == 0
    kept = ledger(text, "--yes", "--as-it-stands")
    assert (kept["code"], kept["nights"][0]["standing"]) == (0, "stored")
    session = kept["nights"][0]["session"]
    assert balances(terminal, session) == {"Asha": "0", "Ben": "0", "Cal": "0"}
    path = terminal.folder / "night.ndjson"
    terminal.run("export", session, "--format", "ndjson", "--output", path)
    counts = [event for event in map(json.loads, path.read_text().splitlines()) if event["type"] == "count"]
    assert [(count["chips"], count["irregular"]) for count in counts] == [
        ({"P1": "35", "P2": "0", "P3": "0"}, "40 was bought and 35 taken: 5 is missing")
    ]
    audited = json.loads(terminal.run("audit", "--json", path).out)
    assert "count.gap" in [finding["code"] for finding in audited["findings"]]


def test_a_row_that_is_not_understood_keeps_its_night_out_and_no_other(terminal: Terminal, ledger: Ledger) -> None:
    text = LEDGER + "2026-11-10,Dee,a lot,20,\nsometime,Dee,5,5,\n"
    done = ledger(text, "--yes", "--as-it-stands")
    assert [(night["night"], night["standing"]) for night in done["nights"]] == [
        ("2026-11-03", "stored"), ("2026-11-10", "refused"),
    ]  # fmt: skip
    assert [fault["line"] for fault in done["not_understood"]] == [8, 9]
    assert done["code"] == 1
    assert stored(terminal) == 1


def test_a_list_in_a_cell_is_never_a_person(terminal: Terminal, ledger: Ledger) -> None:
    text = 'night,player,in,out\n2026-11-03,"Asha,Ben,Cal",30,30\n2026-11-03,Dee,5,5\n'
    assert ledger(text, "--yes", "--as-it-stands")["not_understood"][0]["line"] == 2
    assert terminal.execute("select count(*) from people") == [(0,)]
    named = 'night,player,in,out\n2026-11-03,"Ann, Bob",30,25\n2026-11-03,Dee,5,10\n2026-11-03,Ed,1,1\n'
    assert ledger(named, "--yes", "--person", "Ann, Bob")["nights"][0]["standing"] == "stored"
    later = named.replace("2026-11-03", "2026-11-10")
    assert [one["club"] for one in ledger(later)["nights"][0]["players"]] == ["matched"] * 3


def test_names_are_matched_to_the_clubs_people_however_they_are_typed(terminal: Terminal, ledger: Ledger) -> None:
    ledger("night,player,in,out\n2026-11-03,José Núñez,5,5\n2026-11-03,Ben,5,5\n2026-11-03,Cal,5,5\n", "--yes")
    done = ledger("night,player,in,out\n2026-11-10,jose  nunez,5,6\n2026-11-10,BEN,5,4\n2026-11-10,Cal ,5,5\n", "--yes")
    assert [(one["name"], one["club"]) for one in done["nights"][0]["players"]] == [
        ("Ben", "matched"), ("Cal", "matched"), ("José Núñez", "matched"),
    ]  # fmt: skip
    assert terminal.execute("select count(*) from people") == [(3,)]
    assert len(set(terminal.execute("select person from names where name = 'Ben'"))) == 1


def test_one_who_turned_out_to_be_another_is_not_made_anew(terminal: Terminal, ledger: Ledger) -> None:
    ledger("night,player,in,out\n2026-11-03,Eli,5,5\n2026-11-03,Elias,5,5\n2026-11-03,Gus,5,5\n", "--yes")
    terminal.execute("update people set same_as = (select person from people where name = 'Eli') where name = 'Elias'")
    ledger("night,player,in,out\n2026-11-10,Elias,5,6\n2026-11-10,Fay,5,4\n2026-11-10,Gus,5,5\n", "--yes")
    assert terminal.execute("select count(*) from people where name = 'Elias'") == [(1,)]


def test_two_of_one_name_are_left_open(terminal: Terminal, ledger: Ledger) -> None:
    body = {"type": "open", "game": "lives", "players": [{"id": "A", "name": "Sam"}, {"id": "B", "name": "Sam"}, "C"]}
    terminal.imported(json.dumps(body).encode())
    done = ledger("night,player,in,out\n2026-11-03,Sam,5,6\n2026-11-03,Fay,5,4\n2026-11-03,Gus,5,5\n", "--yes")
    assert [(one["name"], one["club"]) for one in done["nights"][0]["players"]] == [
        ("Fay", "new"),
        ("Gus", "new"),
        ("Sam", "several"),
    ]
    assert terminal.execute(
        "select person from names where session = %s and name = 'Sam'", done["nights"][0]["session"]
    ) == [(None,)]
    assert terminal.execute("select count(*) from people where name = 'Sam'") == [(2,)]


def test_rows_of_one_player_on_one_night_are_purchases_of_theirs(terminal: Terminal, ledger: Ledger) -> None:
    text = "night,player,in,out\n2026-11-03,Asha,20,0\n2026-11-03,Asha,20,60\n2026-11-03,Ben,20,0\n2026-11-03,Cal,0,0\n"
    done = ledger(text, "--yes")
    assert done["nights"][0]["players"][0]["lines"] == [2, 3]
    assert balances(terminal, done["nights"][0]["session"]) == {"Asha": "20", "Ben": "-20", "Cal": "0"}


@pytest.mark.parametrize(
    "data",
    [
        SPANISH.encode(),
        FRENCH.encode("utf-16"),
        ENGLISH.encode(),
    ],
)
def test_headings_separators_and_decimals_are_taken_as_people_have_them(
    terminal: Terminal, ledger: Ledger, data: bytes
) -> None:
    done = ledger(data, "--yes")
    assert (done["code"], done["nights"][0]["night"]) == (0, "2026-11-03")
    assert balances(terminal, done["nights"][0]["session"]) == {"Ana": "-1000.5", "Luz": "1000.5", "Sol": "0"}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "there is nothing in it"),
        (b"night,player\n2026-11-03,Ann\n", "no column is buy-in, cash-out; the columns are 'night', 'player'"),
        (b"PK\x03\x04\x00\x00", "it is no text"),
        (b"night,player,in,out\n2026-11-03,Andr\xe9,1,1\n", "it is not UTF-8"),
        (b"night,player,in,out\n25/11/2026,A,1,1\n11/25/2026,A,1,1\n", "some dates have the day first"),
    ],
)
def test_what_is_no_ledger_is_one_line(terminal: Terminal, data: bytes, says: str) -> None:
    ran = terminal.run("import", "--ledger", terminal.file("a.csv", data))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert says in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--yes",), "need --ledger"),
        ((), "name a file"),
        (("night.ndjson", "--ledger", "a.csv"), "and no others with it"),
        (("--ledger", "a.csv", "--currency", "XQZ"), "not a currency"),
        (("--ledger", "/none/a.csv"), "No such file"),
    ],
)
def test_a_wrong_question_is_one_line(terminal: Terminal, arguments: tuple[str, ...], says: str) -> None:
    ran = terminal.run("import", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert says in ran.err


@pytest.mark.parametrize(("count", "standing"), [(2, "refused"), (3, "stored"), (16, "stored"), (17, "refused")])
def test_as_many_sit_down_as_the_game_can_have(ledger: Ledger, count: int, standing: str) -> None:
    rows = "".join(f"2026-11-03,Player {number},5,5\n" for number in range(count))
    night = ledger("night,player,in,out\n" + rows, "--yes")["nights"][0]
    assert night["standing"] == standing
    assert (night["why"] is None) == (standing == "stored")
