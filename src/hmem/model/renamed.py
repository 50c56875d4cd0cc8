"""Earlier names of score terms and settings, which still work, with a warning, until version 1.0."""

import inspect
import warnings
from collections.abc import Iterator, Mapping
from typing import Final

# Terms in ``why``, features of the ranker, and weights of flat recall.
TERMS: Final[Mapping[str, str]] = {
    "about": "subject_match",
    "answers": "follows_question",
    "best": "best_turn",
    "carried": "term_carryover",
    "common": "centroid_similarity",
    "echo": "pseudo_relevance",
    "event.meaning": "semantic.event",
    "event.meaning.less": "semantic.event.gap",
    "event.meaning.spread": "semantic.event.zscore",
    "event.words": "lexical.event",
    "fit": "answer_type_match",
    "flat.less": "flat.gap",
    "flat.spread": "flat.zscore",
    "lexical.turn.less": "lexical.turn.gap",
    "lexical.turn.spread": "lexical.turn.zscore",
    "lexical.window.less": "lexical.window.gap",
    "lexical.window.spread": "lexical.window.zscore",
    "place": "log_rank",
    "semantic.turn.less": "semantic.turn.gap",
    "semantic.turn.spread": "semantic.turn.zscore",
    "session.less": "session.gap",
    "subject": "subject_match",
    "substance": "log_length",
    "words.meaning": "semantic.keywords",
    "words.meaning.less": "semantic.keywords.gap",
    "words.meaning.spread": "semantic.keywords.zscore",
}

# Settings of a recipe. Memories keep the formation settings under the part behind the group.
SETTINGS: Final[Mapping[str, str]] = {
    "best_effort.beyond_links": "best_effort.nearest_episodes",
    "best_effort.lexical": "best_effort.lexical_weight",
    "best_effort.standing": "best_effort.note_weight",
    "best_effort.subject": "best_effort.subject_weight",
    "context.known": "context.notes_share",
    "exchange.asked": "exchange.questions",
    "flat.listed": "flat.list_depth",
    "flat.weights.substance": "flat.weights.log_length",
    "graph.balance": "graph.overlap_weight",
    "intersective.match": "intersective.min_f1",
    "read.rerank": "retrieval.rerank",
    "read.rerank_depth": "retrieval.rerank_depth",
    "read.reranked": "retrieval.rerank_depth",
    "read.strategies": "retrieval.strategies",
    "segment.events": "segment.surprise_channel",
    "segment.longest": "segment.max_turns",
    "segment.shortest": "segment.min_turns",
    "segment.topic": "segment.topic_channel",
    "strength.least": "strength.min_weight",
    "strength.most": "strength.max_weight",
    "write.calendar": "formation.calendar",
    "write.context": "formation.context_turns",
    "write.context_turns": "formation.context_turns",
    "write.curation": "formation.curation",
    "write.echo": "formation.echo",
    "write.events": "formation.events",
    "write.evolution": "formation.evolution",
    "write.graph": "formation.graph",
    "write.layers": "formation.layers",
    "write.notes": "formation.notes",
    "write.persona": "formation.persona",
    "write.profile_mentions": "formation.profile_mentions",
    "write.profile_tokens": "formation.profile_tokens",
    "write.profiles": "formation.profiles",
    "write.salient": "formation.profile_mentions",
    "write.segmentation": "formation.segmentation",
    "write.summaries": "formation.summaries",
    "write.summary_tokens": "formation.summary_tokens",
    "write.tiers": "formation.tiers",
    "write.topic": "formation.topic",
}


class RenamedName(DeprecationWarning):
    """Warning for an earlier name of a setting or a score term."""


def current_setting(name: str) -> str:
    """Return the present name of a setting; warn with ``RenamedName`` if ``name`` is an earlier one."""
    return _current(name, SETTINGS, "setting")


def current_term(name: str) -> str:
    """Return the present name of a score term; warn with ``RenamedName`` if ``name`` is an earlier one."""
    return _current(name, TERMS, "score term")


def _current(name: str, table: Mapping[str, str], kind: str) -> str:
    now = table.get(name)
    if now is None:
        return name
    told = f"the {kind} {name!r} is called {now!r} now - write that; the old name works until hmem 1.0"
    warnings.warn(RenamedName(told), stacklevel=_depth())
    return now


def _depth() -> int:
    """Return the stack depth of the nearest caller outside this package, so that the warning points at it."""
    package, depth, frame = __name__.partition(".")[0], 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        depth, frame = depth + 1, frame.f_back
    return depth


def earlier_names(group: str) -> Iterator[tuple[str, str]]:
    """Yield the earlier and the present name of each renamed setting of a group, both without the group."""
    for old, now in SETTINGS.items():
        before, after = old.partition(".")[2], now.partition(".")[2]
        if now.startswith(f"{group}.") and before != after:
            yield before, after
