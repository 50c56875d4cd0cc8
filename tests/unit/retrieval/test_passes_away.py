"""What a recall could not have."""

from hmem.errors import EmbedderUnavailable, RerankerUnavailable
from hmem.retrieval.passes import RERANK, away, embedder_away, lacking


def test_what_the_trace_says_is_away_is_lacking() -> None:
    error = EmbedderUnavailable("nobody is there - start it")
    assert embedder_away(error) == {"embedder": {"unavailable": "nobody is there - start it"}}
    steps = {**embedder_away(error), RERANK: {"by": "it", **away(RerankerUnavailable("no"))}, "flat": {"found": 3}}
    assert lacking(steps) == ("embedder", "reranker")
    assert lacking({RERANK: {"by": "it", "candidates": 3}}) == lacking({}) == ()
