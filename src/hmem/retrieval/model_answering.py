"""Answers by a language model: it plans, the memory recalls, it answers, and its answer is checked.

A plain question takes two calls. If the model says what the evidence lacks, the memory searches for that once, and the
model answers again. No lock is held during a call. If the model fails, the rules answer, and the trace says why.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Final

from hmem.errors import ModelError, ModelGarbled
from hmem.language.analyst.language_model import AnswerModel, ModelAnswer, ToAnswer
from hmem.language.analyst.spending import Spent
from hmem.language.analyzer import stems
from hmem.language.prompt_text import CONTEXT_CLOSE, CONTEXT_OPEN
from hmem.model.answer import Answer, Usage
from hmem.model.evidence import Context, Trace
from hmem.model.plan import FollowUp, Plan
from hmem.retrieval.answer.quoting import NOT_TOLD
from hmem.retrieval.citations import check
from hmem.retrieval.context import check_tokens
from hmem.retrieval.filter import Filter
from hmem.retrieval.passes import Gathered, StageClock, trace_of
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.plan import PlanKey, checked

# Default token budget of the context: that of an evaluation.
TOKENS: Final = 1_272

# Cap on the confidence of an answer that its evidence does not support; the confidence is halved too.
_UNSUPPORTED: Final = 0.25
# Confidence of an abstention that replaces an invented answer.
_INVENTED: Final = 0.5
_DERIVED: Final = frozenset({"count", "duration", "frequency"})


@dataclass(slots=True)
class _Run:
    """State of one question while it is answered."""

    question: str
    asked: datetime
    filter: Filter | None
    tokens: int
    trace: bool
    people: tuple[str, ...]
    clock: StageClock = field(default_factory=StageClock)
    story: dict[str, Any] = field(default_factory=dict[str, Any])
    stages: dict[str, Usage] = field(default_factory=dict[str, Usage])
    context_tokens: int = 0

    @property
    def usage(self) -> Usage:
        """Usage so far, summed over the stages."""
        held = self.stages.values()
        return Usage(
            sum(stage.calls for stage in held),
            sum(stage.input_tokens for stage in held),
            sum(stage.output_tokens for stage in held),
            sum(stage.cost for stage in held),
            sum(stage.milliseconds for stage in held),
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
            return self._planned(checked(question), at or datetime.now(UTC), self._recall.people(user))
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
        asking = self._answered(self._run(question, at, filter, tokens, trace=trace), streamed=False)
        while True:
            try:
                next(asking)
            except StopIteration as ended:
                return ended.value

    def stream(
        self, question: str, *, at: datetime | None, filter: Filter | None, tokens: int = TOKENS, trace: bool = False
    ) -> Generator[str | Answer]:
        """Yield pieces of the answer's text as the model writes it, then the checked answer, which alone is final.

        Raises:
            InvalidQuery: the question is empty, or ``tokens`` is below 1.
        """
        run = self._run(question, at, filter, tokens, trace=trace)
        return self._streamed(run)

    def _streamed(self, run: _Run) -> Generator[str | Answer]:
        silent, asking = True, self._answered(run, streamed=True)
        try:
            while True:
                try:
                    piece = next(asking)
                except StopIteration as ended:
                    if silent:
                        yield ended.value.text
                    yield ended.value
                    return
                silent = False
                yield piece
        finally:
            asking.close()

    def _run(self, question: str, at: datetime | None, filter: Filter | None, tokens: int, *, trace: bool) -> _Run:
        check_tokens(tokens)
        text = checked(question)
        people = self._recall.people(None if filter is None else filter.user)
        return _Run(text, at or datetime.now(UTC), filter, tokens, trace, tuple(people))

    # The stages.

    def _answered(self, run: _Run, *, streamed: bool) -> Generator[str, None, Answer]:
        plan = self._plan_of(run)
        gathered = None if plan is None else self._gathered(run, plan)
        if gathered is None or not gathered.context.evidence:
            return self._by_rules(run, plan)
        reply = yield from self._reply(run, gathered, streamed=streamed, hold=True)
        if reply is None:
            return self._by_rules(run, gathered.recalled.plan)
        further = _further(reply, gathered)
        if further:
            run.story["follow-up"] = [each.text for each in further]
            again = self._gathered(run, gathered.recalled.plan, further)
            better = yield from self._reply(run, again, streamed=streamed, hold=False)
            if better is not None and (reply.abstained or not better.abstained):
                gathered, reply = again, better
        return self._checked(run, gathered, reply)

    def _plan_of(self, run: _Run) -> Plan | None:
        """Return the model's plan, the rules' plan if the model's is garbled, or None if the model is unavailable."""
        try:
            with self._stage(run, "plan"):
                return self._planned(run.question, run.asked, run.people)
        except ModelGarbled as error:
            run.story["plan"] = f"by rules: {error}"
            return self._recall.planned(run.question, run.asked, None if run.filter is None else run.filter.user)
        except ModelError as error:
            run.story["plan"] = f"by rules: {error}"
            return None

    def _planned(self, question: str, asked: datetime, people: Sequence[str]) -> Plan:
        known = PlanKey.of(self._model.made_by, question, asked, people)
        return self._recall.plans.get(known, lambda: self._model.plan(question, asked, people))

    def _gathered(self, run: _Run, plan: Plan, further: Sequence[FollowUp] = ()) -> Gathered:
        gathered = self._recall.gather(
            run.question, run.tokens, at=run.asked, filter=run.filter, plan=plan, clock=run.clock, further=further
        )
        run.context_tokens = gathered.context.tokens
        return gathered

    def _reply(
        self, run: _Run, gathered: Gathered, *, streamed: bool, hold: bool
    ) -> Generator[str, None, ModelAnswer | None]:
        """Yield pieces of the model's reply if streamed, and return the reply, or None if the model fails."""
        lines = gathered.context.text.removeprefix(f"{CONTEXT_OPEN}\n").removesuffix(f"\n{CONTEXT_CLOSE}")
        work = ToAnswer(run.question, run.asked, run.people, gathered.recalled.plan.parts, lines)
        try:
            with self._stage(run, "answer"):
                if not streamed:
                    return self._model.answer(work)
                stream = self._model.tell(work, hold=hold)
                try:
                    yield from stream
                finally:
                    stream.close()
                return stream.reply()
        except ModelError as error:
            run.story["answer"] = f"by rules: {error}"
            return None

    @contextmanager
    def _stage(self, run: _Run, name: str) -> Generator[None]:
        before, began = self._model.spent, perf_counter()
        try:
            yield
        finally:
            run.clock.stage(f"model: {name}")
            took = (perf_counter() - began) * 1_000
            run.stages[name] = _with(run.stages.get(name, Usage()), before, self._model.spent, took)

    # Results.

    def _checked(self, run: _Run, gathered: Gathered, reply: ModelAnswer) -> Answer:
        """Return the answer, checked against the evidence, with its confidence adjusted."""
        text, confidence, ids = reply.text, reply.confidence, tuple[str, ...]()
        abstained = reply.abstained
        if not abstained:
            parts = gathered.recalled.plan.parts
            analyst, cited = self._recall.analyst, _cited(reply)
            derived = any(part.answer_type in _DERIVED for part in parts)
            held = check(run.question, text, cited, gathered.context, run.asked, analyst.lexicon, derived=derived)
            ids, abstained = held.ids, held.invented
            run.story |= {"cited": len(ids), "dropped": held.dropped, "borne out": round(held.share, 3)}
            if abstained:
                run.story["answer"] = "what it tells stands nowhere in the evidence"
                confidence = _INVENTED
            elif ids and not held.unfounded:
                confidence *= (1 + held.share) / 2
            else:
                confidence = min(confidence / 2, _UNSUPPORTED)
        by_id = {item.id: item for item in gathered.context.evidence}
        evidence = tuple(by_id[each] for each in ids)
        self._recall.used(gathered, evidence)
        return Answer(
            question=run.question,
            text=NOT_TOLD if abstained else text,
            confidence=confidence,
            abstained=abstained,
            evidence=evidence,
            plan=gathered.recalled.plan,
            made_by=self._model.made_by,
            trace=_with_story(trace_of(gathered.recalled, run.clock), run) if run.trace else None,
            usage=run.usage,
        )

    def _by_rules(self, run: _Run, plan: Plan | None) -> Answer:
        """Return the rules' answer; the trace says why the model did not answer."""
        answer = self._recall.ask(run.question, at=run.asked, filter=run.filter, trace=run.trace, plan=plan)
        trace = None if answer.trace is None else _with_story(answer.trace, run)
        return replace(answer, trace=trace, usage=run.usage)


