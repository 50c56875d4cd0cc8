"""Answers without a language model: the sentences that tell what is asked, quoted with who said them and when.

The best few of the turns found are quoted, newest first, but what people say of themselves before what others say of
them, and that before what tools, documents and assistants say. Nothing is said in other words: a short turn is quoted
whole, of a longer one the sentence that is most like the question and what follows it. A value comes from a typed slot
that the question asks for, or is the day that a quoted sentence tells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Final, NamedTuple

import numpy as np

from hmem.derived.note_states import Authority, authority
from hmem.derived.notes import KeptNote
from hmem.language.analyzer import stems
from hmem.language.prompt_text import on_one_line
from hmem.model.evidence import Evidence, Why
from hmem.model.note import SINGLE_SLOTS
from hmem.model.plan import Plan
from hmem.model.scope import COMMON, owner_of, scoped, spelled
from hmem.model.span import from_stored
from hmem.retrieval.answer.candidates import Candidate, Values, candidates_of, scores_of, weights
from hmem.retrieval.context import MONTHS
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import note_states_of, present, time_of_question

NOT_TOLD: Final = "The memory does not tell."
# Signs that the quoted turns tell what is asked.
ANSWER_SIGNS: Final = ("bias", "near", "best", "lead", "above", "unheard")
# Strategy name of what gives a typed slot.
SLOT: Final = "slot"
# Chance that the current value of a typed slot is right.
_OF_A_SLOT: Final = 0.9

# Number of turns that are quoted, at most, and the most characters of a turn that is quoted whole.
_MAX_QUOTATIONS: Final = 3
_MAX_CHARACTERS: Final = 320
# How far below the best one a turn is not quoted beside it: a twentieth of its chance.
_MAX_SCORE_GAP: Final = 3.0
# How much less near to the question than the sentence of a slot a later one may tell another value, and than what
# others said the own words of who is asked about.
_MAX_SIMILARITY_GAP: Final = 0.2
# Number of turns up to which it is not known how near turns are in general.
_MIN_TURNS: Final = 12
# Place of the candidate over which the best has to lead.
_SIXTH: Final = 5
# Greatest confidence beside a later sentence on the same matter, which may say otherwise.
_BESIDE_NEWER: Final = 0.79
_SECOND: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class QuotedAnswer:
    """Answer, the chance (0 to 1) that it is right, and the ids of its evidence, best first.

    Of an abstention, ``confidence`` is the chance that the memory does not hold the answer. ``value`` is that of a
    typed slot, or the day that quoted words tell, in ISO form, if the question asks for a time.
    """

    text: str
    confidence: float
    abstained: bool = False
    evidence: tuple[str, ...] = ()
    value: str | None = None


def quote(
    sources: Sources, query: Query, plan: Plan, evidence: Sequence[Evidence], similarity_margin: float
) -> QuotedAnswer:
    """Return the sentences that answer a question, from the turns found for it, best first.

    ``similarity_margin`` is how much nearer the best turn is to the question than turns in general. It abstains when
    the chance that a quotation holds the answer is too low. Call it inside ``corpus.reading()``.
    """
    candidates = candidates_of(sources, query, evidence)
    if not candidates.entries:
        return QuotedAnswer(NOT_TOLD, 1.0, abstained=True)
    scores = scores_of(candidates.entries)
    ranks = _authorities(sources, query, [candidate.turn for candidate in candidates.entries])
    best = _with_own_words(candidates.entries, scores, ranks)
    if (slot := _from_slot(sources, query, candidates.entries, scores)) is not None:
        return slot
    ids = tuple(candidate.turn.id for candidate in best)
    right = chance_of(
        answer_signs(question_fit(sources, query, candidates.entries, similarity_margin), candidates.entries, scores)
    )
    if right < weights()["told"]["least"]:
        return QuotedAnswer(NOT_TOLD, 1 - right, abstained=True, evidence=ids)
    quotations = sorted(best, key=lambda candidate: (ranks[candidate.turn.id], candidate.turn.when), reverse=True)
    if quotations[0] is not best[0] or _beside_newer(candidates.newer, ids):
        right = min(right, _BESIDE_NEWER)
    asks_time = any(question_part.answer_type == "time" for question_part in plan.parts)
    return QuotedAnswer(
        "\n".join(line_of(candidate.turn, excerpt(candidate)) for candidate in quotations),
        right,
        evidence=ids,
        value=_day(sources, best) if asks_time else None,
    )


def best_of(candidates: Sequence[Candidate], scores: Values) -> list[Candidate]:
    """Return the turns to quote, best first; of those that say the same the best one."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    candidate_of_stems: dict[frozenset[str], Candidate] = {}
    for index in order:
        if scores[index] < scores[order[0]] - _MAX_SCORE_GAP or len(candidate_of_stems) == _MAX_QUOTATIONS:
            break
        candidate_of_stems.setdefault(frozenset(stems(candidates[index].turn.text)), candidates[index])
    return list(candidate_of_stems.values())


