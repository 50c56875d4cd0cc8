"""Mechanisms that an evaluation can leave out."""

from typing import Final

from hmem.recipes import WITHOUT, settings_without

__all__ = ["MECHANISMS", "SWITCHABLE", "settings_without"]

MECHANISMS: Final = (
    "curation", "segmentation", "events", "calendar", "topic", "evolution", "layers", "routing", "lca", "intersective",
    "graph", "profiles", "summaries", "robustness", "temporal", "parts", "coverage",
    "sufficiency", "follow-up", "notes", "episodes", "topic-channel",
    "surprise-channel", "hierarchy", "reconcile", "tier1", "tiers", "persona", "rerank", "learned-ranker", "echo",
)  # fmt: skip

SWITCHABLE: Final = frozenset(WITHOUT)
