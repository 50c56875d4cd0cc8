"""Calibration from the bundled triples."""

import numpy as np
import pytest

from hmem.language.embed import embedder
from hmem.language.embed.measured import ANCHORS, calibrate, calibrating_texts, triples


@pytest.mark.parametrize("name", ["wordllama", "wordllama:128", "wordllama:64"])
def test_what_is_measured_of_the_bundled_embedder_is_what_ships(name: str) -> None:
    chosen = embedder(name)
    points = calibrate(chosen.embed(calibrating_texts())).points
    assert np.allclose(points, chosen.calibration.points, atol=0.002)


def test_on_the_common_scale_the_triples_lie_where_the_papers_thresholds_expect_them() -> None:
    rows = embedder("wordllama").embed(calibrating_texts())
    scale = calibrate(rows)
    texts, same = np.split(rows, 2)
    alike = sorted(scale(float(one @ other)) for one, other in zip(texts, same, strict=True))
    apart = sorted(scale(float(texts[i] @ texts[j])) for i in range(len(texts)) for j in range(i))
    assert alike[len(alike) // 8] >= 0.68
    assert apart[len(apart) * 9 // 10] <= 0.3


def test_a_model_that_takes_everything_for_alike_still_has_a_monotone_scale() -> None:
    rows = np.ones((len(calibrating_texts()), 8), np.float32) / np.sqrt(np.float32(8))
    scale = calibrate(rows)
    values = [scale(raw / 50) for raw in range(-50, 51)]
    assert values == sorted(values)
    assert len(scale.points) < len(ANCHORS)


def test_there_are_two_texts_for_each_triple() -> None:
    assert len(calibrating_texts()) == 2 * len(triples())
