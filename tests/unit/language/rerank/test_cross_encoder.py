"""Scores of a cross-encoder, whose own part a small object plays: the model is an extra, and large."""

import sys
from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest

from hmem.errors import ExtraMissing, RerankerUnavailable
from hmem.language.rerank.cross_encoder import CrossEncoderReranker, load


class Lengths:
    """Predicts the length of the text, as double precision; in two columns where it is a classifier."""

    def __init__(self, columns: int = 1) -> None:
        self.columns = columns

    def predict(self, sentences: Sequence[tuple[str, str]], *, show_progress_bar: bool) -> np.ndarray:
        made = np.array([float(len(text)) for _, text in sentences])
        return made if self.columns == 1 else np.stack([made] * self.columns, axis=1)


def _installed(monkeypatch: pytest.MonkeyPatch, make: object) -> None:
    module = ModuleType("sentence_transformers")
    vars(module)["CrossEncoder"] = make
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_each_text_gets_a_score_in_single_precision() -> None:
    scores = CrossEncoderReranker(Lengths()).score("Who?", ["Maria", "Tom"])
    assert scores.dtype == np.float32
    assert scores.tolist() == [5.0, 3.0]


def test_no_texts_get_no_scores() -> None:
    assert CrossEncoderReranker(Lengths()).score("Who?", []).shape == (0,)


def test_a_classifier_is_no_reranker() -> None:
    with pytest.raises(RerankerUnavailable, match="one score a text"):
        CrossEncoderReranker(Lengths(columns=2), "some/classifier").score("Who?", ["Maria", "Tom"])


def test_its_name_leads_back_to_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, lambda model, local_files_only: Lengths())
    assert load("").name == "cross-encoder"
    assert load("some/model").name == "cross-encoder:some/model"


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ExtraMissing, match=r"pip install 'hmem\[rerank\]'"):
        load("")


@pytest.mark.parametrize("error", [OSError("not a local folder"), ValueError("no such file")])
def test_a_model_that_is_not_on_the_disk_is_not_downloaded(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def make(model: str, local_files_only: bool) -> Lengths:
        assert local_files_only
        raise error

    _installed(monkeypatch, make)
    with pytest.raises(RerankerUnavailable, match="'some/model' is not on this disk"):
        load("some/model")
