"""Evidence written for a reader with a token budget.

One date line for a day and session, the turns under it in order, each on one line behind its citation. The
text is data for a prompt: it stands between ``<memory>`` and ``</memory>``, no turn can close that or fake a
line, and nothing in it is an instruction. What does not fit is left out, the least relevant first.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from hmem.index.analyze import stems
from hmem.language.tokens import count_tokens
from hmem.model.evidence import Context, Evidence

_OPEN: Final = "<memory>"
_CLOSE: Final = "</memory>"
_FRAME: Final = 12

# A turn of more than this part of the budget is cut to what answers the question best.
_LONGEST_SHARE: Final = 3
_CHARACTERS_A_TOKEN: Final = 16
_SHORTEST: Final = 4
_GAP: Final = "…"

_BREAKS: Final = re.compile(r"\s+")
_SENTENCES: Final = re.compile(r"(?<=[.!?\u2026\u3002\uff01\uff1f])\s*(?=\S)|\n+")


class _Line(NamedTuple):
    rank: int
    evidence: Evidence
    text: str
    tokens: int


def write_context(question: str, evidence: Sequence[Evidence], budget: int, terms: Sequence[str]) -> Context:
    """The context for a question from evidence, best first, in at most ``budget`` tokens.

    ``terms`` are the question's stems, by which long turns are cut.
    """
    lines = _lines(evidence, budget, frozenset(terms))
    chosen = _choose(lines, budget)
    text, citations = _lay_out(chosen)
    tokens = count_tokens(text)
    while tokens > budget and chosen:
        # Lines are counted one by one, and pieces may fall otherwise where they join.
        chosen = sorted(chosen, key=lambda line: line.rank)[:-1]
        text, citations = _lay_out(chosen)
        tokens = count_tokens(text)
    if not chosen:
        text, tokens = "", 0
    kept = tuple(line.evidence for line in sorted(chosen, key=lambda line: line.rank))
    return Context(question, text, tokens, budget, kept, citations)


def _lines(evidence: Sequence[Evidence], budget: int, terms: frozenset[str]) -> list[_Line]:
    longest = max(budget // _LONGEST_SHARE, 1)
    texts = [_body(item) for item in evidence]
    texts = [
        text if _fits(text, longest) else _excerpt(item, terms, longest)
        for item, text in zip(evidence, texts, strict=True)
    ]
    return [_Line(rank, *parts, count_tokens(parts[1])) for rank, parts in enumerate(zip(evidence, texts, strict=True))]


def _fits(text: str, tokens: int) -> bool:
    """Whether a text has at most so many tokens; one that is far too long is not counted to its end."""
    return len(text) <= tokens * _CHARACTERS_A_TOKEN and count_tokens(text) <= tokens


def _body(item: Evidence) -> str:
    said = f"{item.speaker}: {_one_line(item.text)}" if item.speaker else _one_line(item.text)
    return f"{said} [photo: {_one_line(item.caption)}]" if item.caption else said


def _one_line(text: str) -> str:
    """Without line breaks, and without anything that closes the frame."""
    flat = _BREAKS.sub(" ", text).strip()
    return flat.replace("</memory", "< /memory").replace("<memory", "< memory")


def _excerpt(item: Evidence, terms: frozenset[str], longest: int) -> str:
    """The sentences that share most words with the question, in their order, with gaps marked."""
    sentences = [_one_line(part) for part in _SENTENCES.split(item.text) if part.strip()]
    overlap = [len(terms.intersection(stems(sentence))) for sentence in sentences]
    room = longest - count_tokens(f"{item.speaker}: {_GAP}{_GAP}")
    kept: set[int] = set()
    for i in sorted(range(len(sentences)), key=lambda i: (-overlap[i], i)):
        if _fits(sentences[i], room - 1):
            kept.add(i)
            room -= count_tokens(sentences[i]) + 1
        if room < _SHORTEST:
            break
    pieces: list[str] = []
    for i in sorted(kept):
        if i and i - 1 not in kept:
            pieces.append(_GAP)
        pieces.append(sentences[i])
    if not kept:
        # One endless sentence: its beginning, by characters, of which a token has at least about one.
        pieces.append(_one_line(item.text)[: max(room, 1)])
    if len(sentences) - 1 not in kept:
        pieces.append(_GAP)
    return f"{item.speaker}: {' '.join(pieces)}" if item.speaker else " ".join(pieces)


def _choose(lines: Sequence[_Line], budget: int) -> list[_Line]:
    """As many lines as fit, by rank."""
    chosen: list[_Line] = []
    groups: set[tuple[str, str]] = set()
    left = budget - _FRAME
    for line in lines:
        group = _group(line)
        cost = line.tokens + 1 + len(f"[{len(chosen) + 1}]")
        if group not in groups:
            cost += count_tokens(_date_line(line.evidence.when)) + 1
        if cost <= left:
            left -= cost
            groups.add(group)
            chosen.append(line)
    return chosen


def _group(line: _Line) -> tuple[str, str]:
    return (line.evidence.when.date().isoformat(), line.evidence.session)


def _date_line(when: datetime) -> str:
    return f"{when:%a} {when.day} {when:%B} {when.year}"


def _lay_out(chosen: Sequence[_Line]) -> tuple[str, dict[str, str]]:
    written: list[str] = [_OPEN]
    citations: dict[str, str] = {}
    group: tuple[str, str] | None = None
    starts: dict[tuple[str, str], datetime] = {}
    for line in chosen:
        starts[_group(line)] = min(line.evidence.when, starts.get(_group(line), line.evidence.when))
    for line in sorted(
        chosen, key=lambda line: (starts[_group(line)], _group(line), line.evidence.when, line.evidence.id)
    ):
        if _group(line) != group:
            group = _group(line)
            written.append(_date_line(line.evidence.when))
        number = str(len(citations) + 1)
        citations[number] = line.evidence.id
        written.append(f"[{number}] {line.text}")
    return "\n".join([*written, _CLOSE]), citations
