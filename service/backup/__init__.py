"""A whole store in one file: every event, name, token's hash, person, and the log of heads, as at one moment.

The file is a ZIP: `tables/NAME.copy` for every table, in the text form of Postgres' COPY, and `manifest.json`, which
says what was backed up, by which migrations, and how many rows and which SHA-256 each table has. The private signing
key and the last checkpoint given out are in the data folder and not in it.
"""

from service.backup.manifest import BackupFault, Manifest, Table
from service.backup.reading import Backup, load
from service.backup.writing import write

__all__ = ["Backup", "BackupFault", "Manifest", "Table", "load", "write"]
