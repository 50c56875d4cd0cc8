"""Candidate answers: the phrases of statements, their features, a learned linear ranker, and lists of several.

The features of single words are rarity, and similarity to the question's focus and to its words. The weights are in a
data file (benchmarks/train_reader.py).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst import word_classes as c
from hmem.language.analyst.answer_reader import AnswerReader, AnswerTarget, CandidateSentence, PhraseRole, Sort
from hmem.language.analyzer import stems
from hmem.language.embed import embedder
from hmem.retrieval.answer.statements import Meanings, WeightedWord, ZeroMeanings
from hmem.retrieval.sources import Sources

# Rarity (idf) from which on a word has the greatest value, 1.
_RAREST = 7.0


@dataclass(frozen=True, slots=True)
class Lexis:
    """Values of lower-cased words, each from about 0 to 1.

    ``near``: similarity to the noun that the answer is one of; ``rare``: rarity in the memory; ``like``: similarity to
    the question's words; ``sorts``: nearness to each of the sorts of things, -1 to 1.
    """

    near: dict[str, float]
    rare: dict[str, float]
    like: dict[str, float]
    sorts: Mapping[Sort, Mapping[str, float]]


class Rarities:
    """Rarity of words in a memory, from 0 to 1; looked up once each."""

    def __init__(self, sources: Sources) -> None:
        self._corpus = sources.corpus
        self._kept: dict[str, float] = {}

    def of(self, words: Sequence[str]) -> dict[str, float]:
        """Return the rarity of each word."""
        new = [word for word in words if word not in self._kept]
        if new:
            terms = [_term(word) for word in new]
            self._kept.update(zip(new, (min(idf / _RAREST, 1.0) for idf in self._corpus.rarities(terms)), strict=True))
        return {word: self._kept[word] for word in words}


def lexis_of(sources: Sources, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Lexis:
    """Return the values of the statements' content words."""
    words = sorted({token.lower for s in statements for token in s.line.tokens if token.content})
    if not words:
        return Lexis({}, {}, {}, {})
    meanings = meanings_of(sources)
    vectors = meanings.of(words)
    near = vectors @ meanings.of([" ".join(asked.focus)])[0] if asked.focus else np.zeros(len(words), np.float32)
    like = _likeness(meanings, vectors, asked)
    return Lexis(
        dict(zip(words, near.tolist(), strict=True)),
        sources.cached(Rarities).of(words),
        dict(zip(words, like.tolist(), strict=True)),
        _sorted(sources, words, vectors, statements),
    )


# Sorts of the types of entities that have one.
_TYPED: Final[Mapping[str, Sort]] = {
    "person": "person", "location": "place", "product": "thing", "work": "thing",
}  # fmt: skip
# Exemplars of a sort that a word is compared with: the nearest.
_NEAREST: Final = 3


def _sorted(
    sources: Sources, words: Sequence[str], vectors: NDArray[np.float32], statements: Sequence[CandidateSentence]
) -> dict[Sort, dict[str, float]]:
    """Return how near each word is to each sort: by the entity it names, by the closed lists, else by its vector."""
    sorts = _exemplars(sources) if sources.embedder_unavailable else sources.cached(_exemplars)
    near = np.stack([np.sort(vectors @ each.T, axis=1)[:, -_NEAREST:].mean(axis=1) for each in sorts.values()])
    against = np.stack([np.delete(near, number, axis=0).max(axis=0) for number in range(len(near))])
    made: dict[Sort, dict[str, float]] = {}
    for sort, row in zip(sorts, np.clip(near - against, -1, 1), strict=True):
        made[sort] = dict(zip(words, map(float, row), strict=True))
    for sort, listed in sources.analyst.answer_reader.sorts.items():
        for word in listed:
            if word in made[sort]:
                for other, values in made.items():
                    values[word] = 1.0 if other == sort else -1.0
    for word, sort in _named(sources, statements).items():
        for other, values in made.items():
            if word in values:
                values[word] = 1.0 if other == sort else -1.0
    return made


# Nearness to a sort below which a word is plainly of another: only entities and listed words are as far away.
_PLAINLY: Final = -0.5


