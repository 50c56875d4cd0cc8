"""``hmem delete``."""

import sys

import click

import hmem
from hmem.interfaces.cli.options import json_option, memory_option, open_memory
from hmem.interfaces.cli.output import number, one_line, write_json

_SHOWN = 5
_TEXT = 60


@click.command("delete", epilog='JSON: {"turns", "vectors"}. Exit code 1 when the question was not answered with yes.')
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask first.")
@memory_option
@json_option
def delete(*, ids: tuple[str, ...], yes: bool, memory: str, as_json: bool) -> None:
    """Take turns away.

    It is `hmem forget` by their ids alone: everything that was derived of them goes with them. When one of the ids is
    unknown, nothing is taken away.
    """
    with open_memory(memory) as opened:
        if not yes:
            turns = [opened.get(name) for name in ids]
            for turn in (each for each in turns[:_SHOWN] if isinstance(each, hmem.Turn)):
                click.echo(f"{turn.id}  {one_line(turn.speaker)}: {one_line(turn.content, _TEXT)}", err=True)
            if not _agreed(len(turns)):
                click.echo("nothing was deleted", err=True)
                click.get_current_context().exit(1)
        deletion = opened.delete(*ids)
    if as_json:
        write_json({"turns": deletion.turns, "vectors": deletion.vectors})
    else:
        click.echo(f"deleted {number(deletion.turns, 'turn')} and {number(deletion.vectors, 'vector')}")


def _agreed(count: int) -> bool:
    """Whether the user answers with yes. Asked on stderr, so that stdout stays the result's."""
    click.echo(f"Delete {number(count, 'turn')}? [y/N] ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
