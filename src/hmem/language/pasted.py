"""Contexts of hmem that somebody pasted into a text, and texts without some of their spans."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from hmem.language.regex import regex

Span = tuple[int, int]

_WORD: Final = regex(r"[^\W_]+")
_MARKER: Final = regex(r"[\W_]*(?:\d{1,3}[.)])?[\W_]*")

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


def pasted_contexts(text: str) -> list[Span]:
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


def remove_spans(text: str, spans: Sequence[Span], stop_words: Collection[str]) -> str:
    """Return a text without some spans, which do not overlap; "" if no content word is left."""
    fragments: list[str] = []
    position = 0
    for start, end in spans:
        fragment = text[position:start]
        fragments.append(f"{fragment.rstrip()} " if fragment and not fragment.endswith("\n") else fragment)
        position = end
    # Otherwise the bullets of removed list items would be left.
    lines = ("".join(fragments) + text[position:]).splitlines()
    remainder = "\n".join(line for line in lines if not line.strip() or not _MARKER.fullmatch(line)).strip()
    return remainder if any(word not in stop_words for word in _WORD.findall(remainder.lower())) else ""
