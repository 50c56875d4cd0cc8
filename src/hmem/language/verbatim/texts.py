"""Texts of nodes, entities and people, made of sentences as they were said, with who said them and when.

Nothing is said in other words: a text quotes the most important sentences, of which none repeats another, in the order
of time.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import Final, NamedTuple

from hmem.language.analyst.base import Claim, Excerpt, PersonaText, ProfileText, Subject
from hmem.language.sentences import split
from hmem.language.tokens import count_tokens
from hmem.language.verbatim.threads import content_stems
from hmem.model.note import THREAD

# Lines of a group that are read, the most important ones.
_LINES: Final = 200
# Share of a sentence's content words that may stand in those before it.
_REPEATED: Final = 0.6
# Factor on the importance of a sentence for each of its content words that is frequent in the group.
_CENTRAL: Final = 0.2
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Most lines of a persona.
_PERSONA_LINES: Final = 12


class Quotable(NamedTuple):
    """A sentence of a line with its content stems and its worth."""

    line: Excerpt
    place: int
    text: str
    stems: frozenset[str]
    worth: float


def summarise(group: Sequence[Excerpt], tokens: int) -> str:
    """Quote what is most important in some lines, in at most ``tokens`` tokens; "" if nothing fits."""
    lines = sorted(group, key=lambda line: -line.importance)[:_LINES]
    return _fitted(_chosen(_quotables(sorted(lines, key=lambda line: line.when))), tokens)


def profile(subject: Subject, tokens: int) -> ProfileText:
    """Quote what was said about an entity: the most important sentences with its name, and the newest ones."""
    name = subject.name.lower()
    told = [
        each for each in _quotables(subject.lines) if name in each.text.lower() or each.line.speaker == subject.name
    ]
    chosen = _chosen(told or _quotables(subject.lines))
    half = chosen[: max(len(chosen) // 2, 1)]
    newest = sorted((each for each in chosen if each not in half), key=lambda each: each.line.when, reverse=True)
    return ProfileText(_fitted(half, tokens), _fitted(newest, tokens))


def persona(claims: Sequence[Claim], tokens: int) -> PersonaText:
    """Quote the claims about a person, latest last: values of slots first, then sentences, the newest first."""
    slots = {claim.slot: claim for claim in claims if claim.slot != THREAD and claim.positive}
    lines = [f"{slot}: {claim.value}" for slot, claim in slots.items()]
    lines += [f"\u201c{claim.text}\u201d" for claim in reversed(claims) if claim.slot == THREAD]
    kept: list[str] = []
    for line in list(dict.fromkeys(lines))[: _PERSONA_LINES + len(slots)]:
        if count_tokens("\n".join((*kept, line))) > tokens:
            break
        kept.append(line)
    return PersonaText("\n".join(kept), tuple(claim.value for claim in slots.values()))


def _quotables(lines: Sequence[Excerpt]) -> list[Quotable]:
    found: list[Quotable] = []
    for line in lines:
        # A line without a speaker is a summary of other lines, whose sentences have theirs.
        texts = [piece.text for piece in split(line.text)] if line.speaker else line.text.splitlines()
        found += (Quotable(line, i, text, content_stems(text), line.importance) for i, text in enumerate(texts))
    counts: dict[str, int] = {}
    for each in found:
        for stem in each.stems:
            counts[stem] = counts.get(stem, 0) + 1
    return [
        each._replace(worth=each.worth * (1 + _CENTRAL * sum(counts[stem] > 1 for stem in each.stems)))
        for each in found
        if each.stems
    ]


def _chosen(told: Iterable[Quotable]) -> list[Quotable]:
    """Return sentences, the worthiest first, without those that mostly repeat worthier ones."""
    covered = set[str]()
    chosen: list[Quotable] = []
    for each in sorted(told, key=lambda each: (-each.worth, each.line.when, each.place)):
        if len(each.stems & covered) <= _REPEATED * len(each.stems):
            chosen.append(each)
            covered |= each.stems
    return chosen


def _fitted(chosen: Sequence[Quotable], tokens: int) -> str:
    """Return as many of the first sentences as fit, in the order of time."""
    kept: list[Quotable] = []
    for each in chosen:
        if count_tokens("\n".join(_lines((*kept, each)))) > tokens:
            break
        kept.append(each)
    return "\n".join(_lines(kept))


def _lines(quoted: Sequence[Quotable]) -> Iterator[str]:
    """Yield a line for each day: ``7 May 2023 - Caroline: "..." Melanie: "..."``; a line of a summary as it is."""
    ordered = sorted(quoted, key=lambda each: (each.line.when, each.place))
    yield from (each.text for each in ordered if each.line.speaker is None)
    said = [each for each in ordered if each.line.speaker is not None]
    for day, of_day in groupby(said, key=lambda each: each.line.when.date()):
        parts = (
            f"{speaker}: {' '.join(f'“{each.text}”' for each in own)}"
            for speaker, own in groupby(of_day, key=lambda each: each.line.speaker)
        )
        yield f"{_day(day)} - {' '.join(parts)}"


def _day(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
