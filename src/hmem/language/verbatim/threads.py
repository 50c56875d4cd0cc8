"""Threads: the sentences of a speaker on one matter, joined by shared content words and by likeness of meaning.

A thread is what a note is without a language model. Its newest sentence stands for it; nothing is closed: the older
ones stay, with their dates.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.base import DatedClaim, Verdict
from hmem.language.analyzer import language, query_stems, words
from hmem.language.embed import embedder
from hmem.language.languages import language_rules
from hmem.language.stemming import is_function_word, reads_as_english
from hmem.model.note import SINGLE_SLOTS, THREAD

_MODEL: Final = "minilm"
# Fewest content words that two sentences of a thread share, and the least share of those of the shorter one.
_MIN_COMMON_STEMS: Final = 1
_SHARE: Final = 0.25
# Least cosine of two sentences of a thread that share several content words, and one: the name of a child or a dog
# joins whatever is told of them. And what stands for it where the encoder does not know the language: the
# share of content words.
_COSINE: Final = 0.45
_COSINE_OF_ONE: Final = 0.5
_WORDS_ALONE: Final = 0.6
# Sentences whose vectors are cached.
_CACHED: Final = 8_192

_MAKER: Final = "verbatim"
_REPEATS: Final = Verdict("same", "said again", _MAKER)
_GOES_ON: Final = Verdict("extends", "a later sentence on the same matter", _MAKER)
_INDEPENDENT: Final = Verdict("independent", made_by=_MAKER)


def related(older: DatedClaim, newer: DatedClaim) -> Verdict:
    """Tell if a newer sentence goes on with the matter of an older one, or says the same again."""
    texts = older.claim.text, newer.claim.text
    older_stems, newer_stems = (content_stems(text) for text in texts)
    common = len(older_stems & newer_stems)
    if common < _MIN_COMMON_STEMS or common < _SHARE * min(len(older_stems), len(newer_stems)):
        return _INDEPENDENT
    if older_stems == newer_stems and [*map(str.lower, words(texts[0]))] == [*map(str.lower, words(texts[1]))]:
        return _REPEATS
    if not all(map(reads_as_english, texts)):
        return _GOES_ON if common >= _WORDS_ALONE * min(len(older_stems), len(newer_stems)) else _INDEPENDENT
    threshold = _COSINE if common > 1 else _COSINE_OF_ONE
    return _GOES_ON if float(_vector(texts[0]) @ _vector(texts[1])) >= threshold else _INDEPENDENT


def valued(older: DatedClaim, newer: DatedClaim) -> Verdict:
    """Return how two values of a typed slot relate: in a slot with one value, a different newer value replaces it."""
    if older.claim.value.casefold() == newer.claim.value.casefold():
        return _REPEATS
    if newer.claim.slot not in SINGLE_SLOTS:
        return _INDEPENDENT
    return Verdict("contradicts", f"{newer.claim.slot}: {older.claim.value}, then {newer.claim.value}", _MAKER)


def keys(dated_claim: DatedClaim) -> frozenset[str]:
    """Return the keys of a claim: only claims that share one are compared."""
    if dated_claim.claim.slot != THREAD:
        return frozenset((dated_claim.claim.slot,))
    return content_stems(dated_claim.claim.text)


@lru_cache(maxsize=_CACHED)
def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words that are no function words of its language."""
    tokens, text_language = words(text.lower()), language(text)
    content = (
        word for word in tokens if word not in language_rules().stop_words and not is_function_word(word, text_language)
    )
    return frozenset(stem for word in content for stem in query_stems(word, text_language))


@lru_cache(maxsize=_CACHED)
def _vector(text: str) -> NDArray[np.float32]:
    return embedder(_MODEL).embed([text])[0]


def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the unit vectors of texts by the encoder, a row each."""
    return np.array([_vector(text) for text in texts], np.float32).reshape(-1, embedder(_MODEL).dimension)
