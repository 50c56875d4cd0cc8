"""``hmem stats``, ``verify``, ``rebuild`` and ``reembed``."""

import json
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import click

import hmem
from hmem.errors import InvalidFile
from hmem.interfaces.cli.drawing import draw, facts, progress_bar
from hmem.interfaces.cli.options import json_option, memory_option, open_memory
from hmem.interfaces.cli.output import number, one_line, size, write_json
from hmem.model.report import ModelStats


@click.command(
    "stats",
    epilog='JSON: {"memory", "path", "schema", "embedder", "zone", "turns", "sessions", "speakers", "first", "last", '
    '"vectors", "tail", "truth_bytes", "index_bytes", "index_problem", "unformed", "events", "notes", "revised", '
    '"entities", "formation_problem", "consolidation_problem", "retain_days", "expiring", "forgetting_problem", '
    '"contradiction_rate", "model": {"name", "pending", "held", "given_up", "read": {made_by: turns}, "texts", '
    '"today", "spent": [{"purpose", "model", "calls", "input_tokens", "output_tokens", "cost", "failures"}], '
    '"problem", "error", "unjudged"}}.',
)
@memory_option
@json_option
def stats(*, memory: str, as_json: bool) -> None:
    """Count turns, sessions and bytes."""
    with open_memory(memory) as opened:
        counted = opened.stats()
    if as_json:
        write_json(counted)
    else:
        draw(facts(_told(counted)))


def _told(counted: "hmem.Stats") -> Iterator[tuple[str, str]]:
    yield "memory", f"{one_line(counted.path)} ({counted.memory}, schema {counted.schema})"
    sessions, speakers = number(counted.sessions, "session"), number(counted.speakers, "speaker")
    yield "turns", f"{counted.turns:,} in {sessions} by {speakers}"
    if counted.first and counted.last:
        yield "time", f"{counted.first:%Y-%m-%d %H:%M} to {counted.last:%Y-%m-%d %H:%M}"
    yield "zone", counted.zone
    yield "embedder", f"{counted.embedder}, {number(counted.vectors, 'vector')}"
    yield "truth", size(counted.truth_bytes)
    yield "indices", f"{size(counted.index_bytes)}, {number(counted.tail, 'turn')} in the tail"
    formed = ", ".join(f"{count:,} {name}" for name, count in _formed(counted))
    yield "formed", f"{formed}, {number(counted.unformed, 'turn')} to be formed" if counted.unformed else formed
    if counted.retain_days or counted.expiring:
        kept = f"turns are kept for {number(counted.retain_days, 'day')}" if counted.retain_days else "turns are kept"
        yield "expiry", f"{kept}, {counted.expiring:,} of them until a time of their own"
    if counted.model is not None:
        yield from _of_model(counted.model)
    if counted.forgetting_problem:
        yield "problem", one_line(counted.forgetting_problem)
    if counted.formation_problem:
        yield "problem", one_line(counted.formation_problem)
    if counted.consolidation_problem:
        yield "problem", one_line(counted.consolidation_problem)
    if counted.index_problem:
        yield "problem", one_line(counted.index_problem)


def _of_model(model: ModelStats) -> Iterator[tuple[str, str]]:
    read = ", ".join(f"{count:,} by {name}" for name, count in model.read.items())
    waiting = f"{number(model.pending, 'turn')} to be read"
    if model.given_up:
        waiting += f", {model.given_up:,} left to the rules"
    if model.unjudged:
        waiting += f", {model.unjudged:,} replies to be judged"
    yield "model", "; ".join(each for each in (model.name or "", waiting, read and f"read: {read}") if each)
    for each in model.spent:
        tokens = f"{each.input_tokens:,} tokens in, {each.output_tokens:,} out"
        failed = f", {each.failures:,} failed" if each.failures else ""
        yield "spent", f"{each.purpose} ({each.model}): {number(each.calls, 'call')}, {tokens}, {each.cost:.4f}{failed}"
    for problem in (model.problem, model.error):
        if problem:
            yield "problem", one_line(problem)


def _formed(counted: "hmem.Stats") -> Iterator[tuple[str, int]]:
    yield "events", counted.events
    yield "notes", counted.notes
    yield "revised", counted.revised
    yield "entities", counted.entities


@click.command(
    "verify",
    epilog='JSON: {"problems", "checked": {"turns", "vectors", "formed", "words"}, "ok"}. Exit code 1 when there is a '
    "problem.",
)
@click.option(
    "--forgotten", multiple=True, metavar="WORD", help="A word that must not stand anywhere; may be repeated."
)
@click.option(
    "--forgotten-report",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The report of a forgetting, whose words must not stand anywhere.",
)
@memory_option
@json_option
def verify(*, forgotten: tuple[str, ...], forgotten_report: Path | None, memory: str, as_json: bool) -> None:
    """Prove that the indices agree with the memory.

    The file itself is checked too. Words that were forgotten are looked for in all that is kept and in the bytes of
    every file of the memory.
    """
    words = [*forgotten, *(_words_of(forgotten_report) if forgotten_report else ())]
    with open_memory(memory) as opened:
        verified = opened.verify(words)
    if as_json:
        write_json(verified)
    elif verified:
        counted = ", ".join(f"{count:,} {name}" for name, count in verified.checked.items())
        click.echo(f"ok: {counted} agree with the indices")
    for problem in () if as_json else verified.problems:
        click.echo(one_line(problem))
    if not verified:
        click.get_current_context().exit(1)


def _words_of(report: Path) -> list[str]:
    """The words that a report of a forgetting names."""
    try:
        words: Any = json.loads(report.read_bytes())["words"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidFile(
            f"{report} is no report of a forgetting - write one by `hmem forget --report FILE`"
        ) from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in cast("list[Any]", words)):
        raise InvalidFile(f"{report} is no report of a forgetting - write one by `hmem forget --report FILE`")
    return cast("list[str]", words)


@click.command("rebuild", epilog='JSON: {"turns", "seconds"}.')
@click.option(
    "--recipe", metavar="NAME", help="Form the turns and recall by this recipe from now on; by default as before."
)
@memory_option
@json_option
def rebuild(*, recipe: str | None, memory: str, as_json: bool) -> None:
    """Make the indices anew, and form the turns anew.

    All of it is derived from the turns, which are not touched; vectors that are missing are made.
    """
    started = perf_counter()
    with open_memory(memory, recipe=recipe) as opened, progress_bar("Making anew", quiet=as_json) as advance:
        opened.rebuild(advance)
        turns = opened.stats().turns
    seconds = perf_counter() - started
    if as_json:
        write_json({"turns": turns, "seconds": round(seconds, 3)})
    else:
        click.echo(f"indices made and {number(turns, 'turn')} formed in {seconds:.2f} s")


@click.command("reembed", epilog='JSON: {"embedder", "vectors", "seconds"}.')
@click.option("--embedder", required=True, metavar="NAME", help="The embedder to go over to, such as wordllama.")
@memory_option
@json_option
def reembed(*, embedder: str, memory: str, as_json: bool) -> None:
    """Go over to another embedder.

    Every turn gets a new vector, then the memory goes over to them at once. A run that broke off is taken up
    by the next one.
    """
    started = perf_counter()
    with progress_bar("Embedding turns", quiet=as_json) as advance:
        made = hmem.reembed(memory, embedder, progress=advance)
    seconds = perf_counter() - started
    if as_json:
        write_json({"embedder": embedder, "vectors": made, "seconds": round(seconds, 3)})
    else:
        click.echo(f"{number(made, 'vector')} made by {embedder} in {seconds:.2f} s")
