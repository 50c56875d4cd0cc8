"""Best-effort recall: the notes, and their episodes only where the notes do not suffice (HiMem, best-effort recall).

The notes that are nearest to the question are looked through first. A check of coverage, specificity and recency says
whether they suffice; if not, their links lead to the episodes that they come from, whose turns are ranked by their
similarity to the question. Where no note is relevant, the episodes are searched directly, by their best turns.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import Any, Final, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.analyzer import stems
from hmem.derived.episodes import EpisodeRun
from hmem.derived.notes import KeptNote
from hmem.language.analyst.base import Excerpt
from hmem.language.embed import Embedder
from hmem.language.tokens import count_tokens
from hmem.model.plan import Sufficiency
from hmem.model.span import from_stored
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.scoring.terms import Similarity, permitted
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import FoundPiece, Rows, Scored, Values
from hmem.retrieval.visibility import present

NAME: Final = "best_effort"

_NONE: Final[Rows] = np.zeros(0, np.int64)

# Turns are counted in this many at a time: the first few dozen fill the budget.
_AT_ONCE: Final = 24

# So many of the newest notes in a slot are looked at for what a note says again.
_RETOLD: Final = 32

# Among so many times the wanted notes those are found that a question may find.
_AMONG: Final = 6

# Among so many of the nearest turns those are chosen that are best by all terms.
_LISTED: Final = 100

# Of the notes that were once embedded, the part that may be gone before all are numbered anew.
_GONE: Final = 0.5


@dataclass(frozen=True, slots=True)
class BestEffortOptions:
    """``notes``, ``threshold`` and ``episodes_per_note`` are HiMem's; ``tokens`` bounds what notes and turns take
    together, and is what it reports for a query.

    ``notes_first`` off fetches the episodes whatever the notes tell. ``use_notes`` and ``use_episodes`` off are the
    paper's ablations: episodes only, notes only. A note is relevant from the score ``relevant`` on. A question without
    one is answered from the episodes of its ``direct`` nearest turns; with ``beyond_links``, which is ours, those are
    added wherever the notes do not suffice, since links lead only as far as notes were made. ``similarity`` of turns is
    by meaning as in the paper, or hybrid, by words too; ``lexical`` and ``subject`` are what a note gains by the
    question's words and by being about one who is named, ``standing`` what a turn gains by a note that was found.
    """

    notes: int = 5
    threshold: float = 0.85
    episodes_per_note: int = 3
    tokens: int = 1_272
    notes_first: bool = True
    use_notes: bool = True
    use_episodes: bool = True
    relevant: float = 0.6
    direct: int = 10
    beyond_links: bool = True
    similarity: Literal["semantic", "hybrid"] = "semantic"
    lexical: float = 1.0
    subject: float = 0.3
    standing: float = 0.5


class _Note(NamedTuple):
    """A note that was found: itself, its turn's row, and its score."""

    note: KeptNote
    row: int
    score: float


def best_effort(sources: Sources, query: Query, options: BestEffortOptions) -> Scored:
    """The turns that notes and episodes stand on, and these. Call it inside ``corpus.reading()``."""
    if sources not in _HELD:
        _HELD[sources] = _Held(sources.corpus.embedder)
    found = _notes(sources, query, options) if options.use_notes else []
    told = _told(sources, query, found) if found else None
    enough = told is not None and told.confidence >= options.threshold
    similarity = Similarity(sources.corpus, query, hybrid=options.similarity == "hybrid")
    runs: list[EpisodeRun] = []
    if options.use_episodes and not (enough and options.notes_first):
        runs = _episodes(sources, found, similarity, options)
    scored, used = _ranked(sources, query, found, runs, similarity, options)
    pieces = [FoundPiece("note", each.note.number, each.score, (each.note.turn,)) for each in found]
    pieces += _episode_pieces(sources, scored, runs)
    story = {
        "ended in": "notes" if enough and options.notes_first else "episodes" if runs else "nothing more",
        "notes": len(found),
        "episodes": len(runs),
        "direct": bool(runs) and not found,
        "tokens": used,
        **_told_story(told),
    }
    sizes = {"notes": len(found), "episodes": len(runs), "turns": len(scored.rows)}
    return Scored(
        NAME, scored.rows, scored.scores, scored.terms, scored.weights, sizes, tuple(pieces), story,
    )  # fmt: skip


def _told_story(told: Sufficiency | None) -> dict[str, Any]:
    if told is None:
        return {}
    return {
        "confidence": told.confidence,
        "coverage": told.coverage,
        "specificity": told.specificity,
        "recency": told.recency,
        "lacking": list(told.lacking),
    }


def _told(sources: Sources, query: Query, found: list[_Note]) -> Sufficiency:
    """Whether the notes suffice."""
    said = sources.corpus.columns.said[[each.row for each in found]].tolist()
    lines = [
        Excerpt(each.note.text, each.note.subject, from_stored(moment, 0))
        for each, moment in zip(found, said, strict=True)
    ]
    return sources.analyst.sufficiency(query.part, lines, query.asked)


# Episodes.


def _runs(sources: Sources) -> dict[int, EpisodeRun]:
    """The episodes by their first turns."""
    return {run.turns[0]: run for run in sources.episodes.runs}


