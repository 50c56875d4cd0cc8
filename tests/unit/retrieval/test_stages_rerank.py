"""Reranking the best of what a strategy found."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.language.rerank import Reranker
from hmem.recipes import recipe
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.stages import rerank
from hmem.retrieval.strategies.base import ScoredTurns
from hmem.retrieval.strategies.flat import flat

QUESTION = "Where did Anna see the lighthouse?"


class Overlap(Reranker):
    """Scores by the share of the question's words that a text has, shifted by a constant."""

    name = "overlap"

    def __init__(self, shift: float = 0.0) -> None:
        self.shift = shift
        self.read: list[str] = []

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        self.read = list(texts)
        asked = set(question.lower().strip("?").split())
        shares = [len(asked & set(text.lower().replace(":", "").split())) / len(asked) for text in texts]
        return np.array(shares, np.float32) + np.float32(self.shift)


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(tmp_path / "m.hmem", recipe="flat")
    memory.add(chatter(60))
    memory.add("The lighthouse was shut.", speaker="Ben", session="x")
    memory.add("Where did you see the lighthouse, and did you see the whole coast?", speaker="Ben", session="x")
    memory.add("We see the lighthouse where the bay ends.", speaker="Anna", session="x")
    yield memory
    memory.close()


def _flat(held: Sources, asked: Query) -> ScoredTurns:
    return flat(held, asked, recipe("flat").retrieval.flat)


def _totals(scored: ScoredTurns) -> NDArray[np.float32]:
    return np.sum([values * scored.weights[name] for name, values in scored.terms.items()], axis=0)


@pytest.mark.parametrize("shift", [-12.0, 0.0, 7.0])
@pytest.mark.parametrize("most", [1, 2, 5, 20, 10_000])
def test_the_best_stand_in_the_rerankers_order_and_the_rest_below_as_before(
    filled: Memory, shift: float, most: int
) -> None:
    with sources(filled) as held:
        before = _flat(held, query(held, QUESTION))
        chosen = Overlap(shift)
        after = rerank(held, QUESTION, before, chosen, most)
    count = min(most, len(before.rows))
    given = after.terms["rerank"][:count]
    assert sorted(after.rows[:count].tolist()) == sorted(before.rows[:count].tolist())
    assert np.all(np.diff(given) <= 0)
    np.testing.assert_array_equal(after.rows[count:], before.rows[count:])
    np.testing.assert_array_equal(after.scores[count:], before.scores[count:])
    assert np.all(np.diff(after.scores) <= 0)
    assert len(chosen.read) == count


@pytest.mark.parametrize("shift", [-12.0, 0.0, 7.0])
def test_the_terms_still_sum_to_the_score(filled: Memory, shift: float) -> None:
    with sources(filled) as held:
        after = rerank(held, QUESTION, _flat(held, query(held, QUESTION)), Overlap(shift), 20)
    np.testing.assert_allclose(_totals(after), after.scores, atol=1e-5)
    assert not after.terms["rerank"][20:].any()
    assert after.story["rerank"] == {"by": "overlap", "candidates": 20}


def test_the_reranker_reads_who_says_what(filled: Memory) -> None:
    chosen = Overlap()
    with sources(filled) as held:
        after = rerank(held, QUESTION, _flat(held, query(held, QUESTION)), chosen, 5)
        best = held.corpus.turns(after.rows[:1])
    assert "Ben: The lighthouse was shut." in chosen.read
    assert f"{best[int(after.rows[0])].speaker}: {best[int(after.rows[0])].text}" in chosen.read


def test_turns_that_score_alike_keep_the_order_that_they_had(filled: Memory) -> None:
    with sources(filled) as held:
        before = _flat(held, query(held, "zeppelin"))
        after = rerank(held, "zeppelin", before, Overlap(), 30)
    np.testing.assert_array_equal(after.rows, before.rows)


def test_a_turn_that_stands_there_twice_stands_there_twice_afterwards(filled: Memory) -> None:
    with sources(filled) as held:
        once = _flat(held, query(held, QUESTION))
        twice = replace(
            once,
            rows=np.repeat(once.rows, 2),
            scores=np.repeat(once.scores, 2),
            terms={name: np.repeat(values, 2) for name, values in once.terms.items()},
        )
        after = rerank(held, QUESTION, twice, Overlap(), 6)
    assert sorted(after.rows.tolist()) == sorted(twice.rows.tolist())


def test_nothing_found_and_nothing_to_rerank_stay_as_they_are(filled: Memory) -> None:
    with sources(filled) as held:
        before = _flat(held, query(held, QUESTION))
        empty = replace(before, rows=before.rows[:0], scores=before.scores[:0], terms={})
        assert rerank(held, QUESTION, before, Overlap(), 0) is before
        assert rerank(held, QUESTION, empty, Overlap(), 5) is empty


def test_a_turn_that_was_just_deleted_does_no_harm(filled: Memory) -> None:
    chosen = Overlap()
    with sources(filled) as held:
        before = _flat(held, query(held, QUESTION))
        held.corpus.erasure.forget(held.corpus.columns.seq[before.rows[:1]].tolist())
        held.corpus.turn_cache.clear()
        after = rerank(held, QUESTION, before, chosen, 5)
    assert "" in chosen.read
    assert len(after.rows) == len(before.rows)
