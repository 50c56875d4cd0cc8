import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.corpus.index import lexical
from hmem.corpus.index.columns import Columns
from hmem.corpus.index.lexical import (
    BLOCK,
    TURN,
    WINDOW,
    LexicalIndex,
    best_possible,
    bm25,
    idf,
    norm,
)
from hmem.corpus.index.runs import postings_of
from hmem.corpus.index.traces import index_traces
from hmem.errors import IndexDamaged

SCALES = (TURN, WINDOW, BLOCK)
BLOCKS = st.lists(
    st.lists(st.sampled_from(["cat", "dog cat", "dog dog", "bird", ""]), min_size=1, max_size=5),
    min_size=1,
    max_size=5,
)
TERMS = ["cat", "dog", "fish"]


class Turn(NamedTuple):
    seq: int
    block: int
    words: int
    session: int = 1
    speaker: int = 1
    said: int = 0


def turns_of(blocks: Sequence[Sequence[str]]) -> list[tuple[Turn, str]]:
    """Turns of blocks, a number and a text each."""
    texts = [(block, text) for block, texts in enumerate(blocks) for text in texts]
    return [(Turn(seq, block, len(text.split())), text) for seq, (block, text) in enumerate(texts)]


def indexed(
    turns: Sequence[tuple[Turn, str]], batches: Sequence[int] = (), dead: Sequence[int] = ()
) -> tuple[Columns, LexicalIndex]:
    """Columns and index of turns that came in batches, which end there; then some were deleted."""
    columns = Columns()
    index = LexicalIndex(columns)
    for start, end in pairwise([0, *batches, len(turns)]):
        new = turns[start:end]
        blocks = sorted({turn.block for turn, _ in new})
        columns.update(blocks, [turn for turn, _ in turns[:end] if turn.block in blocks])
        index.add(len(new), postings_of(text.split() for _, text in new))
        index.look_again()
    if dead:
        blocks = sorted({turns[i][0].block for i in dead})
        columns.update(blocks, [turn for i, (turn, _) in enumerate(turns) if turn.block in blocks and i not in dead])
        index.look_again()
    return columns, index


def counted(index: LexicalIndex, scale: str, keys: Sequence[int]) -> dict[int, list[float]]:
    """How often each document has each term."""
    table = {key: [0.0] * len(TERMS) for key in keys}
    for at, term in enumerate(TERMS):
        documents, counts = index.posting(scale, term)
        for key, count in zip(documents.tolist(), counts.tolist(), strict=True):
            table[key][at] = count
    return table


@given(BLOCKS)
def test_terms_are_counted_by_turn_by_window_and_by_block(blocks: list[list[str]]) -> None:
    turns = turns_of(blocks)
    _, index = indexed(turns)
    by_turn = {turn.seq: [text.split().count(term) for term in TERMS] for turn, text in turns}
    assert counted(index, TURN, list(by_turn)) == by_turn
    windows: dict[int, list[int]] = {}
    for turn, _ in turns:
        near = [each.seq for each, _ in turns if each.block == turn.block and abs(each.seq - turn.seq) < 2]
        windows[turn.seq] = [sum(column) for column in zip(*(by_turn[seq] for seq in near), strict=True)]
    assert counted(index, WINDOW, list(by_turn)) == windows
    wholes = {block: [" ".join(texts).split().count(term) for term in TERMS] for block, texts in enumerate(blocks)}
    assert counted(index, BLOCK, list(wholes)) == wholes


@given(BLOCKS, st.randoms(use_true_random=False))
def test_the_same_turns_have_the_same_scores_in_whatever_batches_they_came(
    blocks: list[list[str]], chance: random.Random
) -> None:
    turns = turns_of(blocks)
    dead = sorted(chance.sample(range(len(turns)), chance.randrange(len(turns))))
    batches = sorted(chance.sample(range(len(turns)), chance.randrange(len(turns))))
    living = [pair for i, pair in enumerate(turns) if i not in dead]
    at_once, alone = indexed(living)
    columns, index = indexed(turns, batches, dead)
    for compacted in (False, True):
        if compacted:
            index.keep(columns.compact())
        for scale in SCALES:
            one, other = (each.search(scale, TERMS) for each in (alone, index))
            np.testing.assert_array_equal(one.values, other.values)
            if scale != BLOCK:
                one_keys, other_keys = at_once.seq[one.keys], columns.seq[other.keys]
                np.testing.assert_array_equal(one_keys, other_keys)
            assert alone.idfs(scale, TERMS) == index.idfs(scale, TERMS)
    assert len(index.wrong_rows()) == 0


def test_segments_are_merged_in_powers_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "_LARGEST", 8)
    turns = turns_of([["dog cat"] * 30])
    _, index = indexed(turns, range(1, 30))
    assert [segment.end - segment.first for segment in index._segments] == [8, 8, 8, 4, 2]
    assert index.posting(TURN, "cat").documents.tolist() == list(range(30))


