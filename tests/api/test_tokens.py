"""…/tokens: made, listed, revoked (contract.md §2)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Caller, Table, problem
from tests.factories import EventFactory


@pytest.mark.parametrize("body", [{"kind": "record"}, {"kind": "view"}, {"kind": "seat", "player": "A"}])
def test_a_token_is_shown_once_and_works(crown: Table, body: dict[str, Any]) -> None:
    made = crown.keeper.post(f"{crown.path}/tokens", body)
    assert made.status_code == 201
    assert set(made.json) == {"id", "token"}
    assert made.headers["Cache-Control"] == "no-store"
    assert Caller(crown.anyone.client, made.json["token"]).get(crown.path).status_code == 200
    listed = crown.keeper.get(f"{crown.path}/tokens")
    assert {"id": made.json["id"], "kind": body["kind"], "player": body.get("player")} in listed.json["tokens"]
    assert made.json["token"] not in listed.text


def test_a_seat_can_be_of_somebody_about_to_join(crown: Table) -> None:
    assert crown.seat("Z").get(crown.path).status_code == 200


def test_a_new_record_token_records_and_says_so(crown: Table) -> None:
    made = crown.keeper.post(f"{crown.path}/tokens", {"kind": "record"}).json
    stored = Caller(crown.anyone.client, made["token"]).post(f"{crown.path}/events", EventFactory())
    assert stored.json["events"][0]["by"] == made["id"]


def test_a_revoked_token_is_unknown_at_once(crown: Table) -> None:
    made = crown.keeper.post(f"{crown.path}/tokens", {"kind": "view"}).json
    caller = Caller(crown.anyone.client, made["token"])
    assert caller.get(crown.path).status_code == 200
    revoked = crown.keeper.ask("DELETE", f"{crown.path}/tokens/{made['id']}")
    assert (revoked.status_code, revoked.data) == (204, b"")
    problem(caller.get(crown.path), "auth.missing")
    assert made["id"] not in crown.keeper.get(f"{crown.path}/tokens").text


@pytest.mark.parametrize("name", ["nobody", "record-000000000000", "%00", "x" * 500, "'; drop table tokens"])
def test_a_token_that_is_not_there_cannot_be_revoked(crown: Table, name: str) -> None:
    problem(crown.keeper.ask("DELETE", f"{crown.path}/tokens/{name}"), "not_found")


def test_a_token_of_another_session_cannot_be_revoked(crown: Table, anchor: Table) -> None:
    made = anchor.keeper.post(f"{anchor.path}/tokens", {"kind": "view"}).json
    problem(crown.keeper.ask("DELETE", f"{crown.path}/tokens/{made['id']}"), "not_found")
    assert Caller(anchor.anyone.client, made["token"]).get(anchor.path).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "kind"),
        ({"kind": "club"}, "kind"),
        ({"kind": "landlord"}, "kind"),
        ({"kind": 7}, "kind"),
        ({"kind": "seat"}, "player"),
        ({"kind": "seat", "player": ""}, "player"),
        ({"kind": "seat", "player": "not an id"}, "player"),
        ({"kind": "seat", "player": "A\n"}, "player"),
        ({"kind": "seat", "player": ["A"]}, "player"),
        ({"kind": "view", "player": "A"}, "player"),
        ({"kind": "view", "until": "midnight"}, "until"),
    ],
)
def test_a_token_that_cannot_be_is_refused(crown: Table, body: dict[str, Any], field: str) -> None:
    document = problem(crown.keeper.post(f"{crown.path}/tokens", body), "event.invalid")
    assert field in document["errors"]


@pytest.mark.parametrize("body", [[], "view", 3, True])
def test_a_body_that_is_no_object_is_refused(crown: Table, body: Any) -> None:
    problem(crown.keeper.post(f"{crown.path}/tokens", body), "request.invalid")
