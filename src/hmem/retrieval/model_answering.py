"""Answers by a language model: it plans, the memory recalls, it answers, and its answer is checked.

A plain question takes two calls. Parts that others need are answered first, by a call each. If the model says that the
evidence does not suffice, the memory searches the next level of the recipe, and for what is missing, and the model
answers again. No lock is held during a call. If the model fails, the rules answer. The answer says what was done.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Final

from hmem.errors import ModelError, ModelGarbled
from hmem.language.analyst.language_model import AnswerModel, ModelAnswer, ToAnswer
from hmem.language.analyst.spending import ModelUsage
from hmem.language.analyzer import stems
from hmem.language.prompt_text import CONTEXT_CLOSE, CONTEXT_OPEN
from hmem.model.answer import Answer, Usage
from hmem.model.evidence import Trace
from hmem.model.plan import FollowUp, Plan, SubQuestion
from hmem.retrieval.answer.quoting import NOT_TOLD
from hmem.retrieval.citations import CitationCheck, check
from hmem.retrieval.context import check_tokens
from hmem.retrieval.filter import Filter
from hmem.retrieval.passes import ContextForReader, StageClock, trace_of
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.plan import PlanKey, check_question

# Default token budget of the context: that of an evaluation.
TOKENS: Final = 1_272

# Cap on the confidence of an answer that its evidence does not support; the confidence is halved too.
_UNSUPPORTED: Final = 0.25
# Confidence of an abstention that replaces an invented answer.
_INVENTED: Final = 0.5
_DERIVED: Final = frozenset({"count", "duration", "frequency"})
# Most parts that are answered before those that need them.
_FIRST: Final = 3


@dataclass(slots=True)
class _Run:
    """State of one question while it is answered."""

    question: str
    question_time: datetime
    filter: Filter | None
    tokens: int
    trace: bool
    people: tuple[str, ...]
    clock: StageClock = field(default_factory=StageClock)
    story: dict[str, Any] = field(default_factory=dict[str, Any])
    stages: dict[str, Usage] = field(default_factory=dict[str, Usage])
    context_tokens: int = 0
    reasons: list[str] = field(default_factory=list[str])

    @property
    def usage(self) -> Usage:
        """Usage so far, summed over the stages."""
        usages = self.stages.values()
        return Usage(
            sum(stage.calls for stage in usages),
            sum(stage.input_tokens for stage in usages),
            sum(stage.output_tokens for stage in usages),
            sum(stage.cost for stage in usages),
            sum(stage.milliseconds for stage in usages),
            self.context_tokens,
            dict(self.stages),
        )


class ModelAnswerer:
    """Question answering through one recall and one model, charged to one call of the memory's interface."""

    def __init__(self, recall: RetrievalPipeline, model: AnswerModel) -> None:
        self._recall = recall
        self._model = model

    def plan(self, question: str, at: datetime | None, user: str | None = None) -> Plan | None:
        """Return the model's plan, or None if the model fails. It is told of the speakers of a user's turns."""
        try:
            return self._planned(check_question(question), at or datetime.now(UTC), self._recall.people(user))
        except ModelError:
            return None

    def ask(
        self, question: str, *, at: datetime | None, filter: Filter | None, tokens: int = TOKENS, trace: bool = False
    ) -> Answer:
        """Return the answer to a question, or an abstention if the memory does not tell.

        Raises:
            InvalidQuery: the question is empty, or ``tokens`` is below 1.
            UnknownId: the filter names an entity by an id that does not exist.
        """
        stages = self._answer_in_stages(self._run(question, at, filter, tokens, trace=trace), is_streamed=False)
        while True:
            try:
                next(stages)
            except StopIteration as end:
                return end.value

    def stream(
        self, question: str, *, at: datetime | None, filter: Filter | None, tokens: int = TOKENS, trace: bool = False
    ) -> Generator[str | Answer]:
        """Yield pieces of the answer's text as the model writes it, then the checked answer, which alone is final.

        Raises:
            InvalidQuery: the question is empty, or ``tokens`` is below 1.
        """
        run = self._run(question, at, filter, tokens, trace=trace)
        return self._stream_answer(run)

    def _stream_answer(self, run: _Run) -> Generator[str | Answer]:
        silent, stages = True, self._answer_in_stages(run, is_streamed=True)
        try:
            while True:
                try:
                    chunk = next(stages)
                except StopIteration as end:
                    if silent:
                        yield end.value.text
                    yield end.value
                    return
                silent = False
                yield chunk
        finally:
            stages.close()

    def _run(
        self, question: str, question_time: datetime | None, filter: Filter | None, tokens: int, *, trace: bool
    ) -> _Run:
        check_tokens(tokens)
        text = check_question(question)
        people = self._recall.people(None if filter is None else filter.user)
        return _Run(text, question_time or datetime.now(UTC), filter, tokens, trace, tuple(people))

    # The stages.

    def _answer_in_stages(self, run: _Run, *, is_streamed: bool) -> Generator[str, None, Answer]:
        plan, levels = self._plan_of(run), 1 if self._recall.planning.sufficiency else None
        best: tuple[ContextForReader, ModelAnswer] | None = None
        further: list[FollowUp] = []
        missing: FollowUp | None = None
        plan = None if plan is None else self._prepared(run, plan)
        while plan is not None:
            recall = self._gather(run, run.question, plan, further, levels)
            description, deeper = _describe_search(recall, missing), recall.result.ranking.deeper
            # What says that more is needed may be followed by what was asked for, once, or by the next level.
            may_continue = levels is not None and (deeper or not further)
            reply = None
            if recall.context.evidence:
                reply = yield from self._reply(run, recall, is_streamed=is_streamed, hold=may_continue)
            run.reasons.append(f"{description}: {_verdict(recall, reply)}")
            if reply is not None and (best is None or best[1].abstained or not reply.abstained):
                best = recall, reply
            missing = _missing(reply, recall.result.queries)
            if _suffices(recall, reply) or not may_continue or not (deeper or missing):
                break
            further += [] if missing is None else [missing]
            levels = (levels or 0) + deeper
        return self._by_rules(run, plan) if best is None else self._check_reply(run, *best)

    def _prepared(self, run: _Run, plan: Plan) -> Plan:
        """Return a plan whose parts tell the answers that they need, each of which takes a call."""
        sub_questions, answer_of_number = list(plan.parts), dict[int, str]()
        prerequisites = sorted({need for sub_question in sub_questions for need in sub_question.needs})[:_FIRST]
        for number, sub_question in enumerate(sub_questions if self._recall.planning.split else ()):
            if answers := ", ".join(answer_of_number[need] for need in sub_question.needs if need in answer_of_number):
                topic = sub_question.topic and f"{sub_question.topic} {answers}"
                sub_questions[number] = replace(sub_question, text=f"{sub_question.text} {answers}", topic=topic)
            if number in prerequisites and (answer := self._prerequisite(run, sub_questions[number])):
                answer_of_number[number] = answer
        return replace(plan, parts=tuple(sub_questions))

    def _prerequisite(self, run: _Run, sub_question: SubQuestion) -> str | None:
        """Return the answer to a part, or None if the evidence does not bear one out."""
        recall = self._gather(run, sub_question.text, Plan(sub_question.text, (sub_question,)))
        reply = self._replied(run, _work(run, sub_question.text, recall)) if recall.context.evidence else None
        citation_check = None if reply is None or reply.abstained else self._check_citations(run, recall, reply)
        answer = reply.text if reply is not None and citation_check is not None and citation_check.ids else None
        run.reasons.append(f"asked first “{sub_question.text}”: {answer or 'not told'}")
        return answer

    def _plan_of(self, run: _Run) -> Plan | None:
        """Return the model's plan, the rules' plan if the model's is garbled, or None if the model is unavailable."""
        try:
            with self._stage(run, "plan"):
                return self._planned(run.question, run.question_time, run.people)
        except ModelGarbled as error:
            run.story["plan"] = f"by rules: {error}"
            return self._recall.planned(
                run.question, run.question_time, None if run.filter is None else run.filter.user
            )
        except ModelError as error:
            run.story["plan"] = f"by rules: {error}"
            return None

    def _planned(self, question: str, question_time: datetime, people: Sequence[str]) -> Plan:
        key = PlanKey.of_request(self._model.made_by, question, question_time, people)
        return self._recall.plans.get(key, lambda: self._model.plan(question, question_time, people))

    def _gather(
        self, run: _Run, question: str, plan: Plan, further: Sequence[FollowUp] = (), levels: int | None = None
    ) -> ContextForReader:
        recall = self._recall.gather(
            question, run.tokens, at=run.question_time, filter=run.filter, plan=plan, clock=run.clock, further=further,
            levels=levels,
        )  # fmt: skip
        run.context_tokens = recall.context.tokens
        return recall

    def _reply(
        self, run: _Run, recall: ContextForReader, *, is_streamed: bool, hold: bool
    ) -> Generator[str, None, ModelAnswer | None]:
        """Yield pieces of the model's reply if streamed, and return the reply, or None if the model fails."""
        work = _work(run, run.question, recall)
        if not is_streamed:
            return self._replied(run, work)
        with self._answering(run):
            stream = self._model.stream_answer(work, hold=hold)
            try:
                yield from stream
            finally:
                stream.close()
            return stream.reply()
        return None

    def _replied(self, run: _Run, work: ToAnswer) -> ModelAnswer | None:
        with self._answering(run):
            return self._model.answer(work)
        return None

    @contextmanager
    def _answering(self, run: _Run) -> Generator[None]:
        """Suppress the failure of a model, which the trace tells."""
        try:
            with self._stage(run, "answer"):
                yield
        except ModelError as error:
            run.story["answer"] = f"the model failed: {error}"

    @contextmanager
    def _stage(self, run: _Run, name: str) -> Generator[None]:
        before, start = self._model.usage, perf_counter()
        try:
            yield
        finally:
            run.clock.stage(f"model: {name}")
            milliseconds = (perf_counter() - start) * 1_000
            run.stages[name] = _with(run.stages.get(name, Usage()), before, self._model.usage, milliseconds)

    # Results.

    def _check_reply(self, run: _Run, recall: ContextForReader, reply: ModelAnswer) -> Answer:
        """Return the answer, checked against the evidence, with its confidence adjusted."""
        text, confidence, ids = reply.text, reply.confidence, tuple[str, ...]()
        abstained = reply.abstained
        if not abstained:
            citation_check = self._check_citations(run, recall, reply)
            ids, abstained = citation_check.ids, citation_check.invented
            run.story |= {
                "cited": len(ids),
                "dropped": citation_check.dropped,
                "borne out": round(citation_check.share, 3),
            }
            if abstained:
                run.story["answer"] = "what it tells stands nowhere in the evidence"
                confidence = _INVENTED
            elif ids and not citation_check.unfounded:
                confidence *= (1 + citation_check.share) / 2
            else:
                confidence = min(confidence / 2, _UNSUPPORTED)
        by_id = {item.id: item for item in recall.context.evidence}
        evidence = tuple(by_id[item_id] for item_id in ids)
        self._recall.used(recall, evidence)
        return Answer(
            question=run.question,
            text=NOT_TOLD if abstained else text,
            confidence=confidence,
            abstained=abstained,
            evidence=evidence,
            plan=recall.result.plan,
            made_by=self._model.made_by,
            trace=_with_story(trace_of(recall.result, run.clock), run) if run.trace else None,
            usage=run.usage,
            why=tuple(run.reasons),
        )

    def _check_citations(self, run: _Run, recall: ContextForReader, reply: ModelAnswer) -> CitationCheck:
        """Return what the evidence holds of a reply."""
        plan, lexicon = recall.result.plan, self._recall.analyst.lexicon
        derived = any(sub_question.answer_type in _DERIVED for sub_question in plan.parts)
        cited = _cited(reply)
        return check(plan.question, reply.text, cited, recall.context, run.question_time, lexicon, derived=derived)

    def _by_rules(self, run: _Run, plan: Plan | None) -> Answer:
        """Return the rules' answer; the trace says why the model did not answer."""
        answer = self._recall.ask(run.question, at=run.question_time, filter=run.filter, trace=run.trace, plan=plan)
        trace = None if answer.trace is None else _with_story(answer.trace, run)
        run.reasons.append("answered without a model")
        return replace(answer, trace=trace, usage=run.usage, why=tuple(run.reasons))


