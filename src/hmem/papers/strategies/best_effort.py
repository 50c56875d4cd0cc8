"""Best-effort recall: notes first, their episodes only if the notes do not suffice (HiMem, best-effort recall).

The notes nearest to the question are read first. If they do not suffice, their links lead to the episodes they come
from, whose turns are ranked by similarity to the question. If no note is relevant, the episodes are found directly, by
their best turns. A model that answers says if the notes suffice; without one the episodes are read in any case, unless
a check by rules, of coverage, specificity and recency, is let decide.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import log
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from hmem.derived.episodes import EpisodeRun
from hmem.derived.notes import KeptNote
from hmem.language.analyst.base import Excerpt
from hmem.language.analyzer import stems
from hmem.language.tokens import count_tokens
from hmem.model.plan import Sufficiency
from hmem.model.span import from_stored
from hmem.papers.position_index import best
from hmem.papers.terms import Similarity, permitted
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Hit, Rows, ScoredTurns, Values, rank
from hmem.retrieval.visibility import present

NAME: Final = "best_effort"

_NO_ROWS: Final[Rows] = np.zeros(0, np.int64)

# Number of turns whose tokens are counted at a time: the first few dozen fill the budget.
_AT_ONCE: Final = 24

# Number of newest notes of a slot that are searched for repetitions of a note.
_RETOLD: Final = 32

# Candidates per wanted note, before those that the question may not find are dropped.
_CANDIDATES_PER_NOTE: Final = 6

# Number of nearest turns from which the best by all terms are chosen.
_MAX_NEAREST_TURNS: Final = 100


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


def best_effort(sources: Sources, query: Query, options: BestEffortOptions) -> ScoredTurns:
    """Return the notes and episodes found, and their turns. Call it inside ``corpus.reading()``."""
    notes = _notes(sources, query, options) if options.use_notes else []
    check = _sufficiency(sources, query, notes) if notes and query.levels is None else None
    enough = check is not None and check.confidence >= options.threshold
    follows_links = options.use_episodes and options.hierarchy
    shallow = follows_links and bool(notes) and query.levels == 1
    stops = shallow or (follows_links and enough and options.notes_first)
    similarity = Similarity(sources, query, hybrid=options.similarity == "hybrid")
    runs = _episodes(sources, notes, similarity, options) if follows_links and not stops else []
    ranking, used = _rank_turns(sources, query, notes, runs, similarity, options)
    hits = [Hit("note", note.note.number, note.score, (note.note.turn,)) for note in notes]
    hits += _episode_hits(sources, ranking, runs)
    story: dict[str, Any] = {
        "ended in": "notes" if stops else "episodes" if runs else "nothing more",
        "sufficient": enough,
        "notes": len(notes),
        "episodes": len(runs),
        "direct": bool(runs) and not notes,
        "tokens": used,
    }
    if check is not None:
        story |= {name: getattr(check, name) for name in ("confidence", "coverage", "specificity", "recency")}
        story["lacking"] = list(check.lacking)
    sizes = {"notes": len(notes), "episodes": len(runs), "turns": len(ranking.rows)}
    return replace(ranking, sizes=sizes, hits=tuple(hits), story=story, deeper=shallow)


def _sufficiency(sources: Sources, query: Query, notes: list[_Note]) -> Sufficiency:
    """Return the check of whether the notes suffice."""
    said_times = sources.corpus.columns.said[[note.row for note in notes]].tolist()
    lines = [
        Excerpt(note.note.text, note.note.subject, from_stored(moment, 0))
        for note, moment in zip(notes, said_times, strict=True)
    ]
    return sources.analyst.sufficiency(query.part, lines, query.asked, notes=True)


# Episodes.


def _runs(sources: Sources) -> dict[int, EpisodeRun]:
    """Return the episodes by their first turns."""
    return {run.turns[0]: run for run in sources.episodes.runs}


def _runs_of(sources: Sources, groups: Iterable[Iterable[int]], max_per_group: int) -> list[EpisodeRun]:
    """Return the episodes of groups of turns, each once, at most ``max_per_group`` of each."""
    runs, first_of = sources.cached(_runs), sources.episodes.first_of
    run_of_first: dict[int, EpisodeRun] = {}
    for group in groups:
        firsts = [first for first in dict.fromkeys(map(first_of, group)) if first is not None]
        run_of_first |= {first: runs[first] for first in firsts[:max_per_group]}
    return list(run_of_first.values())


def _episodes(
    sources: Sources, notes: list[_Note], similarity: Similarity, options: BestEffortOptions
) -> list[EpisodeRun]:
    """Return the episodes that the notes link to, and those of the nearest turns, if needed or wanted."""
    note_episodes = _episodes_of_notes(sources, notes, options)
    if note_episodes and not options.nearest_episodes:
        return note_episodes
    first_turns = {run.turns[0] for run in note_episodes}
    direct = _direct(sources, similarity, options)
    return note_episodes + [run for run in direct if run.turns[0] not in first_turns]


def _episodes_of_notes(sources: Sources, scored_notes: list[_Note], options: BestEffortOptions) -> list[EpisodeRun]:
    """Return the episodes that the notes come from, and those where the same was said before or after."""
    notes = sources.derived.notes
    groups: list[list[int]] = []
    for note in (scored_note.note for scored_note in scored_notes):
        value = set(stems(note.value))
        repetitions = [
            earlier_note.turn
            for earlier_note in notes.of_subject(note.scoped_subject, note.slot)[: -_RETOLD - 1 : -1]
            if not value.isdisjoint(stems(earlier_note.value))
        ]
        groups.append([note.turn, *repetitions])
    return _runs_of(sources, groups, options.episodes_per_note)


def _direct(sources: Sources, similarity: Similarity, options: BestEffortOptions) -> list[EpisodeRun]:
    """Return the episodes of the turns nearest to the question."""
    best = similarity.best(similarity.candidates(max(options.direct, _MAX_NEAREST_TURNS)), options.direct)
    return _runs_of(sources, [sources.corpus.columns.seq[best].tolist()], options.direct)


def _episode_hits(sources: Sources, ranking: ScoredTurns, runs: list[EpisodeRun]) -> list[Hit]:
    """Return the episodes with a ranked turn, best first, each with the score of its best turn."""
    scores = dict(zip(sources.corpus.columns.seq[ranking.rows].tolist(), ranking.scores.tolist(), strict=True))
    ranked_turns = [(run, [seq for seq in run.turns if seq in scores]) for run in runs]
    episodes = [
        Hit("episode", run.turns[0], max(scores[seq] for seq in seqs), tuple(seqs))
        for run, seqs in ranked_turns
        if seqs
    ]
    return sorted(episodes, key=lambda episode: -episode.score)


# Turns.


def _rank_turns(
    sources: Sources, query: Query, notes: list[_Note], runs: list[EpisodeRun], similarity: Similarity,
    options: BestEffortOptions,
) -> tuple[ScoredTurns, int]:  # fmt: skip
    """Return the turns of notes and episodes, best first, within the budget, and the tokens used with the notes."""
    corpus = sources.corpus
    of_runs = corpus.columns.rows_of([seq for run in runs for seq in run.turns])
    note_rows = np.array([note.row for note in notes], np.int64)
    rows = np.union1d(note_rows, permitted(query, of_runs[of_runs >= 0]))
    if not options.hierarchy:
        note_rows, notes = _NO_ROWS, []
        rows = similarity.best(similarity.candidates(_MAX_NEAREST_TURNS), _MAX_NEAREST_TURNS)
    noted = np.zeros(len(rows), np.float32)
    np.maximum.at(noted, np.searchsorted(rows, note_rows), np.array([note.score for note in notes], np.float32))
    terms = {**similarity.terms(rows), "note": noted}
    ranking = rank(NAME, rows, terms, {**similarity.weights, "note": options.note_weight}, {})
    note_tokens = sum(count_tokens(note.note.text) for note in notes)
    fit = _fitting(sources, ranking.rows, options.tokens - note_tokens)
    return ranking.at(slice(fit.turns)), note_tokens + fit.tokens


class _Fit(NamedTuple):
    turns: int
    tokens: int


def _fitting(sources: Sources, rows: Rows, tokens: int) -> _Fit:
    """Return how many of the first rows' turns fit into ``tokens`` one after the other, and the tokens they take."""
    sizes = sources.lasting(_turn_tokens)
    seqs, total = sources.corpus.columns.seq[rows].tolist(), 0
    for start in range(0, len(rows), _AT_ONCE):
        batch = range(start, min(start + _AT_ONCE, len(rows)))
        turns = sources.corpus.turns(rows[[index for index in batch if seqs[index] not in sizes]])
        for index in batch:
            if seqs[index] not in sizes:
                turn = turns.get(int(rows[index]))
                sizes[seqs[index]] = count_tokens(turn.content) if turn is not None else 0
            if total + sizes[seqs[index]] > tokens:
                return _Fit(index, total)
            total += sizes[seqs[index]]
    return _Fit(len(rows), total)


