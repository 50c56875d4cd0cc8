"""Blocks of a text that are no talk: code, logs, tables, quotes, data and addresses.

Fenced code and tables are found by markdown-it-py. The rest is classified line by line, since people paste code and
logs as they are: a line counts as certain, as likely or as a continuation, and likely lines count only together.
Plain talk must never be cut, so that a doubtful line is prose. Whatever is cut stays in its turn and is found by words.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cache
from importlib import import_module
from re import Pattern
from typing import Any, Final, Literal, NamedTuple

from hmem.language.regex import regex

BlockKind = Literal["code", "log", "table", "quote", "data", "url"]


class TextBlock(NamedTuple):
    """Characters ``start`` to ``end`` of a text, and what they are."""

    kind: BlockKind
    start: int
    end: int


class _Line(NamedTuple):
    start: int
    end: int
    text: str


class _Sign(IntEnum):
    """Likeness of a line to a kind of block."""

    PROSE = 0
    CONTINUATION = 1
    LIKELY = 2
    CERTAIN = 3


Kinds = list[BlockKind | None]

# Number of characters that are examined of a text, and of a line; what comes behind is prose.
EXAMINED: Final = 32_768
_LINE_BEGINNING: Final = 400

# Fewest lines that are a block though none of them is certain, and rows that are a table without Markdown.
_TOGETHER: Final = 2
_ROWS: Final = 3

# Longest word, and longest address within a sentence, that are read, in characters.
_LONG_WORD: Final = 80
_LONG_ADDRESS: Final = 100

# Fewest lines between code that are no part of it, whatever they look like.
_GAP_LINES: Final = 8

# Number of places of a text where JSON is tried.
_TRIES: Final = 16
_SMALL_JSON: Final = 8


def blocks(text: str) -> tuple[TextBlock, ...]:
    """Return the blocks of a text in order; they do not overlap. All outside of them is prose."""
    examined = text[:EXAMINED]
    if "\r" in examined:
        examined = examined.replace("\r\n", " \n").replace("\r", "\n")
    lines = _lines(examined)
    kinds: Kinds = [None] * len(lines)
    if len(lines) > 1 or _MAYBE.search(examined):
        _mark_markdown(examined, kinds)
        _mark_quotes(lines, kinds)
        _mark_json(examined, lines, kinds)
        _mark_runs(lines, kinds, "log", _sign_of_log)
        _mark_runs(lines, kinds, "code", _sign_of_code)
        _fill_code(lines, kinds)
        _mark_rows(lines, kinds)
    return tuple(_with_words(examined, _merge_lines(lines, kinds)))


def prose(text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of a text between its blocks, in order."""
    spans: list[tuple[int, int]] = []
    position = 0
    for block in (*blocks(text), TextBlock("data", len(text), len(text))):
        if block.start > position:
            spans.append((position, block.start))
        position = block.end
    return tuple(spans)


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    position = 0
    for line in text.split("\n"):
        lines.append(_Line(position, min(position + len(line) + 1, len(text)), line[:_LINE_BEGINNING]))
        position += len(line) + 1
    return lines


def _mark(kinds: Kinds, first: int, stop: int, kind: BlockKind) -> None:
    """Mark the lines from ``first`` to before ``stop``, but those that are marked already."""
    for index in range(first, stop):
        kinds[index] = kinds[index] or kind


def _merge_lines(lines: Sequence[_Line], kinds: Kinds) -> Iterator[TextBlock]:
    """Yield the runs of lines of a kind, with the blank lines between them."""
    run: list[_Line] = []
    run_kind: BlockKind | None = None
    blank: list[_Line] = []
    for line, kind in zip(lines, kinds, strict=True):
        if run_kind is not None and kind is None and not line.text.strip():
            blank.append(line)
            continue
        if kind == run_kind and kind is not None:
            run += [*blank, line]
        else:
            if run_kind is not None:
                yield TextBlock(run_kind, run[0].start, run[-1].end)
            run_kind, run = kind, [line]
        blank = []
    if run_kind is not None:
        yield TextBlock(run_kind, run[0].start, run[-1].end)


# Markdown: fenced code and tables.

_FENCE: Final = regex(r"(?m)^[ \t>]*(?:[-*+] |\d+[.)] )?\s*(?:```|~~~)")
_RULER: Final = regex(r"(?m)^[ \t>]*\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*$")
_TOKENS: Final[dict[str, BlockKind]] = {"fence": "code", "table_open": "table"}


@cache
def _markdown() -> Any:
    parser = import_module("markdown_it").MarkdownIt("commonmark")
    return parser.enable("table").disable(["html_block", "reference"])


