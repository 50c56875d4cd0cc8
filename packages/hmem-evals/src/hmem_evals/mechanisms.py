"""The mechanisms that an evaluation can leave out."""

from collections.abc import Sequence
from typing import Final

from hmem.errors import UnknownName
from hmem.recipes import WITHOUT

MECHANISMS: Final = (
    "curation", "segmentation", "events", "calendar", "topic", "evolution", "layers", "routing", "lca", "intersective",
    "graph", "profiles", "summaries", "robustness", "temporal", "follow-up", "notes", "episodes", "topic-channel",
    "surprise-channel", "reconcile", "tier1", "tiers", "persona", "rerank", "learned-ranker", "echo",
)  # fmt: skip

SWITCHABLE: Final = frozenset(WITHOUT)


def settings_without(without: Sequence[str]) -> dict[str, str]:
    """The settings that leave these mechanisms out.

    Raises:
        UnknownName: there is no such mechanism.
    """
    settings: dict[str, str] = {}
    for name in without:
        if name not in SWITCHABLE:
            raise UnknownName(f"no mechanism is called {name!r} - choose from: {', '.join(sorted(SWITCHABLE))}")
        settings |= WITHOUT[name]
    return settings
