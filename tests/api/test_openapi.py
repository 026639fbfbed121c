"""The API describes itself: a valid OpenAPI 3.1 document that follows from the code, and a page to try it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from openapi_spec_validator import OpenAPIV31SpecValidator

from events.house_rules import GAMES, rules_of
from events.vocabulary import COMMON, TYPES
from tests.api.conftest import Caller, problem

STATIC = Path(__file__).parents[2] / "service" / "api" / "static"


@pytest.fixture(scope="module")
def document(stranger: Caller) -> dict[str, Any]:
    answer = stranger.get("/api/v1/openapi.json")
    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    return dict(answer.json)


def test_it_is_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


def test_every_address_of_the_api_is_in_it(document: dict[str, Any], app: Flask) -> None:
    for rule in app.url_map.iter_rules():
        if not rule.rule.startswith("/api/v1/") or rule.rule == "/api/v1/openapi.json":
            continue
        path = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", rule.rule)
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            operation = document["paths"][path][method.lower()]
            assert operation["summary"], path
            assert "security" in operation, path


def test_every_operation_says_that_it_may_answer_with_a_problem(document: dict[str, Any]) -> None:
    answer = document["components"]["responses"]["DEFAULT_ERROR"]
    assert list(answer["content"]) == ["application/problem+json"]
    schema = document["components"]["schemas"]["Problem"]
    assert {"type", "title", "status", "detail", "code"} <= set(schema["required"])
    assert {"event", "rule", "expected", "actual", "errors"} <= set(schema["properties"])
    for path in document["paths"].values():
        for method in {"get", "post", "put", "patch", "delete"} & set(path):
            assert path[method]["responses"]["default"] == {"$ref": "#/components/responses/DEFAULT_ERROR"}


def test_every_type_of_event_is_in_it_with_its_fields(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    mapping = schemas["Event"]["discriminator"]["mapping"]
    assert list(mapping) == [event_type.name for event_type in TYPES]
    for event_type in TYPES:
        schema = schemas[mapping[event_type.name].rpartition("/")[2]]
        assert event_type.says in schema["description"]
        fields = {field.name for field in (*event_type.fields, *COMMON)}
        assert set(schema["properties"]) == {"type", *fields}
        for field in event_type.fields:
            assert field.says in schema["properties"][field.name]["description"]
            if field.required and set(event_type.games) <= set(field.games):
                assert field.name in schema["required"]
            else:
                assert field.name not in schema["required"]


def test_every_house_rule_is_in_it_with_its_default(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for game in GAMES:
        properties = schemas[f"Session.{game}"]["properties"]["rules"]["properties"]
        assert set(properties) == {rule.name for rule in rules_of(game)}
        for rule in rules_of(game):
            if rule.defaults[game] is not None:
                assert properties[rule.name]["default"] == rule.defaults[game]


def test_it_names_no_place_outside_of_itself(document: dict[str, Any]) -> None:
    assert document["servers"] == [{"url": "/"}]
    assert "http://" not in str(document)


def test_it_is_not_sent_again_to_who_has_it(stranger: Caller) -> None:
    tag = stranger.get("/api/v1/openapi.json").headers["ETag"]
    again = stranger.get("/api/v1/openapi.json", headers={"If-None-Match": tag})
    assert again.status_code == 304
    assert again.data == b""


def test_the_page_to_try_it_loads_only_what_is_here(stranger: Caller) -> None:
    page = stranger.get("/api/docs")
    assert page.status_code == 200
    loaded = re.findall(r'(?:src|href)="([^"]+\.(?:js|css))"', page.text)
    assert len(loaded) == 4
    for path in loaded:
        assert path.startswith("/api/docs/")
        assert stranger.get(path).status_code == 200
    assert not re.search(r"<script(?![^>]* src=)", page.text)
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy


def test_the_page_gets_its_files_packed_where_it_takes_them_so(stranger: Caller) -> None:
    path = "/api/docs/swagger-ui/swagger-ui-bundle.js"
    packed = stranger.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.data) < len(stranger.get(path).data) / 2
    problem(stranger.get("/api/docs/VENDORED.md"), "not_found")
    problem(stranger.get("/api/docs/../openapi.py"), "not_found")


def test_what_was_taken_from_others_is_as_it_came() -> None:
    listed = re.findall(r"\| `([^`]+)` \|.*`([0-9a-f]{64})` \|", (STATIC / "VENDORED.md").read_text())
    assert {name for name, _ in listed} == {
        str(path.relative_to(STATIC)) for path in (STATIC / "swagger-ui").iterdir() if path.suffix in {".js", ".css"}
    }
    for name, digest in listed:
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == digest
