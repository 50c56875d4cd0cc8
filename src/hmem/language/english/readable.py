"""Parts of a turn that the English rules may read: English prose, in a bounded amount.

Blocks (code, logs, tables, quotes, data, addresses), lines in another language, control characters, and what comes
after the first ``MOST`` characters of prose are replaced by blanks, so that places in the rest are places in the turn.
Nothing is read of a turn in another language: it becomes one quoted statement, without names, claims and relations.
What is not read stays in its turn, is found by its words, and is told by ``coverage``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from hmem.language.analyst.base import Coverage, Curation, Passage, Statement
from hmem.language.blocks import EXAMINED, blocks
from hmem.language.dates import find_dates
from hmem.language.detect import DEFAULT, in_foreign_script, is_plain_english, language
from hmem.language.english.meaning.reference import shown
from hmem.language.regex import regex
from hmem.model.span import Span
from hmem.model.turn import Turn

# Number of characters of prose that are read of a turn, and of the text of a quoted statement.
MOST: Final = 16_000
LONGEST: Final = 300

# Number of turns before a turn that tell the language of their conversation. Formation gives as many.
_EARLIER: Final = 4

# Least length of a line that is judged apart from its turn, in characters.
_APART: Final = 40

# Length of the end of a text that is too long in which a place to cut it is looked for.
_END: Final = 400

_CONTROL: Final = regex(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_LINE: Final = regex(r"[^\n\r]+")
_WORDS: Final = regex(r"[^\W_]")
_DATE: Final = regex(
    r"(?<![\d.,:/-])(?:\d{4}-\d\d-\d\d|(\d{1,2})[./](\d{1,2})[./](\d{4})|(\d{4})年(\d{1,2})月(\d{1,2})日)(?![./-]?\d)"
)

_Found = TypeVar("_Found")


class _Prose(NamedTuple):
    """Text with blanks for its blocks and its end, the same without runs of blanks, and the reasons."""

    text: str
    said: str
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Readable:
    """Language of a text, the text with blanks for what is not read, and the reasons why it is not."""

    language: str
    text: str
    unread: tuple[str, ...] = ()

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Spans of the text that are read, a line each, without outer blanks."""
        found = ((line.start(), line[0]) for line in _LINE.finditer(self.text))
        return [
            (start + len(line) - len(line.lstrip()), start + len(line.rstrip()))
            for start, line in found
            if line.strip()
        ]


def readable(text: str, earlier: Sequence[str] = ()) -> Readable:
    """Return what may be read of a text; ``earlier`` are the texts before it in its conversation, oldest first."""
    before = tuple(each[:EXAMINED] for each in earlier)
    found = _readable(text[:EXAMINED], before, too_long=len(text) > EXAMINED)
    return found if len(found.text) == len(text) else replace(found, text=found.text.ljust(len(text), "\n"))


@lru_cache(maxsize=1_024)
def _readable(text: str, earlier: tuple[str, ...], *, too_long: bool) -> Readable:
    found = _prose(text)
    spoken = language(found.said, [_prose(each).said for each in earlier])
    if spoken != DEFAULT and any(is_plain_english(line[0]) for line in _LINE.finditer(found.text)):
        spoken = DEFAULT
    unread = (*found.unread, "length") if too_long and "length" not in found.unread else found.unread
    if spoken != DEFAULT:
        return Readable(spoken, "\n" * len(text), (f"language:{spoken}", *unread))
    kept, others = _english_lines(found.text)
    return Readable(spoken, kept, tuple(dict.fromkeys((*(f"language:{each}" for each in others), *unread))))


@lru_cache(maxsize=1_024)
def _prose(text: str) -> _Prose:
    kept: list[str] = []
    reasons = dict[str, None]()
    at = 0
    for block in blocks(text):
        kept += (text[at : block.start], _blank(text[block.start : block.end]))
        reasons[block.kind] = None
        at = block.end
    masked = "".join((*kept, text[at:]))
    end = _end_of_reading(masked)
    if end < len(masked):
        reasons["length"] = None
        masked = masked[:end] + "\n" * (len(masked) - end)
    if _CONTROL.search(masked):
        masked = _CONTROL.sub(" ", masked)
    return _Prose(masked, " ".join(masked.split()), tuple(reasons))