def is_of_sort(sources: Sources, asked: AnswerTarget, text: str) -> bool:
    """Tell if a text may name a thing of the sort asked for: a person or a place, not plainly another."""
    if asked.kind not in ("person", "place") or not text:
        return True
    lines = sources.analyst.answer_reader.lines(text, None)
    words = [token.lower for line in lines for token in line.tokens if token.content]
    if not words:
        return True
    values = _sorted(sources, words, meanings_of(sources).of(words), ())[asked.kind]
    return values[words[-1]] > _PLAINLY


def _exemplars(sources: Sources) -> dict[Sort, NDArray[np.float32]]:
    meanings = meanings_of(sources)
    return {sort: meanings.of(sorted(words)) for sort, words in sources.analyst.answer_reader.sorts.items()}


def _named(sources: Sources, statements: Sequence[CandidateSentence]) -> dict[str, Sort | None]:
    """Return the sorts of the names in the turns of statements, by word; None for a sort that is not asked for."""
    rows = sources.corpus.rows_of_ids(list(dict.fromkeys(s.evidence.id for s in statements)))
    graph, made = sources.derived.graph, dict[str, Sort | None]()
    for row in rows[rows >= 0].tolist():
        for entity, surface, *_ in graph.places(int(sources.corpus.columns.seq[row])):
            kind = graph.type(entity)
            if kind != "other":
                made.update((word, _TYPED.get(kind)) for word in surface.lower().split())
    return made


def weighted(sources: Sources, asked: AnswerTarget) -> list[WeightedWord]:
    """Return the content words of a question with their weights: the rarer in the memory, the heavier."""
    rare = sources.cached(Rarities).of(asked.content)
    roots = sources.analyst.answer_reader.roots
    return [WeightedWord(word, next(iter(roots(word)), ""), _LIGHTEST + rare[word]) for word in asked.content]


_STATIC: Final = "wordllama"
# Weight of a word that stands everywhere.
_LIGHTEST: Final = 0.2


def meanings_of(sources: Sources) -> Meanings:
    """Return the vectors of words and short texts; zero vectors while the memory's embedder is unavailable.

    They are static ones, whatever embedder the memory has: the reader's weights were learned with them, and it compares
    hundreds of words for an answer.
    """
    return ZeroMeanings(embedder(_STATIC)) if sources.embedder_unavailable else sources.cached(_meanings)


def _meanings(_: Sources) -> Meanings:
    return Meanings(embedder(_STATIC))


def _likeness(meanings: Meanings, vectors: NDArray[np.float32], asked: AnswerTarget) -> NDArray[np.float32]:
    """Return the similarity of each word to the most similar word of the question."""
    if not asked.content:
        return np.zeros(len(vectors), np.float32)
    return np.maximum((vectors @ meanings.of(asked.content).T).max(axis=1), 0)


@lru_cache(maxsize=20_000)
def _term(word: str) -> str:
    return (*stems(word), "")[0]


Values = NDArray[np.float32]
Numbers = NDArray[np.int64]

NUMERIC: Final = ("count", "amount", "duration", "frequency")
# Kinds of which a rule reads a part only: a phrase may be better than what it reads.
COUNTED: Final = ("count", "amount")
GROUPS: Final = ("thing", "name", "person", "place", "activity", "reason", "manner", "amount")
_GROUP: Final = {
    "thing": 0, "choice": 0, "polar": 0, "when": 0, "name": 1, "person": 2, "place": 3, "activity": 4, "reason": 5,
    "manner": 6, "feeling": 6, "amount": 7, "count": 7, "duration": 7, "frequency": 7,
}  # fmt: skip

_NAMED: Final = (c.NAME, c.PLACE, c.PERSON)

LENGTHS: Final = (1, 2, 3, 4, 6, 9, 12)
CATEGORIES: Final = ("length", "before", "first", "last", "behind")
_SIZES: Final = {"length": len(LENGTHS) + 1, **dict.fromkeys(CATEGORIES[1:], len(c.NAMES))}
DENSE: Final = (
    "cover", "cover_before", "cover_turn", "rank", "score", "cosine", "own", "other", "asks", "caption", "reply",
    "second", "verb", "repeated", "all_repeated", "sim", "sim_last", "after_hit", "before_hit", "after_verb", "spoken",
    "praise", "content", "whole", "crosses", "named", "number", "opening", "is_of", "date", "fit", "leads",
    "cosine_before", "finite", "finite_first", "listed", "quoted", "clause_hits", "clause_start", "clause_end",
    "clause_whole", "reply_first", "bare", "turn_fit", "beside", "behind_best", "response", "list_cut", "greets",
    "rare", "rarest", "rare_last", "vague", "vague_last", "verbs", "like", "like_after", "like_clause", "rare_repeated",
    "match", "fills", "fills_match", "soft", "soft_around", "lack", "ruled", "phrase",
    *(f"phrase_{role}" for role in get_args(PhraseRole)), *(f"sort_{sort}" for sort in get_args(Sort)),
)  # fmt: skip