def _cited(reply: ModelAnswer) -> tuple[int, ...]:
    """Return the numbers of the lines that the answer and its parts cite."""
    return tuple(
        dict.fromkeys([*reply.citations, *(n for answer_part in reply.replies for n in answer_part.citations)])
    )


def _work(run: _Run, question: str, recall: ContextForReader) -> ToAnswer:
    """Return a question with its evidence for the model."""
    text = recall.context.text.removeprefix(f"{CONTEXT_OPEN}\n").removesuffix(f"\n{CONTEXT_CLOSE}")
    return ToAnswer(question, run.question_time, run.people, recall.result.plan.parts, text, recall.lines)


def _suffices(recall: ContextForReader, reply: ModelAnswer | None) -> bool:
    """Tell if the model says so; without evidence it is not asked, and if it fails nothing more is."""
    if reply is None:
        return bool(recall.context.evidence)
    return not (reply.lacks_evidence or reply.abstained)


def _missing(reply: ModelAnswer | None, queries: Sequence[str]) -> FollowUp | None:
    """Return the query for what the model misses, if it asks for more than was searched for."""
    follow_up = None if reply is None else reply.follow_up
    if follow_up is None:
        return None
    query_stems = set(stems(follow_up.text))
    return None if any(query_stems <= set(stems(text)) for text in queries) else follow_up


