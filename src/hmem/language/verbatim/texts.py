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
    number: int
    text: str
    stems: frozenset[str]
    worth: float


def summarise(group: Sequence[Excerpt], tokens: int) -> str:
    """Quote what is most important in some lines, in at most ``tokens`` tokens; "" if nothing fits."""
    lines = sorted(group, key=lambda line: -line.importance)[:_LINES]
    return _fitted(_select(_quotables(sorted(lines, key=lambda line: line.time))), tokens)


def profile(subject: Subject, tokens: int) -> ProfileText:
    """Quote what was said about an entity: the most important sentences with its name, and the newest ones."""
    name = subject.name.lower()
    mentions = [
        quotable
        for quotable in _quotables(subject.lines)
        if name in quotable.text.lower() or quotable.line.speaker == subject.name
    ]
    selection = _select(mentions or _quotables(subject.lines))
    half = selection[: max(len(selection) // 2, 1)]
    newest = sorted(
        (quotable for quotable in selection if quotable not in half),
        key=lambda quotable: quotable.line.time,
        reverse=True,
    )
    return ProfileText(_fitted(half, tokens), _fitted(newest, tokens))


def persona(claims: Sequence[Claim], tokens: int) -> PersonaText:
    """Quote the claims about a person, latest last: values of slots first, then sentences, the newest first."""
    slots = {claim.slot: claim for claim in claims if claim.slot != THREAD and claim.positive}
    lines = [f"{slot}: {claim.value}" for slot, claim in slots.items()]
    lines += [f"\u201c{claim.text}\u201d" for claim in reversed(claims) if claim.slot == THREAD]
    fitting: list[str] = []
    for line in list(dict.fromkeys(lines))[: _PERSONA_LINES + len(slots)]:
        if count_tokens("\n".join((*fitting, line))) > tokens:
            break
        fitting.append(line)
    return PersonaText("\n".join(fitting), tuple(claim.value for claim in slots.values()))


def _quotables(lines: Sequence[Excerpt]) -> list[Quotable]:
    quotables: list[Quotable] = []
    for line in lines:
        # A line without a speaker is a summary of other lines, whose sentences have theirs.
        texts = [sentence.text for sentence in split(line.text)] if line.speaker else line.text.splitlines()
        quotables += (Quotable(line, i, text, content_stems(text), line.importance) for i, text in enumerate(texts))
    counts: dict[str, int] = {}
    for quotable in quotables:
        for stem in quotable.stems:
            counts[stem] = counts.get(stem, 0) + 1
    return [
        quotable._replace(worth=quotable.worth * (1 + _CENTRAL * sum(counts[stem] > 1 for stem in quotable.stems)))
        for quotable in quotables
        if quotable.stems
    ]


def _select(quotables: Iterable[Quotable]) -> list[Quotable]:
    """Return sentences, the worthiest first, without those that mostly repeat worthier ones."""
    covered = set[str]()
    selection: list[Quotable] = []
    for quotable in sorted(quotables, key=lambda quotable: (-quotable.worth, quotable.line.time, quotable.number)):
        if len(quotable.stems & covered) <= _REPEATED * len(quotable.stems):
            selection.append(quotable)
            covered |= quotable.stems
    return selection


def _fitted(quotables: Sequence[Quotable], tokens: int) -> str:
    """Return as many of the first sentences as fit, in the order of time."""
    fitting: list[Quotable] = []
    for quotable in quotables:
        if count_tokens("\n".join(_lines((*fitting, quotable)))) > tokens:
            break
        fitting.append(quotable)
    return "\n".join(_lines(fitting))


def _lines(quotables: Sequence[Quotable]) -> Iterator[str]:
    """Yield a line for each day: ``7 May 2023 - Caroline: "..." Melanie: "..."``; a line of a summary as it is."""
    by_time = sorted(quotables, key=lambda quotable: (quotable.line.time, quotable.number))
    yield from (quotable.text for quotable in by_time if quotable.line.speaker is None)
    utterances = [quotable for quotable in by_time if quotable.line.speaker is not None]
    for day, of_day in groupby(utterances, key=lambda quotable: quotable.line.time.date()):
        quotes = (
            f"{speaker}: {' '.join(f'“{quotable.text}”' for quotable in speaker_lines)}"
            for speaker, speaker_lines in groupby(of_day, key=lambda quotable: quotable.line.speaker)
        )
        yield f"{_day(day)} - {' '.join(quotes)}"


def _day(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
