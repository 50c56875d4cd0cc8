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
    analyst_option,
    database_option,
    default_memory,
    json_option,
    memory_option,
    open_memory,
    optional_memory_option,
    wait_option,
)
from hmem.interfaces.cli.output import number, one_line, write_json
from hmem.interfaces.cli.waiting import progress_bar, wait_for
from hmem.model.report import Worked

if TYPE_CHECKING:
    from hmem.api.catalog_work import CatalogWork

# Maximal seconds between attempts while something prevents the work.
_LONGEST: Final = 600.0


def _limits(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, float | None]:
    """Return limits by name; ``none`` removes one."""
    found: dict[str, float | None] = {}
    for each in given:
        name, _, value = each.partition("=")
        try:
            found[name] = None if value == "none" else float(value)
        except ValueError:
            raise click.BadParameter(f"{each!r} is no limit - write day_cost=0.5", context, parameter) from None
    return found


@click.command(
    "worker", epilog='JSON: {"calls", "turns", "texts", "judged", "failures", "left", "stopped", "seconds"}.'
)
@optional_memory_option
@database_option
@click.option("--once", is_flag=True, help="Read what is ready now, and end.")
@click.option("--drain", is_flag=True, help="Read the last turns of sessions too, and end when nothing is left.")
@click.option("--every", type=click.FloatRange(min=0.1), default=5.0, metavar="SECONDS", help="How often to look; 5.")
@wait_option
@click.option("--concurrency", type=click.IntRange(1, 64), metavar="N", help="Of how many owners to read at once; 4.")
@click.option("--limit", type=click.IntRange(min=1), metavar="CALLS", help="How many calls to make at most.")
@click.option(
    "--budget",
    multiple=True,
    callback=_limits,
    metavar="NAME=VALUE",
    help="What may be spent, such as day_cost=0.5 or memory_calls=1000; kept with the memory, 'none' takes it away.",
)
@analyst_option
@json_option
def worker(
    *,
    memory: str | None,
    database: str | None,
    once: bool,
    drain: bool,
    every: float,
    wait: float,
    concurrency: int | None,
    limit: int | None,
    budget: dict[str, float | None],
    analyst: str | None,
    as_json: bool,
) -> None:
    """Have a language model read and write what rules did.

    It takes what waits in the memory's queue, session by session, until it is interrupted; the calls in hand are
    finished first. Any number of workers may run. What fails is tried again later; when the budget is spent, it goes on
    the next day, and says so. With --database instead of --memory it does what is due in any memory there.
    """
    started, ended = perf_counter(), Event()
    with _place_of_work(memory, database, analyst, wait) as opened, progress_bar("Reading", quiet=as_json) as advance:
        if budget:
            if not isinstance(opened, hmem.Memory):
                raise click.UsageError("a budget is kept with a memory - give --memory with --budget")
            opened.model.budget(**budget)
        jobs = opened.model if isinstance(opened, hmem.Memory) else opened

        def pass_once(left: int | None) -> Worked:
            return jobs.run_jobs(left, drain=drain, progress=advance, concurrency=concurrency)

        again = None if once or drain else every
        hint = None if again is None or as_json else "reading what comes - interrupt it to end"
        done = _until_ended(opened, pass_once, ended, every=again, limit=limit, hint=hint)
    seconds = round(perf_counter() - started, 3)
    if as_json:
        write_json({**_fields(done), "seconds": seconds})
        return
    left = f", {number(done.left, 'turn')} left" if done.left else ""
    judged = f", {number(done.judged, 'reaction')} judged" if done.judged else ""
    click.echo(
        f"{number(done.turns, 'turn')} read and {number(done.texts, 'text')} written{judged} in "
        f"{number(done.calls, 'call')}, {seconds:.1f} s{left}"
    )
    if done.stopped:
        click.echo(f"stopped: {one_line(done.stopped)}")


@contextmanager
def _place_of_work(
    memory: str | None, database: str | None, analyst: str | None, wait: float
) -> "Generator[hmem.Memory | CatalogWork]":
    """Open the memory, or the database with many."""
    named = click.get_current_context().get_parameter_source("database") is ParameterSource.COMMANDLINE
    if database is not None and (named or memory is None):
        from hmem.api.catalog_work import CatalogWork  # noqa: PLC0415 - loads the engine
        from hmem.interfaces.places import await_catalog  # noqa: PLC0415
        from hmem.storage.location import Location  # noqa: PLC0415

        with closing(await_catalog(Location.parse(database), wait, partial(click.echo, err=True))) as catalog:
            yield CatalogWork(catalog, analyst)
    else:
        with open_memory(memory or default_memory(), analyst=analyst) as opened:
            yield opened


