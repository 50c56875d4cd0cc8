"""Recipes as data: the mechanisms that a memory uses, and the settings that people may change, with reasons."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from hmem.formation.config import INACTIVE, CaptureOptions, FormationConfig
from hmem.retrieval.config import PlanOptions, RetrievalConfig
from hmem.retrieval.exchange import ExchangeOptions
from hmem.retrieval.feedback import APPROVE, MAX_WEIGHT, MIN_WEIGHT, REJECT, StrengthOptions
from hmem.retrieval.scoring.terms import HYBRID
from hmem.retrieval.stages import NAMES as STAGE_NAMES
from hmem.retrieval.strategies.flat import FlatOptions
from hmem.util.lazy_table import LazyTable

# Flat recall is hybrid similarity.
FLAT_WEIGHTS: Final = HYBRID


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named combination of mechanisms, formation and recall, with the bounds of what is kept."""

    name: str
    retrieval: RetrievalConfig = field(default_factory=RetrievalConfig)
    formation: FormationConfig = field(default_factory=FormationConfig)
    capture: CaptureOptions = field(default_factory=CaptureOptions)


DEFAULT: Final = "fusion"
_FLAT: Final = RetrievalConfig(
    strategies=("flat",),
    plan=PlanOptions(follow_up=False),
    flat=FlatOptions(weights=FLAT_WEIGHTS),
)


def _by_one_term(term: str) -> RetrievalConfig:
    """Return a baseline: flat recall by one score term."""
    weights = {name: float(name == term) for name in FLAT_WEIGHTS}
    return replace(_FLAT, flat=FlatOptions(weights=weights, leaning=False))


_RECIPES: Final = {
    # A follow-up by rules does not raise its recall.
    "fusion": Recipe(
        "fusion",
        replace(
            _FLAT, strategies=("fusion",), strength=StrengthOptions(feedback=1.0),
            exchange=ExchangeOptions(carried=0.2),
        ),
    ),
    "flat": Recipe("flat", _FLAT, INACTIVE),
    "bm25": Recipe("bm25", _by_one_term("lexical.turn"), INACTIVE),
    "vector": Recipe("vector", _by_one_term("semantic.turn"), INACTIVE),
}  # fmt: skip

_PAPERS: Final = "hmem.papers.recipes"

RECIPES: Final = LazyTable[Recipe](_RECIPES, _PAPERS, "RECIPES")


@dataclass(frozen=True, slots=True)
class Group:
    """Settings with the same first word: the place of their options in a recipe, and a test if a recipe uses them.

    Those of a paper's strategy are in the ``papers`` of a configuration by their ``attribute``, else the ``defaults``.
    """

    side: str
    attribute: str
    mechanism: str
    used: Callable[[Recipe], bool]
    defaults: object = None


def _always(_: Recipe) -> bool:
    return True


def recalls_by(strategy: str) -> Callable[[Recipe], bool]:
    return lambda recipe: strategy in recipe.retrieval.strategies


_GROUPS: Final[Mapping[str, Group]] = {
    "plan": Group("retrieval", "plan", "the plan of a question", _always),
    # Every recipe uses flat recall, by words alone, while the embedder is unavailable.
    "flat": Group("retrieval", "flat", "flat recall", _always),
    "fuse": Group("retrieval", "fuse", "fusion", recalls_by("fusion")),
    "strength": Group("retrieval", "strength", "feedback and the forgetting curve", _always),
    "exchange": Group("retrieval", "exchange", "exchanges in a context", _always),
    "context": Group("retrieval", "context", "contexts", _always),
    "retrieval": Group("retrieval", "", "recall", _always),
    "segment": Group("formation", "segment", "segmentation", lambda recipe: recipe.formation.segmentation),
    "topic": Group("formation", "topics", "the topic tree", lambda recipe: recipe.formation.topic),
    "evolution": Group("formation", "evolving", "the evolution tree", lambda recipe: recipe.formation.evolution),
    "layers": Group("formation", "layering", "the layers", lambda recipe: recipe.formation.layers),
    "tiers": Group(
        "formation", "tiering", "the tiers", lambda recipe: recipe.formation.tiers or recalls_by("tiered")(recipe)
    ),
    "reconcile": Group(
        "formation", "reconciling", "reconciling", lambda recipe: recipe.formation.reconciling.reconcile
    ),
    "formation": Group("formation", "", "formation", _always),
    "capture": Group("capture", "", "what is kept", _always),
}

GROUPS: Final = LazyTable[Group](_GROUPS, _PAPERS, "GROUPS")


@dataclass(frozen=True, slots=True)
class Setting:
    """A constant of the recipes that people may change: name, meaning, the reason to change it, and range of a number.

    ``maximum`` may be infinite, a value never is. The default is that of the options class, which has its source.
    """

    name: str
    meaning: str
    reason: str
    minimum: float = 0.0
    maximum: float = math.inf


