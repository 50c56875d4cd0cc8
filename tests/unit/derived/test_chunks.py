"""Numbers of events and notes, and the encoding of chunks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.chunks import MOST, decode, encode, number_in_turn, turn_of, with_companions
from hmem.errors import NumberTooLarge
from hmem.storage.base import Chunk

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


@given(VALUES, VALUES, st.integers(1, 100))
def test_content_that_was_encoded_with_another_is_read_with_it_alone(
    content: object, companion: object, bits: int
) -> None:
    stored, changed = encode(companion), encode([companion])
    encoded = encode(content, stored)
    events, notes, other = Chunk("events", 1, stored), Chunk("notes", 1, encoded), Chunk("events", 2, stored)
    _, paired, _ = with_companions([events, notes, other])
    assert paired.content is not None
    assert decode(paired.content) == content
    for strangers in ([other, notes], [Chunk("events", 1, changed), notes], [notes]):
        *_, unpaired = with_companions(strangers)
        assert unpaired.content is not None
        with pytest.raises(ValueError, match=r"."):
            decode(unpaired.content)
    cut = with_companions([events, notes._replace(content=encoded[: -1 - bits % len(encoded)])])[1].content
    assert cut is not None
    with pytest.raises(ValueError, match=r"."):
        decode(cut)


def test_what_a_companion_says_too_takes_next_to_no_room() -> None:
    said = [[number, f"I went to the {number}th museum of the year", number * 7919] for number in range(40)]
    assert len(encode(said, encode({"said": said}))) < len(encode(said)) / 4
    # One that was stored alone is read as before.
    assert (
        decode(with_companions([Chunk("events", 0, encode(1)), Chunk("notes", 0, encode(said))])[1].content or b"")
        == said
    )


@pytest.mark.parametrize("damaged", [b"", b"x", b"\x78\x9c", encode([1, 2, 3])[:-3]])
def test_damage_is_an_error(damaged: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(damaged)
