from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.corpus.index.tail import BLOCK, TURN, WINDOW, Tail, best_possible, bm25, idf, norm, rounded_lengths

TEXTS = st.lists(st.sampled_from(["cat", "dog cat", "dog dog", "bird", ""]), min_size=1, max_size=5)


def counted(tail: Tail, scale: str, terms: Sequence[str]) -> dict[int, list[float]]:
    """How often each document has each term, by its key."""
    table = np.zeros((len(tail.keys(scale)), len(terms)))
    for at, term in enumerate(terms):
        places, counts = tail.posting(scale, term)
        table[places, at] = counts
    return dict(zip(tail.keys(scale).tolist(), table.tolist(), strict=True))


@given(st.dictionaries(st.integers(1, 9), TEXTS, min_size=1, max_size=4))
def test_terms_are_counted_by_turn_by_window_and_by_block(blocks: dict[int, list[str]]) -> None:
    tail, terms = Tail(), ["cat", "dog", "fish"]
    for block, texts in blocks.items():
        tail.replace_block(block, [(block * 100 + i, text) for i, text in enumerate(texts)])
    by_turn = {
        key: [text.split().count(term) for term in terms]
        for block, texts in blocks.items()
        for key, text in ((block * 100 + i, text) for i, text in enumerate(texts))
    }
    assert counted(tail, TURN, terms) == by_turn
    nothing = [0, 0, 0]
    for key, counts in counted(tail, WINDOW, terms).items():
        around = [by_turn.get(other, nothing) for other in (key - 1, key, key + 1)]
        assert counts == [sum(column) for column in zip(*around, strict=True)]
    for scale in (TURN, WINDOW, BLOCK):
        having = [
            sum(count > 0 for count in column) for column in zip(*counted(tail, scale, terms).values(), strict=True)
        ]
        assert tail.containing(scale, terms) == having
    wholes = counted(tail, BLOCK, terms)
    for block, texts in blocks.items():
        assert wholes[block] == [" ".join(texts).split().count(term) for term in terms]


@given(st.dictionaries(st.integers(1, 9), TEXTS, min_size=1, max_size=4))
def test_a_document_scores_what_its_terms_add_by_how_often_they_stand_there(blocks: dict[int, list[str]]) -> None:
    tail, terms, idfs = Tail(), ["cat", "dog", "fish"], [1.5, 0.5, 9.0]
    for block, texts in blocks.items():
        tail.replace_block(block, [(block * 100 + i, text) for i, text in enumerate(texts)])
    lengths = {key: sum(counts) for key, counts in counted(tail, TURN, ["cat", "dog", "bird"]).items()}
    scores = dict(zip(tail.keys(TURN).tolist(), tail.scores(TURN, terms, idfs, 2.0).tolist(), strict=True))
    for key, counts in counted(tail, TURN, terms).items():
        norms = norm(np.array([lengths[key]], np.float32), 2.0)
        added = bm25(np.array(counts, np.float32), norms) * np.array(idfs)
        assert scores[key] == pytest.approx(float(added.sum()), abs=1e-5)


def test_an_emptied_block_stands_in_for_what_the_index_still_holds() -> None:
    tail = Tail()
    tail.replace_block(1, [(10, "cat")])
    tail.replace_block(1, [])
    assert tail.block_numbers == [1]
    assert len(tail) == 0
    tail.drop([1])
    assert tail.block_numbers == []


def test_an_empty_tail_counts_nothing() -> None:
    for scale in (TURN, WINDOW, BLOCK):
        assert Tail().containing(scale, ["cat"]) == [0]
        assert Tail().scores(scale, ["cat"], [1.0], 5.0).tolist() == []


def test_what_comes_and_goes_is_counted_again() -> None:
    tail = Tail()
    tail.replace_block(2, [(20, "cat dog")])
    assert tail.containing(WINDOW, ["cat"]) == [1]
    tail.replace_block(1, [(10, "cat"), (11, "bird")])
    assert counted(tail, WINDOW, ["cat"]) == {20: [1], 10: [1], 11: [1]}
    assert not tail.ascending(TURN)
    tail.drop([2])
    assert counted(tail, WINDOW, ["cat"]) == {10: [1], 11: [1]}
    assert tail.ascending(TURN)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_rarer_term_counts_for_more(containing: int, more: int) -> None:
    assert idf(10_000, containing) > 0
    assert idf(10_000, min(containing + more, 10_000)) <= idf(10_000, containing)


@given(st.integers(1, 50), st.integers(1, 500), st.floats(1, 100))
def test_no_document_reaches_the_best_possible(frequency: int, length: int, mean: float) -> None:
    scores = bm25(np.array([frequency], np.float32), norm(np.array([length], np.float32), mean)) * 2.0
    assert 0 < scores[0] <= best_possible([2.0]) * 1.000001


def test_a_term_more_often_in_a_shorter_text_scores_higher() -> None:
    scores = bm25(np.array([1, 2, 2], np.float32), norm(np.array([10, 10, 5], np.float32), 10))
    assert scores[0] < scores[1] < scores[2]


def test_lengths_are_rounded_down_to_what_one_byte_can_hold() -> None:
    lengths = np.array([0, 1, 39, 40, 41, 55, 56, 59, 60, 87, 88, 95, 151, 152, 10_000], np.float32)
    rounded = [0, 1, 39, 40, 40, 54, 56, 56, 60, 84, 88, 88, 144, 152, 9_752]
    assert rounded_lengths(lengths).tolist()[:-1] == rounded[:-1]
    assert 9_000 < rounded_lengths(lengths)[-1] <= 10_000


@given(st.integers(0, 2**31))
def test_a_length_loses_at_most_an_eighth(length: int) -> None:
    rounded = float(rounded_lengths(np.array([length], np.float32))[0])
    assert rounded <= np.float32(length)
    assert rounded >= length * 0.87 - 1
