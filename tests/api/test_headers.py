"""What every answer carries, so that no browser does with it what it should not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from service.app import close_app, create_app
from service.server_settings import ServerSettings
from tests.api.conftest import Caller, Table

PATHS = [
    "/",
    "/people",
    "/rules",
    "/contract",
    "/problems",
    "/api/docs",
    "/api/v1/openapi.json",
    "/nothing",
    "/healthz",
]


@pytest.mark.parametrize("path", PATHS)
def test_nothing_runs_that_is_not_ours_and_nobody_frames_it(stranger: Caller, path: str) -> None:
    headers = stranger.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "'unsafe-inline'" not in policy
    assert "'unsafe-eval'" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers
    assert "Set-Cookie" not in headers


def test_what_is_a_table_s_own_stays_out_of_shared_caches(crown: Table) -> None:
    for what in ("", "/events", "/hands", "/settlement", "/audit", "/export?format=txt"):
        headers = crown.viewer.get(crown.path + what).headers
        assert headers["Cache-Control"] in {"private, no-cache", "no-store"}
        assert "Authorization" in headers["Vary"]


@pytest.fixture(scope="module")
def behind_proxy(database: str) -> Iterator[Flask]:
    """The application behind one proxy that serves HTTPS."""
    settings = ServerSettings(database_url=database, pool_size=2, trusted_proxies=1, hsts=True, log_level="error")
    app = create_app(settings)
    yield app
    close_app(app)


FORWARDED = {"X-Forwarded-For": "192.0.2.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "bragbook.example"}


def test_https_is_told_to_stay_https_and_http_is_not(behind_proxy: Flask, stranger: Caller) -> None:
    secure = Caller(behind_proxy.test_client()).get("/rules", headers=FORWARDED)
    assert secure.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in Caller(behind_proxy.test_client()).get("/rules").headers
    assert "Strict-Transport-Security" not in stranger.get("/rules", headers=FORWARDED).headers


def test_a_proxy_is_believed_only_where_there_is_one(behind_proxy: Flask, stranger: Caller) -> None:
    from tests.factories import SessionFactory

    same = {**FORWARDED, "Origin": "https://bragbook.example"}
    through = Caller(behind_proxy.test_client()).post("/api/v1/sessions", SessionFactory(), headers=same)
    assert through.status_code == 401  # the page's own origin; but others may be behind the proxy
    assert stranger.post("/api/v1/sessions", SessionFactory(), headers=same).status_code == 403
