from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from tests.formation import example
from tests.recall import query, sources

from hmem import Memory
from hmem.papers.strategies.intersective import IntersectiveOptions
from hmem.recipes import FLAT_WEIGHTS, RECIPES
from hmem.recipes.catalog import GROUPS
from hmem.retrieval.config import STRATEGIES, PlanOptions, RetrievalConfig, find
from hmem.retrieval.sources import Sources

TIMED = "What did Nadia do in March 2025?"


@pytest.fixture(scope="module")
def held() -> Iterator[Sources]:
    with Memory(":memory:") as memory:
        memory.add(example(120))
        memory.consolidate()
        with sources(memory) as read:
            yield read


def config(*strategies: str) -> RetrievalConfig:
    base = RECIPES["flat"].retrieval
    return replace(base, strategies=strategies)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("question", [TIMED, "Where does Nadia work?"])
@pytest.mark.parametrize("similarity", ["hybrid", "semantic"])
def test_every_strategy_gives_each_turn_once_best_first_with_terms_that_sum(
    held: Sources, name: str, question: str, similarity: str
) -> None:
    of_papers = {group.attribute: group.defaults for group in GROUPS.values() if group.defaults is not None}
    papers = {name: replace(of_papers[name], similarity=similarity)} if name in of_papers else {}
    found = STRATEGIES[name].find(held, query(held, question), replace(config(name), papers=papers))
    rows = found.rows.tolist()
    assert rows or name == "intersective"
    assert len(set(rows)) == len(rows) == len(found.scores)
    assert (np.diff(found.scores) <= 1e-6).all()
    told = sum((values * found.weights.get(term, 0.0) for term, values in found.terms.items()), np.zeros(len(rows)))
    assert told == pytest.approx(found.scores, abs=1e-4)
    if name == "graph":
        hits = [hit.score for hit in found.hits]
        assert hits == sorted(hits, reverse=True)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("seed", range(3))
def test_no_strategy_finds_a_turn_outside_of_the_allowed(held: Sources, name: str, seed: int) -> None:
    chance = np.random.default_rng(seed)
    allowed = chance.random(len(held.corpus.columns)) < (0.0, 0.1, 0.6)[seed]
    for question in (TIMED, "Who has a dog?", "What changed for Nadia this year?"):
        found = STRATEGIES[name].find(held, query(held, question, allowed=allowed), config(name))
        assert allowed[found.rows].all()
        for hit in found.hits:
            assert not hit.turns or allowed[held.corpus.columns.rows_of(list(hit.turns))].any()


@pytest.mark.parametrize("name", STRATEGIES)
def test_no_strategy_fails_on_an_empty_memory(memory: Memory, name: str) -> None:
    with sources(memory) as empty:
        found = STRATEGIES[name].find(empty, query(empty, TIMED), config(name))
    assert len(found.rows) == 0


def test_the_first_strategy_that_finds_anything_is_used(held: Sources) -> None:
    both = config("intersective", "sequential")
    alone = replace(both, papers={"intersective": IntersectiveOptions(joined=False)})
    timed = find(held, query(held, TIMED), alone)
    assert [each.name for each in timed] == ["intersective"]
    untimed = find(held, query(held, "Who has a dog?"), both)
    assert len(untimed[-1].rows)
    assert all(not len(each.rows) for each in untimed[:-1])
    assert untimed[-1].name == "sequential"


def test_facts_of_a_time_are_ranked_among_what_is_found_at_any_time(held: Sources) -> None:
    (joined,) = find(held, query(held, TIMED), config("intersective", "sequential"))
    assert joined.name == "intersective+sequential"
    asked, base = query(held, TIMED), config("flat")
    parts = [set(STRATEGIES[name].find(held, asked, base).rows.tolist()) for name in ("intersective", "sequential")]
    assert set(joined.rows.tolist()) == parts[0] | parts[1]
    assert len(parts[1] - parts[0])


def test_the_intersective_way_can_be_left_out(held: Sources) -> None:
    without = replace(config("intersective", "sequential"), plan=PlanOptions(intersective=False))
    assert [each.name for each in find(held, query(held, TIMED), without)] == ["sequential"]


def test_the_options_of_a_reading_reach_its_strategy(held: Sources) -> None:
    base = config("fusion")
    few = replace(base, fuse=replace(base.fuse, candidates=7))
    assert len(find(held, query(held, TIMED), few)[-1].rows) == 7
    weights = dict.fromkeys(FLAT_WEIGHTS, 0.0)
    none = replace(config("flat"), flat=replace(base.flat, weights=weights))
    assert not find(held, query(held, TIMED), none)[-1].scores.any()
