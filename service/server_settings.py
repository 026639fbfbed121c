"""What can be set about serving, in one place: each setting with its default, its unit, and what it does.

Every default suits one pub on one machine. Each can be set in the environment under `BRAGBOOK_` and its own name in
capitals: `BRAGBOOK_THREADS=200`.
"""

from __future__ import annotations

import ipaddress
import math
import os
import types
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

ENVIRONMENT_PREFIX = "BRAGBOOK_"
LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("json", "text")


class ServerSettingFault(ValueError):
    """A setting that cannot be used; the message names it and says what it must be."""


def _setting(default: Any, says: str) -> Any:
    return field(default=default, metadata={"says": says})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Everything that the service is told when it starts. Durations and sizes carry their unit last in the name.

    database_url: a libpq connection string. database_read_url: one of a replica, None to read where is written.
    data: where the signing key and the last checkpoint are kept; None for a service that keeps none. What is said of
    the others stands beside them. Raises ServerSettingFault for a value that cannot be used.
    """

    database_url: str
    database_read_url: str | None = None
    data: Path | None = None

    host: str = _setting("127.0.0.1", "the address to listen on")
    port: int = _setting(8000, "the port to listen on")
    tls_cert: Path | None = _setting(None, "the certificate (PEM) to serve HTTPS with")  # noqa: RUF009
    tls_key: Path | None = _setting(None, "the certificate's key (PEM)")  # noqa: RUF009
    hsts: bool = _setting(False, "tell browsers to come back by HTTPS only; on by itself with a certificate")
    trusted_proxies: int = _setting(0, "how many proxies in front add X-Forwarded-For, -Proto and -Host; 0: none")

    threads: int = _setting(64, "requests answered at a time; open streams may take half of them")
    pool_size: int = _setting(16, "connections to Postgres at most")
    stop_timeout_seconds: int = _setting(5, "how long requests under way may take once the service is told to stop")
    stream_keep_alive_seconds: float = _setting(10.0, "after how long without an event a stream sends a comment")

    body_limit_bytes: int = _setting(2 * 1024 * 1024, "the most bytes of a request's body")
    batch_limit_events: int = _setting(10_000, "the most events in one request")
    requests_per_minute_by_token: int = _setting(60_000, "the most requests a minute with one token")
    requests_per_minute_by_address: int = _setting(120_000, "the most requests a minute from one address")
    sessions_per_minute_by_address: int = _setting(3_000, "the most sessions opened a minute from one address")
    tokens_per_session: int = _setting(1_000, "the most tokens that one session may have")

    log_level: str = _setting("info", "debug, info, warning or error")
    log_format: str = _setting("json", "json for machines, text for a terminal")

    def __post_init__(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ServerSettingFault("TLS needs both a certificate (--tls-cert) and its key (--tls-key).")
        for name, least, most in (("port", 0, 65535), ("trusted_proxies", 0, 10), ("threads", 2, 4096)):
            if not least <= getattr(self, name) <= most:
                raise ServerSettingFault(f"{name} is from {least} to {most}, not {getattr(self, name)}.")
        for name, words in (("log_level", LOG_LEVELS), ("log_format", LOG_FORMATS)):
            if getattr(self, name) not in words:
                raise ServerSettingFault(f"{name} is one of {', '.join(words)}, not {getattr(self, name)!r}.")
        for name, value in ((one.name, getattr(self, one.name)) for one in fields(self)):
            if name.endswith(("_seconds", "_bytes", "_events", "_size", "_address", "_token", "_session")) and not (
                0 < value < math.inf
            ):
                raise ServerSettingFault(f"{name} must be more than 0, not {value}.")

    @property
    def loopback_only(self) -> bool:
        """Whether only this machine can reach the service: then a session can be opened without a token."""
        return is_loopback(self.host)

    @property
    def tls(self) -> bool:
        """Whether the service itself speaks HTTPS."""
        return self.tls_cert is not None

    @property
    def url(self) -> str:
        """Where the service is to be found, as printed when it is ready."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}"

    @property
    def stream_limit(self) -> int:
        """Streams open at a time: half of the threads, so that there are always others to answer with."""
        return max(1, self.threads // 2)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, **given: Any) -> ServerSettings:
        """The defaults, over them the environment, over it what is `given` and not None.

        Raises ServerSettingFault for a value that cannot be used.
        """
        environment = os.environ if environment is None else environment
        kinds = get_type_hints(cls)
        values: dict[str, Any] = {}
        for name in variables():
            text = environment.get(name, "").strip()
            if text:
                setting = name.removeprefix(ENVIRONMENT_PREFIX).lower()
                values[setting] = _read(name, text, kinds[setting])
        return cls(**{**values, **{name: value for name, value in given.items() if value is not None}})


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this machine's for itself. Case and a point at the end make no other name."""
    host = host.lower().removesuffix(".")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def variables() -> dict[str, str]:
    """Every environment variable that is read here, with what it does and its default."""
    read: dict[str, str] = {}
    for one in fields(ServerSettings):
        if "says" in one.metadata:
            default = "" if one.default is None else f" (default {one.default})"
            read[ENVIRONMENT_PREFIX + one.name.upper()] = one.metadata["says"] + default
    return read


def _read(name: str, text: str, kind: Any) -> Any:
    """`text` as the kind of value that the setting has; raises ServerSettingFault."""
    if isinstance(kind, types.UnionType):
        kind = next(part for part in get_args(kind) if part is not types.NoneType)
    if kind is bool:
        if text.lower() in {"1", "true", "yes", "on"}:
            return True
        if text.lower() in {"0", "false", "no", "off"}:
            return False
        raise ServerSettingFault(f"{name} is true or false, not {text!r}.")
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise ServerSettingFault(f"{name} is {what}, not {text!r}.") from None
