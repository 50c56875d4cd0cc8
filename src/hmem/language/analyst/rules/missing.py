"""What a first pass lacks, and the one query for it (H-Mem, tree and graph: missing information)."""

from collections.abc import Sequence

from hmem.language.analyst.base import Line
from hmem.model.plan import FollowUp, SubQuestion


def missing(part: SubQuestion, found: Sequence[Line]) -> FollowUp | None:  # noqa: ARG001
    """The follow-up query, or None when what was found is specific enough."""
    return None
