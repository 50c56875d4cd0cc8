"""Plain output of commands on stdout: JSON, and lines and tables that are safe for a terminal."""

import json
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from shutil import get_terminal_size
from typing import Any, Final, cast

import click

from hmem.interfaces.serialisation import form_of
from hmem.language.prompt_text import CONTROLS, escaped
from hmem.model.evidence import Evidence, Trace, in_brief
from hmem.model.plain import plain
from hmem.model.plan import FollowUp, Plan
from hmem.model.span import Span
from hmem.util.marking import mark_words

_CONTROLS: Final = re.compile(rf"[{CONTROLS}]+")
_SPACES: Final = re.compile(r"\s+")
_PAGE: Final = 120
_TEXT: Final = 240
_UNITS: Final = ("kB", "MB", "GB", "TB")


def write_json(value: Any) -> None:
    """Write a value as one line of JSON to stdout. Characters that a terminal obeys or hides are escaped."""
    unicode = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    click.echo(escaped(json.dumps(plain(value), ensure_ascii=not unicode)))


def json_of(kind: Any, suffix: str = "") -> str:
    """Return the sentence of a command's help about its JSON: the fields of a type, and ``suffix``."""
    return f"JSON: {form_of(kind)}{suffix}."


def visible(text: str) -> str:
    """Return a text without control characters but line breaks; tabs become spaces."""
    return "\n".join(_CONTROLS.sub(" ", line.replace("\t", "    ")) for line in text.split("\n"))


def one_line(text: str, longest: int | None = None) -> str:
    """Return a text on one line without control characters, cut to ``longest`` characters."""
    flat = _SPACES.sub(" ", _CONTROLS.sub(" ", text)).strip()
    return flat if longest is None or len(flat) <= longest else f"{flat[: longest - 1].rstrip()}…"


def one_chunk(text: str) -> str:
    """Return a piece of a streamed text without control characters; spaces at its ends stay."""
    return _SPACES.sub(" ", _CONTROLS.sub(" ", text))


def size(count: int) -> str:
    """Return a number of bytes for people: ``1.3 MB``, in powers of 1,000."""
    if count < 1_000:
        return f"{count} bytes"
    amount = float(count)
    for unit in _UNITS:
        amount /= 1_000
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
    return f"{amount:,.0f} {_UNITS[-1]}"


def day(moment: date) -> str:
    """Return a day for people: ``11 Aug 2023``."""
    return f"{moment.day} {moment:%b} {moment.year}"


def period(span: Span) -> str:
    """Return the days of a span: ``11 Aug 2023``, or ``11 Aug 2023 - 3 Sep 2023``."""
    last = max(span.end - timedelta(microseconds=1), span.start)
    first, until = day(span.start), day(last)
    return first if first == until else f"{first} - {until}"


