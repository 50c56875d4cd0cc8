"""Questions to a memory: search, context and answers."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from datetime import datetime, tzinfo
from typing import Unpack

from hmem.language.analyst.language_model import AnswerModel
from hmem.model.answer import Answer
from hmem.model.evidence import Context, Found, SearchKind
from hmem.model.plan import Plan
from hmem.model.span import PRESENT, Standpoint, from_stored, parse_time, to_stored
from hmem.retrieval.context import check_tokens
from hmem.retrieval.filter import Conditions, Filter, Moment
from hmem.retrieval.model_answering import TOKENS, ModelAnswerer
from hmem.retrieval.pipeline import RetrievalPipeline, check_kinds
from hmem.retrieval.stages import TURN

OnRecall = Callable[[Answer | Found | Context, datetime | None, str | None, str | None], None]


def _ignore(result: Answer | Found | Context, time: datetime | None, session: str | None, user: str | None) -> None:
    """Ignore a recall: nobody reacts to it."""


class Queries:
    """Search, context and answers, from now or from another standpoint.

    Args:
        recalls: returns the retrieval pipeline after forming what was added here; if True, what any process added.
            The second argument is another recipe to recall by.
        answerer: returns the language model of an analyst, or the memory's, charged for one call; None for rules.
        zone: time zone of times without an offset.
        standpoint: the time from which the memory is seen.
        shown: called with a recall, the time of its question, and the one session and user that it was limited to.
    """

    def __init__(
        self,
        recalls: Callable[[bool, str | None], RetrievalPipeline],
        answerer: Callable[[str | None], AnswerModel | None],
        zone: tzinfo,
        standpoint: Standpoint = PRESENT,
        on_recall: OnRecall = _ignore,
    ) -> None:
        self._recalls = recalls
        self._answerer = answerer
        self._zone = zone
        self._standpoint = standpoint
        self._on_recall = on_recall

    def search(
        self,
        question: str,
        k: int = 10,
        *,
        at: Moment | None = None,
        kinds: Sequence[SearchKind] = (TURN,),
        min_score: float | None = None,
        trace: bool = False,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Found:
        """Return the ``k`` best pieces of evidence for a question, best first, with source and reasons.

        Args:
            question: a question, as one would put it to a person.
            k: number of pieces, from 1 to 10,000.
            at: time of the question, which "last week" is relative to; now by default.
            kinds: any of ``turn``, ``session``, ``event``, ``note``, ``summary``, ``episode``, ``profile``.
            min_score: leave out evidence of a lower ``relevance``, the chance from 0 to 1 that it tells what is asked.
            trace: True to report the reading of the question, the effect of each stage, and its milliseconds.
            recipe: the recipe to recall by this once, such as ``flat``; the memory's by default.
            conditions: conditions on the evidence: ``speaker``, ``session``, ``since`` (included), ``until`` (not),
                ``entity`` (a name or an id), ``metadata`` (values of fields), ``user``, ``agent``.

        Raises:
            InvalidQuery, InvalidTime, UnknownId: the question is empty, k, min_score or a condition cannot be met by
                anything.
            UnknownName: there is no such recipe.
        """
        check_kinds(kinds)
        recall, time, filter_ = self._prepare(at, recipe, conditions, kinds)
        plan = self._planned(recall, question, time, conditions.get("user"))
        result = recall.search(
            question, k, at=time, kinds=kinds, min_score=min_score, filter=filter_, trace=trace, plan=plan
        )
        self._on_recall(result, time, conditions.get("session"), conditions.get("user"))
        return result

    def context(
        self,
        question: str,
        tokens: int = 1_200,
        *,
        at: Moment | None = None,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Context:
        """Return evidence for a question as text for a prompt, at most ``tokens`` tokens long, with citations.

        If nothing in the memory is relevant to the question, the text is empty and ``remark`` says so.

        Raises:
            InvalidQuery, InvalidTime, UnknownId: as for ``search``, or the budget is below 1.
        """
        recall, time, filter_ = self._prepare(at, recipe, conditions)
        plan = self._planned(recall, question, time, conditions.get("user"))
        result = recall.context(question, tokens, at=time, filter=filter_, plan=plan)
        self._on_recall(result, time, conditions.get("session"), conditions.get("user"))
        return result

    def ask(
        self,
        question: str,
        *,
        at: Moment | None = None,
        trace: bool = False,
        tokens: int = TOKENS,
        analyst: str | None = None,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Answer:
        """Return a short answer with its evidence and the probability that it is right, or an abstention.

        If the memory's analyst is a language model, it plans and answers in two calls. Each part that another needs
        takes one more, and so does each level that is searched because the model says that something is missing. Rules
        answer if it fails; ``made_by`` says who answered, and ``why`` what was searched.

        Args:
            question: the question.
            at: time of the question; now by default.
            trace: True to report the effect of each stage.
            tokens: the most tokens of evidence that a language model is shown.
            analyst: analyst for this answer, such as ``verbatim`` or ``openai:gpt-4o-mini``; the memory's by default.
            recipe: as for ``search``.
            conditions: as for ``search``.

        Raises:
            InvalidQuery, InvalidTime, UnknownId, UnknownName: as for ``search``, or there is no such analyst.
        """
        check_tokens(tokens)
        recall, time, filter_ = self._prepare(at, recipe, conditions)
        model = self._answerer(analyst)
        if model is None:
            answer = recall.ask(question, at=time, filter=filter_, trace=trace)
        else:
            answer = ModelAnswerer(recall, model).ask(question, at=time, filter=filter_, tokens=tokens, trace=trace)
        self._on_recall(answer, time, conditions.get("session"), conditions.get("user"))
        return answer

    def ask_stream(
        self,
        question: str,
        *,
        at: Moment | None = None,
        trace: bool = False,
        tokens: int = TOKENS,
        analyst: str | None = None,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Iterator[str | Answer]:
        """Yield the answer as it is made: pieces of its text, at least one, and last the ``Answer``.

        Pieces are the model's text before it is checked; if the ``Answer`` differs from them, the ``Answer`` is right.
        Rules give their answer in one piece.

        Raises:
            InvalidQuery, InvalidTime, UnknownId, UnknownName: as for ``ask``.
        """
        check_tokens(tokens)
        recall, time, filter_ = self._prepare(at, recipe, conditions)
        model = self._answerer(analyst)
        if model is None:
            chunks = _at_once(recall.ask(question, at=time, filter=filter_, trace=trace))
        else:
            chunks = ModelAnswerer(recall, model).stream(question, at=time, filter=filter_, tokens=tokens, trace=trace)
        return self._noted(chunks, time, conditions)

    def _noted(
        self, chunks: Generator[str | Answer], time: datetime | None, conditions: Conditions
    ) -> Iterator[str | Answer]:
        with closing(chunks):
            for chunk in chunks:
                if isinstance(chunk, Answer):
                    self._on_recall(chunk, time, conditions.get("session"), conditions.get("user"))
                yield chunk

    def _planned(
        self, recall: RetrievalPipeline, question: str, time: datetime | None, user: str | None
    ) -> Plan | None:
        """Return the plan of the memory's model if even a search uses it; None for the plan of the rules."""
        model = self._answerer(None) if recall.planning.model else None
        return None if model is None else ModelAnswerer(recall, model).plan(question, time, user)

    def _prepare(
        self, at: Moment | None, recipe: str | None, conditions: Conditions, kinds: Sequence[SearchKind] = (TURN,)
    ) -> tuple[RetrievalPipeline, datetime | None, Filter | None]:
        """Return the retrieval pipeline, the time of the question, and its filter."""
        needs_formed = conditions.get("entity") is not None or tuple(kinds) != (TURN,) or bool(self._standpoint)
        recall = self._recalls(needs_formed, recipe)
        known_until = self._standpoint.known
        time = (
            parse_time(at, self._zone)
            if at is not None
            else None
            if known_until is None
            else from_stored(known_until, 0)
        )
        return recall, time, Filter.from_conditions(conditions, self._zone, self._standpoint)


def _at_once(answer: Answer) -> Generator[str | Answer]:
    yield answer.text
    yield answer


def instant(moment: Moment, zone: tzinfo) -> int:
    """Return a moment in microseconds since 1970.

    Raises: InvalidTime: it is not a time.
    """
    return to_stored(parse_time(moment, zone))[0]
