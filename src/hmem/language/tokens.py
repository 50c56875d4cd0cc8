"""Counting tokens: budgets are exact by the bundled tokenizer, WordLlama's (Llama 2's, 32,000 pieces)."""

from collections.abc import Sequence

from hmem.language.embed.wordllama import load_tokenizer


def count_tokens(text: str) -> int:
    """How many tokens a text has."""
    return len(load_tokenizer().encode(text, add_special_tokens=False).ids)


def count_each(texts: Sequence[str]) -> list[int]:
    """How many tokens each of the texts has by itself."""
    return [len(encoding.ids) for encoding in load_tokenizer().encode_batch(list(texts), add_special_tokens=False)]