def _cited(reply: ModelAnswer) -> tuple[int, ...]:
    """Return the numbers of the lines that the answer and its parts cite."""
    return tuple(dict.fromkeys([*reply.citations, *(n for part in reply.parts for n in part.citations)]))


def _further(reply: ModelAnswer, gathered: Gathered) -> list[FollowUp]:
    """Return follow-up queries: for what the model says is missing, and for parts whose prerequisites are now known."""
    if not (reply.lacking or reply.abstained):
        return []
    plan, made = gathered.recalled.plan, list[FollowUp]()
    if reply.follow_up is not None and _anchored(reply.follow_up, plan.question, gathered.context):
        made.append(reply.follow_up)
    known = {part.place: part.text for part in reply.parts if part.citations and part.text}
    for part in plan.parts:
        answers = [known[need] for need in part.needs if need in known]
        if part.needs and len(answers) == len(part.needs):
            made.append(FollowUp(f"{part.text} {', '.join(answers)}", "prerequisite", answers[0]))
    return made


def _anchored(follow_up: FollowUp, question: str, context: Context) -> bool:
    """Tell if a query asks for more than the question, by something that stands in the evidence."""
    asked = set(stems(question))
    anchor = set(stems(follow_up.anchor))
    found = any(anchor <= set(stems(item.content)) for item in context.evidence)
    return bool(anchor) and found and not set(stems(follow_up.text)) <= asked


def _with(usage: Usage, before: Spent, after: Spent, milliseconds: float) -> Usage:
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
