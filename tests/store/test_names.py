"""Names beside the log, and the people behind them."""

from __future__ import annotations

import unicodedata
import uuid
from typing import Any
from uuid import UUID

import psycopg
import pytest

from events.refusals import Refused
from service.sessions import Known, Sessions
from service.store.clubs import FIRST_CLUB
from tests.factories import SessionFactory, worked_example

CLUB = str(FIRST_CLUB)
AWKWARD = [
    "J.R.", "Big C (host)", "spa @ ces", "O'Neil \"Doc\"", "Ann, Bob", "♠Max♠", "مريم", '=HYPERLINK("http://x","y")',
    "+44 7700", "  two spaces  ", "x" * 80, "100% %s %(x)s", "\\'; drop table names; --", "👩‍👩‍👧",
]  # fmt: skip


def open_with(sessions: Sessions, *names: str, **more: Any) -> UUID:
    players = [{"id": "ABCDEFGH"[seat], "name": name} for seat, name in enumerate(names)]
    return UUID(sessions.open({"game": "three-card", "players": players}, **more).id)


def shown(sessions: Sessions, session: UUID) -> dict[str, str]:
    return {player: view["name"] for player, view in sessions.state(session)[1]["players"].items()}


@pytest.mark.parametrize("name", AWKWARD)
def test_a_name_is_kept_as_it_was_given(sessions: Sessions, table: UUID, name: str) -> None:
    sessions.name(table, "A", name)
    assert shown(sessions, table)["A"] == name
    session = open_with(sessions, name, "Bob")
    assert shown(sessions, session)["A"] == name
    everything = b"".join(sessions.stream(session))
    assert name.encode() not in everything


def test_one_name_is_written_in_one_way(sessions: Sessions, table: UUID) -> None:
    composed, apart = (unicodedata.normalize(form, "Zoë Ångström") for form in ("NFC", "NFD"))
    assert composed != apart
    assert sessions.name(table, "A", apart) == composed
    assert shown(sessions, open_with(sessions, apart, "Bob"))["A"] == composed


@pytest.mark.parametrize("name", ["", "   ", "x" * 81, "a\x00b", "\ud800", 7, None, ["Ann"]])
def test_what_is_no_name_is_refused(sessions: Sessions, table: UUID, name: Any) -> None:
    with pytest.raises(Refused) as refused:
        sessions.name(table, "A", name)
    assert refused.value.refusal.code == "event.invalid"
    assert shown(sessions, table)["A"] == "Ann"


def test_somebody_about_to_join_can_be_named(sessions: Sessions, table: UUID) -> None:
    sessions.name(table, "E", "Eve")
    assert "E" not in shown(sessions, table)
    sessions.append(table, [{"type": "join", "player": "E"}, {"type": "join", "player": "F"}], "record-test")
    assert shown(sessions, table) == {"A": "Ann", "B": "Bob", "C": "Cat", "D": "Dan", "E": "Eve", "F": "F"}


def test_an_erased_name_is_a_seat_and_the_log_is_as_it_was(
    sessions: Sessions, elsewhere: Sessions, owner: psycopg.Connection, played: UUID
) -> None:
    before = list(sessions.stream(played))
    tag = sessions.state(played)[0]
    sessions.erase_name(played, "C")
    for one in (sessions, elsewhere):
        assert shown(one, played)["C"] == "Player 3"
        assert one.whole(played)[1]["C"] is None
        assert one.append(played, [{"type": "note", "text": "x"}], "r").state["players"]["C"]["name"] == "Player 3"
    assert list(sessions.stream(played))[:13] == before
    assert sessions.verify(played).faults == []
    assert sessions.state(played)[0].split(".")[0] == "15"
    assert tag == "13"
    rows = owner.execute("select name, person from names where session = %s and player = 'C'", (played,)).fetchall()
    assert rows == [(None, None)]
    sessions.name(played, "C", "Cat again")
    assert shown(elsewhere, played)["C"] == "Cat again"


def test_a_page_with_names_is_older_once_one_changes(sessions: Sessions, table: UUID) -> None:
    tags = [sessions.state(table)[0]]
    sessions.name(table, "A", "Anna")
    tags.append(sessions.state(table)[0])
    sessions.erase_name(table, "A")
    tags.append(sessions.state(table)[0])
    assert tags[0] == "1"
    assert len(set(tags)) == 3
    assert {tag.split(".")[0] for tag in tags} == {"1"}


def test_a_page_is_another_one_though_the_clock_jumped_back(
    sessions: Sessions, table: UUID, owner: psycopg.Connection[Any]
) -> None:
    sessions.name(table, "A", "Anna")
    owner.execute("update names set revised_at = now() + interval '1 day' where session = %s", (table,))
    tags = [sessions.state(table)[0]]
    sessions.name(table, "B", "Bobby")
    tags.append(sessions.state(table)[0])
    sessions.erase_name(table, "A")
    tags.append(sessions.state(table)[0])
    assert len(set(tags)) == 3


def test_people_are_remembered_by_their_names(sessions: Sessions) -> None:
    zoe, yan = f"Zoe {uuid.uuid4()}", f"Yan {uuid.uuid4()}"
    first = open_with(sessions, zoe, yan)
    second = open_with(sessions, yan, zoe)
    seats = [sessions._names.people_of(session) for session in (first, second)]
    assert seats[0]["A"] == seats[1]["B"]
    assert seats[0]["B"] == seats[1]["A"]
    assert [person.name for person in sessions.people_of(CLUB) if person.name in (zoe, yan)] == [zoe, yan]


