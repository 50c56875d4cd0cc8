"""Search for events, notes, summaries, episodes, profiles and sessions, beside the turns that strategies find.

Derived items are reached from turns: the turns that a question finds by words and by meaning lead to their events and
notes, their episodes, the tree nodes above them and the entities that they name. So the work does not grow with the
size of the memory. Few texts are embedded: an event has a vector, a note uses that of the event it was extracted from,
an episode and a profile the mean of their turns' vectors. Only the summaries of the most promising nodes are embedded,
once.

Scores of all kinds lie between 0 and 1 and have three terms: the share of the question's words in the text, by rarity;
the similarity of meaning; and a bonus for a text about someone whom the question names. Feedback on an event, a note or
its turn moves the score up or down.

A session scores as its best turn. Counting its other near turns as much as the best one cost 2.2 points of recall_all@5
on LoCoMo's development part (`hmem eval locomo`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.lexical import TURN, WINDOW
from hmem.derived.chunks import number_in_turn, turn_of
from hmem.derived.episodes import EpisodeRun
from hmem.derived.events import KeptEvent
from hmem.derived.state import EVENT_TREES, TREES
from hmem.errors import InvalidQuery
from hmem.language.analyzer import stems
from hmem.model.evidence import Evidence, Term, Why
from hmem.retrieval.evidence import SOURCES, evidence_of, is_by_model, path_of, text_of
from hmem.retrieval.feedback import TERM as FEEDBACK
from hmem.retrieval.feedback import StrengthOptions, weights
from hmem.retrieval.filter import Allowed, Filter, rows_allowed
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Hit, HitKind, ScoredTurns, Values
from hmem.retrieval.visibility import labels_shown, present

NAME: Final = "kinds"
KINDS: Final[tuple[HitKind, ...]] = ("event", "note", "summary", "episode", "profile")

# Pieces read per kind: this many times the wanted number, and at least _LEAST, as their order by vectors is rough.
_READ: Final = 4
_MIN_READ: Final = 24
_SUMMARISED: Final = 24
_MICROSECONDS: Final = 1_000_000


# Weights of a hit's score, which sum to 1, and of the logarithm of the weight of feedback, where that counts.
_LEXICAL: Final = 0.5
_SEMANTIC: Final = 0.4
_SUBJECT: Final = 0.1
_FEEDBACK: Final = 0.25
# Number of seed turns of each list.
_SEEDS: Final = 60


def find(
    sources: Sources,
    query: Query,
    kinds: Iterable[str],
    k: int,
    *,
    filter: Filter | None = None,
    strength: StrengthOptions | None = None,
    only_by_model: bool = False,
) -> list[Evidence]:
    """Return the ``k`` best hits of some kinds for a question, best first. Call it inside ``corpus.reading()``.

    ``filter``, checked, is the one that ``query.allowed`` was made from; without it all source turns of a hit must be
    allowed. ``strength`` tells if feedback on a turn counts for the events and notes extracted from it.
    ``only_by_model`` leaves out what no language model wrote.

    Raises:
        InvalidQuery: there is no such kind.
    """
    kind_names = dict.fromkeys(kinds)
    if unknown := [kind for kind in kind_names if kind not in KINDS]:
        raise InvalidQuery(f"no kind of memory to search is called {unknown[0]!r} - choose from: {', '.join(KINDS)}")
    requested_kinds: list[HitKind] = [kind for kind in KINDS if kind in kind_names]
    search = _KindSearch(sources, query, k)
    hits: dict[HitKind, list[Hit]] = {kind: search.hits(kind, filter) for kind in requested_kinds}
    if only_by_model:
        hits = {
            kind: [hit for hit in kind_hits if is_by_model(sources.derived, hit)] for kind, kind_hits in hits.items()
        }
    candidates = [candidate for kind, kind_hits in hits.items() for candidate in search.score_hits(kind, kind_hits)]
    if strength is not None and (strength.feedback or strength.multiplied):
        candidates = search.with_feedback(candidates, strength)
    candidates.sort(key=lambda candidate: (-candidate.hit.score, KINDS.index(candidate.hit.kind), candidate.hit.number))
    best = candidates[:k]
    reasons = [Why((NAME,), candidate.terms, candidate.words) for candidate in best]
    items = evidence_of(sources, [candidate.hit for candidate in best], reasons, query.user)
    return [search.with_twins(item) for item in items]


class _ScoredHit(NamedTuple):
    """Hit with its score, the terms of the score, and the question's words found in the hit."""

    hit: Hit
    terms: dict[str, Term]
    words: tuple[str, ...]


