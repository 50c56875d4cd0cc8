"""The recipes, as data: which mechanisms a memory uses, and with which constants."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, cast

from hmem.derived.note_states import RULES, ReconcileOptions
from hmem.errors import UnknownName
from hmem.formation.config import NOTHING, FormationConfig
from hmem.retrieval.config import STRATEGIES, ContextOptions, PlanOptions, RetrievalConfig
from hmem.retrieval.pipeline import SCOPES
from hmem.retrieval.scoring.strength import StrengthOptions
from hmem.retrieval.strategies.flat import FlatOptions

# Chosen among a few settings on the development conversations; docs/decisions/0006 has the table.
FLAT_WEIGHTS: Final[Mapping[str, float]] = {
    "lexical.turn": 2.2,
    "lexical.window": 2.2,
    "lexical.session": 1.1,
    "semantic.turn": 1.0,
    "semantic.window": 1.0,
    "speaker": 0.45,
    "log_length": 0.3,
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named combination of mechanisms: how turns are formed, and how they are recalled."""

    name: str
    reading: RetrievalConfig = field(default_factory=RetrievalConfig)
    writing: FormationConfig = field(default_factory=FormationConfig)


DEFAULT: Final = "fusion"
_FLAT: Final = RetrievalConfig(
    strategies=("flat",),
    plan=PlanOptions(split=False, follow_up=False),
    flat=FlatOptions(weights=FLAT_WEIGHTS),
)
# The papers recall without parts and without a follow-up, but for `evolving`.
_PLANNED: Final = replace(_FLAT, plan=PlanOptions())
# A context begins with what the notes and summaries tell that no turn of it does.
_KNOWING: Final = ContextOptions(known=0.08)


# The papers that keep notes revise them.
_ON: Final = ReconcileOptions()


def _by_one_term(term: str) -> RetrievalConfig:
    """A baseline: plain recall by one score."""
    weights = {name: float(name == term) for name in FLAT_WEIGHTS}
    return replace(_FLAT, flat=FlatOptions(weights=weights, leaning=False))


