"""Accounts say whose they are, and no two players share one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.export.accounts import POT, account, commodity, name_part, player_of
from tests.export.nights import AWKWARD_NAMES

IDS = st.text(st.sampled_from("ABZaz09_-"), min_size=1, max_size=32)


@given(IDS, st.text(max_size=80))
def test_the_id_can_be_read_back_whatever_the_name(player: str, name: str) -> None:
    assert player_of(account(player, name)) == player


@given(IDS, IDS)
def test_two_players_of_one_name_never_share_an_account(one: str, other: str) -> None:
    assert (account(one, "Sam") == account(other, "Sam")) == (one == other)


def test_what_is_no_players_account_is_nobodys() -> None:
    assert player_of(POT) is None
    assert player_of("Equity:Brag:P-") is None


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("Ann", "Ann"), ("ann", "Ann"), ("J.R.", "J-R"), ("Big C (host)", "Big-C-host"), ("♠Max♠", "Max"),
        ("مريم", "Name-مريم"), ("♠♥", "Name"), ("-Dee", "Dee"), ("Player 3", "Player-3"), ("élan", "Élan"),
    ],
)  # fmt: skip
def test_a_name_as_an_account_spells_it(name: str, part: str) -> None:
    assert name_part(name) == part


@pytest.mark.parametrize(
    ("unit", "symbol"),
    [("pts", "PTS"), ("£", "POINTS"), ("jetons à 5", "JETONS-A-5"), ("p", "U-P"), ("2p", "U-2P"), ("GBP", "GBP")],
)
def test_a_unit_as_a_commodity(unit: str, symbol: str) -> None:
    assert commodity(unit) == symbol


def test_every_awkward_name_has_its_own_account() -> None:
    accounts = [account(player, name) for player, name in AWKWARD_NAMES.items()]
    assert len(set(accounts)) == len(accounts)
    assert [player_of(each) for each in accounts] == list(AWKWARD_NAMES)
