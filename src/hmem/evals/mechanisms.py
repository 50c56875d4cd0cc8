"""The mechanisms that an evaluation can leave out."""

from collections.abc import Sequence
from typing import Final

from hmem.errors import UnknownName

MECHANISMS: Final = (
    "curation", "segmentation", "events", "calendar", "topic", "evolution", "layers", "routing", "lca", "intersective",
    "graph", "profiles", "summaries", "robustness", "temporal", "follow-up", "notes", "episodes", "topic-channel",
    "surprise-channel", "reconcile", "tier1", "tiers", "persona", "rerank", "learned-ranker",
)  # fmt: skip

# Those that exist so far, and so can be left out.
SWITCHABLE: Final = frozenset[str]()


def check_without(without: Sequence[str]) -> None:
    """Make sure that each of these mechanisms can be left out.

    Raises:
        UnknownName: there is no such mechanism, or it cannot be switched off yet.
    """
    for name in without:
        if name in SWITCHABLE:
            continue
        what = f"{name!r} cannot be left out yet" if name in MECHANISMS else f"no mechanism is called {name!r}"
        raise UnknownName(f"{what} - mechanisms that can be left out now: {', '.join(sorted(SWITCHABLE)) or 'none'}")
