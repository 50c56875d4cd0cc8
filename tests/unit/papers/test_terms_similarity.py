from collections.abc import Iterator

import numpy as np
import pytest
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.papers import terms as similar
from hmem.papers.terms import Similarity
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.sources import Sources

QUESTION = "Did Anna carry the violin to the market?"


@pytest.fixture
def held(memory: Memory) -> Iterator[Sources]:
    memory.add(chatter(300))
    with sources(memory) as opened:
        yield opened


@pytest.mark.parametrize("hybrid", [False, True])
def test_the_best_of_a_large_memory_are_among_its_candidates(
    held: Sources, monkeypatch: pytest.MonkeyPatch, hybrid: bool
) -> None:
    asked = query(held, QUESTION)
    whole = Similarity(held, asked, hybrid=hybrid)
    wanted = whole.best(whole.candidates(10), 5).tolist()
    monkeypatch.setattr(similar, "_MAX_COMPARED_ROWS", 100)
    part = Similarity(held, asked, hybrid=hybrid)
    few = part.candidates(40)
    assert 40 <= len(few) < 300
    assert len(set(part.best(few, 5).tolist()) & set(wanted)) >= 4


@pytest.mark.parametrize("listed", [5, 2_000])
def test_no_candidate_lies_outside_of_what_is_allowed(
    held: Sources, monkeypatch: pytest.MonkeyPatch, listed: int
) -> None:
    monkeypatch.setattr(similar, "_MAX_COMPARED_ROWS", listed)
    allowed = np.zeros(len(held.corpus.columns), np.bool_)
    allowed[::3] = True
    found = Similarity(held, query(held, QUESTION, allowed=allowed), hybrid=True).candidates(20)
    assert allowed[found].all()
    assert len(found) >= 20


def test_terms_are_the_same_for_some_rows_as_for_all(held: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([5, 40, 7])
    whole = Similarity(held, query(held, QUESTION), hybrid=True)
    monkeypatch.setattr(similar, "_MAX_COMPARED_ROWS", 299)
    some = Similarity(held, query(held, QUESTION), hybrid=True)
    one, other = (weighted_sum(each.terms(rows), each.weights) for each in (whole, some))
    assert one.tolist() == pytest.approx(other.tolist(), abs=1e-5)


def test_a_long_turn_is_its_own_window_and_a_short_one_is_seen_among_its_neighbours(memory: Memory) -> None:
    memory.add(chatter(20))
    memory.add(
        [
            {"text": "Where was the violin?", "speaker": "Anna", "session": "s"},
            {
                "text": "Under the stairs. " + "It rained on the harbour all week. " * 20,
                "speaker": "Ben",
                "session": "s",
            },
            {"text": "Thanks, found it", "speaker": "Anna", "session": "s"},
        ]
    )
    with sources(memory) as opened:
        terms = Similarity(opened, query(opened, "Who left the violin under the stairs?"), hybrid=True).terms(
            np.array([20, 21, 22])
        )
    for kind in ("lexical", "semantic"):
        turn, window = terms[f"{kind}.turn"], terms[f"{kind}.window"]
        assert window[1] == turn[1] > 0
        assert window[2] > turn[2]


def test_a_long_neighbour_does_not_drown_a_short_turn(memory: Memory) -> None:
    memory.add(chatter(20))
    short = [
        memory.add(
            [
                {"text": "My sister keeps bees behind the old mill", "speaker": "Anna", "session": session},
                {"text": "The harbour compass points north. " * times, "speaker": "Ben", "session": session},
            ]
        )[0].id
        or ""
        for session, times in (("s", 12), ("t", 60))
    ]
    with sources(memory) as opened:
        rows = opened.corpus.rows_of_ids(short)
        beside_long, beside_longer = opened.corpus.cosines(opened.corpus.vectors_at(rows[:1])[0], rows)[1].tolist()
    assert beside_longer == pytest.approx(beside_long, abs=0.02)
