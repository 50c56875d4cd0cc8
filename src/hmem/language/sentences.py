"""Sentences of a text in any language, with positions, in linear time.

Written for typed messages: line breaks, bullets, emoji and emoticons end sentences, code stays whole, quotations are
not cut inside, and run-on text of hundreds of characters is cut at clause marks. The marks are those of all scripts.
``python benchmarks/sentences.py`` measures it. The library `sentencex` finds the same borders, but leaves emoji,
bullets, code and run-on text to be done here all the same.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from hmem.language.regex import regex

# Maximum length of a piece in characters; longer text is cut at a clause mark, or at a blank.
LONGEST: Final = 400

# Maximum length of a quotation kept whole, in characters.
_QUOTATION_LENGTH: Final = 200

# Marks behind which a sentence ends without a blank: of Chinese and Japanese, Indic scripts, Arabic and Urdu, Armenian,
# Ethiopic, Burmese and Khmer.
_FULL: Final = "。\uff01\uff1f｡।॥؟\u06d4\u0589።፧፨။។៕"
_EMOJI: Final = "\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"
_LINE: Final = regex(r"[^\n\r\x0b\x0c\x85\u2028\u2029]+")
_TICKS: Final = "```"
_FENCE: Final = regex(r"```+|(?:^|(?<=\n))\s*~~~+")
_INFO: Final = regex(r"[ \t]*[\w+#.-]*[ \t]*$")
_LEAD: Final = regex(r"\s*(?:(?:[-*+•‣◦▪\u2013\u2014]+|\(?\d{1,3}[.)]|\(?[a-z]\)|#{1,6}|>+)\s+)*")

# End of a sentence: marks with closing quotes and emoji behind them; or emoji or an emoticon before another sentence.
# A Greek question mark is a semicolon; in Chinese and Japanese, marks from other keyboards have no blank behind them.
# The pattern begins with a class of all first characters, so that other positions are passed over quickly.
_CLOSING: Final = r"['\"\u201c\u201d\u2019\u00ab\u00bb\u203a)\]*_~]"
_END: Final = regex(
    rf"""[.!?…{_FULL}:;{_EMOJI}](?:
      (?<=[.!?…])(?<![.!?…].)[.!?…]*+(?:{_CLOSING}*+(?:\s?[{_EMOJI}]++)*+(?=\s|$)|(?<=[!?])(?=[\u3040-\u9fff]))
    | (?<=[{_FULL}])[{_FULL}!?]*+[」』\u201d\u2019\u00bb\uff09】》*_]*+(?:\s?[{_EMOJI}]++)*+
    | (?<=[\u0386-\u03ce];){_CLOSING}*+(?=\s|$)
    | (?:(?<=[{_EMOJI}])(?<![{_EMOJI}].)[{_EMOJI}]*+|(?<=[:;])-?[)(DP]++)(?=\s{{1,9}}[^\W\d_])
    )""",
    re.VERBOSE,
)
_QUOTE: Final = regex(
    rf'"[^"]{{1,{_QUOTATION_LENGTH}}}"|\u201c[^\u201d]{{1,{_QUOTATION_LENGTH}}}\u201d'
    rf"|\u201e[^\u201c\u201d]{{1,{_QUOTATION_LENGTH}}}[\u201c\u201d]|\u00ab[^\u00bb]{{1,{_QUOTATION_LENGTH}}}\u00bb"
    rf"|\u00bb[^\u00ab]{{1,{_QUOTATION_LENGTH}}}\u00ab|「[^」]{{1,{_QUOTATION_LENGTH}}}」"
)
_LETTERS: Final = regex(r"(?:[a-z]\.)+[a-z]")
_PLAIN: Final = ("!", "?")
_FACES: Final = frozenset(":;-")
_CLAUSE: Final = regex(r"[;:,\uff0c\uff1b\uff1a、。،؛]\s*|\s[-\u2013\u2014]+\s|[\u2013\u2014]")

# Abbreviations that never end a sentence, and those that do only before a capital.
_NEVER_LAST: Final = "mr mrs ms dr prof st sr jr gen col sgt capt lt rev hon mt ft vs e.g i.e cf approx fig"
_NEVER_LAST_ELSEWHERE: Final = "sra dra mme mlle bzw ca nr vgl"
_TITLES: Final = frozenset((*_NEVER_LAST.split(), *_NEVER_LAST_ELSEWHERE.split()))
_LAST_OR_NOT: Final = """
a.m p.m am pm etc inc ltd co corp dept est min max hrs hr sec avg ave blvd
jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
"""
_SHORT: Final = frozenset(_LAST_OR_NOT.split())

# A number that a German word before it makes a day; the first three letters of the months behind it.
_ORDINAL: Final = regex(r"(?<!\w)(?:(?<!i )am|den|dem|der|vom|zum|bis|ab|seit)\s\d{1,2}$", re.IGNORECASE)
_NEXT_WORD: Final = regex(r"\s+([^\W\d_]+)")
_GERMAN_MONTHS: Final = "jan jän feb mär apr mai jun jul aug sep okt nov dez"
_MONTHS: Final = frozenset(_GERMAN_MONTHS.split())


class TextPiece(NamedTuple):
    """Sentence or part of one: ``text`` from ``start`` to ``end``, without outer blanks. ``code``: in a code block."""

    start: int
    end: int
    text: str
    code: bool = False


def split(text: str, longest: int = LONGEST) -> list[TextPiece]:
    """Return the sentences of a text in order, none blank, none longer than ``longest`` characters."""
    return list(iter_sentences(text, longest))


def iter_sentences(text: str, longest: int = LONGEST) -> Iterator[TextPiece]:
    """Yield the sentences of ``split`` lazily, for the beginning of a long text."""
    for first, last, code in _stretches(text):
        if code:
            yield from _fitted(text, first, last, longest, code=True)
            continue
        for begin, end in _sentences(text, first, last):
            if end - begin > longest:
                yield from _fitted(text, begin, end, longest)
            elif sentence := text[begin:end].strip():
                start = text.index(sentence, begin)
                yield TextPiece(start, start + len(sentence), sentence)


def _stretches(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the start and end of each line, without its bullet, or of its parts in and out of code; and if it is code.

    A fence within a line opens code only if another one closes it.
    """
    fenced = False
    last_fence = text.rfind(_TICKS)
    for line in _LINE.finditer(text):
        start, end = line.span()
        for fence in _FENCE.finditer(text, start, end):
            if not fenced and start < fence.start() == last_fence:
                break
            yield (start if fenced else _behind_lead(text, start, fence.start()), fence.start(), fenced)
            info = None if fenced else _INFO.match(text, fence.end(), end)
            start = fence.end() if info is None else info.end()
            fenced = not fenced
        yield (start if fenced else _behind_lead(text, start, end), end, fenced)


