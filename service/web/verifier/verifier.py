"""What the page /verify asks: a file in, what is proven of it out. Nothing of it leaves the visitor's own browser.

Runs on MicroPython in the page, and on any Python for the tests.
"""

from __future__ import annotations

import binascii
import json

from events.bundle import BundleError, read_bundle, verify_bundle
from events.signed_note import NoteError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _hex(data: bytes) -> str:
    return binascii.hexlify(data).decode()


def verified(path: str, question: str, check: Callable[[str, str, str], bool]) -> str:
    """The report on the file at `path`, as JSON; or `{"unreadable": …, "event": …, "missing": …}`, or
    `{"no_key": …}`.

    question: JSON with `key` (text, or null) and `heads` (texts of signed notes, or of answers that hold one). check:
    whether an Ed25519 signature is good, by public key, signature and message in hex.
    """
    asked = json.loads(question)
    with open(path, "rb") as file:  # noqa: PTH123  # there is no pathlib there
        data = file.read()

    def verify(public: bytes, signature: bytes, signed: bytes) -> bool:
        return bool(check(_hex(public), _hex(signature), _hex(signed)))

    try:
        bundle = read_bundle(data, json.loads)
    except BundleError as error:
        return json.dumps({"unreadable": str(error), "event": error.event, "missing": error.missing})
    try:
        report = verify_bundle(bundle, verify, asked["key"], [_note(text) for text in asked["heads"]])
    except NoteError as error:
        return json.dumps({"no_key": str(error)})
    return json.dumps(report)


def _note(text: str) -> str:
    """The signed note in a text, which may be an answer of the service that has it as `head`."""
    if text.lstrip().startswith("{"):
        try:
            return str(json.loads(text)["head"])
        except (ValueError, KeyError):
            return text
    return text
