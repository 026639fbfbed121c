"""Signed notes, checkpoints and log proofs, against the vectors of golang.org/x/mod/sumdb/note and of c2sp.org."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from tlog_scales import signing as other_signing
from tlog_scales import tlog as other

from events import checkpoint, heads, merkle, signed_note
from events.signed_note import Key, NoteError
from tests.evidence.signing import sign_note, verify

# The keys and the note of the Go module's own tests.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
ENOCH = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETER_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
ENOCH_LINE = (
    "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)


def keys(*texts: str) -> list[Key]:
    return [signed_note.parse_key(text) for text in texts]


def test_a_key_is_read_and_written_as_it_is() -> None:
    key = signed_note.parse_key(PETER)
    assert key.name == "PeterNeumann"
    assert key.number == 0xC74F20A3
    assert key.text() == PETER


def test_no_mangled_key_is_taken() -> None:
    for start in range(len(PETER) + 1):
        for end in range(start + 1, len(PETER) + 1):
            if (start, end) != (0, len(PETER)):
                with pytest.raises(NoteError):
                    signed_note.parse_key(PETER[start:end])
    for place in range(len(PETER)):
        mangled = PETER[:place] + chr(ord(PETER[place]) + 1) + PETER[place + 1 :]
        with pytest.raises(NoteError):
            signed_note.parse_key(mangled)
    for bad in (
        # another length of key, and another algorithm, each with the key id that fits
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    ):
        with pytest.raises(NoteError):
            signed_note.parse_key(bad)


def test_signing_gives_the_published_note_byte_for_byte() -> None:
    private = Ed25519PrivateKey.from_private_bytes(PETER_SEED)
    note = sign_note(TEXT, signed_note.parse_key(PETER), private)
    assert note == TEXT + "\n" + PETER_LINE


@pytest.mark.parametrize("name", ["", "a+b", "a b", "a\u2003b", "a\u00a0b", "a\nb"])
def test_names_that_no_key_can_have(name: str) -> None:
    with pytest.raises(NoteError):
        Key(name, bytes(32))


def test_one_signature_known_and_one_not() -> None:
    opened = signed_note.open_note(TEXT + "\n" + PETER_LINE + ENOCH_LINE, keys(PETER), verify)
    assert opened.text == TEXT
    assert [key.name for key in opened.keys] == ["PeterNeumann"]
    assert [one.name for one in opened.unknown] == ["EnochRoot"]


def test_both_known() -> None:
    opened = signed_note.open_note(TEXT + "\n" + PETER_LINE + ENOCH_LINE, keys(PETER, ENOCH), verify)
    assert [key.name for key in opened.keys] == ["PeterNeumann", "EnochRoot"]
    assert opened.unknown == []


def test_none_known() -> None:
    with pytest.raises(NoteError, match="no signature by a key that is trusted"):
        signed_note.open_note(TEXT + "\n" + PETER_LINE, [], verify)


def test_two_keys_of_one_name() -> None:
    with pytest.raises(NoteError, match="two keys are called EnochRoot"):
        signed_note.open_note(TEXT + "\n" + ENOCH_LINE, keys(ENOCH, PETER, ENOCH), verify)
    opened = signed_note.open_note(TEXT + "\n" + PETER_LINE, keys(ENOCH, PETER, ENOCH), verify)
    assert [key.name for key in opened.keys] == ["PeterNeumann"]


def test_too_many_signatures() -> None:
    signed_note.open_note(TEXT + "\n" + PETER_LINE * 100, keys(PETER), verify)
    with pytest.raises(NoteError, match="more than 100"):
        signed_note.open_note(TEXT + "\n" + PETER_LINE * 101, keys(PETER), verify)


def test_a_wrong_signature_by_a_known_key_refuses_the_whole_note() -> None:
    wrong = PETER_LINE[:60] + "ABCD" + PETER_LINE[60:]
    with pytest.raises(NoteError, match=r"signature by PeterNeumann\+c74f20a3 is wrong"):
        signed_note.open_note(TEXT + "\n" + wrong, keys(PETER), verify)
    with pytest.raises(NoteError, match="is wrong"):
        signed_note.open_note(TEXT.replace("think", "thinK") + "\n" + PETER_LINE, keys(PETER), verify)


def test_doubled_signatures_count_once() -> None:
    strange = ENOCH_LINE[:60] + "ABCD" + ENOCH_LINE[60:]
    note = TEXT + "\n" + PETER_LINE * 2 + ENOCH_LINE * 2 + strange
    opened = signed_note.open_note(note, keys(PETER), verify)
    assert len(opened.keys) == 1
    assert [one.line() for one in opened.unknown] == [ENOCH_LINE, strange]


@pytest.mark.parametrize(
    "written",
    [
        TEXT.encode(),
        (TEXT + "\n").encode(),
        (TEXT + "\n" + PETER_LINE[:-1]).encode(),
        ("\x01" + TEXT + "\n" + PETER_LINE).encode(),
        b"\xff" + (TEXT + "\n" + PETER_LINE).encode(),
        (TEXT + "\n" + PETER_LINE.replace("PeterNeumann", "Bad Name")).encode(),
        (TEXT + "\n" + PETER_LINE + "Unexpected line.\n").encode(),
        (TEXT + "\n— PeterNeumann x08g\n").encode(),
        b"",
    ],
)
def test_malformed_notes(written: bytes) -> None:
    with pytest.raises(NoteError):
        signed_note.open_note(written, keys(PETER), verify)


def test_the_example_of_the_specification() -> None:
    """A text with an empty line in it; its key is not published, so only its form can be held to."""
    note = (
        "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n"
        "— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaq"
        "P3ZekRwNtIc=\n"
    )
    parsed = signed_note.parse_note(note)
    assert parsed.text.endswith("ed è subito sera.\n")
    assert parsed.signatures[0].name == "quasimodo.example/salvatore"
    assert len(parsed.signatures[0].blob) == 64
    assert parsed.format() == note


def test_the_example_checkpoint_of_the_specification() -> None:
    note = (
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
        "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE"
        "+xeMcTOAYQ8=\n"
    )
    parsed = checkpoint.parse_checkpoint(signed_note.parse_note(note).text)
    assert (parsed.origin, parsed.size) == ("example.com/behind-the-sofa", 20852163)
    assert parsed.text() + "\n" + signed_note.parse_note(note).signatures[0].line() == note


@pytest.mark.parametrize(
    "text",
    [
        "",
        "origin\n1\n",
        "origin\n01\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n-1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n9223372036854775808\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I\n",
        "origin\n1\nCsUY\n",
        "\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\nmore\n",
    ],
)
def test_what_is_no_checkpoint(text: str) -> None:
    with pytest.raises(NoteError):
        checkpoint.parse_checkpoint(text)


@given(
    st.text("abcdefghijklmnopqrstuvwxyz0123456789./-é", min_size=1, max_size=40),
    st.integers(1, 2**63 - 1),
    st.binary(min_size=32, max_size=32),
    st.binary(min_size=32, max_size=32),
)
def test_another_implementation_reads_what_is_signed_here_and_signs_what_is_read(
    origin: str, size: int, root: bytes, seed: bytes
) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    key = Key(origin, private.public_key().public_bytes_raw())
    text = checkpoint.Checkpoint(origin, size, root).text()
    note = sign_note(text, key, private)

    theirs = other.Checkpoint.from_text(note)
    theirs.verify(other_signing.Vkey.from_string(key.text()))
    assert (theirs.origin, theirs.size, theirs.root_hash) == (origin, size, root)

    signer = other_signing.PlainEd25519Signer(origin, seed)
    assert other.Checkpoint.make_signed(origin, size, root, [signer]).serialize() == note
    assert signed_note.open_note(note, [key], verify).text == text


def test_a_log_proof_is_written_and_read() -> None:
    tree = merkle.Tree([merkle.leaf_hash(str(number).encode()) for number in range(11)])
    private = Ed25519PrivateKey.from_private_bytes(PETER_SEED)
    text = checkpoint.Checkpoint("PeterNeumann", 11, tree.root()).text()
    note = sign_note(text, signed_note.parse_key(PETER), private)
    written = checkpoint.LogProof(4, tree.inclusion_proof(4), note).format()
    assert written.startswith("c2sp.org/tlog-proof@v1\nindex 4\n")

    read = checkpoint.parse_proof(written)
    state = checkpoint.parse_checkpoint(signed_note.open_note(read.checkpoint, keys(PETER), verify).text)
    merkle.verify_inclusion(read.index, state.size, merkle.leaf_hash(b"4"), read.hashes, state.root)
    with_extra = written.replace("index 4", "extra YWdl\nindex 4")
    assert checkpoint.parse_proof(with_extra).format() == written
    for bad in ("", "x" + written, written.replace("index 4", "index 04"), written.replace("index", "Index")):
        with pytest.raises(NoteError):
            checkpoint.parse_proof(bad)


HEAD = heads.Head(
    "crown.example/bragbook", "0190a3c4-7c11-7d5a-9c1d-5b8f0c6f8a01", 31, "9f" * 32, "2026-10-20T22:15:03Z"
)


def test_a_head_is_written_and_read() -> None:
    read = heads.parse_head(HEAD.text())
    assert read.text() == HEAD.text()
    assert (read.origin, read.session, read.version) == (HEAD.origin, HEAD.session, 31)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version 31", "version 031"),
        ("version 31", "version 0"),
        ("9f9f", "9F9F"),
        ("9f9f", "9f"),
        ("time", "Time"),
        ("session 0190", "session\n0190"),
        ("time 2026-10-20T22:15:03Z\n", "time 2026-10-20T22:15:03Z\nmore\n"),
        ("time 2026-10-20T22:15:03Z", "time "),
    ],
)
def test_what_is_no_head(old: str, new: str) -> None:
    with pytest.raises(NoteError):
        heads.parse_head(HEAD.text().replace(old, new, 1))


def test_a_head_is_never_a_checkpoint_nor_the_other_way_round() -> None:
    with pytest.raises(NoteError):
        checkpoint.parse_checkpoint(HEAD.text())
    with pytest.raises(NoteError):
        heads.parse_head(checkpoint.Checkpoint(HEAD.origin, 31, bytes(32)).text())
