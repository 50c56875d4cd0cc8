"""The picture of a comparison."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="pictures need the extra hmem[plot]")

from hmem_evals.picture import draw_comparison


def compared(ablations: int, categories: tuple[str, ...] = ("told", "counted")) -> dict[str, Any]:
    """A comparison of a recipe with its ablations, of which the last was not measured, and of a baseline."""

    def row(name: str, ablates: str | None, recall: float | None) -> dict[str, Any]:
        share = {"5": recall, "10": recall, "20": recall}
        held = {category: {"questions": 9, "measured": 9, "recall": share} for category in categories}
        return {
            "name": name, "ablates": ablates, "questions": 9, "recall": share, "by_category": held,
            "search_ms": {"p50": None if recall is None else 3.5, "p95": 9.0},
        }  # fmt: skip

    parts = [row(f"without part {i}", "whole", None if i == ablations - 1 else i / 50) for i in range(ablations)]
    return {"dataset": "made-up", "rows": [row("whole", None, 1.0), *parts, row("bm25", None, 0.0)]}


def size_of(png: Path) -> tuple[int, int]:
    header = png.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(header[16:20]), int.from_bytes(header[20:24])


@pytest.mark.parametrize(
    ("ablations", "categories"),
    [(0, ()), (3, ("told", "counted")), (20, tuple(f"a kind of question {i}" for i in range(7)))],
)
def test_a_comparison_is_written_as_a_picture_of_a_sensible_size(
    tmp_path: Path, ablations: int, categories: tuple[str, ...]
) -> None:
    draw_comparison(compared(ablations, categories)).save(tmp_path / "compare.png")
    width, height = size_of(tmp_path / "compare.png")
    assert 900 <= width <= 5_000
    assert 200 <= height <= 5_000


def test_a_comparison_of_nothing_is_a_picture_too(tmp_path: Path) -> None:
    draw_comparison({"dataset": "made-up", "rows": []}).save(tmp_path / "compare.svg")
    assert (tmp_path / "compare.svg").stat().st_size > 0
