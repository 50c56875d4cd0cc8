"""Answers without a language model: the sentences that tell what is asked, quoted with who said them and when.

The sentences of the best turns are scored by their likeness to the question, and the best few are quoted, with what
the same matter's latest sentence is, if one came later. Nothing is said in other words, and nothing is cut out of a
sentence. A value comes from a typed slot that the question asks for, or is the day that a quoted sentence tells.
``quoting.json`` holds the weights, which ``benchmarks/train_quotes.py`` fits to labelled chats.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp, log1p
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.marks import asks
from hmem.language.analyzer import stems, words
from hmem.language.prompt_text import on_one_line
from hmem.model.evidence import Evidence, Why
from hmem.model.plan import Plan
from hmem.model.scope import COMMON, scoped
from hmem.model.span import from_stored
from hmem.retrieval.context import MONTHS
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.later import later_turns
from hmem.retrieval.plan import Query
from hmem.retrieval.relevance import similarity
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import asked_about, present

FILE: Final = "quoting.json"
NOT_TOLD: Final = "The memory does not tell."
# Signs that a sentence tells what is asked, and signs that the quoted ones do.
SENTENCE: Final = ("near", "turn", "rank", "asks", "length", "first")
TOLD: Final = ("bias", "relevance", "near", "best", "lead")
# Strategy names of what came later than another quotation, and of what gives a typed slot.
NEWER: Final = "newer"
SLOT: Final = "slot"
# Chance that the current value of a typed slot is right.
_OF_A_SLOT: Final = 0.9

# Turns and sentences of each that are compared, and the most characters of a turn that is quoted whole.
_TURNS: Final = 8
_SENTENCES: Final = 12
_WHOLE: Final = 240
# Number of turns that are quoted, and of the best ones that it is looked up for what is newer.
_QUOTED: Final = 3
_FOLLOWED: Final = 2
# What the likeliest newer turn is worth beside others.
_NEWER: Final = np.float32(0.7)
# Greatest confidence beside a later sentence on the same matter, which may say otherwise.
_BESIDE_NEWER: Final = 0.79
_SECOND: Final = 1_000_000
# Words of a sentence that count for its length.
_LONG: Final = 20

Values = NDArray[np.float32]


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


class QuotableSentence(NamedTuple):
    """Sentence of a turn: the turn's rank, the sentence's place in the turn, and its signs, in their order."""

    turn: Evidence
    rank: int
    place: int
    text: str
    signs: tuple[float, ...]


def quote(
    sources: Sources,
    query: Query,
    plan: Plan,
    found: Sequence[Evidence],
    relevance: float,
) -> QuotedAnswer:
    """Return the sentences that answer a question, from the turns found for it, best first.

    ``relevance`` is the chance that the best turn tells of it. It abstains when the chance that a quotation holds the
    answer is too low. Call it inside ``corpus.reading()``.
    """
    if (slot := _from_slot(sources, query)) is not None:
        return slot
    candidates = candidates_of(sources, query, found)
    if not candidates:
        return QuotedAnswer(NOT_TOLD, 1.0, abstained=True)
    scores = scores_of(candidates)
    best = best_turns(candidates, scores)
    right = chance_of(told_signs(candidates, scores, relevance))
    if right < _weights()["told"]["least"]:
        return QuotedAnswer(NOT_TOLD, 1 - right, abstained=True, evidence=tuple(each.turn.id for each in best))
    newer = newer_of(sources, query, [each.turn for each in best[:_FOLLOWED]])
    chosen = with_newer(sources, query, candidates, scores, newer)
    quoted = sorted(chosen, key=lambda each: each.turn.when, reverse=True)
    if any(each.turn.id in newer for each in chosen):
        right = min(right, _BESIDE_NEWER)
    texts = [excerpt(candidates, each) for each in quoted]
    return QuotedAnswer(
        "\n".join(_line(each.turn, text) for each, text in zip(quoted, texts, strict=True)),
        right,
        evidence=tuple(each.turn.id for each in chosen),
        value=_day(sources, quoted) if any(part.answer_type == "time" for part in plan.parts) else None,
    )


def _from_slot(sources: Sources, query: Query) -> QuotedAnswer | None:
    """Return the sentence that gives the typed slot that is asked for, of the one person asked about; None without."""
    slot = sources.analyst.lexicon.asked_slot(query.text)
    people = [speaker for speaker in sources.corpus.speakers if speaker.number in query.speakers]
    if slot is None or len(people) != 1:
        return None
    owners = [scoped(owner, people[0].name) for owner in ({query.user or ""} | {COMMON})]
    notes = [note for about in owners for note in sources.derived.notes.about(about, slot)]
    current = list(present(sources, query, notes))
    turns = sources.text_writer.turns([note.turn for note in current])
    told = [note for note in current if note.turn in turns and note.positive]
    if not told or asked_about(sources.analyst.lexicon, query).past:
        return None
    newest = sorted(told, key=lambda note: note.number, reverse=True)[:_QUOTED]
    items = [turn_evidence(turns[note.turn], 0.0, Why((SLOT,), {})) for note in newest]
    return QuotedAnswer(
        "\n".join(_line(item, note.text) for item, note in zip(items, newest, strict=True)),
        _OF_A_SLOT,
        evidence=tuple(dict.fromkeys(item.id for item in items)),
        value=", ".join(dict.fromkeys(note.value for note in newest)),
    )


def with_newer(
    sources: Sources, query: Query, candidates: list[QuotableSentence], scores: Values, newer: Mapping[str, Evidence]
) -> list[QuotableSentence]:
    """Return the best sentence of each turn to quote, best first; what is newer than the best is worth more.

    The turns of ``newer`` that are no candidates yet become candidates.
    """
    known = {each.turn.id for each in candidates}
    for item in newer.values():
        if item.id not in known:
            candidates += (each._replace(rank=_TURNS) for each in candidates_of(sources, query, [item], _TURNS))
    worth = scores_of(candidates) + np.where([each.turn.id in newer for each in candidates], _NEWER, np.float32(0.0))
    # The best of all stay; what is newer only comes beside them.
    first = best_turns(candidates, scores)[:_FOLLOWED]
    others = [each for each in best_turns(candidates, worth, _QUOTED + _FOLLOWED) if each not in first]
    kept = {each.turn.id for each in first}
    return [*first, *(each for each in others if each.turn.id not in kept)][:_QUOTED]


def candidates_of(sources: Sources, query: Query, found: Sequence[Evidence], behind: int = 0) -> list[QuotableSentence]:
    """Return the sentences of the best turns with their signs; ``behind`` is the number of turns that are better."""
    turns = [item for item in found if item.kind == "turn" and item.text.strip()][:_TURNS]
    rows = sources.corpus.rows_of_ids([item.id for item in turns])
    near = similarity(sources, sources.corpus.vectors_at(np.maximum(rows, 0)) @ query.vector)
    split = _sentences(sources, query, turns, rows)
    made = list[QuotableSentence]()
    for rank, (item, sentences) in enumerate(zip(turns, split, strict=True)):
        for place, (text, likeness) in sentences.items():
            length = min(len(words(text)), _LONG) / _LONG
            signs = (
                likeness,
                float(near[rank]),
                log1p(rank + behind),
                float(asks(text)),
                length,
                float(place == 0),
            )
            made.append(QuotableSentence(item, rank, place, text, signs))
    return made


def _sentences(
    sources: Sources, query: Query, turns: Sequence[Evidence], rows: NDArray[np.int64]
) -> list[dict[int, tuple[str, float]]]:
    """Return the sentences of each turn by their place, with their likeness to the question.

    Of many, those that share most words with the question. The vectors of memorable sentences are those that were kept.
    """
    texts = [_most_alike(query, [piece.text for piece in sources.analyst.lexicon.split(item.text)]) for item in turns]
    if sources.embedder_unavailable:
        return [{place: (text, 0.0) for place, text in own.items()} for own in texts]
    found: list[dict[int, tuple[str, float]]] = []
    for item, own, row in zip(turns, texts, rows.tolist(), strict=True):
        kept = _kept_vectors(sources, row)
        missing = [text for text in own.values() if text not in kept]
        if missing:
            kept |= zip(missing, _embedded(sources, item, missing), strict=True)
        likes = similarity(sources, np.array([kept[text] for text in own.values()], np.float32) @ query.vector)
        found.append({place: (own[place], like) for place, like in zip(own, likes.tolist(), strict=True)})
    return found


def _kept_vectors(sources: Sources, row: int) -> dict[str, Values]:
    """Return the vectors of a turn's events by their text, where the recipe forms them."""
    seq = int(sources.corpus.columns.seq[row]) if row >= 0 else -1
    events = sources.derived.events.of(seq) if row >= 0 else ()
    return dict(
        zip(
            (event.text for event in events),
            sources.derived.vectors_of_events([event.number for event in events]) if events else (),
            strict=True,
        )
    )


