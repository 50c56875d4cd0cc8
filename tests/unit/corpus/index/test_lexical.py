from pathlib import Path

import pytest

from hmem.corpus.index.lexical import IndexDocument, LexicalIndex
from hmem.errors import IndexDamaged


@pytest.fixture(params=["folder", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> LexicalIndex:
    return LexicalIndex(tmp_path / "index" if request.param == "folder" else None, ("text",), "a memory")


def test_the_best_document_comes_first_and_the_watermark_moves_with_it(index: LexicalIndex) -> None:
    assert index.watermark == 0
    assert index.replace([1], [IndexDocument(10, 1, ("cat dog",)), IndexDocument(11, 1, ("cat cat",))], 7)
    hits = index.search("text", ["cat"], 10)
    assert hits.keys.tolist() == [11, 10]
    assert hits.floor == 0
    assert index.blocks_of(hits).tolist() == [1, 1]
    assert (index.watermark, index.documents) == (7, 2)


def test_a_replaced_block_holds_just_the_new_documents(index: LexicalIndex) -> None:
    index.replace([1, 2], [IndexDocument(10, 1, ("cat",)), IndexDocument(20, 2, ("cat",))], 1)
    index.replace([1], [IndexDocument(12, 1, ("cat",))], 2)
    assert sorted(index.search("text", ["cat"], 10).keys.tolist()) == [12, 20]
    assert sorted(index.all_hits().keys.tolist()) == [12, 20]
    index.replace([1], [], 3)
    assert index.all_hits().keys.tolist() == [20]


def test_a_search_cut_short_says_what_the_rest_may_reach(index: LexicalIndex) -> None:
    index.replace([1], [IndexDocument(i, 1, ("cat " * (i + 1) + "filler " * 20,)) for i in range(10)], 1)
    hits = index.search("text", ["cat"], 3)
    rest = index.search("text", ["cat"], 10)
    assert hits.floor == hits.scores[-1] >= rest.scores[3]


def test_every_term_counts_and_unknown_ones_do_not_matter(index: LexicalIndex) -> None:
    index.replace([1], [IndexDocument(1, 1, ("red boat",)), IndexDocument(2, 1, ("red house",))], 1)
    assert index.search("text", ["red", "boat", "zeppelin"], 10).keys.tolist() == [1, 2]
    assert index.search("text", ["zeppelin"], 10).keys.tolist() == []
    assert index.containing("text", ["red", "boat", "zeppelin"]) == [2, 1, 0]


def test_what_was_committed_is_there_after_opening_and_other_openers_take_it_up(tmp_path: Path) -> None:
    first = LexicalIndex(tmp_path, ("text",), "a memory")
    second = LexicalIndex(tmp_path, ("text",), "a memory")
    first.replace([1], [IndexDocument(1, 1, ("cat",))], 5)
    assert second.watermark == 0
    assert second.refresh()
    assert not second.refresh()
    assert second.watermark == 5
    assert LexicalIndex(tmp_path, ("text",), "a memory").search("text", ["cat"], 1).keys.tolist() == [1]


def test_another_memorys_index_is_refused(tmp_path: Path) -> None:
    LexicalIndex(tmp_path, ("text",), "a memory").replace([1], [IndexDocument(1, 1, ("cat",))], 5)
    with pytest.raises(IndexDamaged, match="another memory"):
        LexicalIndex(tmp_path, ("text",), "another memory")
    with pytest.raises(IndexDamaged):
        LexicalIndex(tmp_path, ("text", "more"), "a memory")


def test_a_second_writer_is_told_that_the_first_is_at_it(tmp_path: Path) -> None:
    first = LexicalIndex(tmp_path, ("text",), "a memory")
    second = LexicalIndex(tmp_path, ("text",), "a memory")
    writer = second._index.writer(heap_size=15_000_000, num_threads=1)
    assert not first.replace([1], [IndexDocument(1, 1, ("cat",))], 5)
    writer.wait_merging_threads()
    assert first.replace([1], [IndexDocument(1, 1, ("cat",))], 5)
