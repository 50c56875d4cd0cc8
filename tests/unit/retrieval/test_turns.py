"""Turns that recall has fetched: the same as what is kept, and gone when they are deleted."""

import numpy as np
import pytest
from hmem.retrieval.turns import Turns

from hmem import Memory
from hmem.retrieval import turns as module


def test_turns_come_by_row_and_are_found_by_id() -> None:
    with Memory(":memory:") as memory:
        ids = [memory.add(text, speaker="Ada").id or "" for text in ("The kiln is hot.", "The boat leaks.")]
        with memory.corpus.reading():
            held = Turns(memory.corpus)
            for _ in range(2):
                assert {row: turn.id for row, turn in held.of(np.arange(2)).items()} == dict(enumerate(ids))
                assert held.rows_of([ids[1], "", ids[0]]).tolist() == [1, -1, 0]
            assert Turns(memory.corpus).rows_of(ids).tolist() == [0, 1]


def test_a_turn_that_another_handle_deleted_is_not_remembered(tmp_path: object) -> None:
    with Memory(f"{tmp_path}/m.hmem") as memory, Memory(f"{tmp_path}/m.hmem") as other:
        kept, gone = (memory.add(text, speaker="Ada").id or "" for text in ("The kiln is hot.", "The boat leaks."))
        held = Turns(memory.corpus)
        with memory.corpus.reading():
            rows = held.rows_of([kept, gone])
            assert len(held.of(rows)) == 2
        other.delete(gone)
        with memory.corpus.reading():
            assert held.rows_of([gone]).tolist() == [-1]
            assert [turn.id for turn in held.of(rows[:1]).values()] == [kept]
            assert not held.of(rows[1:])


def test_more_turns_than_are_remembered_come_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 3)
    with Memory(":memory:") as memory:
        memory.add([{"speaker": "Ada", "text": f"Line {number}."} for number in range(8)])
        with memory.corpus.reading():
            held = Turns(memory.corpus)
            for rows in (np.arange(2), np.arange(1, 4), np.arange(8)):
                assert list(held.of(rows)) == rows.tolist()
