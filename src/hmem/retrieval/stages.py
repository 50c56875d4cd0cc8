"""Stages of a recall after its searches: one list, in order, each with a name by which it can be left out.

The stages of ``ranking`` order the scored turns anew. What follows depends on the request: those of ``context`` and of
``search`` add evidence, order and mark it. Each reads and changes the state of one recall. Those of a few lines are
here; the others call the module of their matter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Final, Literal

import numpy as np

from hmem.derived.chunks import turn_of
from hmem.derived.note_states import Authority, authority
from hmem.errors import RerankerUnavailable
from hmem.language.analyst.base import Compression
from hmem.language.rerank import Reranker
from hmem.model.evidence import Evidence, SearchKind, Why
from hmem.model.ids import number_of
from hmem.model.scope import owner_of, scoped
from hmem.model.span import Standpoint
from hmem.retrieval import fuse
from hmem.retrieval.config import STRATEGIES, RetrievalConfig
from hmem.retrieval.evidence import evidence_of, paths, repeated_ids, turn_evidence
from hmem.retrieval.exchange import with_exchanges
from hmem.retrieval.feedback import with_feedback
from hmem.retrieval.filter import Allowed, Filter
from hmem.retrieval.kinds import SESSION, find_sessions
from hmem.retrieval.kinds import find as find_kinds
from hmem.retrieval.newer import with_newer
from hmem.retrieval.passes import RERANK, PassResult, StageClock, distinct, in_turn, unavailable, unavailable_parts
from hmem.retrieval.plan import Query
from hmem.retrieval.reader import compressions, confidence, profiles, with_formed
from hmem.retrieval.relevance import Relevance, similarity
from hmem.retrieval.scoring.combine import explain
from hmem.retrieval.sources import Sources
from hmem.retrieval.standing import with_instructions
from hmem.retrieval.strategies import flat
from hmem.retrieval.strategies.base import Hit, Rows, ScoredTurns, Values
from hmem.retrieval.unanswered import unanswered_last

TURN: Final = "turn"
# Whether searches are cut by relevance at all; tests of ranks turn it off.
CUT: bool = True

UNEXPLAINED: Final = Why((), {})

# Number of notes and summaries offered to a context.
_DISTILLED: Final = 8


# State.


@dataclass
class RecallState:
    """State of one recall, which its stages read and change. Use it inside ``corpus.reading()``.

    ``count`` is the number of turns wanted. ``ranks`` are those of the turns that begin the ``evidence``, which is in
    order, best first; ``explained``: with reasons. ``pinned`` evidence comes before it. ``compressions`` are what turns
    of more than ``compressed`` tokens are cut to, by id.
    """

    sources: Sources
    config: RetrievalConfig
    result: PassResult
    clock: StageClock = field(default_factory=StageClock)
    reranker: Reranker | None = None
    count: int = 0
    allowed: Allowed | None = None
    filter: Filter | None = None
    kinds: Sequence[SearchKind] = (TURN,)
    min_score: float | None = None
    explained: bool = True
    ranks: Sequence[int] = ()
    evidence: list[Evidence] = field(default_factory=list[Evidence])
    pinned: list[Evidence] = field(default_factory=list[Evidence])
    compressed: int = 0
    compressions: Mapping[str, Compression] | None = None

    @property
    def query(self) -> Query:
        """Query of the question."""
        return self.result.query

    @property
    def ranking(self) -> ScoredTurns:
        """Scored turns, best first."""
        return self.result.ranking

    @cached_property
    def relevance(self) -> Relevance:
        """Relevance to the question, by the turns as they are ranked when it is first asked for."""
        return relevance_of(self.sources, self.result)

    def begin(self, ranks: Sequence[int]) -> None:
        """Begin the evidence anew with the turns of these ranks."""
        self.ranks = ranks
        by_rank = ranked_evidence(
            self.sources, self.config, self.result, ranks, self.relevance, explained=self.explained
        )
        self.evidence = list(by_rank.values())


def relevance_of(sources: Sources, result: PassResult) -> Relevance:
    """Return the relevance of evidence to the question, or to a part of it where that is greater."""
    ranking, silent = result.ranking, result.silent
    relevances = [
        Relevance(sources, search.query, search.ranking.rows, search.ranking.scores, silent)
        for search in result.passes[1:]
    ]
    return Relevance(sources, result.query, ranking.rows, ranking.scores, silent, relevances)


def best_ranks(ranking: ScoredTurns, count: int) -> range:
    """Return the ranks of the best ``count`` scored turns."""
    return range(min(count, len(ranking.rows)))


def ranked_evidence(
    sources: Sources,
    config: RetrievalConfig,
    result: PassResult,
    ranks: Sequence[int],
    relevance: Relevance | None = None,
    *,
    explained: bool = True,
) -> dict[int, Evidence]:
    """Return scored turns as evidence, by rank; one that was just deleted is left out."""
    rows = result.ranking.rows[np.array(ranks, np.int64)]
    by_row = sources.corpus.turns(rows)
    turns = {rank: by_row[row] for rank, row in zip(ranks, rows.tolist(), strict=True) if row in by_row}
    reasons = reasons_of(sources, config, result, list(turns)) if explained else [UNEXPLAINED] * len(turns)
    if config.context.confidence:
        terms = result.ranking.terms
        reasons = [
            replace(reason, confidence=confidence(terms, rank)) for reason, rank in zip(reasons, turns, strict=True)
        ]
    count = max(ranks, default=-1) + 1
    scores = result.ranking.scores[:count].tolist()
    relevances = [None] * count if relevance is None else relevance.rounded(count)
    return {
        rank: turn_evidence(turn, scores[rank], reason, relevances[rank])
        for (rank, turn), reason in zip(turns.items(), reasons, strict=True)
    }


def reasons_of(sources: Sources, config: RetrievalConfig, result: PassResult, ranks: Sequence[int]) -> list[Why]:
    """Return the reasons of the scored turns of some ranks."""
    ranking, query = result.ranking, result.query
    terms = explain(ranking.terms, ranking.weights, ranks)
    rows = ranking.rows[np.array(ranks, np.int64)]
    turns, seqs = sources.corpus.turns(rows), sources.corpus.columns.seq[rows].tolist()
    strategies, missing = tuple(ranking.name.split("+")), unavailable_parts(result.steps)
    # The index knows them; the turns need not be analysed.
    has_term: list[list[bool]] = sources.corpus.contains_terms(query.terms, rows).T.tolist()
    # A recipe without derived state has no paths.
    tree_paths = (
        paths(sources, seqs, query.user) if _uses_derived(config) else [dict[str, tuple[str, ...]]() for _ in seqs]
    )
    return [
        Why(strategies, turn_terms, tuple(compress(query.words, has)), path, repeated_ids(turns[row]), missing)
        for row, turn_terms, has, path in zip(rows.tolist(), terms, has_term, tree_paths, strict=True)
    ]


# Ranking.


def _rerank(state: RecallState) -> None:
    """Let a model that reads the question together with a turn order the best turns."""
    if state.reranker is None:
        return
    result, depth, step = state.result, state.config.rerank_depth, {"by": state.reranker.name}
    try:
        ranking = rerank(state.sources, result.query.text, result.ranking, state.reranker, depth)
        result.steps[RERANK] = {**step, "candidates": min(depth, len(ranking.rows))}
        state.result = replace(result, ranking=ranking)
    except RerankerUnavailable as error:
        result.steps[RERANK] = {**step, **unavailable(error)}
    state.clock.stage(RERANK)


REPLACED: Final = "rerank.replaced"


def rerank(sources: Sources, query_text: str, ranking: ScoredTurns, reranker: Reranker, depth: int) -> ScoredTurns:
    """Return the best ``most`` in the order of the reranker's scores; the rest keep their order below them.

    The term ``rerank`` is the reranker's score. ``rerank.replaced`` subtracts the other terms, and raises all reranked
    scores alike where needed to keep them above the rest; so the terms still sum to the score.

    Raises:
        RerankerUnavailable: the reranker cannot score now.
    """
    count = min(depth, len(ranking.rows))
    if count < 1:
        return ranking
    reranked = reranker.checked_scores(query_text, _spoken_texts(sources, ranking.rows[:count]))
    order = np.concatenate([np.argsort(-reranked, kind="stable"), np.arange(count, len(ranking.rows))])
    scores = ranking.scores.copy()
    scores[:count] = _raised(reranked, ranking.scores[count:])
    gain, correction = np.zeros_like(scores), np.zeros_like(scores)
    gain[:count] = reranked
    correction[:count] = scores[:count] - ranking.scores[:count] - reranked
    reranked_turns = replace(
        ranking,
        scores=scores,
        terms={**ranking.terms, RERANK: gain, REPLACED: correction},
        weights={**ranking.weights, RERANK: 1.0, REPLACED: 1.0},
        story={**ranking.story, RERANK: {"by": reranker.name, "candidates": count}},
    )
    return reranked_turns.at(order)


def _spoken_texts(sources: Sources, rows: Rows) -> list[str]:
    """Return the turns' texts with their speakers; "" for a turn that was just deleted."""
    by_row = sources.corpus.turns(rows)
    turns = (by_row.get(row) for row in rows.tolist())
    return ["" if turn is None else f"{turn.speaker}: {turn.content}" for turn in turns]