RECIPES: Final[Mapping[str, Recipe]] = {
    # Neither parts nor a follow-up raise its recall (docs/decisions/0017).
    "fusion": Recipe("fusion", replace(_FLAT, strategies=("fusion",), strength=StrengthOptions(feedback=1.0))),
    "evolving": Recipe(
        "evolving", replace(_PLANNED, strategies=("graph",), context=_KNOWING),
        replace(NOTHING, events=True, evolution=True, graph=True, profiles=True, summaries=True),
    ),
    "dual-tree": Recipe(
        "dual-tree", replace(_FLAT, strategies=("intersective", "sequential")),
        replace(NOTHING, curation=True, calendar=True, topic=True, summaries=True),
    ),
    "layered": Recipe(
        "layered", replace(_FLAT, strategies=("routed",), strength=StrengthOptions(multiplied=True)),
        replace(NOTHING, curation=True, events=True, segmentation=True, layers=True, notes=True, profiles=True),
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

# What a constant's first word names: where its options lie.
_GROUPS: Final[Mapping[str, tuple[str, str]]] = {
    "plan": ("reading", "plan"),
    "flat": ("reading", "flat"),
    "sequential": ("reading", "sequential"),
    "intersective": ("reading", "intersective"),
    "routing": ("reading", "routed"),
    "graph": ("reading", "graph"),
    "best_effort": ("reading", "best_effort"),
    "tiered": ("reading", "tiered"),
    "fuse": ("reading", "fuse"),
    "strength": ("reading", "strength"),
    "exchange": ("reading", "exchange"),
    "context": ("reading", "context"),
    "read": ("reading", ""),
    "segment": ("writing", "segment"),
    "topic": ("writing", "topics"),
    "evolution": ("writing", "evolving"),
    "layers": ("writing", "layering"),
    "tiers": ("writing", "tiering"),
    "reconcile": ("writing", "reconciling"),
    "write": ("writing", ""),
}

# What a number may be where "from 0 on" is not enough: shares, counts of which there must be one, and divisors.
_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    **dict.fromkeys(
        (
            "sequential.decay", "intersective.match", "graph.alike", "graph.balance", "graph.eta",
            "best_effort.threshold", "tiered.threshold", "segment.surprise", "segment.strong_surprise", "segment.calm",
            "evolution.alpha", "layers.similarity", "tiers.drift", "context.known",
        ),
        (0.0, 1.0),
    ),
    **dict.fromkeys(
        (
            "flat.listed", "flat.candidates", "sequential.seeds", "sequential.within", "sequential.facts",
            "sequential.window", "intersective.topics", "intersective.nearest", "routing.k", "routing.last", "graph.k",
            "graph.seeds", "graph.nodes", "graph.levels", "best_effort.tokens", "tiered.k", "tiered.listed",
            "fuse.candidates", "read.reranked", "segment.window", "segment.words", "segment.shortest",
            "segment.longest", "evolution.compared", "layers.compared", "layers.layers", "write.summary_tokens",
            "write.profile_tokens",
        ),
        (1.0, math.inf),
    ),
    **dict.fromkeys(("topic.capacity", "topic.branching"), (2.0, math.inf)),
    "topic.theta": (0.0, 2.0),
    "segment.topic_distance": (0.0, 2.0),
    "graph.tau_days": (1e-6, math.inf),
}  # fmt: skip

# The mechanisms that can be left out, by the names that evaluations use, and the options that do it.
WITHOUT: Final[Mapping[str, Mapping[str, str]]] = {
    **{
        name: {f"write.{name}": "false"}
        for name in ("echo", "curation", "segmentation", "events", "calendar", "topic", "persona")
    },
    "evolution": {"write.evolution": "false", "graph.tree": "false"},
    "layers": {"write.layers": "false", "routing.layers": "false"},
    "routing": {"routing.routing": "false"},
    "lca": {"sequential.lca": "false"},
    "intersective": {"plan.intersective": "false"},
    "graph": {"write.graph": "false", "graph.graph": "false"},
    "profiles": {"write.profiles": "false", "graph.profiles": "false"},
    "summaries": {"write.summaries": "false", "graph.summaries": "false"},
    "robustness": {"graph.robustness": "false"},
    "temporal": {"graph.temporal": "false", "fuse.temporal": "false"},
    "follow-up": {"plan.follow_up": "false"},
    "notes": {"write.notes": "false", "best_effort.use_notes": "false"},
    "episodes": {"write.segmentation": "false", "best_effort.use_episodes": "false"},
    "topic-channel": {"segment.topic": "false"},
    "surprise-channel": {"segment.events": "false"},
    "reconcile": {"reconcile.reconcile": "false"},
    "tier1": {"tiered.tier1": "false"},
    "tiers": {"write.tiers": "false", "tiered.tiers": "false"},
    "rerank": {"read.rerank": ""},
    "learned-ranker": {"fuse.learned": "false"},
}


def recipe(name: str, settings: Mapping[str, str] | None = None) -> Recipe:
    """The recipe of a name, with some of its constants changed: ``{"evolution.alpha": "0.9,0.8,0.7"}``.

    Raises:
        UnknownName: there is no such recipe or constant, or the value is not one that it can have.
    """
    if name not in RECIPES:
        raise UnknownName(f"no recipe is called {name!r} - choose one of: {', '.join(RECIPES)}")
    made = RECIPES[name]
    for constant, value in (settings or {}).items():
        made = _set(made, constant, value)
    return _checked(made)


def _checked(made: Recipe) -> Recipe:
    """The recipe, if its words are ones that are known."""
    reading = made.reading
    if wrong := [name for name in reading.strategies if name not in STRATEGIES]:
        raise UnknownName(f"no strategy is called {wrong[0]!r} - choose from: {', '.join(STRATEGIES)}")
    if made.writing.reconciling.rule not in RULES:
        known = ", ".join(RULES)
        raise UnknownName(f"no rule is called {made.writing.reconciling.rule!r} - choose from: {known}")
    if reading.plan.scope not in ("", *SCOPES):
        raise UnknownName(f"no scope is called {reading.plan.scope!r} - choose from: {', '.join(SCOPES)}")
    return made


def _set(made: Recipe, constant: str, value: str) -> Recipe:
    if constant not in constants():
        raise UnknownName(f"no recipe has the constant {constant!r} - choose one of: {', '.join(constants())}")
    group, _, path = constant.partition(".")
    side, attribute = _GROUPS[group]
    options = getattr(made, side)
    if attribute:
        options = replace(options, **{attribute: _changed(getattr(options, attribute), path, constant, value)})
    else:
        options = _changed(options, path, constant, value)
    return replace(made, **{side: options})


def _changed(options: Any, path: str, constant: str, value: str) -> Any:
    name, _, term = path.partition(".")
    present = getattr(options, name)
    if term:
        return replace(options, **{name: {**present, term: _parsed(present[term], constant, value)}})
    return replace(options, **{name: _parsed(present, constant, value)})


def _parsed(present: Any, constant: str, value: str) -> Any:
    """The value as what the constant is now: a truth value, a number in its range, some numbers, or a word."""
    made = _read(present, constant, value)
    least, most = range_of(constant)
    for number in _numbers(made):
        if not (math.isfinite(number) and least <= number <= most):
            wanted = f"from {least:g} to {most:g}" if most < math.inf else f"from {least:g} on"
            raise UnknownName(f"{constant} cannot be {value!r} - give a number {wanted}")
    return made


def _numbers(value: object) -> list[float]:
    """The numbers in a value of a constant."""
    each = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
    return [number for number in each if isinstance(number, int | float)]


def range_of(constant: str) -> tuple[float, float]:
    """The least and the most that a number may be; the most may be infinite, a value never is."""
    return _RANGES.get(constant, (0.0, math.inf))


def _read(present: Any, constant: str, value: str) -> Any:
    kind = "a number"
    try:
        match present:
            case bool():
                kind = "true or false"
                return {"true": True, "false": False}[value.lower()]
            case int() | float():
                return type(present)(value)
            case (str(), *_):
                return tuple(value.split(","))
            case tuple():
                kind = "numbers with commas between them"
                return tuple(float(each) for each in value.split(","))
            case _:
                return value
    except (ValueError, KeyError) as error:
        raise UnknownName(f"{constant} cannot be {value!r} - give {kind}") from error


def constants() -> list[str]:
    """The constants that can be set."""
    found: list[str] = []
    for group, (side, attribute) in _GROUPS.items():
        options = getattr(RECIPES[DEFAULT], side)
        found += [f"{group}.{name}" for name in _names(getattr(options, attribute) if attribute else options)]
    return found


def value_of(made: Recipe, constant: str) -> Any:
    """What a constant is in a recipe."""
    group, _, path = constant.partition(".")
    side, attribute = _GROUPS[group]
    name, _, term = path.partition(".")
    options = getattr(made, side)
    held = getattr(getattr(options, attribute) if attribute else options, name)
    return held[term] if term else held


def _names(options: Any) -> Iterator[str]:
    for each in fields(options):
        value = getattr(options, each.name)
        if isinstance(value, Mapping):
            yield from (f"{each.name}.{term}" for term in value)  # pyright: ignore[reportUnknownVariableType]
        elif not is_dataclass(value):
            yield each.name


def to_text(writing: FormationConfig) -> str:
    """How a memory keeps the way it is formed."""
    return json.dumps(asdict(writing), sort_keys=True)


def from_text(text: str) -> FormationConfig:
    """The inverse; options that are unknown to this version are passed over, missing ones are as by default."""
    return _restored(FormationConfig(), json.loads(text))


def _restored(options: Any, kept: Mapping[str, Any]) -> Any:
    changes: dict[str, Any] = {}
    for each in fields(options):
        if each.name in kept:
            present, value = getattr(options, each.name), kept[each.name]
            if is_dataclass(present):
                value = _restored(present, value)
            changes[each.name] = tuple(value) if isinstance(present, tuple) else value
    return replace(options, **changes)
