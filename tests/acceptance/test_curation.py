"""The rules' curation against turns labelled by hand; the labels hold ids only."""

import pytest
from benchmarks.curation import LOCOMO, measure

pytestmark = pytest.mark.skipif(not LOCOMO.exists(), reason="needs ../shared/data/locomo-dev.json")

PRECISION, RECALL = 0.91, 0.95
HELD_OUT_PRECISION, HELD_OUT_RECALL = 0.86, 0.95


def test_memorable_turns_are_told_from_formulas() -> None:
    report, labels, _ = measure(LOCOMO)
    assert len(labels) >= 200
    assert report["seen"]["precision"] >= PRECISION
    assert report["seen"]["recall"] >= RECALL
    assert report["held_out"]["precision"] >= HELD_OUT_PRECISION
    assert report["held_out"]["recall"] >= HELD_OUT_RECALL


def test_what_questions_are_about_is_memorable() -> None:
    report, _, _ = measure(LOCOMO)
    assert report["evidence_memorable_share"] >= 0.95
