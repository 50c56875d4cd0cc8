import pytest
from hypothesis import given
from hypothesis import strategies as st
from ulid import ULID

from hmem.errors import NumberTooLarge
from hmem.model.ids import KINDS, kind_of, new_key, number_of, numbered, relation_id, to_id, to_key


def test_keys_rise_in_the_order_of_their_making() -> None:
    keys = [new_key() for _ in range(2_000)]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


@given(st.binary(min_size=16, max_size=16), st.sampled_from(KINDS))
def test_an_id_and_its_key_are_inverse_and_the_digits_are_a_ulids(key: bytes, kind: str) -> None:
    text = to_id(kind, key)
    assert text == f"{kind}_{ULID.from_bytes(key)}"
    assert to_key(kind, text) == key
    assert kind_of(text) == kind


@given(st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16))
def test_ids_sort_as_their_keys(one: bytes, other: bytes) -> None:
    assert (to_id("turn", one) < to_id("turn", other)) == (one < other)


@given(st.text(max_size=40))
def test_any_other_text_is_no_id(text: str) -> None:
    assert to_key("turn", text) is None or to_id("turn", to_key("turn", text) or b"") == text


def test_an_id_of_another_kind_is_not_taken_for_this_kind() -> None:
    note = to_id("note", new_key())
    assert to_key("turn", note) is None
    assert kind_of(note) == "note"
    assert kind_of("invoice_01JX4M3Z6HAAAAAAAAAAAAAAAA") is None


def test_an_unknown_kind_and_a_short_key_are_refused() -> None:
    with pytest.raises(ValueError, match="no kind"):
        to_id("fact", new_key())
    with pytest.raises(ValueError, match="16 bytes"):
        to_id("turn", b"short")


@given(st.integers(-5, 2**50), st.integers(0, 2**64 - 1), st.integers(0, 2**16 - 1))
def test_the_number_in_a_numbered_id_can_be_read(milliseconds: int, number: int, group: int) -> None:
    made = numbered("event", milliseconds, number, group)
    assert number_of("event", made) == (group, number)
    assert number_of("note", made) is None


WIDE = st.one_of(st.integers(-(2**70), 2**70), st.integers(-3, 2**17), st.sampled_from([2**16, 2**64, 2**64 - 1]))


@given(st.integers(-(2**60), 2**60), WIDE, WIDE)
def test_a_number_without_room_is_a_named_error_and_none_wraps(milliseconds: int, number: int, group: int) -> None:
    if 0 <= number < 2**64 and 0 <= group < 2**16:
        made = numbered("relation", milliseconds, number, group)
        assert number_of("relation", made) == (group, number)
        key = to_key("relation", made)
        assert key is not None
        assert int.from_bytes(key[:6]) == min(max(milliseconds, 0), 2**48 - 1)
    else:
        with pytest.raises(NumberTooLarge, match="no room for number"):
            numbered("relation", milliseconds, number, group)


def test_numbered_ids_sort_by_time_first() -> None:
    assert numbered("event", 1_000, 99) < numbered("event", 2_000, 1)
    assert number_of("event", "event_nonsense") is None


def test_the_id_of_a_relation_is_made_of_its_ends_and_its_label() -> None:
    made = relation_id(1, "sister_of", 2)
    assert made == "relation_000000200000184511QVA06BT8"
    assert kind_of(made) == "relation"
    others = [(2, "sister_of", 1), (1, "brother_of", 2), (1, "sister_of", 3), (3, "sister_of", 2), (1, "", 2)]
    assert len({made, *(relation_id(*other) for other in others)}) == 6
