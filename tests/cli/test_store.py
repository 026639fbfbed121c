"""The commands that need a store, against a real Postgres."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from service.evidence import Evidence
from service.export import FORMATS
from service.store.database import Database
from tests.cli.terminal import Ran, bragbook
from tests.cli.test_offline import HAND, OPEN, lines
from tests.export.nights import awkward, named_case, of_case


class Terminal:
    """A terminal on the machine of a store."""

    def __init__(self, conninfo: str, folder: Path) -> None:
        self.conninfo = conninfo
        self.folder = folder

    def run(self, *arguments: object, stdin: bytes = b"") -> Ran:
        return bragbook(*arguments, stdin=stdin, DATABASE_URL=self.conninfo)

    def file(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path

    def imported(self, data: bytes, name: str = "night.ndjson") -> dict:
        ran = self.run("import", "--json", self.file(name, data))
        assert (ran.code, ran.err) == (0, "")
        return json.loads(ran.out)

    def execute(self, statement: str, *given: object) -> list[tuple]:
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            cursor = connection.execute(statement, given)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def terminal(fresh_database: str, tmp_path: Path) -> Terminal:
    return Terminal(fresh_database, tmp_path)


def rendered(name: str, night) -> bytes:
    return b"".join(FORMATS[name].render(night))


def test_a_clients_events_become_a_session_and_twice_adds_nothing(terminal: Terminal) -> None:
    first = terminal.imported(lines(OPEN, *HAND))
    assert (first["new"], first["known"]) == (6, 0)
    assert sorted(first["tokens"]) == ["record", "view"]
    again = terminal.imported(lines(OPEN, *HAND), "renamed.ndjson")
    assert (again["session"], again["new"], again["known"], again["tokens"]) == (first["session"], 0, 6, {})
    shorter = terminal.imported(lines(OPEN, *HAND[:3]))
    assert (shorter["session"], shorter["new"]) == (first["session"], 0)
    longer = terminal.imported(lines(OPEN, *HAND, {"type": "note", "text": "the landlord calls time"}))
    assert (longer["session"], longer["new"], longer["known"]) == (first["session"], 1, 6)


@pytest.mark.parametrize("form", ["ndjson", "bundle"])
def test_what_a_store_wrote_comes_back_to_the_byte(terminal: Terminal, form: str) -> None:
    night = awkward()
    imported = terminal.imported(rendered(form, night), f"night.{form}")
    assert imported["session"] == night.session_id
    ran = terminal.run("export", night.session_id, "--format", "ndjson")
    assert ran.out.encode() == rendered("ndjson", night)


def test_names_come_with_a_bundle_and_erased_ones_stay_erased(terminal: Terminal) -> None:
    night = awkward()
    terminal.imported(rendered("bundle", night), "night.json")
    for name in ("csv", "hands.csv", "txt", "hledger", "beancount"):
        assert terminal.run("export", night.session_id, "--format", name).out.encode() == rendered(name, night), name


def test_a_changed_file_is_refused_and_stores_nothing(terminal: Terminal) -> None:
    data = rendered("ndjson", of_case(named_case("three-card-worked-example")))
    path = terminal.file("night.ndjson", data.replace(b'"amount":"2"', b'"amount":"3"', 1))
    ran = terminal.run("import", path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"bragbook: {path}:8: ")
    assert terminal.execute("select count(*) from events") == [(0,)]


def test_an_event_that_the_rules_forbid_is_named_by_its_line(terminal: Terminal) -> None:
    ran = terminal.run("import", terminal.file("night.ndjson", lines(OPEN, *HAND[:3], HAND[0])))
    assert ran.code == 1
    assert "night.ndjson:5: event.not_now: " in ran.err


def test_what_cannot_be_read_is_exit_code_2_and_the_rest_is_imported(terminal: Terminal) -> None:
    ran = terminal.run("import", terminal.folder / "none", terminal.file("night.ndjson", lines(OPEN, *HAND)))
    assert ran.code == 2
    assert "No such file or directory" in ran.err
    assert "6 new, 0 already here" in ran.out


def test_a_sheet_goes_into_a_file(terminal: Terminal) -> None:
    session = terminal.imported(lines(OPEN, *HAND))["session"]
    path = terminal.folder / "night.pdf"
    ran = terminal.run("export", session, "--format", "pdf", "--output", path)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert path.read_bytes().startswith(b"%PDF-")
    ran = terminal.run("export", session, "--format", "pdf", "--output", terminal.folder / "none" / "night.pdf")
    assert (ran.code, ran.err.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("command", "session"),
    [
        (("export", "--format", "txt"), "nonsense"),
        (("token",), "01890a5d-ac96-774b-bcce-000000000000"),
        (("erase", "A"), "nonsense"),
        (("rebuild",), "01890a5d-ac96-774b-bcce-000000000000"),
        (("verify",), "nonsense"),
    ],
)
def test_a_session_that_is_not_there_is_one_line(terminal: Terminal, command: tuple[str, ...], session: str) -> None:
    ran = terminal.run(command[0], session, *command[1:])
    assert ran.code == (2 if command[0] in ("verify", "rebuild") else 1)
    assert (ran.out, ran.err.count("\n")) == ("", 1)
    assert "There is no session" in ran.err


def test_a_new_token_is_one_that_may_record(terminal: Terminal) -> None:
    session = terminal.imported(lines(OPEN, *HAND))["session"]
    assert terminal.run("token", session).out.startswith("bb_record_")
    seat = json.loads(terminal.run("token", session, "--kind", "seat", "--player", "A", "--json").out)
    assert (seat["kind"], seat["player"]) == ("seat", "A")
    assert terminal.execute("select kind, player from tokens where token = %s", seat["id"]) == [("seat", "A")]


def test_a_seat_token_is_for_somebody_who_sits_there(terminal: Terminal) -> None:
    session = terminal.imported(lines(OPEN, *HAND))["session"]
    assert terminal.run("token", session, "--kind", "seat", "--player", "Zed").code == 1
    assert terminal.run("token", session, "--kind", "seat").code == 2
    assert terminal.run("token", session, "--player", "A").code == 2


def test_the_clubs_token_made_anew_is_the_only_good_one(terminal: Terminal) -> None:
    first, second = (terminal.run("token", "--club").out.strip() for _ in range(2))
    assert [token[:8] for token in (first, second)] == ["bb_club_"] * 2
    assert first != second
    made = json.loads(terminal.run("token", "--club", "--json").out)
    assert (made["session"], made["kind"], made["player"]) == (None, "club", None)
    good = terminal.execute("select token from club_tokens where revoked_at is null")
    assert good == [(made["id"],)]
    assert terminal.execute("select count(*) from club_tokens") == [(3,)]
    assert terminal.run("verify").code == 0
    for arguments in (
        (),
        ("--club", "x"),
        ("--club", "--kind", "seat"),
        ("--club", "--kind", "view"),
        ("--club", "--kind", "record"),
        ("--club", "--kind", "seat", "--player", "A"),
    ):
        assert terminal.run("token", *arguments).code == 2
    assert terminal.execute("select token from club_tokens where revoked_at is null") == good


def test_a_user_of_the_service_is_granted_what_it_needs(terminal: Terminal, direct: Callable[[str], str]) -> None:
    user = f"servant_{uuid4().hex}"
    ran = terminal.run("db", "grant", user)
    assert (ran.code, ran.out) == (1, "")
    assert f"createuser --pwprompt {user}" in ran.err
    terminal.execute(f"create role {user} login")  # type: ignore[arg-type]
    try:
        assert terminal.run("db", "grant", user).code == 0
        ran = bragbook("db", "grant", user, DATABASE_URL=make_conninfo(direct(terminal.conninfo), user=user))
        assert (ran.code, ran.err.count("\n"), "owns the tables" in ran.err) == (1, 1, True)
        may = "select has_table_privilege(%s, 'events', %s)"
        assert [terminal.execute(may, user, what)[0][0] for what in ("insert", "update", "delete")] == [
            True, False, False,
        ]  # fmt: skip
    finally:
        terminal.execute(f"drop owned by {user}")  # type: ignore[arg-type]
        terminal.execute(f"drop role {user}")  # type: ignore[arg-type]
    for given in ("", "garbage", "mysql://x/y"):
        for arguments in (("grant", user), ("distribute", "--dry-run")):
            ran = bragbook("db", *arguments, DATABASE_URL=given)
            assert (ran.code, ran.err.count("\n")) == (1, 1)


@pytest.mark.parametrize("arguments", [("db", "grant", "USER"), ("db", "distribute", "--dry-run"), ("token", "--club")])
def test_a_user_without_rights_is_told_whose_to_name(
    terminal: Terminal, direct: Callable[[str], str], arguments: tuple[str, ...]
) -> None:
    user = f"nobody_{uuid4().hex}"
    terminal.execute(f"create role {user} login")  # type: ignore[arg-type]
    try:
        named = [user if argument == "USER" else argument for argument in arguments]
        ran = bragbook(*named, DATABASE_URL=make_conninfo(direct(terminal.conninfo), user=user))
        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert "owner of the tables" in ran.err
        assert "SQLSTATE" not in ran.err
    finally:
        terminal.execute(f"drop role {user}")  # type: ignore[arg-type]


def test_who_owns_the_tables_loses_nothing_by_a_grant(terminal: Terminal) -> None:
    """Migrations need it, and a user who may do all would not be held by it."""
    ((owner,),) = terminal.execute("select tableowner from pg_tables where tablename = 'events'")
    member = f"member_{uuid4().hex}"
    rights = "select relname, relacl::text from pg_class where relkind = 'r' and relname in ('events', 'names')"
    terminal.execute(f'create role {member} login in role "{owner}"')  # type: ignore[arg-type]
    before = terminal.execute(rights)
    try:
        for user in (owner, member):
            ran = terminal.run("db", "grant", user)
            assert (ran.code, ran.out, "for the service alone" in ran.err) == (1, "", True)
        assert terminal.execute(rights) == before
    finally:
        terminal.execute(f"drop role {member}")  # type: ignore[arg-type]


def test_an_erased_name_is_gone_and_the_log_is_as_it_was(terminal: Terminal) -> None:
    session = terminal.imported(lines(OPEN, *HAND))["session"]
    before = terminal.run("export", session, "--format", "ndjson").out
    ran = terminal.run("erase", session, "A")
    assert (ran.code, ran.out) == (0, "A is Player 1 from now on.\n")
    assert terminal.run("export", session, "--format", "ndjson").out == before
    text = terminal.run("export", session, "--format", "txt").out
    assert "Ann" not in text
    assert "Player 1 wins 4" in text
    assert terminal.run("verify").code == 0
    assert terminal.run("erase", session, "Zed").code == 1


def test_a_sound_store_is_verified(terminal: Terminal) -> None:
    terminal.imported(lines(OPEN, *HAND))
    ran = terminal.run("verify")
    assert (ran.code, ran.out) == (0, "All is as it should be: 1 session, 6 events.\n")


def test_a_changed_projection_is_found_and_mended(terminal: Terminal) -> None:
    session = terminal.imported(lines(OPEN, *HAND))["session"]
    terminal.execute("update balances set net_chips = net_chips + 2 where player = 'A'")
    ran = terminal.run("verify", "--json")
    assert ran.code == 1
    found = json.loads(ran.out)
    assert found["session"] == session
    assert "A" in found["faults"][0]
    assert terminal.run("rebuild", session).out == "Rebuilt 1 session from 6 events.\n"
    assert terminal.run("verify", session).code == 0


def test_a_changed_event_is_found(terminal: Terminal) -> None:
    session = terminal.imported(lines(OPEN, *HAND))["session"]
    terminal.execute("alter table events disable trigger user")
    terminal.execute(
        "update events set body = replaced.body, hash = sha256(replaced.body) from (select"
        " convert_to(replace(convert_from(body, 'UTF8'), '\"amount\":\"2\"', '\"amount\":\"3\"'), 'UTF8') as body"
        " from events where session = %s and seq = 5) as replaced where session = %s and seq = 5",
        UUID(session), UUID(session),
    )  # fmt: skip
    ran = terminal.run("verify")
    assert ran.code == 1
    assert session in ran.out
    assert "1 not as it should be, of 1 session" in ran.out


def test_rebuild_makes_everything_again(terminal: Terminal) -> None:
    terminal.imported(lines(OPEN, *HAND))
    for table in ("hand_players", "hands", "balances"):
        terminal.execute(f"delete from {table}")
    assert json.loads(terminal.run("rebuild", "--json").out) == {"sessions": 1, "events": 6}
    assert terminal.run("verify").code == 0
    assert terminal.execute("select count(*) from hands") == [(1,)]


def test_a_database_that_is_not_there_is_one_line_that_hides_the_password() -> None:
    ran = bragbook("verify", DATABASE_URL="postgresql://ann:s3cret@127.0.0.1:1/bragbook")
    assert ran.code == 2
    assert ran.err.startswith("bragbook: The database cannot be used: ")
    assert ran.err.count("\n") == 1
    assert "s3cret" not in ran.err
    ran = bragbook("rebuild", DATABASE_URL="nonsense://x:s3cret@y")
    assert (ran.code, "s3cret" in ran.err, ran.err.count("\n")) == (1, False, 1)


NOT_THERE = "0190a3c4-7c11-7d5a-9c1d-5b8f0c6f8a01"
READING = [
    ("token", "--club"), ("token", NOT_THERE), ("erase", NOT_THERE, "A"), ("export", NOT_THERE, "--format", "txt"),
    ("export", "--from", "2026-11-01", "--format", "txt"), ("rebuild",), ("verify",), ("key",), ("key", "--rotate"),
    ("backup", "FILE"), ("restore",), ("restore", "--accept-rollback"),
]  # fmt: skip


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_where_there_is_no_store_a_command_that_looks_after_one_makes_none(
    empty_database: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    asked = [tmp_path / "file" if argument == "FILE" else argument for argument in arguments]
    missing, empty = tmp_path / "missing", tmp_path / "empty"
    empty.mkdir()
    for ran, named in (
        (bragbook(*asked, "--data", missing, DATABASE_URL=""), str(missing)),
        (bragbook(*asked, "--data", empty, DATABASE_URL=""), str(empty)),
        (bragbook(*asked, DATABASE_URL="", BRAGBOOK_DATA=str(missing)), str(missing)),
        (bragbook(*asked, "--data", empty, DATABASE_URL=empty_database), "DATABASE_URL"),
    ):
        assert (ran.code, ran.out, ran.err.count("\n")) == (2 if "verify" in arguments else 1, "", 1)
        assert named in ran.err
        assert "bragbook serve" in ran.err
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]
    with psycopg.connect(empty_database) as connection:
        assert connection.execute("select count(*) from pg_tables where schemaname = 'public'").fetchone() == (0,)


def test_an_import_makes_a_store_where_there_is_none(empty_database: str, tmp_path: Path) -> None:
    path = tmp_path / "night.ndjson"
    path.write_bytes(lines(OPEN, *HAND))
    assert bragbook("import", path, DATABASE_URL=empty_database).code == 0
    assert bragbook("verify", DATABASE_URL=empty_database).out == "All is as it should be: 1 session, 6 events.\n"


def signed(conninfo: str, folder: Path) -> tuple[str, str]:
    """A session of a store whose service has started once with its data folder, and its key."""
    with psycopg.connect(conninfo) as connection:
        ((session,),) = connection.execute("select distinct session from events").fetchall()
    store = Database(conninfo, largest=2)
    store.open()
    evidence = Evidence(store, folder)
    evidence.keeper.enter_now([session])
    key = evidence.instance.key.public.text()
    evidence.close()
    store.close()
    return str(session), key


@pytest.mark.parametrize("missing", ["mistyped", "empty"])
def test_a_folder_that_was_mistyped_gets_no_key_of_its_own(terminal: Terminal, missing: str) -> None:
    terminal.imported(lines(OPEN, *HAND))
    right, wrong = terminal.folder / "right", terminal.folder / missing
    if missing == "empty":
        wrong.mkdir()
    session, key = signed(terminal.conninfo, right)
    for command in (("key",), ("key", "--rotate"), ("export", session, "--format", "bundle")):
        ran = terminal.run(*command, "--data", wrong)
        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert f"There is no signing key {wrong}" in ran.err
        assert "--data" in ran.err
    assert list(terminal.folder.glob(f"{missing}/*")) == []
    assert wrong.exists() == (missing == "empty")
    assert terminal.run("key", "--data", right).out == key + "\n"
    assert terminal.execute("select count(*) from signing_keys") == [(1,)]


def test_a_key_from_the_environment_makes_no_folder(terminal: Terminal) -> None:
    session = terminal.imported(lines(OPEN, *HAND))["session"]
    key, folder = bragbook("key", "--new").out.strip(), terminal.folder / "mistyped"
    given = {"DATABASE_URL": terminal.conninfo, "BRAGBOOK_SIGNING_KEY": key}
    ran = bragbook("export", session, "--format", "bundle", "--data", folder, **given)
    assert (ran.code, '"log_proof"' in ran.out, folder.exists()) == (0, True, False)


def test_the_first_key_of_a_store_that_was_only_imported_is_made_where_there_is_a_folder(terminal: Terminal) -> None:
    terminal.imported(lines(OPEN, *HAND))
    folder = terminal.folder / "data"
    assert terminal.run("key", "--data", folder).code == 1
    assert not folder.exists()
    folder.mkdir()
    assert terminal.run("key", "--data", folder).code == 0


@pytest.mark.parametrize(
    "arguments",
    [("FILE",), ("FILE", "FILE"), ("FOLDER",), ("--ledger", "FILE"), ("--ledger", "FILE", "--yes")],
    ids=" ".join,
)
def test_an_import_of_what_is_not_there_makes_no_store(
    empty_database: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    places = {"FILE": tmp_path / "none.csv", "FOLDER": tmp_path}
    asked = ["import", *(places.get(argument, argument) for argument in arguments)]
    for ran in (
        bragbook(*asked, "--data", tmp_path / "mistyped", DATABASE_URL=""),
        bragbook(*asked, DATABASE_URL=empty_database),
    ):
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", arguments.count("FILE") or 1)
    assert list(tmp_path.iterdir()) == []
    with psycopg.connect(empty_database) as connection:
        assert connection.execute("select count(*) from pg_tables where schemaname = 'public'").fetchone() == (0,)


def test_a_preview_makes_no_store(empty_database: str, tmp_path: Path) -> None:
    path, missing = tmp_path / "ledger.csv", tmp_path / "mistyped"
    path.write_text("Night,Player,Buy-in,Cash-out\n2026-11-03,Ann,5,0\n2026-11-03,Bob,5,10\n2026-11-03,Cat,5,5\n")
    for more in ((), ("--preview", "--yes")):
        for ran in (
            bragbook("import", "--ledger", path, *more, "--data", missing, DATABASE_URL=""),
            bragbook("import", "--ledger", path, *more, DATABASE_URL=empty_database),
        ):
            assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
            assert "There is no store in " in ran.err
    assert not missing.exists()
    assert bragbook("import", "--ledger", path, "--yes", DATABASE_URL=empty_database).code == 0
    assert bragbook("import", "--ledger", path, DATABASE_URL=empty_database).code == 0


@pytest.mark.parametrize("arguments", [*READING, ("serve",), ("import", "FILE"), ("restore", "FILE")], ids=" ".join)
@pytest.mark.parametrize("given", ["", " "])
def test_a_folder_without_a_name_is_refused(arguments: tuple[str, ...], given: str) -> None:
    ran = bragbook(*arguments, "--data", given)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "'--data': it is empty: name a folder" in ran.err