# Notes.


def _notes(sources: Sources, query: Query, options: BestEffortOptions) -> list[_Note]:
    """Return the notes most relevant to the question, best first."""
    index = sources.cached(_note_index)
    scores = index.scores(query.vector, query.terms, {*query.names, *query.part.entities}, options)
    if query.allowed is not None:
        rows = sources.corpus.columns.rows_of(index.turns)
        scores[(rows < 0) | ~query.allowed[rows]] = -np.inf
    best_indices: list[int] = best(scores, _CANDIDATES_PER_NOTE * options.notes).tolist()
    candidates = [index.notes[position] for position in best_indices if scores[position] >= options.relevant]
    score_of_number = {
        index.notes[position].number: float(scores[position])
        for position in best_indices
        if scores[position] >= options.relevant
    }
    current_notes = list(present(sources, query, candidates))
    of_turns = sources.corpus.columns.rows_of([note.turn for note in current_notes]).tolist()
    scored_notes: list[_Note] = []
    score = max(score_of_number.values(), default=0.0)
    for note, row in zip(current_notes, of_turns, strict=True):
        # The canonical note of a merged one gets the score of that.
        score = min(score, score_of_number.get(note.number, score))
        scored_notes.append(_Note(note, row, score))
    return [scored_note for scored_note in scored_notes if scored_note.row >= 0][: options.notes]


