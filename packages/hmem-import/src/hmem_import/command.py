"""Command ``hmem import``."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import click
from click.decorators import FC

import hmem
from hmem.api.ingestion import without_warnings
from hmem.errors import InvalidTurn, StorageFull
from hmem.formation.capture import Defaults, to_turns
from hmem.interfaces import bundle
from hmem.interfaces.bundle import Restoring
from hmem.interfaces.cli.options import (
    analyst_option,
    embedder_option,
    forming_option,
    json_option,
    memory_option,
    open_memory,
    zone_option,
)
from hmem.interfaces.cli.output import one_line, write_json
from hmem.interfaces.cli.waiting import Advance, progress_bar, waiting
from hmem.model.plain import plain
from hmem_import.dates import DATE_ORDERS
from hmem_import.formats import FORMATS, Item, Source, read
from hmem_import.opening import ImportLimits
from hmem_import.tables import FIELDS

_LIMITS: Final = ImportLimits()
_MAX_PRINTED: Final = 5
_SHOWN: Final = 3

# A file of the wrong kind may have a problem on each of a million lines.
_MAX_PROBLEMS: Final = 1_000


@dataclass(slots=True)
class _Tally:
    """Counts of the turns so far, by fate; ``problems`` has the first thousand."""

    stored: int = 0
    duplicate: int = 0
    rejected: int = 0
    problems: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    @property
    def total(self) -> int:
        return self.stored + self.duplicate + self.rejected

    def reject(self, problems: Iterable[tuple[int, str]]) -> None:
        for problem in sorted(problems):
            self.rejected += 1
            if len(self.problems) < _MAX_PROBLEMS:
                self.problems.append(problem)


def _limit(name: str, usual: int, help_text: str) -> Callable[[FC], FC]:
    return click.option(name, type=click.IntRange(min=1), default=usual, show_default=True, help=help_text)


def _columns(context: click.Context, _: click.Parameter, value: str | None) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in (value or "").split(",") if pair.strip()]
    columns = {field.strip(): name.strip() for field, _, name in pairs}
    if not all(columns.values()) or not columns.keys() <= {*FIELDS}:
        raise click.UsageError(f"--columns names {', '.join(FIELDS)}, such as text=Body,speaker=Who,at=When", context)
    return columns


@click.command(
    "import",
    epilog="\b\nFormats:\n"
    + "".join(f"  {entry.name:<17}{entry.description}\n" for entry in FORMATS.values())
    + '\nJSON: {"stored", "duplicate", "rejected", "problems": [{"line", "error"}], "seconds", "turns_per_s", '
    '"remarks"}. Exit code 1 when anything was rejected.',
)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--format",
    type=click.Choice(["auto", *FORMATS]),
    default="auto",
    show_default=True,
    help="What the file holds; auto tells by its content.",
)
@click.option(
    "--me", metavar="NAME", help="Who you are in a chat or a mailbox: what this name or address said is yours."
)
@click.option("--session", metavar="ID", help="The session of turns that name none; one for each day by default.")
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    help="How many turns go into one transaction.",
)
@_limit("--max-bytes", _LIMITS.bytes, "The bytes that are read at once, or unpacked of an archive.")
@_limit("--max-line", _LIMITS.line, "The bytes of a line of JSONL, or of a message of a mailbox.")
@_limit("--max-files", _LIMITS.files, "The files of a folder or an archive, and the pages of a PDF.")
@_limit("--max-depth", _LIMITS.depth, "How deeply folders, lists and objects stand in each other.")
@click.option(
    "--columns",
    metavar="FIELD=NAME,…",
    callback=_columns,
    help=f"The columns of a table by what they hold: {', '.join(FIELDS)}.",
)
@click.option(
    "--dates", type=click.Choice(DATE_ORDERS), help="How dates such as 01/02 are meant, if a file cannot tell."
)
@click.option("--dry-run", is_flag=True, help="Show the format and the first three turns, and keep nothing.")
@click.option("--acknowledge", is_flag=True, help="Print 'acknowledged N' once the first N turns are durable.")
@zone_option
@forming_option
@analyst_option
@embedder_option
@memory_option
@json_option
def import_file(
    *,
    file: Path,
    format: str,
    me: str | None,
    session: str | None,
    batch: int,
    max_bytes: int,
    max_line: int,
    max_files: int,
    max_depth: int,
    columns: dict[str, str],
    dates: str | None,
    dry_run: bool,
    acknowledge: bool,
    zone: str | None,
    recipe: str | None,
    analyst: str | None,
    embedder: str | None,
    memory: str,
    as_json: bool,
) -> None:
    """Keep the turns of a file.

    FILE may be a folder, or a ZIP archive as it was downloaded. It holds JSONL with a turn a line (text or content,
    speaker, at, session, caption, role, metadata, and id or message_id), what `hmem export` wrote, an export or a
    transcript of one of the programs that --format names, notes or documents; also with .gz; - is stdin. The docs tell
    how to get each export, and what of it is kept. What cannot be kept is told of with its line, and the rest is kept.
    Turns that have ids are not kept twice, so an import that broke off can be run again. Links are not followed.
    """
    limits = ImportLimits(max_bytes, max_line, max_files, max_depth)
    source = read(file, None if format == "auto" else format, limits, me, columns, dates)
    if dry_run:
        _show(source, as_json=as_json)
        return
    items = iter(source.items)
    with waiting("hmem import"):
        first = list(islice(items, batch))  # Read first, so that an unreadable file makes no memory.
    tally = _Tally()
    with (
        open_memory(memory, create=True, recipe=recipe, embedder=embedder, analyst=analyst, zone=zone) as target,
        progress_bar("Remembering turns", quiet=as_json or acknowledge) as advance,
    ):
        start_time = perf_counter()
        restoring = Restoring(target) if source.format == bundle.NAME else None
        total = source.count() if advance else None
        try:
            for items_now in _batches(first, items, batch):
                _keep(target, items_now, session, tally, restoring)
                _report(tally, total, advance, acknowledge=acknowledge)
        except StorageFull as error:
            stored_count = tally.stored if restoring is None else restoring.kept
            raise error.but_kept(f"{stored_count:,} of the file are kept - import it again to go on") from error
        target.flush()
        seconds = perf_counter() - start_time
    _finish(tally, seconds, source.remarks, as_json=as_json)


def _show(source: Source, *, as_json: bool) -> None:
    """Print the format of a file and its first turns."""
    turns: list[dict[str, Any]] = []
    for item in source.items:
        if len(turns) >= _SHOWN:
            # Of what is not endless the rest is read, for its remarks.
            if source.streams:
                break
            continue
        if item.error is not None:
            turns.append({"line": item.line, "error": item.error})
        else:
            try:
                turns += [{"line": item.line, **plain(turn)} for turn in to_turns(item.message, Defaults(UTC)).turns]
            except InvalidTurn as error:
                turns.append({"line": item.line, "error": str(error)})
    if as_json:
        write_json({"format": source.format, "turns": turns[:_SHOWN], "remarks": source.remarks})
        return
    click.echo(f"{source.format}: {source.description}")
    for turn in turns[:_SHOWN]:
        said = turn.get("error") or f"{turn['at']} {turn['speaker']} ({turn['role'] or 'no role'}): {turn['text']}"
        said += f" [{turn['caption']}]" if turn.get("caption") else ""
        click.echo(f"line {turn['line']}: {one_line(said)}")
    _write_remarks(source.remarks)


def _write_remarks(remarks: list[str]) -> None:
    for remark in dict.fromkeys(remarks):
        click.echo(f"note: {one_line(remark)}")


def _batches(first: list[Item], remaining: Iterator[Item], size: int) -> Iterator[list[Item]]:
    while first:
        yield first
        first = list(islice(remaining, size))


def _keep(
    memory: "hmem.Memory", items: list[Item], session: str | None, tally: _Tally, restoring: Restoring | None
) -> None:
    """Store the valid items in one transaction."""
    good = [item for item in items if item.error is None]
    problems = [(item.line, item.error) for item in items if item.error is not None]
    if restoring is not None:
        answers = zip(good, restoring.take([item.message for item in good]), strict=True)
        pairs = [(item, receipt) for item, receipt in answers if receipt is not None]
        good, receipts = [item for item, _ in pairs], [receipt for _, receipt in pairs]
    else:
        with without_warnings():
            receipts = memory.add([item.message for item in good], session=session) if good else []
    tally.stored += sum(receipt.fate == "stored" for receipt in receipts)
    tally.duplicate += sum(receipt.fate == "duplicate" for receipt in receipts)
    rejections = [(item.line, receipt.error or "") for item, receipt in zip(good, receipts, strict=True) if not receipt]
    tally.reject([*problems, *rejections])


def _report(tally: _Tally, total: int | None, advance: Advance | None, *, acknowledge: bool) -> None:
    if acknowledge:
        click.echo(f"acknowledged {tally.total}")
    if advance is not None:
        advance(tally.total, total)


def _finish(tally: _Tally, seconds: float, remarks: list[str], *, as_json: bool) -> None:
    rate = tally.stored / seconds if seconds else 0.0
    if as_json:
        write_json({**_figures(tally, seconds, rate), "remarks": remarks})
    else:
        click.echo(f"{tally.stored:,} stored, {tally.duplicate:,} duplicate, {tally.rejected:,} rejected ", nl=False)
        click.echo(f"in {seconds:.2f} s ({rate:,.0f} a second)")
        _write_remarks(remarks)
        for line, error in tally.problems[:_MAX_PRINTED]:
            click.echo(f"line {line}: {one_line(error)}", err=True)
        if tally.rejected > _MAX_PRINTED:
            click.echo(f"and {tally.rejected - _MAX_PRINTED:,} more", err=True)
    if tally.rejected:
        click.get_current_context().exit(1)


def _figures(tally: _Tally, seconds: float, rate: float) -> dict[str, Any]:
    return {
        "stored": tally.stored,
        "duplicate": tally.duplicate,
        "rejected": tally.rejected,
        "problems": [{"line": line, "error": error} for line, error in tally.problems],
        "seconds": round(seconds, 3),
        "turns_per_s": round(rate, 1),
    }
