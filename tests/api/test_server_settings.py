"""Every setting can be set in the environment, and what cannot be used is said by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.server_settings import ServerSettingFault, ServerSettings, variables


def settings(**environment: str) -> ServerSettings:
    return ServerSettings.from_environment(environment, database_url="")


def test_what_is_given_goes_before_the_environment_and_that_before_the_default() -> None:
    assert settings().port == 8000
    assert settings(BRAGBOOK_PORT="9000").port == 9000
    assert ServerSettings.from_environment({"BRAGBOOK_PORT": "9000"}, database_url="", port=9001).port == 9001
    assert ServerSettings.from_environment({"BRAGBOOK_PORT": "9000"}, database_url="", port=None).port == 9000


def test_every_kind_of_value_is_read() -> None:
    read = settings(
        BRAGBOOK_THREADS="200",
        BRAGBOOK_HSTS="yes",
        BRAGBOOK_STREAM_KEEP_ALIVE_SECONDS="2.5",
        BRAGBOOK_TLS_CERT="c.pem",
        BRAGBOOK_TLS_KEY="k.pem",
    )
    assert (read.threads, read.hsts, read.stream_keep_alive_seconds) == (200, True, 2.5)
    assert read.tls_cert == Path("c.pem")
    assert read.tls
    assert read.stream_limit == 100


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"BRAGBOOK_PORT": "http"}, "BRAGBOOK_PORT is a whole number"),
        ({"BRAGBOOK_PORT": "70000"}, "port is from 0 to 65535"),
        ({"BRAGBOOK_HSTS": "perhaps"}, "BRAGBOOK_HSTS is true or false"),
        ({"BRAGBOOK_THREADS": "0"}, "threads is from 2"),
        ({"BRAGBOOK_BODY_LIMIT_BYTES": "0"}, "body_limit_bytes must be more than 0"),
        ({"BRAGBOOK_STREAM_KEEP_ALIVE_SECONDS": "nan"}, "stream_keep_alive_seconds must be more than 0"),
        ({"BRAGBOOK_STREAM_KEEP_ALIVE_SECONDS": "inf"}, "stream_keep_alive_seconds must be more than 0"),
        ({"BRAGBOOK_LOG_LEVEL": "verbose"}, "log_level is one of debug, info, warning, error, not 'verbose'"),
        ({"BRAGBOOK_LOG_FORMAT": "xml"}, "log_format is one of json, text, not 'xml'"),
        ({"BRAGBOOK_TLS_CERT": "c.pem"}, "TLS needs both"),
    ],
)
def test_what_cannot_be_used_is_said_by_name(environment: dict[str, str], says: str) -> None:
    with pytest.raises(ServerSettingFault, match=says):
        settings(**environment)


def test_every_setting_says_what_it_does() -> None:
    for name, says in variables().items():
        assert name.startswith("BRAGBOOK_")
        assert len(says) > 10


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True), ("127.3.2.1", True), ("::1", True), ("localhost", True),
        ("LOCALHOST", True), ("localhost.", True), ("Localhost.:", False), ("localhost..", False), ("", False),
        ("0.0.0.0", False), ("::", False), ("192.0.2.1", False), ("pub.example", False),
    ],
)  # fmt: skip
def test_only_loopback_counts_as_this_machine_only(host: str, loopback: bool) -> None:
    assert ServerSettings(database_url="", host=host).loopback_only is loopback


def test_the_address_that_is_printed() -> None:
    assert ServerSettings(database_url="").url == "http://127.0.0.1:8000"
    assert ServerSettings(database_url="", host="::1", port=1).url == "http://[::1]:1"
    both = {"tls_cert": Path("c"), "tls_key": Path("k")}
    assert ServerSettings(database_url="", **both).url == "https://127.0.0.1:8000"
