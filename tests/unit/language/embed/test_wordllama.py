import json
import logging
import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest

from hmem.errors import UnknownName
from hmem.language.embed import DEFAULT, embedder, embedder_names
from hmem.language.embed.measured import calibrating_texts
from hmem.language.embed.wordllama import DIMENSIONS

NAMES = ["wordllama", *(f"wordllama:{dimension}" for dimension in DIMENSIONS)]

# The package itself configures the root logger when imported, so it runs in a process of its own.
REFERENCE = """
import json, sys
from pathlib import Path
import wordllama
# Its wheel holds the tokenizer, but it looks only in the user's cache.
here = Path(wordllama.__file__).parent
wordllama.WordLlama.get_cache_dir = lambda **_: here / "tokenizers"
model = wordllama.WordLlama.load(disable_download=True)
print(json.dumps(model.embed(json.load(sys.stdin), norm=True).tolist()))
"""


def test_vectors_are_those_of_the_package_itself() -> None:
    texts = ["I adopted a puppy.", "Ein Satz auf Deutsch, mit Umlauten: äöü.", "word " * 500, "🙂 emoji", "x"]
    run = subprocess.run(
        [sys.executable, "-c", REFERENCE], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    np.testing.assert_allclose(embedder("wordllama").embed(texts), np.array(json.loads(run.stdout)), atol=2e-3)


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_unit_vectors_of_the_dimension_and_nothing_gives_zeros(name: str) -> None:
    chosen = embedder(name)
    rows = chosen.embed(["a text", "", "another"])
    assert rows.shape == (3, chosen.dimension)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1], atol=1e-5)
    assert chosen.embed([]).shape == (0, chosen.dimension)


def test_a_text_is_embedded_alike_alone_and_in_a_batch() -> None:
    chosen = embedder("wordllama")
    batch = chosen.embed(["short", "a much longer text " * 50, "third"])
    np.testing.assert_array_equal(batch[0], chosen.embed(["short"])[0])


@pytest.mark.parametrize("name", NAMES)
def test_the_common_scale_means_the_same_with_every_bundled_embedder(name: str) -> None:
    chosen = embedder(name)
    texts, same = np.split(chosen.embed(calibrating_texts()), 2)
    apart = [chosen.calibration(float(texts[i] @ texts[j])) for i, j in permutations(range(len(texts)), 2)]
    restated = [chosen.calibration(float(one @ other)) for one, other in zip(texts, same, strict=True)]
    assert np.quantile(apart, 0.95) <= 0.32
    assert np.quantile(restated, 0.15) >= 0.7
    assert 0.8 <= np.median(restated) <= 0.9


def test_fingerprints_tell_embedders_apart_and_stay() -> None:
    prints = {embedder(name).fingerprint for name in ("wordllama", "wordllama:128", "wordllama:64")}
    assert len(prints) == 3
    assert embedder("wordllama:256").fingerprint == embedder("wordllama").fingerprint


def test_loading_leaves_the_users_logging_alone() -> None:
    code = "import logging, hmem.language.embed as e; e.embedder('wordllama'); print(len(logging.getLogger().handlers))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "0"
    assert logging.getLogger("hmem").level == logging.NOTSET


def test_an_unknown_embedder_or_variant_is_refused_with_the_choices() -> None:
    with pytest.raises(UnknownName, match="wordllama"):
        embedder("word2vec")
    with pytest.raises(UnknownName, match="64, 128, 256"):
        embedder("wordllama:300")
    assert DEFAULT in embedder_names()


def test_a_very_long_text_is_embedded_by_its_beginning() -> None:
    chosen = embedder("wordllama")
    start = "the cat sat on the mat. " * 2_000
    np.testing.assert_array_equal(*chosen.embed([start + "x" * 1_000_000, start]))