def test_a_score_is_what_the_terms_add_by_how_often_they_stand_there() -> None:
    _, index = indexed(turns_of([["dog dog cat", "bird"], ["cat"]]))
    rarities = index.idfs(TURN, TERMS)
    found = index.search(TURN, TERMS)
    norms = norm(np.array([3, 1], np.float32), 5 / 3)
    added = bm25(np.array([[1, 1], [2, 0]], np.float32), norms) * np.array(rarities[:2], np.float32)[:, None]
    assert found.keys.tolist() == [0, 2]
    assert found.values.tolist() == pytest.approx((added.sum(axis=0) / best_possible(rarities)).tolist())


@given(BLOCKS, st.randoms(use_true_random=False))
def test_a_filtered_search_is_an_unfiltered_one_that_is_filtered(
    blocks: list[list[str]], chance: random.Random
) -> None:
    turns = turns_of(blocks)
    columns, index = indexed(turns)
    allowed = np.array([chance.random() < 0.5 for _ in turns])
    for scale in SCALES:
        every, found = index.search(scale, TERMS), index.search(scale, TERMS, allowed)
        may = np.isin(every.keys, columns.block[allowed]) if scale == BLOCK else allowed[every.keys]
        np.testing.assert_array_equal(found.keys, every.keys[may])
        np.testing.assert_array_equal(found.values, every.values[may])


def test_a_turn_is_asked_for_its_terms() -> None:
    _, index = indexed(turns_of([["dog cat", "bird"], ["cat"]]), [1])
    has = index.contains_terms(["cat", "bird", "fish"], np.array([2, 0, -1, 1]))
    assert has.tolist() == [[True, True, False, False], [False, False, False, True], [False] * 4]


def test_an_empty_index_finds_nothing() -> None:
    _, index = indexed([])
    for scale in SCALES:
        assert len(index.search(scale, TERMS).keys) == len(index.search(scale, []).keys) == 0
    assert index.contains_terms(["cat"], np.array([-1])).tolist() == [[False]]


def test_it_comes_back_from_a_file(tmp_path: Path) -> None:
    columns, index = indexed(turns_of([["dog cat", "bird"], ["cat", ""]]), [1, 3])
    index.save(tmp_path / "terms")
    again = LexicalIndex.load(tmp_path / "terms", columns)
    for scale in SCALES:
        np.testing.assert_array_equal(index.search(scale, TERMS).values, again.search(scale, TERMS).values)


def test_a_file_that_is_damaged_or_of_other_turns_is_refused(tmp_path: Path) -> None:
    columns, index = indexed(turns_of([["dog cat", "bird"]]))
    index.save(path := tmp_path / "terms")
    with pytest.raises(IndexDamaged, match="terms of the memory's turns"):
        LexicalIndex.load(path, Columns())
    content = path.read_bytes()
    for damaged in (b"", content[:-1], content[: len(content) // 2], bytes(len(content))):
        path.write_bytes(damaged)
        with pytest.raises(IndexDamaged):
            LexicalIndex.load(path, columns)
    with pytest.raises(IndexDamaged):
        LexicalIndex.load(tmp_path / "missing", columns)


def test_rows_whose_terms_are_not_those_of_their_turns_are_told() -> None:
    columns, index = indexed(turns_of([["dog cat", "bird"], ["cat"]]))
    columns.words[1] = 2
    assert index.wrong_rows().tolist() == [1]


def test_terms_of_deleted_turns_stay_until_the_rows_are_dropped(tmp_path: Path) -> None:
    columns, index = indexed(turns_of([["quillon swim", "harbour"]]), dead=[0])
    assert index.holds(["quillon", "harbour", "plankton"]) == ["quillon", "harbour"]
    found = index_traces(tmp_path, index, ["Quillon", "harbours"], ["the harbours"])
    assert found == [("quillon", "the lexical index")]
    index.keep(columns.compact())
    assert index.holds(["quillon", "harbour"]) == ["harbour"]
    assert index_traces(tmp_path, index, ["Quillon"], ["the harbours"]) == []


def test_files_are_searched_for_long_words_that_no_living_text_has(tmp_path: Path) -> None:
    _, index = indexed(turns_of([["harbour"]]))
    (tmp_path / "stray").write_bytes(b"\0QUILLON\0oak\0harbour")
    found = index_traces(tmp_path, index, ["quillon", "oak", "harbour", "memory"], ["The harbours"])
    assert found == [("quillon", f"{tmp_path.name}/stray")]
    assert index_traces(None, index, ["quillon"], []) == []


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


@given(BLOCKS)
def test_turns_that_have_one_of_each_are_told(blocks: list[list[str]]) -> None:
    turns = turns_of(blocks)
    _, index = indexed(turns, range(1, len(turns)))
    for alternatives in ([["cat"]], [["cat", "bird"], ["dog"]], [["fish"]], []):
        wanted = [turn.seq for turn, text in turns if all(set(text.split()) & set(some) for some in alternatives)]
        assert index.rows_with_all(alternatives).tolist() == wanted