def test_two_people_of_one_name_stay_two(sessions: Sessions) -> None:
    sam = f"Sam {uuid.uuid4()}"
    both = sessions._names.people_of(open_with(sessions, sam, sam))
    assert both["A"] != both["B"]
    assert sessions._names.people_of(open_with(sessions, sam, sam)) == both
    # One of them alone: nobody knows which, until somebody says so.
    alone = open_with(sessions, sam, "Bob")
    assert "A" not in sessions._names.people_of(alone)
    assert sessions.people.seat(FIRST_CLUB, alone, "A", both["B"])
    assert sessions._names.people_of(alone)["A"] == both["B"]
    said = open_with(sessions, sam, "Bob", people={"A": both["A"]})
    assert sessions._names.people_of(said)["A"] == both["A"]


def test_a_player_named_later_is_not_somebody_who_sits_here_already(sessions: Sessions) -> None:
    sam = f"Sam {uuid.uuid4()}"
    session = open_with(sessions, sam, "Bob", "Cat")
    sessions.name(session, "C", sam)
    seats = sessions._names.people_of(session)
    assert seats["A"] != seats["C"]


def test_two_names_that_are_one_person_are_joined_and_taken_apart(sessions: Sessions) -> None:
    ann, annie = f"Ann {uuid.uuid4()}", f"Annie {uuid.uuid4()}"
    nights = [open_with(sessions, ann, "Bob"), open_with(sessions, annie, "Bob")]
    known = {person.name: person.id for person in sessions.people_of(CLUB)}

    def lines() -> dict[str, tuple[int, str]]:
        found = sessions.leaderboard(CLUB, "three-card")
        return {line["name"]: (line["nights"], line["person"]) for line in found if line["name"] in (ann, annie)}

    before = lines()
    assert (before[ann][0], before[annie][0]) == (1, 1)
    assert sessions.people.join(FIRST_CLUB, known[annie], same_as=known[ann])
    assert lines() == {ann: (2, str(known[ann]))}
    assert len(sessions.people.nights(FIRST_CLUB, known[ann])) == 2
    assert shown(sessions, nights[1])["A"] == annie
    assert sessions.people.join(FIRST_CLUB, known[annie], same_as=None)
    assert lines() == before


def test_nobody_is_joined_in_a_circle(sessions: Sessions) -> None:
    session = open_with(sessions, *(f"{name} {uuid.uuid4()}" for name in ("One", "Two", "Three")))
    one, two, three = sessions._names.people_of(session).values()
    join = sessions.people.join
    assert not join(FIRST_CLUB, one, one)
    assert join(FIRST_CLUB, one, two)
    assert not join(FIRST_CLUB, two, one)
    assert not join(FIRST_CLUB, two, three)
    assert not join(FIRST_CLUB, three, one)
    assert not join(FIRST_CLUB, three, uuid.uuid4())


def test_a_person_is_erased_everywhere(sessions: Sessions, owner: psycopg.Connection) -> None:
    name = f"Gone {uuid.uuid4()}"
    nights = [open_with(sessions, "Bob", name), open_with(sessions, name, "Bob")]
    person = sessions._names.people_of(nights[0])["B"]
    assert sessions.people.erase(FIRST_CLUB, person)
    assert shown(sessions, nights[0])["B"] == "Player 2"
    assert shown(sessions, nights[1])["A"] == "Player 1"
    tables = "select string_agg(t::text, ' ') from {} t"
    for table in ("names", "people", "sessions"):
        assert name not in owner.execute(tables.format(table)).fetchall()[0][0]
    assert not sessions.people.erase(FIRST_CLUB, uuid.uuid4())
    assert all(sessions.verify(night).faults == [] for night in nights)


def test_the_leaderboard_adds_up_over_chips_of_other_sizes(sessions: Sessions) -> None:
    names = [f"{name} {uuid.uuid4()}" for name in ("Ann", "Bob", "Cat", "Dan")]
    for chip in ("0.5", "0.25", "1"):
        players = [{"id": "ABCD"[seat], "name": name} for seat, name in enumerate(names)]
        body = {"game": "three-card", "players": players, "unit": {"chip": chip}}
        sessions.append(sessions.open(body).id, [*worked_example(), {"type": "close"}], "record-test")
    board = {line["name"]: line for line in sessions.leaderboard(CLUB) if line["name"] in names}
    assert {name: board[name]["net"] for name in names} == dict(zip(names, ["-21", "27", "-3", "-3"], strict=True))
    bob = board[names[1]]
    assert (bob["nights"], bob["won"], bob["hands"], bob["hands_won"], bob["unit"]) == (3, 3, 3, 3, "pts")
    assert not sessions.leaderboard(CLUB, "three-card", first_night="9999-01-01")
    assert not sessions.leaderboard(str(uuid.uuid4()))


def test_the_list_is_what_the_credential_may_see(sessions: Sessions) -> None:
    other_club = uuid.uuid4()
    stranger = Known("club-x", "club", str(other_club), None, None)
    assert sessions.list(stranger) == {"sessions": [], "next": None}
    theirs = sessions.open(SessionFactory(), stranger)
    assert [one["id"] for one in sessions.list(stranger)["sessions"]] == [theirs.id]
    viewer = sessions.credential(theirs.tokens["view"])
    assert viewer is not None
    assert viewer.club == str(other_club)
    assert [one["id"] for one in sessions.list(viewer)["sessions"]] == [theirs.id]
    mine = [sessions.open(SessionFactory(), stranger).id for _ in range(5)]
    pages, after = [], None
    while True:
        page = sessions.list(stranger, limit=2, after=after)
        pages += [one["id"] for one in page["sessions"]]
        after = page["next"]
        if after is None:
            break
    assert pages == [*reversed(mine), theirs.id]
    sessions.append(theirs.id, [{"type": "note", "text": "x"}], "r")
    assert sessions.list(viewer)["sessions"][0]["version"] == 2