_UNUSED_VIEW: Final = "Off, if nobody reads it: adding is faster, the file smaller."

_SETTINGS: Final = (
    Setting("plan.split", "Look up each part of a question that a model split.", "Off, to compare with one look-up."),
    Setting(
        "plan.sufficiency",
        "Let a model that answers say if more is needed, and search again.",
        "Off, to spend fewer calls on an answer.",
    ),
    Setting(
        "plan.follow_up",
        "Without a model, make one further query for a name that was not found.",
        "On, for questions over two steps.",
    ),
    Setting(
        "plan.model",
        "Let the memory's language model plan a search too.",
        "On, if searches may wait for a model, as answers do.",
    ),
    Setting(
        "flat.exhaustive",
        "Score every allowed turn if there are at most this many.",
        "Lower, for faster recall in memories of this size.",
    ),
    Setting(
        "flat.candidates", "Turns of each list that are scored in full.", "Higher for recall, lower for speed.", 1.0
    ),
    Setting("fuse.candidates", "Turns that get all features.", "Higher for recall, lower for speed.", 1.0),
    Setting("fuse.learned", "Rank by the learned weights.", "Off, to see what the ranker adds on your data."),
    Setting("fuse.temporal", "Use the times that a question names.", "Off, if the times of your turns mean nothing."),
    Setting(
        "fuse.repetition",
        "Penalty for repeating a better turn, times their cosine.",
        "0, if repetitions are evidence; higher for varied contexts.",
    ),
    Setting(
        "strength.decay",
        "Decay of the forgetting curve, per day.",
        "Higher, if what was said long ago should lose confidence sooner.",
    ),
    Setting(
        "strength.feedback",
        "Weight of the logarithm of feedback in a score.",
        "0, if feedback is recorded but should not rank.",
    ),
    Setting(
        "strength.judged",
        "Judge a person's next message as feedback.",
        "Off, if users say yes and no about other things than answers.",
    ),
    Setting(
        "exchange.questions",
        "Best turns that bring the question before them.",
        "0, if your turns are no exchanges, but documents.",
    ),
    Setting(
        "context.filled",
        "Fill the room that a recipe's own turns leave with those of flat recall.",
        "Off, to see what a paper's recipe alone finds.",
    ),
    Setting(
        "context.notes_share",
        "Share of a context's budget for notes and summaries.",
        "Higher, if distilled facts serve your model better than turns.",
        0.0,
        1.0,
    ),
    Setting(
        "context.formed_share",
        "Share of it for texts that a language model formed.",
        "Higher, if a model reads your memory and you trust its texts.",
        0.0,
        1.0,
    ),
    Setting(
        "context.pinned",
        "Share of it for pins.",
        "Higher, if you pin long rules; 0 for contexts without pins.",
        0.0,
        1.0,
    ),
    Setting(
        "context.profiles", "Begin with the personas of the people asked about.", "On, for assistants that address one."
    ),
    Setting("context.confidence", "Mark each turn with its confidence.", "On, if your model is to weigh old turns."),
    Setting(
        "context.compressed",
        "Tokens that a turn of more than twice as many is cut to where it does not fit whole; 0 for none.",
        "Some 96, if your turns are long and the budget small.",
    ),
    Setting(
        "context.floor",
        "Relevance of the best turn below which a context holds few; below a quarter of it, none.",
        "0, if a context should never be empty.",
        0.0,
        1.0,
    ),
    Setting(
        "retrieval.rerank",
        "Reranker that orders the best candidates anew; empty for none.",
        "`cross-encoder`, where milliseconds matter less than order.",
    ),
    Setting("retrieval.rerank_depth", "Candidates that the reranker orders.", "Lower for speed.", 1.0),
    Setting(
        "retrieval.cut",
        "Let a search return only what is relevant, unless it is given a least relevance.",
        "Off, if you always want `k` results.",
    ),
    Setting(
        "segment.max_turns",
        "Turns after which an episode ends as soon as no question is open.",
        "Lower for short chats, higher for long meetings.",
        1.0,
    ),
    Setting(
        "topic.theta",
        "Mean similarity below which a fact gets a category of its own.",
        "Higher for finer topics, lower for broader ones.",
        0.0,
        2.0,
    ),
    Setting(
        "evolution.alpha",
        "Similarity at which a node joins a cluster of a week, a month, a year.",
        "Higher for smaller clusters in the evolution tree.",
        0.0,
        1.0,
    ),
    Setting("reconcile.reconcile", "Reconcile notes.", "Off, to keep contradicting notes side by side."),
    Setting(
        "reconcile.learn",
        "Learn notes from episodes that answered where no note did.",
        "Off, if only turns may make notes.",
    ),
    Setting(
        "reconcile.rule",
        "Rule that settles a contradiction: `newest`, `most-frequent`, `first` or `ask`.",
        "`ask`, if a person decides.",
    ),
    Setting(
        "reconcile.rules",
        "Rules of single slots: `slot=rule` or `subject:slot=rule`.",
        "For slots that behave otherwise, such as a birthday.",
    ),
    Setting(
        "formation.echo", "Ignore text that repeats what was recalled.", "Off, if users repeat answers to confirm them."
    ),
    Setting(
        "formation.curation", "Judge which turns are memorable; if off, all are.", "Off, for documents and transcripts."
    ),
    Setting("formation.segmentation", "Cut sessions into episodes.", "Off, if your sessions are single topics."),
    Setting(
        "formation.events",
        "Extract statements from turns; if off, each turn is one event.",
        "Off, if turns are single statements already.",
    ),
    *(
        Setting(f"formation.{name}", meaning, _UNUSED_VIEW)
        for name, meaning in (
            ("calendar", "Form the calendar tree."),
            ("topic", "Form the topic tree."),
            ("evolution", "Form the evolution tree."),
            ("layers", "Form the layers."),
            ("graph", "Form the graph of entities."),
            ("notes", "Make notes."),
            ("summaries", "Write summaries."),
            ("profiles", "Write profiles of entities."),
            ("persona", "Write personas of speakers."),
            ("tiers", "Form the tiers."),
        )
    ),
    Setting(
        "formation.context_turns",
        "Earlier turns that the analyst sees with a turn.",
        "Higher for a model in chats full of pronouns; lower to spend less.",
    ),
    Setting("formation.summary_tokens", "Most tokens of a summary.", "Higher for fuller summaries.", 1.0),
    Setting(
        "formation.profile_tokens",
        "Most tokens of a persona, and of each part of a profile.",
        "Higher for fuller profiles.",
        1.0,
    ),
    Setting(
        "formation.profile_mentions",
        "Mentions after which an entity gets a profile.",
        "Lower, if things that are rarely named matter.",
    ),
    Setting(
        "capture.turn_characters",
        "Characters that a turn may have with all that belongs to it; a longer one is refused.",
        "Higher for whole books, lower to guard a server.",
        1.0,
    ),
)

