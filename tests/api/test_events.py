"""POST and GET …/events: recording, once and whole, and reading the log (contract.md §3)."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any

import pytest

from events.vocabulary import BY_NAME
from tests.api.conftest import Caller, Table, open_table, problem
from tests.factories import EventFactory, worked_example

JSON = {"Content-Type": "application/json"}


def send(table: Table, body: bytes, **headers: str) -> Any:
    return table.keeper.ask("POST", f"{table.path}/events", data=body, headers={**JSON, **headers})


# --- what is stored -------------------------------------------------------------------------------------------------


def test_an_event_is_stored_with_its_stamps_and_answered_as_stored(crown: Table) -> None:
    answer = crown.record(EventFactory(type="deal", dealer="D", at="2026-03-03T20:15:00+01:00"))
    assert answer.status_code == 201
    assert answer.headers["ETag"] == '"2"'
    assert answer.json["version"] == 2
    (event,) = answer.json["events"]
    assert event["type"] == "deal"
    assert event["session"] == crown.id
    assert (event["seq"], event["v"], event["hand"]) == (2, 1, 1)
    assert event["at"] == "2026-03-03T19:15:00Z"
    assert event["recorded_at"].endswith("Z")
    assert event["by"] == crown.keeper.get(f"{crown.path}/tokens").json["tokens"][0]["id"]
    assert answer.json["state"] == crown.read()
    assert crown.read("/events?after=1")["events"] == [event]


def test_the_log_is_one_chain_of_hashes(crown: Table) -> None:
    crown.recorded(*worked_example())
    events = crown.read("/events")["events"]
    assert [event["seq"] for event in events] == list(range(1, 14))
    assert events[0]["type"] == "open"
    prev = "0" * 64
    for event in events:
        assert event["prev"] == prev
        prev = event.pop("hash")
        canonical = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        assert hashlib.sha256(canonical).hexdigest() == prev


@pytest.mark.parametrize(("written", "stored"), [(2, "2"), ("2", "2"), ("2.0", "2"), ("2.50", "2.5"), (3, "3")])
def test_amounts_are_stored_in_one_form(crown: Table, written: Any, stored: str) -> None:
    crown.recorded(*worked_example()[:5])
    how = "blind" if stored == "2.5" else "seen"
    bet = EventFactory(type="bet", player="A", amount=written, **{"as": how})
    assert crown.recorded(bet)["events"][0]["amount"] == stored


@pytest.mark.parametrize("written", [b"2.0", b"2e0", b"20E-1", b"0.1", b"1e300"])
def test_a_number_with_a_point_or_an_exponent_is_no_amount(crown: Table, written: bytes) -> None:
    crown.recorded(*worked_example()[:5])
    answer = send(crown, b'{"type": "bet", "player": "A", "as": "seen", "amount": ' + written + b"}")
    problem(answer, "amount.not_exact")
    assert answer.status_code == 422


# --- all or nothing -------------------------------------------------------------------------------------------------


def test_an_array_is_stored_whole(crown: Table) -> None:
    answer = crown.record(*worked_example())
    assert answer.status_code == 201
    assert [event["seq"] for event in answer.json["events"]] == list(range(2, 14))
    assert crown.read("/hands/1")["winners"] == ["B"]


def test_or_not_at_all_and_the_problem_says_which_event_and_rule(crown: Table) -> None:
    events = [*worked_example()[:5], EventFactory(type="bet", player="A", amount="6", **{"as": "seen"})]
    before = crown.read()
    document = problem(crown.record(*events), "bet.too_high")
    assert document["event"] == 5
    assert document["rule"].startswith("rules.md §4")
    assert document["expected"]["max"] == "5"
    assert crown.read() == before
    assert len(crown.read("/events")["events"]) == 1


def test_an_array_may_have_ten_thousand_events_and_no_more(crown: Table) -> None:
    notes = [{"type": "note", "text": "x"}] * 10_001
    document = problem(crown.record(*notes), "too_large")
    assert (document["expected"], document["actual"]) == (10_000, 10_001)
    assert crown.read()["version"] == 1


def test_what_is_long_past_is_corrected_in_one_request(crown: Table) -> None:
    """contract.md §3: a `void` from the mistake on, then the events anew, each with its old `at` and `replaces`."""
    at = "2026-03-03T20:15:00Z"
    night = [EventFactory(type="note", text=f"{number}", at=at) for number in range(1_500)]
    for part in (night[:750], night[750:]):
        crown.recorded(*part)
    void = EventFactory(type="void", seqs=list(range(2, 1_502)), reason="The first note was another's.")
    anew = [{**EventFactory(text=one["text"], at=at), "replaces": seq} for seq, one in enumerate(night, 2)]
    assert crown.recorded(void, *anew)["version"] == 3_002


@pytest.mark.parametrize("body", [b"[]", b"3", b'"deal"', b"null", b"true", b"1.5"])
def test_a_body_that_is_neither_event_nor_array_is_refused(crown: Table, body: bytes) -> None:
    problem(send(crown, body), "request.invalid")


@pytest.mark.parametrize("element", [b"[]", b"3", b'"deal"', b"null", b"true", b"{}"])
def test_an_element_that_is_no_event_is_refused(crown: Table, element: bytes) -> None:
    document = problem(send(crown, b'[{"type": "note", "text": "x"}, ' + element + b"]"), "event.invalid")
    assert document["event"] == 1
    assert crown.read()["version"] == 1


# --- versions -------------------------------------------------------------------------------------------------------


def test_if_match_records_only_at_that_version(crown: Table) -> None:
    assert crown.record(EventFactory(), headers={"If-Match": '"1"'}).status_code == 201
    answer = crown.record(EventFactory(), headers={"If-Match": '"1"'})
    document = problem(answer, "version.conflict")
    assert answer.status_code == 412
    assert document["actual"] == 2
    assert answer.headers["ETag"] == '"2"'
    assert crown.record(EventFactory(), headers={"If-Match": answer.headers["ETag"]}).status_code == 201


def test_what_is_no_event_is_refused_before_the_version_is_looked_at(crown: Table) -> None:
    crown.recorded(*worked_example()[:5])
    bet = b'{"type": "bet", "player": "A", "as": "blind", "amount": 1.5}'
    for body, code in ((b'{"type": "zzz"}', "event.unknown_type"), (bet, "amount.not_exact")):
        problem(send(crown, body, **{"If-Match": '"1"'}), code)


def test_if_match_takes_any_version_where_it_says_so(crown: Table) -> None:
    assert crown.record(EventFactory(), headers={"If-Match": "*"}).status_code == 201


@pytest.mark.parametrize(
    ("tag", "says"),
    [
        *[(tag, "read it anew") for tag in ('"99"', '"0"', '"abc"', 'W/"1"', 'W/"20"', '""', '"99", "abc"')],
        *[(tag, "read on from 1,") for tag in ('"1"', '"1", "99"', '"abc", "1"')],
    ],
)
def test_a_tag_that_does_not_match_says_from_where_to_read(crown: Table, tag: str, says: str) -> None:
    crown.recorded(EventFactory())
    document = problem(crown.record(EventFactory(), headers={"If-Match": tag}), "version.conflict")
    assert "at version 2" in document["detail"]
    assert says in document["detail"]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('W/"2"', 'W/"2"'),
        ('W/"2.0a1b"', 'W/"2.0a1b"'),
        ('"1", W/"2"', [1, 'W/"2"']),
    ],
)
def test_a_weak_tag_of_the_version_says_to_send_the_strong_one(crown: Table, tag: str, expected: object) -> None:
    crown.recorded(EventFactory())
    document = problem(crown.record(EventFactory(), headers={"If-Match": tag}), "version.conflict")
    assert 'send "2", without the W/' in document["detail"]
    assert (document["expected"], document["actual"]) == (expected, 2)
    assert crown.record(EventFactory(), headers={"If-Match": '"2"'}).status_code == 201


@pytest.mark.parametrize(("tag", "expected"), [('"abc"', '"abc"'), ('"0"', '"0"'), ('"1"', 1), ('"9", ""', [9, '""'])])
def test_the_problem_names_the_tags_that_were_given(crown: Table, tag: str, expected: object) -> None:
    crown.recorded(EventFactory())
    document = problem(crown.record(EventFactory(), headers={"If-Match": tag}), "version.conflict")
    assert (document["expected"], document["actual"]) == (expected, 2)


@pytest.mark.parametrize("tags", ['"1", "2"', '"2","1"', ', "abc" ,, "1"', 'W/"2", "1"', '"a,b", "1"'])
def test_of_several_versions_any_may_be_it(crown: Table, tags: str) -> None:
    assert crown.record(EventFactory(), headers={"If-Match": tags}).status_code == 201
    crown.recorded(EventFactory())
    document = problem(crown.record(EventFactory(), headers={"If-Match": tags}), "version.conflict")
    assert document["actual"] == 3
    assert 1 in document["expected"]


@pytest.mark.parametrize("tags", ['"2", "3"', 'W/"1", "2"', '"abc", ""'])
def test_of_several_versions_none_may_be_it(crown: Table, tags: str) -> None:
    problem(crown.record(EventFactory(), headers={"If-Match": tags}), "version.conflict")


@pytest.mark.parametrize("tag", ["1", "abc", '"1', "'1'", '"1" "2"', '"1""2"', '"1", 2', '*, "1"', ",", ""])
def test_what_is_no_tag_is_refused(crown: Table, tag: str) -> None:
    problem(crown.record(EventFactory(), headers={"If-Match": tag}), "request.invalid")


# --- ids ------------------------------------------------------------------------------------------------------------


def test_an_event_sent_again_is_stored_once_and_answered_as_first_stored(crown: Table) -> None:
    event = EventFactory(text="x", id=str(uuid.uuid4()))
    first = crown.record(event)
    crown.recorded(EventFactory())
    again = crown.record(event, headers={"If-Match": '"1"'})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json["events"] == first.json["events"]
    assert again.json["version"] == 3
    assert again.headers["ETag"] == '"3"'


def test_what_is_new_beside_known_ids_is_stored_and_the_order_kept(crown: Table) -> None:
    known = [EventFactory(text=str(n), id=str(uuid.uuid4())) for n in range(2)]
    crown.recorded(*known)
    answer = crown.record(EventFactory(text="new"), known[1], EventFactory(text="newer"), known[0])
    assert answer.status_code == 201
    assert [event["seq"] for event in answer.json["events"]] == [4, 3, 5, 2]


def test_the_same_id_for_something_else_is_refused(crown: Table) -> None:
    name = str(uuid.uuid4())
    crown.recorded(EventFactory(text="x", id=name))
    answer = crown.record(EventFactory(text="y", id=name))
    problem(answer, "id.reused")
    assert answer.status_code == 409
    assert crown.read()["version"] == 2


def test_known_ids_are_answered_when_the_session_is_closed(crown: Table) -> None:
    deal = EventFactory(type="deal", dealer="D", id=str(uuid.uuid4()))
    first = crown.recorded(deal)
    crown.recorded(EventFactory(type="close"))
    again = crown.record(deal)
    assert again.status_code == 200
    assert again.json["events"] == first["events"]


# --- dry runs -------------------------------------------------------------------------------------------------------


def test_a_dry_run_answers_the_same_and_stores_nothing(crown: Table) -> None:
    crown.recorded(*worked_example())
    before = crown.read()
    void = EventFactory(type="void", seqs=list(range(2, 14)), reason="Dealt to the wrong table.")
    tried = crown.record(void, query_string={"dry_run": "true"})
    assert tried.status_code == 201
    assert tried.json["version"] == 14
    assert tried.json["state"]["players"]["B"]["net"] == "0"
    assert tried.json["effects"]
    assert crown.read() == before
    assert "ETag" not in tried.headers
    done = crown.recorded(void)
    assert done["state"] == tried.json["state"]


def test_a_dry_run_of_what_is_known_is_answered_as_first_stored(crown: Table) -> None:
    event = EventFactory(type="deal", dealer="D", id=str(uuid.uuid4()))
    stored = crown.recorded(event)["events"]
    answer = crown.record(event, query_string={"dry_run": "true"})
    assert answer.status_code == 200
    assert answer.json["events"] == stored
    assert answer.json["state"] == crown.read()
    assert answer.json["version"] == 2


def test_a_dry_run_is_refused_as_the_event_would_be(crown: Table) -> None:
    problem(crown.record(EventFactory(type="fold", player="A"), query_string={"dry_run": "true"}), "event.not_now")


@pytest.mark.parametrize("query", ["dry_run=1", "dry_run=yes", "dry_run=", "dry-run=true", "dry_run=true&dry_run=true"])
def test_nothing_is_stored_by_a_misspelt_dry_run(crown: Table, query: str) -> None:
    problem(crown.record(EventFactory(), query_string=query), "request.invalid")
    assert crown.read()["version"] == 1


# --- events that are not well formed --------------------------------------------------------------------------------


def test_an_event_that_nobody_knows_is_refused(crown: Table) -> None:
    problem(crown.record({"type": "shout"}), "event.unknown_type")
    problem(crown.record({"type": "knock", "player": "A"}), "event.not_this_game")
    problem(crown.record({"type": "open"}), "event.invalid")


WRONG: list[Any] = [
    None,
    True,
    7,
    -1,
    1.5,
    "",
    " ",
    "x" * 3000,
    "é",
    [],
    [[]],
    {},
    {"a": "b"},
    [None],
    "2" * 400,
    2**53 - 1,
]


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_field_of_every_type_refuses_every_wrong_kind(club: Caller, name: str) -> None:
    """Each with a problem of contract §7 that changes nothing."""
    event_type = BY_NAME[name]
    game = (
        {"chips": True} if "community" in event_type.games else {"lives": True} if "lives" in event_type.games else {}
    )
    table = open_table(club, **game)
    good: dict[str, Any] = {
        "player": "A", "dealer": "A", "from": "A", "to": "B", "amount": "1", "chips": "1", "card": "Ks", "as": "seen",
        "cards": ["2c", "3c", "4c"], "take": "down", "reason": "x", "text": "x", "claim": "x", "seqs": [1],
        "of_hand": 1, "dispute": 1, "decision": "upheld", "up": "Ks",
    }  # fmt: skip
    fields = [field.name for field in event_type.fields] + ["type", "id", "at", "replaces", "irregular", "unheard_of"]
    stored = 1
    for field in fields:
        for wrong in WRONG:
            event = {"type": name, **{f.name: good[f.name] for f in event_type.fields if f.required and f.name in good}}
            event[field] = wrong
            answer = table.record(event)
            if answer.status_code == 201:
                stored += 1  # a text may be almost anything
                continue
            document = problem(answer, answer.json["code"])
            assert answer.status_code == 422, (field, wrong, document)
    assert table.read()["version"] == stored


# --- reading the log ------------------------------------------------------------------------------------------------


def test_the_log_is_read_a_page_at_a_time(crown: Table) -> None:
    crown.recorded(*worked_example())
    seqs: list[int] = []
    after = 0
    while after is not None:
        page = crown.read(f"/events?after={after}&limit=5")
        assert len(page["events"]) <= 5
        seqs += [event["seq"] for event in page["events"]]
        after = page["next"]
    assert seqs == list(range(1, 14))


def test_there_is_nothing_after_the_last(crown: Table) -> None:
    assert crown.read("/events?after=1") == {"events": [], "next": None}
    assert crown.read("/events?after=9007199254740991") == {"events": [], "next": None}


def test_the_whole_log_comes_as_lines(crown: Table) -> None:
    crown.recorded(*[EventFactory(text=str(n)) for n in range(700)])
    answer = crown.viewer.get(f"{crown.path}/events", headers={"Accept": "application/x-ndjson"})
    assert answer.status_code == 200
    assert answer.content_type == "application/x-ndjson"
    events = [json.loads(line) for line in answer.text.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, 702))
    assert answer.text.endswith("\n")
    assert events[:500] == crown.read("/events")["events"]


def test_lines_can_be_of_a_part(crown: Table) -> None:
    crown.recorded(*worked_example())
    part = crown.viewer.get(f"{crown.path}/events?after=3&limit=2", headers={"Accept": "application/x-ndjson"})
    assert [json.loads(line)["seq"] for line in part.text.splitlines()] == [4, 5]


@pytest.mark.parametrize("accept", ["application/json", "*/*", "", "text/html, */*;q=0.1", "application/json, */*"])
def test_json_is_what_everyone_else_gets(crown: Table, accept: str) -> None:
    answer = crown.viewer.get(f"{crown.path}/events", headers={"Accept": accept})
    assert answer.content_type == "application/json"


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "limit=0", "limit=5001", "limit=", "since=3", "limit=1&limit=2", "after=1.0",
     "after=1_0", "after=+1", "after=%201", "limit=1%0a", "limit=%D9%A1"],
)  # fmt: skip
def test_a_bad_query_is_refused(crown: Table, query: str) -> None:
    problem(crown.viewer.get(f"{crown.path}/events?{query}"), "request.invalid")


# --- bodies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [None, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "json", "a/b/c"],
)
def test_a_body_that_is_not_said_to_be_json_is_refused(crown: Table, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    answer = crown.keeper.ask("POST", f"{crown.path}/events", data=b'{"type": "note", "text": "x"}', headers=headers)
    problem(answer, "media_type")
    assert answer.status_code == 415


@pytest.mark.parametrize("coding", ["gzip", "br", "identity, gzip"])
def test_a_body_that_is_said_to_be_compressed_is_refused(crown: Table, coding: str) -> None:
    problem(send(crown, b'{"type": "note", "text": "x"}', **{"Content-Encoding": coding}), "media_type")
    assert send(crown, b'{"type": "note", "text": "x"}', **{"Content-Encoding": "identity"}).status_code == 201


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON; charset=UTF-8"]
)
def test_a_body_that_is_said_to_be_json_is_read(crown: Table, kind: str) -> None:
    body = b'{"type": "note", "text": "x"}'
    assert (
        crown.keeper.ask("POST", f"{crown.path}/events", data=body, headers={"Content-Type": kind}).status_code == 201
    )


def test_a_body_past_the_limit_is_refused_without_being_kept(crown: Table) -> None:
    for length in (2 * 1024 * 1024 + 1, 20 * 1024 * 1024):
        answer = send(crown, b'{"type": "note", "text": "' + b"x" * length + b'"}')
        document = problem(answer, "too_large")
        assert answer.status_code == 413
        assert document["expected"] == 2 * 1024 * 1024


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"\xff\xfe", b'{"type": "note", "text": "\xff"}', b'{"type": "note", "type": "note", "text": "x"}',
        b'{"type": "note", "text": NaN}', b'{"type": "note", "text": 1e999}', b'{"type": "note", "text": "\\ud800"}',
        b'{"type": "note", "text": "\\u0000"}', b"[" * 5000, b'{"a":' * 5000,
        b'{"type": "void", "seqs": [18446744073709551616]}',
    ],
)  # fmt: skip
def test_what_is_not_json_to_everybody_is_refused(crown: Table, body: bytes) -> None:
    answer = send(crown, body)
    problem(answer, "request.invalid")
    assert answer.status_code == 400
    assert crown.read()["version"] == 1
