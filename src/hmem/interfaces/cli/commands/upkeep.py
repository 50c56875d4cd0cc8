"""Commands ``hmem memories``, ``stats``, ``verify``, ``consolidate``, ``rebuild`` and ``reembed``."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, Final, cast

import click

import hmem
from hmem.errors import InvalidFile
from hmem.interfaces.cli.options import invocation, json_option, memory_option, open_memory
from hmem.interfaces.cli.output import facts, json_of, number, one_line, size, table, write_json
from hmem.interfaces.cli.waiting import progress_bar
from hmem.interfaces.paths import ROOT_VARIABLE, default_root
from hmem.model.report import ModelStats, Verification

_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s|m|min|h)?")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_COUNTS: Final = ("turns", "summaries", "names", "profiles", "levels", "left", "forgotten")


@click.command("memories", epilog='JSON: [{"path", "bytes", "changed"}].')
@click.option(
    "--root",
    metavar="DIR",
    envvar=ROOT_VARIABLE,
    show_envvar=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of memories; ~/.hmem by default.",
)
@json_option
def memories(*, root: Path | None, as_json: bool) -> None:
    """List the memories of a folder.

    These are the default one, user.hmem, and those of projects. A memory elsewhere is named by its path.
    """
    folder = root or default_root()
    found = sorted((path, path.stat()) for path in folder.expanduser().rglob("*.hmem") if path.is_file())
    if as_json:
        write_json([{"path": path, "bytes": of.st_size, "changed": _changed(of.st_mtime)} for path, of in found])
        return
    rows = [(str(path), size(of.st_size), f"{_changed(of.st_mtime):%Y-%m-%d %H:%M}") for path, of in found]
    click.echo(table(("memory", "size", "changed"), rows, numbers=("size",)) if rows else f"{folder} has no memories")


def _changed(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


@click.command(
    "stats",
    epilog=json_of(hmem.Stats),
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
        click.echo(facts(_told(counted)))


def _told(counted: "hmem.Stats") -> Iterator[tuple[str, str]]:
    yield "memory", f"{one_line(counted.path)} ({counted.memory}, schema {counted.schema})"
    sessions, speakers = number(counted.sessions, "session"), number(counted.speakers, "speaker")
    yield "turns", f"{counted.turns:,} in {sessions} by {speakers}"
    if counted.first and counted.last:
        yield "time", f"{counted.first:%Y-%m-%d %H:%M} to {counted.last:%Y-%m-%d %H:%M}"
    yield "zone", counted.zone
    yield "embedder", f"{counted.embedder}, {number(counted.vectors, 'vector')}"
    yield "truth", f"{size(counted.truth_bytes)}{', encrypted' if counted.encrypted else ''}"
    yield "loaded", size(counted.resident_bytes)
    yield "indices", f"{size(counted.index_bytes)}, {number(counted.tail, 'turn')} in the tail"
    formed = ", ".join(f"{count:,} {name}" for name, count in _formed(counted))
    yield "formed", f"{formed}, {number(counted.unformed, 'turn')} to be formed" if counted.unformed else formed
    if counted.formed_by:
        yield "formed by", _counts(counted.formed_by)
    if counted.languages:
        yield "languages", _counts(counted.languages)
    if counted.unread:
        yield "unread", f"{_counts(counted.unread)} (turns of which something forms nothing)"
    yield "limits", f"a turn has up to {number(counted.turn_characters, 'character')}"
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


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counted.items())


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
    epilog=json_of(Verification, ". Exit code 1 when there is a problem"),
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
    for told in () if as_json else (*verified.problems, *verified.remarks):
        click.echo(one_line(told))
    if not verified:
        click.get_current_context().exit(1)


def _words_of(report: Path) -> list[str]:
    """Return the words in an erasure report."""
    try:
        words: Any = json.loads(report.read_bytes())["words"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidFile(
            f"{report} is no report of a forgetting - write one by `hmem forget --report FILE`"
        ) from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in cast("list[Any]", words)):
        raise InvalidFile(f"{report} is no report of a forgetting - write one by `hmem forget --report FILE`")
    return cast("list[str]", words)


def _seconds(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Return the seconds of a duration such as ``10s``, ``500ms`` or ``2m``; a bare number is in seconds."""
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
        made = hmem.reembed(memory, embedder, progress=advance, key=invocation().key)
    seconds = perf_counter() - started
    if as_json:
        write_json({"embedder": embedder, "vectors": made, "seconds": round(seconds, 3)})
    else:
        click.echo(f"{number(made, 'vector')} made by {embedder} in {seconds:.2f} s")
