"""Tokens of texts, and their counts, by the bundled tokenizer: WordLlama's (Llama 2's, 32,000 pieces).

It is loaded without its weights. A blank begins a piece of the vocabulary or is a piece of its own, so no token reaches
over the beginning of a word: the tokens of a text are those of its words. Each word is encoded once, which makes
counting ten times as fast.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tokenizers import Tokenizer

from hmem.errors import EmbedderUnavailable
from hmem.util.caches import register_cache

# Number of words whose tokens are cached, and the characters of the longest; what is longer is encoded data.
_WORDS: Final = 50_000
_LONGEST: Final = 64
# The tokenizer's own mark of a blank. A text that has it, several blanks in a row or a blank at an end is encoded as a
# whole, and so is one with a special token.
_BLANK: Final = "\u2581"
_SPECIAL: Final = ("<s>", "</s>", "<unk>")


def package_folder() -> Path:
    """Return the folder of the wordllama package.

    Raises:
        EmbedderUnavailable: the package is not installed.
    """
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailable("the package wordllama is not installed - pip install wordllama")
    return Path(spec.submodule_search_locations[0])


@lru_cache(maxsize=1)
def load_tokenizer() -> Tokenizer:
    """Load the bundled tokenizer: WordLlama's, by which budgets are counted.

    Raises:
        EmbedderUnavailable: the package or its tokenizer file is missing.
    """
    file = package_folder() / "tokenizers" / "l2_supercat_tokenizer_config.json"
    if not file.is_file():
        raise EmbedderUnavailable(f"wordllama lacks its tokenizer ({file}) - reinstall wordllama")
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


class _WordTokens:
    """Tokens of each word that was met, by their numbers."""

    def __init__(self) -> None:
        self._tokens: dict[str, tuple[int, ...]] = {}
        register_cache(self)

    def cache_clear(self) -> None:
        """Forget all words."""
        self._tokens = {}

    def encode(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Return the tokens of each of some words."""
        cache = self._tokens
        try:
            return [cache[word] for word in words]
        except KeyError:
            fresh = [word for word in dict.fromkeys(words) if word not in cache]
            encoded = dict(zip(fresh, _encoded(fresh), strict=True))
            tokens = [encoded[word] if word in encoded else cache[word] for word in words]
            if len(cache) + len(encoded) > _WORDS:
                self._tokens = cache = {}
            cache.update((word, word_tokens) for word, word_tokens in encoded.items() if len(word) <= _LONGEST)
            return tokens


_words: Final = _WordTokens()


def count_tokens(text: str) -> int:
    """Return the number of tokens of a text."""
    return sum(map(len, _by_word(text)))


def tokens_of(text: str) -> list[int]:
    """Return the tokens of a text, by their numbers in the vocabulary."""
    return [token for word_tokens in _by_word(text) for token in word_tokens]


def is_counted_by_word(text: str) -> bool:
    """Tell if the tokens of a text, which is not empty, are those of its words; else it is encoded as a whole."""
    needs_context = "  " in text or text[0] == " " or text[-1] == " " or _BLANK in text
    return not (needs_context or ("<" in text and any(special in text for special in _SPECIAL)))


def _by_word(text: str) -> list[tuple[int, ...]]:
    """Return the tokens of a text, word by word where it can be encoded so."""
    if not text:
        return []
    return _words.encode(text.split(" ")) if is_counted_by_word(text) else _encoded([text])


def _encoded(texts: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the tokens of each text."""
    return [tuple(encoding.ids) for encoding in load_tokenizer().encode_batch_fast(texts, add_special_tokens=False)]
