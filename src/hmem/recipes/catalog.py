"""Recipes as data: the mechanisms that a memory uses, the constants that can be set, and their sources."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from hmem.derived.note_states import ReconcileOptions
from hmem.formation.config import NOTHING, CaptureOptions, FormationConfig
from hmem.retrieval.config import ContextOptions, PlanOptions, RetrievalConfig
from hmem.retrieval.exchange import ExchangeOptions
from hmem.retrieval.scoring.strength import StrengthOptions
from hmem.retrieval.scoring.terms import HYBRID
from hmem.retrieval.strategies.flat import FlatOptions

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
# Of the papers, only `evolving` makes a follow-up by itself.
_PLANNED: Final = replace(_FLAT, plan=PlanOptions())
# A context begins with notes and summaries that say what none of its turns does.
_KNOWING: Final = ContextOptions(notes_share=0.08)


# Papers with notes revise them.
_ON: Final = ReconcileOptions()


def _by_one_term(term: str) -> RetrievalConfig:
    """Return a baseline: flat recall by one score term."""
    weights = {name: float(name == term) for name in FLAT_WEIGHTS}
    return replace(_FLAT, flat=FlatOptions(weights=weights, leaning=False))


RECIPES: Final[Mapping[str, Recipe]] = {
    # A follow-up by rules does not raise its recall.
    "fusion": Recipe(
        "fusion",
        replace(
            _FLAT, strategies=("fusion",), strength=StrengthOptions(feedback=1.0),
            exchange=ExchangeOptions(carried=0.2),
        ),
    ),
    "evolving": Recipe(
        "evolving", replace(_PLANNED, strategies=("graph",), context=_KNOWING),
        replace(NOTHING, events=True, evolution=True, graph=True, profiles=True, summaries=True),
    ),
    "dual-tree": Recipe(
        "dual-tree", replace(_FLAT, strategies=("intersective", "sequential")),
        replace(NOTHING, curation=True, events=True, calendar=True, topic=True, summaries=True),
    ),
    "layered": Recipe(
        "layered",
        replace(
            _FLAT, strategies=("routed",), strength=StrengthOptions(multiplied=True),
            context=ContextOptions(notes_share=0.08, profiles=True, confidence=True),
        ),
        replace(NOTHING, curation=True, events=True, segmentation=True, layers=True, notes=True, persona=True),
    ),
    "notes-episodes": Recipe(
        "notes-episodes", replace(_FLAT, strategies=("best_effort",), context=_KNOWING),
        replace(NOTHING, curation=True, events=True, segmentation=True, notes=True, summaries=True, reconciling=_ON),
    ),
    "orchestrated": Recipe(
        "orchestrated", replace(_FLAT, strategies=("tiered",)),
        replace(NOTHING, events=True, notes=True, persona=True, tiers=True, reconciling=_ON),
    ),
    "flat": Recipe("flat", _FLAT, NOTHING),
    "bm25": Recipe("bm25", _by_one_term("lexical.turn"), NOTHING),
    "vector": Recipe("vector", _by_one_term("semantic.turn"), NOTHING),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """Settings with the same first word: the place of their options in a recipe, and a test if a recipe uses them."""

    side: str
    attribute: str
    mechanism: str
    used: Callable[[Recipe], bool]


def _always(_: Recipe) -> bool:
    return True


def _recalls_by(strategy: str) -> Callable[[Recipe], bool]:
    return lambda made: strategy in made.retrieval.strategies


GROUPS: Final[Mapping[str, Group]] = {
    "plan": Group("retrieval", "plan", "the plan of a question", _always),
    # Every recipe uses flat recall, by words alone, while the embedder is unavailable.
    "flat": Group("retrieval", "flat", "flat recall", _always),
    "sequential": Group("retrieval", "sequential", "sequential recall", _recalls_by("sequential")),
    "intersective": Group("retrieval", "intersective", "intersective recall", _recalls_by("intersective")),
    "routing": Group("retrieval", "routed", "routed recall", _recalls_by("routed")),
    "graph": Group("retrieval", "graph", "recall over the graph", _recalls_by("graph")),
    "best_effort": Group("retrieval", "best_effort", "best-effort recall", _recalls_by("best_effort")),
    "tiered": Group("retrieval", "tiered", "tiered recall", _recalls_by("tiered")),
    "fuse": Group("retrieval", "fuse", "fusion", _recalls_by("fusion")),
    "strength": Group("retrieval", "strength", "feedback and the forgetting curve", _always),
    "exchange": Group("retrieval", "exchange", "exchanges in a context", _always),
    "context": Group("retrieval", "context", "contexts", _always),
    "retrieval": Group("retrieval", "", "recall", _always),
    "segment": Group("formation", "segment", "segmentation", lambda made: made.formation.segmentation),
    "topic": Group("formation", "topics", "the topic tree", lambda made: made.formation.topic),
    "evolution": Group("formation", "evolving", "the evolution tree", lambda made: made.formation.evolution),
    "layers": Group("formation", "layering", "the layers", lambda made: made.formation.layers),
    "tiers": Group(
        "formation", "tiering", "the tiers", lambda made: made.formation.tiers or _recalls_by("tiered")(made)
    ),
    "reconcile": Group("formation", "reconciling", "reconciling", lambda made: made.formation.reconciling.reconcile),
    "formation": Group("formation", "", "formation", _always),
    "capture": Group("capture", "", "what is kept", _always),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A constant of the recipes that can be set: name, meaning, source, and range of a number.

    ``most`` may be infinite, a value never is. The default is that of the options class.
    """

    name: str
    meaning: str
    source: str = "ours"
    least: float = 0.0
    most: float = math.inf


