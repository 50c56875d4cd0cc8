"""Turns that may answer a question, with the signs that they do.

The best turns found, and what people said later that is most like one of the first, are scored by a few signs. The
weights, of ``quoting.json``, are those that ``benchmarks/train_quotes.py`` fits to labelled chats.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from math import exp, log1p
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.marks import asks
from hmem.language.analyzer import stems
from hmem.model.evidence import Evidence, Why
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.later import Later, later_turns, of_people
from hmem.retrieval.newer import NAME
from hmem.retrieval.plan import Query
from hmem.retrieval.relevance import similarity
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import asked_about

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

Rows = NDArray[np.int64]
Values = NDArray[np.float32]


class Candidate(NamedTuple):
    """Turn with its sentences by place, the place of the one that is most like the question, and its signs."""

    turn: Evidence
    sentences: Mapping[int, str]
    best: int
    signs: tuple[float, ...]

    @property
    def near(self) -> float:
        """Similarity of its best sentence to the question, on the common scale."""
        return self.signs[0]


class Candidates(NamedTuple):
    """Candidates by rank, and for the ids of the first the id and the chance of what is likeliest to be newer."""

    ranked: list[Candidate]
    newer: Mapping[str, tuple[str, float]]


def candidates_of(sources: Sources, query: Query, found: Sequence[Evidence]) -> Candidates:
    """Return the candidates among the turns found, best first. Call it inside ``corpus.reading()``."""
    turns = _first(query, [item for item in found if item.kind == "turn" and _tells(sources, item.text)], sources)
    later = _followed(sources, query, turns)
    added = [item for item in _added(sources, later, {item.id for item in turns}) if _tells(sources, item.text)]
    turns += added
    rows = sources.corpus.rows_of_ids([item.id for item in turns])
    newer = _newness(later)
    ids = {row: item.id for row, item in zip(rows.tolist(), turns, strict=True)}
    told = {of: (ids[row], chance) for of, (row, chance) in _likeliest(later).items() if row in ids}
    signs = _signs(sources, query, rows, len(turns) - len(added), newer)
    split = _sentences(sources, query, turns, rows)
    made: list[Candidate] = []
    for place, (item, sentences) in enumerate(zip(turns, split, strict=True)):
        best = max(sentences, key=lambda each: sentences[each][1], default=0)
        text, near = sentences.get(best, (item.text, 0.0))
        own = {**signs[place], "near": near, "asks": float(asks(text))}
        texts = {each: said for each, (said, _) in sentences.items()} or {0: item.text}
        made.append(Candidate(item, texts, best, tuple(own[name] for name in SIGNS)))
    return Candidates(made, told)


def _first(query: Query, turns: Sequence[Evidence], sources: Sources) -> list[Evidence]:
    """Return the best turns, and the best one of who is asked about, if others crowd it out."""
    people = {each.name for each in sources.corpus.speakers if each.number in query.speakers}
    first, own = list(turns[:_TURNS]), next((item for item in turns if item.speaker in people), None)
    return first if own is None or own in first else [*first, own]


def scores_of(candidates: Sequence[Candidate]) -> Values:
    """Return the worth of each candidate."""
    signs = np.array([each.signs for each in candidates], np.float32).reshape(-1, len(SIGNS))
    own = weights()["turn"]
    return signs @ np.array([own[name] for name in SIGNS], np.float32)


@lru_cache(maxsize=1)
def weights() -> Mapping[str, Mapping[str, float]]:
    """Return the weights that ship with the package."""
    return json.loads((files("hmem.retrieval.answer") / FILE).read_text("utf-8"))


def _tells(sources: Sources, text: str) -> bool:
    """Tell if a text states anything: questions alone tell nothing."""
    return not all(asks(piece.text) for piece in sources.analyst.lexicon.split(text))


# What came later.


def _followed(sources: Sources, query: Query, turns: Sequence[Evidence]) -> dict[str, list[Later]]:
    """Return what people said later about the same as the first turns of people, by the ids of these."""
    rows = sources.corpus.rows_of_ids([item.id for item in turns])
    people = of_people(sources)
    first = [(item.id, row) for item, row in zip(turns, rows.tolist(), strict=True) if row >= 0 and people[row]]
    first = first[:_FOLLOWED]
    kept = sources.corpus.turns(np.array([row for _, row in first], np.int64))
    return {each: later_turns(sources, query, row, kept[row]) for each, row in first if row in kept}


def _likeliest(later: Mapping[str, list[Later]]) -> dict[str, tuple[int, float]]:
    return {each: (some[0].row, some[0].chance) for each, some in later.items() if some}


def _newness(later: Mapping[str, list[Later]]) -> dict[int, float]:
    """Return how likely rows are to be newer than one of the first turns: 1 for the likeliest of the best one."""
    found: dict[int, float] = {}
    for rank, some in enumerate(later.values()):
        for each in some:
            found[each.row] = max(found.get(each.row, 0.0), exp(each.worth - some[0].worth - _FALL * rank))
    return found


def _added(sources: Sources, later: Mapping[str, list[Later]], known: set[str]) -> list[Evidence]:
    """Return the likeliest later turns that are no candidates yet."""
    rows = dict.fromkeys(row for row, _ in _likeliest(later).values())
    turns = sources.corpus.turns(np.array(list(rows), np.int64))
    wanted = [turns[row] for row in rows if row in turns]
    wanted = [turn for turn in wanted if turn.id not in known and _tells(sources, turn.text)]
    return [turn_evidence(turn, 0.0, Why((NAME,), {})) for turn in wanted]


# Signs.


def _signs(
    sources: Sources, query: Query, rows: Rows, found: int, newer: Mapping[int, float]
) -> list[dict[str, float]]:
    """Return the signs of whole turns by row; of ``found`` ones the rank counts, the others come behind them."""
    if not len(rows):
        return []
    corpus, asked = sources.corpus, asked_about(sources.analyst.lexicon, query)
    past = float(asked.past or asked.tense.was)
    near = similarity(sources, corpus.vectors_at(np.maximum(rows, 0)) @ query.vector)
    said = corpus.columns.said
    span = np.array([said[corpus.columns.alive].min(), said[corpus.columns.alive].max()])
    late = (said[rows] - span[0]) / max(int(span[1] - span[0]), 1)
    people = of_people(sources)[rows]
    return [
        {
            "turn": float(near[place]),
            "rank": log1p(min(place, found)),
            "person": float(people[place]),
            "late": float(late[place]),
            "late_past": float(late[place]) * past,
            "newer": newer.get(row, 0.0) * (1 - past),
        }
        for place, row in enumerate(rows.tolist())
    ]


def _sentences(
    sources: Sources, query: Query, turns: Sequence[Evidence], rows: Rows
) -> list[dict[int, tuple[str, float]]]:
    """Return the sentences of each turn by their place, with their similarity to the question.

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
        vectors = np.array([kept[text] for text in own.values()], np.float32).reshape(len(own), -1)
        likes: list[float] = similarity(sources, vectors @ query.vector).tolist() if own else []
        found.append({place: (own[place], like) for place, like in zip(own, likes, strict=True)})
    return found


def _kept_vectors(sources: Sources, row: int) -> dict[str, Values]:
    """Return the vectors of a turn's events by their text, where the recipe forms them."""
    events = sources.derived.events.of(int(sources.corpus.columns.seq[row])) if row >= 0 else ()
    vectors = sources.derived.vectors_of_events([event.number for event in events]) if events else ()
    return dict(zip((event.text for event in events), vectors, strict=True))


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
