import json
import logging
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import numpy as np
import pytest

from hmem.errors import EmbedderUnavailable, UnknownName
from hmem.language.embed import DEFAULT, embedder, minilm
from hmem.language.embed.measured import calibrating_texts
from hmem.util.caches import clear_caches
from hmem_encoder import encoder, model_facts


def test_it_is_the_default_and_has_no_variants() -> None:
    assert DEFAULT == "minilm"
    assert embedder("minilm").dimension == 384
    with pytest.raises(UnknownName, match="leave it out"):
        embedder("minilm:128")


def test_the_fingerprint_is_a_digest_of_what_computes_the_vectors() -> None:
    assert embedder("minilm").fingerprint == f"minilm/384/{model_facts()['fingerprint'][:12]}"


def test_a_question_has_the_vector_of_its_text_from_the_cache_too() -> None:
    chosen = embedder("minilm")
    once, again = (chosen.embed_query(["Where is it?", "a", "Where is it?"]) for _ in range(2))
    np.testing.assert_array_equal(once, again)
    np.testing.assert_array_equal(once[:2], chosen.embed(["Where is it?", "a"]))
    clear_caches()
    np.testing.assert_array_equal(chosen.embed_query(["a"])[0], once[1])


def test_threads_may_ask_at_once() -> None:
    chosen, asked = embedder("minilm"), [f"question {number % 7}" for number in range(60)]
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda text: chosen.embed_query([text])[0], asked))
    np.testing.assert_array_equal(rows, chosen.embed(asked))


def test_the_common_scale_means_the_same_as_with_every_bundled_embedder() -> None:
    chosen = embedder("minilm")
    texts, same = np.split(chosen.embed(calibrating_texts()), 2)
    apart = [chosen.calibration(float(texts[i] @ texts[j])) for i, j in permutations(range(len(texts)), 2)]
    restated = [chosen.calibration(float(one @ other)) for one, other in zip(texts, same, strict=True)]
    assert np.quantile(apart, 0.95) <= 0.32
    assert np.quantile(restated, 0.15) >= 0.7
    assert 0.8 <= np.median(restated) <= 0.9


def test_a_missing_package_or_file_is_an_embedder_that_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(minilm, "import_module", missing)
    with pytest.raises(EmbedderUnavailable, match="pip install hmem-encoder"):
        minilm.load("")


def test_a_model_that_fails_is_an_embedder_that_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> object:
        raise MemoryError

    monkeypatch.setattr(encoder(), "vectors", fail)
    with pytest.raises(EmbedderUnavailable, match="try again, or free memory"):
        embedder("minilm").embed(["a text"])


def test_loading_leaves_the_users_logging_alone() -> None:
    before = len(logging.getLogger().handlers)
    embedder("minilm").embed(["a text"])
    assert len(logging.getLogger().handlers) == before
    assert json.dumps(model_facts())