def _with_own_words(candidates: Sequence[Candidate], scores: Values, ranks: Mapping[str, Authority]) -> list[Candidate]:
    """Return the turns to quote; if one by the person asked about is near enough, it is among them.

    Repetitions by others do not crowd it out.
    """
    best = best_of(candidates, scores)
    own_words = [candidate for candidate in candidates if ranks[candidate.turn.id] is Authority.OWN]
    nearest = max(own_words, key=lambda candidate: candidate.similarity, default=None)
    if nearest is None or any(ranks[candidate.turn.id] is Authority.OWN for candidate in best):
        return best
    is_near = nearest.similarity >= max(candidate.similarity for candidate in best) - _MAX_SIMILARITY_GAP
    return [*best[: _MAX_QUOTATIONS - 1], nearest] if is_near else best


def _authorities(sources: Sources, query: Query, turns: Sequence[Evidence]) -> Mapping[str, Authority]:
    """Return the authority of turns by id, about the people who are asked about: all the same where nobody is."""
    people = {spelled(speaker.name) for speaker in sources.corpus.speakers if speaker.number in query.speakers}
    stored_turns = (
        sources.corpus.turns(sources.corpus.rows_of_ids([item.id for item in turns])).values() if people else ()
    )
    authority_of_id = {
        turn.id: max(authority(turn, scoped(owner_of(turn), name)) for name in people) for turn in stored_turns
    }
    return {item.id: authority_of_id.get(item.id, Authority.NOBODY) for item in turns}


def _beside_newer(newer: Mapping[str, tuple[str, float]], ids: Sequence[str]) -> bool:
    """Tell if some turn, quoted or not, is likely to be newer than a quoted one."""
    return any(turn_id in newer and newer[turn_id][1] >= weights()["told"]["newer"] for turn_id in ids)


class QuestionFit(NamedTuple):
    """Signs of a question that its answer was found.

    ``similarity_margin``: how much nearer the best turn is to it than turns in general; ``unheard``: the share of
    its words, by rarity, that no candidate has.
    """

    similarity_margin: float
    unheard: float


def question_fit(
    sources: Sources, query: Query, candidates: Sequence[Candidate], similarity_margin: float
) -> QuestionFit:
    """Return the signs of the question that its answer is among the candidates."""
    if sources.corpus.columns.alive_count <= _MIN_TURNS:
        # Among so few turns the best ones weigh in what turns are in general.
        similarity_margin = (similarity_margin + weights()["told"]["usual_above"]) / 2
    if not query.terms:
        return QuestionFit(similarity_margin, 0.0)
    rarities = np.array(sources.rarities(query.terms), np.float32)
    rows = sources.corpus.rows_of_ids([candidate.turn.id for candidate in candidates])
    unheard = ~sources.corpus.contains_terms(query.terms, rows).any(axis=1)
    return QuestionFit(similarity_margin, float(rarities @ unheard) / max(float(rarities.sum()), 1e-6))


def answer_signs(fit: QuestionFit, candidates: Sequence[Candidate], scores: Values) -> Mapping[str, float]:
    """Return the signs that the turns quoted tell what is asked, by name."""
    best = best_of(candidates, scores)
    sorted_scores = np.sort(scores)[::-1]
    return {
        "bias": 1.0,
        "near": max(candidate.similarity for candidate in best),
        "best": float(sorted_scores[0]),
        "lead": _lead(sorted_scores),
        "above": fit.similarity_margin,
        "unheard": fit.unheard,
    }


def _lead(sorted_scores: Values) -> float:
    """Return how far the best score is above the sixth; with fewer scores, half of that is the usual lead."""
    usual = weights()["told"]["usual_lead"]
    if len(sorted_scores) > _SIXTH:
        return float(sorted_scores[0] - sorted_scores[_SIXTH])
    return (float(sorted_scores[0] - sorted_scores[-1]) + usual) / 2 if len(sorted_scores) > 1 else usual


def chance_of(signs: Mapping[str, float]) -> float:
    """Return the chance that the quoted turns hold the answer."""
    answer_weights = weights()["told"]
    return 1 / (1 + exp(-sum(answer_weights[name] * value for name, value in signs.items())))


