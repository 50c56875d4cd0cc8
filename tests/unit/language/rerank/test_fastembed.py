"""Scores of fastembed's cross-encoder, whose own part a small object plays: the model is an extra, and large."""

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType

import numpy as np
import pytest

from hmem.errors import ExtraMissing, RerankerUnavailable
from hmem.language.rerank.fastembed import FastembedReranker, load

MODULE = "fastembed.rerank.cross_encoder"


class Lengths:
    """Scores a text by its length; one too few where it is broken."""

    def __init__(self, lost: int = 0) -> None:
        self.lost = lost

    def rerank(self, query: str, documents: Iterable[str]) -> Iterator[float]:
        return iter([float(len(text)) for text in documents][self.lost :])


def _installed(monkeypatch: pytest.MonkeyPatch, make: object) -> None:
    module = ModuleType(MODULE)
    vars(module)["TextCrossEncoder"] = make
    monkeypatch.setitem(sys.modules, MODULE, module)


def test_each_text_gets_a_score_in_single_precision() -> None:
    scores = FastembedReranker(Lengths()).score("Who?", ["Maria", "Tom"])
    assert scores.dtype == np.float32
    assert scores.tolist() == [5.0, 3.0]
    assert FastembedReranker(Lengths()).score("Who?", []).shape == (0,)


def test_a_model_that_does_not_score_each_text_is_refused() -> None:
    with pytest.raises(RerankerUnavailable, match="trained to rank"):
        FastembedReranker(Lengths(lost=1)).score("Who?", ["Maria", "Tom"])


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, MODULE, None)
    with pytest.raises(ExtraMissing, match=r"hmem\[fastembed\]"):
        load("")


def test_a_model_that_is_not_on_the_disk_is_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def make(model: str, **options: object) -> Lengths:
        asked.append((model, options))
        if "@" not in model and "specific_model_path" not in options:
            raise ValueError("offline")
        return Lengths()

    _installed(monkeypatch, make)
    with pytest.raises(RerankerUnavailable, match="not on this disk - run "):
        load("some/model")
    assert load("some/model@/here").name == "fastembed:some/model@/here"
    assert asked == [
        ("some/model", {"local_files_only": True}),
        ("some/model", {"local_files_only": True, "specific_model_path": "/here"}),
    ]