_DUAL, _EVOLVING, _LAYERED = "H-Mem, two trees", "H-Mem, tree and graph", "H-MEM"
_NOTES, _TIERED = "HiMem", "HMO"
_ABLATION: Final = "ablation of "
_FIGURES: Final = "decision 0006"

_SETTINGS: Final = (
    Setting("plan.split", "Look up each part of a question that a model split, prerequisites first.", _EVOLVING),
    Setting("plan.coverage", "Let the coverage of a part decide how many turns it brings.", _EVOLVING),
    Setting(
        "plan.sufficiency",
        "Let a model that answers say if more is needed; the next level is searched then, and what is missing.",
        f"{_NOTES}, {_TIERED}, {_EVOLVING}",
    ),
    Setting(
        "plan.scope", "One scope for every question: `short`, `long` or `mixed`; the plan's own when empty.", _EVOLVING
    ),
    Setting("plan.follow_up", "Without a model, make one further query for a name that was not found.", _EVOLVING),
    Setting(
        "plan.intersective",
        "Look up a question with a time frame by intersective recall, where the recipe has it.",
        _ABLATION + _DUAL,
    ),
    Setting("plan.model", "Let the memory's language model plan a search too; it waits for the model then."),
    Setting("flat.weights.lexical.turn", "Weight of the BM25 score of the turn.", _FIGURES),
    Setting("flat.weights.lexical.window", "Weight of the BM25 score of its window.", _FIGURES),
    Setting("flat.weights.lexical.session", "Weight of the BM25 score of its block of the session.", _FIGURES),
    Setting("flat.weights.semantic.turn", "Weight of the cosine of the turn.", _FIGURES),
    Setting("flat.weights.semantic.window", "Weight of the cosine of its window.", _FIGURES),
    Setting(
        "flat.weights.speaker", "Weight for a turn whose speaker the question names; an assistant's loses it.", _FIGURES
    ),
    Setting("flat.weights.log_length", "Weight of the logarithm of the turn's length.", _FIGURES),
    Setting("flat.exhaustive", "Score every allowed turn if there are at most this many."),
    Setting("flat.list_depth", "Turns listed by each word index in a larger memory.", least=1.0),
    Setting("flat.candidates", "Turns of each list that are scored in full.", least=1.0),
    Setting("sequential.seeds", "k: nearest turns that the search starts from.", _DUAL, 1.0),
    Setting(
        "sequential.bounded",
        "Limit how many facts an ancestor may bring; the paper takes all.",
        "ours; false is " + _DUAL,
    ),
    Setting("sequential.lca", "Take the facts under the lowest common ancestor in the calendar.", _ABLATION + _DUAL),
    Setting("sequential.window", "Turns on each side of a seed, if `sequential.lca` is off.", _DUAL, 1.0),
    Setting(
        "sequential.similarity",
        "Score facts by meaning (`semantic`), or by words too (`hybrid`).",
        "ours; semantic is " + _DUAL,
    ),
    Setting("sequential.weights.nearness", "Weight of the nearness of seeds in the same session."),
    Setting("sequential.weights.ancestor", "Weight of the seeds' scores below the turn's ancestors."),
    Setting("intersective.topics", "Categories of the topic tree that are searched.", least=1.0),
    Setting("intersective.nearest", "Nearest facts whose categories are searched as well."),
    Setting(
        "intersective.min_f1",
        "Least F1 of days at which a month or year matches the time asked about.",
        _DUAL,
        0.0,
        1.0,
    ),
    Setting(
        "intersective.joined",
        "Rank the facts among what sequential recall finds; the paper takes them alone.",
        "ours; false is " + _DUAL,
    ),
    Setting(
        "intersective.similarity",
        "Score facts by meaning (`semantic`), or by words too (`hybrid`).",
        "ours; semantic is " + _DUAL,
    ),
    Setting("intersective.weights.happened", "Weight for happening in the time asked about."),
    Setting("intersective.weights.said", "Weight for being said in the time asked about."),
    Setting("routing.k", "Entries kept in each layer.", _LAYERED, 1.0),
    Setting("routing.last", "Events taken from the lowest layer.", _LAYERED, 1.0),
    Setting("routing.beam", "`whole` keeps k of a layer, `per-parent` k below each survivor.", "decision 0053"),
    Setting("routing.routing", "Look only below the best of each layer.", _ABLATION + _LAYERED),
    Setting("routing.layers", "Recall events by the layers; if off, compare all turns.", _ABLATION + _LAYERED),
    Setting("routing.similarity", "Score events and turns by meaning (`semantic`), or by words too (`hybrid`)."),
    Setting("routing.words", "Weight of the word score of a node's best turn."),
    Setting("routing.weights.semantic.event", "Weight of the cosine of the event.", _LAYERED),
    Setting("routing.weights.semantic.turn", "Weight of the cosine of its turn."),
    Setting("routing.weights.strength", "Weight of importance, forgetting curve and feedback."),
    Setting("graph.k", "Turns reached from names, and events similar to the question.", _EVOLVING, 1.0),
    Setting("graph.hops", "Steps in the graph, by relations or overlaps.", _EVOLVING),
    Setting(
        "graph.overlap_weight",
        "Lambda of T: share of the overlap of times; the rest is the nearness of their middles.",
        _EVOLVING,
        0.0,
        1.0,
    ),
    Setting(
        "graph.tau_days", "Tau of R: days in which robustness falls to 1/e without consolidation.", _EVOLVING, 1e-6
    ),
    Setting("graph.eta", "Eta of R: how much consolidation slows the fall.", _EVOLVING, 0.0, 1.0),
    Setting("graph.tree", "Use events and summaries of the evolution tree.", _ABLATION + _EVOLVING),
    Setting("graph.graph", "Start from the names in the question.", _ABLATION + _EVOLVING),
    Setting("graph.profiles", "Return profiles.", _ABLATION + _EVOLVING),
    Setting("graph.summaries", "Return summaries.", _ABLATION + _EVOLVING),
    Setting("graph.robustness", "Let robustness count in the score.", _ABLATION + _EVOLVING),
    Setting("graph.temporal", "Let the time asked about count in the score.", _ABLATION + _EVOLVING),
    Setting("graph.weights.semantic", "Weight of S, the cosine.", _EVOLVING),
    Setting("graph.weights.temporal", "Weight of T, the match with the time asked about.", _EVOLVING),
    Setting("graph.weights.robustness", "Weight of R, robustness.", _EVOLVING),
    Setting("graph.weights.speaker", "Weight for a turn whose speaker the question names; an assistant's loses it."),
    Setting("graph.weights.entity", "Weight for naming an entity that was reached."),
    Setting(
        "graph.similarity",
        "Score turns by meaning (`semantic`), or by words too (`hybrid`).",
        "ours; semantic is " + _ABLATION + _EVOLVING,
    ),
    Setting("graph.weights.words", "Weight of hybrid similarity."),
    Setting("graph.weights.relation", "Weight for stating a relation of an entity in the question."),
    Setting("best_effort.notes", "Notes that are read.", _NOTES),
    Setting("best_effort.threshold", "Confidence at which the notes suffice by rules.", _NOTES, 0.0, 1.0),
    Setting("best_effort.episodes_per_note", "Episodes read for each note.", _NOTES),
    Setting("best_effort.tokens", "Tokens for notes and turns together.", _NOTES, 1.0),
    Setting("best_effort.notes_first", "Without a model, let rules say if the notes suffice.", _NOTES),
    Setting("best_effort.use_notes", "Read notes.", _ABLATION + _NOTES),
    Setting("best_effort.use_episodes", "Read episodes.", _ABLATION + _NOTES),
    Setting(
        "best_effort.hierarchy",
        "Go from notes to their episodes; if off, search turns beside the notes.",
        _ABLATION + _NOTES,
    ),
    Setting(
        "best_effort.nearest_episodes", "Read the episodes of the nearest turns too, wherever the notes do not suffice."
    ),
    Setting("best_effort.similarity", "Score turns by meaning (`semantic`), or by words too (`hybrid`).", _NOTES),
    Setting("best_effort.lexical_weight", "Weight of the share of the question's words in the note."),
    Setting("best_effort.subject_weight", "Weight for a note about somebody in the question."),
    Setting("best_effort.note_weight", "Weight of the note's score for its turns."),
    Setting("tiered.tier1", "Search the cache.", _ABLATION + _TIERED),
    Setting("tiered.tiers", "Search the cache and the buffer before the archive.", _ABLATION + _TIERED),
    Setting(
        "tiered.threshold",
        "Without a model, confidence by rules at which the search ends; 1 never ends it early.",
        "decision 0022",
        0.0,
        1.0,
    ),
    Setting("tiered.k", "Turns that the self-check reads.", _TIERED, 1.0),
    Setting("tiered.similarity", "Score turns by meaning (`semantic`), or by words too (`hybrid`).", _TIERED),
    Setting("tiered.record", "Record which turns were shown and which were of use.", _TIERED),
    Setting("fuse.candidates", "Turns that get all features.", "decision 0073", 1.0),
    Setting("fuse.learned", "Rank by the learned weights, and not by those of the first pass.", "decision 0073"),
    Setting("fuse.temporal", "Use the times that a question names.", "decision 0073"),
    Setting("fuse.repetition", "Penalty for repeating a better turn, times their cosine.", "decision 0073"),
    Setting("strength.decay", "Decay of the forgetting curve, per day.", _LAYERED + "; value ours"),
    Setting("strength.approve", "Factor for an approval.", _LAYERED + "; value ours"),
    Setting("strength.reject", "Factor for a rejection.", _LAYERED + "; value ours"),
    Setting("strength.min_weight", "Least weight that feedback can give.", _LAYERED + "; value ours"),
    Setting("strength.max_weight", "Greatest weight that feedback can give.", _LAYERED + "; value ours"),
    Setting("strength.feedback", "Weight of the logarithm of feedback in a score."),
    Setting("strength.multiplied", "Multiply the score by the weight of feedback instead.", _LAYERED),
    Setting("strength.judged", "Judge a person's next message as feedback.", _LAYERED),
    Setting("exchange.slope", "An answer ranks at `slope` times its question's rank, plus `offset`."),
    Setting("exchange.offset", "Ranks between a question and its answer: see `slope`."),
    Setting("exchange.questions", "Best turns that bring the question before them."),
    Setting("context.filled", "Fill the room that a recipe's own turns leave with those of flat recall."),
    Setting("exchange.carried", "Share of a turn's worth that the turn behind it is moved up by, in a context."),
    Setting("context.notes_share", "Share of a context's budget for notes and summaries.", "ours", 0.0, 1.0),
    Setting(
        "context.formed_share",
        "Share of a context's budget for notes, summaries, profiles and personas that a language model formed.",
        "ours",
        0.0,
        1.0,
    ),
    Setting("context.pinned", "Share of a context's budget for pins.", "ours", 0.0, 1.0),
    Setting("context.profiles", "Begin with the personas of the people asked about.", _LAYERED),
    Setting("context.confidence", "Mark each turn with its confidence.", _LAYERED),
    Setting(
        "context.compressed",
        "Tokens that a long turn is compressed to; 0 for no compression.",
        _TIERED + "; value ours",
    ),
    Setting(
        "context.floor",
        "Relevance of a context's best turn below which it holds few turns; below a quarter of it, none.",
        "ours",
        0.0,
        1.0,
    ),
    Setting("retrieval.strategies", "Strategies with commas between them; the first that finds anything is used."),
    Setting("retrieval.rerank", "Reranker that orders the best candidates anew; empty for none."),
    Setting("retrieval.rerank_depth", "Candidates that the reranker orders.", least=1.0),
    Setting(
        "retrieval.cut",
        "Let a search return only what is relevant, unless it is given a least relevance.",
        "decision 0073",
    ),
    Setting("segment.topic_channel", "Cut where a turn leaves the topic of the last turns.", _ABLATION + _NOTES),
    Setting(
        "segment.surprise_channel",
        "Cut where a turn announces another topic or is unusually emotional.",
        _ABLATION + _NOTES,
    ),
    Setting("segment.topic_distance", "Cosine distance at which the topic changes.", _NOTES, 0.0, 2.0),
    Setting("segment.surprise", "Surprise at which a turn begins an episode.", _NOTES, 0.0, 1.0),
    Setting(
        "segment.min_turns", "Least length of an episode in turns; only a strong surprise ends it earlier.", least=1.0
    ),
    Setting(
        "segment.max_turns",
        "Turns after which an episode ends as soon as no question is open; it ends at twice as many in any case.",
        least=1.0,
    ),
    Setting(
        "topic.theta",
        "Mean similarity below which a fact gets a category of its own, on the common scale.",
        _DUAL + " (0.8 on its own scale)",
        0.0,
        2.0,
    ),
    Setting(
        "evolution.alpha",
        "Similarity at which a node joins a cluster of a week, a month, a year.",
        _EVOLVING + " (0.8, 0.7, 0.6); decision 0043",
        0.0,
        1.0,
    ),
    Setting("evolution.month_after", "Age of the memory in days at which months begin.", _EVOLVING),
    Setting("evolution.year_after", "Age of the memory in days after which years begin.", _EVOLVING),
    Setting("layers.layers", "Layers, the events being the lowest: 2 to 6.", _LAYERED, 2.0, 6.0),
    Setting(
        "layers.similarity",
        "Similarity at which a new domain, a new category, an event joins an existing one.",
        "ours",
        0.0,
        1.0,
    ),
    Setting("tiers.sessions", "Latest sessions in the cache: S.", _TIERED),
    Setting("tiers.pivotal", "Pivotal turns in the cache: K.", _TIERED),
    Setting("tiers.buffer", "Turns in the buffer: H.", _TIERED),
    Setting("tiers.alpha", "Weight of importance in a turn's score.", _TIERED),
    Setting("tiers.beta", "Weight of likeness to the persona in a turn's score.", _TIERED),
    Setting("tiers.decay", "Lambda: decay of a turn's score, per day.", _TIERED + "; value ours"),
    Setting(
        "tiers.drift",
        "Tau: distance of the persona from its anchor at which the tiers are ordered anew.",
        _TIERED,
        0.0,
        1.0,
    ),
    Setting("tiers.scoring", "`hybrid`, or by `importance` or `similarity` alone.", _ABLATION + _TIERED),
    Setting("reconcile.reconcile", "Reconcile notes.", _NOTES),
    Setting("reconcile.learn", "Learn notes from episodes that answered where no note did.", _NOTES),
    Setting("reconcile.rule", "Rule that settles a contradiction: `newest`, `most-frequent`, `first` or `ask`."),
    Setting("reconcile.rules", "Rules of single slots: `slot=rule` or `subject:slot=rule`, with commas between them."),
    Setting("formation.echo", "Ignore text that repeats what was recalled.", "decision 0021"),
    Setting("formation.curation", "Judge which turns are memorable; if off, all are.", _DUAL),
    Setting("formation.segmentation", "Cut sessions into episodes.", _NOTES),
    Setting("formation.events", "Extract statements from turns; if off, each turn is one event.", _EVOLVING),
    Setting("formation.calendar", "Form the calendar tree.", _DUAL),
    Setting("formation.topic", "Form the topic tree.", _DUAL),
    Setting("formation.evolution", "Form the evolution tree.", _EVOLVING),
    Setting("formation.layers", "Form the layers.", _LAYERED),
    Setting("formation.graph", "Form the graph of entities.", _EVOLVING),
    Setting("formation.notes", "Make notes.", _NOTES),
    Setting("formation.summaries", "Write summaries.", _EVOLVING),
    Setting("formation.profiles", "Write profiles of entities.", _EVOLVING),
    Setting("formation.persona", "Write personas of speakers.", _TIERED),
    Setting("formation.tiers", "Form the tiers.", _TIERED),
    Setting("formation.context_turns", "Earlier turns that the analyst sees with a turn."),
    Setting("formation.summary_tokens", "Most tokens of a summary.", least=1.0),
    Setting("formation.profile_tokens", "Most tokens of a persona, and of each part of a profile.", least=1.0),
    Setting("formation.profile_mentions", "Mentions after which an entity gets a profile."),
    Setting(
        "capture.turn_characters",
        "Characters that a turn may have, with its caption, attachments, metadata and names; a longer one is refused.",
        least=1.0,
    ),
)

SETTINGS: Final[Mapping[str, Setting]] = {each.name: each for each in _SETTINGS}

# Settings that have an effect only if one of their switches is on.
NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "retrieval.rerank_depth": ("retrieval.rerank",),
    "segment.topic_distance": ("segment.topic_channel",),
    "segment.surprise": ("segment.surprise_channel",),
    "graph.overlap_weight": ("graph.temporal",),
    "graph.tau_days": ("graph.robustness",),
    "graph.eta": ("graph.robustness",),
    "formation.summary_tokens": ("formation.summaries",),
    "formation.profile_tokens": ("formation.profiles", "formation.persona"),
    "formation.profile_mentions": ("formation.profiles",),
}

# Mechanisms that can be left out, by their names in evaluations, and the settings that do it.
WITHOUT: Final[Mapping[str, Mapping[str, str]]] = {
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
