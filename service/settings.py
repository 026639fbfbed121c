"""What can be set from outside, in one place.

Every setting has a default that suits one pub on one machine; each can be set in the environment under the name
`BRAGBOOK_` and its own in capitals (`BRAGBOOK_THREADS=200`), and `DATABASE_URL`, `DATABASE_READ_URL` under the names
that hosts give them.
"""

from __future__ import annotations

import ipaddress
import os
import types
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self, get_args, get_type_hints

ENVIRONMENT_PREFIX = "BRAGBOOK_"
# What hosts call these, beside our own names.
_USUAL_NAMES = {"database_url": "DATABASE_URL", "database_read_url": "DATABASE_READ_URL"}


class SettingsError(ValueError):
    """A setting that cannot be read; the message names it and says what it must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that the service is told when it starts. Durations and sizes carry their unit last in the name."""

    database_url: str = ""
    """Where Postgres is, as a connection string; empty: the embedded one is started."""
    database_read_url: str = ""
    """A replica that reads may go to; empty: reads go where writes go."""
    data: Path | None = None
    """The folder of the embedded Postgres; None: the user's data folder."""
    host: str = "127.0.0.1"
    port: int = 8000
    tls_cert: Path | None = None
    tls_key: Path | None = None
    hsts: bool = False
    """Tell browsers to come back by HTTPS only; on by itself where this service serves TLS."""
    trusted_proxies: int = 0
    """How many proxies stand in front and add to X-Forwarded-For, -Proto and -Host; 0: the headers are ignored."""

    threads: int = 64
    """Requests answered at a time. Open streams may take half of them."""
    pool_size: int = 16
    """Connections to Postgres at most."""
    stop_timeout_seconds: int = 5
    """How long requests under way may take once the service has been told to stop."""
    stream_keep_alive_seconds: float = 10.0
    """After how long without an event a stream sends a comment, which finds out clients that are gone."""

    body_limit_bytes: int = 1024 * 1024
    batch_limit_events: int = 1000
    page_limit_events: int = 5000
    """The most events of one `GET …/events`; the whole log comes as NDJSON."""
    requests_per_minute_by_token: int = 60_000
    requests_per_minute_by_address: int = 120_000
    """Generous: a whole pub comes from one address."""
    sessions_per_minute_by_address: int = 3_000
    tokens_per_session: int = 1_000

    log_level: str = "info"
    log_format: str = "json"
    """`json` for machines, `text` for a terminal."""

    @property
    def loopback_only(self) -> bool:
        """Whether only this machine can reach the service: then a session can be opened without a token."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def tls(self) -> bool:
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
    def from_environment(cls, environment: Mapping[str, str] | None = None, **given: Any) -> Self:
        """The defaults, over them the environment, over it what is `given` and not None.

        Raises SettingsError for a value that cannot be read.
        """
        environment = os.environ if environment is None else environment
        kinds = get_type_hints(cls)
        values: dict[str, Any] = {}
        for field in fields(cls):
            for name in (ENVIRONMENT_PREFIX + field.name.upper(), _USUAL_NAMES.get(field.name, "")):
                if environment.get(name):
                    values[field.name] = _read(name, environment[name], kinds[field.name])
                    break
        values |= {name: value for name, value in given.items() if value is not None}
        settings = cls(**values)
        settings._check()
        return settings

    def _check(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise SettingsError("TLS needs both: a certificate (--tls-cert) and its key (--tls-key)")
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name in {"port", "trusted_proxies"} else 1
            if isinstance(value, int) and not isinstance(value, bool) and value < least:
                raise SettingsError(f"{field.name} must be {least} or more, not {value}")
        if self.port > 65535:
            raise SettingsError(f"port must be at most 65535, not {self.port}")


def _read(name: str, text: str, kind: Any) -> Any:
    """`text` as the kind of value that the setting has; raises SettingsError."""
    if isinstance(kind, types.UnionType):
        kind = next(part for part in get_args(kind) if part is not types.NoneType)
    if kind is bool:
        if text.lower() in {"1", "true", "yes", "on"}:
            return True
        if text.lower() in {"0", "false", "no", "off"}:
            return False
        raise SettingsError(f"{name} is true or false, not {text!r}")
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise SettingsError(f"{name} is {what}, not {text!r}") from None
