"""Best-effort recall: notes first, their episodes only if the notes do not suffice (HiMem, best-effort recall).

The notes nearest to the question are read first. If they do not suffice, their links lead to the episodes they come
from, whose turns are ranked by similarity to the question. If no note is relevant, the episodes are found directly, by
their best turns. A model that answers says if the notes suffice; without one the episodes are read in any case, unless
a check by rules, of coverage, specificity and recency, is let decide.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import Any, Final, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.embedding import vectors_of_texts
from hmem.derived.episodes import EpisodeRun
from hmem.derived.notes import KeptNote
from hmem.language.analyst.base import Excerpt
from hmem.language.analyzer import stems
from hmem.language.embed import Embedder
from hmem.language.tokens import count_tokens
from hmem.model.plan import Sufficiency
from hmem.model.span import from_stored
from hmem.papers.terms import Similarity, permitted
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import FoundPiece, Rows, Scored, Values
from hmem.retrieval.visibility import present

NAME: Final = "best_effort"

_NONE: Final[Rows] = np.zeros(0, np.int64)

# Number of turns whose tokens are counted at a time: the first few dozen fill the budget.
_AT_ONCE: Final = 24

# Number of newest notes of a slot that are searched for repetitions of a note.
_RETOLD: Final = 32

# Candidates per wanted note, before those that the question may not find are dropped.
_AMONG: Final = 6

# Number of nearest turns from which the best by all terms are chosen.
_LISTED: Final = 100

# The matrix is rebuilt when less than this share of its notes is left.
_LEAST_LIVING: Final = 0.5


@dataclass(frozen=True, slots=True)
class BestEffortOptions:
    """Options of best-effort recall; ``notes`` and ``episodes_per_note`` are HiMem's.

    ``notes_first`` lets the check by rules end the search; ``threshold`` is the chance that the notes hold the answer
    from which on they suffice for it. HiMem's 0.85 is of a model's confidence; by rules hardly any question reaches it,
    and at 0.5 a third of the simple ones do (decision 0053). ``use_notes``, ``use_episodes`` and ``hierarchy`` off are
    the paper's ablations: episodes only, notes only, and notes beside turns without links between them.

    A note is relevant from the score ``relevant`` on. A question without one is answered from the episodes of its
    ``direct`` nearest turns; with ``nearest_episodes``, which is ours, those are added wherever the notes do not
    suffice, since links lead only as far as notes were made. ``similarity`` of turns is hybrid, by words too, or
    semantic, as in the paper; ``lexical_weight`` and ``subject_weight`` are what a note gains by the question's words
    and by being about one who is named, ``note_weight`` what a turn gains by a note that was found.
    """

    notes: int = 5
    threshold: float = 0.5
    episodes_per_note: int = 3
    tokens: int = 1_272
    notes_first: bool = False
    use_notes: bool = True
    use_episodes: bool = True
    hierarchy: bool = True
    relevant: float = 0.6
    direct: int = 10
    nearest_episodes: bool = True
    similarity: Literal["semantic", "hybrid"] = "hybrid"
    lexical_weight: float = 1.0
    subject_weight: float = 0.3
    note_weight: float = 0.5


class _Note(NamedTuple):
    """Note that was found, with the row of its turn and its score."""

    note: KeptNote
    row: int
    score: float


def best_effort(sources: Sources, query: Query, options: BestEffortOptions) -> Scored:
    """Return the notes and episodes found, and their turns. Call it inside ``corpus.reading()``."""
    if sources not in _CACHES:
        _CACHES[sources] = _Cache(sources.corpus.embedder)
    found = _notes(sources, query, options) if options.use_notes else []
    check = _sufficiency(sources, query, found) if found and query.levels is None else None
    enough = check is not None and check.confidence >= options.threshold
    linked = options.use_episodes and options.hierarchy
    shallow = linked and bool(found) and query.levels == 1
    stops = shallow or (linked and enough and options.notes_first)
    similarity = Similarity(sources, query, hybrid=options.similarity == "hybrid")
    runs = _episodes(sources, found, similarity, options) if linked and not stops else []
    scored, used = _ranked(sources, query, found, runs, similarity, options)
    pieces = [FoundPiece("note", each.note.number, each.score, (each.note.turn,)) for each in found]
    pieces += _episode_pieces(sources, scored, runs)
    story = {
        "ended in": "notes" if stops else "episodes" if runs else "nothing more",
        "sufficient": enough,
        "notes": len(found),
        "episodes": len(runs),
        "direct": bool(runs) and not found,
        "tokens": used,
        **_sufficiency_story(check),
    }
    sizes = {"notes": len(found), "episodes": len(runs), "turns": len(scored.rows)}
    return Scored(
        NAME, scored.rows, scored.scores, scored.terms, scored.weights, sizes, tuple(pieces), story, shallow,
    )  # fmt: skip


def _sufficiency_story(check: Sufficiency | None) -> dict[str, Any]:
    if check is None:
        return {}
    return {
        "confidence": check.confidence,
        "coverage": check.coverage,
        "specificity": check.specificity,
        "recency": check.recency,
        "lacking": list(check.lacking),
    }


def _sufficiency(sources: Sources, query: Query, found: list[_Note]) -> Sufficiency:
    """Return the check of whether the notes suffice."""
    said = sources.corpus.columns.said[[each.row for each in found]].tolist()
    lines = [
        Excerpt(each.note.text, each.note.subject, from_stored(moment, 0))
        for each, moment in zip(found, said, strict=True)
    ]
    return sources.analyst.sufficiency(query.part, lines, query.asked, notes=True)


# Episodes.


def _runs(sources: Sources) -> dict[int, EpisodeRun]:
    """Return the episodes by their first turns."""
    return {run.turns[0]: run for run in sources.episodes.runs}


def _runs_of(sources: Sources, groups: Iterable[Iterable[int]], most: int) -> list[EpisodeRun]:
    """Return the episodes of groups of turns, each once, at most ``most`` per group."""
    runs, first_of = sources.cached(_runs), sources.episodes.first_of
    found: dict[int, EpisodeRun] = {}
    for group in groups:
        firsts = [first for first in dict.fromkeys(map(first_of, group)) if first is not None]
        found |= {first: runs[first] for first in firsts[:most]}
    return list(found.values())


def _episodes(
    sources: Sources, found: list[_Note], similarity: Similarity, options: BestEffortOptions
) -> list[EpisodeRun]:
    """Return the episodes that the notes link to, and those of the nearest turns, if needed or wanted."""
    linked = _linked(sources, found, options)
    if linked and not options.nearest_episodes:
        return linked
    known = {run.turns[0] for run in linked}
    direct = _direct(sources, similarity, options)
    return linked + [run for run in direct if run.turns[0] not in known]


def _linked(sources: Sources, found: list[_Note], options: BestEffortOptions) -> list[EpisodeRun]:
    """Return the episodes that the notes come from, and those where the same was said before or after."""
    notes = sources.derived.notes
    groups: list[list[int]] = []
    for note in (each.note for each in found):
        value = set(stems(note.value))
        again = [
            other.turn
            for other in notes.about(note.about, note.slot)[: -_RETOLD - 1 : -1]
            if not value.isdisjoint(stems(other.value))
        ]
        groups.append([note.turn, *again])
    return _runs_of(sources, groups, options.episodes_per_note)


def _direct(sources: Sources, similarity: Similarity, options: BestEffortOptions) -> list[EpisodeRun]:
    """Return the episodes of the turns nearest to the question."""
    best = similarity.best(similarity.candidates(max(options.direct, _LISTED)), options.direct)
    return _runs_of(sources, [sources.corpus.columns.seq[best].tolist()], options.direct)


def _episode_pieces(sources: Sources, scored: "_Ranked", runs: list[EpisodeRun]) -> list[FoundPiece]:
    """Return the episodes with a ranked turn, best first, each with the score of its best turn."""
    scores = dict(zip(sources.corpus.columns.seq[scored.rows].tolist(), scored.scores.tolist(), strict=True))
    inside = [(run, [seq for seq in run.turns if seq in scores]) for run in runs]
    pieces = [
        FoundPiece("episode", run.turns[0], max(scores[seq] for seq in seqs), tuple(seqs))
        for run, seqs in inside
        if seqs
    ]
    return sorted(pieces, key=lambda piece: -piece.score)


# Turns.


class _Ranked(NamedTuple):
    rows: Rows
    scores: Values
    terms: Mapping[str, Values]
    weights: Mapping[str, float]


def _ranked(
    sources: Sources, query: Query, found: list[_Note], runs: list[EpisodeRun], similarity: Similarity,
    options: BestEffortOptions,
) -> tuple[_Ranked, int]:  # fmt: skip
    """Return the turns of notes and episodes, best first, within the budget, and the tokens used with the notes."""
    corpus = sources.corpus
    of_runs = corpus.columns.rows_of([seq for run in runs for seq in run.turns])
    own = np.array([each.row for each in found], np.int64)
    rows = np.union1d(own, permitted(query, of_runs[of_runs >= 0]))
    if not options.hierarchy:
        own, found, rows = _NONE, [], similarity.best(similarity.candidates(_LISTED), _LISTED)
    noted = np.zeros(len(rows), np.float32)
    np.maximum.at(noted, np.searchsorted(rows, own), np.array([each.score for each in found], np.float32))
    terms = {**similarity.terms(rows), "note": noted}
    weights = {**similarity.weights, "note": options.note_weight}
    scores = weighted_sum(terms, weights)
    order = np.argsort(-scores, kind="stable")
    spent = sum(count_tokens(each.note.text) for each in found)
    order, used = order[: (fit := _fitting(sources, rows[order], options.tokens - spent)).turns], spent + fit.tokens
    ordered = {name: values[order] for name, values in terms.items()}
    return _Ranked(rows[order], scores[order], ordered, weights), used


class _Fit(NamedTuple):
    turns: int
    tokens: int


def _fitting(sources: Sources, rows: Rows, tokens: int) -> _Fit:
    """Return how many of the first rows' turns fit into ``tokens`` one after the other, and the tokens they take."""
    sizes = _CACHES[sources].sizes
    seqs, taken = sources.corpus.columns.seq[rows].tolist(), 0
    for start in range(0, len(rows), _AT_ONCE):
        some = range(start, min(start + _AT_ONCE, len(rows)))
        turns = sources.corpus.turns(rows[[place for place in some if seqs[place] not in sizes]])
        for place in some:
            if seqs[place] not in sizes:
                turn = turns.get(int(rows[place]))
                sizes[seqs[place]] = count_tokens(turn.content) if turn is not None else 0
            if taken + sizes[seqs[place]] > tokens:
                return _Fit(place, taken)
            taken += sizes[seqs[place]]
    return _Fit(len(rows), taken)


