"""Parts of texts that contexts are written from: the line, its sentences, their stems and tokens, computed once.

The same turns are recalled again and again, and a long turn has dozens of sentences.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from sys import intern
from typing import Final, NamedTuple

from hmem.language.analyzer import stems, words
from hmem.language.prompt_text import lines_of, quote_text
from hmem.language.tokens import count_tokens
from hmem.util.caches import register_cache

# Number of characters whose parts are kept; their stems take some four bytes each, their words some ten.
_MAX_CHARACTERS: Final = 1_000_000


class CountedText(NamedTuple):
    """Text on one line, and its tokens."""

    text: str
    tokens: int


class TextParts:
    """Parts of one text. ``line`` is all of it, quoted for a prompt."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.line = quote_text(text)

    @cached_property
    def counted_line(self) -> CountedText:
        """Line with its tokens."""
        return CountedText(self.line, count_tokens(self.line))

    @cached_property
    def words(self) -> frozenset[str]:
        """Words of the text in lower case."""
        return frozenset(map(intern, words(self._text.lower())))

    @cached_property
    def sentences(self) -> Sequence[CountedText]:
        """Sentences in their order, each on one line."""
        return [CountedText(line, count_tokens(line)) for line in lines_of(self._text)]

    @cached_property
    def sizes(self) -> Sequence[int]:
        """Number of tokens of each sentence."""
        return [tokens for _, tokens in self.sentences]

    @cached_property
    def _stems(self) -> tuple[str, Sequence[int]]:
        """Return the stems of all sentences as one text, and where each sentence begins in it."""
        sentence_stems = [f" {' '.join(stems(sentence.text))} " for sentence in self.sentences]
        return "".join(sentence_stems), [0, *accumulate(map(len, sentence_stems))]

    def count_shared(self, terms: Iterable[str]) -> list[int]:
        """Return how many of some stems each sentence has."""
        all_stems, starts = self._stems
        counts = [0] * (len(starts) - 1)
        for term in terms:
            mark = f" {term} "
            position = all_stems.find(mark)
            while position >= 0:
                sentence_number = bisect_right(starts, position) - 1
                counts[sentence_number] += 1
                position = all_stems.find(mark, starts[sentence_number + 1])
        return counts


class TextPartsCache:
    """Cache of the parts of texts, by text. Not thread-safe; it is emptied when a turn is forgotten."""

    def __init__(self) -> None:
        self._parts: dict[str, TextParts] = {}
        self._characters = 0
        register_cache(self)

    def cache_clear(self) -> None:
        """Forget all texts."""
        self._parts = {}
        self._characters = 0

    def of_text(self, text: str) -> TextParts:
        """Return the parts of a text."""
        parts_of_text = self._parts.get(text)
        if parts_of_text is None:
            parts_of_text = TextParts(text)
            self._parts[text] = parts_of_text
            self._characters += len(text)
            while self._characters > _MAX_CHARACTERS and len(self._parts) > 1:
                oldest = next(iter(self._parts))
                del self._parts[oldest]
                self._characters -= len(oldest)
        return parts_of_text