SETTINGS: Final[Mapping[str, Setting]] = {setting.name: setting for setting in _SETTINGS}

# Former settings that are constants now, with their values: a memory may have stored one.
FIXED: Final[Mapping[str, float]] = {
    "strength.approve": APPROVE,
    "strength.reject": REJECT,
    "strength.min_weight": MIN_WEIGHT,
    "strength.max_weight": MAX_WEIGHT,
}

# Settings that have an effect only if one of their switches is on.
NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "retrieval.rerank_depth": ("retrieval.rerank",),
    "formation.summary_tokens": ("formation.summaries",),
    "formation.profile_tokens": ("formation.profiles", "formation.persona"),
    "formation.profile_mentions": ("formation.profiles",),
}

# Mechanisms that can be left out, by their names in evaluations, and the settings that do it.
WITHOUT: Final[Mapping[str, Mapping[str, str]]] = {
    **{stage: {"retrieval.without": stage} for stage in STAGE_NAMES},
    **{
        name: {f"formation.{name}": "false"}
        for name in ("echo", "curation", "segmentation", "events", "calendar", "topic", "persona")
    },
    "evolution": {"formation.evolution": "false", "graph.tree": "false"},
    "layers": {"formation.layers": "false", "routing.layers": "false"},
    "routing": {"routing.routing": "false"},
    "lca": {"sequential.lca": "false"},
    "intersective": {"plan.intersective": "false"},
    "graph": {"formation.graph": "false", "graph.graph": "false"},
    "profiles": {"formation.profiles": "false", "graph.profiles": "false"},
    "summaries": {"formation.summaries": "false", "graph.summaries": "false"},
    "robustness": {"graph.robustness": "false"},
    "temporal": {"graph.temporal": "false", "fuse.temporal": "false"},
    "parts": {"plan.split": "false"},
    "coverage": {"plan.coverage": "false"},
    "sufficiency": {"plan.sufficiency": "false"},
    "follow-up": {"plan.follow_up": "false"},
    "notes": {"formation.notes": "false", "best_effort.use_notes": "false"},
    "episodes": {"formation.segmentation": "false", "best_effort.use_episodes": "false"},
    "topic-channel": {"segment.topic_channel": "false"},
    "surprise-channel": {"segment.surprise_channel": "false"},
    "hierarchy": {"best_effort.hierarchy": "false"},
    "reconcile": {"reconcile.reconcile": "false"},
    "tier1": {"tiered.tier1": "false"},
    "tiers": {"formation.tiers": "false", "tiered.tiers": "false"},
    "rerank": {"retrieval.rerank": ""},
    "learned-ranker": {"fuse.learned": "false"},
}
