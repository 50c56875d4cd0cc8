"""Exact token counts by the bundled tokenizer: WordLlama's (Llama 2's, 32,000 pieces), loaded without its weights."""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer

from hmem.errors import EmbedderUnavailable


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


@lru_cache(maxsize=16_384)
def count_tokens(text: str) -> int:
    """Return the number of tokens of a text. Cached: the same turns are recalled again and again."""
    return len(load_tokenizer().encode_batch_fast([text], add_special_tokens=False)[0].ids)
