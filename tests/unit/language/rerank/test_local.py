"""Scores of cross-encoders, whose own part a small object plays: the models are extras, and large."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType

import numpy as np
import pytest

from hmem.errors import ExtraMissing, RerankerUnavailable
from hmem.language.rerank.local import CrossEncoder, cross_encoder, fastembed

TRANSFORMERS = "sentence_transformers"
FASTEMBED = "fastembed.rerank.cross_encoder"
TEXTS = ["Maria", "Tom"]


class Lengths:
    """Scores a text by its length, as either library does; in two columns, or one too few, where it is broken."""

    def __init__(self, columns: int = 1, lost: int = 0) -> None:
        self.columns = columns
        self.lost = lost

    def predict(self, sentences: Sequence[tuple[str, str]], *, show_progress_bar: bool) -> np.ndarray:
        made = np.array([float(len(text)) for _, text in sentences])
        return made if self.columns == 1 else np.stack([made] * self.columns, axis=1)

    def rerank(self, query: str, documents: Iterable[str]) -> Iterator[float]:
        return iter([float(len(text)) for text in documents][self.lost :])


def _installed(monkeypatch: pytest.MonkeyPatch, library: str, make: object) -> None:
    module = ModuleType(library)
    vars(module).update(CrossEncoder=make, TextCrossEncoder=make)
    monkeypatch.setitem(sys.modules, library, module)


@pytest.fixture(params=[TRANSFORMERS, FASTEMBED])
def chosen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> CrossEncoder:
    _installed(monkeypatch, request.param, lambda model, local_files_only: Lengths())
    return cross_encoder("") if request.param == TRANSFORMERS else fastembed("")


def test_each_text_gets_a_score_in_single_precision(chosen: CrossEncoder) -> None:
    scores = chosen.score("Who?", TEXTS)
    assert scores.dtype == np.float32
    assert scores.tolist() == [5.0, 3.0]


def test_no_texts_get_no_scores(chosen: CrossEncoder) -> None:
    assert chosen.score("Who?", []).shape == (0,)


def test_a_model_that_does_not_score_each_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, TRANSFORMERS, lambda model, local_files_only: Lengths(columns=2))
    _installed(monkeypatch, FASTEMBED, lambda model, local_files_only: Lengths(lost=1))
    for broken in (cross_encoder("some/classifier"), fastembed("some/model")):
        with pytest.raises(RerankerUnavailable, match="one score a text"):
            broken.checked_scores("Who?", TEXTS)


def test_its_name_leads_back_to_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, TRANSFORMERS, lambda model, local_files_only: Lengths())
    assert cross_encoder("").name == "cross-encoder"
    assert cross_encoder("some/model").name == "cross-encoder:some/model"


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in (TRANSFORMERS, FASTEMBED):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ExtraMissing, match=r"pip install 'hmem\[rerank\]'"):
        cross_encoder("")
    with pytest.raises(ExtraMissing, match=r"hmem\[fastembed\]"):
        fastembed("")


@pytest.mark.parametrize("error", [OSError("not a local folder"), ValueError("no such file")])
def test_a_model_that_is_not_on_the_disk_is_not_downloaded(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def make(model: str, local_files_only: bool) -> Lengths:
        assert local_files_only
        raise error

    _installed(monkeypatch, TRANSFORMERS, make)
    with pytest.raises(RerankerUnavailable, match="'some/model' is not on this disk"):
        cross_encoder("some/model")


def test_a_model_that_is_not_on_the_disk_is_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def make(model: str, **options: object) -> Lengths:
        asked.append((model, options))
        if "@" not in model and "specific_model_path" not in options:
            raise ValueError("offline")
        return Lengths()

    _installed(monkeypatch, FASTEMBED, make)
    with pytest.raises(RerankerUnavailable, match="not on this disk - run "):
        fastembed("some/model")
    assert fastembed("some/model@/here").name == "fastembed:some/model@/here"
    assert asked == [
        ("some/model", {"local_files_only": True}),
        ("some/model", {"local_files_only": True, "specific_model_path": "/here"}),
    ]
