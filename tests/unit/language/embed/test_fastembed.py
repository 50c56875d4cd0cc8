"""A model of fastembed itself; ``tests/integration/test_local_embedders.py`` has what holds of every library."""

import os

import pytest

from hmem.language.embed.fastembed import load
from hmem.util.caches import clear_caches


def test_a_model_of_fastembed_itself_is_calibrated_and_tells_meaning_apart() -> None:
    pytest.importorskip("fastembed")
    folder = os.environ.get("HMEM_TEST_FASTEMBED")
    if not folder:
        pytest.skip("HMEM_TEST_FASTEMBED names no folder with an ONNX export of all-MiniLM-L6-v2")
    clear_caches()
    chosen = load(f"sentence-transformers/all-MiniLM-L6-v2@{folder}")
    puppy, dog, rain = chosen.embed(["Maria adopted a puppy", "Maria took in a young dog", "It rained in Porto"])
    assert chosen.dimension == 384
    assert chosen.calibration(float(puppy @ dog)) > 0.7
    assert chosen.calibration(float(puppy @ rain)) < 0.3