# Notes.


def _notes(sources: Sources, query: Query, options: BestEffortOptions) -> list[_Note]:
    """Return the notes most relevant to the question, best first."""
    held = sources.cached(_kept_notes)
    names = {*query.names, *query.part.entities}
    scores = held.scores(query.vector, query.terms, names, options)
    if query.allowed is not None:
        rows = sources.corpus.columns.rows_of(held.turns)
        scores[(rows < 0) | ~query.allowed[rows]] = -np.inf
    places = [place for place in _greatest(scores, _AMONG * options.notes) if scores[place] >= options.relevant]
    near = {held.notes[place].number: float(scores[place]) for place in places}
    chosen = list(present(sources, query, (held.notes[place] for place in places)))
    of_turns = sources.corpus.columns.rows_of([note.turn for note in chosen]).tolist()
    found: list[_Note] = []
    score = max(near.values(), default=0.0)
    for note, row in zip(chosen, of_turns, strict=True):
        # The canonical note of a merged one gets the score of that.
        score = min(score, near.get(note.number, score))
        found.append(_Note(note, row, score))
    return [each for each in found if each.row >= 0][: options.notes]


def _greatest(scores: Values, count: int) -> list[int]:
    """Return the places of the greatest scores, greatest first; of equal scores the earlier place."""
    places = np.arange(len(scores))
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        places = np.flatnonzero(scores >= least)
    return places[np.argsort(-scores[places], kind="stable")][:count].tolist()


