"""Which of the languages that there are somebody is answered in."""

from __future__ import annotations

from babel import negotiate_locale

from events.story import LANGUAGES


def choose(asked: str | None, remembered: str | None, accept_language: list[str]) -> str:
    """The language to answer in: what was just asked for, else what they had, else what the browser says."""
    for wish in (asked, remembered):
        if wish in LANGUAGES:
            return wish
    return negotiate_locale(accept_language, LANGUAGES, sep="-") or LANGUAGES[0]
