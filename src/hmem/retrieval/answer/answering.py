"""Rule-based answering: an answer, its confidence and its evidence, or an abstention."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hmem.language.regex import regex
from hmem.model.evidence import Evidence
from hmem.model.plan import Plan
from hmem.model.turn import Turn
from hmem.retrieval.answer.candidates import (
    NUMERIC,
    AnswerCandidates,
    coefficients,
    collected,
    joined,
    lexis_of,
    meanings_of,
    weights,
)
from hmem.retrieval.answer.confidence import Reply, chance, signs
from hmem.retrieval.answer.facts import choose, doer, reason, tidied, when, yes_or_no
from hmem.retrieval.answer.quantities import measure_out, sort_of, touching, value_of
from hmem.retrieval.answer.question import AnswerTarget, answer_target
from hmem.retrieval.answer.statements import CandidateSentence, chosen, frame_of, measure, statements_of
from hmem.retrieval.filter import rows_of_user
from hmem.retrieval.plan import Query, whole
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import asked_about

NOT_TOLD: Final = "The memory does not tell."
# Chance of support below which an answer becomes an abstention (docs: the curve).
LEAST: Final = 0.55
# Number of speakers' names that are recognized as vocatives.
_CALLED: Final = 8


_HYPOTHETICAL: Final = regex(r"\b(?:would|might|could|likely|probably|most likely)\b", re.IGNORECASE)


_NOW: Final = regex(r"\b(?:so far|current(?:ly)?|now|nowadays|these days|at the moment|to date|yet)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ExtractedAnswer:
    """Answer, the chance (0 to 1) that it is right, and the ids of its evidence, best first."""

    text: str
    confidence: float
    abstained: bool = False
    evidence: tuple[str, ...] = ()


def answer(
    sources: Sources, query: Query, plan: Plan, found: Sequence[Evidence], *, least: float = LEAST
) -> ExtractedAnswer:
    """Return the answer to a question from the turns found for it, best first. Call it inside ``corpus.reading()``.

    It abstains when the chance that the evidence supports the question is below ``least``.
    """
    drafted = draft(sources, replace(query, part=whole(plan)), found)
    if drafted is None:
        return ExtractedAnswer(NOT_TOLD, 1.0, abstained=True)
    reply, values = drafted
    supported = 1.0 if _hypothetical(query.text) else chance(coefficients("supported"), values)
    evidence = tuple(dict.fromkeys(statement.evidence.id for statement in reply.used))
    if supported < least or not reply.text:
        return ExtractedAnswer(NOT_TOLD, 1 - min(supported, least), abstained=True, evidence=evidence)
    return ExtractedAnswer(reply.text, chance(coefficients("right"), values), evidence=evidence)


def _hypothetical(question: str) -> bool:
    """Tell if a question asks what would be: no statement says so, and its answer is an inference anyway."""
    return _HYPOTHETICAL.search(question) is not None


def draft(sources: Sources, query: Query, found: Sequence[Evidence]) -> tuple[Reply, dict[str, float]] | None:
    """Return the best answer, supported or not, with the signs of its confidence; None without evidence."""
    past = asked_about(query).past and not _NOW.search(query.text)
    asked = replace(answer_target(query.text, query.names, query.part), past=past)
    statements = measured(sources, query, asked, found)
    if not statements:
        return None
    reply = respond(sources, asked, statements)
    return reply, signs(asked, statements, reply)


def measured(sources: Sources, query: Query, asked: AnswerTarget, found: Sequence[Evidence]) -> list[CandidateSentence]:
    """Return the statements of the evidence, best first."""
    names = tuple(sorted({evidence.speaker for evidence in found if evidence.speaker}))[:_CALLED]
    statements = statements_of(found, _previous(sources, query, found), names)
    frame = frame_of(query.text, query.asked, query.part.spans)
    return measure(statements, asked, query.vector, meanings_of(sources), frame)


def _previous(sources: Sources, query: Query, found: Sequence[Evidence]) -> list[Turn | None]:
    """Return the turn before each piece of evidence in its session, of the user that is asked about; or None."""
    rows = sources.corpus.rows_of_ids([evidence.id for evidence in found])
    before = np.where(rows >= 0, sources.corpus.columns.previous[np.maximum(rows, 0)], -1)
    if query.user is not None:
        before[~rows_of_user(sources, query.user)[np.maximum(before, 0)]] = -1
    turns = sources.corpus.turns(np.unique(before[before >= 0]).astype(np.int64))
    return [turns.get(int(row)) for row in before]


def respond(sources: Sources, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply:
    """Return the words of an answer and its statements; the words are "" if the value asked for is not stated."""
    if (sort := sort_of(asked)) is not None:
        value = value_of(sort, asked, statements)
        return Reply("", statements[:1]) if value is None else Reply(value[0], [value[1]])
    if asked.kind == "when" and (time := when(asked, statements)) is not None:
        return Reply(time.text, [time.statement])
    if asked.kind == "polar":
        return Reply(yes_or_no(asked, statements), statements[:1])
    if asked.kind == "choice" and (option := choose(asked, statements, meanings_of(sources))):
        return Reply(option, statements[:1])
    if (quantity := measure_out(asked, statements)) is not None:
        return quantity
    if asked.kind == "reason" and (because := reason(asked, statements)) is not None:
        return because
    if asked.kind == "person" and (who := doer(sources, asked, statements)) is not None:
        return who
    near = list(touching(asked.roots, statements)) if asked.kind in NUMERIC else statements
    return _phrase(candidates_of(sources, asked, near), asked, statements)


def _phrase(candidates: AnswerCandidates, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply:
    """Return the best phrase, or several for a list."""
    if not len(candidates):
        return Reply("" if asked.kind in NUMERIC else statements[0].line.text, statements[:1])
    scores = candidates.scores(weights())
    places = collected(candidates, scores, asked.every) if asked.several else []
    places = places or [int(np.argmax(scores))]
    texts = [tidied(candidates.text(place), asked) for place in places]
    return Reply(joined(texts), [candidates.statement(place) for place in places], scores)


def candidates_of(sources: Sources, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> AnswerCandidates:
    """Return the candidate answers of the best statements."""
    kept = chosen(statements, many=asked.several)
    return AnswerCandidates(asked, kept, lexis_of(sources, asked, kept), [s.name for s in sources.corpus.speakers])
