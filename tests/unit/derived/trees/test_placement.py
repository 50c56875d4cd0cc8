import pytest

from hmem.derived.trees.placement import cosine_at
from hmem.language.embed import embedder
from hmem.language.embed.base import Calibration


@pytest.mark.parametrize("similarity", [0.0, 0.3, 0.6, 0.8, 0.9])
def test_a_value_of_the_common_scale_has_its_cosine(similarity: float) -> None:
    scale = embedder("wordllama").calibration
    cosine = cosine_at(scale, similarity)
    assert scale(cosine) >= similarity
    assert scale(cosine - 1e-9) < similarity
    assert cosine_at(Calibration(), similarity) == pytest.approx(similarity)


def test_a_value_beyond_the_scale_is_reached_by_nothing_but_the_same() -> None:
    assert cosine_at(Calibration(), 1.5) == 1.0
