"""The files that a page loads: read once, packed once, addressed by what is in them.

Every file is served under `/static/{version}/…`, where the version is a digest over all of them. A browser may keep
such a file for ever, modules find each other by relative paths, and a new version of the page is a new address.
"""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from service.web.engine_bundle import VERIFIER, bundle, ingredients

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}
ALREADY_PACKED = frozenset({".png"})
LEAST_WORTH_PACKING_BYTES = 400
IMPORTED = re.compile(rb"""(?:^|\n)(?:import|export)\s[^;]*?["'](\.[^"']+)["']""")


class Asset:
    """One file: its bytes, the same bytes gzipped where that is worth it, and its media type.

    Both are made when first asked for: to work them all out at the start would hold it up by a second and more.
    """

    def __init__(self, suffix: str, make: Callable[[], bytes]) -> None:
        self.media_type = TYPES[suffix]
        self._may_pack = suffix not in ALREADY_PACKED
        self._make = make

    @cached_property
    def body(self) -> bytes:
        """The file's bytes."""
        return self._make()

    @cached_property
    def gzipped(self) -> bytes | None:
        """The same, packed; None where it is not worth it."""
        if not self._may_pack or len(self.body) < LEAST_WORTH_PACKING_BYTES:
            return None
        # mtime 0: the same file packs to the same bytes on every machine
        return gzip.compress(self.body, 9, mtime=0)


class Assets:
    """All files under `root`, the engine as `engine.json`, and its audit as `verify/verifier.json`."""

    def __init__(self, root: Path) -> None:
        self.files: dict[str, Asset] = {}
        digest = hashlib.sha256()
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix in TYPES:
                name = path.relative_to(root).as_posix()
                self.files[name] = Asset(path.suffix, path.read_bytes)
                _add(digest, name, path.read_bytes())
        self.files["engine.json"] = Asset(".json", bundle)
        self.files["verify/verifier.json"] = Asset(".json", lambda: bundle(VERIFIER))
        for name, source in ingredients():
            _add(digest, name, source)
        self.version = digest.hexdigest()[:12]

    def address(self, name: str) -> str:
        """Where a page finds the file. Raises KeyError where there is none of that name."""
        if name not in self.files:
            raise KeyError(f"no such file for a page: {name}")
        return f"/static/{self.version}/{name}"

    def modules_of(self, *names: str) -> list[str]:
        """The addresses of modules and of all that they import, so that a page can ask for all of them at once."""
        found: list[str] = []
        waiting = list(names)
        while waiting:
            name = waiting.pop(0)
            if name in found or name not in self.files:
                continue
            found.append(name)
            folder = posixpath.dirname(name)
            imported = IMPORTED.findall(self.files[name].body)
            waiting.extend(posixpath.normpath(posixpath.join(folder, path.decode())) for path in imported)
        return [self.address(name) for name in found]

    def kept_offline(self) -> list[str]:
        """What the service worker keeps, so that the recorder starts without a network."""
        not_kept = (".md", "sw.js")
        kept = [name for name in sorted(self.files) if not name.endswith(not_kept) and not name.startswith("verify/")]
        return [self.address(name) for name in kept]


def _add(digest: hashlib._Hash, name: str, body: bytes) -> None:
    # lengths in front, so that no two lists of files make the same input
    digest.update(f"{len(name)}:{name}{len(body)}:".encode() + body)
