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

# Those that exist so far, and so can be left out.
SWITCHABLE: Final = frozenset(WITHOUT)


def settings_without(without: Sequence[str]) -> dict[str, str]:
    """The settings that leave these mechanisms out.

    Raises:
        UnknownName: there is no such mechanism, or it cannot be switched off yet.
    """
    settings: dict[str, str] = {}
    for name in without:
        if name not in SWITCHABLE:
            what = f"{name!r} cannot be left out yet" if name in MECHANISMS else f"no mechanism is called {name!r}"
            raise UnknownName(f"{what} - mechanisms that can be left out now: {', '.join(sorted(SWITCHABLE))}")
        settings |= WITHOUT[name]
    return settings
