import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import WORDS, chatter

from hmem import Memory, reembed
from hmem.corpus import corpus
from hmem.corpus.index import vector
from hmem.corpus.index.rows import TurnRows
from hmem.errors import EmbedderMismatch, MemoryClosed
from hmem.language.analyzer import stems


def test_the_rows_are_saved_when_there_are_many_new_ones(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "SAVE_TURNS", 50)
    with Memory(path, recipe="flat") as memory:
        tails: list[int] = []
        for message in chatter(120):
            memory.add(message)
            tails.append(memory.stats().tail)
        assert (max(tails), tails.count(0)) == (49, 2)
        before = [(item.id, item.score) for item in memory.search("violin market", k=20)]
        memory.flush()
        assert memory.stats().tail == 0
        assert [(item.id, item.score) for item in memory.search("violin market", k=20)] == before
    with Memory(path, recipe="flat") as memory:
        assert [(item.id, item.score) for item in memory.search("violin market", k=20)] == before
        assert memory.verify().ok


def test_what_was_written_is_searchable_at_once_and_after_opening(path: Path) -> None:
    with Memory(path) as memory:
        wanted = memory.add("The zeppelin landed").id
        assert memory.search("zeppelin")[0].id == wanted
    with Memory(path) as memory:
        assert memory.search("zeppelin")[0].id == wanted


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("step", ["add", "update"])
def test_rows_that_were_changed_by_half_are_read_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: type[BaseException]
) -> None:
    failed: list[type[BaseException]] = []

    def fail(*_: object) -> None:
        failed.append(error)
        raise error

    with Memory(path, recipe="flat") as memory:
        memory.add(chatter(50))
        assert memory.search("violin")
        with monkeypatch.context() as patch:
            patch.setattr(TurnRows, step, fail)
            with suppress(error):
                memory.add("The zeppelin landed")
        assert failed
        assert memory.search("zeppelin", k=51)[0].text == "The zeppelin landed"
        assert memory.verify().ok
        assert len(memory.search("violin", k=60)) >= 50


