"""Retrieval pipeline: the stages from a question to evidence, a context or an answer."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from hmem.errors import EmbedderUnavailable, InvalidQuery
from hmem.language.analyst.base import Analyst
from hmem.language.rerank import reranker
from hmem.model.answer import Answer
from hmem.model.evidence import SEARCH_KINDS, Context, Evidence, Found, SearchKind, Why
from hmem.model.plan import Coverage, FollowUp, Plan, Scope, SubQuestion
from hmem.model.span import PRESENT
from hmem.retrieval.answer.quoting import QuotedAnswer, quote
from hmem.retrieval.config import RetrievalConfig, find, find_by_words
from hmem.retrieval.context import check_tokens, write_context
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.feedback import with_feedback
from hmem.retrieval.filter import Allowed, Filter, rows_allowed, speakers_of
from hmem.retrieval.newer import NAME as NEWER
from hmem.retrieval.passes import (
    PART,
    ContextForReader,
    Pass,
    PassResult,
    StageClock,
    embedder_step,
    interleave,
    stories,
    trace_of,
)
from hmem.retrieval.plan import Plans, Query, check_question, is_statement, merge_parts, wording
from hmem.retrieval.relevance import check_min_score
from hmem.retrieval.sources import Sources
from hmem.retrieval.stages import (
    TURN,
    RecallState,
    best_ranks,
    ranked_evidence,
    reasons_of,
    relevance_of,
    relevant,
    run_stages,
)
from hmem.retrieval.strategies.base import ScoredTurns
from hmem.retrieval.text_parts import TextPartsCache
from hmem.retrieval.uses import Lacked, Uses
from hmem.storage.base import Speaker

MAX_K: Final = 10_000

SCOPES: Final[Mapping[str, Scope]] = {"short": "short", "long": "long", "mixed": "mixed"}

# Tokens that a line of context takes at least, roughly.
_TOKENS_A_LINE: Final = 12

# Number of turns that a part of a question brings, by its coverage. The paper's k is 30 (H-Mem, tree and graph).
PER_PART: Final[Mapping[Coverage, int]] = {"local": 10, "latest": 5, "global": 30}

# Remark of a context without evidence.
NOT_TOLD: Final = "Nothing in the memory answers this."

# Number of best turns that are read to see what is missing, and that are recorded as shown by an answer.
_BEST_TURNS: Final = 5
# Number of turns that the rules answer from.
ANSWERED_FROM: Final = 30


class RetrievalPipeline:
    """Recall from one memory, configured by its recipe.

    The rules plan a question unless the caller gives a ``plan``.
    """

    def __init__(
        self,
        sources: Sources,
        config: RetrievalConfig,
        show: Callable[[Sequence[Evidence]], None] = lambda _: None,
        lacked: Lacked | None = None,
    ) -> None:
        """Create a pipeline that calls ``show`` with evidence shown, and ``lacked`` with topics that have no notes."""
        self._sources = sources
        self._uses = Uses(sources, config, show, lacked)
        self._config = config
        self.plans = Plans()
        self.planning = config.plan
        self._reranker = reranker(config.rerank) if config.rerank else None
        self._parts = TextPartsCache()

    def search(
        self,
        question: str,
        k: int,
        *,
        at: datetime | None = None,
        kinds: Sequence[SearchKind] = (TURN,),
        min_score: float | None = None,
        filter: Filter | None = None,
        trace: bool = False,
        plan: Plan | None = None,
    ) -> Found:
        """Return the best pieces of evidence for a question, at most ``k``, of some kinds, that are relevant.

        Each has a relevance of at least ``min_score``; by default the relevance cut of questions and statements
        decides, which returns nothing if even the best is not relevant.

        Raises:
            InvalidQuery: the question is empty, k is not from 1 to ``MAX_K``, there is no such kind, or ``min_score``
                is not from 0 to 1.
            UnknownId: the filter names an entity by an id that does not exist.
        """
        if not isinstance(k, int) or not 1 <= k <= MAX_K:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidQuery(f"k cannot be {k!r} - give a whole number from 1 to {MAX_K:,}")
        check_kinds(kinds)
        check_min_score(min_score)
        clock = StageClock()
        with self._sources.corpus.reading():
            self._sources.begin(k)
            allowed = rows_allowed(self._sources, filter)
            clock.stage("catch up")
            result = self._recall(question, at, allowed, clock, filter, plan)
            state = RecallState(
                self._sources, self._config, result, count=k, kinds=kinds, filter=filter, min_score=min_score
            )
            if TURN in kinds:
                state.begin(best_ranks(result.ranking, k))
            run_stages("search", state)
            evidence = state.evidence if min_score is None else relevant(state.evidence, min_score, min_score)
            clock.stage("fetch")
            self._uses.show(result, k, evidence)
            self._uses.record_recalled(result, evidence)
        return Found(question, tuple(evidence), trace_of(result, clock) if trace else None)

    def context(
        self,
        question: str,
        tokens: int,
        *,
        at: datetime | None = None,
        filter: Filter | None = None,
        plan: Plan | None = None,
    ) -> Context:
        """Return the evidence for a question, written for a prompt in at most ``tokens`` tokens.

        Raises:
            InvalidQuery: the question is empty, or the budget is below 1.
            UnknownId: the filter names an entity by an id that does not exist.
        """
        check_tokens(tokens)
        with self._sources.corpus.reading():
            self._sources.begin(_turn_limit(tokens))
            allowed = rows_allowed(self._sources, filter)
            result = self._recall(question, at, allowed, StageClock(), filter, plan)
            context = self._context(result, tokens, allowed)
            self._uses.show(result, _turn_limit(tokens), context.evidence)
            self._uses.record_recalled(result, context.evidence)
        return context

    def _context(self, result: PassResult, tokens: int, allowed: Allowed | None) -> Context:
        options, turn_limit = self._config.context, _turn_limit(tokens)
        # A context shows no reasons.
        state = RecallState(self._sources, self._config, result, count=turn_limit, allowed=allowed, explained=False)
        state.begin(state.relevance.ranks_above(turn_limit, options.floor, result.instructions))
        run_stages("context", state)
        context = write_context(
            result.plan.question,
            state.evidence,
            tokens,
            result.query.terms,
            options.notes_share + options.formed_share,
            state.pinned,
            options.pinned,
            self._parts,
            state.compressed,
            state.compressions,
        )
        unpinned = [item for item in context.evidence if item not in state.pinned]
        by_id = {item.id: item for item in state.relevance.add_to(unpinned)}
        evidence = tuple(by_id.get(item.id, item) for item in context.evidence)
        return replace(context, evidence=evidence, remark=context.remark if state.evidence else NOT_TOLD)

    def gather(
        self,
        question: str,
        tokens: int,
        *,
        at: datetime,
        filter: Filter | None,
        plan: Plan,
        clock: StageClock,
        further: Sequence[FollowUp] = (),
        levels: int | None = None,
    ) -> ContextForReader:
        """Return the context that a language model answers from, its evidence with reasons, without recording a use.

        ``further`` are the only follow-up queries, whatever the rules find missing. Strategies with levels search so
        many ``levels``; None: they decide themselves.
        """
        with self._sources.corpus.reading():
            self._sources.begin(_turn_limit(tokens))
            allowed = rows_allowed(self._sources, filter)
            clock.stage("catch up")
            result = self._recall(question, at, allowed, clock, filter, plan, further, levels)
            context = self._context(result, tokens, allowed)
            by_rank = self._evidence(result, _turn_limit(tokens))
            ids = [item.id for item in context.evidence]
            explained = self._cited(result, by_rank, context.evidence, ids)
            lines = self._lines_of_parts(result, context)
            clock.stage("fetch")
        return ContextForReader(result, replace(context, evidence=explained), lines)

    def _lines_of_parts(self, result: PassResult, context: Context) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of the lines of a context that were found for each part, best first."""
        rows = self._sources.corpus.rows_of_ids(list(context.citations.values())).tolist()
        numbers = dict(zip(rows, map(int, context.citations), strict=True))
        return tuple(
            tuple(numbers[row] for row in search.rows.tolist() if row in numbers) for search in result.part_searches
        )

    def used(self, recall: ContextForReader, evidence: Sequence[Evidence]) -> None:
        """Record that gathered evidence was shown and used."""
        with self._sources.corpus.reading():
            self._uses.show(recall.result, _BEST_TURNS, evidence)
            self._uses.record_used(recall.result, evidence)

    def planned(self, question: str, at: datetime, user: str | None = None) -> Plan:
        """Return the rules' plan of a question."""
        return self._sources.analyst.plan(question, at, self.people(user))

    @property
    def analyst(self) -> Analyst:
        """Analyst of the memory, which knows its language."""
        return self._sources.analyst

    def people(self, user: str | None = None) -> list[str]:
        """Return the names of the speakers of a user's turns, or of all, the user first."""
        with self._sources.corpus.reading():
            return _people(speakers_of(self._sources, user))

    def ask(
        self,
        question: str,
        *,
        at: datetime | None = None,
        filter: Filter | None = None,
        trace: bool = False,
        plan: Plan | None = None,
    ) -> Answer:
        """Return the answer to a question with its evidence, or an abstention if the memory does not tell.

        Raises:
            InvalidQuery: the question is empty.
            UnknownId: the filter names an entity by an id that does not exist.
        """
        clock = StageClock()
        with self._sources.corpus.reading():
            self._sources.begin(ANSWERED_FROM)
            allowed = rows_allowed(self._sources, filter)
            clock.stage("catch up")
            result = self._recall(question, at, allowed, clock, filter, plan)
            by_rank = self._informative_evidence(result, ANSWERED_FROM)
            candidates = list(by_rank.values())
            clock.stage("fetch")
            answer = self._quote_answer(result, candidates)
            clock.stage("answer")
            cited = self._cited(result, by_rank, candidates, answer.evidence)
            evidence = tuple(relevance_of(self._sources, result).add_to(cited))
            clock.stage("fetch")
            self._uses.show(result, _BEST_TURNS, evidence)
            if not answer.abstained:
                self._uses.record_used(result, evidence)
        return Answer(
            question=question,
            text=answer.text,
            value=answer.value,
            confidence=answer.confidence,
            abstained=answer.abstained,
            evidence=evidence,
            plan=result.plan,
            made_by=self._sources.analyst.made_by,
            trace=trace_of(result, clock) if trace else None,
        )

    def _quote_answer(self, result: PassResult, evidence: Sequence[Evidence]) -> QuotedAnswer:
        """Return the answer without a model; by words alone while the embedder is unavailable."""

        def find_quote() -> QuotedAnswer:
            lead = relevance_of(self._sources, result).similarity_margin
            return quote(self._sources, result.query, result.plan, evidence, lead)

        try:
            return find_quote()
        except EmbedderUnavailable as error:
            self._sources.embedder_unavailable = True
            result.steps.update(embedder_step(error))
            return find_quote()

    # The passes.

    def _recall(
        self,
        question: str,
        at: datetime | None,
        allowed: Allowed | None,
        clock: StageClock,
        filter: Filter | None,
        plan: Plan | None = None,
        further: Sequence[FollowUp] | None = None,
        levels: int | None = None,
    ) -> PassResult:
        """Return the result for the question, its parts and follow-up queries: ``further``, or one for what is missing.

        While the embedder is unavailable, keywords alone are searched.
        """
        try:
            plan, query = self.read(question, at, allowed, plan, filter)
            return self._run_passes(plan, replace(query, levels=levels), clock, further)
        except EmbedderUnavailable as error:
            self._sources.embedder_unavailable = True
            plan, query = self.read(question, at, allowed, plan, filter)
            by_words = find_by_words(self._sources, query, self._config)
            return PassResult(plan, query, by_words, (query.text,), None, embedder_step(error))

    def _run_passes(
        self, plan: Plan, query: Query, clock: StageClock, further: Sequence[FollowUp] | None
    ) -> PassResult:
        clock.stage("plan")
        steps: dict[str, Any] = {}
        passes = [self._pass("question", query, steps)]
        subquestions = plan.parts if self._config.plan.split and len(plan.parts) > 1 else ()
        for number, subquestion in enumerate(subquestions, 1):
            passes.append(self._pass(f"{PART}{number}", self._subquery(query, subquestion), steps, f"{number}: "))
        if further is None:
            missing = self._missing(query, interleave(passes)) if self._config.plan.follow_up else None
            further = [] if missing is None else [missing]
        for number, each in enumerate(further, 1):
            subquestion = replace(query.part, text=each.text, topic=each.text)
            passes.append(self._pass(f"follow-up {number}", self._subquery(query, subquestion), steps, "follow-up: "))
        ranking = interleave(passes)
        clock.stage("find and score")
        queries, follow_up = tuple(each.query.text for each in passes), next(iter(further), None)
        result = PassResult(plan, query, ranking, queries, follow_up, steps, passes=tuple(passes))
        state = RecallState(self._sources, self._config, result, clock, self._reranker)
        run_stages("ranking", state)
        return state.result

    def _pass(self, name: str, query: Query, steps: dict[str, Any], prefix: str = "") -> Pass:
        """Return the result of one search; add its story, its keys with the prefix ``about``, to the ``steps``."""
        results = find(self._sources, query, self._config)
        steps |= stories(results, prefix)
        ranking = with_feedback(self._sources, query, results[-1], self._config.strength)
        ranks = np.arange(len(ranking.rows))
        if name.startswith(PART):
            coverage = query.part.coverage if self._config.plan.coverage else "global"
            ranks = ranks[: PER_PART[coverage]]
            if coverage == "latest":
                ranks = ranks[np.argsort(-self._sources.corpus.columns.said[ranking.rows[ranks]], kind="stable")]
        return Pass(name, query, ranking, ranks)

    def read(
        self,
        question: str,
        at: datetime | None = None,
        allowed: Allowed | None = None,
        plan: Plan | None = None,
        filter: Filter | None = None,
    ) -> tuple[Plan, Query]:
        """Return the plan of a question, made unless given, and its query. Call it inside ``corpus.reading()``.

        ``allowed`` are the rows that pass the ``filter``.

        Raises:
            InvalidQuery: it is empty.
        """
        text = check_question(question)
        moment = at or datetime.now(UTC)
        user, standpoint = (None, PRESENT) if filter is None else (filter.user, filter.standpoint)
        plan = plan or self._sources.analyst.plan(text, moment, _people(speakers_of(self._sources, user)))
        query = self._query(text, self._scoped(merge_parts(plan)), moment, allowed, user)
        return plan, replace(query, standpoint=standpoint) if standpoint else query

    def _scoped(self, subquestion: SubQuestion) -> SubQuestion:
        """Return a part in the recipe's fixed scope, if it has one (an ablation of H-Mem, tree and graph)."""
        fixed = SCOPES.get(self._config.plan.scope)
        return subquestion if fixed is None else replace(subquestion, scope=fixed)

    def _subquery(self, query: Query, subquestion: SubQuestion) -> Query:
        subquery = self._query(subquestion.text, self._scoped(subquestion), query.asked, query.allowed, query.user)
        return replace(subquery, standpoint=query.standpoint, levels=query.levels)

    def _query(
        self, text: str, subquestion: SubQuestion, moment: datetime, allowed: Allowed | None, user: str | None
    ) -> Query:
        corpus = self._sources.corpus
        terms_of_text = wording(text, speakers_of(self._sources, user), self._sources.analyst.lexicon)
        no_embedder, embedder = self._sources.embedder_unavailable, corpus.embedder
        vector = np.zeros(embedder.dimension, np.float32) if no_embedder else embedder.embed_query([text])[0]
        return Query(
            text=text,
            terms=terms_of_text.terms,
            words=terms_of_text.words,
            speakers=terms_of_text.speakers,
            names=terms_of_text.names,
            vector=vector,
            part=subquestion,
            asked=moment,
            statement=is_statement(text, self._sources.analyst.lexicon),
            # Without a word there is only the cosine.
            trust=embedder.semantic_weight(text) if terms_of_text.terms else 1.0,
            allowed=allowed,
            user=user,
            assistants=terms_of_text.assistants,
        )

    def _missing(self, query: Query, ranking: ScoredTurns) -> FollowUp | None:
        """Return a follow-up query for what the best turns of the first pass do not say, or None."""
        return self._sources.analyst.missing(query.part, self._sources.excerpts(ranking.rows[:_BEST_TURNS]))

    # Results.

    def _evidence(self, result: PassResult, count: int) -> dict[int, Evidence]:
        """Return the best ``count`` scored turns as evidence without reasons, by rank."""
        ranks = best_ranks(result.ranking, count)
        return ranked_evidence(self._sources, self._config, result, ranks, explained=False)

    def _informative_evidence(self, result: PassResult, k: int) -> dict[int, Evidence]:
        """Return the best ``k`` scored turns, by place, without those that tell nothing of what is asked."""
        rows, by_rank = result.ranking.rows, self._evidence(result, k)
        return {rank: item for rank, item in by_rank.items() if int(rows[rank]) not in result.silent}

    def _cited(
        self, result: PassResult, by_rank: Mapping[int, Evidence], read: Sequence[Evidence], ids: Sequence[str]
    ) -> tuple[Evidence, ...]:
        """Return the evidence with these ids, with its reasons: the part of what was read that the answer cites."""
        by_id = {item.id: item for item in read}
        cited = {item.id: rank for rank, item in by_rank.items() if item.id in ids}
        reasons = reasons_of(self._sources, self._config, result, list(cited.values()))
        for (each, place), why in zip(cited.items(), reasons, strict=True):
            by_id[each] = replace(by_rank[place], why=why)
        if further := [each for each in ids if each not in by_id]:
            rows = self._sources.corpus.rows_of_ids(further)
            turns = self._sources.corpus.turns(rows[rows >= 0]).values()
            by_id.update((turn.id, turn_evidence(turn, 0.0, Why((NEWER,), {}))) for turn in turns)
        return tuple(by_id[each] for each in ids if each in by_id)


def _turn_limit(tokens: int) -> int:
    """Return the greatest number of turns that a context may hold."""
    return min(max(tokens // _TOKENS_A_LINE, 1), MAX_K)


def check_kinds(kinds: Sequence[SearchKind]) -> None:
    """Check the kinds of a search.

    Raises:
        InvalidQuery: there is no such kind, or none is named.
    """
    # A text is a sequence of texts too, and callers without types may give anything.
    if isinstance(kinds, str) or not isinstance(kinds, Collection):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery(f"kinds cannot be {kinds!r} - give a sequence of: {', '.join(SEARCH_KINDS)}")
    unknown = [kind for kind in kinds if kind not in SEARCH_KINDS]
    if unknown or not kinds:
        problem = f"{unknown[0]!r} is no kind of memory" if unknown else "no kind of memory is asked for"
        raise InvalidQuery(f"{problem} - choose from: {', '.join(SEARCH_KINDS)}")


def _people(speakers: Sequence[Speaker]) -> list[str]:
    """Return the names of the speakers, the user first."""
    return [speaker.name for speaker in sorted(speakers, key=lambda speaker: speaker.role != "user")]
