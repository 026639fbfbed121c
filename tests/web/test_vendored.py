"""What came from npm is listed, with its version, licence and digest, and is as it came."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from service.web import pages

VENDOR = Path(pages.__file__).parent / "static" / "vendor"
ROW = re.compile(
    r"^\| `(?P<file>[\w./-]+)` \| `[\w./-]+` \| [@\w/-]+ \| [\d.]+ \| [\w.-]+ \| `(?P<digest>[0-9a-f]{64})` \|$",
    re.MULTILINE,
)


def test_every_vendored_file_is_listed_as_it_is() -> None:
    listed = {row["file"]: row["digest"] for row in ROW.finditer((VENDOR / "VENDORED.md").read_text("utf-8"))}
    assert len(listed) >= 10
    for name, digest in listed.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name
    here = {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*.[mw]*") if path.suffix in (".mjs", ".wasm")}
    assert here - listed.keys() == set()