def _kept_notes(sources: Sources) -> "NoteMatrix":
    matrix, notes = _CACHES[sources].notes, sources.derived.notes
    if matrix.version is not notes.version:
        matrix.update(notes.all())
        matrix.version = notes.version
    return matrix


class NoteMatrix:
    """Notes of one memory as a matrix and an index of stems; only new notes are embedded and analysed."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        # That of the notes that it was made of.
        self.version: object = None
        self._begin()

    def _begin(self) -> None:
        self.notes: list[KeptNote] = []
        self._turns = np.zeros(0, np.int64)
        self._places: dict[int, int] = {}
        self._by_stem: dict[str, list[int]] = {}
        self._by_subject: dict[str, list[int]] = {}
        self._vectors = np.zeros((0, self._embedder.dimension), np.float32)
        self._living = np.zeros(0, np.bool_)

    @property
    def turns(self) -> NDArray[np.int64]:
        """Sequence number of the turn of each note."""
        return self._turns

    def update(self, notes: list[KeptNote]) -> None:
        """Make these the notes."""
        places = [self._places.get(note.number, -1) for note in notes]
        same = [place >= 0 and self.notes[place] == note for place, note in zip(places, notes, strict=True)]
        living = np.zeros(len(self.notes), np.bool_)
        living[[place for place, kept in zip(places, same, strict=True) if kept]] = True
        if living.sum() < _LEAST_LIVING * len(living):
            self._begin()
            same, living = [False] * len(notes), self._living
        self._living = living
        self._add([note for note, kept in zip(notes, same, strict=True) if not kept])

    def _add(self, notes: list[KeptNote]) -> None:
        if not notes:
            return
        first = len(self.notes)
        self.notes += notes
        for place, note in enumerate(notes, first):
            self._places[note.number] = place
            self._by_subject.setdefault(note.subject.lower(), []).append(place)
            for stem in dict.fromkeys(stems(note.text)):
                self._by_stem.setdefault(stem, []).append(place)
        self._turns = np.concatenate([self._turns, np.array([note.turn for note in notes], np.int64)])
        self._living = np.concatenate([self._living, np.ones(len(notes), np.bool_)])
        self._vectors = np.concatenate([self._vectors, vectors_of_texts(self._embedder, [note.text for note in notes])])

    def scores(self, vector: Values, terms: Iterable[str], names: Iterable[str], options: BestEffortOptions) -> Values:
        """Return the score of each note; -inf for one that is gone.

        It is the cosine, plus the weighted share of the question's words by rarity, plus a bonus for a named subject.
        """
        found = self._vectors @ vector
        total, sums = 0.0, np.zeros(len(self.notes), np.float32)
        for term in terms:
            places = self._by_stem.get(term, [])
            rarity = log(1 + (len(self.notes) + 0.5) / (len(places) + 0.5))
            total += rarity
            sums[places] += rarity
        found += options.lexical_weight * sums / max(total, 1e-6)
        about = np.zeros(len(self.notes), np.bool_)
        for name in names:
            about[self._by_subject.get(name.lower(), [])] = True
        found += options.subject_weight * about
        found[~self._living] = -np.inf
        return found


class _Cache:
    """Cache of an open memory: its notes, and the tokens of its turns by sequence number."""

    def __init__(self, embedder: Embedder) -> None:
        self.notes = NoteMatrix(embedder)
        self.sizes: dict[int, int] = {}


_CACHES: Final[WeakKeyDictionary[Sources, _Cache]] = WeakKeyDictionary()
