"""Signed heads with every append, and the log of heads that follows them."""

from __future__ import annotations

import base64
import dataclasses
import json
import threading
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from events import merkle
from events.bundle import read_bundle, verify_bundle
from events.checkpoint import Checkpoint, parse_checkpoint, parse_proof
from events.heads import Head, parse_head
from events.signed_note import Key, open_note, parse_key
from service import strict_json
from service.app import close_app, create_app
from service.evidence import Evidence
from service.server_settings import ServerSettings
from service.signing import key_file, verify
from tests.api.conftest import Caller, Table, open_table, problem
from tests.api.serving import PATIENCE_SECONDS, eventually

LOG = "/api/v1/log"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def settings(database: str, data: Path) -> ServerSettings:
    return ServerSettings(database_url=database, pool_size=4, log_level="error", data=data)


@pytest.fixture
def keys(stranger: Caller) -> list[Key]:
    return [parse_key(text) for text in stranger.get(LOG).json["keys"]]


def head_in(note: str, keys: list[Key]) -> Head:
    return parse_head(open_note(note, keys, verify).text)


def latest(stranger: Caller, keys: list[Key], at_least: int = 1) -> Checkpoint:
    """The last checkpoint, waited for until the log has at least so many heads."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        found = stranger.get(f"{LOG}/checkpoint")
        if found.status_code == 200:
            state = parse_checkpoint(open_note(found.text, keys, verify).text)
            if state.size >= at_least:
                return state
        time.sleep(0.05)
    raise AssertionError("the log does not follow")


def test_every_append_is_answered_with_a_signed_head(crown: Table, keys: list[Key]) -> None:
    answer = crown.recorded({"type": "deal", "dealer": "D"})
    head = head_in(answer["head"], keys)
    event = answer["events"][-1]
    assert (head.session, head.version, head.hash) == (crown.id, 2, event["hash"])
    assert head.time == event["recorded_at"]
    batch = crown.recorded({"type": "ante", "player": "A"}, {"type": "ante", "player": "B"})
    assert head_in(batch["head"], keys).version == 4


def test_what_was_known_is_answered_with_the_head_as_it_stands(crown: Table) -> None:
    event = {"type": "note", "text": "hello", "id": "0190a3c4-7c11-4d5a-9c1d-5b8f0c6f8a01"}
    first = crown.recorded(event)
    again = crown.record(event)
    assert again.status_code == 200
    assert again.json["head"] == first["head"], "one head has one text, and one signature"


def test_a_dry_run_promises_nothing(crown: Table) -> None:
    answer = crown.record({"type": "note", "text": "hello"}, query_string={"dry_run": "true"})
    assert answer.status_code == 201
    assert "head" not in answer.json


def test_the_log_follows_and_proves_that_it_has_the_head(crown: Table, stranger: Caller, keys: list[Key]) -> None:
    crown.recorded({"type": "note", "text": "one"})
    answer = crown.read("/head")
    head = head_in(answer["head"], keys)
    assert head.version == answer["version"] == 2
    assert answer["log_head"] == head.text()
    proof = parse_proof(answer["log_proof"])
    state = parse_checkpoint(open_note(proof.checkpoint, keys, verify).text)
    leaf = merkle.leaf_hash(answer["log_head"].encode())
    merkle.verify_inclusion(proof.index, state.size, leaf, proof.hashes, state.root)
    assert latest(stranger, keys).size >= state.size


def test_heads_are_entered_behind_the_appends_without_being_asked_for(
    crown: Table, stranger: Caller, keys: list[Key]
) -> None:
    before = stranger.get(LOG).json["size"]
    crown.recorded({"type": "note", "text": "one"})
    assert latest(stranger, keys, before + 1).size > before


def has(evidence: Evidence, session: str, version: int) -> bool:
    """Whether the log has the head of this version."""
    leaf = evidence.leaf(UUID(session), version)
    return leaf is not None and leaf.version == version


@pytest.fixture
def follows(app: Flask, crown: Table) -> Evidence:
    """Who enters heads into the log, once the look for what was left at the start is over."""
    evidence: Evidence = app.extensions["bragbook"].evidence
    for version in (2, 3):  # the first perhaps by that look, the second after it
        crown.recorded({"type": "note", "text": "is it over?"})
        eventually(lambda version=version: has(evidence, crown.id, version))
    return evidence


def test_the_head_of_an_opening_is_entered_as_well(follows: Evidence, club: Caller) -> None:
    opened = open_table(club)
    eventually(lambda: has(follows, opened.id, 1))


def test_a_process_that_ends_enters_what_is_left_and_waits_for_nothing(
    app: Flask, club: Caller, settings: ServerSettings
) -> None:
    others = set(threading.enumerate())
    other = create_app(settings)
    table = open_table(Caller(other.test_client(), club.token))
    table.recorded({"type": "note", "text": "the last word"})
    close_app(other)
    assert not [one for one in set(threading.enumerate()) - others if one.name == "log of heads"]
    assert app.extensions["bragbook"].evidence.leaf(UUID(table.id), 2)


def test_anyone_can_work_out_the_root_and_follow_the_log(crown: Table, stranger: Caller, keys: list[Key]) -> None:
    states = []
    for number in range(5):
        crown.recorded({"type": "note", "text": str(number)})
        crown.read("/head")
        states.append(latest(stranger, keys))
    last = states[-1]
    leaves = [
        base64.b64decode(one) for one in stranger.get(f"{LOG}/leaves", query_string={"limit": 1000}).json["hashes"]
    ]
    assert len(leaves) >= last.size
    assert merkle.Tree(leaves[: last.size]).root() == last.root
    for first in states:
        for second in states:
            if first.size > second.size:
                continue
            asked = {"first": first.size, "second": second.size}
            answer = stranger.get(f"{LOG}/consistency", query_string=asked).json
            proof = [base64.b64decode(one) for one in answer["proof"]]
            merkle.verify_consistency(first.size, second.size, proof, first.root, second.root)


def test_sizes_that_the_log_does_not_have(stranger: Caller) -> None:
    for asked in ({"first": 2, "second": 1}, {"first": 0, "second": 10**9}, {"first": -1, "second": 1}, {"first": "x"}):
        problem(stranger.get(f"{LOG}/consistency", query_string=asked), "request.invalid")
    assert stranger.get(f"{LOG}/leaves", query_string={"start": 10**6}).json["hashes"] == []


def test_a_head_of_an_earlier_version_and_of_none(crown: Table) -> None:
    first = crown.recorded({"type": "note", "text": "one"})
    crown.recorded({"type": "note", "text": "two"})
    answer = crown.read("/head?version=2")
    assert answer["head"] == first["head"]
    assert crown.read("/head")["version"] == 3
    problem(crown.viewer.get(f"{crown.path}/head", query_string={"version": 9}), "not_found")
    problem(crown.anyone.get(f"{crown.path}/head"), "auth.missing")


def loads(data: bytes) -> Any:
    return strict_json.parse(data, 24)


def test_a_bundle_is_proven_with_the_key_alone(crown: Table, keys: list[Key]) -> None:
    crown.recorded({"type": "deal", "dealer": "D"})
    kept = crown.recorded({"type": "ante", "player": "A"})["head"]
    crown.recorded({"type": "ante", "player": "B"})
    exported = crown.viewer.get(f"{crown.path}/export", query_string={"format": "bundle"}).data
    report = verify_bundle(read_bundle(exported, loads), verify, keys[0].text(), (kept,))
    assert report["faults"] == []
    assert {one["code"] for one in report["proven"]} == {"chain", "settlement", "signature", "log", "given_head"}


def test_another_process_takes_over_with_the_same_key(
    club: Caller, settings: ServerSettings, stranger: Caller, keys: list[Key]
) -> None:
    other = create_app(settings)
    try:
        there = Caller(other.test_client(), club.token)
        table = open_table(there)
        answer = table.recorded({"type": "note", "text": "from the other"})
        assert head_in(answer["head"], keys).session == table.id
        assert stranger.get(LOG).json["keys"] == [key.text() for key in keys]
        assert table.read("/head")["log_head"]
    finally:
        close_app(other)


def test_what_was_recorded_by_a_process_that_died_is_entered_later(
    follows: Evidence, club: Caller, settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follows.keeper, "told", lambda _session: None)
    table = open_table(club)
    table.recorded({"type": "note", "text": "and then it was killed"})
    assert not has(follows, table.id, 2)
    other = create_app(settings)
    try:
        eventually(lambda: has(follows, table.id, 2))
    finally:
        close_app(other)


def test_a_process_without_the_key_signs_with_its_own_which_is_shown(
    club: Caller, settings: ServerSettings, keys: list[Key], tmp_path: Path
) -> None:
    other = create_app(dataclasses.replace(settings, data=tmp_path))
    try:
        table = open_table(Caller(other.test_client(), club.token))
        answer = table.recorded({"type": "note", "text": "from elsewhere"})
        shown = [parse_key(text) for text in Caller(other.test_client()).get(LOG).json["keys"]]
        assert len(shown) == len(keys) + 1
        assert head_in(answer["head"], shown[:1]).session == table.id
        assert key_file(tmp_path, keys[0].name).exists()
    finally:
        close_app(other)


def test_the_contract_s_answer_is_whole_where_nothing_can_be_signed(
    club: Caller, settings: ServerSettings, keys: list[Key], tmp_path: Path
) -> None:
    path = key_file(tmp_path, keys[0].name)
    path.parent.mkdir()
    path.write_text("damaged")
    other = create_app(dataclasses.replace(settings, data=tmp_path))
    try:
        table = open_table(Caller(other.test_client(), club.token))
        answer = table.recorded({"type": "note", "text": "hello"})
        assert answer["version"] == 2
        assert answer["head"] is None
    finally:
        close_app(other)


def test_the_log_says_who_keeps_it(stranger: Caller, keys: list[Key]) -> None:
    shown = stranger.get(LOG).json
    assert shown["origin"] == keys[0].name
    assert shown["rollbacks"] == []
    assert json.dumps(shown["keys"]).count("PRIVATE") == 0
