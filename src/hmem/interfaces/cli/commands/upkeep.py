"""Commands ``hmem memories``, ``stats``, ``verify``, ``consolidate``, ``rebuild`` and ``reembed``."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import click
import msgspec

import hmem
from hmem.errors import InvalidFile
from hmem.interfaces.cli.options import command, emit, invocation, memory_command, memory_option, option
from hmem.interfaces.cli.output import facts, json_of, one_line, size, table
from hmem.interfaces.cli.waiting import progress_bar
from hmem.interfaces.paths import ROOT_VARIABLE, default_root
from hmem.model.report import ModelStats, Verification
from hmem.util.amounts import amount

_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s|m|min|h)?")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_COUNTS: Final = ("turns", "summaries", "names", "profiles", "levels", "left", "forgotten")


@command(
    "memories",
    'JSON: [{"path", "bytes", "changed"}].',
    option(
        "--root", "DIR", "The folder of memories; ~/.hmem by default.", envvar=ROOT_VARIABLE, show_envvar=True,
        type=click.Path(file_okay=False, path_type=Path),
    ),
)  # fmt: skip
def memories(root: Path | None) -> None:
    """List the memories of a folder.

    These are the default one, user.hmem, and those of projects. A memory elsewhere is named by its path.
    """
    folder = root or default_root()
    files = sorted((path, path.stat()) for path in folder.expanduser().rglob("*.hmem") if path.is_file())
    times = [datetime.fromtimestamp(status.st_mtime, UTC) for _, status in files]
    rows = [
        (str(path), size(status.st_size), f"{time:%Y-%m-%d %H:%M}")
        for (path, status), time in zip(files, times, strict=True)
    ]
    emit(
        [
            {"path": path, "bytes": status.st_size, "changed": time}
            for (path, status), time in zip(files, times, strict=True)
        ],
        table(("memory", "size", "changed"), rows, numbers=("size",)) if rows else f"{folder} has no memories",
    )


@memory_command("stats", json_of(hmem.Stats))
def stats(memory: hmem.Memory) -> None:
    """Count turns, sessions and bytes."""
    stats = memory.stats()
    emit(stats, facts(_stats_facts(stats)))


def _stats_facts(stats: "hmem.Stats") -> Iterator[tuple[str, str]]:
    yield "memory", f"{one_line(stats.path)} ({stats.memory}, schema {stats.schema})"
    sessions, speakers = amount(stats.sessions, "session"), amount(stats.speakers, "speaker")
    yield "turns", f"{stats.turns:,} in {sessions} by {speakers}"
    if stats.first and stats.last:
        yield "time", f"{stats.first:%Y-%m-%d %H:%M} to {stats.last:%Y-%m-%d %H:%M}"
    yield "zone", stats.zone
    yield "embedder", f"{stats.embedder}, {amount(stats.vectors, 'vector')}"
    yield "truth", f"{size(stats.truth_bytes)}{', encrypted' if stats.encrypted else ''}"
    yield "loaded", size(stats.resident_bytes)
    yield "indices", f"{size(stats.index_bytes)}, {amount(stats.tail, 'turn')} in no file yet"
    counts = ", ".join(f"{getattr(stats, name):,} {name}" for name in ("events", "notes", "revised", "entities"))
    yield "formed", f"{counts}, {amount(stats.unformed, 'turn')} to be formed" if stats.unformed else counts
    if stats.formed_by:
        yield "formed by", _counts(stats.formed_by)
    if stats.languages:
        yield "languages", _counts(stats.languages)
    if stats.unread:
        yield "unread", f"{_counts(stats.unread)} (turns of which something forms nothing)"
    yield "limits", f"a turn has up to {amount(stats.turn_characters, 'character')}"
    if stats.retain_days or stats.expiring:
        retention = f"turns are kept for {amount(stats.retain_days, 'day')}" if stats.retain_days else "turns are kept"
        yield "expiry", f"{retention}, {stats.expiring:,} of them until a time of their own"
    if stats.model is not None:
        yield from _model_facts(stats.model)
    for problem in (
        stats.forgetting_problem, stats.formation_problem, stats.consolidation_problem, stats.index_problem,
    ):  # fmt: skip
        if problem:
            yield "problem", one_line(problem)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _model_facts(model: ModelStats) -> Iterator[tuple[str, str]]:
    read = ", ".join(f"{count:,} by {name}" for name, count in model.read.items())
    waiting = f"{amount(model.pending, 'turn')} to be read"
    if model.given_up:
        waiting += f", {model.given_up:,} left to the rules"
    if model.unjudged:
        waiting += f", {amount(model.unjudged, 'reply', 'replies')} to be judged"
    yield "model", "; ".join(text for text in (model.name or "", waiting, read and f"read: {read}") if text)
    for usage in model.spent:
        tokens = f"{amount(usage.input_tokens, 'token')} in, {usage.output_tokens:,} out, {usage.cost:.4f}"
        failures = f", {usage.failures:,} failed" if usage.failures else ""
        yield "spent", f"{usage.purpose} ({usage.model}): {amount(usage.calls, 'call')}, {tokens}{failures}"
    for problem in (model.problem, model.error):
        if problem:
            yield "problem", one_line(problem)


@memory_command(
    "verify",
    json_of(Verification, ". Exit code 1 when there is a problem"),
    option("--forgotten", "WORD", "A word that must not stand anywhere; may be repeated.", dest="words", multiple=True),
    option(
        "--forgotten-report", "FILE", "The report of a forgetting, whose words must not stand anywhere.",
        dest="report", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    ),
)  # fmt: skip
def verify(memory: hmem.Memory, words: tuple[str, ...], report: Path | None) -> None:
    """Prove that the indices agree with the memory.

    The file itself is checked too. Words that were forgotten are looked for in all that is kept and in the bytes of
    every file of the memory.
    """
    verification = memory.verify([*words, *(_forgotten_words(report) if report else ())])
    counts = ", ".join(f"{count:,} {name}" for name, count in verification.checked.items())
    agreement = [f"ok: {counts} agree with the indices"] if verification else []
    emit(verification, (*agreement, *map(one_line, (*verification.problems, *verification.remarks))))
    if not verification:
        click.get_current_context().exit(1)


def _forgotten_words(report: Path) -> list[str]:
    """Return the words in an erasure report."""
    try:
        words: Any = json.loads(report.read_bytes())["words"]
        return msgspec.convert(words, list[str])
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"{report} is no report of a forgetting - write one by `hmem forget --report FILE`"
        raise InvalidFile(problem) from error


def _seconds(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Return the seconds of a duration such as ``10s``, ``500ms`` or ``2m``; a bare number is in seconds."""
    if value is None:
        return None
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        raise click.BadParameter(f"{value!r} is no duration - write 10s, 500ms or 2m", context, parameter)
    return float(match[1]) * _SECONDS[match[2] or "s"]


