"""What a recall could not have: the embedder, so that words alone tell, or the reranker, so that the order stays."""

from collections.abc import Mapping
from typing import Any, Final

from hmem.errors import EmbedderUnavailable, HmemError

# What the trace calls what it tells of each, and that it cannot be had.
RERANK: Final = "rerank"
_EMBEDDER: Final = "embedder"
_AWAY: Final = "unavailable"
_NEEDED: Final = ((_EMBEDDER, "embedder"), (RERANK, "reranker"))


def away(error: HmemError) -> dict[str, str]:
    """What the trace tells of a part that cannot be had."""
    return {_AWAY: str(error)}


def embedder_away(error: EmbedderUnavailable) -> dict[str, Any]:
    """The step of the trace that tells of an embedder that cannot be had."""
    return {_EMBEDDER: away(error)}


def lacking(steps: Mapping[str, Any]) -> tuple[str, ...]:
    """What could not be had in a recall, by the steps that its trace tells of."""
    return tuple(name for step, name in _NEEDED if _AWAY in steps.get(step, ()))