def _mark_markdown(text: str, kinds: Kinds) -> None:
    if _FENCE.search(text) is None and _RULER.search(text) is None:
        return
    parser, tokens = _markdown(), list[Any]()
    parser.block.parse(text, parser, {}, tokens)
    for token in tokens:
        if token.type in _TOKENS:
            first, last = token.map
            _mark(kinds, first, last, _TOKENS[token.type])


# Quotes.

_QUOTE_LINE: Final = regex(r"[ ]{0,3}(?:>[ ]?)+(?:[^\W\d_]|[\"'\u201c(*`\[#]|$)")
_QUOTE_CONTINUATION: Final = regex(r"[ ]{0,3}>")
_WROTE: Final = regex(r"(?:On|Am|Le|El|Il) .{6,120}(?:wrote|schrieb|a écrit|escribió|ha scritto)[ ]?:\s*$")
_FORWARDED: Final = regex(r"[ ]{0,3}-{2,}[ ]?(?:Original Message|Forwarded [Mm]essage)[ ]?-{2,}\s*$")


def _mark_quotes(lines: Sequence[_Line], kinds: Kinds) -> None:
    for index, line in enumerate(lines):
        if kinds[index] is not None:
            continue
        if _FORWARDED.match(line.text):
            _mark(kinds, index, len(kinds), "quote")
            return
        if _QUOTE_LINE.match(line.text) or (
            index and kinds[index - 1] == "quote" and _QUOTE_CONTINUATION.match(line.text)
        ):
            kinds[index] = "quote"
            if index and kinds[index - 1] is None and _WROTE.match(lines[index - 1].text):
                kinds[index - 1] = "quote"


# JSON.


def _mark_json(text: str, lines: Sequence[_Line], kinds: Kinds) -> None:
    decoder, tries, read = json.JSONDecoder(), 0, 0
    for index, line in enumerate(lines):
        first = line.text.lstrip()[:1]
        if kinds[index] is not None or line.start < read or first not in ("{", "[") or tries == _TRIES:
            continue
        tries += 1
        start = line.start + line.text.index(first)
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        remainder = text[end : text.find("\n", end) + 1 or len(text)]
        if value and end - start >= _SMALL_JSON and not remainder.strip(" ;,\n"):
            read = end
            for later in range(index, len(lines)):
                if lines[later].start >= end:
                    break
                kinds[later] = "data"


# Runs of lines: logs and code.

Sign = Callable[[str], _Sign]

# A continuation that is no end of a block: a blank line, an item of a list, a heading.
_NO_END: Final = regex(r"\s*(?:[-+*#]+\s|$)")


def _mark_runs(lines: Sequence[_Line], kinds: Kinds, kind: BlockKind, sign: Sign) -> None:
    """Mark the runs of lines of which one is certain or several are likely, with their continuations."""
    run: list[int] = []
    signs: list[_Sign] = []
    for index in range(len(lines) + 1):
        free = index < len(lines) and kinds[index] is None
        line_sign = sign(lines[index].text) if free else _Sign.PROSE
        if line_sign > (_Sign.PROSE if run else _Sign.CONTINUATION):
            run.append(index)
            signs.append(line_sign)
        elif run:
            while signs[-1] == _Sign.CONTINUATION and _NO_END.match(lines[run[-1]].text):
                run.pop()
                signs.pop()
            if _Sign.CERTAIN in signs or signs.count(_Sign.LIKELY) >= _TOGETHER:
                _mark(kinds, run[0], run[-1] + 1, kind)
            run, signs = [], []


def _alternation(*patterns: str) -> Pattern[str]:
    return regex("|".join(f"(?:{pattern})" for pattern in patterns))


_STAMP: Final = (
    r"[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:[.,]\d+)?)[\])]?"
)
_LEVEL: Final = r"[\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|SEVERE)[\])>]?"
_LOGGED: Final = _alternation(
    rf"{_STAMP}[ \t,|-]+(?:\S+[ \t]+){{0,4}}{_LEVEL}(?:[ \t:|-]|$)",
    rf"{_LEVEL}[ \t:|-]+{_STAMP}",
    rf"{_STAMP} [\w.-]+ [\w./-]+\[\d+\]: ",
    r"\d{1,3}(?:\.\d{1,3}){3} \S+ \S+ \[",
    r"npm (?:ERR!|WARN|error) ",
    # Stack traces.
    r"Traceback \(most recent call last\):",
    r"\s*File \"[^\"]+\", line \d+",
    r"\s+at [\w$.<>/ ]+\([^)]*\)\s*$",
    r"\s*at \S+.*:\d+:\d+\)?\s*$",
    r"Caused by: [\w.$]+",
    r"Exception in thread ",
    r"(?:Uncaught )?(?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: ",
    r"goroutine \d+ \[",
    r"thread '[^']*' panicked at ",
    r"error\[E\d+\]: ",
)
_MAYBE_LOGGED: Final = _alternation(
    r"[\[(]?\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d|[T ]\d\d:\d\d:\d\d[.,]\d{3})\S*[ \t]+\S",
    rf"{_LEVEL}[:|\]]\s?\S",
    r"\s+\.\.\. \d+ more",
    r"(?:fatal|error|warning): \S",
)


