"""Counting tokens: budgets are exact by the bundled tokenizer."""

from functools import lru_cache

from hmem.language.tokenizer import load_tokenizer


@lru_cache(maxsize=16_384)
def count_tokens(text: str) -> int:
    """How many tokens a text has. Remembered: the same turns are recalled again and again."""
    return len(load_tokenizer().encode_batch_fast([text], add_special_tokens=False)[0].ids)
