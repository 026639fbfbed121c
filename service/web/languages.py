"""The words of the pages, in each of the languages.

The words stand in `languages/{code}.json`, one flat object each; the page gets the same words as the templates.
"""

from __future__ import annotations

import json
from pathlib import Path

from babel import Locale

from events.story import LANGUAGES

COOKIE = "bragbook_language"
_FOLDER = Path(__file__).parent / "languages"


class Words:
    """The words of one language. `words("turn.act", name="Ann")` gives the text with its gaps filled."""

    def __init__(self, code: str, texts: dict[str, str]) -> None:
        self.code = code
        self.texts = texts

    def __call__(self, key: str, **gaps: object) -> str:
        """The text of `key`. Raises KeyError for a key that no language has: a page must not show a key."""
        text = self.texts[key]
        for name, value in gaps.items():
            text = text.replace("{" + name + "}", str(value))
        return text


def _own_name(code: str) -> str:
    return (Locale.parse(code).get_display_name(code) or code).capitalize()


OWN_NAMES = {code: _own_name(code) for code in LANGUAGES}


def _read(code: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for path in sorted(_FOLDER.glob(f"*.{code}.json")):
        part: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        doubled = texts.keys() & part.keys()
        if doubled:
            raise ValueError(f"{path.name}: said twice: {sorted(doubled)}")
        texts.update(part)
    return texts


def read_all() -> dict[str, Words]:
    """Every language's words, by code."""
    return {code: Words(code, _read(code)) for code in LANGUAGES}
