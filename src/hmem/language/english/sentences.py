"""Sentence segmentation with positions, in linear time.

Written for typed messages: line breaks, bullets, emoji and emoticons end sentences, code stays whole, quotations are
not cut inside, and run-on text of hundreds of characters is cut at clause marks. Libraries do the least of this:
`sentencex` (3 µs a turn) is fast and knows many languages' abbreviations, but leaves emoji, bullets, code and run-on
text to be done here all the same, and would be one compiled dependency more; `blingfire` weighs 42 MB, and `pysbd`
takes milliseconds.
"""

import re
from collections.abc import Iterator
from typing import Final

from hmem.language.analyst.lexicon import TextPiece
from hmem.language.regex import regex

# Maximum length of a piece in characters; longer text is cut at a clause mark, or at a blank.
LONGEST: Final = 400

# Maximum length of a quotation kept whole, in characters.
_QUOTED: Final = 200

_EMOJI: Final = "\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"
_LINE: Final = regex(r"[^\n\r\x0b\x0c\x85\u2028\u2029]+")
_FENCE: Final = regex(r"\s*(?:```|~~~)")
_LEAD: Final = regex(r"\s*(?:(?:[-*+•‣◦▪\u2013\u2014]+|\(?\d{1,3}[.)]|\(?[a-z]\)|#{1,6}|>+)\s+)*")

# End of a sentence: marks with closing quotes and emoji behind them; or emoji or an emoticon before a capital.
# The pattern begins with a class of all first characters, so that other positions are passed over quickly.
_END: Final = regex(
    rf"""[.!?…。\uff01\uff1f｡:;{_EMOJI}](?:
      (?<=[.!?…])(?<![.!?…].)[.!?…]*+['"\u201d\u2019)\]*_~]*+(?:\s?[{_EMOJI}]++)*+(?=\s|$)
    | (?<=[。\uff01\uff1f｡])[。\uff01\uff1f｡]*+[」』\u201d\uff09]*+
    | (?:(?<=[{_EMOJI}])(?<![{_EMOJI}].)[{_EMOJI}]*+|(?<=[:;])-?[)(DP]++)(?=\s{{1,9}}[A-Z])
    )""",
    re.VERBOSE,
)
_QUOTE: Final = regex(rf'"[^"]{{1,{_QUOTED}}}"|\u201c[^\u201d]{{1,{_QUOTED}}}\u201d')
_LETTERS: Final = regex(r"(?:[a-z]\.)+[a-z]")
_PLAIN: Final = ("!", "?")
_FACES: Final = frozenset(":;-")
_CLAUSE: Final = regex(r"[;:,\uff0c\uff1b\uff1a、。]\s*|\s[-\u2013\u2014]+\s|[\u2013\u2014]")

# Abbreviations that never end a sentence, and those that do only before a capital.
_NEVER_LAST: Final = "mr mrs ms dr prof st sr jr gen col sgt capt lt rev hon mt ft vs e.g i.e cf approx fig"
_TITLES: Final = frozenset(_NEVER_LAST.split())
_LAST_OR_NOT: Final = """
a.m p.m am pm etc inc ltd co corp dept est min max hrs hr sec avg ave blvd
jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
"""
_SHORT: Final = frozenset(_LAST_OR_NOT.split())


def split(text: str, longest: int = LONGEST) -> list[TextPiece]:
    """Return the sentences of a text in order, none blank, none longer than ``longest`` characters."""
    return list(pieces(text, longest))


def pieces(text: str, longest: int = LONGEST) -> Iterator[TextPiece]:
    """Yield the sentences of ``split`` lazily, for the beginning of a long text."""
    fenced = False
    for line in _LINE.finditer(text):
        if _FENCE.match(line[0]):
            fenced = not fenced
        elif fenced:
            yield from _fitted(text, line.start(), line.end(), longest, code=True)
        else:
            start = line.start() + _length_of_lead(line[0])
            for begin, end in _sentences(text, start, line.end()):
                if end - begin > longest:
                    yield from _fitted(text, begin, end, longest)
                elif sentence := text[begin:end].strip():
                    first = text.index(sentence, begin)
                    yield TextPiece(first, first + len(sentence), sentence)


def _length_of_lead(line: str) -> int:
    found = _LEAD.match(line)
    return found.end() if found else 0


def _sentences(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Return the start and end of each sentence of a line."""
    found: list[tuple[int, int]] = []
    quotes = _quotations(text, start, stop)
    for mark in _END.finditer(text, start, stop):
        end = mark.end()
        while quotes and quotes[-1][1] < end:
            quotes.pop()
        inside = bool(quotes) and quotes[-1][0] < mark.start()
        if end < stop and (_goes_on(text, mark) if not inside else _quotation_goes_on(text, mark, quotes[-1][1])):
            continue
        found.append((start, end))
        start = end
    found.append((start, stop))
    return found


def _quotations(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Return the start and end of each quotation in a line, last first."""
    if text.find('"', start, stop) < 0 and text.find("\u201c", start, stop) < 0:
        return []
    return [found.span() for found in _QUOTE.finditer(text, start, stop)][::-1]


def _quotation_goes_on(text: str, mark: re.Match[str], end: int) -> bool:
    """Tell if a mark within a quotation does not end both the quotation and its sentence."""
    return mark.end() < end or not _next(text, mark.end()).isupper()


def _goes_on(text: str, mark: re.Match[str]) -> bool:
    """Tell if the marks end no sentence: an abbreviation, initials, or an ellipsis before a small letter."""
    if mark[0] in _PLAIN:
        return False
    after = _next(text, mark.end())
    marks = mark[0].rstrip("'\"\u201d\u2019)]*_~")
    if ")" in mark[0] and marks[-1] not in _FACES:
        return after.islower()
    if marks not in (".", "...", "…", ".."):
        return False
    if marks != ".":
        return after.islower()
    return _abbreviated(_word_before(text, mark.start()), after)


def _abbreviated(word: str, after: str) -> bool:
    """Tell if a full stop behind a word belongs to it, given the next character."""
    lower = word.lower().lstrip("(\"'\u201c\u2018")
    if lower in _TITLES or (lower == "no" and after.isdigit()):
        return True
    if lower in _SHORT:
        return after.islower() or after.isdigit()
    if _LETTERS.fullmatch(lower):
        return True
    return len(word) == 1 and word.isupper() and word != "I" and after.isupper()


def _word_before(text: str, end: int) -> str:
    """Return the last word before a position; of words longer than an abbreviation only the end."""
    return text[max(end - 10, 0) : end].rpartition(" ")[2].rpartition("\n")[2]


def _next(text: str, start: int) -> str:
    """Return the next character behind blanks and opening marks; a blank if there is none near."""
    return text[start : start + 8].lstrip(" \t\"'\u201c\u2018([*_")[:1] or " "


def _fitted(text: str, start: int, end: int, longest: int, *, code: bool = False) -> Iterator[TextPiece]:
    """Yield a stretch of text without outer blanks, in pieces of at most ``longest`` characters."""
    while True:
        while start < end and text[start].isspace():
            start += 1
        if start == end:
            return
        cut = end if end - start <= longest else _cut(text, start, start + longest)
        yield TextPiece(start, start + len(kept := text[start:cut].rstrip()), kept, code)
        start = cut


def _cut(text: str, start: int, limit: int) -> int:
    """Return the cut before a limit: behind the last clause mark of the second half, else at the last blank."""
    found = 0
    for mark in _CLAUSE.finditer(text, (start + limit) // 2, limit):
        found = mark.end()
    return found or max(text.rfind(" ", start + 1, limit), 0) or limit
