"""Whether what was found answers a question by itself (HiMem, best-effort recall)."""

from collections.abc import Sequence
from datetime import datetime

from hmem.language.analyst.base import Line
from hmem.model.plan import SubQuestion, Sufficiency


def sufficiency(part: SubQuestion, found: Sequence[Line], asked: datetime) -> Sufficiency:  # noqa: ARG001
    """Coverage, specificity, recency and the confidence that these lines answer the question."""
    return Sufficiency(0.0, 0.0, 0.0, 0.0)
