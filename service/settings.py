"""What the environment may set, each setting declared once: its name, what it means, and what it is when left out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

# Every environment variable that is read, with what it does: docs/settings.md is held against this by a test.
VARIABLES = {
    "DATABASE_URL": "the Postgres (15 or later) to keep everything in, instead of the one that comes along",
    "DATABASE_READ_URL": "a streaming replica of it, to read logs from, as far as it has them",
    "BRAGBOOK_DATA": "the folder for the Postgres that comes along, the signing key and the last checkpoint",
    "BRAGBOOK_SIGNING_KEY": "the private key that heads are signed with, instead of the one in the data folder: see "
    "`bragbook key --new`; after it, with a space between, those that it follows",
    "BRAGBOOK_ORIGIN": "what this instance is called in what it signs, such as example.org/bragbook; set before the "
    "first start",
    "XDG_DATA_HOME": "where folders like that are kept, when BRAGBOOK_DATA is not set",
}


class SettingFault(ValueError):
    """A setting that cannot be used. Its text names the setting, and never repeats a password."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where Bragbook keeps things.

    database_url: a libpq connection string, or None for the Postgres that comes along.
    database_read_url: one of a replica, or None to read where is written.
    data: the folder of the Postgres that comes along; not used with a database_url.
    """

    database_url: str | None
    database_read_url: str | None
    data: Path

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, data: Path | str | None = None) -> Settings:
        """Read the settings; `data`, from the command line, goes before BRAGBOOK_DATA.

        Raises SettingFault when a value cannot be used.
        """
        variables = os.environ if environment is None else environment
        named = data or variables.get("BRAGBOOK_DATA")
        return cls(
            database_url=_connection(variables, "DATABASE_URL"),
            database_read_url=_connection(variables, "DATABASE_READ_URL"),
            data=Path(named).expanduser().absolute() if named else default_data(variables),
        )


def default_data(variables: Mapping[str, str], *, is_root: bool | None = None) -> Path:
    """The user's own data folder; for root the machine's."""
    if os.geteuid() == 0 if is_root is None else is_root:
        return Path("/var/lib/bragbook")
    data_home = variables.get("XDG_DATA_HOME", "")
    if Path(data_home).is_absolute():  # the XDG standard has a relative one ignored
        return Path(data_home) / "bragbook"
    home = variables.get("HOME")
    try:
        return (Path(home) if home else Path.home()) / ".local" / "share" / "bragbook"
    except RuntimeError:
        raise SettingFault("You have no home folder here. Name a folder with --data or BRAGBOOK_DATA.") from None


def _connection(variables: Mapping[str, str], name: str) -> str | None:
    url = variables.get(name, "").strip()
    if not url:
        return None
    try:
        conninfo_to_dict(url)
    except ProgrammingError:
        raise SettingFault(
            f"{name} is not a Postgres connection string. It looks like postgresql://user:password@host:5432/name."
        ) from None
    return url
