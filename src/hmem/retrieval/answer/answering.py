"""Rule-based answering: an answer, its confidence and its evidence, or an abstention."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hmem.language.analyst.answer_reader import AnswerTarget, CandidateSentence, Reply, StatementLine
from hmem.model.answer import certainty_of
from hmem.model.evidence import Evidence
from hmem.model.plan import Plan
from hmem.model.turn import Turn
from hmem.retrieval.answer.candidates import (
    COUNTED,
    NUMERIC,
    SAME,
    AnswerCandidates,
    coefficients,
    collected,
    is_of_sort,
    joined,
    lexis_of,
    meanings_of,
    weighted,
    weights,
)
from hmem.retrieval.answer.claims import CLAIMED, evidence_of_turns, from_claims, ids_of, verdict_of_claims
from hmem.retrieval.answer.confidence import chance, signs
from hmem.retrieval.answer.parts import Drafted, of_parts
from hmem.retrieval.answer.statements import chosen, frame_of, measure, statements_of
from hmem.retrieval.filter import rows_of_user
from hmem.retrieval.plan import Query, whole
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import asked_about

NOT_TOLD: Final = "The memory does not tell."
# Chance of being right below which an answer becomes an abstention.
LEAST: Final = 0.35
# Share of a question's words, or of their likes, below which a statement tells nothing of what is asked.
_SHARED: Final = 0.1
# Number of speakers' names that are recognized as vocatives.
_CALLED: Final = 8
# Number of statements compared with the options of a question, and number whose turns are searched for a doer.
_COMPARED: Final = 8
_TURNS_OF_DOERS: Final = 8
# Number of statements whose trees are read.
_READ: Final = 10


@dataclass(frozen=True, slots=True)
class ExtractedAnswer:
    """Answer, the chance (0 to 1) that it is right, and the ids of its evidence, best first.

    Of an abstention, ``confidence`` is the chance that the memory does not hold the answer. ``value`` is the day that
    quoted words tell, in ISO form, if the question asks for a time.
    """

    text: str
    confidence: float
    abstained: bool = False
    evidence: tuple[str, ...] = ()
    value: str | None = None


def answer(
    sources: Sources,
    query: Query,
    plan: Plan,
    found: Sequence[Evidence],
    turns: Sequence[str] = (),
    *,
    least: float = LEAST,
) -> ExtractedAnswer:
    """Return the answer to a question from the turns found for it, best first. Call it inside ``corpus.reading()``.

    ``turns`` are the ids of all turns whose claims count, those that hold no longer too; of those found by default.
    It abstains when the chance that its answer is right is below ``least``; its confidence is then the chance that the
    memory does not hold the answer. An unsure answer is hedged.
    """
    said = _answered(sources, query, plan, found, turns or [each.id for each in found], least)
    if said.abstained:
        return said
    unsure = certainty_of(said.confidence) == "unsure"
    return replace(said, text=sources.analyst.answer_reader.hedged(said.text)) if unsure else said


def _answered(
    sources: Sources, query: Query, plan: Plan, found: Sequence[Evidence], turns: Sequence[str], least: float
) -> ExtractedAnswer:
    """Return the answer that claims give, then that of the question's parts, then that of statements."""
    one = replace(query, part=whole(plan))
    asked = target_of(sources, one)
    if asked.kind == "polar":
        return _verdict(sources, one, asked, found, turns)
    told = from_claims(sources, one, asked, turns)
    if told is None or not is_of_sort(sources, asked, told.text):
        return _from_parts(sources, query, plan, found, least) or _read(sources, one, found, least)
    if told.text:
        return ExtractedAnswer(told.text, CLAIMED, evidence=ids_of(sources, told.turns))
    told_by = evidence_of_turns(sources, told.turns, found) if told.turns else found
    without = reader_roots(sources, told.ended) - reader_roots(sources, (query.text, told.instead))
    read = _read(sources, one, told_by, least, without)
    if told.instead and read.abstained:
        return ExtractedAnswer(told.instead, CLAIMED, evidence=ids_of(sources, told.turns))
    if told.ended and (read.abstained or sources.analyst.answer_reader.roots(read.text) & without):
        return ExtractedAnswer(NOT_TOLD, CLAIMED, abstained=True, evidence=read.evidence)
    return _read(sources, one, found, least) if read.abstained else read


def reader_roots(sources: Sources, values: Sequence[str]) -> set[str]:
    """Return the roots of the words of some values."""
    reader = sources.analyst.answer_reader
    return {word for value in values for word in reader.roots(value)}