def _blank(text: str) -> str:
    """Return as many blanks: within a line spaces, else ends of lines, so that no sentence goes across."""
    return ("\n" if "\n" in text or "\r" in text else " ") * len(text)


def _end_of_reading(text: str) -> int:
    """Return where the first ``MOST`` characters of prose end: behind a sentence or a word, if one ends there."""
    if len(text) <= MOST:
        return len(text)
    room = MOST
    for line in _LINE.finditer(text):
        if len(line[0]) > room and line[0].strip():
            limit = line.start() + room
            least = max(limit - _END, line.start())
            ends = (text.rfind(mark, least, limit) for mark in (". ", "? ", "! ", " "))
            return next((end + 1 for end in ends if end >= 0), limit)
        room -= len(line[0])
    return len(text)


def _english_lines(text: str) -> tuple[str, tuple[str, ...]]:
    """Return an English text with blanks for its lines in other languages, and these languages."""
    if "\n" not in text.strip():
        return text, ()
    kept: list[str] = []
    others = dict[str, None]()
    at = 0
    for line in _LINE.finditer(text):
        said = line[0].strip()
        if (len(said) >= _APART or in_foreign_script(said)) and (spoken := language(said)) != DEFAULT:
            kept += (text[at : line.start()], "\n" * len(line[0]))
            others[spoken] = None
            at = line.end()
    return "".join((*kept, text[at:])), tuple(others)


# Passages: what the analyst's rules are given, and what stands for a turn that they do not read.


def english(passage: Passage) -> Passage:
    """Return a passage whose turns say only what may be read of each by itself."""
    turns = tuple(_as_read(turn) for turn in passage.turns)
    return replace(passage, turns=turns)


def _as_read(turn: Turn) -> Turn:
    kept = readable(turn.text).text
    return turn if kept == turn.text else replace(turn, text=kept)


def coverage(passage: Passage) -> list[Coverage]:
    """Return the language of each wanted turn, and why parts of it are not read."""
    return [Coverage(found.language, found.unread) for found in _wanted(passage)]


def _wanted(passage: Passage) -> list[Readable]:
    turns = passage.turns
    return [
        readable(turns[at].text, [turn.text for turn in turns[max(at - _EARLIER, 0) : at]])
        for at in range(passage.start, len(turns))
    ]


def where_read(passage: Passage, found: Sequence[_Found], unread: Callable[[Turn], _Found]) -> list[_Found]:
    """Return what rules found in each wanted turn, and ``unread`` of a turn in another language."""
    return [
        each if known.language == DEFAULT else unread(turn)
        for turn, known, each in zip(passage.wanted, _wanted(passage), found, strict=True)
    ]


def curated(passage: Passage, found: Sequence[Curation]) -> list[Curation]:
    """Return the judgements of the rules, with blocks as reasons, and of turns in other languages by their length."""
    made: list[Curation] = []
    for turn, known, each in zip(passage.wanted, _wanted(passage), found, strict=True):
        if known.language != DEFAULT:
            reasons = (*known.unread, *(["picture"] if turn.caption or turn.attachments else []))
            made.append(Curation(memorable=quoted(turn) != [] or len(reasons) > 1, reasons=reasons))
        elif blocked := tuple(reason for reason in known.unread if reason not in each.reasons):
            made.append(Curation(memorable=True, reasons=(*each.reasons, *blocked)))
        else:
            made.append(each)
    return made


def quoted(turn: Turn) -> list[Statement]:
    """Return the statement of a turn that is not read: its own words, if there are any.

    A date counts only if it is written in figures, with its year.
    """
    said = _prose(turn.text[:EXAMINED]).said
    if not _WORDS.search(said):
        return []
    short = said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
    return [Statement(f'{shown(turn.speaker)}: "{short}"', _date(said, turn))]


def _date(said: str, turn: Turn) -> Span | None:
    for found in _DATE.finditer(said[:LONGEST]):
        day, month, year = found.group(1, 2, 3) if found[1] else found.group(6, 5, 4)
        # Outside of English the day comes first.
        written = f"{year}-{int(month):02}-{int(day):02}" if year else found[0]
        for mention in find_dates(written, turn.at):
            return mention.span
    return None
