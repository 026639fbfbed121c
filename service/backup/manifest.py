"""What a backup says of itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Final

FORM: Final = "bragbook.backup"
FORM_VERSION: Final = 1
MANIFEST: Final = "manifest.json"
MIGRATIONS: Final = "schema_migrations"
"""The table that is not copied: the migrations of the Bragbook that restores fill it."""
LARGEST_MANIFEST_BYTES: Final = 4 * 1024 * 1024
SETTINGS: Final = {"statement_timeout": "0", "idle_in_transaction_session_timeout": "0", "timezone": "UTC",
                   "datestyle": "ISO", "bytea_output": "hex"}  # fmt: skip
"""How a connection is set while it copies: for as long as it takes, and so that what is written is read as it was."""


OVER_A_CLUSTER: Final = (
    "this store is distributed over a cluster, of whose nodes no one file has one moment: back the cluster up, and put "
    "it back, as a cluster"
)


class BackupFault(Exception):
    """A backup that cannot be made, or put back. Its text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns in the order of the file, how many rows, and the SHA-256 of its file in hex."""

    name: str
    columns: list[str]
    rows: int
    sha256: str

    @property
    def file(self) -> str:
        """Its file in the ZIP."""
        return f"tables/{self.name}.copy"


@dataclass(frozen=True, slots=True)
class Manifest:
    """made_at: RFC 3339. origin: what the instance signs as, None where it never did. migrations: (name, checksum)."""

    made_at: str
    postgres: int
    origin: str | None
    migrations: list[tuple[str, str]]
    tables: list[Table]

    def rows(self, table: str) -> int:
        """How many rows of a table there are."""
        return next((one.rows for one in self.tables if one.name == table), 0)

    def total(self) -> int:
        """How many rows of all tables there are."""
        return sum(one.rows for one in self.tables)

    def text(self) -> str:
        """As it stands in the file."""
        return json.dumps({"form": FORM, "v": FORM_VERSION, **asdict(self)}, indent=2)

    @classmethod
    def parse(cls, data: bytes) -> Manifest:
        """Raises BackupFault for what is none, or a newer one."""
        try:
            document: Any = json.loads(data)
            form, version = document.pop("form"), document.pop("v")
            if form != FORM:
                raise BackupFault("it is no backup of Bragbook")
            if version != FORM_VERSION:
                raise BackupFault("a newer Bragbook made it: restore it with that one")
            tables = [Table(**one) for one in document.pop("tables")]
            migrations = [(str(name), str(checksum)) for name, checksum in document.pop("migrations")]
            return cls(tables=tables, migrations=migrations, **document)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BackupFault("what it says of itself is damaged") from None
