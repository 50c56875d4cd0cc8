from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.model.plan import SubQuestion
from hmem.model.span import Span
from hmem.papers.strategies.intersective import IntersectiveOptions, intersective, with_others
from hmem.retrieval.strategies.base import ScoredTurns


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


JULY = Span(day(2023, 7, 1), day(2023, 8, 1))
BEACH = [
    ("I went to the beach with the kids today", "2023-05-14T10:00:00Z"),
    ("The beach was full of jellyfish today", "2023-07-08T10:00:00Z"),
    ("I bought a new saddle for my horse", "2023-07-09T10:00:00Z"),
    ("Last month I swam at the beach in Tavira", "2023-08-20T10:00:00Z"),
    ("We built a sand castle on the beach today", "2024-07-15T10:00:00Z"),
]


@pytest.fixture
def beach(memory: Memory) -> Memory:
    memory.add([{"text": text, "speaker": "Cleo", "at": at, "session": at[:10]} for text, at in BEACH])
    memory.add(chatter(60))
    memory.tree("topic")
    return memory


def found(memory: Memory, *spans: Span, allowed: bool = False, **options: object) -> tuple[list[str], ScoredTurns]:
    part = SubQuestion("How often was Cleo at the beach?", mode="intersective", spans=spans, topic="Cleo at the beach")
    with sources(memory) as held:
        asked = query(held, part.text, part=part)
        if allowed:
            asked = replace(asked, allowed=held.corpus.columns.said < day(2023, 8, 1).timestamp() * 1_000_000)
        scored = intersective(held, asked, IntersectiveOptions(**options))  # type: ignore[arg-type]
        turns = held.corpus.turns(scored.rows)
        return [turns[row].text for row in scored.rows.tolist()], scored


def test_what_was_said_then_and_what_happened_then_are_both_found(beach: Memory) -> None:
    names, scored = found(beach, JULY)
    assert set(names[:2]) == {BEACH[1][0], BEACH[3][0]}
    assert scored.story["times"] == {"2023-07": 1.0}
    assert "fallback" not in scored.story


def test_what_belongs_to_another_time_is_not_found(beach: Memory) -> None:
    names, _ = found(beach, JULY)
    assert not {BEACH[0][0], BEACH[4][0]} & set(names)


def test_what_happened_then_but_was_told_later_says_so_in_its_terms(beach: Memory) -> None:
    names, scored = found(beach, JULY)
    place = names.index(BEACH[3][0])
    assert scored.terms["said"][place] == 0
    assert scored.terms["happened"][place] == pytest.approx(1)


def test_a_year_matches_as_a_whole(beach: Memory) -> None:
    names, scored = found(beach, Span(day(2023, 1, 1), day(2024, 1, 1)))
    assert {BEACH[0][0], BEACH[1][0], BEACH[3][0]} <= set(names)
    assert scored.story["times"] == {"2023": 1.0}


def test_a_day_matches_no_month(beach: Memory) -> None:
    names, scored = found(beach, Span(day(2023, 7, 8), day(2023, 7, 9)))
    assert names[0] == BEACH[1][0]
    assert BEACH[2][0] not in names
    assert scored.story["times"] == {"2023-07-08": 1.0}


def test_a_time_that_is_most_of_a_month_matches_it_less_than_its_own_days(beach: Memory) -> None:
    names, scored = found(beach, Span(day(2023, 7, 9), day(2023, 7, 29)))
    values = dict(zip(names, scored.terms["said"].tolist(), strict=True))
    assert values[BEACH[2][0]] == 1
    assert values[BEACH[1][0]] == pytest.approx(2 * 20 / 51, abs=1e-3)


def test_a_time_of_several_months_matches_each_of_them(beach: Memory) -> None:
    names, scored = found(beach, Span(day(2023, 5, 1), day(2023, 8, 1)))
    assert {BEACH[0][0], BEACH[1][0]} <= set(names)
    assert set(scored.story["times"]) == {"2023-05", "2023-07"}


def test_several_times_are_matched_each(beach: Memory) -> None:
    names, _ = found(beach, JULY, Span(day(2024, 7, 1), day(2024, 8, 1)))
    assert {BEACH[1][0], BEACH[4][0]} <= set(names)


def test_where_topic_and_time_have_nothing_in_common_nothing_is_found_and_the_story_says_so(beach: Memory) -> None:
    names, scored = found(beach, Span(day(2019, 7, 1), day(2019, 8, 1)))
    assert names == []
    assert scored.story["fallback"] == "sequential"
    assert "nothing in common" in scored.story["reason"]


def test_a_question_without_a_time_falls_back(beach: Memory) -> None:
    names, scored = found(beach)
    assert names == []
    assert scored.story["fallback"] == "sequential"


def test_a_narrower_search_of_topics_looks_at_fewer_facts(beach: Memory) -> None:
    names, narrow = found(beach, JULY, topics=1, nearest=1)
    _, wide = found(beach, JULY)
    assert narrow.story["of_topic"] < wide.story["of_topic"]
    assert BEACH[1][0] in names


@pytest.mark.parametrize("left_out", ["topic", "calendar"])
def test_without_one_of_the_trees_the_other_still_serves(path, left_out: str) -> None:
    with Memory(path, settings={f"formation.{left_out}": "false"}) as memory:
        memory.add([{"text": text, "speaker": "Cleo", "at": at, "session": at[:10]} for text, at in BEACH])
        memory.tree("topic")
        names, _ = found(memory, JULY)
        assert BEACH[3][0] in names
        assert BEACH[0][0] not in names


def test_only_what_is_allowed_is_found(beach: Memory) -> None:
    names, _ = found(beach, JULY, allowed=True)
    assert names[0] == BEACH[1][0]
    assert BEACH[3][0] not in names


def test_an_instant_asks_for_its_day(beach: Memory) -> None:
    moment = day(2023, 7, 8) + timedelta(hours=10)
    assert BEACH[1][0] in found(beach, Span(moment, moment))[0]


def test_an_empty_memory_falls_back(memory: Memory) -> None:
    assert found(memory, JULY)[1].story["fallback"] == "sequential"


def test_facts_of_a_time_are_ranked_among_others_by_the_terms_of_both(beach: Memory) -> None:
    _, facts = found(beach, JULY)
    rows = np.array([*facts.rows[:1].tolist(), 40], np.int64)
    others = replace(
        facts,
        name="sequential",
        rows=rows,
        scores=np.array([9.0, 0.5], np.float32),
        terms={"nearness": np.array([9.0, 0.5], np.float32)},
        weights={"nearness": 1.0},
    )
    ranked = with_others(facts, others)
    assert ranked.name == "intersective+sequential"
    assert set(ranked.rows.tolist()) == {*facts.rows.tolist(), 40}
    assert ranked.rows[0] == facts.rows[0]
    assert ranked.scores[0] == pytest.approx(facts.scores[0] + 9.0)
    assert (np.diff(ranked.scores) <= 0).all()
    told = sum(values * ranked.weights[term] for term, values in ranked.terms.items())
    assert told == pytest.approx(ranked.scores)
    place = ranked.rows.tolist().index(40)
    assert ranked.terms["said"][place] == 0
    assert ranked.scores[place] == pytest.approx(0.5)
