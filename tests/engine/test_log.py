"""What is hashed is written one way only (RFC 8785), and the chain shows what was done to a log (contract.md §3)."""

import copy
import hashlib
import json

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from events.log import DEPTH_MOST, GENESIS, INTEGER_MOST, canonical, chain_fault, seal

# --- canonical form ---------------------------------------------------------------------------------------------------

storable_text = st.text(st.characters(exclude_characters="\x00", exclude_categories=("Cs",)))
ascii_names = st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=8)
exact_integers = st.integers(-INTEGER_MOST, INTEGER_MOST)
storable = st.recursive(
    st.none() | st.booleans() | exact_integers | storable_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ascii_names, inner, max_size=5),
    max_leaves=20,
)


@given(storable)
def test_whatever_an_event_can_hold_is_written_as_another_implementation_writes_it(value):
    assert canonical(value) == rfc8785.dumps(value)


@given(storable)
def test_what_is_written_reads_back_and_is_written_the_same(value):
    written = canonical(value)
    again = json.loads(written)
    assert again == value
    assert canonical(again) == written


def test_every_character_but_those_that_cannot_be_stored():
    for code in (*range(1, 0xD800), *range(0xE000, 0x11000), *range(0x1F000, 0x1FB00), 0x10FFFD, 0x10FFFF):
        letter = chr(code)
        if canonical(letter) != b'"' + rfc8785.dumps(letter)[1:-1] + b'"':
            pytest.fail(f"U+{code:04X} is written otherwise")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": 1, "a": 2, "B": 3, "": 4}, '{"":4,"B":3,"a":2,"b":1}'),
        ({"ab": 1, "a": 1, "a-b": 1, "a_b": 1, "aB": 1}, '{"a":1,"a-b":1,"aB":1,"a_b":1,"ab":1}'),
        ("\b\t\n\f\r\"\\/", r'"\b\t\n\f\r\"\\/"'),
        ("\x01\x1f\x7f", '"\\u0001\\u001f\x7f"'),
        ("\u2028\u2029\ufeff\u00e9", '"\u2028\u2029\ufeff\u00e9"'),
        ("♠️🂡", '"♠️🂡"'),
        ([True, False, None, 0, -1], "[true,false,null,0,-1]"),
        ([[], {}, [{}], ""], '[[],{},[{}],""]'),
        ((1, (2,)), "[1,[2]]"),
        (INTEGER_MOST, "9007199254740991"),
        (-INTEGER_MOST, "-9007199254740991"),
    ],
)  # fmt: skip
def test_the_one_way_to_write_it(value, written):
    assert canonical(value) == written.encode()


@pytest.mark.parametrize(
    "value",
    [1.0, 0.5, float("nan"), float("inf"), -0.0, 2**53, -(2**53), 2**64, "\x00", "a\x00b", "\ud800", "\udfff a",
     b"x", {1}, object(), 1j, {1: 2}, {None: 1}, {True: 1}, {"a": 1, 2: 3}, {"é": 1}, {"\x00": 1},
     {"a\ud800": 1}],
)  # fmt: skip
@pytest.mark.parametrize("place", [lambda value: value, lambda value: [value], lambda value: {"a": {"b": [1, value]}}])
def test_what_has_no_one_way_is_refused(value, place):
    for _ in range(2):  # nothing is remembered of a refusal
        with pytest.raises(ValueError, match=r"\w"):
            canonical(place(value))


def test_the_name_of_a_field_may_be_long_and_many():
    wide = {f"name{place}": place for place in range(10_000)} | {"x" * 100_000: 1}
    assert canonical(wide) == rfc8785.dumps(wide)


def test_nesting_has_an_end():
    def nested(deep, wrap):
        value = 1
        for _ in range(deep):
            value = wrap(value)
        return value

    for wrap in (lambda inner: [inner], lambda inner: {"a": inner}):
        assert canonical(nested(DEPTH_MOST, wrap)) == rfc8785.dumps(nested(DEPTH_MOST, wrap))
        with pytest.raises(ValueError, match="deep"):
            canonical(nested(DEPTH_MOST + 1, wrap))
        with pytest.raises(ValueError, match="deep"):
            canonical(nested(100_000, wrap))


# --- the chain --------------------------------------------------------------------------------------------------------


def chained(bodies):
    """A log as it is stored: every event sealed onto the one before."""
    events, before = [], GENESIS
    for seq, body in enumerate(bodies, 1):
        event = {"session": "s-1", "seq": seq, "v": 1, "by": "t", "prev": before, **body}
        before = seal(event)[1]
        events.append({**event, "hash": before})
    return events


@pytest.fixture
def night():
    return chained(
        [
            {"type": "open", "game": "three-card", "players": ["A", "B"], "rules": {"pots": 8}},
            {"type": "deal", "dealer": "B", "hand": 1},
            {"type": "ante", "player": "A", "hand": 1},
            {"type": "ante", "player": "B", "hand": 1},
            {"type": "bet", "player": "A", "as": "seen", "amount": "2", "hand": 1},
            {"type": "note", "text": "Señor «Ávila» ♠️ 🂡\n"},
        ]
    )


