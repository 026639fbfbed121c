"""Amounts are exact: what is read is written back, and shares add up to the last chip."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.amounts import AmountError, Unit, even_split, kept, share_out, unit_for

HALF = Unit("0.5", "0.01")


def refusal(unit, value):
    with pytest.raises(AmountError) as caught:
        unit.chips(value)
    assert str(caught.value)
    return caught.value.code


@pytest.mark.parametrize(
    ("written", "chips", "stored"),
    [
        ("1.50", 3, "1.5"), ("2", 4, "2"), (2, 4, "2"), ("2.5", 5, "2.5"), ("0", 0, "0"), ("-0", 0, "0"), (0, 0, "0"),
        ("-2", -4, "-2"), ("-0.5", -1, "-0.5"), (-3, -6, "-3"), ("0.50000", 1, "0.5"), ("100", 200, "100"),
        ("01", 2, "1"), ("999999999999999", 1999999999999998, "999999999999999"),
        (999999999999999, 1999999999999998, "999999999999999"),
        (-999999999999999, -1999999999999998, "-999999999999999"),
    ],
)  # fmt: skip
def test_an_amount_is_read_as_chips_and_written_without_trailing_zeros(written, chips, stored):
    for unit in (HALF, Unit("0.5", "0.01")):
        for _ in range(2):  # the second time it is remembered
            assert unit.chips(written) == chips
            assert unit.text(chips) == stored


@pytest.mark.parametrize(
    "written",
    ["", "-", "+2", ".5", "5.", "2,50", "2,", "1.2.3", "1e3", "1E3", " 2", "2 ", "2\n", "two", "NaN", "Infinity",
     "0x10", "1_000", "--2", "-.5", "\u0662", "\uff12", "\u00b2", "1\u0000", "1000000000000000", "0.0000000000000010",
     "9" * 5000, 10**15, -(10**15), 2**64, True, False, None, [], ["2"], {}, {"2": 2}, b"2", Decimal(2)],
)  # fmt: skip
def test_what_is_no_decimal_is_invalid(written):
    assert refusal(HALF, written) == "event.invalid"


def test_an_amount_is_at_most_so_many_chips_and_a_sum_of_them_is_read_back_whatever_it_is():
    tiny, most = Unit("0.000001", "0.01"), 2**53 - 1
    assert kept(tiny.chips("9007199254")) == 9007199254 * 10**6 < most
    for chips in (tiny.chips("9007199255"), tiny.chips(-(10**14)), most + 1):
        with pytest.raises(AmountError) as caught:
            kept(chips)
        assert caught.value.code == "event.invalid"
    for chips in (most + 1, -(10**22), 16 * 10**6 * most):
        for unit in (tiny, HALF):
            assert unit.chips_of(unit.text(chips)) == chips
            assert unit.coins_of(unit.coin_text(chips)) == chips


@pytest.mark.parametrize("number", [1.5, 2.0, float("nan"), float("inf"), -0.0, 1e400])
def test_a_number_with_a_point_is_not_exact_even_where_it_is_whole(number):
    HALF.chips("2")  # a remembered text of the same value does not let the number through
    assert refusal(HALF, number) == "amount.not_exact"


def test_true_is_not_the_remembered_one():
    HALF.chips("1")
    HALF.chips(1)
    assert refusal(HALF, True) == "event.invalid"


@pytest.mark.parametrize("written", ["0.25", "1.25", "-0.1", "0.50001", "0.0000000000001"])
def test_a_part_of_a_chip_is_refused(written):
    assert refusal(HALF, written) == "amount.not_chip"


def test_chips_of_one_take_no_half():
    unit = Unit("1", "0.01")
    assert refusal(unit, "0.5") == "amount.not_chip"
    assert unit.chips("3.0") == 3


@pytest.mark.parametrize(
    ("chip", "written", "chips"),
    [
        ("0.25", "1.75", 7),
        ("0.3", "0.9", 3),
        ("5", "15", 3),
        ("2.50", "5", 2),
        ("0.000001", "0.000007", 7),
        (2, "4", 2),
    ],
)
def test_any_decimal_may_be_the_smallest_chip(chip, written, chips):
    unit = Unit(chip, "0.01")
    assert unit.chips(written) == chips
    assert unit.text(chips) == written


def test_a_chip_that_does_not_divide_one_still_divides_exactly():
    assert refusal(Unit("0.3", "0.01"), 1) == "amount.not_chip"
    assert Unit("0.3", "0.01").chips(3) == 10


def test_coins_are_read_by_the_coin():
    unit = Unit("0.5", "0.01")
    assert unit.coins("2.37") == 237
    assert unit.coin_text(237) == "2.37"
    assert unit.coin_text(-350) == "-3.5"
    with pytest.raises(AmountError) as caught:
        unit.coins("0.001")
    assert caught.value.code == "amount.not_chip"
    assert "coins of 0.01" in str(caught.value)


@pytest.mark.parametrize(
    ("chip", "code"),
    [("0", "amount.not_positive"), ("-1", "amount.not_positive"), (0, "amount.not_positive"), ("x", "event.invalid"),
     (0.5, "amount.not_exact"), ("0.0000001", "event.invalid"), (None, "event.invalid"), (True, "event.invalid")],
)  # fmt: skip
def test_a_unit_is_more_than_nothing_and_decimal(chip, code):
    for pair in ((chip, "0.01"), ("0.5", chip)):
        with pytest.raises(AmountError) as caught:
            Unit(*pair)
        assert caught.value.code == code


def test_a_unit_writes_itself_without_trailing_zeros():
    unit = Unit("0.5000000", "01.00")
    assert (unit.chip, unit.coin) == ("0.5", "1")


def test_units_of_the_same_texts_are_shared_and_bounded():
    assert unit_for("0.5", "0.01") is unit_for("0.5", "0.01")
    for coin in range(1, 200):
        assert unit_for("0.5", str(coin)).coin == str(coin)


def test_more_amounts_than_are_remembered_stay_right():
    unit = Unit("0.5", "0.01")
    for chips in range(5000):
        assert unit.chips(unit.text(chips)) == chips
    assert unit.chips("2.5") == 5
    assert unit.text(5) == "2.5"


@given(st.integers(-(10**9), 10**9), st.sampled_from(["0.5", "1", "0.01", "0.25", "0.000001", "3", "1.5"]))
def test_text_reads_back_and_is_the_value(chips, chip):
    unit = Unit(chip, "0.01")
    text = unit.text(chips)
    assert unit.chips(text) == chips
    assert Fraction(text) == chips * Fraction(chip)
    assert "e" not in text
    assert text == "0" or not (text.startswith("-0") and "." not in text)
    assert "." not in text or not text.endswith(("0", "."))


@given(st.text(alphabet="0123456789.-+, e", max_size=18))
def test_any_text_is_an_exact_amount_or_one_of_two_refusals(text):
    try:
        chips = HALF.chips(text)
    except AmountError as error:
        assert error.code in ("event.invalid", "amount.not_chip")  # noqa: PT017
    else:
        assert Fraction(text) == Fraction(chips, 2)


def test_the_odd_chips_go_to_the_first_from_the_dealers_left():
    """Seven chips between two make four and three, and none is lost."""
    assert even_split(7, ["B", "D"]) == {"B": 4, "D": 3}
    assert even_split(8, ["D", "A", "B"]) == {"D": 3, "A": 3, "B": 2}
    assert even_split(0, ["A", "B"]) == {"A": 0, "B": 0}
    assert even_split(1, ["A", "B"]) == {"A": 1, "B": 0}


@pytest.mark.parametrize("call", [(1, []), (-1, ["A"]), (4, ["A", "A"])])
def test_what_cannot_be_split_is_an_error(call):
    with pytest.raises(ValueError, match="share"):
        even_split(*call)


def test_nothing_is_shared_among_nobody():
    assert even_split(0, []) == {}
    assert share_out(0, [("A", 0), ("B", 0)]) == {"A": 0, "B": 0}


@pytest.mark.parametrize("weights", [[("A", -1), ("B", 3)], [("A", 0)], [("A", 1), ("A", 1)]])
def test_shares_that_mean_nothing_are_an_error(weights):
    with pytest.raises(ValueError, match="share"):
        share_out(5, weights)


def test_largest_remainders_take_what_is_left():
    assert share_out(10, [("A", 1), ("B", 1), ("C", 1)]) == {"A": 4, "B": 3, "C": 3}
    assert share_out(100, [("A", 1), ("B", 2), ("C", 4)]) == {"A": 14, "B": 29, "C": 57}
    assert share_out(1, [("A", 1), ("B", 2)]) == {"A": 0, "B": 1}


@given(
    st.integers(0, 10**12),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=16).filter(any),
)
def test_shares_add_up_and_are_within_one_piece_of_exact(total, weights):
    named = [(f"P{place}", weight) for place, weight in enumerate(weights)]
    shares = share_out(total, named)
    assert sum(shares.values()) == total
    for name, weight in named:
        exact = Fraction(total * weight, sum(weights))
        assert abs(shares[name] - exact) < 1
        assert weight or shares[name] == 0


@given(st.integers(0, 10**6), st.integers(1, 16))
def test_equal_shares_differ_by_at_most_one_and_never_grow_along_the_table(total, winners):
    shares = list(even_split(total, [f"P{place}" for place in range(winners)]).values())
    assert sum(shares) == total
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[-1] <= 1