def _embedded(sources: Sources, item: Evidence, texts: Sequence[str]) -> Values:
    """Return the vectors of some sentences within their turn."""
    whole = f"{item.speaker}: {item.text}"
    starts = [max(whole.find(text), 0) for text in texts]
    return sources.corpus.embedder.embed_parts(
        [whole], [[(start, start + len(text)) for start, text in zip(starts, texts, strict=True)]]
    )[0]


def _most_alike(query: Query, split: Sequence[str]) -> dict[int, str]:
    """Return sentences by their place; of many those that share most words with the question."""
    if len(split) > _SENTENCES:
        shared = [len({*stems(each)}.intersection(query.terms)) for each in split]
        places = sorted(range(len(split)), key=shared.__getitem__, reverse=True)[:_SENTENCES]
        return {place: split[place] for place in sorted(places)}
    return dict(enumerate(split))


def scores_of(candidates: Sequence[QuotableSentence]) -> Values:
    """Return the worth of each sentence."""
    weights = _weights()["sentence"]
    signs = np.array([each.signs for each in candidates], np.float32)
    return signs @ np.array([weights[name] for name in SENTENCE], np.float32)


def told_signs(candidates: Sequence[QuotableSentence], scores: Values, relevance: float) -> Mapping[str, float]:
    """Return the signs that the quoted sentences tell what is asked, by name."""
    best = best_turns(candidates, scores)
    worth = [float(scores[candidates.index(each)]) for each in best]
    second = worth[1] if len(worth) > 1 else worth[0]
    return {
        "bias": 1.0,
        "relevance": relevance,
        "near": max(each.signs[0] for each in best),
        "best": worth[0],
        "lead": worth[0] - second,
    }


