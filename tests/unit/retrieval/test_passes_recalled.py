from datetime import UTC, datetime

import numpy as np

from hmem import Memory
from hmem.retrieval.passes import stories
from hmem.retrieval.strategies.base import ScoredTurns


def scored(name: str, **story: int) -> ScoredTurns:
    return ScoredTurns(name, np.zeros(0, np.int64), np.zeros(0, np.float32), {}, {}, {}, story=story)


def test_a_story_stands_by_the_name_of_its_strategy_behind_what_it_was_asked_about() -> None:
    assert stories([scored("flat", candidates=3), scored("graph")], "2: ") == {"2: flat": {"candidates": 3}}


def test_the_trace_tells_what_was_looked_up_and_how_long_it_took(memory: Memory) -> None:
    memory.add("I adopted a puppy named Coco", speaker="Maria", at="2023-08-11T10:00:00Z", session="s1")
    trace = memory.search("Who is Coco?", trace=True, at=datetime(2024, 1, 1, tzinfo=UTC)).trace
    assert trace is not None
    assert trace.queries == ("Who is Coco?",)
    assert trace.words == ("Coco",)
    assert trace.steps["fusion"]["candidates"] == 1
    assert {"catch up", "plan", "find and score", "fetch"} <= trace.milliseconds.keys()