def _raised(scores: Values, lower: Values) -> Values:
    """Return the scores, all raised alike if one of them is below the best of the ``lower`` ones."""
    if not len(lower):
        return scores
    best = lower[0]
    lift = max(float(best) - float(scores.min()), 0.0)
    # Rounding may leave the least of them slightly below.
    return np.maximum((scores + np.float32(lift)).astype(np.float32), best)


def _lower_unanswered(state: RecallState) -> None:
    """Put turns that only ask the question, or only say that they do not know, behind the others."""
    ranking, silent = unanswered_last(state.sources, state.query, state.ranking)
    state.result = replace(state.result, ranking=ranking, silent=silent)


def _raise_instructions(state: RecallState) -> None:
    """Put the standing instructions that apply to a request among the best turns."""
    ranking, rows = with_instructions(state.sources, state.query, state.ranking)
    state.result = replace(state.result, ranking=ranking, instructions=rows)


# Context.


def _put_own_words_first(state: RecallState) -> None:
    """Put the words of the person asked about first, if what others say crowds them out."""
    ranks = with_own_words(state.sources, state.query, state.ranking.rows, state.ranks)
    if ranks != state.ranks:
        state.begin(ranks)


# Share of the best turn's similarity to the question from which their own is on the matter. Not a difference: whoever
# repeats the question comes as near to it as can be, and 1/2 is within reach even then.
_MIN_LIKENESS_SHARE: Final = 0.5
# They have a place without this if they are among the best of so many parts.
_TOP_FRACTION: Final = 3
# Number of their best turns that are read.
_READ: Final = 8