def test_the_hash_is_over_every_field_but_itself():
    event = {"session": "s", "seq": 1, "prev": GENESIS, "type": "note", "text": "é"}
    body, digest = seal(event)
    assert body == rfc8785.dumps(event)
    assert digest == hashlib.sha256(rfc8785.dumps(event)).hexdigest()
    assert seal({**event, "hash": digest}) == (body, digest)
    assert seal({**event, "hash": "other"}) == (body, digest)
    assert seal({**event, "with": {"hash": 1}})[0] == rfc8785.dumps({**event, "with": {"hash": 1}})


def test_a_log_as_it_was_stored_has_no_fault(night):
    assert chain_fault(night) is None
    assert chain_fault(iter(night)) is None
    assert chain_fault([]) is None
    assert chain_fault([json.loads(json.dumps(event)) for event in night]) is None
    assert chain_fault([dict(reversed(list(event.items()))) for event in night]) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [("amount", "20"), ("amount", 2), ("player", "B"), ("as", "blind"), ("hand", 2), ("v", 2), ("by", "u"),
     ("more", None), ("amount", "2.0"), ("type", "BET")],
)  # fmt: skip
def test_a_changed_field_shows_where_it_was_changed(night, field, value):
    night[4][field] = value
    seq, said = chain_fault(night)
    assert seq == 5
    assert "not what was stored" in said


def test_a_field_taken_out_shows(night):
    del night[4]["amount"]
    assert chain_fault(night)[0] == 5


def test_a_changed_event_sealed_anew_shows_in_the_one_after(night):
    night[4]["amount"] = "20"
    night[4]["hash"] = seal(night[4])[1]
    seq, said = chain_fault(night)
    assert seq == 6
    assert "does not follow event 5" in said


def test_an_event_left_out_shows(night):
    del night[2]
    assert chain_fault(night) == (3, "event 3 is missing: event 4 stands in its place")
    assert chain_fault(chained([{}, {}, {}])[1:]) == (1, "event 1 is missing: event 2 stands in its place")


def test_an_event_left_out_and_the_rest_numbered_anew_shows(night):
    del night[2]
    for seq, event in enumerate(night, 1):
        event["seq"] = seq
    assert chain_fault(night)[0] == 3


def test_an_event_put_in_twice_shows(night):
    night.insert(3, copy.deepcopy(night[2]))
    assert chain_fault(night) == (4, "event 3 comes again in the place of event 4")


def test_two_events_exchanged_show(night):
    night[2], night[3] = night[3], night[2]
    assert chain_fault(night)[0] == 3


def test_an_event_of_another_session_shows(night):
    other = chained([{"type": "note"}] * 6)
    for event in other:
        event["session"] = "s-2"
    night[3] = other[3]
    assert chain_fault(night) == (4, "event 4 is not of this session")


def test_a_log_that_begins_elsewhere_shows():
    events = chained([{}, {}])
    events[0]["prev"] = "f" * 64
    assert chain_fault(events)[0] == 1
    assert "64 zeros" in chain_fault(events)[1]


@pytest.mark.parametrize(
    ("seq", "field", "value"),
    [(2, "hash", None), (2, "hash", "0" * 64), (2, "hash", ["x"]), (2, "prev", None), (2, "seq", "2"), (2, "seq", True),
     (2, "seq", 2.0), (2, "seq", None), (2, "seq", 2**70), (2, "seq", -1), (1, "session", None), (1, "session", 7),
     (3, "session", "s-9"), (4, "amount", 0.5), (4, "amount", 2**60), (4, "text", "\x00"), (4, "text", "\ud800"),
     (4, "é", 1), (4, 7, 1)],
)  # fmt: skip
def test_nonsense_in_an_event_is_a_fault_there_and_no_error(night, seq, field, value):
    night[seq - 1][field] = value
    found, said = chain_fault(night)
    assert found == seq
    assert said


@pytest.mark.parametrize("event", [None, 7, "x", [], True])
def test_what_is_no_event_is_a_fault(night, event):
    night[1] = event
    assert chain_fault(night) == (2, "event 2 is not an object")


def test_upper_case_hashes_are_not_the_ones_stored(night):
    night[1]["hash"] = night[1]["hash"].upper()
    assert chain_fault(night)[0] == 2


@given(st.data())
def test_any_one_change_to_the_bytes_of_a_log_shows(data):
    night = chained([{"type": "note", "text": data.draw(storable_text)} for _ in range(4)])
    place = data.draw(st.integers(0, 3))
    field = data.draw(st.sampled_from(sorted(night[place])))
    value = data.draw(storable.filter(lambda other: other != night[place][field]))
    if type(value) is bool and value == night[place][field]:
        return
    night[place][field] = value
    assert chain_fault(night) is not None