def _from_parts(
    sources: Sources, query: Query, plan: Plan, found: Sequence[Evidence], least: float
) -> ExtractedAnswer | None:
    """Return the answer that is put together from those to the parts of a plan; None if it has one, or they fail."""

    def drafted_of(part: Query) -> Drafted | None:
        return _drafted(sources, part, found)

    def phrases_of(part: Query) -> AnswerCandidates | None:
        asked = target_of(sources, part)
        statements = measured(sources, part, asked, found)
        return candidates_of(sources, asked, statements) if statements else None

    drafted = of_parts(sources, query, plan, drafted_of, phrases_of)
    if drafted is None or drafted.right < least:
        return None
    return ExtractedAnswer(drafted.reply.text, drafted.right, evidence=_ids(drafted.reply))


def _read(
    sources: Sources,
    query: Query,
    found: Sequence[Evidence],
    least: float,
    without: AbstractSet[str] = frozenset(),
) -> ExtractedAnswer:
    """Return the answer that statements of the evidence give, or an abstention.

    Statements with the roots ``without`` are not read if there are others.
    """
    drafted = _drafted(sources, query, found, without)
    if drafted is None:
        return ExtractedAnswer(NOT_TOLD, 1.0, abstained=True)
    supposes = sources.analyst.answer_reader.supposes(query.text)
    if not drafted.reply.text or (drafted.right < least and not supposes):
        return ExtractedAnswer(NOT_TOLD, 1 - drafted.told, abstained=True, evidence=_ids(drafted.reply))
    return ExtractedAnswer(drafted.reply.text, drafted.right, evidence=_ids(drafted.reply))


def _ids(reply: Reply) -> tuple[str, ...]:
    return tuple(dict.fromkeys(statement.evidence.id for statement in reply.used))


def _verdict(
    sources: Sources, query: Query, asked: AnswerTarget, found: Sequence[Evidence], turns: Sequence[str]
) -> ExtractedAnswer:
    """Return yes or no if a claim or a statement says or denies what is asked, else an abstention."""
    reader = sources.analyst.answer_reader
    if (told := verdict_of_claims(sources, query, asked, turns)) is not None:
        return ExtractedAnswer(reader.verdict(asked, so=told[0]), CLAIMED, evidence=ids_of(sources, told[1]))
    statements = measured(sources, query, asked, found)
    for statement, so in zip(statements, reader.entailed(asked, statements[:_READ]), strict=False):
        if so is not None:
            return ExtractedAnswer(reader.verdict(asked, so=so), CLAIMED, evidence=(statement.evidence.id,))
    if not statements:
        return ExtractedAnswer(NOT_TOLD, 1.0, abstained=True)
    drafted = _chances(Reply("", statements[:1]), signs(asked, statements, Reply("", statements[:1])))
    if reader.supposes(query.text):
        text = reader.verdict(asked, so=reader.supposed(statements))
        return ExtractedAnswer(text, drafted.right, evidence=_ids(drafted.reply))
    return ExtractedAnswer(NOT_TOLD, 1 - drafted.told, abstained=True)


def target_of(sources: Sources, query: Query) -> AnswerTarget:
    """Return the target of a question."""
    reader = sources.analyst.answer_reader
    about = asked_about(reader, query)
    return replace(reader.target(query.text, query.names, query.part), past=about.past and not about.tense.now)


def _drafted(
    sources: Sources, query: Query, found: Sequence[Evidence], without: AbstractSet[str] = frozenset()
) -> Drafted | None:
    """Return the best answer, told or not, with its chances; None without evidence."""
    made = draft(sources, query, found, without)
    if made is None:
        return None
    drafted = _chances(*made)
    if made[1]["used_around"] < _SHARED and target_of(sources, query).content:
        return drafted._replace(right=0.0)
    return drafted


def _chances(reply: Reply, values: dict[str, float]) -> Drafted:
    return Drafted(reply, chance(coefficients("right"), values), chance(coefficients("told"), values))


def draft(
    sources: Sources, query: Query, found: Sequence[Evidence], without: AbstractSet[str] = frozenset()
) -> tuple[Reply, dict[str, float]] | None:
    """Return the best answer, told or not, with the signs of its confidence; None without evidence."""
    asked = target_of(sources, query)
    statements = measured(sources, query, asked, found)
    statements = [each for each in statements if not each.line.roots & without] or statements
    if not statements:
        return None
    reply = respond(sources, asked, statements)
    return reply, signs(asked, statements, reply)


