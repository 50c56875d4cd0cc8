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
from hmem.retrieval.visibility import asked_about, note_states_of, present

NOT_TOLD: Final = "The memory does not tell."
# Signs that the quoted turns tell what is asked.
TOLD: Final = ("bias", "near", "best", "lead", "above", "unheard")
# Strategy name of what gives a typed slot.
SLOT: Final = "slot"
# Chance that the current value of a typed slot is right.
_OF_A_SLOT: Final = 0.9

# Number of turns that are quoted, at most, and the most characters of a turn that is quoted whole.
_QUOTED: Final = 3
_WHOLE: Final = 320
# How far below the best one a turn is not quoted beside it: a twentieth of its chance.
_FAR: Final = 3.0
# How much less near to the question than the sentence of a slot a later one may tell another value, and than what
# others said the own words of who is asked about.
_NEAR: Final = 0.2
# Number of turns up to which it is not known how near turns are in general.
_FEW: Final = 12
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


def quote(sources: Sources, query: Query, plan: Plan, found: Sequence[Evidence], above: float) -> QuotedAnswer:
    """Return the sentences that answer a question, from the turns found for it, best first.

    ``above`` tells how much nearer the best turn is to the question than turns are in general. It abstains when the
    chance that a quotation holds the answer is too low. Call it inside ``corpus.reading()``.
    """
    candidates = candidates_of(sources, query, found)
    if not candidates.ranked:
        return QuotedAnswer(NOT_TOLD, 1.0, abstained=True)
    scores = scores_of(candidates.ranked)
    ranks = _authorities(sources, query, [each.turn for each in candidates.ranked])
    best = _with_own_words(candidates.ranked, scores, ranks)
    if (slot := _from_slot(sources, query, candidates.ranked, scores)) is not None:
        return slot
    ids = tuple(each.turn.id for each in best)
    right = chance_of(told_signs(asked_of(sources, query, candidates.ranked, above), candidates.ranked, scores))
    if right < weights()["told"]["least"]:
        return QuotedAnswer(NOT_TOLD, 1 - right, abstained=True, evidence=ids)
    quoted = sorted(best, key=lambda each: (ranks[each.turn.id], each.turn.when), reverse=True)
    if quoted[0] is not best[0] or _beside_newer(candidates.newer, ids):
        right = min(right, _BESIDE_NEWER)
    asks_time = any(part.answer_type == "time" for part in plan.parts)
    return QuotedAnswer(
        "\n".join(line_of(each.turn, excerpt(each)) for each in quoted),
        right,
        evidence=ids,
        value=_day(sources, best) if asks_time else None,
    )


