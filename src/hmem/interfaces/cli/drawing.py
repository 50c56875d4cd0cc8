"""Drawing with rich: tables, trees, progress bars. Only commands that draw import it."""

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import click
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from hmem.interfaces.cli.output import one_line
from hmem.interfaces.cli.views import Twig, period
from hmem.interfaces.cli.waiting import enough
from hmem.model.change import Change
from hmem.model.evidence import Evidence, Trace, in_brief
from hmem.model.plan import FollowUp, Plan
from hmem.util.marking import mark_words

_WIDTH_OF_A_FILE: Final = 120
_TEXT: Final = 240
_MARK: Final = "bold underline"
# Of a table of changes whose ids are not broken.
CHANGES_WIDTH: Final = 88

Advance = Callable[[int, int | None], None]


def draw(*parts: RenderableType, least: int = 0) -> None:
    """Write to stdout, as wide as the terminal or a page, but at least ``least`` characters."""
    terminal = sys.stdout.isatty()
    width = None if terminal or "COLUMNS" in os.environ else _WIDTH_OF_A_FILE
    console = Console(highlight=False, markup=False, emoji=False, width=width)
    if console.width < least:
        console = Console(highlight=False, markup=False, emoji=False, width=least, soft_wrap=True)
    if terminal:
        _print(console, parts)
        return
    with console.capture() as captured:
        _print(console, parts)
    # rich pads columns with spaces, which a page does not need.
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _print(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print parts one by one: of texts, rich heeds only the arguments of the call."""
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))


@contextmanager
def progress_bar(description: str, *, quiet: bool) -> Generator[Advance | None]:
    """Show a progress bar on stderr and yield its update (done, total); None if quiet or without a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    enough()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(description, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[str] = ()) -> Table:
    """Return a table without lines; the columns in ``numbers`` are right-aligned."""
    made = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        made.add_column(heading, justify="right" if heading in numbers else "left", no_wrap=heading in numbers)
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return made


def facts(pairs: Iterable[tuple[str, str]]) -> Table:
    """Return a table of names and values, a pair a line."""
    made = Table(box=None, pad_edge=False, show_header=False)
    made.add_column(no_wrap=True, style="dim")
    made.add_column(overflow="fold")
    for name, value in pairs:
        made.add_row(Text(name), Text(value))
    return made


def evidence_list(found: Iterable[Evidence], *, why: bool) -> list[RenderableType]:
    """Return evidence, best first: a line of its source, the text, why it was found, and its id on a line of its own.

    With ``why`` the explanation is whole.
    """
    parts: list[RenderableType] = []
    for place, item in enumerate(found, 1):
        told = _said(item)
        reason = one_line(str(item.why)) if why else one_line(in_brief(item.why))
        below = [Text(reason, "dim")]
        if item.why.outdated is not None and not why:
            below.insert(0, Text(str(item.why.outdated), "yellow"))
        parts += [
            *([Text("")] if place > 1 else []),
            Text.assemble((f"{place}. ", "dim"), _source(item), (f"  {_weight(item)}", "dim")),
            *(Padding(each, (0, 0, 0, 3)) for each in (told, *below)),
            whole(f"   {item.id}"),
        ]
    return parts


def _source(item: Evidence) -> Text:
    kind = "" if item.kind == "turn" else f"{item.kind}, "
    who = f"{one_line(item.speaker, 24)}, " if item.speaker else ""
    return Text(f"{kind}{who}{item.when:%Y-%m-%d %H:%M}", "bold")


def _weight(item: Evidence) -> str:
    relevance = "" if item.relevance is None else f"relevance {item.relevance:.2f}, "
    return f"{relevance}score {item.score:.2f}"


def whole(text: str) -> Text:
    """Return a faint line that is never broken, so that what it holds can be copied."""
    return Text(text, "dim", no_wrap=True)


def changes_table(changes: Iterable[Change]) -> Table:
    """Return a table of changes, with the texts before and after, and the ids of target and change."""
    made = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("when", "what", "by"):
        made.add_column(heading, no_wrap=heading == "when")
    made.add_column("how", ratio=1, overflow="fold")
    for each in changes:
        became = " -> ".join(text for text in (each.before, each.after) if text)
        told = one_line(f"{became} ({each.why})" if each.why else became, _TEXT)
        ids = Text(f"{each.target}\n{each.id}", "dim")
        what = Text(f"{each.verb}{' (undone)' if each.undone else ''}")
        when, by = Text(f"{each.at:%Y-%m-%d %H:%M}"), Text(one_line(each.by, 24))
        made.add_row(when, what, by, Text("\n").join([Text(told), ids] if told else [ids]))
    return made


def _said(item: Evidence) -> Text:
    """Return a text on one line, with the question's words marked."""
    photo = f" [photo: {one_line(item.caption, _TEXT)}]" if item.caption else ""
    told = f"{one_line(item.text, _TEXT)}{photo}".strip()
    return Text.assemble(*((piece, _MARK if mark else "") for piece, mark in mark_words(told, item.why.words)))


def trace_table(trace: Trace) -> Table:
    """Return a table of the steps of a recall: query analysis, strategies, times of the stages."""
    return facts(
        [
            ("words", one_line(", ".join(trace.words))),
            ("speakers", one_line(", ".join(trace.speakers))),
            *(_planned(trace.plan) if trace.plan is not None else ()),
            *(("looked up", one_line(text)) for text in trace.queries),
            *(_followed(trace.follow_up) if trace.follow_up is not None else ()),
            *((f"candidates: {name}", f"{count:,}") for name, count in trace.candidates.items()),
            *((f"step: {name}", _story(told)) for name, told in trace.steps.items()),
            *((f"time: {stage}", f"{taken:.2f} ms") for stage, taken in trace.milliseconds.items()),
        ]
    )


def _planned(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield a line for each part of a question: its topic, and how it is looked up."""
    for number, part in enumerate(plan.parts, 1):
        said = [part.scope, part.coverage, part.mode, f"answer: {part.answer_type}"]
        if part.entities:
            said.append(f"about {', '.join(part.entities)}")
        said += [period(span) for span in part.spans]
        if part.needs:
            said.append(f"after part {', '.join(str(each + 1) for each in part.needs)}")
        yield f"part {number}", one_line(f"{part.text} ({'; '.join(said)})")


def _followed(follow_up: FollowUp) -> Iterator[tuple[str, str]]:
    anchor = f"; from: {follow_up.anchor}" if follow_up.anchor else ""
    yield "follow-up", one_line(f"{follow_up.text} (lacking: {follow_up.slot}{anchor})")


def _story(told: Mapping[str, Any]) -> str:
    return one_line("; ".join(f"{name}: {_nested(value)}" for name, value in told.items()))


def tree(title: str, twigs: Iterable[Twig]) -> Tree:
    """Return a tree of lines, with faint text after or below each."""
    made = Tree(Text(title, "bold"))
    _grow(made, twigs)
    return made


def _grow(onto: Tree, twigs: Iterable[Twig]) -> None:
    for twig in twigs:
        line = Text(twig.text)
        if twig.more:
            line.append(f"  {twig.more}", "dim")
        if twig.below:
            line.append(f"\n{twig.below}", "dim italic")
        _grow(onto.add(line), twig.twigs)


def figures(measured: Mapping[str, Any]) -> Table:
    """Return a table of measurements, a line for each name; nested values share a line."""
    return facts((name, _figure(value)) for name, value in measured.items())


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
            between = "\n" if any(isinstance(part, str) for part in pairs.values()) else "  "
            return between.join(f"{name}: {_nested(part)}" for name, part in pairs.items())
        case list() | tuple():
            return ", ".join(_figure(part) for part in cast("Sequence[Any]", value)) or "-"
        case _:
            return one_line(str(value))


def _nested(value: Any) -> str:
    return f"({_figure(value)})" if isinstance(value, Mapping) else _figure(value)