def _behind_lead(text: str, start: int, end: int) -> int:
    match = _LEAD.match(text, start, end)
    return match.end() if match else start


def _sentences(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Return the start and end of each sentence of a line."""
    spans: list[tuple[int, int]] = []
    quotes = _quotations(text, start, stop)
    for mark in _END.finditer(text, start, stop):
        end = mark.end()
        while quotes and quotes[-1][1] < end:
            quotes.pop()
        in_quotation = bool(quotes) and quotes[-1][0] < mark.start()
        if end < stop and (_goes_on(text, mark) if not in_quotation else _quotation_goes_on(text, mark, quotes[-1][1])):
            continue
        spans.append((start, end))
        start = end
    spans.append((start, stop))
    return spans


def _quotations(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Return the start and end of each quotation in a line, last first."""
    return [match.span() for match in _QUOTE.finditer(text, start, stop)][::-1]


def _quotation_goes_on(text: str, mark: re.Match[str], end: int) -> bool:
    """Tell if a mark within a quotation does not end both the quotation and its sentence."""
    return mark.end() < end or not _begins(_next(text, mark.end()))


def _goes_on(text: str, mark: re.Match[str]) -> bool:
    """Tell if the marks end no sentence: an abbreviation, initials, or an ellipsis before a small letter."""
    if mark[0] in _PLAIN or mark[0][0] in _FULL:
        return False
    after = _next(text, mark.end())
    if mark[0][0] not in ".!?…":
        return not _begins(after)
    marks = mark[0].rstrip("'\"\u201d\u2019)]*_~")
    if ")" in mark[0] and marks[-1] not in _FACES:
        return after.islower()
    if marks not in (".", "...", "…", ".."):
        return False
    if marks != ".":
        return after.islower()
    return _abbreviated(_word_before(text, mark.start()), after) or _is_ordinal(text, mark.start(), mark.end())


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


def _begins(after: str) -> bool:
    """Tell if a character may begin a sentence: a capital, or a letter of a script without capitals."""
    return after.isalpha() and not after.islower()


def _is_ordinal(text: str, mark: int, end: int) -> bool:
    """Tell if a full stop makes a number an ordinal, as in German: "am 2. Mai", "vom 18. an"."""
    match = _ORDINAL.search(text, max(mark - 12, 0), mark)
    if match is None:
        return False
    following = _NEXT_WORD.match(text, end)
    return following is not None and (following[1].islower() or following[1][:3].lower() in _MONTHS)


def _word_before(text: str, end: int) -> str:
    """Return the last word before a position; of words longer than an abbreviation only the end."""
    return text[max(end - 10, 0) : end].rpartition(" ")[2].rpartition("\n")[2]


def _next(text: str, start: int) -> str:
    """Return the next character behind blanks and opening marks; a blank if there is none near."""
    return text[start : start + 8].lstrip(" \t\"'\u201c\u2018\u201e\u00ab\u00bb¿¡([*_")[:1] or " "


def _fitted(text: str, start: int, end: int, longest: int, *, code: bool = False) -> Iterator[TextPiece]:
    """Yield a stretch of text without outer blanks, in pieces of at most ``longest`` characters."""
    while True:
        while start < end and text[start].isspace():
            start += 1
        if start == end:
            return
        cut = end if end - start <= longest else _cut(text, start, start + longest)
        yield TextPiece(start, start + len(sentence := text[start:cut].rstrip()), sentence, code)
        start = cut


def _cut(text: str, start: int, limit: int) -> int:
    """Return the cut before a limit: behind the last clause mark of the second half, else at the last blank."""
    position = 0
    for mark in _CLAUSE.finditer(text, (start + limit) // 2, limit):
        position = mark.end()
    return position or max(text.rfind(" ", start + 1, limit), 0) or limit
