"""``hmem consolidate``."""

import re
from time import perf_counter
from typing import Final

import click

from hmem.interfaces.cli.drawing import progress_bar
from hmem.interfaces.cli.options import json_option, memory_option, open_memory
from hmem.interfaces.cli.output import number, write_json

_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s|m|min|h)?")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_COUNTS: Final = ("turns", "summaries", "names", "profiles", "levels", "left", "forgotten")


def _seconds(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """The seconds that a duration such as ``10s``, ``500ms`` or ``2m`` stands for; a number alone is in seconds."""
    if value is None:
        return None
    found = _DURATION.fullmatch(value.strip())
    if found is None:
        raise click.BadParameter(f"{value!r} is no duration - write 10s, 500ms or 2m", context, parameter)
    return float(found[1]) * _SECONDS[found[2] or "s"]


@click.command(
    "consolidate",
    epilog='JSON: {"turns", "summaries", "names", "profiles", "levels", "left", "forgotten", "seconds"}.',
)
@memory_option
@click.option(
    "--budget", callback=_seconds, metavar="TIME", help="How long to work, such as 10s; by default until all is done."
)
@click.option("--texts", type=click.IntRange(min=0), metavar="N", help="How many texts to write at most.")
@click.option("--at", metavar="TIME", help="The time by which the memory's age counts, in ISO 8601; now by default.")
@json_option
def consolidate(*, memory: str, budget: float | None, texts: int | None, at: str | None, as_json: bool) -> None:
    """Fill the levels that the memory has grown into, and write what is told of what was formed.

    That is summaries, names of topics and profiles; those that are still true stay as they are. Turns that are not
    formed yet are formed first, and turns that expired, or are older than the memory keeps turns, are forgotten before.
    A run that was ended is taken up where it stopped.
    """
    started = perf_counter()
    with open_memory(memory) as opened, progress_bar("Consolidating", quiet=as_json) as advance:
        done = opened.consolidate(advance, budget=budget, texts=texts, at=at)
    seconds = perf_counter() - started
    if as_json:
        write_json({**{name: getattr(done, name) for name in _COUNTS}, "seconds": round(seconds, 3)})
        return
    written = [
        f"{done.summaries:,} {'summary' if done.summaries == 1 else 'summaries'}",
        number(done.names, "name"),
        number(done.profiles, "profile"),
    ]
    formed = f"{number(done.turns, 'turn')} formed, " if done.turns else ""
    if done.forgotten:
        formed = f"{number(done.forgotten, 'turn')} forgotten, {formed}"
    grown = f"{number(done.levels, 'level')} filled, " if done.levels else ""
    left = f"; {done.left:,} left - run it again" if done.left else ""
    click.echo(f"{formed}{grown}{', '.join(written)} written in {seconds:.2f} s{left}")