@memory_command(
    "consolidate",
    'JSON: {"turns", "summaries", "names", "profiles", "levels", "left", "forgotten", "seconds"}.',
    option("--budget", "TIME", "How long to work, such as 10s; by default until all is done.", callback=_seconds),
    option("--texts", "N", "How many texts to write at most.", type=click.IntRange(min=0)),
    option("--at", "TIME", "The time by which the memory's age counts, in ISO 8601; now by default."),
)
def consolidate(memory: hmem.Memory, **limits: Any) -> None:
    """Fill the levels that the memory has grown into, and write what is told of what was formed.

    That is summaries, names of topics and profiles; those that are still true stay as they are. Turns that are not
    formed yet are formed first, and turns that expired, or are older than the memory keeps turns, are forgotten before.
    A run that was ended is taken up where it stopped.
    """
    start_time = perf_counter()
    with progress_bar("Consolidating", quiet=invocation().json) as advance:
        report = memory.consolidate(advance, **limits)
    seconds = perf_counter() - start_time
    steps = [
        f"{amount(report.forgotten, 'turn')} forgotten" if report.forgotten else "",
        f"{amount(report.turns, 'turn')} formed" if report.turns else "",
        f"{amount(report.levels, 'level')} filled" if report.levels else "",
        amount(report.summaries, "summary", "summaries"),
        amount(report.names, "name"),
        amount(report.profiles, "profile"),
    ]
    remainder = f"; {report.left:,} left - run it again" if report.left else ""
    figures = {name: getattr(report, name) for name in _COUNTS} | {"seconds": round(seconds, 3)}
    emit(figures, f"{', '.join(filter(None, steps))} written in {seconds:.2f} s{remainder}")


@memory_command(
    "rebuild",
    'JSON: {"turns", "seconds"}.',
    option("--recipe", "NAME", "Form the turns and recall by this recipe from now on; by default as before."),
)
def rebuild(memory: hmem.Memory) -> None:
    """Make the indices anew, and form the turns anew.

    All of it is derived from the turns, which are not touched; vectors that are missing are made.
    """
    start_time = perf_counter()
    with progress_bar("Making anew", quiet=invocation().json) as advance:
        memory.rebuild(advance)
        turns = memory.stats().turns
    seconds = perf_counter() - start_time
    text = f"indices made and {amount(turns, 'turn')} formed in {seconds:.2f} s"
    emit({"turns": turns, "seconds": round(seconds, 3)}, text)


@command(
    "reembed",
    'JSON: {"embedder", "vectors", "seconds"}.',
    option("--embedder", "NAME", "The embedder to go over to, such as wordllama.", required=True),
    memory_option,
)
def reembed(embedder: str, memory: str) -> None:
    """Go over to another embedder.

    Every turn gets a new vector, then the memory goes over to them at once. A run that broke off is taken up
    by the next one.
    """
    start_time = perf_counter()
    with progress_bar("Embedding turns", quiet=invocation().json) as advance:
        vectors = hmem.reembed(memory, embedder, progress=advance, key=invocation().key)
    seconds = perf_counter() - start_time
    text = f"{amount(vectors, 'vector')} made by {embedder} in {seconds:.2f} s"
    emit({"embedder": embedder, "vectors": vectors, "seconds": round(seconds, 3)}, text)
