"""The rules' names against turns labelled by hand; the labels hold ids and names only."""

from typing import Any

import pytest
from benchmarks.entities import LOCOMO, measure

pytestmark = pytest.mark.skipif(not LOCOMO.exists(), reason="needs ../shared/data/locomo-dev.json")

FLOOR = 0.93
# Measured but speakers: 0.928 and 0.914 found, and with their types 0.83 and 0.69 (35 names held out), as read from
# trees. Rules over capitals were held to 0.93, and to 0.78 with types.
FLOOR_BUT_SPEAKERS = 0.91
FLOOR_WITH_TYPE = 0.85
FLOOR_WITH_TYPE_BUT_SPEAKERS = 0.68


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return measure(LOCOMO)


def test_names_are_found_and_nothing_else_is_taken_for_one(report: dict[str, Any]) -> None:
    assert report["development"]["turns"] + report["held_out"]["turns"] >= 120
    for part in ("development", "held_out"):
        for kind in ("all", "not_speakers"):
            assert report[part][kind]["precision"] >= FLOOR
        assert report[part]["all"]["recall"] >= FLOOR
        assert report[part]["not_speakers"]["recall"] >= FLOOR_BUT_SPEAKERS


def test_names_are_given_their_types(report: dict[str, Any]) -> None:
    for part in ("development", "held_out"):
        for figure in ("typed_precision", "typed_recall"):
            assert report[part]["all"][figure] >= FLOOR_WITH_TYPE
            assert report[part]["not_speakers"][figure] >= FLOOR_WITH_TYPE_BUT_SPEAKERS
