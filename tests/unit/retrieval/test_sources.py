from pathlib import Path

import pytest
from tests.recall import sources
from tests.support import chatter

from hmem import Memory
from hmem.retrieval.sources import Sources


def counted(made: list[int]):  # type: ignore[no-untyped-def]
    def make(read: Sources) -> int:
        made.append(len(read.corpus.columns))
        return made[-1]

    return make


def test_what_is_made_of_sources_is_made_once(memory: Memory) -> None:
    memory.add(chatter(5))
    made: list[int] = []
    make = counted(made)
    with sources(memory) as held:
        assert [held.cached(make), held.cached(make)] == [5, 5]
        assert held.cached(counted(made)) == 5
    assert made == [5, 5]


def test_it_is_made_anew_when_turns_come_or_go(memory: Memory) -> None:
    ids = [receipt.id or "" for receipt in memory.add(chatter(5))]
    made: list[int] = []
    make = counted(made)
    with sources(memory) as held:
        held.cached(make)
        memory.add("one more", speaker="Anna")
        memory.flush()
        held.begin()
        held.cached(make)
        memory.delete(ids[0])
        held.begin()
        held.cached(make)
        held.cached(make)
    assert len(made) == 3


def test_it_is_made_anew_when_rows_are_renumbered(path: Path) -> None:
    with Memory(path) as memory, Memory(path) as other:
        ids = [receipt.id or "" for receipt in memory.add(chatter(5))]
        other.delete(ids[0])
        made: list[int] = []
        make = counted(made)
        with sources(memory) as held:
            held.begin()
            held.cached(make)
        memory.corpus.traces(["nothing"])
        with memory.corpus.reading():
            held.begin()
            held.cached(make)
    assert made == [5, 4]


def test_what_another_process_formed_counts_when_the_next_recall_begins(path: Path) -> None:
    with Memory(path) as memory:
        with sources(memory) as held:
            assert len(held.derived.judgements) == 0
            with Memory(path) as other:
                other.add(chatter(4))
                other.flush()
            assert len(held.derived.judgements) == 0
        with memory.corpus.reading():
            held.begin()
            assert len(held.derived.judgements) == 4


def test_the_episodes_are_those_of_now(memory: Memory) -> None:
    memory.add(chatter(6, sessions=2))
    with sources(memory) as held:
        before = [turn for run in held.episodes.runs for turn in run.turns]
        assert held.episodes is held.episodes
        memory.add("one more", speaker="Anna", session="s9")
        memory.flush()
        held.begin()
        after = [turn for run in held.episodes.runs for turn in run.turns]
    assert sorted(before) == sorted(after)[:6]
    assert len(after) == 7


@pytest.mark.parametrize("recipe", ["flat", "bm25", "vector"])
def test_a_recipe_that_needs_nothing_formed_loads_nothing_of_it(path: Path, recipe: str) -> None:
    with Memory(path) as memory:
        memory.add(chatter(12))
    with Memory(path, recipe=recipe) as memory:
        assert len(memory.search("violin")) == 10
        assert memory._components.formation.derived.at.watermark == 0  # pyright: ignore[reportPrivateUsage]
