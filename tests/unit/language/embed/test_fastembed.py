"""Models of fastembed: a small object in the place of one, and a real one where it is installed."""

import os
import sys
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest

from hmem.caches import clear_caches
from hmem.errors import EmbedderUnavailable, ExtraMissing
from hmem.language.embed import embedder
from hmem.language.embed.fastembed import FastembedEmbedder, load


class Encoder:
    """The bundled embedder in the library's form."""

    def embed(self, documents: list[str]) -> Iterator[np.ndarray]:
        return iter(embedder("wordllama").embed(documents) * 2)


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    clear_caches()


def test_rows_are_unit_vectors() -> None:
    rows = FastembedEmbedder(Encoder()).embed(["a puppy", ""])
    assert np.allclose(rows, embedder("wordllama").embed(["a puppy", ""]), atol=1e-5)


def _installed(monkeypatch: pytest.MonkeyPatch, make: object) -> None:
    module = ModuleType("fastembed")
    vars(module)["TextEmbedding"] = make
    monkeypatch.setitem(sys.modules, "fastembed", module)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(ExtraMissing, match=r"hmem\[fastembed\]"):
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


def test_the_folder_of_its_files_may_be_named_and_is_no_part_of_the_fingerprint(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    asked: list[object] = []

    def make(model: str, **options: object) -> Encoder:
        asked.append((model, options))
        return Encoder()

    _installed(monkeypatch, make)
    monkeypatch.setattr("hmem.language.embed.fastembed.version", lambda name: "1")
    chosen = load(f"some/model@{tmp_path}")
    assert asked == [("some/model", {"local_files_only": True, "specific_model_path": str(tmp_path)})]
    assert chosen.name == f"fastembed:some/model@{tmp_path}"
    assert chosen.fingerprint.startswith("fastembed:some/model/256/")


def test_a_model_of_fastembed_itself_is_calibrated_and_tells_meaning_apart() -> None:
    pytest.importorskip("fastembed")
    folder = os.environ.get("HMEM_TEST_FASTEMBED")
    if not folder:
        pytest.skip("HMEM_TEST_FASTEMBED names no folder with an ONNX export of all-MiniLM-L6-v2")
    chosen = load(f"sentence-transformers/all-MiniLM-L6-v2@{folder}")
    puppy, dog, rain = chosen.embed(["Maria adopted a puppy", "Maria took in a young dog", "It rained in Porto"])
    assert chosen.dimension == 384
    assert chosen.calibration(float(puppy @ dog)) > 0.7
    assert chosen.calibration(float(puppy @ rain)) < 0.3