class _KindSearch:
    """Search of one query over several kinds."""

    def __init__(self, sources: Sources, query: Query, k: int) -> None:
        self._sources = sources
        self._derived = sources.derived
        self._wanted = k
        self._query = query
        self._columns = sources.corpus.columns
        self._matched: dict[int, float] = {}
        self._twins: dict[str, list[Hit]] = {}
        self._seeds = self._best_turns(query.allowed)
        self._rarities = dict(zip(query.terms, sources.corpus.rarities(query.terms), strict=True))
        self._names = tuple(name.lower() for name in (*query.names, *query.part.entities))

    # Candidates.

    def _best_turns(self, allowed: Allowed | None) -> list[int]:
        """Return the sequence numbers of the turns that are best by words, by their window's words, and by meaning."""
        corpus = self._sources.corpus
        lists = [corpus.nearest(self._query.vector, _SEEDS, allowed)[:_SEEDS]]
        for scale in (TURN, WINDOW):
            scores = corpus.lexical(scale, self._query.terms, allowed)
            best = np.argsort(-scores.values, kind="stable")[:_SEEDS]
            lists.append(scores.keys[best])
            if scale == TURN:
                seqs = self._columns.seq[scores.keys[best]].tolist()
                self._matched |= zip(seqs, scores.values[best].tolist(), strict=True)
        return self._columns.seq[np.unique(np.concatenate(lists))].tolist()

    def hits(self, kind: HitKind, filter: Filter | None) -> list[Hit]:
        """Return the hits of a kind that the best turns lead to and that may be found."""
        match kind:
            case "event":
                return self._events(filter)
            case "note":
                candidates = self._notes()
            case "episode":
                candidates = self._episodes()
            case "profile":
                candidates = self._profiles()
            case _:
                candidates = self._summaries()
        return [hit for hit in candidates if self._is_allowed(hit)]

    def _events(self, filter: Filter | None) -> list[Hit]:
        """Return events; a filter's time bounds apply to when they happened, not to when they were said, if known."""
        events, bounds, seqs = self._derived.events, (None, None), self._seeds
        if filter is not None and filter.bounds != bounds:
            bounds = filter.bounds
            seqs = self._best_turns(rows_allowed(self._sources, filter.timeless))
        absent = self._sources.decisions.absent_events(self._query.standpoint.known)
        return [
            Hit("event", event.number, 0.0, (seq,))
            for seq in seqs
            for event in events.of_turn(seq)
            if event.number not in absent and (bounds == (None, None) or self._overlaps(event, seq, *bounds))
        ]

    def _overlaps(self, event: KeptEvent, seq: int, since: int | None, until: int | None) -> bool:
        """Tell if an event happened between two times (µs since 1970), or, if that is unknown, was said then."""
        if event.start is None or event.end is None:
            start = int(self._columns.said[self._columns.rows_of([seq])[0]])
            end = start + 1
        else:
            # A span may have no length.
            start, end = event.start * _MICROSECONDS, max(event.end * _MICROSECONDS, event.start * _MICROSECONDS + 1)
        return (until is None or start < until) and (since is None or end > since)

    def _notes(self) -> list[Hit]:
        stated_notes = (note for seq in self._seeds for note in self._derived.notes.of_turn(seq))
        # A sentence that makes several claims is shown once.
        hit_of_sentence: dict[tuple[int, str], Hit] = {}
        for note in present(self._sources, self._query, stated_notes):
            hit_of_sentence.setdefault((note.turn, note.text), Hit("note", note.number, 0.0, (note.turn,)))
        return list(hit_of_sentence.values())

    def _episodes(self) -> list[Hit]:
        episodes, runs = self._sources.episodes, self._sources.cached(_runs)
        firsts = dict.fromkeys(episodes.first_of(seq) for seq in self._seeds)
        return [Hit("episode", first, 0.0, runs[first].turns) for first in firsts if first is not None]

    def _profiles(self) -> list[Hit]:
        graph, text_writer = self._derived.graph, self._sources.text_writer
        query_entities = [
            number
            for name in (*self._query.part.entities, *self._query.names)
            for number in graph.best_matches(name, self._query.user)
        ]
        mentioned = (number for seq in self._seeds for number in graph.entities_of(seq))
        salient = [number for number in dict.fromkeys([*query_entities, *mentioned]) if text_writer.salient(number)]
        return [Hit("profile", number, 0.0, tuple(graph.mentions(number))) for number in salient]

    def _summaries(self) -> list[Hit]:
        """Return the nodes above the best turns, those with the most relevant leaves for their size first."""
        nearness = dict(zip(self._seeds, self._nearness(self._seeds), strict=True))
        ranked_nodes: list[tuple[float, int, int]] = []
        for tree_number, tree in enumerate(TREES):
            branches, sums = self._derived.trees[tree], dict[int, float]()
            for seq in self._seeds:
                leaves = [event.number for event in self._derived.events.of_turn(seq)] if tree in EVENT_TREES else [seq]
                homes = dict.fromkeys(branches.node_of(leaf) for leaf in leaves)
                for node in dict.fromkeys(node for home in homes if home for node in branches.up(home)):
                    sums[node] = sums.get(node, 0.0) + nearness[seq]
            # A summary of many leaves says less about each.
            ranked_nodes += [(-value / branches.size(node) ** 0.5, tree_number, node) for node, value in sums.items()]
        nodes = [(TREES[tree_number], node) for _, tree_number, node in sorted(ranked_nodes)]
        summarised_nodes = [(tree, node) for tree, node in nodes if self._derived.trees[tree].size(node) > 1]
        return [Hit("summary", node, 0.0, (), tree) for tree, node in summarised_nodes[:_SUMMARISED]]

    def _nearness(self, seqs: Sequence[int]) -> list[float]:
        rows = self._columns.rows_of(seqs)
        return np.clip(self._sources.corpus.cosines(self._query.vector, rows)[0], 0.0, 1.0).tolist()

    def _is_allowed(self, hit: Hit) -> bool:
        """Tell if every source turn of a hit is allowed."""
        if self._query.allowed is None:
            return True
        # Texts are written without withdrawn turns, so these need not be allowed.
        absent = self._sources.decisions.absent()
        rows = self._columns.rows_of([seq for seq in self._turns_of(hit) if seq not in absent])
        return bool(len(rows)) and bool((rows >= 0).all()) and bool(self._query.allowed[rows].all())

    def _turns_of(self, hit: Hit, limit: int | None = None) -> tuple[int, ...]:
        """Return the source turns of a hit, ascending; for a summary, those of its first ``most`` leaves."""
        if hit.kind != "summary":
            return hit.turns
        leaves = self._derived.trees[hit.tree].leaves_below(hit.number)[:limit]
        return tuple(dict.fromkeys(turn_of(leaf) for leaf in leaves)) if hit.tree in EVENT_TREES else tuple(leaves)

    # Scores.

    def score_hits(self, kind: HitKind, hits: Sequence[Hit]) -> list[_ScoredHit]:
        """Return the most promising hits of a kind, with their scores."""
        if kind == "summary":
            hits, texts = self._deduplicated(*self._read(hits))
            cosines = self._cosines(self._embedded(texts))
        else:
            cosines = self._cosines(self._vectors(kind, hits)) if hits else np.empty(0, np.float32)
            lexical_scores = [max(map(self._matches, hit.turns[-SOURCES:]), default=0.0) for hit in hits]
            best = np.argsort(-(cosines + np.array(lexical_scores, np.float32)), kind="stable")
            indices: list[int] = best[: max(_READ * self._wanted, _MIN_READ)].tolist()
            cosine_of_number = {hits[index].number: float(cosines[index]) for index in indices}
            hits, texts = self._read([hits[index] for index in indices])
            cosines = np.array([cosine_of_number[hit.number] for hit in hits], np.float32)
        return [
            self._score(hit, text, cosine, is_named=is_named)
            for hit, text, cosine, is_named in zip(
                hits, texts, cosines.tolist(), self._names_speakers(hits), strict=True
            )
        ]

    def _matches(self, seq: int) -> float:
        """Return the lexical score of a turn; 0 if it is not among the best."""
        return self._matched.get(seq, 0.0)

    def _read(self, hits: Sequence[Hit]) -> tuple[list[Hit], list[str]]:
        """Return the hits that have a text, and their texts; up to ``k`` missing texts are written."""
        written_count, read, texts = 0, list[Hit](), list[str]()
        for hit in hits:
            text = text_of(self._sources, self._derived, hit, write=False)
            if not text and written_count < self._wanted:
                text, written_count = text_of(self._sources, self._derived, hit, write=True), written_count + 1
            if text:
                read.append(hit)
                texts.append(text)
        return read, texts

    def _deduplicated(self, hits: Sequence[Hit], texts: Sequence[str]) -> tuple[list[Hit], list[str]]:
        """Return each text once, with the most promising node that has it; keep the other nodes as its twins."""
        firsts: dict[str, Hit] = {}
        for hit, text in zip(hits, texts, strict=True):
            if text in firsts:
                self._twins.setdefault(text, []).append(hit)
            firsts.setdefault(text, hit)
        return list(firsts.values()), list(firsts)

    def with_twins(self, item: Evidence) -> Evidence:
        """Return a summary with the paths of nodes in other trees that have the same text."""
        twins = self._twins.get(item.text, []) if item.kind == "summary" else []
        if not twins or not labels_shown(self._sources, self._query.user):
            return item
        also = {twin.tree: path_of(self._derived, twin) for twin in reversed(twins)}
        return replace(item, why=replace(item.why, paths={**also, **item.why.paths}))

    def _score(self, hit: Hit, text: str, cosine: float, *, is_named: bool) -> _ScoredHit:
        text_stems, lowered = set(stems(text)), text.lower()
        shared_rarity = sum(rarity for term, rarity in self._rarities.items() if term in text_stems)
        is_subject = is_named or any(name in lowered for name in self._names)
        terms = {
            "lexical": Term(shared_rarity / (sum(self._rarities.values()) or 1.0), _LEXICAL),
            "semantic": Term(cosine, _SEMANTIC),
            "subject_match": Term(float(is_subject), _SUBJECT),
        }
        score = sum(term.contribution for term in terms.values())
        shared_words = tuple(
            word for term, word in zip(self._query.terms, self._query.words, strict=True) if term in text_stems
        )
        return _ScoredHit(replace(hit, score=score, turns=self._turns_of(hit, SOURCES)), terms, shared_words)

    def with_feedback(self, candidates: list[_ScoredHit], strength: StrengthOptions) -> list[_ScoredHit]:
        """Return the hits with feedback on the turns of events and notes as a further term, if there is any."""
        rows = self._columns.rows_of(
            [candidate.hit.turns[-1] if candidate.hit.turns else -1 for candidate in candidates]
        )
        row_weights = weights(self._sources, rows, self._query)
        if row_weights is None:
            return candidates
        adjusted: list[_ScoredHit] = []
        for candidate, weight in zip(candidates, row_weights.tolist(), strict=True):
            if candidate.hit.kind in ("event", "note") and weight != 1.0:
                factor = 1.0 if strength.multiplied else _FEEDBACK
                term = Term(candidate.hit.score * (weight - 1) if strength.multiplied else log(weight), factor)
                hit = replace(candidate.hit, score=candidate.hit.score + term.contribution)
                adjusted.append(_ScoredHit(hit, {**candidate.terms, FEEDBACK: term}, candidate.words))
            else:
                adjusted.append(candidate)
        return adjusted

    def _names_speakers(self, hits: Sequence[Hit]) -> list[bool]:
        """Tell for each event or note if someone whom the question names said it; False for other kinds."""
        if not hits or hits[0].kind not in ("event", "note"):
            return [False] * len(hits)
        speakers = self._columns.speaker[self._columns.rows_of([hit.turns[0] for hit in hits])]
        return np.isin(speakers, self._query.speakers).tolist()

    def _cosines(self, vectors: Values) -> Values:
        return np.clip(vectors @ self._query.vector, 0.0, 1.0)

    def _vectors(self, kind: HitKind, hits: Sequence[Hit]) -> Values:
        """Return the unit vectors of hits of one kind, one row each; zeros where there is none."""
        if kind == "event":
            return self._derived.vectors_of_events([hit.number for hit in hits])
        if kind == "note":
            notes = [self._derived.notes.get(hit.number) for hit in hits]
            event_numbers = [number_in_turn(note.turn, note.event) for note in notes if note is not None]
            return self._derived.vectors_of_events(event_numbers)
        return self._means([hit.turns for hit in hits])

    def _means(self, groups: Sequence[Sequence[int]]) -> Values:
        """Return the unit mean vectors of groups of turns; a large group is sampled evenly."""
        samples = [group[:: max(1, len(group) // SOURCES)] for group in groups]
        seqs = np.array(sorted({seq for group in samples for seq in group}), np.int64)
        vectors = self._sources.corpus.vectors_of(seqs.tolist())
        rows = np.stack([vectors[np.searchsorted(seqs, group)].mean(axis=0) for group in samples])
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))

    def _embedded(self, texts: Sequence[str]) -> Values:
        """Return the vectors of texts, each embedded once; zeros while the embedder is unavailable."""
        if self._sources.embedder_unavailable:
            return np.zeros((len(texts), self._sources.corpus.embedder.dimension), np.float32)
        return self._sources.vectors_of_texts(texts)


def _runs(sources: Sources) -> dict[int, EpisodeRun]:
    return {run.turns[0]: run for run in sources.episodes.runs}


SESSION: Final = "session"

# Number of nearest turns that count besides those that the strategies found.
_NEAREST_TURNS: Final = 4_000
# Number of turns that a session names as its sources.
_SOURCES: Final = 16


def find_sessions(sources: Sources, query: Query, ranking: ScoredTurns, k: int) -> list[Evidence]:
    """Return the ``k`` best sessions for a question, best first, by their best turns. Call it inside ``reading()``.

    ``ranking`` has the turns that the strategies found, best first.
    """
    columns = sources.corpus.columns
    nearest = sources.corpus.nearest(query.vector, _NEAREST_TURNS, query.allowed)
    rows = np.union1d(nearest, ranking.rows)
    if not len(rows):
        return []
    numbers, session_indices = np.unique(columns.session[rows], return_inverse=True)
    scores = np.full(len(rows), ranking.scores.min(initial=np.float32(0.0)), np.float32)
    scores[np.searchsorted(rows, ranking.rows)] = ranking.scores
    best = np.full(len(numbers), -np.inf, np.float32)
    np.maximum.at(best, session_indices, scores)
    order = np.argsort(-best, kind="stable")[:k]
    items = (
        _evidence(sources, *_sorted(rows[session_indices == index], scores[session_indices == index]))
        for index in order
    )
    return [item for item in items if item is not None]


def _sorted(rows: NDArray[np.int64], scores: Values) -> tuple[NDArray[np.int64], float]:
    """Return the turns of a session, best first, and the score of the best."""
    order = np.argsort(-scores, kind="stable")
    return rows[order], float(scores[order[0]])


def _evidence(sources: Sources, rows: NDArray[np.int64], score: float) -> Evidence | None:
    """Return a session as evidence, with the text and time of its best turn; ``rows`` are its turns, best first."""
    turns = sources.corpus.turns(rows[:_SOURCES])
    source_turns = [turns[row] for row in rows[:_SOURCES].tolist() if row in turns]
    if not source_turns:
        return None
    best = source_turns[0]
    return Evidence(
        id=best.session, kind=SESSION, text=best.text, when=best.at, score=score,
        why=Why((SESSION,), {"best_turn": Term(score, 1.0)}), session=best.session,
        speaker=best.speaker, caption=best.caption, sources=tuple(turn.id for turn in source_turns),
    )  # fmt: skip
