"""Threads: the sentences of a speaker on one matter, joined by rare words in common and by likeness of meaning.

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
from hmem.language.verbatim.topic_names import rarity
from hmem.model.note import SINGLE_SLOTS, THREAD

_MODEL: Final = "minilm"
# Least share of the content words of the shorter sentence that two sentences of a thread have in common.
_SHARE: Final = 0.25
# Fewest content words in common and least cosine, and the same with rare words: one pair of each is enough. Of 348
# pairs labelled by hand it joins 33, all rightly (`benchmarks/judged.py`). One word in common is not enough: the name
# of a child or a dog joins whatever is told of them.
_ALIKE: Final = ((2, 0.7), (4, 0.55))
_ALIKE_BY_RARE: Final = ((2, 0.55), (3, 0.4))
_RARE: Final = 0.9
# Where the encoder does not know the language: fewest content words in common, and least share of them.
_WORDS_ALONE: Final = 2
_SHARE_ALONE: Final = 0.6
_FEWEST: Final = 2
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
    common, shorter = older_stems & newer_stems, min(len(older_stems), len(newer_stems))
    if not common or len(common) < _SHARE * shorter:
        return _INDEPENDENT
    if older_stems == newer_stems and [*map(str.lower, words(texts[0]))] == [*map(str.lower, words(texts[1]))]:
        return _REPEATS
    if len(common) < _FEWEST:
        return _INDEPENDENT
    if not all(map(reads_as_english, texts)):
        alike = len(common) >= max(_WORDS_ALONE, _SHARE_ALONE * shorter)
    else:
        counts = len(common), len(_rare_stems(texts[0]) & _rare_stems(texts[1]))
        alike = any(
            count >= fewest and _cosine(*texts) >= least
            for count, pairs in zip(counts, (_ALIKE, _ALIKE_BY_RARE), strict=True)
            for fewest, least in pairs
        )
    return _GOES_ON if alike else _INDEPENDENT


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
def _rare_stems(text: str) -> frozenset[str]:
    """Return the content stems of an English text whose words are rare, and neither times nor numbers."""
    times, text_language = language_rules().time_words, language(text)
    rare = frozenset(
        stem
        for word in words(text.lower())
        if word not in times and not word.isdigit()
        for stem in query_stems(word, text_language)
        # "Stays" is no rarer than "stay".
        if min(rarity(word), rarity(stem)) >= _RARE
    )
    return rare & content_stems(text)


def _cosine(first: str, second: str) -> float:
    return float(_vector(first) @ _vector(second))


@lru_cache(maxsize=_CACHED)
def _vector(text: str) -> NDArray[np.float32]:
    return embedder(_MODEL).embed([text])[0]


def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the unit vectors of texts by the encoder, a row each."""
    return np.array([_vector(text) for text in texts], np.float32).reshape(-1, embedder(_MODEL).dimension)