# Lists and tables.


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[str] = ()) -> str:
    """Return rows in columns under their headings, which may have several lines; ``numbers`` are right-aligned."""
    body = [[_CONTROLS.sub(" ", cell) for cell in row] for row in rows]
    heads = [heading.split("\n") for heading in headings]
    height = max(map(len, heads))
    padding = [[""] * (height - len(head)) + head for head in heads]
    cells = [*zip(*padding, strict=True), *body]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    aligned = [str.rjust if heading in numbers else str.ljust for heading in headings]
    return "\n".join(
        "  ".join(align(cell, width) for align, cell, width in zip(aligned, row, widths, strict=True)).rstrip()
        for row in cells
    )


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names and values, a pair a line; the lines of a value stand below each other."""
    pairs = list(pairs)
    width = max((len(name) for name, _ in pairs), default=0)
    indent = "\n" + " " * (width + 2)
    return "\n".join((f"{name:<{width}}  " + value.replace("\n", indent)).rstrip() for name, value in pairs)


def figures(measurements: Mapping[str, Any]) -> str:
    """Return measurements, a line for each name; nested values share a line."""
    return facts((name, _figure(value)) for name, value in measurements.items())


def _figure(value: Any) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:,.1f}" if abs(value) >= 1_000 else f"{value:.4g}"
        case int():
            return f"{value:,}"
        case Mapping():
            pairs = cast("Mapping[str, Any]", value)
            separator = "\n" if any(isinstance(part, str) for part in pairs.values()) else "  "
            return separator.join(f"{name}: {_nested(part)}" for name, part in pairs.items())
        case list() | tuple():
            return ", ".join(_figure(part) for part in cast("Sequence[Any]", value)) or "-"
        case _:
            return one_line(str(value))


def _nested(value: Any) -> str:
    return f"({_figure(value)})" if isinstance(value, Mapping) else _figure(value)


# Evidence.


def evidence_list(evidence: Iterable[Evidence], *, explain: bool) -> str:
    """Return evidence, best first: its source, the text with the question's words marked, the reason, and its id.

    With ``explain`` the reason is whole.
    """
    return "\n\n".join("\n".join(_evidence_lines(rank, item, explain=explain)) for rank, item in enumerate(evidence, 1))


def _evidence_lines(rank: int, item: Evidence, *, explain: bool) -> Iterator[str]:
    kind = "" if item.kind == "turn" else f"{item.kind}, "
    speaker = f"{one_line(item.speaker, 24)}, " if item.speaker else ""
    relevance = "" if item.relevance is None else f"relevance {item.relevance:.2f}, "
    yield f"{rank}. {kind}{speaker}{item.when:%Y-%m-%d %H:%M}  {relevance}score {item.score:.2f}"
    photo = f" [photo: {one_line(item.caption, _TEXT)}]" if item.caption else ""
    for line in _wrapped(f"{one_line(item.text, _TEXT)}{photo}".strip()):
        yield "".join(
            click.style(fragment, bold=True, underline=True) if mark else fragment
            for fragment, mark in mark_words(line, item.why.words)
        )
    if item.why.outdated is not None and not explain:
        yield from _wrapped(one_line(str(item.why.outdated)))
    yield from _wrapped(one_line(str(item.why) if explain else in_brief(item.why)))
    yield f"   {item.id}"


def _wrapped(text: str) -> list[str]:
    """Return a text in lines as wide as the terminal, or a page, behind three spaces."""
    width = get_terminal_size((_PAGE, 0)).columns
    return textwrap.wrap(text, width, initial_indent="   ", subsequent_indent="   ", break_on_hyphens=False)


def trace_table(trace: Trace) -> str:
    """Return the steps of a recall: query analysis, strategies, times of the stages."""
    return facts(
        [
            ("words", one_line(", ".join(trace.words))),
            ("speakers", one_line(", ".join(trace.speakers))),
            *(_planned(trace.plan) if trace.plan is not None else ()),
            *(("looked up", one_line(text)) for text in trace.queries),
            *(_followed(trace.follow_up) if trace.follow_up is not None else ()),
            *((f"candidates: {name}", f"{count:,}") for name, count in trace.candidates.items()),
            *((f"step: {name}", _story(details)) for name, details in trace.steps.items()),
            *((f"time: {stage}", f"{duration:.2f} ms") for stage, duration in trace.milliseconds.items()),
        ]
    )


def _planned(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield a line for each part of a question: its topic, and how it is looked up."""
    for count, part in enumerate(plan.parts, 1):
        remarks = [part.scope, part.coverage, part.mode, f"answer: {part.answer_type}"]
        if part.entities:
            remarks.append(f"about {', '.join(part.entities)}")
        remarks += [period(span) for span in part.spans]
        if part.needs:
            remarks.append(f"after part {', '.join(str(need + 1) for need in part.needs)}")
        yield f"part {count}", one_line(f"{part.text} ({'; '.join(remarks)})")


def _followed(follow_up: FollowUp) -> Iterator[tuple[str, str]]:
    anchor = f"; from: {follow_up.anchor}" if follow_up.anchor else ""
    yield "follow-up", one_line(f"{follow_up.text} (lacking: {follow_up.slot}{anchor})")


def _story(details: Mapping[str, Any]) -> str:
    return one_line("; ".join(f"{name}: {_nested(value)}" for name, value in details.items()))
