"""Every language says everything that the pages say, with the same gaps, and in the terms of the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from events.house_rules import HOUSE_RULES
from service.languages import choose
from service.web import pages
from service.web.languages import read_all

LANGUAGES = read_all()
STATIC = Path(pages.__file__).parent / "static" / "app"
GAP = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_same_keys_and_gaps(code: str) -> None:
    english, other = LANGUAGES["en"].texts, LANGUAGES[code].texts
    assert other.keys() == english.keys()
    for key, text in english.items():
        assert set(GAP.findall(other[key])) == set(GAP.findall(text)), key
        assert other[key].strip(), key


def test_every_key_that_a_page_names_is_there() -> None:
    named = set()
    for path in STATIC.rglob("*.js"):
        named |= set(re.findall(r"""\bt\(\s*"([a-z_.]+[a-z_])"[,)]""", path.read_text(encoding="utf-8")))
    assert len(named) > 150
    assert named - LANGUAGES["en"].texts.keys() == set()


def test_every_house_rule_is_explained() -> None:
    texts = LANGUAGES["en"].texts
    for rule in HOUSE_RULES:
        assert f"rule.{rule.name}" in texts
        assert f"rule.{rule.name}_line" in texts
        for value in rule.values:
            assert f"rule.{rule.name}.{value}" in texts


@pytest.mark.parametrize(
    ("code", "terms"),
    [
        ("es", {"figure.pot": "Bote", "do.fold": "Retirarse", "do.see": "Ver", "seat.dealer": "repartidor"}),
        ("fr", {"figure.pot": "Pot", "do.fold": "Se coucher", "do.see": "Voir", "seat.dealer": "donneur"}),
        ("it", {"figure.pot": "Piatto", "do.fold": "Lascia", "do.see": "Vedi", "seat.dealer": "mazziere"}),
    ],
)
def test_the_games_own_terms(code: str, terms: dict[str, str]) -> None:
    for key, term in terms.items():
        assert LANGUAGES[code].texts[key] == term


@pytest.mark.parametrize(
    ("asked", "remembered", "accepted", "chosen"),
    [
        ("fr", "es", ["it"], "fr"),
        (None, "es", ["it"], "es"),
        (None, None, ["it-CH", "en"], "it"),
        (None, None, ["de", "fr-CA"], "fr"),
        (None, None, ["de"], "en"),
        ("xx", "yy", [], "en"),
    ],
)
def test_the_language_is_chosen(asked: str | None, remembered: str | None, accepted: list[str], chosen: str) -> None:
    assert choose(asked, remembered, accepted) == chosen
