"""Turns that may answer a question, with signs of how likely they do.

Scored by a few signs are the best turns found, and the later turns that are most like the first of them. The weights,
of ``quoting.json``, are those that ``benchmarks/train_quotes.py`` fits to labelled chats.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from math import exp, log1p
from typing import Final, NamedTuple

import numpy as np

from hmem.corpus.index.marks import asks
from hmem.corpus.index.rows import Rows, Values
from hmem.language.analyzer import stems
from hmem.language.containment import Fault, contained
from hmem.model.evidence import Evidence, Why
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.later import Later, later_turns, of_people
from hmem.retrieval.newer import NAME
from hmem.retrieval.plan import Query
from hmem.retrieval.relevance import similarity
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import time_of_question

FILE: Final = "quoting.json"
# Signs that a turn tells what is asked.
SIGNS: Final = ("near", "turn", "rank", "person", "late", "late_past", "asks", "newer")

# Number of the best turns that are candidates, and of those among them for which later turns are looked up.
_TURNS: Final = 12
_FOLLOWED: Final = 3
# What a later turn counts less for each turn that ranks before the one that it follows.
_FALL: Final = 0.3
# Sentences of a turn that are compared.
_SENTENCES: Final = 12


class Candidate(NamedTuple):
    """Turn with its sentences by place, the place of the one that is most like the question, and its signs."""

    turn: Evidence
    sentences: Mapping[int, str]
    best: int
    signs: tuple[float, ...]

    @property
    def similarity(self) -> float:
        """Similarity of its best sentence to the question, on the common scale."""
        return self.signs[0]


class Candidates(NamedTuple):
    """Candidates by rank; ``newer`` maps ids of the first ones to the likeliest newer turn and its chance."""

    entries: list[Candidate]
    newer: Mapping[str, tuple[str, float]]


def candidates_of(sources: Sources, query: Query, evidence: Sequence[Evidence]) -> Candidates:
    """Return the candidates among the turns found, best first. Call it inside ``corpus.reading()``."""
    turns = _first(query, [item for item in evidence if item.kind == "turn" and _tells(sources, item.text)], sources)
    later = _followed(sources, query, turns)
    later_items = [
        item for item in _later_evidence(sources, later, {item.id for item in turns}) if _tells(sources, item.text)
    ]
    turns += later_items
    rows = sources.corpus.rows_of_ids([item.id for item in turns])
    newer = _newness(later)
    ids = {row: item.id for row, item in zip(rows.tolist(), turns, strict=True)}
    likeliest_later = {
        turn_id: (ids[row], chance) for turn_id, (row, chance) in _likeliest(later).items() if row in ids
    }
    signs = _signs(sources, query, rows, len(turns) - len(later_items), newer)
    split = _sentences(sources, query, turns, rows)
    candidates: list[Candidate] = []
    for index, (item, sentences) in enumerate(zip(turns, split, strict=True)):
        best = max(sentences, key=lambda number: sentences[number][1], default=0)
        text, closeness = sentences.get(best, (item.text, 0.0))
        turn_signs = {**signs[index], "near": closeness, "asks": float(asks(text))}
        texts = {number: sentence for number, (sentence, _) in sentences.items()} or {0: item.text}
        candidates.append(Candidate(item, texts, best, tuple(turn_signs[name] for name in SIGNS)))
    return Candidates(candidates, likeliest_later)


def _first(query: Query, turns: Sequence[Evidence], sources: Sources) -> list[Evidence]:
    """Return the best turns, and the best one of who is asked about, if others crowd it out."""
    people = {speaker.name for speaker in sources.corpus.speakers if speaker.number in query.speakers}
    first, own_turn = list(turns[:_TURNS]), next((item for item in turns if item.speaker in people), None)
    return first if own_turn is None or own_turn in first else [*first, own_turn]


def scores_of(candidates: Sequence[Candidate]) -> Values:
    """Return the worth of each candidate."""
    signs = np.array([candidate.signs for candidate in candidates], np.float32).reshape(-1, len(SIGNS))
    turn_weights = weights()["turn"]
    return signs @ np.array([turn_weights[name] for name in SIGNS], np.float32)


@lru_cache(maxsize=1)
def weights() -> Mapping[str, Mapping[str, float]]:
    """Return the weights that ship with the package."""
    return json.loads((files("hmem.retrieval.answer") / FILE).read_text("utf-8"))


def _tells(sources: Sources, text: str) -> bool:
    """Tell if a text states anything: questions alone tell nothing."""
    return not all(asks(sentence.text) for sentence in sources.analyst.lexicon.split(text))


# What came later.


def _followed(sources: Sources, query: Query, turns: Sequence[Evidence]) -> dict[str, list[Later]]:
    """Return later turns of people about the same matter, by the ids of the first turns that people said."""
    rows = sources.corpus.rows_of_ids([item.id for item in turns])
    people = of_people(sources)
    first = [(item.id, row) for item, row in zip(turns, rows.tolist(), strict=True) if row >= 0 and people[row]]
    first = first[:_FOLLOWED]
    turn_of_row = sources.corpus.turns(np.array([row for _, row in first], np.int64))
    later = dict(zip(turn_of_row, later_turns(sources, query, turn_of_row), strict=True))
    return {turn_id: later[row] for turn_id, row in first if row in later}


def _likeliest(later: Mapping[str, list[Later]]) -> dict[str, tuple[int, float]]:
    return {turn_id: (followers[0].row, followers[0].chance) for turn_id, followers in later.items() if followers}


def _newness(later: Mapping[str, list[Later]]) -> dict[int, float]:
    """Return the chance of each row to be newer than a first turn; 1 for the likeliest one of the best turn."""
    newness: dict[int, float] = {}
    for rank, followers in enumerate(later.values()):
        for follower in followers:
            newness[follower.row] = max(
                newness.get(follower.row, 0.0), exp(follower.worth - followers[0].worth - _FALL * rank)
            )
    return newness


def _later_evidence(sources: Sources, later: Mapping[str, list[Later]], known_ids: set[str]) -> list[Evidence]:
    """Return the likeliest later turns that are no candidates yet."""
    rows = dict.fromkeys(row for row, _ in _likeliest(later).values())
    turns = sources.corpus.turns(np.array(list(rows), np.int64))
    new_turns = [turns[row] for row in rows if row in turns]
    new_turns = [turn for turn in new_turns if turn.id not in known_ids and _tells(sources, turn.text)]
    return [turn_evidence(turn, 0.0, Why((NAME,), {})) for turn in new_turns]


# Signs.


def _signs(
    sources: Sources, query: Query, rows: Rows, found_count: int, newer: Mapping[int, float]
) -> list[dict[str, float]]:
    """Return the signs of whole turns by row; the rank counts up to ``found_count``."""
    if not len(rows):
        return []
    corpus, question = sources.corpus, time_of_question(sources.analyst.lexicon, query)
    past = float(question.past or question.tense.past)
    similarities = similarity(sources, corpus.vectors_at(np.maximum(rows, 0)) @ query.vector)
    said_times = corpus.columns.said
    span = np.array([said_times[corpus.columns.alive].min(), said_times[corpus.columns.alive].max()])
    late = (said_times[rows] - span[0]) / max(int(span[1] - span[0]), 1)
    people = of_people(sources)[rows]
    return [
        {
            "turn": float(similarities[index]),
            "rank": log1p(min(index, found_count)),
            "person": float(people[index]),
            "late": float(late[index]),
            "late_past": float(late[index]) * past,
            "newer": newer.get(row, 0.0) * (1 - past),
        }
        for index, row in enumerate(rows.tolist())
    ]


def _sentences(
    sources: Sources, query: Query, turns: Sequence[Evidence], rows: Rows
) -> list[dict[int, tuple[str, float]]]:
    """Return the sentences of each turn by their place, with their similarity to the question.

    Of many, those that share most words with the question. The vectors of memorable sentences are those that were kept.
    """
    texts = [
        _most_alike(query, [sentence.text for sentence in sources.analyst.lexicon.split(item.text)]) for item in turns
    ]
    if sources.embedder_unavailable:
        return [{number: (text, 0.0) for number, text in sentence_of_number.items()} for sentence_of_number in texts]
    sentences: list[dict[int, tuple[str, float]]] = []
    for item, numbered_sentences, row in zip(turns, texts, rows.tolist(), strict=True):
        vector_of_text = _kept_vectors(sources, row)
        missing = [text for text in numbered_sentences.values() if text not in vector_of_text]
        if missing:
            vector_of_text |= zip(missing, _embedded(sources, item, missing), strict=True)
        vectors = np.array([vector_of_text[text] for text in numbered_sentences.values()], np.float32).reshape(
            len(numbered_sentences), -1
        )
        likes: list[float] = similarity(sources, vectors @ query.vector).tolist() if numbered_sentences else []
        sentences.append(
            {number: (numbered_sentences[number], like) for number, like in zip(numbered_sentences, likes, strict=True)}
        )
    return sentences


def _kept_vectors(sources: Sources, row: int) -> dict[str, Values]:
    """Return the vectors of a turn's events by their text, where the recipe forms them."""
    events = sources.derived.events.of_turn(int(sources.corpus.columns.seq[row])) if row >= 0 else ()
    vectors = sources.derived.vectors_of_events([event.number for event in events]) if events else ()
    return dict(zip((event.text for event in events), vectors, strict=True))


def _embedded(sources: Sources, item: Evidence, texts: Sequence[str]) -> Values:
    """Return the vectors of some sentences within their turn, zeros if the embedder cannot read it."""
    turn_text = f"{item.speaker}: {item.text}"
    starts = [max(turn_text.find(text), 0) for text in texts]
    spans = [[(start, start + len(text)) for start, text in zip(starts, texts, strict=True)]]
    embedder = sources.corpus.embedder
    vectors = contained(lambda: embedder.embed_parts([turn_text], spans)[0])
    return np.zeros((len(texts), embedder.dimension), np.float32) if isinstance(vectors, Fault) else vectors


def _most_alike(query: Query, split: Sequence[str]) -> dict[int, str]:
    """Return sentences by their place; of many those that share most words with the question."""
    if len(split) > _SENTENCES:
        shared_counts = [len({*stems(sentence)}.intersection(query.terms)) for sentence in split]
        numbers = sorted(range(len(split)), key=shared_counts.__getitem__, reverse=True)[:_SENTENCES]
        return {number: split[number] for number in sorted(numbers)}
    return dict(enumerate(split))
