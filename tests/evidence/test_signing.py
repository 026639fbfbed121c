"""The instance's key: made once, kept for its owner alone, given by the environment, followed by another."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest

from events.heads import trusted_keys
from events.signed_note import open_note, parse_key
from service.signing import KeyFault, SigningKey, given_keys, key_file, read_keys, verify, write_keys

# The key of the Go module's own tests, in the form in which that module writes it.
PETER = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]


def test_a_key_of_another_tool_is_read_and_written_as_it_is() -> None:
    key = SigningKey.parse(PETER, "ignored")
    assert key.text == PETER
    assert key.public.text() == "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"


@pytest.mark.parametrize("text", [SEED.hex(), base64.b64encode(SEED).decode(), PETER])
def test_the_environment_gives_a_key_in_three_forms(text: str) -> None:
    (key,) = given_keys("PeterNeumann", {"BRAGBOOK_SIGNING_KEY": f" {text}\n"})
    assert key.text == PETER


@pytest.mark.parametrize("text", ["", "  "])
def test_no_key_is_given(text: str) -> None:
    assert given_keys("crown", {"BRAGBOOK_SIGNING_KEY": text}) == []


@pytest.mark.parametrize("text", ["secret", PETER[:-4], PETER.replace("c74f", "c74e"), "00" * 31, "PRIVATE+KEY+x"])
def test_what_is_no_key_is_said_without_repeating_it(text: str) -> None:
    with pytest.raises(KeyFault, match="BRAGBOOK_SIGNING_KEY") as caught:
        given_keys("crown", {"BRAGBOOK_SIGNING_KEY": text})
    assert text not in str(caught.value)


def test_a_kept_key_is_its_owners_alone(tmp_path: Path) -> None:
    path, key = key_file(tmp_path / "data", "crown"), SigningKey.new("crown")
    assert read_keys(path, "crown") == []
    write_keys(path, [key])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [one.text for one in read_keys(path, "crown")] == [key.text]
    assert [one.name for one in path.parent.iterdir()] == [path.name], "nothing is left beside it"


def test_a_damaged_file_is_not_replaced_in_silence(tmp_path: Path) -> None:
    path = key_file(tmp_path, "crown")
    write_keys(path, [SigningKey.new("crown")])
    path.write_text("PRIVATE+KEY+crown+00000000+AAAA")
    with pytest.raises(KeyFault, match="no signing key"):
        read_keys(path, "crown")


def test_signing_and_verifying() -> None:
    key, other = SigningKey.new("crown"), SigningKey.new("crown")
    note = key.sign("hello\n")
    assert open_note(note, [key.public], verify).text == "hello\n"
    assert not verify(other.public.public, key.signature("hello\n").blob, b"hello\n")
    assert not verify(key.public.public, b"short", b"hello\n")
    assert not verify(bytes(32), bytes(64), b"hello\n")


def test_a_key_follows_another_and_each_leads_to_the_other() -> None:
    first, second, third = (SigningKey.new("crown") for _ in range(3))
    changes = [third.follow(second), second.follow(first)]
    for start in (first, second, third):
        found = trusted_keys([start.public], changes, verify)
        assert {key.text() for key in found} == {one.public.text() for one in (first, second, third)}
    stranger = SigningKey.new("crown")
    forged = stranger.follow(stranger).replace(stranger.public.text(), first.public.text(), 1)
    assert trusted_keys([first.public], [forged], verify) == [first.public]
    assert parse_key(first.public.text()).number == first.public.number
