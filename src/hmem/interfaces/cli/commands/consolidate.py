"""``hmem consolidate``."""

from time import perf_counter

import click

from hmem.interfaces.cli.drawing import progress_bar
from hmem.interfaces.cli.options import json_option, memory_option, open_memory
from hmem.interfaces.cli.output import number, write_json

_COUNTS = ("turns", "summaries", "names", "profiles", "personas", "forgotten")


@click.command(
    "consolidate", epilog='JSON: {"turns", "summaries", "names", "profiles", "personas", "forgotten", "seconds"}.'
)
@memory_option
@json_option
def consolidate(*, memory: str, as_json: bool) -> None:
    """Write what is told of what was formed.

    That is summaries, names of topics, profiles and personas; those that are still true stay as they are. Turns
    that are not formed yet are formed first.
    """
    started = perf_counter()
    with open_memory(memory) as opened, progress_bar("Consolidating", quiet=as_json) as advance:
        done = opened.consolidate(advance)
    seconds = perf_counter() - started
    if as_json:
        counts = {name: getattr(done, name) for name in _COUNTS}
        write_json({**counts, "seconds": round(seconds, 3)})
        return
    written = [
        f"{done.summaries:,} {'summary' if done.summaries == 1 else 'summaries'}",
        number(done.names, "name"),
        number(done.profiles, "profile"),
        number(done.personas, "persona"),
    ]
    formed = f"{number(done.turns, 'turn')} formed, " if done.turns else ""
    if done.forgotten:
        formed = f"{number(done.forgotten, 'turn')} forgotten, {formed}"
    click.echo(f"{formed}{', '.join(written)} written in {seconds:.2f} s")