def measured(sources: Sources, query: Query, asked: AnswerTarget, found: Sequence[Evidence]) -> list[CandidateSentence]:
    """Return the statements of the evidence, best first."""
    names = tuple(sorted({evidence.speaker for evidence in found if evidence.speaker}))[:_CALLED]
    statements = statements_of(sources.analyst.answer_reader, found, _previous(sources, query, found), names)
    frame = frame_of(query.text, query.asked, query.part.spans)
    meanings = meanings_of(sources)
    vector = meanings.of([query.text])[0]
    best = measure(statements, asked, vector, meanings, frame, weighted(sources, asked))
    for statement, tree in zip(best, sources.analyst.answer_reader.matches(query.text, best[:_READ]), strict=False):
        statement.tree = tree
        statement.features["match"] = tree.score
    return best


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
    reader = sources.analyst.answer_reader
    if asked.kind == "when" and not reader.asks_for_value(asked) and (time := reader.time(asked, statements)):
        return time
    if asked.kind == "choice" and (option := _option(sources, asked, statements)):
        return Reply(option, statements[:1])
    ruled = by_rule(sources, asked, statements)
    if asked.kind not in COUNTED and (ruled is not None or reader.asks_for_value(asked)):
        return Reply("", statements[:1]) if ruled is None else replace(ruled, chosen={"ruled": 1.0})
    return _phrase(candidates_of(sources, asked, statements, ruled), asked, statements, ruled)


def by_rule(sources: Sources, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return what a rule reads for this kind of question, if any: a value, a quantity, a reason or a doer."""
    reader = sources.analyst.answer_reader
    if reader.asks_for_value(asked):
        return reader.value(asked, statements)
    if asked.kind == "reason":
        return reader.reason(asked, statements)
    if asked.kind == "person":
        return reader.doer(asked, _events(sources, statements))
    return reader.quantity(asked, statements)


def _option(sources: Sources, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> str:
    """Return the option of the question that is nearer to the statements, or "" if it gives none."""
    options, meanings = sources.analyst.answer_reader.options(asked.text), meanings_of(sources)
    if options is None:
        return ""
    texts = [statement.line.text for statement in statements[:_COMPARED]]
    worth = (meanings.of(options) @ meanings.of(texts).T).max(axis=1)
    return options[0] if worth[0] >= worth[1] else options[1]


def _events(
    sources: Sources, statements: Sequence[CandidateSentence]
) -> Iterator[tuple[CandidateSentence, StatementLine]]:
    """Yield the events of the turns of the best statements, each with the best statement of its turn."""
    best: dict[str, CandidateSentence] = {}
    for statement in statements[:_TURNS_OF_DOERS]:
        best.setdefault(statement.evidence.id, statement)
    rows = sources.corpus.rows_of_ids(list(best))
    for statement, row in zip(best.values(), rows.tolist(), strict=True):
        if row >= 0:
            for event in sources.derived.events.of(int(sources.corpus.columns.seq[row])):
                yield from ((statement, line) for line in sources.analyst.answer_reader.lines(event.text, None))


def _phrase(
    candidates: AnswerCandidates, asked: AnswerTarget, statements: Sequence[CandidateSentence], ruled: Reply | None
) -> Reply:
    """Return the best phrase, or several for a list.

    What a rule reads is the answer if no phrase says that, as it was reckoned, or if the best phrase says much the
    same.
    """
    if ruled is not None and not candidates.has(ruled.text):
        return replace(ruled, chosen={"ruled": 1.0})
    if not len(candidates):
        return Reply("" if asked.kind in NUMERIC else statements[0].line.text, statements[:1])
    scores = candidates.scores(weights())
    places = collected(candidates, scores, asked.every) if asked.several else []
    places = places or [int(np.argmax(scores))]
    texts = [candidates.worded(place) for place in places]
    # What a rule reads may say more of the same: "90 in June" of "90".
    longer = ruled is not None and ruled.text.startswith(f"{texts[0]} ")
    if ruled is not None and (longer or candidates.features(places[0])["ruled"] >= SAME):
        texts = [ruled.text]
    return Reply(
        joined(texts), [candidates.statement(place) for place in places], scores, candidates.features(places[0])
    )


def candidates_of(
    sources: Sources, asked: AnswerTarget, statements: Sequence[CandidateSentence], ruled: Reply | None = None
) -> AnswerCandidates:
    """Return the candidate answers of the best statements; ``ruled`` is what a rule reads."""
    kept = chosen(statements, many=asked.several)
    lexis, speakers = lexis_of(sources, asked, kept), [speaker.name for speaker in sources.corpus.speakers]
    return AnswerCandidates(
        sources.analyst.answer_reader, asked, kept, lexis, speakers, ruled.text if ruled is not None else ""
    )
