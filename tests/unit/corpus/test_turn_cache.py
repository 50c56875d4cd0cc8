"""Turns that were fetched: the same as what is kept, and gone when they are deleted."""

import numpy as np
import pytest

from hmem import Memory
from hmem.corpus import turn_cache


def test_turns_come_by_row_and_are_found_by_id() -> None:
    with Memory(":memory:") as memory:
        ids = [memory.add(text, speaker="Ada").id or "" for text in ("The kiln is hot.", "The boat leaks.")]
        corpus = memory.corpus
        with corpus.reading():
            for _ in range(2):
                assert {row: turn.id for row, turn in corpus.turns(np.arange(2)).items()} == dict(enumerate(ids))
                assert corpus.rows_of_ids([ids[1], "", ids[0]]).tolist() == [1, -1, 0]
            corpus.turn_cache.clear()
            assert corpus.rows_of_ids(ids).tolist() == [0, 1]


def test_a_turn_that_another_handle_deleted_is_not_remembered(tmp_path: object) -> None:
    with Memory(f"{tmp_path}/m.hmem") as memory, Memory(f"{tmp_path}/m.hmem") as other:
        kept, gone = (memory.add(text, speaker="Ada").id or "" for text in ("The kiln is hot.", "The boat leaks."))
        corpus = memory.corpus
        with corpus.reading():
            rows = corpus.rows_of_ids([kept, gone])
            assert len(corpus.turns(rows)) == 2
            seqs = corpus.columns.seq[rows].tolist()
        other.delete(gone)
        with corpus.reading():
            assert corpus.rows_of_ids([gone]).tolist() == [-1]
            assert [turn.id for turn in corpus.turns(rows[:1]).values()] == [kept]
            assert not corpus.turns(rows[1:])
            assert list(corpus.turn_cache.get(seqs)) == seqs[:1]


def test_more_turns_than_are_remembered_come_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_cache, "_REMEMBERED", 3)
    with Memory(":memory:") as memory:
        memory.add([{"speaker": "Ada", "text": f"Line {number}."} for number in range(8)])
        with memory.corpus.reading():
            for rows in (np.arange(2), np.arange(1, 4), np.arange(8)):
                assert list(memory.corpus.turns(rows)) == rows.tolist()