def _until_ended(
    opened: "hmem.Memory | CatalogWork",
    work: Any,
    ended: Event,
    *,
    every: float | None,
    limit: int | None,
    hint: str | None,
) -> Worked:
    """Work in a thread, so that a signal ends it at once; with ``every`` repeat after that many seconds."""
    total, errors = [Worked(0, 0, 0, 0, 0)], list[HmemError]()

    def run() -> None:
        told: str | None = None
        pause = every or 0.0
        try:
            while not ended.is_set():
                try:
                    done: Worked = work(None if limit is None else limit - total[0].calls)
                except StorageUnavailable as error:
                    # A database that is away comes back, and what is due is still due then.
                    if every is None:
                        raise
                    done = Worked(0, 0, 0, 0, 0, stopped=str(error))
                total[0] += done
                if hint is not None and done.stopped not in (None, told):
                    click.echo(f"waiting: {one_line(done.stopped)}", err=True)
                told = done.stopped
                if every is None or (limit is not None and total[0].calls >= limit):
                    break
                pause = min(2 * pause, max(_LONGEST, every)) if done.stopped else every
                ended.wait(pause)
        except HmemError as error:
            errors.append(error)
        finally:
            over.set()

    over, before = Event(), signal.getsignal(signal.SIGTERM)

    def end(*_: object) -> None:
        ended.set()
        (opened.model if isinstance(opened, hmem.Memory) else opened).stop_jobs()

    signal.signal(signal.SIGTERM, end)
    thread = Thread(target=run, name="hmem-worker", daemon=True)
    try:
        thread.start()
        if hint is not None:
            click.echo(hint)
        wait_for(over)
    except KeyboardInterrupt:
        end()
        wait_for(over)
    finally:
        signal.signal(signal.SIGTERM, before)
    thread.join()
    if errors:
        raise errors[0]
    return total[0]


def _fields(done: Worked) -> dict[str, Any]:
    return {name: getattr(done, name) for name in ("calls", "turns", "texts", "judged", "failures", "left", "stopped")}


@click.command(
    "batch",
    epilog='JSON: {"requests"}, or {"answered", "refused": [[line, why]], "unused": [id], "calls", "turns", "texts", '
    '"judged", "failures", "left", "stopped"}.',
)
@memory_option
@click.option("--requests", type=click.Path(dir_okay=False), metavar="OUT", help="Write what waits; ask nobody.")
@click.option("--responses", type=click.Path(exists=True), metavar="IN", help="Take the responses to such requests.")
@click.option("--limit", type=click.IntRange(min=1), metavar="CALLS", help="How many requests to write at most.")
@analyst_option
@json_option
def batch(
    *, memory: str, requests: str | None, responses: str | None, limit: int | None, analyst: str | None, as_json: bool
) -> None:
    """Let a provider's batch interface do a model's work, at half the price.

    --requests writes what waits as JSON lines, as the provider's batch interface takes them; --responses takes what
    came back, in any order, all or some of it. A broken line is told and harms no other. Repeat both until no request
    is written: texts are asked for once all turns are read, and summaries of summaries after these.
    """
    if (requests is None) == (responses is None):
        raise click.UsageError("give --requests OUT or --responses IN - `hmem worker` asks the model directly")
    with open_memory(memory, analyst=analyst) as opened:
        if requests is not None:
            written = opened.model.write_requests(requests, limit=limit)
            write_json({"requests": written}) if as_json else click.echo(
                f"{number(written, 'request')} written to {requests}"
            )
            return
        taken = opened.model.take_responses(responses or "")
    if as_json:
        told = {"answered": taken.answered, "refused": taken.refused, "unused": taken.unused}
        write_json({**told, **_fields(taken.worked)})
        return
    for line, why in taken.refused:
        click.echo(f"line {line} is not used: {one_line(why)}", err=True)
    unused = f", {len(taken.unused):,} that nothing waits for" if taken.unused else ""
    done = taken.worked
    left = f", {number(done.left, 'turn')} left" if done.left else ""
    click.echo(
        f"{number(taken.answered, 'response')} taken{unused}: {number(done.turns, 'turn')} read and "
        f"{number(done.texts, 'text')} written{left}"
    )


@click.command("reanalyse", epilog='JSON: {"turns"}.')
@memory_option
@analyst_option
@json_option
def reanalyse(*, memory: str, analyst: str | None, as_json: bool) -> None:
    """Let the present model read again what rules or another model read.

    It is put in the queue, and stands as it is until `hmem worker` has it read. Turns that were given up are tried
    again too.
    """
    with open_memory(memory, analyst=analyst) as opened:
        turns = opened.model.reanalyse()
    if as_json:
        write_json({"turns": turns})
    else:
        click.echo(f"{number(turns, 'turn')} to be read - `hmem worker --drain` has them read")
