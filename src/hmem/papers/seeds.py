"""Seeds: the facts that are nearest to a question by meaning.

A fact is a turn that curation found memorable; where nothing is curated, every turn is. The search uses the vector of
the question's content words, since speakers' names and words that stand in every question pull an embedder that pools
tokens towards small talk.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.rows import Rows, Values
from hmem.derived.episodes import TurnJudgements
from hmem.language.analyst.lexicon import Lexicon
from hmem.language.analyzer import words
from hmem.papers.terms import Similarity, permitted
from hmem.retrieval.filter import speakers_of
from hmem.retrieval.plan import Query, wording
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.scoring.terms import HYBRID
from hmem.retrieval.sources import Sources

# ``meaning`` leaves out the names of speakers, so who speaks counts apart.
_BY_MEANING: Final[Mapping[str, float]] = {"semantic": 1.0, "speaker": 0.1}

# Factor of spare candidates: about half of small talk is not memorable, and a filter may leave out more.
_SPARE: Final = 4

# Number of turns up to which a memory is compared whole.
_MAX_SCANNED_TURNS: Final = 2_000

# Number of names that are compared.
_NAMES: Final = 2_000

# A run of words that begin with a capital letter, such as a name.
_CAPITALIZED: Final = re.compile(r"\b[A-Z][\w'&-]*(?: [A-Z][\w'&-]*)*")


def meaning(sources: Sources, query: Query, topic: str = "") -> Values:
    """Return the unit vector of the content words of a question, or of its topic; of all words if there are none."""
    lexicon = sources.analyst.lexicon
    content_words = wording(topic, speakers_of(sources, query.user), lexicon).words if topic else query.words
    stop_words = lexicon.stop_words
    content = [word for word in content_words if word.lower() not in stop_words and words(word)]
    if not content:
        return query.vector
    vector: Values = sources.corpus.embedder.embed_query([" ".join(content)])[0]
    return vector if vector.any() else query.vector


class Measure:
    """Similarity of facts to a question or its topic: by meaning, or hybrid, by words too."""

    def __init__(self, sources: Sources, query: Query, *, hybrid: bool, topic: str = "") -> None:
        self._sources, self._query = sources, query
        self.vector = meaning(sources, query, topic)
        if hybrid and topic:
            topic_wording = wording(topic, speakers_of(sources, query.user), sources.analyst.lexicon)
            query = replace(query, terms=topic_wording.terms, words=topic_wording.words, vector=self.vector)
        self._similarity = Similarity(sources, query, hybrid=True) if hybrid else None
        self.weights: Mapping[str, float] = HYBRID if hybrid else _BY_MEANING

    def facts(self, limit: int) -> Rows:
        """Return the rows of at most ``limit`` allowed facts, the most similar first."""
        if self._similarity is None:
            return facts_near(self._sources, self._query, self.vector, limit)
        similarity = self._similarity
        return _first_facts(self._sources, limit, lambda count: similarity.best(similarity.candidates(count), count))

    def terms(self, rows: Rows) -> dict[str, Values]:
        """Return the value of each row for each term of ``weights``."""
        if self._similarity is not None:
            return self._similarity.terms(rows)
        corpus = self._sources.corpus
        speaker = speaker_agreement(corpus.columns.speaker[rows], self._query)
        return {"semantic": cosines_of(corpus, self.vector, rows), "speaker": speaker}

    def similarities(self, rows: Rows) -> Values:
        """Return the similarity of each row: the weighted sum of its terms."""
        return weighted_sum(self.terms(rows), self.weights)


def facts_near(sources: Sources, query: Query, vector: Values, limit: int) -> Rows:
    """Return the rows of at most ``limit`` allowed facts, the most similar to a vector first."""
    return _first_facts(sources, limit, lambda count: _nearest(sources.corpus, query, vector, count))


def _nearest(corpus: Corpus, query: Query, vector: Values, limit: int) -> Rows:
    nearest = corpus.nearest(vector, limit if len(corpus.columns) > _MAX_SCANNED_TURNS else _MAX_SCANNED_TURNS)
    rows = permitted(query, nearest)
    return rows[np.argsort(-cosines_of(corpus, vector, rows), kind="stable")[:limit]]


def _first_facts(sources: Sources, limit: int, nearest: Callable[[int], Rows]) -> Rows:
    """Return the ``limit`` nearest facts; more and more turns are looked at until there are as many."""
    corpus, count = sources.corpus, limit * _SPARE
    while True:
        rows = nearest(count)
        facts = rows[facts_among(corpus, sources.derived.judgements, rows, limit)]
        if len(facts) >= limit or count >= len(corpus.columns):
            return facts
        count *= _SPARE


def cosines_of(corpus: Corpus, vector: Values, rows: Rows) -> Values:
    """Return the cosine of each row with a vector."""
    if not len(rows):
        return np.zeros(0, np.float32)
    # One matrix product over a small memory is faster than selecting rows from it.
    if len(corpus.columns) <= _MAX_SCANNED_TURNS:
        return corpus.cosines(vector, np.arange(len(corpus.columns)))[0][rows]
    return corpus.cosines(vector, rows)[0]


def facts_among(corpus: Corpus, judgements: TurnJudgements, rows: Rows, limit: int) -> Rows:
    """Return the places of the first ``limit`` of these rows that are facts."""
    indices: list[int] = []
    for index, seq in enumerate(corpus.columns.seq[rows].tolist()):
        judgement = judgements.get(seq)
        # A turn without a judgement is not formed yet, and may be memorable.
        if judgement is None or judgement.memorable:
            indices.append(index)
            if len(indices) == limit:
                break
    return np.array(indices, np.int64)


def speaker_agreement(speakers: NDArray[np.int32], query: Query) -> Values:
    """Return 1 for each turn of a speaker whom the question names, else 0; ``meaning`` leaves names out."""
    is_speaker = np.zeros(len(speakers), np.bool_)
    for speaker in query.speakers:
        is_speaker |= speakers == speaker
    return is_speaker.astype(np.float32)


def look_up(keys: Rows, values: Values, requested: Rows) -> Values:
    """Return the value of each wanted key, or 0; keys and wanted ascend."""
    if not len(keys):
        return np.zeros(len(requested), np.float32)
    indices = np.minimum(np.searchsorted(keys, requested), len(keys) - 1)
    return np.where(keys[indices] == requested, values[indices], np.float32(0))


# Names.


def names_in(query: Query, lexicon: Lexicon) -> list[str]:
    """Return what a question may call an entity: the names in its plan, else capitalized names; then its words."""
    capitalized = [_strip_stop_words(lexicon.stop_words, match[0]) for match in _CAPITALIZED.finditer(query.text)]
    names = query.part.entities or (*query.names, *(name for name in capitalized if name))
    return list(dict.fromkeys([*names, *query.words]))


def _strip_stop_words(stop_words: frozenset[str], name: str) -> str:
    """Return a name without the stop words before it: "Did Rufus" means Rufus."""
    name_words = name.split()
    while name_words and name_words[0].lower() in stop_words:
        name_words = name_words[1:]
    return " ".join(name_words)


def names_like(sources: Sources, query: Query, vector: Values, min_similarity: float, limit: int) -> list[int]:
    """Return the entities, among those that most turns name, whose names are most similar to a vector, best first.

    ``min_similarity`` is calibrated to the common scale.
    """
    entities, rows = sources.cached(_Names(query.user))
    if not len(entities):
        return []
    cosines, calibration = rows @ vector, sources.corpus.embedder.calibration
    best = np.argsort(-cosines, kind="stable")[:limit].tolist()
    return [int(entities[index]) for index in best if calibration(float(cosines[index])) >= min_similarity]


@dataclass(frozen=True, slots=True)
class _Names:
    """Entities that most turns of an owner, or of all, name, and the vectors of the names; cached by the sources."""

    owner: str | None

    def __call__(self, sources: Sources) -> tuple[NDArray[np.int64], Values]:
        graph = sources.derived.graph
        entities = graph.salient(_NAMES, owner=self.owner)
        return np.array(entities, np.int64), sources.vectors_of_texts(list(map(graph.name, entities)))
