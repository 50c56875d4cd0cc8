import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import chatter

from hmem import Memory
from hmem.corpus.index import runs
from hmem.corpus.index.runs import COLUMNS, PART, RUN_BITS, StoredRun, hash_of, pack, postings_of
from hmem.storage import open_storage

RUN = 1 << RUN_BITS
STEMS = st.lists(st.sampled_from(["cat", "dog", "bird", "Ω", "longer"]), max_size=6)


def columns_of(seqs: list[int], seed: int = 0) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(seed)
    columns = {name: chance.integers(1 << 62 if name == "said" else 200, size=len(seqs)) for name in COLUMNS}
    return columns | {"seq": np.array(seqs, np.int64)}


@given(turns=st.dictionaries(st.integers(0, RUN - 1), STEMS, max_size=40), number=st.integers(0, 1 << 20))
def test_a_run_is_read_as_it_was_written(turns: dict[int, list[str]], number: int) -> None:
    seqs = sorted((number << RUN_BITS) + place for place in turns)
    stems, columns = [turns[seq & (RUN - 1)] for seq in seqs], columns_of(seqs, number)
    run = StoredRun(pack(columns, postings_of(stems)))
    for name, values in columns.items():
        np.testing.assert_array_equal(run.columns[name], values)
    # By term, and its turns ascend.
    hashes, sizes, places, counts = run.postings()
    assert (np.diff(hashes.astype(object)) > 0).all()
    assert list(zip(np.repeat(hashes, sizes).tolist(), places.tolist(), counts.tolist(), strict=True)) == sorted(
        (hash_of(stem), turn, row.count(stem)) for turn, row in enumerate(stems) for stem in set(row)
    )


def test_a_run_of_another_analysis_is_not_read_and_a_damaged_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    content = pack(columns_of([3, 4]), postings_of([["cat"], ["dog", "dog"]]))
    for damaged in (content[:2], content[:30], content[:25] + bytes([content[25] ^ 1]) + content[26:]):
        with pytest.raises(ValueError, match="a run of turns"):
            StoredRun(damaged)
    for damaged in (content[:-3], content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]):
        with pytest.raises(ValueError, match="a run of turns"):
            StoredRun(damaged).postings()
    monkeypatch.setattr(runs, "VERSION", 99)
    assert not StoredRun(content).columns


def test_a_run_with_longer_hashes_is_read() -> None:
    turns = 40
    columns, postings = columns_of(list(range(turns))), postings_of([[f"word{i % 7}", "each"] for i in range(turns)])
    content = pack(columns, postings)
    run = StoredRun(content)
    terms, end = int.from_bytes(content[5:9], "little"), int.from_bytes(content[13:17], "little")
    data = zlib.decompress(content[17 + end :])
    hashes = run.postings().hashes | np.uint64(0xABCD << 48)
    earlier = content[:2] + b"\0" + content[3 : 17 + end] + zlib.compress(hashes.tobytes() + data[8 * terms :], 1)
    for values, expected in zip(StoredRun(earlier).postings(), run.postings(), strict=True):
        np.testing.assert_array_equal(values, expected)
    assert not StoredRun(content[:2] + b"\x09" + content[3:]).columns


def stored(path: Path) -> dict[int, list[int]]:
    """The turns of each stored run."""
    storage = open_storage(path)
    runs = {number: StoredRun(content) for _, number, content in storage.chunks(parts=[PART]) if content}
    storage.close()
    return {number: run.columns["seq"].tolist() for number, run in runs.items()}


def test_formation_stores_complete_runs_and_takes_deleted_turns_out_of_them(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path) as memory:
        receipts = memory.add(chatter(2 * RUN + 20))
        memory.flush()
    assert stored(path) == {0: list(range(1, RUN)), 1: list(range(RUN, 2 * RUN))}
    with Memory(path) as memory:
        gone = [receipts[i] for i in (5, 6, RUN + 9)]
        memory.delete(*(receipt.id or "" for receipt in gone))
        assert memory.verify().ok
    present = stored(path)
    assert [seq for seq in range(1, 2 * RUN) if seq not in {*present[0], *present[1]}] == [6, 7, RUN + 10]
    with Memory(path) as memory:
        memory.delete(*(receipt.id or "" for receipt in receipts[: RUN - 1] if receipt not in gone))
    assert set(stored(path)) == {1}


def test_opening_reads_runs_and_no_texts_of_their_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path) as memory:
        memory.add(chatter(RUN + 30))
        memory.flush()
        memory.add("The zeppelin landed")
        expected = [(item.id, item.relevance) for item in memory.search("zeppelin violin", k=20)]
    read: list[str] = []
    count = postings_of
    monkeypatch.setattr(
        "hmem.corpus.corpus.postings_of", lambda stems: count([read.append("") or row for row in stems])
    )
    with Memory(path) as memory:
        assert [(item.id, item.relevance) for item in memory.search("zeppelin violin", k=20)] == expected
        assert 0 < len(read) <= 40
        assert memory.verify().ok


def test_a_memory_without_runs_gets_them_with_the_next_step(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path) as memory:
        memory.add(chatter(RUN + 5))
        memory.flush()
        storage = memory.corpus.storage
        version = storage.state().progress
        storage.put_settings({"formation.runs": None})
        storage.form(
            [chunk._replace(content=None) for chunk in storage.chunks(parts=[PART])], version, version.watermark
        )
    assert stored(path) == {}
    with Memory(path) as memory:
        memory.add("One more, and it is formed")
        memory.flush()
        assert memory.verify().ok
    assert set(stored(path)) == {0}
