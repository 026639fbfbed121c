"""That the log of heads never gets shorter: the last checkpoint given out is kept beside the database.

It is kept in the data folder (`evidence/….checkpoint`), with a DATABASE_URL too, so that a database that was put back
from a backup does not bring back an older one along with it. Where they do not fit, the service does not start.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from events.checkpoint import Checkpoint, parse_checkpoint
from events.merkle import EMPTY_ROOT
from events.signed_note import NoteError, parse_note
from service.signing import KeyFault, evidence_file, write_private
from service.store.heads import Heads

_LOG: Final = logging.getLogger(__name__)


class RolledBack(Exception):
    """The log of heads is shorter than, or another than, a checkpoint that was given out. Its text says what to do."""


def checkpoint_file(data: Path, origin: str) -> Path:
    """Where the last checkpoint that an instance gave out is kept."""
    return evidence_file(data, origin, "checkpoint")


def keep(data: Path | None, origin: str, note: str, size: int) -> None:
    """Keep a checkpoint that is about to be given out. Where that cannot be, it is logged, and all goes on."""
    if data is None:
        return
    try:
        path = checkpoint_file(data, origin)
        before = kept(path)
        if before is None or before[1].size < size:  # another process may have been quicker
            write_private(path, note)
    except (KeyFault, RolledBack) as fault:
        _LOG.warning("the last checkpoint is not kept: %s", fault)


def kept(path: Path) -> tuple[str, Checkpoint] | None:
    """The checkpoint that is kept, as signed, and what it says; None where there is none. Raises RolledBack."""
    try:
        note = path.read_text(encoding="utf-8")
        return note, parse_checkpoint(parse_note(note).text)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, NoteError) as error:
        raise RolledBack(
            f"The last checkpoint given out, in {path}, cannot be read ({error}). Put the file back as it was, or say "
            "`bragbook restore --accept-rollback`, which is recorded for everyone to see."
        ) from None


def check_rollback(heads: Heads, data: Path) -> bool:
    """Hold the log of heads against the last checkpoint given out; False where the folder keeps none.

    Raises RolledBack, Unavailable.
    """
    origin = heads.origin()
    if origin is None:
        return False
    path = checkpoint_file(data, origin)
    found = kept(path)
    if found is None:
        return False
    _, checkpoint = found
    wrong = _wrong(heads, checkpoint)
    if wrong is not None:
        raise RolledBack(
            f"{wrong}, and a checkpoint of {checkpoint.size} was given out (it is kept in {path}). "
            "Was the database put back from a backup? Put a newer one back; or, if what is missing is lost, say "
            "`bragbook restore --accept-rollback`, which is recorded for everyone to see."
        )
    return True


def _wrong(heads: Heads, checkpoint: Checkpoint) -> str | None:
    size = heads.size()
    if size < checkpoint.size:
        return f"The log of heads has {size} entries"
    try:
        root = heads.root(checkpoint.size) if checkpoint.size else EMPTY_ROOT
    except LookupError:
        return "The log of heads is damaged"
    if root != checkpoint.root:
        return "The log of heads is another one"
    return None


def accept_rollback(heads: Heads, data: Path, reason: str) -> bool:
    """Go on with a log that a checkpoint given out does not fit, on record; False where there was nothing to accept.

    Raises RolledBack where the file of the checkpoint cannot be put aside, Unavailable.
    """
    try:
        check_rollback(heads, data)
    except RolledBack:
        pass
    else:
        return False
    path = checkpoint_file(data, heads.origin() or "")
    try:
        note = path.read_text(encoding="utf-8", errors="replace")
        heads.accept_rollback(note, heads.size(), reason)
        path.replace(path.with_suffix(".rolled-back"))
    except OSError as error:
        raise RolledBack(f"{path} cannot be put aside: {error.strerror or error}.") from None
    return True