def excerpt(candidate: Candidate) -> str:
    """Return a short turn whole; of a longer one its best sentence, and what follows as far as there is room."""
    if len(candidate.turn.text) <= _MAX_CHARACTERS:
        return candidate.turn.text
    index = candidate.best
    text = candidate.sentences[index]
    while (after := candidate.sentences.get(index + 1)) is not None and len(text) + len(after) < _MAX_CHARACTERS:
        text, index = f"{text} {after}", index + 1
    return text


def line_of(turn: Evidence, text: str) -> str:
    """Return a quotation as a line: who said it, when, and the words."""
    speaker = f"{turn.speaker}, " if turn.speaker else ""
    return f"{speaker}{turn.when.day} {MONTHS[turn.when.month - 1]} {turn.when.year}: \u201c{on_one_line(text)}\u201d"


# Values.


def _from_slot(sources: Sources, query: Query, candidates: Sequence[Candidate], scores: Values) -> QuotedAnswer | None:
    """Return the sentence that gives the typed slot that is asked for, of the one person asked about, or None."""
    slot_notes = _slot_notes(sources, query)
    own_notes = (note for note in slot_notes if sources.derived.authority(note) is Authority.OWN)
    notes = [note for note in present(sources, query, own_notes) if note.positive]
    turns = sources.text_writer.turns([note.turn for note in notes])
    newest = sorted((note for note in notes if note.turn in turns), key=lambda note: note.number, reverse=True)[
        :_MAX_QUOTATIONS
    ]
    if not newest:
        return None
    items = [turn_evidence(turns[note.turn], 0.0, Why((SLOT,), {})) for note in newest]
    lines = [line_of(item, note.text) for item, note in zip(items, newest, strict=True)]
    states = note_states_of(sources, query)
    # What gave another value of the slot was weighed when the notes were, or by a person.
    stating_ids = {
        turn.id
        for turn in sources.text_writer.turns(
            [seq for note in slot_notes for seq in states.state_of(note).turns]
        ).values()
    }
    other_candidates = [
        (candidate, score)
        for candidate, score in zip(candidates, scores, strict=True)
        if candidate.turn.id not in stating_ids
    ]
    if newest[0].slot in SINGLE_SLOTS and (later := _later_than(items[0], candidates, other_candidates)) is not None:
        # It may tell another value in words that give no slot.
        items, lines = (
            [later.turn, *items][:_MAX_QUOTATIONS],
            [line_of(later.turn, excerpt(later)), *lines][:_MAX_QUOTATIONS],
        )
        return QuotedAnswer("\n".join(lines), _BESIDE_NEWER, evidence=_ids(items))
    value = ", ".join(dict.fromkeys(note.value for note in newest))
    return QuotedAnswer("\n".join(lines), _OF_A_SLOT, evidence=_ids(items), value=value)


def _slot_notes(sources: Sources, query: Query) -> list[KeptNote]:
    """Return the notes of the slot and the one person that a question asks for, whether or not they hold now."""
    lexicon = sources.analyst.lexicon
    slot = lexicon.asked_slot(query.text)
    people = [speaker for speaker in sources.corpus.speakers if speaker.number in query.speakers]
    if slot is None or len(people) != 1 or time_of_question(lexicon, query).past:
        return []
    owners = [scoped(owner, people[0].name) for owner in dict.fromkeys((query.user or "", COMMON))]
    return [note for subject in owners for note in sources.derived.notes.of_subject(subject, slot)]


def _later_than(
    item: Evidence, candidates: Sequence[Candidate], other_candidates: Sequence[tuple[Candidate, float]]
) -> Candidate | None:
    """Return, of other candidates, the best that the turn's speaker said later and that is about as similar."""
    similarities = [candidate.similarity for candidate in candidates if candidate.turn.id == item.id] or [
        candidate.similarity for candidate in candidates
    ]
    later = [
        (float(score), index)
        for index, (candidate, score) in enumerate(other_candidates)
        if candidate.turn.when > item.when
        and candidate.turn.speaker == item.speaker
        and candidate.similarity >= max(similarities) - _MAX_SIMILARITY_GAP
    ]
    return other_candidates[max(later)[1]][0] if later else None


def _ids(items: Sequence[Evidence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.id for item in items))


def _day(sources: Sources, quotations: Sequence[Candidate]) -> str | None:
    """Return the day of the first quoted turn that tells any; None if that turn tells several."""
    rows = sources.corpus.rows_of_ids([candidate.turn.id for candidate in quotations])
    for seq in sources.corpus.columns.seq[rows[rows >= 0]].tolist():
        events = sources.derived.events.of_turn(seq)
        days = {from_stored(event.start * _SECOND, event.offset).date() for event in events if event.start is not None}
        if days:
            # A turn that tells of several days may mean any of them.
            return days.pop().isoformat() if len(days) == 1 else None
    return None