def with_own_words(sources: Sources, query: Query, rows: Rows, ranks: Sequence[int]) -> list[int]:
    """Return ranks, first that of the nearest own words of who is asked about, if others crowd it out.

    ``rows`` are all ranked turns; it comes first from wherever it ranks. Use it inside ``corpus.reading()``.
    """
    columns = sources.corpus.columns
    by_person = np.isin(columns.speaker[rows], query.speakers)
    if not ranks or not by_person.any() or by_person[ranks[0]]:
        return [*ranks]
    own_ranks = np.flatnonzero(by_person)[:_READ]
    compared = np.append(rows[own_ranks], rows[ranks[0]])
    likeness = similarity(sources, sources.corpus.cosines(query.vector, compared, windows=False)[0])
    order = np.argsort(-likeness[:-1], kind="stable")
    candidates = own_ranks[order[likeness[order] >= likeness[-1] * _MIN_LIKENESS_SHARE]]
    turns = sources.corpus.turns(rows[candidates])
    for rank in candidates.tolist():
        turn = turns.get(int(rows[rank]))
        if turn is not None and authority(turn, scoped(owner_of(turn), turn.speaker)) is Authority.OWN:
            is_crowded = rank not in ranks[: max(len(ranks) // _TOP_FRACTION, 1)]
            return [rank, *(other_rank for other_rank in ranks if other_rank != rank)] if is_crowded else [*ranks]
    return [*ranks]


def _fill(state: RecallState) -> None:
    """Fill a context that has room with turns of flat recall, behind those that the strategy found."""
    if state.evidence:
        _append(state, filling)


def _append(
    state: RecallState, find: Callable[[Sources, Query, ScoredTurns, RetrievalConfig], ScoredTurns | None]
) -> None:
    """Append what ``find`` finds behind the scored turns, if more is wanted than these."""
    missing = state.count - len(state.ranking.rows)
    further_turns = find(state.sources, state.query, state.ranking, state.config) if missing > 0 else None
    if further_turns is not None:
        result, ranks = replace(state.result, ranking=further_turns), best_ranks(further_turns, missing)
        by_rank = ranked_evidence(state.sources, state.config, result, ranks, explained=state.explained)
        state.evidence += by_rank.values()


def _complete_exchanges(state: RecallState) -> None:
    """Add the answers to questions, and the questions of answers."""
    state.evidence = with_exchanges(state.sources, state.evidence, state.config.exchange, state.allowed)


def _bring_newer(state: RecallState) -> None:
    """Add what was said later on the matter of the best turns, and mark those that it surely replaces."""
    state.evidence = with_newer(state.sources, state.query, state.evidence)


def _add_formed(state: RecallState) -> None:
    """Add notes, summaries and profiles that a model formed, each behind the turns that are nearer to the question."""
    if state.evidence:
        state.evidence = with_formed(state.sources, state.query, state.evidence)


def _add_distilled(state: RecallState) -> None:
    """Put profiles, and the best notes and summaries that the strategy found, before the turns."""
    if not state.evidence:
        return
    people = profiles(state.sources, state.query) if state.config.context.profiles else []
    hits = [hit for hit in state.ranking.hits if hit.kind in ("note", "summary")][:_DISTILLED]
    distilled = evidence_of(state.sources, hits, [UNEXPLAINED] * len(hits), state.query.user)
    state.evidence = [*people, *distilled, *state.evidence]


def _compress(state: RecallState) -> None:
    """Cut long turns that do not fit whole, by a model's compression of them if there is one."""
    state.compressed = state.config.context.compressed
    state.compressions = compressions(state.sources, state.evidence, state.compressed)


def _add_pinned(state: RecallState) -> None:
    """Put pinned items before all else."""
    query = state.query
    state.pinned = pinned_evidence(state.sources, query.standpoint, state.allowed, query.user)


_PINNED: Final = Why(("pinned",), {})


def pinned_evidence(
    sources: Sources, standpoint: Standpoint, allowed: Allowed | None, user: str | None = None
) -> list[Evidence]:
    """Return pinned evidence in the order of pinning, if it is not withdrawn and meets the conditions."""
    decisions, storage = sources.decisions, sources.corpus.storage
    active, absent = decisions.active_changes(standpoint.known), decisions.absent(standpoint.known)
    ids = [entry.target for entry in active.entries_of("pin") if entry.target not in active.withdrawn]
    if not ids:
        return []
    by_id = {target: hit for target in ids if (hit := _hit_of(sources, target)) is not None}
    seqs = storage.locate(ids) | {target: hit.turns[-1] for target, hit in by_id.items()}
    rows = dict(zip(seqs, sources.corpus.columns.rows_of(list(seqs.values())).tolist(), strict=True))
    turns = {stored_turn.seq: stored_turn.turn for stored_turn in storage.turns(sorted({*seqs.values()} - absent))}
    evidence: list[Evidence] = []
    for target in ids:
        row = rows.get(target, -1)
        if row < 0 or seqs[target] not in turns or (allowed is not None and not allowed[row]):
            continue
        if target in by_id:
            evidence += evidence_of(sources, [by_id[target]], [_PINNED], user)
        else:
            evidence.append(turn_evidence(turns[seqs[target]], 0.0, _PINNED))
    return evidence


def _hit_of(sources: Sources, target: str) -> Hit | None:
    """Return an event or a note by its id."""
    derived = sources.derived
    if (number := number_of("event", target)) and (event := derived.events.get(number[1])):
        return Hit("event", event.number, 0.0, (turn_of(event.number),))
    if (number := number_of("note", target)) and (note := derived.notes.get(number[1])):
        return Hit("note", note.number, 0.0, (note.turn,))
    return None


# Search.


def _backfill(state: RecallState) -> None:
    """Add turns below the ranked ones, if more are wanted than were ranked."""
    if TURN in state.kinds:
        _append(state, backfill)


UNRANKED: Final = "unranked"

# Turns that each source lists. It does not depend on the number asked for, so that pages of any length agree.
_LIST_DEPTH: Final = 10_000

# Strategies that flat recall fills up; those of the papers return as few turns as they choose to.
_FILLABLE: Final = frozenset({fuse.NAME, flat.NAME})


def backfill(sources: Sources, query: Query, ranking: ScoredTurns, config: RetrievalConfig) -> ScoredTurns | None:
    """Return the turns of the first pass that are not in the ranking, in its order, or None if there are none.

    The term ``unranked`` lowers all scores alike, where needed, to keep them below the ranked ones.
    """
    if {*ranking.name.split("+")} <= _FILLABLE:
        return filling(sources, query, ranking, config)
    find_more = STRATEGIES[ranking.name].find_more if ranking.name in STRATEGIES else None
    if find_more is None:
        return None
    return _lowered(ranking, with_feedback(sources, query, find_more(sources, query, config), config.strength))


def filling(sources: Sources, query: Query, ranking: ScoredTurns, config: RetrievalConfig) -> ScoredTurns | None:
    """Return the turns of flat recall that the ranking lacks, or None if there are none."""
    living = sources.corpus.columns.alive if query.allowed is None else sources.corpus.columns.alive & query.allowed
    if len(ranking.rows) >= int(living.sum()):
        return None
    # A recipe without weights for it was searched by keywords alone.
    weights = config.flat.weights or ranking.weights
    wide = replace(config.flat, weights=weights, exhaustive=_LIST_DEPTH, candidates=_LIST_DEPTH)
    return _lowered(ranking, with_feedback(sources, query, flat.flat(sources, query, wide), config.strength))


def _lowered(ranking: ScoredTurns, candidates: ScoredTurns) -> ScoredTurns | None:
    """Return the candidates that are not in the ranking, with scores below its, or None if there is none."""
    new_ranks = np.flatnonzero(np.isin(candidates.rows, ranking.rows, invert=True))
    if not len(new_ranks):
        return None
    lower, last = candidates.at(new_ranks), ranking.scores[-1] if len(ranking.scores) else np.float32(np.inf)
    drop = np.minimum(last - lower.scores[0], np.float32(0.0))
    lowered = lower.with_term(UNRANKED, np.full(len(new_ranks), drop, np.float32))
    # Rounding may lift the best score slightly above the last ranked one.
    return replace(lowered, scores=np.minimum(lowered.scores, last))


def _mark_outdated(state: RecallState) -> None:
    """Mark turns on whose matter something newer was said; none is added, so that pages of any length agree."""
    state.evidence = with_newer(state.sources, state.query, state.evidence, adds_turns=False)


def _add_sessions(state: RecallState) -> None:
    """Let sessions alternate with the turns, if the search asks for them."""
    if SESSION in state.kinds:
        sessions = find_sessions(state.sources, state.query, state.ranking, state.count)
        state.evidence = in_turn(state.evidence, sessions)[: state.count]


def _add_kinds(state: RecallState) -> None:
    """Let events, notes, summaries, episodes and profiles alternate with the turns, if the search asks for them."""
    kinds = [kind for kind in state.kinds if kind not in (TURN, SESSION)]
    if kinds:
        strength, sources = state.config.strength, state.sources
        hits = find_kinds(sources, state.query, kinds, state.count, filter=state.filter, strength=strength)
        state.evidence = distinct(in_turn(state.evidence, hits))[: state.count]


def _add_relevance(state: RecallState) -> None:
    """Give evidence that was not ranked the relevance of its best source."""
    state.evidence = state.relevance.add_to(state.evidence)


def _cut_irrelevant(state: RecallState) -> None:
    """Leave out evidence that is not relevant, unless the search has a least relevance of its own."""
    if CUT and state.min_score is None:
        state.evidence = relevant(state.evidence, *state.relevance.thresholds)


def relevant(evidence: Sequence[Evidence], best: float, threshold: float) -> list[Evidence]:
    """Return the evidence of a relevance of at least ``threshold``, and none unless the best reaches ``best``.

    Evidence without a relevance stays, and so does what replaced an outdated piece that stays.
    """
    relevances = [item.relevance for item in evidence if item.relevance is not None]
    if relevances and max(relevances) < best:
        return []
    reached = [item for item in evidence if item.relevance is None or item.relevance >= threshold]
    ids = {item.id for item in reached} | {item.why.outdated.by for item in reached if item.why.outdated}
    return [item for item in evidence if item.id in ids]


# The list.

Phase = Literal["ranking", "context", "search"]


@dataclass(frozen=True, slots=True)
class Stage:
    """Stage of a recall: what it does to the state, and if a configuration uses it."""

    phase: Phase
    name: str
    apply: Callable[[RecallState], None]
    is_used: Callable[[RetrievalConfig], bool] = lambda _: True


def _uses_derived(config: RetrievalConfig) -> bool:
    """Tell if a recipe uses what is derived from turns; another one loads nothing of it."""
    return config.strategies != ("flat",)


STAGES: Final = (
    Stage("ranking", "rerank", _rerank),
    Stage("ranking", "unanswered", _lower_unanswered, _uses_derived),
    Stage("ranking", "standing", _raise_instructions, _uses_derived),
    Stage("context", "own-words", _put_own_words_first),
    Stage("context", "filling", _fill, lambda config: config.context.filled),
    Stage("context", "exchange", _complete_exchanges),
    Stage("context", "newer", _bring_newer, _uses_derived),
    Stage("context", "formed", _add_formed, lambda config: bool(config.context.formed_share)),
    Stage("context", "distilled", _add_distilled, lambda config: bool(config.context.notes_share)),
    Stage("context", "compressed", _compress, lambda config: bool(config.context.compressed)),
    Stage("context", "pinned", _add_pinned),
    Stage("search", "backfill", _backfill),
    Stage("search", "outdated", _mark_outdated, _uses_derived),
    Stage("search", "sessions", _add_sessions),
    Stage("search", "kinds", _add_kinds),
    Stage("search", "relevance", _add_relevance),
    Stage("search", "cut", _cut_irrelevant, lambda config: config.cut),
)

NAMES: Final = tuple(stage.name for stage in STAGES)


def run_stages(phase: Phase, state: RecallState) -> None:
    """Apply the stages of a phase that the configuration uses and does not leave out, in order."""
    for stage in STAGES:
        if stage.phase == phase and stage.name not in state.config.without and stage.is_used(state.config):
            stage.apply(state)
