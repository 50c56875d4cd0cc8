"""Rerankers, chosen by a string."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hmem.errors import ExtraMissing, RerankerUnavailable, UnknownName
from hmem.language.rerank import Reranker, reranker, reranker_names


def test_ours_is_found_by_the_entry_points_as_anybody_elses() -> None:
    assert "cross-encoder" in reranker_names()
    with pytest.raises((ExtraMissing, RerankerUnavailable), match=r"hmem\[rerank\]|no/such-model"):
        reranker("cross-encoder:no/such-model")


def test_an_unknown_name_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(UnknownName, match=r"'oracle'.*cross-encoder"):
        reranker("oracle")


class Says(Reranker):
    """Gives what it is made with, or raises it."""

    name = "says"

    def __init__(self, what: Any) -> None:
        self.what = what

    def score(self, question: str, texts: Sequence[str]) -> Any:
        if isinstance(self.what, BaseException):
            raise self.what
        return self.what


def test_scores_are_looked_at() -> None:
    assert Says([1, 2]).checked_scores("Who?", ["a", "b"]).dtype == np.float32


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (RuntimeError("CUDA out of memory"), "RuntimeError: CUDA out of memory"),
        (MemoryError(), "failed .MemoryError. - "),
        (FileNotFoundError("model.onnx"), "model.onnx"),
        ([1.0], "one score a text"),
        ([[1.0, 2.0], [3.0, 4.0]], "one score a text"),
        ([1.0, float("nan")], "no numbers"),
        (["high", "low"], "ValueError"),
        (RerankerUnavailable("it is away - start it"), "it is away - start it"),
    ],
)
def test_whatever_a_library_raises_or_gives_that_cannot_rank_is_one_error(what: Any, told: str) -> None:
    with pytest.raises(RerankerUnavailable, match=told):
        Says(what).checked_scores("Who?", ["a", "b"])


def test_a_slip_in_the_code_of_a_reranker_is_seen() -> None:
    for slip in (TypeError("score() takes 1 positional argument"), AttributeError("no attribute 'scores'")):
        with pytest.raises(type(slip)):
            Says(slip).checked_scores("Who?", ["a"])


def test_an_interruption_is_no_failure() -> None:
    with pytest.raises(KeyboardInterrupt):
        Says(KeyboardInterrupt()).checked_scores("Who?", ["a"])