def best_of(candidates: Sequence[Candidate], scores: Values) -> list[Candidate]:
    """Return the turns to quote, best first; of those that say the same the best one."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    kept: dict[frozenset[str], Candidate] = {}
    for place in order:
        if scores[place] < scores[order[0]] - _FAR or len(kept) == _QUOTED:
            break
        kept.setdefault(frozenset(stems(candidates[place].turn.text)), candidates[place])
    return list(kept.values())


def _with_own_words(candidates: Sequence[Candidate], scores: Values, ranks: Mapping[str, Authority]) -> list[Candidate]:
    """Return the turns to quote, one in the own words of who is asked about among them, if one is near enough.

    However often others repeat something, they do not keep it out.
    """
    best = best_of(candidates, scores)
    own = [each for each in candidates if ranks[each.turn.id] is Authority.OWN]
    nearest = max(own, key=lambda each: each.near, default=None)
    if nearest is None or any(ranks[each.turn.id] is Authority.OWN for each in best):
        return best
    near = nearest.near >= max(each.near for each in best) - _NEAR
    return [*best[: _QUOTED - 1], nearest] if near else best


def _authorities(sources: Sources, query: Query, turns: Sequence[Evidence]) -> Mapping[str, Authority]:
    """Return the authority of turns by id, about the people who are asked about: all the same where nobody is."""
    people = {spelled(each.name) for each in sources.corpus.speakers if each.number in query.speakers}
    kept = sources.corpus.turns(sources.corpus.rows_of_ids([each.id for each in turns])).values() if people else ()
    known = {turn.id: max(authority(turn, scoped(owner_of(turn), name)) for name in people) for turn in kept}
    return {each.id: known.get(each.id, Authority.NOBODY) for each in turns}


def _beside_newer(newer: Mapping[str, tuple[str, float]], ids: Sequence[str]) -> bool:
    """Tell if something that is likely to be newer than what is quoted exists, whether it is quoted or not."""
    return any(each in newer and newer[each][1] >= weights()["told"]["newer"] for each in ids)


class QuestionFit(NamedTuple):
    """Signs of a question that its answer was found.

    ``above``: how much nearer the best turn is to it than turns are in general; ``unheard``: the share of its words, by
    rarity, that no candidate has.
    """

    above: float
    unheard: float


def asked_of(sources: Sources, query: Query, candidates: Sequence[Candidate], above: float) -> QuestionFit:
    """Return what of a question tells if its answer is among the candidates."""
    if sources.corpus.columns.alive_count <= _FEW:
        # Among so few turns the best ones weigh in what turns are in general.
        above = (above + weights()["told"]["usual_above"]) / 2
    if not query.terms:
        return QuestionFit(above, 0.0)
    rarities = np.array(sources.rarities(query.terms), np.float32)
    rows = sources.corpus.rows_of_ids([each.turn.id for each in candidates])
    unheard = ~sources.corpus.having(query.terms, rows).any(axis=1)
    return QuestionFit(above, float(rarities @ unheard) / max(float(rarities.sum()), 1e-6))


def told_signs(asked: QuestionFit, candidates: Sequence[Candidate], scores: Values) -> Mapping[str, float]:
    """Return the signs that the turns quoted tell what is asked, by name."""
    best = best_of(candidates, scores)
    ordered = np.sort(scores)[::-1]
    return {
        "bias": 1.0,
        "near": max(each.near for each in best),
        "best": float(ordered[0]),
        "lead": _lead(ordered),
        "above": asked.above,
        "unheard": asked.unheard,
    }


def _lead(ordered: Values) -> float:
    """Return how far the best score is above the sixth; few candidates, of scores best first, tell it less."""
    usual = weights()["told"]["usual_lead"]
    if len(ordered) > _SIXTH:
        return float(ordered[0] - ordered[_SIXTH])
    return (float(ordered[0] - ordered[-1]) + usual) / 2 if len(ordered) > 1 else usual


def chance_of(signs: Mapping[str, float]) -> float:
    """Return the chance that the quoted turns hold the answer."""
    own = weights()["told"]
    return 1 / (1 + exp(-sum(own[name] * value for name, value in signs.items())))


def excerpt(candidate: Candidate) -> str:
    """Return a short turn whole; of a longer one its best sentence, and what follows as far as there is room."""
    if len(candidate.turn.text) <= _WHOLE:
        return candidate.turn.text
    place = candidate.best
    kept = candidate.sentences[place]
    while (after := candidate.sentences.get(place + 1)) is not None and len(kept) + len(after) < _WHOLE:
        kept, place = f"{kept} {after}", place + 1
    return kept


def line_of(turn: Evidence, text: str) -> str:
    """Return a quotation as a line: who said it, when, and the words."""
    who = f"{turn.speaker}, " if turn.speaker else ""
    return f"{who}{turn.when.day} {MONTHS[turn.when.month - 1]} {turn.when.year}: \u201c{on_one_line(text)}\u201d"


# Values.


def _from_slot(sources: Sources, query: Query, candidates: Sequence[Candidate], scores: Values) -> QuotedAnswer | None:
    """Return the sentence that gives the typed slot that is asked for, of the one person asked about; None without."""
    told = _slot_notes(sources, query)
    own = (note for note in told if sources.derived.authority(note) is Authority.OWN)
    notes = [note for note in present(sources, query, own) if note.positive]
    turns = sources.text_writer.turns([note.turn for note in notes])
    newest = sorted((note for note in notes if note.turn in turns), key=lambda note: note.number, reverse=True)[
        :_QUOTED
    ]
    if not newest:
        return None
    items = [turn_evidence(turns[note.turn], 0.0, Why((SLOT,), {})) for note in newest]
    lines = [line_of(item, note.text) for item, note in zip(items, newest, strict=True)]
    states = note_states_of(sources, query)
    # What gave another value of the slot was weighed when the notes were, or by a person.
    said = {
        turn.id for turn in sources.text_writer.turns([seq for note in told for seq in states.of(note).turns]).values()
    }
    others = [(each, score) for each, score in zip(candidates, scores, strict=True) if each.turn.id not in said]
    if newest[0].slot in SINGLE_SLOTS and (later := _later_than(items[0], candidates, others)) is not None:
        # It may tell another value in words that give no slot.
        items, lines = [later.turn, *items][:_QUOTED], [line_of(later.turn, excerpt(later)), *lines][:_QUOTED]
        return QuotedAnswer("\n".join(lines), _BESIDE_NEWER, evidence=_ids(items))
    value = ", ".join(dict.fromkeys(note.value for note in newest))
    return QuotedAnswer("\n".join(lines), _OF_A_SLOT, evidence=_ids(items), value=value)


def _slot_notes(sources: Sources, query: Query) -> list[KeptNote]:
    """Return the notes of the slot and the one person that a question asks for, whether or not they hold now."""
    lexicon = sources.analyst.lexicon
    slot = lexicon.asked_slot(query.text)
    people = [speaker for speaker in sources.corpus.speakers if speaker.number in query.speakers]
    if slot is None or len(people) != 1 or asked_about(lexicon, query).past:
        return []
    owners = [scoped(owner, people[0].name) for owner in dict.fromkeys((query.user or "", COMMON))]
    return [note for about in owners for note in sources.derived.notes.about(about, slot)]


def _later_than(
    item: Evidence, candidates: Sequence[Candidate], others: Sequence[tuple[Candidate, float]]
) -> Candidate | None:
    """Return what of some turns its speaker said later than a turn and tells what is asked about as likely."""
    near = [each.near for each in candidates if each.turn.id == item.id] or [each.near for each in candidates]
    later = [
        (float(score), place)
        for place, (each, score) in enumerate(others)
        if each.turn.when > item.when and each.turn.speaker == item.speaker and each.near >= max(near) - _NEAR
    ]
    return others[max(later)[1]][0] if later else None


def _ids(items: Sequence[Evidence]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.id for item in items))


def _day(sources: Sources, quoted: Sequence[Candidate]) -> str | None:
    """Return the day that the first quoted turn with one tells, if it tells no other."""
    rows = sources.corpus.rows_of_ids([each.turn.id for each in quoted])
    for seq in sources.corpus.columns.seq[rows[rows >= 0]].tolist():
        events = sources.derived.events.of(seq)
        days = {from_stored(each.start * _SECOND, each.offset).date() for each in events if each.start is not None}
        if days:
            # A turn that tells of several days may mean any of them.
            return days.pop().isoformat() if len(days) == 1 else None
    return None