def _sign_of_log(line: str) -> _Sign:
    if _LOGGED.match(line):
        return _Sign.CERTAIN
    if _MAYBE_LOGGED.match(line):
        return _Sign.LIKELY
    return _Sign.CONTINUATION if line[:1] in (" ", "\t") or not line else _Sign.PROSE


_CODE: Final = _alternation(
    r"\s*(?:async )?def \w+\(.*\).*:",
    r"\s*class [A-Z]\w*(?:\([\w., =]*\))?:\s*$",
    r"\s*from [\w.]+ import [\w*,() ]+$",
    r"\s*import (?:[\w.]+ as \w+|[\w.]+;|\{[^}]*\} from .+|\w+ from ['\"].+)\s*$",
    r"\s*#include\s*[<\"]",
    r"\s*(?:export |default )*(?:const|let|var) (?:\w+|\{[^}]*\}|\[[^\]]*\])\s*(?::[^=]+)?=",
    r"\s*(?:export |default |async |public |private |static |pub )*(?:function\*?|fn|func) \w*\s*[(<].*[{;]\s*$",
    r"\s*(?:public|private|protected|static|final|abstract|void) .*[({;]\s*$",
    r"\s*(?:if|for|while|switch|catch|\} ?else if|elseif)\s?\(.*\)\s*\{\s*$",
    r"\s*\}\s*(?:else|catch|finally)\b.*\{\s*$",
    r"(?!.*\b[A-Za-z]+ [A-Za-z]+ [A-Za-z]+\b).*(?:=|\w\(|\)\.|[\]}]).*;\s*(?://.*)?$",
    r".*=>\s*[{(]\s*$",
    r"\s*[\w.\[\]'\"]+ ?(?:[-+*/]|:)?= ?[\w.]+\(.*\)\s*$",
    r"\s*(?:SELECT\b.+\bFROM \w|INSERT INTO \w|UPDATE \w+ SET \w|(?:CREATE|ALTER|DROP) (?:TABLE|INDEX|VIEW|DATABASE)\b"
    r"|DELETE FROM \w)",
    r"\s*\$ (?:[a-z./~][\w./~-]*)(?: |$)",
    r"\s*(?:PS [A-Z]:\\[^>]*>|[\w.-]+@[\w.-]+:[~/][^$#]*[$#]) ",
    r">>> ",
    r"\s*<(?:!DOCTYPE|\?xml|/?(?:html|head|body|div|span|script|style|table|tr|td|ul|li|svg|p|a|img|form|input|button)\b)"
    r"[^<>]*>",
    r"\s*<[\w:-]+(?: [\w:-]+=\"[^\"]*\")+ ?/?>",
    r"diff --git |@@ -\d+(?:,\d+)? \+\d+|index [0-9a-f]{7,}\.\.[0-9a-f]{7,}|(?:\+\+\+|---) [ab]/",
    r"#!/",
)
_MAYBE_CODE: Final = _alternation(
    r"\s*(?:for \w+(?:, ?\w+)* in .+|(?:while|elif|if) .+|try|else|finally|except.*|with .+ as \w+):\s*$",
    r"\s*import [\w.]+(?:, [\w.]+)*\s*$",
    r"\s*\w*[\w\])][._\[][\w.\[\]'\"]* ?(?:[-+*/]|:)?= ?\S.*$",
    r"\s*\w+ ?(?:[-+*/]|:)?= ?(?:[\"'\[({]|[\w.]+\(|None\b|True\b|False\b|null\b|new ).*$",
    r"\s*[\w.]*\w\([^()]*\)\s*$",
    r"\s*[\w.]+\(.*[(\"'=].*\)\s*$",
    r"(?:[ \t]+return\b.*|return\b.*;)\s*$",
    r"\s*@\w+(?:\.\w+)+(?:\(.*\))?\s*$",
    r"\s*\"[\w -]+\"\s*: .*[,\]}\"\d{\[]\s*$",
    r"\s*[\w-]+:\s?[^.!?]*;\s*$",
    r"\s*[.#]?[\w-]+(?: [.#]?[\w-]+)* ?\{\s*$",
    r"\s*(?:WHERE|GROUP BY|ORDER BY|(?:LEFT |INNER |RIGHT )?JOIN|FROM|VALUES|LIMIT|HAVING)\b",
    r"\s*</?[\w:-]+>",
    r"[A-Z][A-Z0-9_]{2,}=\S*\s*$",
)
_CODE_GOES_ON: Final = _alternation(
    r"\s*$",
    r"[ \t]{2,}\S|\t",
    r"\s*(?://|/\*|\*/|#|--|\*)",
    r"\s*[\])}]+[\])};,.\w()]*\s*$",
    r"(?:else|try|finally|begin|end|pass|do|done|fi|then):?;?\s*$",
    r"[-+](?:\s|[\w<{}#@(])",
)


