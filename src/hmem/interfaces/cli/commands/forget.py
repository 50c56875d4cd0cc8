"""Commands ``hmem forget`` and ``hmem retain``."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import hmem
from hmem.errors import InvalidFile
from hmem.interfaces.cli.options import POSITIVE, emit, flag, invocation, memory_command, option
from hmem.interfaces.cli.output import json_of, one_line, size
from hmem.interfaces.cli.waiting import clear_sign
from hmem.model.plain import plain
from hmem.util.amounts import amount
from hmem.util.files import open_private

_TEXT = 80


@memory_command(
    "forget",
    json_of(hmem.Forgotten, ". Exit code 1 when the question was not answered with yes"),
    option("--id", "ID", "A turn, an event, a note, an episode, a session, an entity.", dest="ids", multiple=True),
    option("--speaker", "NAME", "What was said by one speaker."),
    option("--session", "ID", "What was said in one session."),
    option("--user", "ID", "What belongs to one user."),
    option("--before", "TIME", "What was said before."),
    option("--after", "TIME", "What was said then or later."),
    option("--entity", "NAME", "What names someone or something, by name or id."),
    option("--query", "TEXT", "The turns that hold all words of a text, the best first."),
    option("-k", "N", "At most so many turns for --query.", default=10),
    flag("--echoes", "Also turns that repeat some of it and say something else as well."),
    option("--why", "TEXT", "The reason, for the log; not kept when it has a word that is forgotten."),
    option("--by", "NAME", "Who forgets, for the log.", default="user"),
    flag("--yes", "Do not ask first."),
    flag("--preview", "Show what would go, and forget nothing."),
    option("--report", "FILE", "Write the report as JSON.", type=click.Path(dir_okay=False, path_type=Path)),
)
def forget(
    memory: hmem.Memory, ids: tuple[str, ...], *, yes: bool, preview: bool, report: Path | None, **arguments: Any
) -> None:
    """Erase turns, with everything derived of them.

    Turns are forgotten that meet every condition; an event, a note or an episode stands for its turns. There is no way
    back. The report names the words that were erased: keep it apart from the memory, for `hmem verify
    --forgotten-report`, or not at all.
    """
    if report is not None and not report.absolute().parent.is_dir():
        raise click.UsageError(f"{report} cannot be written - make its folder first")
    # An absent option is no condition.
    arguments = {name: value for name, value in arguments.items() if value is not None}
    if preview or not yes:
        erasure = memory.forget(*ids, **arguments, preview=True)
        if preview:
            _write(erasure, report)
            return
        if not erasure.turns:
            click.echo("nothing meets the conditions", err=True)
        elif not _confirm(erasure):
            click.echo("nothing was forgotten", err=True)
            click.get_current_context().exit(1)
    _write(memory.forget(*ids, **arguments), report)


def _confirm(preview: "hmem.Forgotten") -> bool:
    """Ask the user to confirm, on stderr, so that stdout has only the result; return True for yes."""
    clear_sign()
    for sample in preview.samples:
        click.echo(f"  {one_line(sample, _TEXT)}", err=True)
    if preview.turns > len(preview.samples):
        click.echo(f"  and {preview.turns - len(preview.samples):,} more", err=True)
    _write_echoes(preview)
    click.echo(f"{_counts(preview)}. Forget this for good? [y/N] ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _write(erasure: "hmem.Forgotten", report: Path | None) -> None:
    if report is not None:
        # It has the words that were forgotten.
        try:
            with open_private(report) as file:
                file.write(json.dumps(plain(erasure), ensure_ascii=False).encode())
        except OSError as error:
            problem = f"the report {report} cannot be written ({error.strerror}) - it cannot be made again"
            raise InvalidFile(problem) from error
    samples = (f"  {one_line(sample, _TEXT)}" for sample in erasure.samples)
    emit(erasure, (f"{'would forget' if erasure.preview else 'forgot'} {_counts(erasure)}", *samples))
    if invocation().json:
        return
    _write_echoes(erasure)
    if erasure.bytes_before:
        click.echo(f"{size(erasure.bytes_before)} before, {size(erasure.bytes_after)} after")
    if erasure.pending:
        click.echo(f"the files are not wiped yet: {one_line(erasure.pending)}", err=True)


def _write_echoes(erasure: "hmem.Forgotten") -> None:
    """List on stderr the turns that repeat forgotten text and stay."""
    if erasure.echoes:
        turns = amount(len(erasure.echoes), "turn")
        text = f"what repeats some of it stays, unless --echoes is given ({turns}): {', '.join(erasure.echoes)}"
        click.echo(text, err=True)


def _counts(erasure: "hmem.Forgotten") -> str:
    def counts() -> Iterator[str]:
        yield amount(erasure.turns, "turn")
        for name in ("event", "note", "relation", "session", "speaker"):
            if count := getattr(erasure, f"{name}s"):
                yield amount(count, name)
        if erasure.entities:
            yield amount(erasure.entities, "entity", "entities")

    return ", ".join(counts())


@memory_command(
    "retain",
    'JSON: {"retain_days"}.',
    option("--days", "N", "Keep turns for so many days after they were said.", type=POSITIVE),
    flag("--forever", "Keep turns for good, as at first."),
    option("--why", "TEXT", "The reason, for the log."),
)
def retain(memory: hmem.Memory, days: int | None, *, forever: bool, **reason: Any) -> None:
    """Say for how long turns are kept.

    Older ones are forgotten at the next `hmem consolidate`. Without an option it shows the rule.
    """
    if days is not None and forever:
        raise click.UsageError("turns are kept for some days or for good - give --days or --forever")
    if days is not None or forever:
        memory.retain(days, **reason)
    days = memory.stats().retain_days
    text = "turns are kept for good" if days is None else f"turns are kept for {amount(days, 'day')}"
    emit({"retain_days": days}, text)
