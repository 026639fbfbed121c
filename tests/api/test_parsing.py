"""What is not JSON to everybody is refused before anything looks at it."""

from __future__ import annotations

import pytest

from events.refusals import Refused
from service.api.parsing import parse_json


def refused(body: bytes) -> str:
    with pytest.raises(Refused) as caught:
        parse_json(body)
    assert caught.value.refusal.code == "request.invalid"
    return caught.value.refusal.detail


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b'{"a": 1} {"b": 2}', "not JSON"),
        (b'\xef\xbb\xbf{"a": 1}', "not JSON"),
        (b'{"a": 1, "a": 2}', "'a' is there twice"),
        (b'[{"x": {"b": 1, "b": 1}}]', "'b' is there twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": Infinity}', "Infinity"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1e400}', "too large"),
        (b'{"a": -1e400}', "too large"),
        (b'{"a": 18446744073709551616}', "larger than 2^53"),
        (b'{"a": ' + b"9" * 5000 + b"}", "larger than 2^53"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', "not UTF-8"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b'{"\\udfff": 1}', "surrogate"),
        (b'{"a": "\\u0000"}', "U+0000"),
        (b'{"a": "\x00"}', "not JSON"),
        (b"[" * 100_000, "deeper"),
        (b"[" * 17 + b"]" * 17, "deeper"),
        (b'{"a":' * 17 + b"1" + b"}" * 17, "deeper"),
    ],
)
def test_what_readers_disagree_on_is_refused(body: bytes, says: str) -> None:
    assert says in refused(body)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"amount": 2}', {"amount": 2}),
        (b'{"amount": -0}', {"amount": 0}),
        (b'{"seq": 9007199254740991}', {"seq": 2**53 - 1}),
        ('{"name": "Zoë 李 \\ud83c\\udccf"}'.encode(), {"name": "Zoë 李 🃏"}),
        (b"[" * 16 + b"]" * 16, [[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]),
        (b" [ ] \n", []),
    ],
)
def test_json_is_read(body: bytes, value: object) -> None:
    assert parse_json(body) == value


@pytest.mark.parametrize("body", [b"2.0", b"2e0", b"0.5", b"1E2"])
def test_a_number_with_a_point_or_an_exponent_stays_distinguishable(body: bytes) -> None:
    """So that the engine can refuse it as an amount: 2.0 is not 2."""
    assert isinstance(parse_json(body), float)
