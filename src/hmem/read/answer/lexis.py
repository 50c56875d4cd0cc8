"""What single words are worth for a question: how rare they are, how near to its noun, how like its own words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hmem.index.analyze import stems
from hmem.language.analyst.rules.lexicon import vague_stems
from hmem.language.analyst.rules.wording import stem
from hmem.read.answer.asking import Asked
from hmem.read.answer.statements import Statement
from hmem.read.answer.support import Meanings, Unheard
from hmem.read.sources import Sources

# The rarity (idf) above which a word is as rare as can be.
_RAREST = 7.0


@dataclass(frozen=True, slots=True)
class Lexis:
    """By lower-cased word, each from about 0 to 1: ``near`` the noun that the answer is one of, ``rare`` in the memory,
    ``like`` the question's words, by meaning."""

    near: dict[str, float]
    rare: dict[str, float]
    like: dict[str, float]


class Rarities:
    """How rare words are in a memory, from 0 to 1; looked up once each."""

    def __init__(self, sources: Sources) -> None:
        self._corpus = sources.corpus
        self._kept: dict[str, float] = {}

    def of(self, words: Sequence[str]) -> dict[str, float]:
        """The rarity of each word."""
        new = [word for word in words if word not in self._kept]
        if new:
            terms = [_term(word) for word in new]
            self._kept.update(zip(new, (min(idf / _RAREST, 1.0) for idf in self._corpus.rarities(terms)), strict=True))
        return {word: self._kept[word] for word in words}


def lexis_of(sources: Sources, asked: Asked, statements: Sequence[Statement]) -> Lexis:
    """The words of the statements that say something."""
    words = sorted({token.lower for s in statements for token in s.line.tokens if token.content})
    if not words:
        return Lexis({}, {}, {})
    meanings = meanings_of(sources)
    vectors = meanings.of(words)
    near = vectors @ meanings.of([" ".join(asked.focus)])[0] if asked.focus else np.zeros(len(words), np.float32)
    like = _likeness(meanings, vectors, asked)
    return Lexis(
        dict(zip(words, near.tolist(), strict=True)),
        sources.kept(Rarities).of(words),
        dict(zip(words, like.tolist(), strict=True)),
    )


def meanings_of(sources: Sources) -> Meanings:
    """The vectors of short texts, by the memory's embedder; all alike and like nothing while that cannot be had."""
    return Unheard(sources.corpus.embedder) if sources.deaf else sources.kept(_meanings)


def _meanings(sources: Sources) -> Meanings:
    return Meanings(sources.corpus.embedder)


def _likeness(meanings: Meanings, vectors: NDArray[np.float32], asked: Asked) -> NDArray[np.float32]:
    """How like each word is to the question's word that it is most like."""
    if not asked.content:
        return np.zeros(len(vectors), np.float32)
    return np.maximum((vectors @ meanings.of(asked.content).T).max(axis=1), 0)


@lru_cache(maxsize=20_000)
def is_vague(word: str) -> bool:
    """Whether a lower-cased word names nothing in particular: "thing", "way"."""
    return stem(word.removesuffix("'s")) in vague_stems()


@lru_cache(maxsize=20_000)
def _term(word: str) -> str:
    return (*stems(word), "")[0]
