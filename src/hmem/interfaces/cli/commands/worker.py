"""Commands ``hmem worker``, ``hmem model batch`` and ``hmem model reanalyse``."""

import signal
from collections.abc import Generator
from contextlib import closing, contextmanager
from functools import partial
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

import hmem
from hmem.errors import HmemError, StorageUnavailable
from hmem.interfaces.cli.options import (
    POSITIVE,
    analyst_option,
    command,
    database_option,
    default_memory,
    emit,
    flag,
    invocation,
    memory_command,
    open_memory,
    option,
    optional_memory_option,
    wait_option,
)
from hmem.interfaces.cli.output import one_line
from hmem.interfaces.cli.waiting import progress_bar, wait_for
from hmem.model.report import Worked
from hmem.util.amounts import amount

if TYPE_CHECKING:
    from hmem.api.catalog_work import CatalogWork

# Maximal seconds between attempts while something prevents the work.
_LONGEST: Final = 600.0
_FIGURES: Final = ("calls", "turns", "texts", "judged", "failures", "left", "stopped")
_FORM: Final = ", ".join(f'"{name}"' for name in _FIGURES)


def _limits(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, float | None]:
    """Return limits by name; ``none`` removes one."""
    limits: dict[str, float | None] = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            limits[name] = None if value == "none" else float(value)
        except ValueError:
            raise click.BadParameter(f"{text!r} is no limit - write day_cost=0.5", context, parameter) from None
    return limits


@command(
    "worker",
    f'JSON: {{{_FORM}, "seconds"}}.',
    optional_memory_option,
    database_option,
    flag("--once", "Read what is ready now, and end."),
    flag("--drain", "Read the last turns of sessions too, and end when nothing is left."),
    option(
        "--every", "SECONDS", "How often to look; 5.", dest="pause", default=5.0, show_default=False,
        type=click.FloatRange(min=0.1),
    ),
    wait_option,
    option("--concurrency", "N", "Of how many owners to read at once; 4.", type=click.IntRange(1, 64)),
    option("--limit", "CALLS", "How many calls to make at most.", type=POSITIVE),
    option(
        "--budget", "NAME=VALUE",
        "What may be spent, such as day_cost=0.5 or memory_calls=1000; kept with the memory, 'none' takes it away.",
        multiple=True, callback=_limits,
    ),
    analyst_option,
)  # fmt: skip
def worker(
    memory: str | None, database: str | None, analyst: str | None, wait: float, *, once: bool, drain: bool,
    pause: float, concurrency: int | None, limit: int | None, budget: dict[str, float | None],
) -> None:  # fmt: skip
    """Have a language model read and write what rules did.

    It takes what waits in the memory's queue, session by session, until it is interrupted; the calls in hand are
    finished first. Any number of workers may run. What fails is tried again later; when the budget is spent, it goes on
    the next day, and says so. With --database instead of --memory it does what is due in any memory there.
    """
    start_time, as_json = perf_counter(), invocation().json
    with _open_work(memory, database, analyst, wait) as target, progress_bar("Reading", quiet=as_json) as advance:
        if budget:
            if not isinstance(target, hmem.Memory):
                raise click.UsageError("a budget is kept with a memory - give --memory with --budget")
            target.model.budget(**budget)
        jobs = target.model if isinstance(target, hmem.Memory) else target

        def run_jobs(calls: int | None) -> Worked:
            return jobs.run_jobs(calls, drain=drain, progress=advance, concurrency=concurrency)

        interval = None if once or drain else pause
        hint = None if interval is None or as_json else "reading what comes - interrupt it to end"
        work = _work_until_stopped(target, run_jobs, Event(), interval=interval, limit=limit, hint=hint)
    seconds = round(perf_counter() - start_time, 3)
    reactions = f", {amount(work.judged, 'reaction')} judged" if work.judged else ""
    time = f"{amount(work.calls, 'call')}, {seconds:.1f} s{_remainder(work)}"
    stop = (f"stopped: {one_line(work.stopped)}",) if work.stopped else ()
    emit({**_figures(work), "seconds": seconds}, (f"{_progress(work)}{reactions} in {time}", *stop))


@contextmanager
def _open_work(
    memory: str | None, database: str | None, analyst: str | None, wait: float
) -> "Generator[hmem.Memory | CatalogWork]":
    """Open the memory, or the database with many."""
    by_option = click.get_current_context().get_parameter_source("database") is ParameterSource.COMMANDLINE
    if database is not None and (by_option or memory is None):
        from hmem.api.catalog_work import CatalogWork  # noqa: PLC0415 - loads the engine
        from hmem.interfaces.places import await_catalog  # noqa: PLC0415
        from hmem.storage.location import Location  # noqa: PLC0415

        with closing(await_catalog(Location.parse(database), wait, partial(click.echo, err=True))) as catalog:
            yield CatalogWork(catalog, analyst)
    else:
        with open_memory(memory or default_memory(), analyst=analyst) as target:
            yield target


