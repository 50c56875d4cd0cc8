import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.retrieval.sources import Postings, RowLists, Slots, greatest

LISTS = st.lists(st.lists(st.integers(-9, 9), max_size=5), max_size=8)


def put(lists: RowLists, some: list[list[int]]) -> None:
    lists.add(np.array([each for one in some for each in one], np.int64), np.array([*map(len, some)], np.int64))


def apart(values: np.ndarray, lengths: np.ndarray) -> list[list[int]]:
    return [each.tolist() for each in np.split(values, np.cumsum(lengths)[:-1])] if len(lengths) else []


@given(LISTS, LISTS, st.data())
def test_any_lists_come_back_as_they_were_added_in_any_order(
    first: list[list[int]], then: list[list[int]], data: st.DataObject
) -> None:
    lists, added = RowLists(np.int64), [*first, *then]
    put(lists, first)
    put(lists, then)
    numbers = data.draw(st.lists(st.integers(0, len(added) - 1), max_size=10)) if added else []
    assert len(lists) == len(added)
    assert apart(*lists.of(np.array(numbers, np.int64))) == [added[number] for number in numbers]
    assert lists.rows.tolist() == [each for one in added for each in one]


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=6))
def test_postings_tell_which_lists_have_a_word_and_what_their_words_weigh(lists: list[list[str]]) -> None:
    postings, weights = Postings(), {"a": 1.0, "c": 0.5, "none": 9.0}
    for words in lists:
        postings.add(words)
    assert len(postings) == len(lists)
    assert postings.size == sum(len(set(words)) for words in lists)
    assert postings.having(("c", "none", "a")).T.tolist() == [["c" in words, False, "a" in words] for words in lists]
    weighed = [sum(weights.get(word, 0.0) for word in set(words)) for words in lists]
    assert postings.weighed(weights).tolist() == pytest.approx(weighed)
    strongest = postings.strongest(({"none": 9.0, "c": 0.5, "a": 1.0}, {"b": 1.0})).tolist()
    assert strongest[0] == [1.0 if "a" in words else 0.5 * ("c" in words) for words in lists]
    assert strongest[1] == ["b" in words for words in lists]
    assert not postings.strongest(({"none": 9.0}, {})).any()
    postings.clear()
    assert len(postings) == postings.size == len(postings.weighed(weights)) == 0


def test_entries_may_be_rows_and_the_array_grows() -> None:
    lists = RowLists(np.float32, (3,))
    rows = np.arange(3_000, dtype=np.float32).reshape(1_000, 3)
    for start in range(0, 1_000, 10):
        lists.add(rows[start : start + 10], np.array([10]))
    places, lengths = lists.places(np.array([99, 0]))
    assert lengths.tolist() == [10, 10]
    assert np.array_equal(lists.rows[places], np.concatenate([rows[990:], rows[:10]]))


@given(st.lists(st.lists(st.floats(-2, 2, width=32), max_size=4), max_size=6))
def test_the_greatest_of_each_list_is_at_least_the_least(some: list[list[float]]) -> None:
    values = np.array([each for one in some for each in one], np.float32)
    found = greatest(values, np.array([*map(len, some)], np.int64), -0.1)
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx([max([-0.1, *one]) for one in some])


@given(st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 9)), max_size=20), st.integers(0, 2_000))
def test_slots_know_the_last_number_of_each_key(given_numbers: list[tuple[int, int]], dropped: int) -> None:
    slots, expected = Slots(), dict(given_numbers)
    for key, number in given_numbers:
        slots.put(np.array([key]), np.array([number]))
    assert len(slots) == len(expected)
    slots.drop(dropped)
    expected.pop(dropped, None)
    keys = [*expected, dropped, 5_000]
    assert slots.of(np.array(keys, np.int64)).tolist() == [expected.get(key, -1) for key in keys]
    slots.clear()
    assert len(slots) == 0
