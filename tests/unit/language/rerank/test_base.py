"""Rerankers, chosen by a string."""

import pytest

from hmem.errors import ExtraMissing, RerankerUnavailable, UnknownName
from hmem.language.rerank import reranker, reranker_names


def test_ours_is_found_by_the_entry_points_as_anybody_elses() -> None:
    assert "cross-encoder" in reranker_names()
    with pytest.raises((ExtraMissing, RerankerUnavailable), match=r"hmem\[rerank\]|no/such-model"):
        reranker("cross-encoder:no/such-model")


def test_an_unknown_name_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(UnknownName, match=r"'oracle'.*cross-encoder"):
        reranker("oracle")
