"""What the instance is called in what it signs, and the key that it signs with."""

from __future__ import annotations

import json
import logging
import os
import secrets
from pathlib import Path
from typing import Final, NamedTuple

from events.heads import parse_key_change
from events.signed_note import NoteError, is_key_name, parse_note
from service.signing import (
    KeyFault,
    SigningKey,
    evidence_file,
    given_keys,
    key_file,
    read_keys,
    write_keys,
    write_private,
)
from service.store.heads import Heads

ORIGIN_VARIABLE: Final = "BRAGBOOK_ORIGIN"
_LOG: Final = logging.getLogger(__name__)


class Instance(NamedTuple):
    """The instance as it signs. key: the present one. keys: every public key that ever signed, the present first.
    changes: the notes that lead from one to another."""

    origin: str
    key: SigningKey
    keys: list[str]
    changes: list[str]


def instance(heads: Heads, data: Path | None, begins: bool = True) -> Instance:
    """The instance's name and key. What has none yet gets them, in a data folder that is there.

    data: the folder in which the key is kept; None where none is (the key then lasts as long as the process). begins:
    whether a folder that is not there is made too, and another key where one is missing, as the service does at its
    start; a command does not, to which a name that was mistyped would give a second key. Raises KeyFault, Unavailable.
    """
    origin = heads.origin() or heads.name(_origin())
    known = heads.signing_keys()
    signing = _keys(origin, data)
    if not signing:
        assert data is not None
        if not begins and (known or not data.is_dir()):
            raise KeyFault(
                f"There is no signing key {key_file(data, origin)}: name the data folder that has it, with --data or "
                "BRAGBOOK_DATA, or put it back there. Where there is none, `bragbook serve` makes one."
            )
        signing = [SigningKey.new(origin)]
        write_keys(key_file(data, origin), signing)
    key = signing[0]
    if key.public.name != origin:
        raise KeyFault(
            f"The signing key is for {key.public.name}, and this database's heads are signed as {origin}. Give the key "
            f"that belongs to it, or the 32 bytes of the key alone."
        )
    if known and key.public.text() not in [text for text, _ in known]:
        # As after a backup was put back that was made before the key was changed.
        for text, change in _kept_changes(data, origin):
            heads.add_key(text, change)
        known = heads.signing_keys()
    if key.public.text() not in [text for text, _ in known]:
        by_text = {one.public.text(): one for one in signing[1:]}
        old = next((by_text[text] for text, _ in reversed(known) if text in by_text), None)
        if known and old is None:
            _LOG.warning("heads are signed with a new key that the old one does not vouch for: %s", key.public.text())
        heads.add_key(key.public.text(), key.follow(old) if old is not None else None)
        known = heads.signing_keys()
    others = [text for text, _ in reversed(known) if text != key.public.text()]
    return Instance(origin, key, [key.public.text(), *others], [change for _, change in known if change is not None])


def _origin() -> str:
    """A name for an instance that has none: the one that was set, else one that no other has."""
    given = os.environ.get(ORIGIN_VARIABLE, "").strip()
    if not given:
        return f"bragbook.invalid/{secrets.token_hex(8)}"
    if not is_key_name(given) or len(given) > 200:
        raise KeyFault(f"{ORIGIN_VARIABLE} is a name like example.org/bragbook: no spaces and no plus sign.")
    return given


def _keys(origin: str, data: Path | None) -> list[SigningKey]:
    """The key that signs, and those that it follows; none where the folder has not got it. Raises KeyFault."""
    given = given_keys(origin)
    if given:
        return given
    return [SigningKey.new(origin)] if data is None else read_keys(key_file(data, origin), origin)


def _changes_file(data: Path, origin: str) -> Path:
    return evidence_file(data, origin, "key-changes")


def _kept_changes(data: Path | None, origin: str) -> list[tuple[str, str]]:
    """(key, the note by which it followed another) of each change that the data folder knows. Raises KeyFault."""
    if data is None:
        return []
    path = _changes_file(data, origin)
    try:
        notes = json.loads(path.read_text(encoding="utf-8"))
        return [(parse_key_change(parse_note(note).text)[1].text(), note) for note in notes]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, AttributeError, NoteError) as error:
        raise KeyFault(f"{path} cannot be read ({error}): put it back as it was, or move it away.") from None


def take_new_key(heads: Heads, data: Path) -> Instance:
    """Make a new key that the one in the data folder hands over to. Raises KeyFault, Unavailable.

    The old private key is gone when this returns; a service that runs signs with it until it is started again.
    """
    now = instance(heads, data, begins=False)
    if given_keys(now.origin):
        raise KeyFault(
            "The key comes from the environment: put the new one before the old one there, a space between them."
        )
    new = SigningKey.new(now.origin)
    write_keys(key_file(data, now.origin), [new, now.key])
    after = instance(heads, data)
    # Beside the key, for a database that is put back from before it.
    write_private(_changes_file(data, now.origin), json.dumps(after.changes))
    write_keys(key_file(data, now.origin), [new])
    return after
