"""Quotations of recalled text: the phrases that introduce them, and clauses."""

import re
from typing import Final

from hmem.language.regex import regex

Span = tuple[int, int]


_TELL_VERBS: Final = "told|said|mentioned|shared|noted|wrote|explained|stated|informed|confirmed"
_RECALL: Final = regex(
    rf"\b(?:{_TELL_VERBS}|remember(?:ed)?|recall(?:ed)?|memor(?:y|ies)|notes?|records?|according|earlier|previous(?:ly)?|"
    r"conversations?|discussed|know|quote|words)\b",
    re.IGNORECASE,
)
# Opening of a sentence, up to a comma, a colon or "that".
_OPENING: Final = regex(r"[^,:.!?\n]{1,80}?(?:[,:]\s*|\s+that\s+)", re.IGNORECASE)
_HEM: Final = regex(
    r"(?:well|so|yes|yeah|sure|right|ok|okay|also|and|but|ah|oh|of course|certainly)[,!.]?\s+", re.IGNORECASE
)
# "You told me last week you …", without a mark between.
_TOLD_ME: Final = regex(
    rf"(?:\w+\s+){{0,4}}(?:{_TELL_VERBS}|remember|recall)(?:\s+(?:me|us))?"
    r"(?:\s+(?:(?:in|on|last|back|this)\s+\w+|yesterday|earlier|before|once|today))*\s+"
    r"(?=(?:you|your|you're|you've|he|she|they|his|her|their|i|my|i'm|i've)\b|[\"\u201c])",
    re.IGNORECASE,
)

_CLAUSE: Final = regex(
    r"[,;:]\s+|\s+[\u2013\u2014-]+\s+|[\u2013\u2014]|\s+(?=(?:and|but|so|because)\s+(?:i|you|he|she|we|they|it)\b)",
    re.IGNORECASE,
)


def length_of_lead(sentence: str) -> int:
    """Return the length in characters of an opening like "As you told me in May, …"; 0 without one."""
    hem = _HEM.match(sentence)
    if hem:
        inner = length_of_lead(sentence[hem.end() :])
        return hem.end() + inner if inner else 0
    opening = _OPENING.match(sentence)
    if opening and opening.end() < len(sentence) and _RECALL.search(opening[0]):
        inner = length_of_lead(sentence[opening.end() :])
        return opening.end() + inner
    match = _TOLD_ME.match(sentence)
    return match.end() if match else 0


def announces(sentence: str) -> bool:
    """Tell if a sentence announces recalled text: "Here is what I remember:"."""
    return sentence.rstrip().endswith(":") and _RECALL.search(sentence) is not None


def clauses(text: str, start: int, end: int) -> list[Span]:
    """Return the spans of the clauses of a sentence, with the marks behind them."""
    spans: list[Span] = []
    for mark in _CLAUSE.finditer(text, start, end):
        spans.append((start, mark.end()))
        start = mark.end()
    return [*spans, (start, end)]