def _sign_of_code(line: str) -> _Sign:
    if _CODE.match(line):
        return _Sign.CERTAIN
    if _MAYBE_CODE.match(line):
        return _Sign.LIKELY
    return _Sign.CONTINUATION if _CODE_GOES_ON.match(line) else _Sign.PROSE


_TALK: Final = regex(r"\s*(?!#|//|/?\*|--)(?:.*?(?<!\S)[A-Za-z'’]+(?:,? [A-Za-z'’]+){3}(?![\w(=])|.*[a-z][.!?]\s*$)")


def _fill_code(lines: Sequence[_Line], kinds: Kinds) -> None:
    """Mark the few lines between code that do not read as talk."""
    last = len(kinds)
    for index, kind in enumerate(kinds):
        if kind != "code":
            continue
        gap = range(last + 1, index)
        if 0 < len(gap) < _GAP_LINES and not any(kinds[row] or _TALK.match(lines[row].text) for row in gap):
            _mark(kinds, gap.start, gap.stop, "code")
        last = index


# Tables that are not of Markdown: rows of the same number of cells.

_COMMAS: Final = regex(r"[^,\s](?:[^,\n]*[^,\s])?(?:,(?:[^,\s](?:[^,\n]*[^,\s])?)?){2,}\s*$")
# Commas within a number, and those that American English puts before a closing quotation mark.
_NO_COMMA: Final = regex(r"(?<=\d),(?=\d{3}(?!\d))|,(?=[\"\u201d](?:\s|$))")
_GAP: Final = regex(r"[^\s.!?,:;](?: {3,}|\t+)(?=\S)")


def _mark_rows(lines: Sequence[_Line], kinds: Kinds) -> None:
    run: list[int] = []
    cells = ""
    for index in range(len(lines) + 1):
        row_cells = _cells(lines[index].text) if index < len(lines) and kinds[index] is None else ""
        if run and row_cells != cells:
            if len(run) >= _ROWS:
                _mark(kinds, run[0], run[-1] + 1, "table")
            run = []
        if row_cells:
            run.append(index)
            cells = row_cells


def _cells(line: str) -> str:
    """Return how a line is parted into at least three cells: by which mark, how often; "" if it is not."""
    if "," in line and _COMMAS.match(simplified := _NO_COMMA.sub("", line)):
        return f",{simplified.count(',')}"
    for mark in ("|", ";"):
        if line.count(mark) > 1 and "; " not in line:
            return f"{mark}{line.strip().strip(mark).count(mark)}"
    gaps = len(_GAP.findall(line.strip()))
    return f"gaps{gaps}" if gaps > 1 else ""


# Within lines: addresses and long words.

_WORD: Final = regex(
    rf"((?:https?://|www\.)[^\s<>\"]{{3,}}(?<![.,;:!?)\]'*]))|(?:(?!https?://|www\.)[!-~]){{{_LONG_WORD},}}"
)
_LETTER: Final = regex(r"[^\W\d_]")
# What a text of one line must have for any block.
_MAYBE: Final = _alternation(
    rf"[!-~]{{{_LONG_WORD},}}",
    r"https?://|www\.",
    r"[{}<>=;$@]|\w\(|```|~~~|import",
    r"Error|ERR|Exception|\d:\d\d:\d\d",
)


def _with_words(text: str, text_blocks: Iterable[TextBlock]) -> Iterator[TextBlock]:
    """Yield blocks in order, with the addresses and long words of the prose between them."""
    position = 0
    for block in text_blocks:
        yield from _words(text, position, block.start)
        yield block
        position = block.end
    yield from _words(text, position, len(text))


def _words(text: str, start: int, end: int) -> Iterator[TextBlock]:
    for word in _WORD.finditer(text, start, end):
        if not word[1]:
            yield TextBlock("data", word.start(), word.end())
        elif len(word[1]) > _LONG_ADDRESS or _is_alone(text, word.start(), word.end()):
            yield TextBlock("url", word.start(), word.end())


def _is_alone(text: str, start: int, end: int) -> bool:
    """Tell if nothing is said in the line of an address: an address within a sentence is part of it."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line = text[first : last if last >= 0 else len(text)]
    return len(line) <= _LINE_BEGINNING and _LETTER.search(_WORD.sub(" ", line)) is None