def names_of_features() -> list[str]:
    """Return the names of the weights in order: the shared ones, then those of each group."""
    plain = [f"{kind}:{i}" for kind in CATEGORIES for i in range(_SIZES[kind])] + list(DENSE)
    return plain + [f"{group}/{name}" for group in GROUPS for name in plain]


@lru_cache(maxsize=1)
def _width() -> int:
    return sum(_SIZES.values()) + len(DENSE)


# Share of words that two phrases have in common if they say much the same.
SAME: Final = 0.5


class AnswerCandidates:
    """Phrases of several statements, with their features."""

    def __init__(
        self,
        reader: AnswerReader,
        asked: AnswerTarget,
        statements: Sequence[CandidateSentence],
        lexis: Lexis,
        speakers: Sequence[str] = (),
        ruled: str = "",
    ) -> None:
        self.reader = reader
        self.statements = statements
        spans = [reader.phrases(statement.line) for statement in statements]
        counts = [len(starts) for starts, _ in spans]
        self.owner: Numbers = np.repeat(np.arange(len(statements)), counts)
        self.start: Numbers = np.concatenate([starts for starts, _ in spans]) if spans else np.zeros(0, np.int64)
        self.end: Numbers = np.concatenate([ends for _, ends in spans]) if spans else np.zeros(0, np.int64)
        self.group = _GROUP[asked.kind]
        kept = self._allowed(asked, speakers)
        self.owner, self.start, self.end = self.owner[kept], self.start[kept], self.end[kept]
        self._asked, self._lexis, self._ruled = asked, lexis, reader.roots(ruled)
        self.ids, self.dense = self._features()

    def __len__(self) -> int:
        return len(self.owner)

    def _allowed(self, asked: AnswerTarget, speakers: Sequence[str]) -> NDArray[np.bool_]:
        """Return a boolean per candidate: it may be an answer.

        It is not only a speaker's name, it says something that the question does not, and it has a number if one is
        asked for.
        """
        if not len(self.owner):
            return np.ones(0, np.bool_)
        kinds, offsets = self._joined()
        start, end = self.start + offsets[self.owner], self.end + offsets[self.owner]
        made = ~self._only_called(asked, speakers, start, end)
        fresh = _sums(self._fresh(asked))
        new = made & (fresh[end] > fresh[start])
        if asked.kind in ("thing", "activity") and not asked.focus:
            # The place of a thing is not the thing: "in Ghent".
            within = np.array([word == "in" for word in self._lowers()])
            new &= ~(within[start - 1] & _among(kinds, _NAMED)[start])
        made = new if new.any() else made
        if asked.kind in NUMERIC:
            made &= np.array(
                [self.reader.has_quantity(self.statements[i].line, j, k, asked.kind) for i, j, k in self._places()]
            )
        if asked.several and asked.kind in ("place", "name"):
            proper = made & self._proper(kinds, start, end)
            return proper if proper.any() else made
        return made

    def _only_called(
        self, asked: AnswerTarget, speakers: Sequence[str], start: Numbers, end: Numbers
    ) -> NDArray[np.bool_]:
        """Return a boolean per candidate: it is only a speaker's name.

        If a person is asked for, it must be the name of someone whom the question names.
        """
        of_asked = {part for name in asked.people for part in name.lower().split()}
        names = of_asked | {part for name in speakers for part in name.lower().split()}
        lowers = self._lowers()
        known = {word: _calls(word, names) for word in set(lowers)}
        called = _sums(np.array([known[word] for word in lowers]))
        made = (end - start <= 2) & (called[end] - called[start] == end - start)
        if asked.kind == "person":
            meant = _sums(np.array([known[word] and _calls(word, of_asked) for word in lowers]))
            made &= meant[end] - meant[start] > 0
        return made

    def _fresh(self, asked: AnswerTarget) -> NDArray[np.bool_]:
        """Return a boolean per token: it says something that the question does not."""
        made = [False]
        for statement in self.statements:
            made += [token.content and token.root not in asked.every for token in statement.line.tokens]
            made.append(False)
        return np.array(made)

    def _lowers(self) -> list[str]:
        """Return all tokens in lower case, with an edge before and after each line."""
        made = [""]
        for statement in self.statements:
            made += [token.lower for token in statement.line.tokens]
            made.append("")
        return made

    def _proper(self, kinds: Numbers, start: Numbers, end: Numbers) -> NDArray[np.bool_]:
        """Return a boolean per candidate: it is a proper name or a title."""
        quotes = np.array([word == '"' for word in self._lowers()])
        named = _among(kinds, _NAMED)
        held = _sums(_among(kinds, (*_NAMED, c.PREPOSITION, c.ARTICLE)))
        whole = named[start] & named[end - 1] & (held[end] - held[start] == end - start)
        return (quotes[start - 1] & quotes[end]) | whole

    def statement(self, place: int) -> CandidateSentence:
        """Return the statement that a candidate stands in."""
        return self.statements[int(self.owner[place])]

    def _places(self) -> Iterator[tuple[int, int, int]]:
        """Yield the statement, the start and the end of each candidate."""
        for i in range(len(self.owner)):
            yield int(self.owner[i]), int(self.start[i]), int(self.end[i])

    def text(self, place: int) -> str:
        """Return a candidate's text as it stands in its line."""
        line = self.statement(place).line
        return line.text[line.tokens[int(self.start[place])].start : line.tokens[int(self.end[place]) - 1].end]

    def worded(self, place: int) -> str:
        """Return a candidate as an answer, in the third person."""
        return self.reader.worded(self.text(place), self._asked)

    def says(self, place: int) -> set[str]:
        """Return the roots of a candidate that the question does not have."""
        return self.reader.roots(self.text(place)) - self._asked.every

    def has(self, text: str) -> bool:
        """Tell if a phrase says much the same as a text."""
        return bool((self._sameness(self.reader.roots(text)) >= SAME).any())

    def _sameness(self, said: set[str]) -> Values:
        """Return the share of words that each candidate has in common with what is said."""
        made = [self.reader.roots(self.text(place)) for place in range(len(self))] if said else []
        shares = [len(words & said) / len(words | said) for words in made]
        return np.array(shares or [0.0] * len(self), np.float32)

    def features(self, place: int) -> dict[str, float]:
        """Return the features of a candidate by name, but for its classes."""
        return dict(zip(DENSE, self.dense[place].tolist(), strict=True))

    def scores(self, weights: Values) -> Values:
        """Return the score of each candidate."""
        width, shift = _width(), _width() * (1 + self.group)
        first = width - len(DENSE)
        total = weights[self.ids].sum(axis=1) + weights[self.ids + shift].sum(axis=1)
        both = weights[first:width] + weights[first + shift : width + shift]
        return total + self.dense @ both

    def _features(self) -> tuple[Numbers, Values]:
        if not len(self.owner):
            return np.zeros((0, len(CATEGORIES)), np.int64), np.zeros((0, len(DENSE)), np.float32)
        kinds, offsets = self._joined()
        start, end = self.start + offsets[self.owner], self.end + offsets[self.owner]
        lengths = np.searchsorted(np.array(LENGTHS), end - start)
        ids = np.stack([lengths, kinds[start - 1], kinds[start], kinds[end - 1], kinds[end]], axis=1)
        ids += np.cumsum([0, *list(_SIZES.values())[:-1]])
        return ids, self._dense(kinds, start, end)

    def _joined(self) -> tuple[Numbers, Numbers]:
        """Return the classes of all tokens, with an edge before and after each line, and each line's first place."""
        parts: list[Numbers] = [np.array([c.EDGE])]
        offsets: list[int] = []
        place = 1
        for statement in self.statements:
            offsets.append(place)
            parts += [statement.line.classes, np.array([c.EDGE])]
            place += len(statement.line.classes) + 1
        return np.concatenate(parts), np.array(offsets, np.int64)

    def _dense(self, kinds: Numbers, start: Numbers, end: Numbers) -> Values:
        columns: dict[str, NDArray[Any]] = {}
        names = ("cover", "cover_before", "cover_turn", "rank", "score", "cosine", "own", "other", "asks", "caption",
                 "reply", "second", "verb", "date", "fit", "leads", "cosine_before",
                 "turn_fit", "beside", "behind_best", "response", "greets", "match", "soft",
                 "soft_around", "lack")  # fmt: skip
        by_line = np.array([[s.features.get(name, 0.0) for name in names] for s in self.statements], np.float32)
        columns.update(zip(names, by_line[self.owner].T, strict=True))
        self._by_words(columns, kinds, start, end)
        columns["fills"] = self._fills()
        self._by_tree(columns)
        self._by_sort(columns)
        columns["ruled"] = self._sameness(self._ruled)
        columns["fills_match"] = columns["fills"] * columns["match"]
        return np.stack([columns[name] for name in DENSE], axis=1).astype(np.float32)

    def _fills(self) -> Values:
        """Return how far each candidate is what fills the gap of the question: the share of words in both."""
        made = np.zeros(len(self.owner), np.float32)
        for of, shares in self._shared([s.tree.fills for s in self.statements]):
            made[of] = shares.max(axis=0)
        return made

    def _by_tree(self, columns: dict[str, NDArray[Any]]) -> None:
        """Add how far each candidate is a phrase of the tree: of any role, and of each."""
        for name in ("phrase", *(f"phrase_{role}" for role in get_args(PhraseRole))):
            columns[name] = np.zeros(len(self.owner), np.float32)
        phrases = [s.tree.phrases for s in self.statements]
        for of, shares in self._shared([[each[:2] for each in line] for line in phrases]):
            roles = phrases[int(self.owner[of[0]])]
            best = shares.max(axis=0)
            columns["phrase"][of] = best
            for share, (_, _, role) in zip(shares, roles, strict=True):
                # A phrase inside another is that phrase's part, not it.
                columns[f"phrase_{role}"][of] = np.maximum(columns[f"phrase_{role}"][of], share * (share == best))

    def _shared(self, spans: Sequence[Sequence[tuple[int, int]]]) -> Iterator[tuple[Numbers, Values]]:
        """Yield the candidates of each statement with spans, and the share of words that each span has in common."""
        for number, (statement, held) in enumerate(zip(self.statements, spans, strict=True)):
            of = np.flatnonzero(self.owner == number)
            if not len(of) or not held:
                continue
            starts = np.array([token.start for token in statement.line.tokens], np.int64)
            low, high = np.searchsorted(starts, np.array(held, np.int64).T)
            first, last = self.start[of], self.end[of]
            both = np.minimum(last, high[:, None]) - np.maximum(first, low[:, None])
            either = np.maximum(last, high[:, None]) - np.minimum(first, low[:, None])
            yield of, (np.maximum(both, 0) / np.maximum(either, 1)).astype(np.float32)

    def _by_sort(self, columns: dict[str, NDArray[Any]]) -> None:
        """Add how near the head of each candidate is to each sort: its last content word before a preposition."""
        heads = [self._head(*place) for place in self._places()]
        for sort in get_args(Sort):
            values = self._lexis.sorts.get(sort, {})
            columns[f"sort_{sort}"] = np.array([values.get(head, 0.0) for head in heads], np.float32)

    def _head(self, number: int, start: int, end: int) -> str:
        line, head = self.statements[number].line, ""
        for place in range(start, end):
            if head and line.classes[place] in (c.PREPOSITION, c.MARK, c.CLAUSE):
                break
            if line.tokens[place].content:
                head = line.tokens[place].lower
        return head.removesuffix("'s")

    def _by_words(self, columns: dict[str, NDArray[Any]], kinds: Numbers, start: Numbers, end: Numbers) -> None:
        hit, content, verb, sim, rare, vague, like = self._tokens(len(kinds))
        hits, contents = _sums(hit), _sums(content)
        size = np.maximum(contents[end] - contents[start], 1)
        repeated = (hits[end] - hits[start]) / size
        columns["repeated"] = repeated
        columns["all_repeated"] = repeated >= 1
        columns["content"] = np.minimum(size, 8) / 4
        spoken = _sums(_among(kinds, (c.SPEAKER, c.POSSESSIVE)))
        columns["spoken"] = np.minimum(spoken[end] - spoken[start], 3)
        praise = _sums(kinds == c.PRAISE)
        columns["praise"] = np.minimum(praise[end] - praise[start], 2)
        edges = _sums(_among(kinds, (c.MARK,)))
        columns["crosses"] = np.minimum(edges[end] - edges[start], 2)
        named = _sums(_among(kinds, (c.PERSON, c.PLACE, c.NAME)))
        columns["named"] = (named[end] - named[start]) / (end - start)
        number = _sums(kinds == c.NUMBER)
        columns["number"] = np.minimum(number[end] - number[start], 1)
        columns["whole"] = (kinds[start - 1] == c.EDGE) & (kinds[end] == c.EDGE)
        columns["opening"] = kinds[start - 1] == c.EDGE
        of = _sums(kinds == c.PREPOSITION)
        finite = _sums(_among(kinds, (c.BE, c.AUXILIARY, c.SPEAKER, c.PRONOUN, c.LETS)))
        columns["finite"] = np.minimum(finite[end] - finite[np.minimum(start + 1, end)], 3)
        columns["finite_first"] = _among(kinds[start], (c.SPEAKER, c.PRONOUN))
        comma, joined = _sums(kinds == c.MARK), _sums(kinds == c.CONJUNCTION)
        columns["listed"] = (comma[end] - comma[start] > 0) & (joined[end] - joined[start] > 0)
        self._by_clauses(columns, kinds, hits, start, end)
        columns["list_cut"] = (kinds[start - 1] == c.MARK) & ((joined[end + 1] - joined[start]) > 0)
        columns["is_of"] = np.minimum(of[end] - of[start], 2)
        columns["after_hit"] = np.exp(-_since(hit)[start] / 4)
        columns["before_hit"] = np.exp(-_since(hit[::-1])[::-1][end - 1] / 4)
        columns["after_verb"] = np.exp(-_since(verb)[start] / 2)
        columns["sim"] = _most(sim, start, end)
        columns["sim_last"] = sim[end - 1]
        rares, vagues = _sums(rare), _sums(vague)
        columns["rare"] = (rares[end] - rares[start]) / size
        columns["rarest"] = _most(rare, start, end)
        columns["rare_last"] = rare[end - 1]
        columns["vague"] = (vagues[end] - vagues[start]) / size
        columns["vague_last"] = vague[end - 1]
        acts = _sums(_among(kinds, (c.VERB, c.PAST)))
        columns["verbs"] = np.minimum(acts[end] - acts[np.minimum(start + 1, end)], 2)
        likes = _sums(like)
        columns["like"] = (likes[end] - likes[start]) / size
        columns["like_after"] = np.maximum(like[np.maximum(start - 1, 0)], like[np.maximum(start - 2, 0)])
        columns["like_clause"] = self._like_around(like, kinds, start, end)
        columns["rare_repeated"] = columns["rare"] * repeated

    def _by_clauses(
        self, columns: dict[str, NDArray[Any]], kinds: Numbers, hits: Values, start: Numbers, end: Numbers
    ) -> None:
        """Add the features of the clause around each candidate, from mark to mark."""
        edge = _among(kinds, (c.MARK, c.EDGE))
        places = np.arange(len(kinds))
        opens = np.maximum.accumulate(np.where(edge, places, 0)) + 1
        closes = np.minimum.accumulate(np.where(edge, places, len(kinds) - 1)[::-1])[::-1]
        first, last = opens[start - 1], closes[end]
        around = (hits[last] - hits[first]) - (hits[end] - hits[start])
        columns["clause_hits"] = np.minimum(around, 4) / 2
        columns["clause_start"] = first == start
        columns["clause_end"] = last == end
        columns["clause_whole"] = (first == start) & (last == end)
        columns["reply_first"] = (self._first_of_reply()[self.owner] > 0) & (start - first < 3)
        quote = np.array([word == '"' for word in self._lowers()])
        columns["quoted"] = (quote[start - 1] > 0) & (quote[end] > 0)
        columns["bare"] = (kinds[start - 1] == c.ARTICLE) | (kinds[start - 1] == c.POSSESSIVE)

    def _like_around(self, like: Values, kinds: Numbers, start: Numbers, end: Numbers) -> Values:
        """Return the greatest similarity to the question's words among the line's words outside each candidate."""
        edges = np.flatnonzero(kinds == c.EDGE)
        first, last = edges[self.owner] + 1, edges[self.owner + 1]
        before = _most(like, first, np.maximum(start, first + 1)) * (start > first)
        after = _most(like, end, np.maximum(last, end + 1)) * (last > end)
        return np.maximum(before, after)

    def _first_of_reply(self) -> Values:
        return np.array([s.place == 0 and s.before is not None for s in self.statements], np.float32)

    def _tokens(self, length: int) -> Values:
        """Return seven values per token: root in the question, content word, the question's verb, and ``Lexis`` values.

        The last four are the nearness to the focus, rarity, vagueness, and similarity to the question's words.
        """
        made = np.zeros((7, length), np.float32)
        lexis, is_vague = self._lexis, self.reader.is_vague
        place, roots, verb = 1, self._asked.every, self._asked.verb
        for statement in self.statements:
            for token in statement.line.tokens:
                if token.content:
                    made[0, place] = token.root in roots
                    made[1, place] = 1
                    made[3, place] = lexis.near.get(token.lower, 0.0)
                    made[4, place] = lexis.rare.get(token.lower, 0.0)
                    made[5, place] = is_vague(token.lower)
                    made[6, place] = lexis.like.get(token.lower, 0.0)
                made[2, place] = token.root == verb and bool(verb)
                place += 1
            place += 1
        return made


