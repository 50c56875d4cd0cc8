"""Recipes of the five papers as data, and the groups of their strategies' constants."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hmem.derived.note_states import ReconcileOptions
from hmem.formation.config import INACTIVE
from hmem.papers.strategies import OPTIONS
from hmem.recipes.catalog import RECIPES as OURS
from hmem.recipes.catalog import Group, Recipe, recalls_by
from hmem.retrieval.config import ContextOptions, PlanOptions
from hmem.retrieval.feedback import StrengthOptions

_FLAT: Final = OURS["flat"].retrieval
# Of the papers, only `evolving` makes a follow-up by itself.
_PLANNED: Final = replace(_FLAT, plan=PlanOptions())
# A context begins with notes and summaries that say what none of its turns does.
_WITH_NOTES: Final = ContextOptions(notes_share=0.08)
# Papers with notes revise them.
_RECONCILE: Final = ReconcileOptions()

RECIPES: Final[Mapping[str, Recipe]] = {
    "evolving": Recipe(
        "evolving", replace(_PLANNED, strategies=("graph",), context=_WITH_NOTES),
        replace(INACTIVE, events=True, evolution=True, graph=True, profiles=True, summaries=True),
    ),
    "dual-tree": Recipe(
        "dual-tree", replace(_FLAT, strategies=("intersective", "sequential")),
        replace(INACTIVE, curation=True, events=True, calendar=True, topic=True, summaries=True),
    ),
    "layered": Recipe(
        "layered",
        replace(
            _FLAT, strategies=("routed",), strength=StrengthOptions(multiplied=True),
            context=ContextOptions(notes_share=0.08, profiles=True, confidence=True),
        ),
        replace(INACTIVE, curation=True, events=True, segmentation=True, layers=True, notes=True, persona=True),
    ),
    "notes-episodes": Recipe(
        "notes-episodes", replace(_FLAT, strategies=("best_effort",), context=_WITH_NOTES),
        replace(
            INACTIVE, curation=True, events=True, segmentation=True, notes=True, summaries=True, reconciling=_RECONCILE,
        ),
    ),
    "orchestrated": Recipe(
        "orchestrated", replace(_FLAT, strategies=("tiered",), context=ContextOptions(compressed=96)),
        replace(INACTIVE, events=True, notes=True, persona=True, tiers=True, reconciling=_RECONCILE),
    ),
}  # fmt: skip


def _group(attribute: str, mechanism: str) -> Group:
    return Group("retrieval", attribute, mechanism, recalls_by(attribute), OPTIONS[attribute])


GROUPS: Final[Mapping[str, Group]] = {
    "sequential": _group("sequential", "sequential recall"),
    "intersective": _group("intersective", "intersective recall"),
    "routing": _group("routed", "routed recall"),
    "graph": _group("graph", "recall over the graph"),
    "best_effort": _group("best_effort", "best-effort recall"),
    "tiered": _group("tiered", "tiered recall"),
}
