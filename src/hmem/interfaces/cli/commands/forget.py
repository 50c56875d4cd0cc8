"""Commands ``hmem forget`` and ``hmem retain``."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import hmem
from hmem.errors import InvalidFile
from hmem.interfaces.cli.options import json_option, memory_option, open_memory
from hmem.interfaces.cli.output import json_of, number, one_line, size, write_json
from hmem.interfaces.cli.short_ids import whole_id, whole_ids
from hmem.interfaces.cli.waiting import enough
from hmem.model.plain import plain
from hmem.util.files import open_private

_TEXT = 80


@click.command(
    "forget",
    epilog=json_of(hmem.Forgotten, ". Exit code 1 when the question was not answered with yes"),
)
@click.option(
    "--id", "ids", multiple=True, metavar="ID", help="A turn, an event, a note, an episode, a session, an entity."
)
@click.option("--speaker", metavar="NAME", help="What was said by one speaker.")
@click.option("--session", metavar="ID", help="What was said in one session.")
@click.option("--user", metavar="ID", help="What belongs to one user.")
@click.option("--before", metavar="TIME", help="What was said before.")
@click.option("--after", metavar="TIME", help="What was said then or later.")
@click.option("--entity", metavar="NAME", help="What names someone or something, by name or id.")
@click.option("--query", metavar="TEXT", help="The turns that hold all words of a text, the best first.")
@click.option("-k", default=10, show_default=True, metavar="N", help="At most so many turns for --query.")
@click.option("--echoes", is_flag=True, help="Also turns that repeat some of it and say something else as well.")
@click.option("--why", metavar="TEXT", help="The reason, for the log; not kept when it has a word that is forgotten.")
@click.option("--by", default="user", show_default=True, metavar="NAME", help="Who forgets, for the log.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@click.option("--preview", is_flag=True, help="Show what would go, and forget nothing.")
@click.option(
    "--report", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write the report as JSON."
)
@memory_option
@json_option
def forget(
    *, ids: tuple[str, ...], k: int, echoes: bool, why: str | None, by: str, yes: bool, preview: bool,
    report: Path | None, memory: str, as_json: bool, **conditions: str | None,
) -> None:  # fmt: skip
    """Erase turns, with everything derived of them.

    Turns are forgotten that meet every condition; an event, a note or an episode stands for its turns. There is no way
    back. The report names the words that were erased: keep it apart from the memory, for `hmem verify
    --forgotten-report`, or not at all.
    """
    if report is not None and not report.absolute().parent.is_dir():
        raise click.UsageError(f"{report} cannot be written - make its folder first")
    # An absent option is no condition.
    wanted: dict[str, Any] = {name: value for name, value in conditions.items() if value is not None}
    with open_memory(memory) as opened:
        ids, wanted = tuple(whole_id(opened, each) for each in ids), whole_ids(opened, wanted, "entity")
        if preview or not yes:
            found = opened.forget(*ids, k=k, echoes=echoes, preview=True, **wanted)
            if preview:
                _tell(found, report, as_json=as_json)
                return
            if not found.turns:
                click.echo("nothing meets the conditions", err=True)
            elif not _agreed(found):
                click.echo("nothing was forgotten", err=True)
                click.get_current_context().exit(1)
        _tell(opened.forget(*ids, k=k, echoes=echoes, why=why, by=by, **wanted), report, as_json=as_json)


def _agreed(found: "hmem.Forgotten") -> bool:
    """Ask the user to confirm, on stderr, so that stdout has only the result; return True for yes."""
    enough()
    for sample in found.samples:
        click.echo(f"  {one_line(sample, _TEXT)}", err=True)
    if found.turns > len(found.samples):
        click.echo(f"  and {found.turns - len(found.samples):,} more", err=True)
    _tell_echoes(found)
    click.echo(f"{_counted(found)}. Forget this for good? [y/N] ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _tell(forgotten: "hmem.Forgotten", report: Path | None, *, as_json: bool) -> None:
    enough()
    if report is not None:
        # It has the words that were forgotten.
        try:
            with open_private(report) as file:
                file.write(json.dumps(plain(forgotten), ensure_ascii=False).encode())
        except OSError as error:
            told = f"the report {report} cannot be written ({error.strerror}) - it cannot be made again"
            raise InvalidFile(told) from error
    if as_json:
        write_json(forgotten)
        return
    click.echo(f"{'would forget' if forgotten.preview else 'forgot'} {_counted(forgotten)}")
    for sample in forgotten.samples:
        click.echo(f"  {one_line(sample, _TEXT)}")
    _tell_echoes(forgotten)
    if forgotten.bytes_before:
        click.echo(f"{size(forgotten.bytes_before)} before, {size(forgotten.bytes_after)} after")
    if forgotten.pending:
        click.echo(f"the files are not wiped yet: {one_line(forgotten.pending)}", err=True)


def _tell_echoes(found: "hmem.Forgotten") -> None:
    """List the turns that repeat forgotten text and stay."""
    if found.echoes:
        stay = number(len(found.echoes), "turn")
        click.echo(
            f"what repeats some of it stays, unless --echoes is given ({stay}): {', '.join(found.echoes)}", err=True
        )


def _counted(found: "hmem.Forgotten") -> str:
    return ", ".join([number(found.turns, "turn"), *_others(found)])


def _others(found: "hmem.Forgotten") -> Iterator[str]:
    names = {"events": "event", "notes": "note", "relations": "relation", "sessions": "session", "speakers": "speaker"}
    for field, name in names.items():
        if count := getattr(found, field):
            yield number(count, name)
    if found.entities:
        yield f"{found.entities:,} {'entity' if found.entities == 1 else 'entities'}"


@click.command("retain", epilog='JSON: {"retain_days"}.')
@click.option(
    "--days", type=click.IntRange(min=1), metavar="N", help="Keep turns for so many days after they were said."
)
@click.option("--forever", is_flag=True, help="Keep turns for good, as at first.")
@click.option("--why", metavar="TEXT", help="The reason, for the log.")
@memory_option
@json_option
def retain(*, days: int | None, forever: bool, why: str | None, memory: str, as_json: bool) -> None:
    """Say for how long turns are kept.

    Older ones are forgotten at the next `hmem consolidate`. Without an option it shows the rule.
    """
    if days is not None and forever:
        raise click.UsageError("turns are kept for some days or for good - give --days or --forever")
    with open_memory(memory) as opened:
        if days is not None or forever:
            opened.retain(days, why=why)
        kept = opened.stats().retain_days
    if as_json:
        write_json({"retain_days": kept})
    else:
        click.echo("turns are kept for good" if kept is None else f"turns are kept for {number(kept, 'day')}")
