"""The same turns have the same scores, to the last digit, by whatever path they came into a memory."""

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formation import example
from tests.postgres import Postgres
from tests.processes import PROCESSES, SECONDS, started

from hmem import Memory
from hmem.corpus import corpus
from hmem.retrieval import stages
from hmem.storage.copying import copy_memory
from hmem.storage.location import Location

Messages = Sequence[dict[str, Any]]
# Terms of each piece of evidence with its text and score, by recipe and question.
Scores = dict[tuple[str, str], list[tuple[Any, ...]]]

TALK = example(40)
UNWANTED = [{**message, "session": "unwanted"} for message in example(84)[70:]]
QUESTIONS = ("Who adopted a dog?", "What did they do in spring?", "Biscuit has been to the vet again")
AT = "2025-11-30T12:00:00Z"


def shrink() -> None:
    """Have this process save rows, and form runs, of a few turns, so that a small memory has several of each."""
    corpus.SAVE_TURNS, corpus.RUN_BITS = 15, 3


@pytest.fixture(autouse=True)
def _shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SAVE_TURNS", "RUN_BITS"):
        monkeypatch.setattr(corpus, name, getattr(corpus, name))
    shrink()


def scores(memory: Memory) -> Scores:
    return {
        (recipe, question): [
            (
                evidence.text,
                evidence.score,
                evidence.relevance,
                sorted(evidence.why.terms.items(), key=lambda term: term[0]),
            )
            for evidence in memory.search(question, k=20, at=AT, recipe=recipe)
        ]
        for recipe in ("fusion", "flat")
        for question in QUESTIONS
    }


@cache
def expected() -> Scores:
    """Scores of the talk in a memory that got it in one batch and holds nothing else."""
    with Memory(":memory:") as memory:
        memory.add(TALK)
        return scores(memory)


def pieces(messages: Messages, chance: random.Random) -> Iterator[Messages]:
    """The messages in batches of any size."""
    cuts = sorted(chance.sample(range(1, len(messages)), chance.randint(2, 5)))
    for start, end in zip([0, *cuts], [*cuts, len(messages)], strict=True):
        yield messages[start:end]


# Ways into a memory: each leaves the turns of the talk at a place, and returns where they are then.


def one_by_one(place: str, _: random.Random) -> str:
    with Memory(place) as memory:
        for message in TALK:
            memory.add(message)
    return place


def opened_for_each_batch(place: str, chance: random.Random) -> str:
    for batch in pieces(TALK, chance):
        with Memory(place) as memory:
            memory.add(list(batch))
            if chance.random() < 0.5:
                memory.flush()
    return place


def with_deletions(place: str, chance: random.Random) -> str:
    unwanted = chance.sample(UNWANTED, len(UNWANTED))
    with Memory(place) as memory:
        ids: list[str] = []
        for batch in pieces(TALK, chance):
            memory.add(list(batch))
            ids += [receipt.id or "" for receipt in memory.add([unwanted.pop(), unwanted.pop()])]
            if chance.random() < 0.5:
                memory.delete(ids.pop())
        memory.delete(*ids)
    return place


def rebuilt(place: str, chance: random.Random) -> str:
    opened_for_each_batch(place, chance)
    with Memory(place) as memory:
        memory.rebuild()
    return place


def without_index_files(place: str, chance: random.Random) -> str:
    opened_for_each_batch(place, chance)
    shutil.rmtree(f"{place}-index", ignore_errors=True)
    return place


def backed_up(place: str, chance: random.Random) -> str:
    *first, last = pieces(TALK, chance)
    with Memory(place) as memory:
        for batch in first:
            memory.add(list(batch))
        memory.backup(f"{place}.backup")
    with Memory(f"{place}.backup") as memory:
        memory.add(list(last))
    return f"{place}.backup"


def copied_between_batches(place: str, chance: random.Random) -> str:
    *first, last = pieces(TALK, chance)
    with Memory(place) as memory:
        for batch in first:
            memory.add(list(batch))
    copy_memory(Location.parse(place), Location.parse(f"{place}.copy"))
    with Memory(f"{place}.copy") as memory:
        memory.add(list(last))
    return f"{place}.copy"


def write(line: Connection, place: str) -> None:
    """Add what comes through a line, as a process's task, and answer with the scores when nothing more comes."""
    # As the tests' own process has it.
    corpus.ALONE_TURNS, stages.CUT = 0, False
    shrink()
    with Memory(place) as memory:
        while messages := line.recv():
            memory.add(messages)
            line.send(len(messages))
        line.send(scores(memory))


@contextmanager
def writers(place: str) -> Iterator[list[Connection]]:
    """Lines to three processes that have a memory open."""
    with ExitStack() as ending:
        lines = list[Connection]()
        for _ in range(3):
            ours, theirs = PROCESSES.Pipe()
            process = started(write, theirs, place)
            theirs.close()
            ending.callback(process.kill)
            lines.append(ours)
        yield lines


def by_three_processes(place: str, chance: random.Random) -> str:
    with writers(place) as lines:
        for batch in pieces(TALK, chance):
            line = chance.choice(lines)
            line.send(list(batch))
            assert line.poll(SECONDS)
            line.recv()
        for line in lines:
            line.send(None)
            assert line.poll(SECONDS)
            assert line.recv() == expected()
    return place


WAYS: list[Callable[[str, random.Random], str]] = [
    one_by_one,
    opened_for_each_batch,
    with_deletions,
    rebuilt,
    without_index_files,
    backed_up,
    copied_between_batches,
    by_three_processes,
]


def of(place: str) -> Scores:
    with Memory(place) as memory:
        return scores(memory)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=2)
@given(chance=st.randoms(use_true_random=False))
def test_in_a_file(way: Callable[[str, random.Random], str], chance: random.Random) -> None:
    with TemporaryDirectory() as folder:
        assert of(way(f"{folder}/a.hmem", chance)) == expected()


@pytest.mark.parametrize("way", [one_by_one, opened_for_each_batch, with_deletions, rebuilt, by_three_processes])
@settings(max_examples=1, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.randoms(use_true_random=False))
def test_in_postgres(way: Callable[[str, random.Random], str], chance: random.Random, postgres: Postgres) -> None:
    assert of(way(postgres.location(), chance)) == expected()


def test_copied_to_postgres_and_back(path: Path, postgres: Postgres) -> None:
    one_by_one(str(path), random.Random(1))
    there, back = postgres.location(), path.with_name("back.hmem")
    copy_memory(Location.parse(path), Location.parse(there))
    assert of(there) == expected()
    copy_memory(Location.parse(there), Location.parse(back))
    assert of(str(back)) == expected()
