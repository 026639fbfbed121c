"""`bragbook audit` with a key and heads that somebody kept, on files of a host who may cheat."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from service.export.documents import bundle, ndjson
from service.export.night import Night
from tests.cli.terminal import bragbook
from tests.evidence.signing import Host
from tests.evidence.test_bundle import changed
from tests.export.nights import named_case, of_case


def written(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_a_bundle_alone_says_what_it_does_not_prove(tmp_path: Path, night: Night, host: Host) -> None:
    ran = bragbook("audit", written(tmp_path / "night.json", host.bundle(night)))
    assert ran.code == 0
    assert "proven: The 18 events make one unbroken chain" in ran.out
    assert "not proven: That crown.example/bragbook did not make the whole night anew" in ran.out


def test_with_a_key_as_text_or_in_a_file(tmp_path: Path, night: Night, host: Host) -> None:
    path = written(tmp_path / "night.json", host.bundle(night))
    key = written(tmp_path / "key", host.key.text() + "\n")
    for given in (host.key.text(), key):
        ran = bragbook("audit", path, "--key", given)
        assert ran.code == 0
        assert "proven: crown.example/bragbook has signed this log up to event 18 with the key you gave" in ran.out
    wrong = bragbook("audit", path, "--key", Host(2).key.text())
    assert wrong.code == 1
    assert "not as it was: The head in this file is not signed by the key you gave" in wrong.out
    assert "give the older one, or export the night again" in wrong.out


@pytest.mark.parametrize("as_answer", [False, True])
def test_a_head_that_was_kept_catches_a_night_made_anew(
    tmp_path: Path, night: Night, host: Host, as_answer: bool
) -> None:
    note = host.head(list(night.events), 9)
    kept = written(tmp_path / "head", json.dumps({"version": 9, "head": note}) if as_answer else note)
    good = written(tmp_path / "night.json", host.bundle(night))
    assert bragbook("audit", good, "--head", kept, "--key", host.key.text()).code == 0

    forged = changed(night, lambda events: events[6].update(recorded_at="2026-06-27T23:59:00Z"))
    path = written(tmp_path / "forged.json", host.bundle(forged))
    assert bragbook("audit", path, "--key", host.key.text()).code == 0
    ran = bragbook("audit", path, "--head", kept, "--key", host.key.text())
    assert ran.code == 1
    assert "changed its log. This proves it." in ran.out
    plain = json.loads(bragbook("audit", path, "--head", kept, "--key", host.key.text(), "--json").out)
    assert plain["verdict"] == "sound"
    assert plain["sound"] is False
    assert plain["faults"][0]["event"] == 9


def test_a_byte_changed_names_the_event_in_both_kinds_of_file(tmp_path: Path, night: Night, host: Host) -> None:
    for data in (host.bundle(night), b"".join(bundle(night)), b"".join(ndjson(night))):
        place = data.index(b'"as":"seen"') + 6
        spoilt = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        ran = bragbook("audit", written(tmp_path / "spoilt", spoilt))
        assert ran.code == 1
        assert "event 8" in ran.out.lower()
    # so that it is no longer JSON at all
    place = host.bundle(night).index(b'"as":"seen"') + 3
    spoilt = host.bundle(night)[:place] + b"\x00" + host.bundle(night)[place + 1 :]
    ran = bragbook("audit", written(tmp_path / "spoilt", spoilt))
    assert ran.code == 2
    assert "event 8 is damaged and cannot be read" in ran.err


def test_a_file_without_its_first_hash_is_not_taken_for_a_clients(tmp_path: Path, night: Night) -> None:
    lines = b"".join(ndjson(night)).split(b"\n")
    first = json.loads(lines[0])
    del first["hash"]
    ran = bragbook("audit", written(tmp_path / "night", b"\n".join([json.dumps(first).encode(), *lines[1:]])))
    assert ran.code == 1
    assert "event 1 is not what was stored" in ran.out


@pytest.mark.parametrize("option", ["--key", "--head"])
def test_what_is_no_key_and_no_head_is_one_line(tmp_path: Path, night: Night, host: Host, option: str) -> None:
    path = written(tmp_path / "night.json", host.bundle(night))
    for given in (tmp_path / "none", written(tmp_path / "nonsense", "nonsense\n")):
        ran = bragbook("audit", path, option, given)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_what_was_signed_of_another_night_does_not_fit(tmp_path: Path, night: Night, host: Host) -> None:
    other = of_case(named_case("three-card-levels"))
    mixed = dataclasses.replace(night, evidence=host.evidence(list(other.events)))
    ran = bragbook("audit", written(tmp_path / "night.json", b"".join(bundle(mixed))))
    assert ran.code == 1
