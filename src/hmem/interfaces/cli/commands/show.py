"""``hmem show``."""

import click

from hmem.interfaces.cli.drawing import draw, timeline_tree
from hmem.interfaces.cli.options import json_option, memory_option, open_memory
from hmem.interfaces.cli.output import one_line, write_json


@click.command("timeline", epilog='JSON: [{"id", "start", "end", "turns", "speakers", "opening"}].')
@click.option("--limit", type=click.IntRange(min=1), help="How many sessions at most; all by default.")
@click.option("--offset", type=click.IntRange(min=0), default=0, show_default=True, help="How many to leave out first.")
@memory_option
@json_option
def timeline(*, limit: int | None, offset: int, memory: str, as_json: bool) -> None:
    """Show days and their sessions.

    Each session is shown with its speakers, its number of turns and its opening words.
    """
    with open_memory(memory) as opened:
        sessions = opened.sessions(limit=limit, offset=offset)
    if as_json:
        write_json(sessions)
    else:
        draw(timeline_tree(one_line(memory), sessions) if sessions else "no sessions")