def _calls(word: str, names: set[str]) -> bool:
    plain = word.removesuffix("'s")
    return plain in names or (len(plain) > 2 and any(name.startswith(plain) for name in names))


@lru_cache(maxsize=64)
def _table(classes: tuple[int, ...]) -> NDArray[np.bool_]:
    made = np.zeros(len(c.NAMES), np.bool_)
    made[list(classes)] = True
    return made


def _among(kinds: Numbers, classes: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return a boolean per token: its class is one of ``classes``."""
    return _table(classes)[kinds]


def _sums(values: NDArray[np.generic]) -> Values:
    return np.concatenate([[0], np.cumsum(values)]).astype(np.float32)


def _since(marked: Values) -> Values:
    """Return the number of tokens between each place and the last marked one before it; 99 if there is none."""
    places = np.arange(len(marked))
    last = np.maximum.accumulate(np.where(marked > 0, places, -99))
    before = np.concatenate([[-99], last[:-1]])
    return np.minimum(places - before - 1, 99).astype(np.float32)


def _most(values: Values, start: Numbers, end: Numbers) -> Values:
    """Return the greatest value from each start to each end."""
    bounds = np.stack([start, end], axis=1).ravel()
    padded = np.concatenate([values, [0]]).astype(np.float32)
    return np.maximum.reduceat(padded, bounds)[::2]


_FILE: Final = "weights.json"


@lru_cache(maxsize=1)
def _weights_file() -> dict[str, dict[str, float]]:
    return json.loads((files("hmem.retrieval.answer") / _FILE).read_text("utf-8"))


@lru_cache(maxsize=4)
def coefficients(name: str) -> dict[str, float]:
    """Return the coefficients of a logistic function over the signs of an answer: ``told`` or ``right``."""
    return _weights_file().get(name, {})


@lru_cache(maxsize=1)
def weights() -> NDArray[np.float32]:
    """Return the weights of the candidates' features, in their order; zero for those that the file leaves out."""
    held = _weights_file()["spans"]
    return np.array([held.get(name, 0.0) for name in names_of_features()], np.float32)


def forget() -> None:
    """Clear the caches, so that the file is read again after training has written another."""
    for kept in (_weights_file, coefficients, weights):
        kept.cache_clear()


# Limits of a list: score below the best item, number of items, and words of a further item.
MARGIN: Final = 1.75
MOST: Final = 4
_LONGEST: Final = 3


def collected(candidates: AnswerCandidates, scores: NDArray[np.float32], question: frozenset[str]) -> list[int]:
    """Return the candidates that form a list, best first: at most one per turn, and none that repeats another."""
    order = np.argsort(-scores, kind="stable").tolist()
    chosen: list[int] = []
    said: set[str] = set()
    for place in order:
        if len(chosen) == MOST or scores[place] < scores[order[0]] - MARGIN:
            break
        words = candidates.reader.roots(candidates.text(place)) - question
        turn = candidates.statement(place).turn
        if not words or words & said or any(candidates.statement(i).turn == turn for i in chosen):
            continue
        if chosen and len(words) > _LONGEST:
            continue
        said |= words
        chosen.append(place)
    return chosen


def joined(texts: Sequence[str]) -> str:
    """Return the items of a list in one line."""
    return ", ".join(texts)
