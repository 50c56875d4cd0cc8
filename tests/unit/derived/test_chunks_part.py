import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.chunks import MOST, event_number, turn_of
from hmem.derived.notes import note_number, turn_of_note
from hmem.errors import NumberTooLarge

SEQS = st.integers(0, 2**57)


@given(SEQS, st.integers(0, MOST - 1), SEQS, st.integers(0, MOST - 1))
def test_events_and_notes_have_numbers_of_their_own_that_lead_to_their_turn(
    seq: int, ordinal: int, other: int, place: int
) -> None:
    assert turn_of(event_number(seq, ordinal)) == turn_of_note(note_number(seq, ordinal)) == seq
    assert (event_number(seq, ordinal) == event_number(other, place)) == ((seq, ordinal) == (other, place))
    assert note_number(seq, ordinal) == event_number(seq, ordinal)


@given(SEQS, st.one_of(st.integers(MOST, 2**40), st.integers(-(2**40), -1)))
def test_a_place_that_a_turn_has_no_room_for_is_a_named_error(seq: int, ordinal: int) -> None:
    for number in (event_number, note_number):
        with pytest.raises(NumberTooLarge, match=f"turn {seq} has no room for number {ordinal}"):
            number(seq, ordinal)
