"""A night, and whoever keeps its log."""

from __future__ import annotations

import pytest

from service.export.night import Night
from tests.evidence.signing import Host
from tests.export.nights import named_case, of_case


@pytest.fixture
def night() -> Night:
    """The worked example of the rules."""
    return of_case(named_case("three-card-worked-example"))


@pytest.fixture
def host() -> Host:
    """An instance that signs."""
    return Host()