def test_an_interruption_while_dead_rows_are_dropped_does_no_harm(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with Memory(path, recipe="flat") as memory:
        first = memory.add("The balloon rose").id or ""
        memory.add(chatter(1_100))
        memory.add("The zeppelin landed")
        memory.flush()
        with monkeypatch.context() as patch:
            patch.setattr(vector.VectorIndex, "keep", interrupt)
            with pytest.raises(KeyboardInterrupt):
                memory.delete(first)
        assert memory.search("zeppelin", k=5)[0].text == "The zeppelin landed"
        memory.consolidate()
        assert memory.verify().ok
    with Memory(path) as memory:
        assert memory.search("zeppelin", k=5)[0].text == "The zeppelin landed"


def test_a_deleted_turn_is_gone_from_truth_and_every_index(memory: Memory) -> None:
    memory.add(chatter(50))
    wanted = memory.add("The zeppelin landed").id or ""
    memory.flush()
    assert memory.search("zeppelin")[0].id == wanted
    report = memory.delete(wanted)
    assert (report.turns, report.vectors) == (1, 1)
    assert wanted not in [item.id for item in memory.search("zeppelin landed", k=51)]
    assert memory.verify().ok
    memory.flush()
    assert wanted not in [item.id for item in memory.search("zeppelin landed", k=51)]
    assert memory.verify().ok
    assert (memory.stats().turns, memory.stats().vectors) == (50, 50)


def test_a_deletion_moves_the_neighbours_together(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        ids = [memory.add(text, session="s").id or "" for text in ("where is the lighthouse", "hm", "by the sea")]
        memory.flush()
        memory.delete(ids[1])
        terms = {item.id: item.why.terms for item in memory.search("lighthouse", k=3)}
        assert terms[ids[2]]["lexical.window"].value > 0


@pytest.mark.parametrize("turns", [30, 200])
def test_rebuild_gives_the_indices_that_were(path: Path, turns: int) -> None:
    with Memory(path) as memory:
        memory.add(chatter(turns))
        memory.flush()
        before = [(item.id, round(item.score, 3)) for item in memory.search("violin market", k=10)]
    shutil.rmtree(f"{path}-index")
    with Memory(path) as memory:
        assert memory.verify().ok
        memory.rebuild()
        assert memory.verify().ok
        assert [(item.id, round(item.score, 3)) for item in memory.search("violin market", k=10)] == before


def test_verify_tells_of_a_truth_that_miscounts(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(10))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE block SET turns = turns + 1 WHERE number = 1")
    connection.close()
    with Memory(path) as memory:
        assert any("block 1" in problem for problem in memory.verify().problems)


def test_verify_tells_of_vectors_that_are_missing_and_rebuild_makes_them(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(10))
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM vector WHERE seq <= 3")
    connection.close()
    with Memory(path) as memory:
        assert any("3 turns have no vector" in problem for problem in memory.verify().problems)
        memory.rebuild()
        assert memory.verify().ok


def test_another_embedder_is_refused_with_the_command_that_goes_over_to_it(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(10))
    with pytest.raises(EmbedderMismatch, match="hmem reembed --embedder wordllama:64"):
        Memory(path, embedder="wordllama:64")
    with Memory(path) as memory:
        assert memory.stats().turns == 10


def test_reembedding_goes_over_to_another_embedder(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(300))
        wanted = memory.add("We took home a young dog from the animal shelter").id
    seen: list[tuple[int, int]] = []
    assert reembed(path, "wordllama:64", progress=lambda done, total: seen.append((done, total))) == 301
    assert seen[-1] == (301, 301)
    assert reembed(path, "wordllama:64") == 0
    with Memory(path) as memory:
        assert memory.stats().embedder == "wordllama:64"
        assert memory.verify().ok
        assert wanted in [item.id for item in memory.search("adopted puppies", k=10)]
    with pytest.raises(EmbedderMismatch):
        Memory(path, embedder="wordllama")


def test_an_interrupted_reembedding_is_taken_up_where_it_was(path: Path) -> None:
    class Interrupted(Exception):
        pass

    def interrupt(done: int, total: int) -> None:
        raise Interrupted

    with Memory(path) as memory:
        memory.add(chatter(300))
    with pytest.raises(Interrupted):
        reembed(path, "wordllama:64", progress=interrupt)
    with Memory(path) as memory:
        assert memory.stats().embedder == "wordllama"
        assert memory.verify().ok
    assert reembed(path, "wordllama:64") == 300 - 256


def test_who_has_the_memory_open_is_told_that_it_was_reembedded(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(10))
        reembed(path, "wordllama:64")
        with pytest.raises(EmbedderMismatch, match="open it again"):
            memory.search("violin")
        with pytest.raises(EmbedderMismatch, match="open it again"):
            memory.add("one more")
    with Memory(path) as memory:
        assert memory.stats().turns == 10
        assert memory.verify().ok


def test_a_memory_that_was_reembedded_meanwhile_is_closed_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "SAVE_TURNS", 20)
    with Memory(path) as memory:
        memory.add(chatter(8))
        reembed(path, "wordllama:64")
    with pytest.raises(MemoryClosed):
        memory.list()
    with Memory(path) as memory:
        assert memory.stats().turns == 8


def test_a_closed_memory_says_so(path: Path) -> None:
    memory = Memory(path)
    memory.close()
    memory.close()
    for call in (lambda: memory.add("x"), lambda: memory.search("x"), memory.stats, memory.verify, memory.rebuild):
        with pytest.raises(MemoryClosed):
            call()


def test_sessions_longer_than_a_block_and_interleaved_ones_are_kept_in_order(memory: Memory) -> None:
    texts = [f"message {i} of one" if i % 2 else f"message {i} of two" for i in range(300)]
    memory.add([{"text": text, "session": text.rpartition(" ")[2]} for text in texts])
    assert memory.verify().ok
    assert [turn.text for turn in memory.list(session="one", limit=1_000)] == texts[1::2]
    assert {session.id: session.turns for session in memory.sessions()} == {"one": 150, "two": 150}


@pytest.mark.index_files_when_large
def test_a_small_memory_writes_next_to_nothing_beside_its_file(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(300))
        memory.flush()
        assert memory.stats().index_bytes < 10_000
    with Memory(path) as memory:
        assert memory.verify().ok
        assert memory.search("garden")


@pytest.mark.index_files_when_large
def test_a_memory_that_has_grown_large_writes_its_indices(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "ALONE_TURNS", 100)
    with Memory(path) as memory:
        memory.add(chatter(101))
        memory.flush()
        assert memory.stats().tail == 0
        assert memory.stats().index_bytes > 0


@pytest.fixture(scope="module")
def flushed_and_not(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory of which a part is in index files and a part is not, with some turns deleted."""
    with Memory(tmp_path_factory.mktemp("filtered") / "test.hmem", recipe="flat") as memory:
        receipts = memory.add(chatter(700, sessions=30))
        memory.flush()
        receipts += memory.add(chatter(90, seed=2, sessions=30))
        memory.delete(*(receipt.id or "" for receipt in receipts[::17]))
        yield memory


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 1_000),
    share=st.sampled_from([0.0, 0.005, 0.05, 0.5, 1.0]),
    limit=st.sampled_from([1, 5, 60]),
    scanned=st.sampled_from([0, 10_000]),
)
def test_a_filtered_search_is_an_unfiltered_one_that_is_filtered(
    flushed_and_not: Memory, monkeypatch: pytest.MonkeyPatch, seed: int, share: float, limit: int, scanned: int
) -> None:
    """However few rows are allowed, and whether they are scanned or the index is searched deeper."""
    monkeypatch.setattr(vector, "_SCANNED", scanned)
    held, chance = flushed_and_not.corpus, np.random.default_rng(seed)
    terms = [str(word) for word in chance.choice([stems(word)[0] for word in WORDS.split()], 3, replace=False)]
    with held.reading():
        columns = held.columns
        allowed = chance.random(len(columns)) < share
        living = allowed & columns.alive
        aim = held.embedder.embed([" ".join(terms)])[0]
        rows = np.flatnonzero(living)
        near = held.nearest(aim, limit, allowed)
        wanted = np.sort(held.cosines(aim, rows)[0])[::-1] if len(rows) else np.empty(0)
        assert living[near].all()
        assert len(near) >= min(limit, len(rows))
        np.testing.assert_allclose(
            np.sort(held.cosines(aim, near)[0])[::-1][:limit] if len(near) else np.empty(0),
            wanted[: min(limit, len(near))], atol=0.01,
        )  # fmt: skip
