from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.corpus.index.columns import Columns
from hmem.errors import IndexDamaged


class Turn(NamedTuple):
    seq: int
    block: int
    session: int = 1
    speaker: int = 1
    words: int = 5
    said: int = 0


def test_new_turns_get_rows_in_the_order_of_their_numbers() -> None:
    columns = Columns()
    assert columns.update([1, 2], [Turn(5, 1), Turn(9, 1), Turn(7, 2)]) == [5, 7, 9]
    assert columns.seq.tolist() == [5, 7, 9]
    assert columns.rows_of([9, 6, 5]).tolist() == [2, -1, 0]
    assert (columns.alive_count, columns.alive_words) == (3, 15)


def test_neighbours_are_those_of_the_block() -> None:
    columns = Columns()
    columns.update([1, 2], [Turn(1, 1), Turn(3, 1), Turn(5, 1), Turn(2, 2), Turn(4, 2)])
    assert columns.previous.tolist() == [-1, -1, 0, 1, 2]
    assert columns.next.tolist() == [2, 3, 4, -1, -1]


def test_a_turn_that_is_gone_is_dead_and_its_neighbours_meet() -> None:
    columns = Columns()
    columns.update([1], [Turn(1, 1), Turn(2, 1), Turn(3, 1)])
    columns.update([1], [Turn(1, 1), Turn(3, 1)])
    assert columns.rows_of([1, 2, 3]).tolist() == [0, -1, 2]
    assert columns.next[0] == 2
    assert columns.previous[2] == 0
    assert columns.compact().tolist() == [0, 2]
    assert columns.seq.tolist() == [1, 3]
    assert (columns.previous.tolist(), columns.next.tolist()) == ([-1, 0], [1, -1])


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=8))
def test_arriving_one_by_one_gives_the_columns_of_arriving_at_once(blocks: list[list[bool]]) -> None:
    turns = [Turn(seq, block) for seq, block in enumerate(b for b, part in enumerate(blocks) for _ in part)]
    at_once, one_by_one = Columns(), Columns()
    at_once.update(range(len(blocks)), turns)
    for i, turn in enumerate(turns):
        one_by_one.update([turn.block], [other for other in turns[: i + 1] if other.block == turn.block])
    for name in ("seq", "block", "previous", "next", "alive"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(one_by_one, name))


def test_they_come_back_from_a_file_with_their_facts(tmp_path: Path) -> None:
    columns = Columns()
    columns.update([1], [Turn(i, 1) for i in range(2_000)])
    columns.save(tmp_path / "c.npz", watermark=7, name="x")
    loaded, facts = Columns.load(tmp_path / "c.npz")
    assert facts == {"watermark": 7, "name": "x"}
    assert loaded.seq.tolist() == columns.seq.tolist()
    assert loaded.update([1], [Turn(i, 1) for i in range(2_001)]) == [2_000]


@pytest.mark.parametrize("content", [b"", b"not a file of columns", None])
def test_a_file_that_is_none_is_told(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "c.npz").write_bytes(content)
    with pytest.raises(IndexDamaged):
        Columns.load(tmp_path / "c.npz")


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_an_altered_file_is_told(tmp_path: Path, share: float) -> None:
    columns = Columns()
    columns.update([1], [Turn(i, 1) for i in range(2_000)])
    columns.save(tmp_path / "c.npz", watermark=7)
    data = bytearray((tmp_path / "c.npz").read_bytes())
    for place in range(int(share * len(data)), int(share * len(data)) + 40):
        data[place % len(data)] ^= 0xFF
    (tmp_path / "c.npz").write_bytes(data)
    with pytest.raises(IndexDamaged):
        Columns.load(tmp_path / "c.npz")


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=30))
def test_the_keys_of_chosen_rows_come_once_and_ascend(rows: list[tuple[int, bool]]) -> None:
    columns = Columns()
    blocks = sorted({block for block, _ in rows})
    columns.update(blocks, [Turn(seq, block) for block, seq in sorted((b, i) for i, (b, _) in enumerate(rows))])
    chosen = np.array([rows[seq][1] for seq in columns.seq.tolist()], np.bool_)
    assert columns.keys_of(chosen, "seq").tolist() == [i for i, (_, kept) in enumerate(rows) if kept]
    assert columns.keys_of(chosen, "block").tolist() == sorted({block for block, kept in rows if kept})
