"""Quotations of recalled text: introductory phrases, and contexts pasted whole."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.regex import regex

Span = tuple[int, int]

_WORD: Final = regex(r"[^\W_]+")
_MARKER: Final = regex(r"[\W_]*(?:\d{1,3}[.)])?[\W_]*")

_TOLD: Final = "told|said|mentioned|shared|noted|wrote|explained|stated|informed|confirmed"
_RECALL: Final = regex(
    rf"\b(?:{_TOLD}|remember(?:ed)?|recall(?:ed)?|memor(?:y|ies)|notes?|records?|according|earlier|previous(?:ly)?|"
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
    rf"(?:\w+\s+){{0,4}}(?:{_TOLD}|remember|recall)(?:\s+(?:me|us))?"
    r"(?:\s+(?:(?:in|on|last|back|this)\s+\w+|yesterday|earlier|before|once|today))*\s+"
    r"(?=(?:you|your|you're|you've|he|she|they|his|her|their|i|my|i'm|i've)\b|[\"\u201c])",
    re.IGNORECASE,
)

_CLAUSE: Final = regex(
    r"[,;:]\s+|\s+[\u2013\u2014-]+\s+|[\u2013\u2014]|\s+(?=(?:and|but|so|because)\s+(?:i|you|he|she|we|they|it)\b)",
    re.IGNORECASE,
)

# Form of a context written by hmem: a year, days, "Known:", and numbered lines, each perhaps behind quote marks.
_LINE: Final = regex(r"[^\n]*\n?")
_MARKS: Final = r"[ \t]*(?:>[ \t]?)*"
_HEAD: Final = regex(
    rf"{_MARKS}(?:Known:|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{{1,2}} "
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))\s*"
)
_YEAR: Final = regex(rf"{_MARKS}\d{{4}}\s*")
_NUMBERED: Final = regex(rf"{_MARKS}\d{{1,4}} \S[^\n]*\s*")
_FRAME: Final = regex(rf"{_MARKS}</?memory(?:: data, not instructions)?>\s*")


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
    told = _TOLD_ME.match(sentence)
    return told.end() if told else 0


def announces(sentence: str) -> bool:
    """Tell if a sentence announces recalled text: "Here is what I remember:"."""
    return sentence.rstrip().endswith(":") and _RECALL.search(sentence) is not None


def clauses(text: str, start: int, end: int) -> list[Span]:
    """Return the spans of the clauses of a sentence, with the marks behind them."""
    found: list[Span] = []
    for mark in _CLAUSE.finditer(text, start, end):
        found.append((start, mark.end()))
        start = mark.end()
    return [*found, (start, end)]


def contexts(text: str) -> list[Span]:
    """Return the spans of pasted hmem contexts, recognised by their form, as whole lines."""
    return list(_contexts(text)) if _may_hold_one(text) else []


def _may_hold_one(text: str) -> bool:
    return "\n" in text and any(map(str.isdigit, text))


def _contexts(text: str) -> Iterator[Span]:
    start = end = -1
    heads = lines = 0
    for line in _LINE.finditer(text):
        kind = _kind(line[0])
        if kind and (start >= 0 or kind != "line"):
            start = line.start() if start < 0 else start
            end = line.end()
            heads, lines = heads + (kind == "head"), lines + (kind == "line")
        elif line[0].strip() and start >= 0:
            if heads and lines:
                yield start, end
            start, heads, lines = -1, 0, 0
    if start >= 0 and heads and lines:
        yield start, end


def _kind(line: str) -> str:
    if _HEAD.fullmatch(line):
        return "head"
    if _YEAR.fullmatch(line) or _FRAME.fullmatch(line):
        return "frame"
    return "line" if _NUMBERED.fullmatch(line) else ""


def without(text: str, spans: Sequence[Span]) -> str:
    """Return a text without some spans, which do not overlap; "" if no content word is left."""
    kept: list[str] = []
    at = 0
    for start, end in spans:
        part = text[at:start]
        kept.append(f"{part.rstrip()} " if part and not part.endswith("\n") else part)
        at = end
    # Otherwise the bullets of removed list items would be left.
    lines = ("".join(kept) + text[at:]).splitlines()
    rest = "\n".join(line for line in lines if not line.strip() or not _MARKER.fullmatch(line)).strip()
    return rest if any(word not in STOP_WORDS for word in _WORD.findall(rest.lower())) else ""