def chance_of(signs: Mapping[str, float]) -> float:
    """Return the chance that the quoted sentences hold the answer."""
    weights = _weights()["told"]
    return 1 / (1 + exp(-sum(weights[name] * value for name, value in signs.items())))


def best_turns(candidates: Sequence[QuotableSentence], scores: Values, count: int = _QUOTED) -> list[QuotableSentence]:
    """Return the best sentence of each of the best turns, best first."""
    best: dict[str, QuotableSentence] = {}
    order: list[int] = np.argsort(-scores[: len(candidates)], kind="stable").tolist()
    for i in order:
        best.setdefault(candidates[i].turn.id, candidates[i])
        if len(best) == count:
            break
    return list(best.values())


def excerpt(candidates: Sequence[QuotableSentence], best: QuotableSentence) -> str:
    """Return a short turn whole; of a longer one its best sentence, and what follows as far as there is room."""
    if len(best.turn.text) <= _WHOLE:
        return best.turn.text
    kept, place = best.text, best.place
    for each in candidates:
        if each.turn.id == best.turn.id and each.place == place + 1:
            if len(kept) + len(each.text) >= _WHOLE:
                break
            kept, place = f"{kept} {each.text}", each.place
    return kept


def newer_of(sources: Sources, query: Query, found: Sequence[Evidence]) -> dict[str, Evidence]:
    """Return the turn that is likeliest to tell newer of each of some turns, by its id."""
    rows = sources.corpus.rows_of_ids([item.id for item in found])
    turns = sources.corpus.turns(rows[rows >= 0])
    later = [later_turns(sources, query, row, turn)[:1] for row, turn in turns.items()]
    newest = sources.corpus.turns(np.array([each.row for some in later for each in some], np.int64))
    return {turn.id: turn_evidence(turn, 0.0, Why((NEWER,), {})) for turn in newest.values()}


def _line(turn: Evidence, text: str) -> str:
    """Return a quotation as a line: who said it, when, and the words."""
    who = f"{turn.speaker}, " if turn.speaker else ""
    return f"{who}{turn.when.day} {MONTHS[turn.when.month - 1]} {turn.when.year}: \u201c{on_one_line(text)}\u201d"


def _day(sources: Sources, quoted: Sequence[QuotableSentence]) -> str | None:
    """Return the day that the first quoted turn with one tells, if it tells no other."""
    rows = sources.corpus.rows_of_ids([each.turn.id for each in quoted])
    for seq in sources.corpus.columns.seq[rows[rows >= 0]].tolist():
        events = sources.derived.events.of(seq)
        days = {from_stored(each.start * _SECOND, each.offset).date() for each in events if each.start is not None}
        if days:
            # A turn that tells of several days may mean any of them.
            return days.pop().isoformat() if len(days) == 1 else None
    return None


@lru_cache(maxsize=1)
def _weights() -> Mapping[str, Mapping[str, float]]:
    return json.loads((files("hmem.retrieval.answer") / FILE).read_text("utf-8"))