def _describe_search(recall: ContextForReader, missing: FollowUp | None) -> str:
    """Return in words what was searched, as the answer tells it."""
    passes = recall.result.passes
    level = passes[0].ranking.story.get("ended in", "the memory") if passes else "words"
    return f"searched {level}" if missing is None else f"searched {level}, also for “{missing.text}”"


def _verdict(recall: ContextForReader, reply: ModelAnswer | None) -> str:
    """Return in words what the model says of the evidence, as the answer tells it."""
    if reply is None:
        return "the model failed" if recall.context.evidence else "nothing found"
    if _suffices(recall, reply):
        return "sufficient"
    slot = reply.follow_up.slot or reply.follow_up.text if reply.follow_up else ""
    return f"insufficient, missing {slot}" if slot else "insufficient"


def _with(usage: Usage, before: ModelUsage, after: ModelUsage, milliseconds: float) -> Usage:
    return Usage(
        usage.calls + after.calls - before.calls,
        usage.input_tokens + after.input_tokens - before.input_tokens,
        usage.output_tokens + after.output_tokens - before.output_tokens,
        usage.cost + after.cost - before.cost,
        usage.milliseconds + milliseconds,
    )


def _with_story(trace: Trace, run: _Run) -> Trace:
    """Return the trace with the model's steps and timings."""
    usage = run.usage
    tokens = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    steps = {**trace.steps, "model": {"calls": usage.calls, **tokens, **run.story}}
    return replace(trace, steps=steps, milliseconds={**run.clock.stages, **trace.milliseconds})