def _work_until_stopped(
    target: "hmem.Memory | CatalogWork",
    work: Any,
    stop: Event,
    *,
    interval: float | None,
    limit: int | None,
    hint: str | None,
) -> Worked:
    """Work in a thread, so that a signal ends it at once; with ``every`` repeat after that many seconds."""
    total, errors = [Worked(0, 0, 0, 0, 0)], list[HmemError]()

    def run() -> None:
        reason: str | None = None
        pause = interval or 0.0
        try:
            while not stop.is_set():
                try:
                    progress: Worked = work(None if limit is None else limit - total[0].calls)
                except StorageUnavailable as error:
                    # A database that is away comes back, and what is due is still due then.
                    if interval is None:
                        raise
                    progress = Worked(0, 0, 0, 0, 0, stopped=str(error))
                total[0] += progress
                if hint is not None and progress.stopped not in (None, reason):
                    click.echo(f"waiting: {one_line(progress.stopped)}", err=True)
                reason = progress.stopped
                if interval is None or (limit is not None and total[0].calls >= limit):
                    break
                pause = min(2 * pause, max(_LONGEST, interval)) if progress.stopped else interval
                stop.wait(pause)
        except HmemError as error:
            errors.append(error)
        finally:
            finished.set()

    finished, handler = Event(), signal.getsignal(signal.SIGTERM)

    def interrupt(*_: object) -> None:
        stop.set()
        (target.model if isinstance(target, hmem.Memory) else target).stop_jobs()

    signal.signal(signal.SIGTERM, interrupt)
    thread = Thread(target=run, name="hmem-worker", daemon=True)
    try:
        thread.start()
        if hint is not None:
            click.echo(hint)
        wait_for(finished)
    except KeyboardInterrupt:
        interrupt()
        wait_for(finished)
    finally:
        signal.signal(signal.SIGTERM, handler)
    thread.join()
    if errors:
        raise errors[0]
    return total[0]


def _figures(work: Worked) -> dict[str, Any]:
    return {name: getattr(work, name) for name in _FIGURES}


def _progress(work: Worked) -> str:
    return f"{amount(work.turns, 'turn')} read and {amount(work.texts, 'text')} written"


def _remainder(work: Worked) -> str:
    return f", {amount(work.left, 'turn')} left" if work.left else ""


@memory_command(
    "batch",
    f'JSON: {{"requests"}}, or {{"answered", "refused": [[line, why]], "unused": [id], {_FORM}}}.',
    option("--requests", "OUT", "Write what waits; ask nobody.", type=click.Path(dir_okay=False)),
    option("--responses", "IN", "Take the responses to such requests.", type=click.Path(exists=True)),
    option("--limit", "CALLS", "How many requests to write at most.", type=POSITIVE),
    analyst_option,
)
def batch(memory: hmem.Memory, requests: str | None, responses: str | None, limit: int | None) -> None:
    """Let a provider's batch interface do a model's work, at half the price.

    --requests writes what waits as JSON lines, as the provider's batch interface takes them; --responses takes what
    came back, in any order, all or some of it. A broken line is told and harms no other. Repeat both until no request
    is written: texts are asked for once all turns are read, and summaries of summaries after these.
    """
    if (requests is None) == (responses is None):
        raise click.UsageError("give --requests OUT or --responses IN - `hmem worker` asks the model directly")
    if requests is not None:
        count = memory.model.write_requests(requests, limit=limit)
        emit({"requests": count}, f"{amount(count, 'request')} written to {requests}")
        return
    batch = memory.model.take_responses(responses or "")
    for line, reason in () if invocation().json else batch.refused:
        click.echo(f"line {line} is not used: {one_line(reason)}", err=True)
    figures = {"answered": batch.answered, "refused": batch.refused, "unused": batch.unused, **_figures(batch.worked)}
    unused = f", {len(batch.unused):,} that nothing waits for" if batch.unused else ""
    count = amount(batch.answered, "response")
    emit(figures, f"{count} taken{unused}: {_progress(batch.worked)}{_remainder(batch.worked)}")


@memory_command("reanalyse", 'JSON: {"turns"}.', analyst_option)
def reanalyse(memory: hmem.Memory) -> None:
    """Let the present model read again what rules or another model read.

    It is put in the queue, and stands as it is until `hmem worker` has it read. Turns that were given up are tried
    again too.
    """
    turns = memory.model.reanalyse()
    emit({"turns": turns}, f"{amount(turns, 'turn')} to be read - `hmem worker --drain` has them read")
