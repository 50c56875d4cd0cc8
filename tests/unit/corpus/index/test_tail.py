from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.corpus.index.tail import BLOCK, TURN, WINDOW, Tail, bm25, norm

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
