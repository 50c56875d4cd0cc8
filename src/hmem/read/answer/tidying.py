"""The last touch: an answer in the third person, and no more of it than was asked for."""

import re
from typing import Final

from hmem.language.regex import regex
from hmem.read.answer.asking import Asked

_OWN: Final = regex(r"^(?:my|our|your|mine|this|that|these|those|some|such an?)\s+(?=\w)", re.IGNORECASE)
_LEADING: Final = regex(r"^(?:with|by|from|to|in|at|on|of)\s+(?=\w)", re.IGNORECASE)
_INNER: Final = (
    (regex(r"\bmy\b|\bour\b", re.IGNORECASE), "their"),
    (regex(r"\bmyself\b|\bourselves\b", re.IGNORECASE), "themselves"),
    (regex(r"\b(?:me|us)\b"), "them"),
    (regex(r"\b(?:I'm|we're)\b", re.IGNORECASE), "they're"),
    (regex(r"\b(?:I've|we've)\b", re.IGNORECASE), "they've"),
    (regex(r"\b(?:I'll|we'll)\b", re.IGNORECASE), "they'll"),
    (regex(r"\bI\b|\bwe\b|\bWe\b"), "they"),
)


def tidied(text: str, asked: Asked) -> str:
    """A phrase as an answer: its speaker's own words about themselves in the third person."""
    if asked.kind in ("person", "place", "name"):
        text = _LEADING.sub("", text.removesuffix("'s") if "whose" not in asked.text.lower() else text)
    told = _OWN.sub("", text.strip(" ,'\""))
    for pattern, instead in _INNER:
        told = pattern.sub(instead, told)
    return told
