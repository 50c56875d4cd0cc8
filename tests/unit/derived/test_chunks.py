"""Numbers of events and notes, and the encoding of chunks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.chunks import MOST, decode, encode, number_in_turn, turn_of
from hmem.errors import NumberTooLarge

SEQS = st.integers(0, 2**57)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(SEQS, st.integers(0, MOST - 1), SEQS, st.integers(0, MOST - 1))
def test_events_and_notes_have_numbers_of_their_own_that_lead_to_their_turn(
    seq: int, ordinal: int, other: int, place: int
) -> None:
    assert turn_of(number_in_turn(seq, ordinal)) == seq
    assert (number_in_turn(seq, ordinal) == number_in_turn(other, place)) == ((seq, ordinal) == (other, place))


@given(SEQS, st.one_of(st.integers(MOST, 2**40), st.integers(-(2**40), -1)))
def test_a_place_that_a_turn_has_no_room_for_is_a_named_error(seq: int, ordinal: int) -> None:
    with pytest.raises(NumberTooLarge, match=f"turn {seq} has no room for number {ordinal}"):
        number_in_turn(seq, ordinal)


@given(VALUES | st.binary(max_size=300) | st.just(["\ud800"]))
def test_content_comes_back_as_it_was(content: object) -> None:
    assert decode(encode(content)) == content


@pytest.mark.parametrize("damaged", [b"", b"x", b"\x78\x9c", encode([1, 2, 3])[:-3]])
def test_damage_is_an_error(damaged: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(damaged)