@dataclass(frozen=True, slots=True)
class _NoteIndex:
    """Notes with their turns and vectors, a row each, and the rows by stem and by subject; cached by the sources."""

    notes: list[KeptNote]
    turns: list[int]
    vectors: Values
    by_stem: Mapping[str, list[int]]
    by_subject: Mapping[str, list[int]]

    def scores(self, vector: Values, terms: Iterable[str], names: Iterable[str], options: BestEffortOptions) -> Values:
        """Return the score of each note.

        It is the cosine, plus the weighted share of the question's words by rarity, plus a bonus for a named subject.
        """
        values = self.vectors @ vector
        total, sums = 0.0, np.zeros(len(self.notes), np.float32)
        for term in terms:
            indices = self.by_stem.get(term, [])
            rarity = log(1 + (len(self.notes) + 0.5) / (len(indices) + 0.5))
            total += rarity
            sums[indices] += rarity
        values += options.lexical_weight * sums / max(total, 1e-6)
        has_subject = np.zeros(len(self.notes), np.bool_)
        for name in names:
            has_subject[self.by_subject.get(name.lower(), [])] = True
        values += options.subject_weight * has_subject
        return values


def _note_index(sources: Sources) -> _NoteIndex:
    notes, stems_of_text = sources.derived.notes.all(), sources.lasting(_note_stems)
    by_stem, by_subject = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for index, note in enumerate(notes):
        by_subject[note.subject.lower()].append(index)
        if note.text not in stems_of_text:
            stems_of_text[note.text] = tuple(dict.fromkeys(stems(note.text)))
        for stem in stems_of_text[note.text]:
            by_stem[stem].append(index)
    vectors = sources.vectors_of_texts([note.text for note in notes])
    return _NoteIndex(notes, [note.turn for note in notes], vectors, by_stem, by_subject)


# Caches by text and by sequence number.
def _note_stems(_: Sources) -> dict[str, tuple[str, ...]]:
    return {}


def _turn_tokens(_: Sources) -> dict[int, int]:
    return {}
