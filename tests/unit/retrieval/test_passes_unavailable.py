"""What a recall could not have."""

from hmem.errors import EmbedderUnavailable, RerankerUnavailable
from hmem.retrieval.passes import RERANK, embedder_step, unavailable, unavailable_parts


def test_what_the_trace_says_is_away_is_lacking() -> None:
    error = EmbedderUnavailable("nobody is there - start it")
    assert embedder_step(error) == {"embedder": {"unavailable": "nobody is there - start it"}}
    steps = {
        **embedder_step(error),
        RERANK: {"by": "it", **unavailable(RerankerUnavailable("no"))},
        "flat": {"found": 3},
    }
    assert unavailable_parts(steps) == ("embedder", "reranker")
    assert unavailable_parts({RERANK: {"by": "it", "candidates": 3}}) == unavailable_parts({}) == ()