def _runs_of(sources: Sources, groups: Iterable[Iterable[int]], most: int) -> list[EpisodeRun]:
    """The episodes of groups of turns, each once, at most so many of a group."""
    runs, first_of = sources.kept(_runs), sources.episodes.first_of
    found: dict[int, EpisodeRun] = {}
    for group in groups:
        firsts = [first for first in dict.fromkeys(map(first_of, group)) if first is not None]
        found |= {first: runs[first] for first in firsts[:most]}
    return list(found.values())


def _episodes(
    sources: Sources, found: list[_Note], similarity: Similarity, options: BestEffortOptions
) -> list[EpisodeRun]:
    """The episodes that the notes lead to, and those of the nearest turns where no note does, or not far enough."""
    linked = _linked(sources, found, options)
    if linked and not options.beyond_links:
        return linked
    known = {run.turns[0] for run in linked}
    direct = _direct(sources, similarity, options)
    return linked + [run for run in direct if run.turns[0] not in known]


def _linked(sources: Sources, found: list[_Note], options: BestEffortOptions) -> list[EpisodeRun]:
    """The episodes that the notes come from, and those that told the same before or after."""
    notes = sources.derived.notes
    groups: list[list[int]] = []
    for note in (each.note for each in found):
        value = set(stems(note.value))
        again = [
            other.turn
            for other in notes.about(note.subject, note.slot)[: -_RETOLD - 1 : -1]
            if not value.isdisjoint(stems(other.value))
        ]
        groups.append([note.turn, *again])
    return _runs_of(sources, groups, options.episodes_per_note)


def _direct(sources: Sources, similarity: Similarity, options: BestEffortOptions) -> list[EpisodeRun]:
    """The episodes of the turns that are nearest to the question."""
    best = similarity.best(similarity.candidates(max(options.direct, _LISTED)), options.direct)
    return _runs_of(sources, [sources.corpus.columns.seq[best].tolist()], options.direct)


def _episode_pieces(sources: Sources, scored: "_Ranked", runs: list[EpisodeRun]) -> list[FoundPiece]:
    """Those of the episodes that have a turn among the ranked, with the score of their best one, best first."""
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
    """The turns of notes and episodes, best first, as many as the budget takes, and what of it they take."""
    corpus = sources.corpus
    of_runs = corpus.columns.rows_of([seq for run in runs for seq in run.turns])
    own = np.array([each.row for each in found], np.int64)
    rows = np.union1d(own, permitted(query, of_runs[of_runs >= 0]))
    noted = np.zeros(len(rows), np.float32)
    np.maximum.at(noted, np.searchsorted(rows, own), np.array([each.score for each in found], np.float32))
    terms = {**similarity.terms(rows), "note": noted}
    weights = {**similarity.weights, "note": options.standing}
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
    """How many of the first rows' turns fit into so many tokens, one after the other, and what they take."""
    sizes = _HELD[sources].sizes
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
    """The notes that are most relevant to the question, best first."""
    held = sources.kept(_kept_notes)
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
        # The note that tells a merged one is as near as that.
        score = min(score, near.get(note.number, score))
        found.append(_Note(note, row, score))
    return [each for each in found if each.row >= 0][: options.notes]


def _greatest(scores: Values, count: int) -> list[int]:
    """The places of the greatest scores, greatest first; of equals the earlier."""
    places = np.arange(len(scores))
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        places = np.flatnonzero(scores >= least)
    return places[np.argsort(-scores[places], kind="stable")][:count].tolist()


def _kept_notes(sources: Sources) -> "NoteMatrix":
    held = _HELD[sources].notes
    held.update(sources.derived.notes.all())
    return held


class NoteMatrix:
    """The notes of one memory as a matrix and an index of stems; only what is new is embedded and analysed."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
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
        """The sequence number of the turn of each note."""
        return self._turns

    def update(self, notes: list[KeptNote]) -> None:
        """Make these the notes."""
        places = [self._places.get(note.number, -1) for note in notes]
        same = [place >= 0 and self.notes[place] == note for place, note in zip(places, notes, strict=True)]
        living = np.zeros(len(self.notes), np.bool_)
        living[[place for place, kept in zip(places, same, strict=True) if kept]] = True
        if living.sum() < _GONE * len(living):
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
        self._vectors = np.concatenate([self._vectors, self._embedder.embed([note.text for note in notes])])

    def scores(self, vector: Values, terms: Iterable[str], names: Iterable[str], options: BestEffortOptions) -> Values:
        """Cosine, share of the question's words by their rarity, and whether it is about one who is named."""
        found = self._vectors @ vector
        total, sums = 0.0, np.zeros(len(self.notes), np.float32)
        for term in terms:
            places = self._by_stem.get(term, [])
            rarity = log(1 + (len(self.notes) + 0.5) / (len(places) + 0.5))
            total += rarity
            sums[places] += rarity
        found += options.lexical * sums / max(total, 1e-6)
        about = np.zeros(len(self.notes), np.bool_)
        for name in names:
            about[self._by_subject.get(name.lower(), [])] = True
        found += options.subject * about
        found[~self._living] = -np.inf
        return found


class _Held:
    """What is held of a memory that is open, as long as it is: its notes, and how many tokens its turns take."""

    def __init__(self, embedder: Embedder) -> None:
        self.notes = NoteMatrix(embedder)
        self.sizes: dict[int, int] = {}


_HELD: Final[WeakKeyDictionary[Sources, _Held]] = WeakKeyDictionary()
