"""A night in one file, and what can be proven from it with nothing else: no service, no database, no network.

A *bundle* (contract.md §6) is one JSON object: the events as stored, the names beside them, and what the instance has
signed about them. :func:`verify_bundle` says in words what that proves and, as plainly, what it does not: a file that
brings along its own key proves nothing against whoever made it.

The signed parts, each of which may be missing:

* ``signed_head``: a signed note with the session's head (see `heads.py`);
* ``log_head`` and ``log_proof``: a head of the session as it stands in the instance's log of heads, and the proof that
  it does, with the log's signed checkpoint (see `checkpoint.py`);
* ``keys``: the instance's public keys, the present one first, and ``key_changes``: notes that lead from one to another.

Reading JSON and verifying a signature are passed in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.audit import Audit
from events.checkpoint import Checkpoint, parse_checkpoint, parse_proof
from events.heads import Head, parse_head, trusted_keys
from events.log import canonical, chain_fault, seal
from events.merkle import ProofError, leaf_hash, verify_inclusion
from events.refusals import Refused
from events.signed_note import Key, NoteError, open_note, parse_key
from events.texts import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from events.signed_note import Verify

    Loads = Callable[[bytes], Any]

FORM = "bragbook.bundle"
# The events stand a line each between these, so that a damaged one can be named.
_EVENTS_BEGIN = b'"events":[\n'
_EVENTS_END = b"\n]}"


class BundleError(ValueError):
    """A file that is no bundle, or that is damaged so that it cannot be read.

    ``event``: the first event that is damaged or, with ``missing``, from which on there are none.
    """

    def __init__(self, message: str, event: int | None = None, missing: bool = False) -> None:
        super().__init__(message)
        self.event = event
        self.missing = missing


class Bundle:
    """A file that was read: its events, their lines as written (where it was written a line each), and the rest."""

    __slots__ = ("events", "lines", "members")

    def __init__(self, events: list[Any], lines: list[bytes] | None, members: dict[str, Any]) -> None:
        self.events = events
        self.lines = lines
        self.members = members

    def text(self, name: str) -> str | None:
        """A member that is text; none where it is missing or something else."""
        value = self.members.get(name)
        return value if isinstance(value, str) else None


def read_bundle(data: bytes, loads: Loads) -> Bundle:
    """Reads a bundle, or NDJSON of stored events. ``loads`` decodes JSON and raises ValueError where it is none.

    Raises BundleError, with the number of the event where one is damaged or the end was cut off.
    """
    lines = event_lines(data)
    try:
        whole = loads(data)
    except ValueError:
        whole = None
    if isinstance(whole, dict) and isinstance(whole.get("events"), list):
        events = whole.pop("events")
        return Bundle(events, lines if lines is not None and len(lines) == len(events) else None, whole)
    if lines is None:
        lines = [line for line in data.split(b"\n") if line.strip()]
        # any of them: the first byte of the first line may be the one that was changed
        if not any(line.lstrip().startswith(b"{") for line in lines):
            raise BundleError("this is neither a bundle nor a file of events, a line each")
        return Bundle(_each(lines, loads), lines, {})
    version = _version_before(data, loads)
    found = len(_each(lines[:version], loads))
    if version is not None and found < version:
        says = f"events are missing from number {found + 1} on: the file was cut off, so export it again"
        raise BundleError(says, found + 1, missing=True)
    raise BundleError("the file is damaged, but not in its events: export it again")


def event_lines(data: bytes) -> list[bytes] | None:
    """The lines of the events in a bundle as it is exported; none in a file of another layout."""
    begin = data.find(_EVENTS_BEGIN)
    if begin < 0:
        return None
    rest = data[begin + len(_EVENTS_BEGIN) :]
    end = rest.rfind(_EVENTS_END)
    lines = (rest if end < 0 else rest[:end]).split(b"\n")
    if not lines[-1]:  # cut off behind an event
        lines.pop()
    return [line[:-1] if line.endswith(b",") else line for line in lines]


def _version_before(data: bytes, loads: Loads) -> int | None:
    """How many events a damaged bundle says that it has, in the head before them; none where it does not say."""
    try:
        members = loads(data[: data.find(_EVENTS_BEGIN)].rstrip(b",\n") + b"}")
        version = members["head"]["version"]
    except (ValueError, KeyError, TypeError):
        return None
    return version if isinstance(version, int) and version > 0 else None


def _each(lines: list[bytes], loads: Loads) -> list[Any]:
    events = []
    for number in range(len(lines)):
        try:
            events.append(loads(lines[number]))
        except ValueError as error:
            raise BundleError(f"event {number + 1} is damaged and cannot be read: {error}", number + 1) from None
    return events


class _Report:
    """What is found wrong, what is proven and what is not: a sentence each, with a code and the values in it, so that
    a page can say the same in another language."""

    __slots__ = ("faults", "not_proven", "proven", "signed_to")

    def __init__(self) -> None:
        self.signed_to = 0  # the version up to which a signature holds
        self.faults: list[dict[str, Any]] = []
        self.proven: list[dict[str, Any]] = []
        self.not_proven: list[dict[str, Any]] = []

    def fault(self, code: str, says: str, event: int | None = None, **values: Any) -> None:
        self.faults.append({"code": code, "event": event, "says": says, "values": values})

    def proves(self, code: str, says: str, **values: Any) -> None:
        self.proven.append({"code": code, "says": says, "values": values})

    def proves_not(self, code: str, says: str, **values: Any) -> None:
        self.not_proven.append({"code": code, "says": says, "values": values})


def verify_bundle(
    bundle: Bundle, verify: Verify, pinned_key: str | None = None, heads: Sequence[str] = ()
) -> dict[str, Any]:
    """Everything that follows from a bundle: the audit of its events, and what the signatures prove.

    ``verify(public, signature, signed)`` checks an Ed25519 signature. ``pinned_key``: the instance's public key as
    noted elsewhere. ``heads``: signed heads that were given out earlier (the texts of the notes).

    Returns a dictionary: ``session``, ``version``, ``verdict`` (of the audit), ``sound`` (a sound audit and no fault),
    ``pinned``, ``faults`` [{code, event, says, values}], ``proven`` and ``not_proven`` (without ``event``), and the
    ``audit`` (contract.md §5). Raises NoteError for a ``pinned_key`` that is none.
    """
    report = _Report()
    pinned = [parse_key(pinned_key.strip())] if pinned_key is not None else []
    audited, settled = _audited(bundle.events)
    unbroken = _verify_events(bundle, report)
    _verify_members(bundle, settled, report)
    keys = trusted_keys(pinned if pinned else _own_keys(bundle, report), _texts(bundle, "key_changes"), verify)
    _verify_signed_head(bundle, keys, bool(pinned), unbroken, verify, report)
    _verify_log_proof(bundle, keys, bool(pinned), unbroken, verify, report)
    for given in heads:
        _verify_given_head(bundle, given, keys, verify, report)
    report.proves_not("truth", "That what was recorded is what was played: a log shows only what was changed since.")
    if bundle.members.get("names"):
        report.proves_not("names", "The names: they stand beside the log, so that one can be erased.")
    first = bundle.events[0] if bundle.events and isinstance(bundle.events[0], dict) else {}
    return {
        "session": first.get("session"),
        "version": len(bundle.events),
        "verdict": audited["verdict"],
        "sound": audited["verdict"] == "sound" and not report.faults,
        "pinned": bool(pinned),
        "faults": report.faults,
        "proven": report.proven,
        "not_proven": report.not_proven,
        "audit": audited,
    }


def _audited(events: list[Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The audit (contract.md §5) and the settlement; a log that cannot be replayed at all is unsound, and has none."""
    try:
        audit = Audit(events)
        return audit.session_report(), audit.settled
    except (Refused, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        says = error.refusal.detail if isinstance(error, Refused) else "the events are damaged so that nothing replays"
        return {"version": len(events), "verdict": "unsound", "checks": [], "findings": [], "hands": [], "owed": [],
                "unreadable": says}, None  # fmt: skip


def _verify_events(bundle: Bundle, report: _Report) -> bool:
    """The chain, and that each event is written byte for byte as it was hashed."""
    count = len(bundle.events)
    if not count:
        report.fault("event.missing", "There are no events in it.")
        return False
    broken = chain_fault(bundle.events)
    last = count if broken is None else broken[0] - 1
    if bundle.lines is not None:
        for number in range(last):
            if not _is_written(bundle.events[number], bundle.lines[number]):
                says = f"Event {number + 1} is not written as it was hashed: its bytes were changed."
                report.fault("event.changed", says, number + 1, n=number + 1)
                return False
    if broken is not None:
        report.fault("event.changed", broken[1][0].upper() + broken[1][1:] + ".", broken[0], n=broken[0])
        return False
    head = bundle.events[-1]["hash"]
    if count == 1:
        says = f"The only event fits its hash, {head}: it was not changed without the hash being made anew."
    else:
        says = (
            f"The {count} events make one unbroken chain that ends in {head}: none was changed, left out, put in or "
            "moved without all hashes after it being made anew."
        )
    report.proves("chain", says, n=count, head=head)
    return True


def _is_written(event: dict[str, Any], line: bytes) -> bool:
    """Whether a line is the event to the byte: what was hashed with the hash behind it, or all of it in one order."""
    hashed, digest = seal(event)
    return line == hashed[:-1] + b',"hash":"' + digest.encode() + b'"}' or line == canonical(event)


def _verify_members(bundle: Bundle, settled: dict[str, Any] | None, report: _Report) -> None:
    """What stands beside the events in the file has to be what follows from them."""
    members = bundle.members
    first = bundle.events[0] if bundle.events and isinstance(bundle.events[0], dict) else {}
    last = bundle.events[-1] if bundle.events and isinstance(bundle.events[-1], dict) else {}
    if "rules" in members and members["rules"] != first.get("rules"):
        report.fault("rules.other", "The rules written beside the events are not those of the first event.")
    if "session" in members and members["session"] != first.get("session"):
        report.fault("session.other", "The session written beside the events is not theirs.")
    if "head" in members:
        head = {"session": first.get("session"), "version": last.get("seq"), "hash": last.get("hash")}
        if members["head"] != head:
            report.fault("head.other", "The head beside the events is not the last event's: was the end cut off?")
    if "settlement" in members and settled is not None:
        if members["settlement"] == settled:
            report.proves("settlement", "The settlement written beside the events is what follows from them.")
        else:
            report.fault("settlement.other", "The settlement written beside the events is not what follows from them.")


def _texts(bundle: Bundle, name: str) -> list[str]:
    written = bundle.members.get(name)
    return [text for text in written if isinstance(text, str)] if isinstance(written, list) else []


def _own_keys(bundle: Bundle, report: _Report) -> list[Key]:
    keys = []
    for text in _texts(bundle, "keys"):
        try:
            keys.append(parse_key(text))
        except NoteError as error:
            report.fault("key.unreadable", f"A public key in the file cannot be read: {error}.")
    return keys


def _place_on_log(bundle: Bundle, head: Head) -> str | None:
    """What is wrong with a head as one of these events' log; none where it lies on it."""
    first = bundle.events[0]
    if head.session != first.get("session"):
        return "is another session's"
    if head.version > len(bundle.events):
        return f"is of version {head.version}, and these events end at {len(bundle.events)}"
    event = bundle.events[head.version - 1]
    if event.get("hash") != head.hash:
        return f"is another than event {head.version} has here"
    if event.get("recorded_at") != head.time:
        return f"has another time than event {head.version} has here"
    return None


def _opened(note: str, keys: list[Key], verify: Verify) -> str:
    """The text of a note that one of the keys signed. Raises NoteError."""
    if not keys:
        raise NoteError("there is no public key to check it with: give one")
    return open_note(note, keys, verify).text


def _verify_signed_head(
    bundle: Bundle, keys: list[Key], pinned: bool, unbroken: bool, verify: Verify, report: _Report
) -> None:
    note = bundle.text("signed_head")
    if note is None:
        report.proves_not("unsigned", "Who kept this log: the file has no signed head.")
        return
    try:
        head = parse_head(_opened(note, keys, verify))
    except NoteError as error:
        if pinned:
            says = (
                f"The head in this file is not signed by the key you gave: {error}. If the host has changed its key "
                "since, give the older one, or export the night again."
            )
        else:
            says = f"The signature of the head in this file does not hold: {error}."
        report.fault("signature.wrong", says)
        return
    if not unbroken:
        return
    wrong = _place_on_log(bundle, head)
    if wrong is not None:
        says = f"The head that {head.origin} has signed {wrong}: the events were changed after it was signed."
        report.fault("head.off_log", says, _event_of(bundle, head), origin=head.origin, n=head.version)
        return
    report.signed_to = head.version
    if head.version < len(bundle.events):
        report.proves_not(
            "later", f"The events after {head.version}: the signed head does not reach them.", n=head.version
        )
    if pinned:
        says = (
            f"{head.origin} has signed this log up to event {head.version} with the key you gave. It cannot deny that, "
            "nor show another log of this session without being caught."
        )
        report.proves("signature", says, origin=head.origin, n=head.version)
    else:
        says = (
            f"That {head.origin} did not make the whole night anew: the file is signed, but with a key that it brings "
            "along itself. Give the key you noted earlier, or a head you kept."
        )
        report.proves_not("host", says, origin=head.origin)


def _event_of(bundle: Bundle, head: Head) -> int | None:
    return head.version if head.version <= len(bundle.events) else None


def _verify_log_proof(
    bundle: Bundle, keys: list[Key], pinned: bool, unbroken: bool, verify: Verify, report: _Report
) -> None:
    leaf, written = bundle.text("log_head"), bundle.text("log_proof")
    if leaf is None or written is None:
        says = "That the host keeps this session in its log of all heads: the file has no proof."
        report.proves_not("unlogged", says)
        return
    try:
        head = parse_head(leaf)
        checkpoint = _proven_in(leaf, written, keys, verify)
    except (NoteError, ProofError) as error:
        report.fault("log_proof.wrong", f"The proof from the log of heads does not hold: {error}.")
        return
    if not unbroken:
        return
    wrong = "comes from another log" if checkpoint.origin != head.origin else _place_on_log(bundle, head)
    if wrong is not None:
        says = f"The head in the log of heads {wrong}: the events were changed after it was entered there."
        report.fault("log_head.off_log", says, _event_of(bundle, head), origin=head.origin, n=head.version)
        return
    says = (
        f"The session up to event {head.version} stands in {checkpoint.origin}'s log of all heads, as of its "
        f"{counted(checkpoint.size, 'entry', 'entries')}"
    )
    values = {"origin": head.origin, "n": head.version, "size": checkpoint.size}
    if pinned:
        says += ": it cannot take it out again without other checkpoints of that log showing it."
        report.proves("log", says, **values)
    else:
        says += "; but that log too is signed with a key that the file brings along itself."
        report.proves_not("log.own_key", says, **values)


def _proven_in(leaf: str, written: str, keys: list[Key], verify: Verify) -> Checkpoint:
    """The checkpoint of the log in which a leaf lies. Raises NoteError, ProofError."""
    proof = parse_proof(written)
    checkpoint = parse_checkpoint(_opened(proof.checkpoint, keys, verify))
    verify_inclusion(proof.index, checkpoint.size, leaf_hash(leaf.encode()), proof.hashes, checkpoint.root)
    return checkpoint


def _verify_given_head(bundle: Bundle, note: str, keys: list[Key], verify: Verify, report: _Report) -> None:
    """A head that somebody was given earlier has to lie on this log."""
    try:
        head = parse_head(_opened(note, keys, verify))
    except NoteError as error:
        report.fault("given_head.unsigned", f"From the head that you gave nothing follows: {error}.")
        return
    if not bundle.events or not all(isinstance(event, dict) for event in bundle.events):
        return
    wrong = _place_on_log(bundle, head)
    if wrong is None:
        says = f"The head of version {head.version} that you gave lies on this log: nothing up to there has changed."
        report.proves("given_head", says, n=head.version)
    elif head.session != bundle.events[0].get("session"):
        report.fault(
            "given_head.elsewhere",
            f"The head that you gave is of session {head.session}: nothing follows.",
            session=head.session,
        )
    elif head.version > len(bundle.events):
        says = (
            f"The head that you gave {wrong}: either this file is older than the head, or the end of the log was cut "
            "off. Export the session again; if it is still shorter, it was cut off."
        )
        report.fault("given_head.beyond", says, n=head.version, last=len(bundle.events))
    elif head.version <= report.signed_to:
        says = f"The head that you gave {wrong}, and both are signed: {head.origin} changed its log. This proves it."
        report.fault("given_head.off_log", says, head.version, origin=head.origin, n=head.version)
    else:
        says = (
            f"The head that you gave {wrong}: {head.origin} changed its log, or somebody else changed this file. Only "
            "with its signature on this file as well would that be proven: export the session again."
        )
        report.fault("given_head.off_file", says, head.version, origin=head.origin, n=head.version)
