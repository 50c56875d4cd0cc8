"""Command ``hmem copy``."""

from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING

import click

from hmem.interfaces.cli.drawing import progress_bar
from hmem.interfaces.cli.options import invocation, json_option, key_options, location_argument, new_key_options
from hmem.interfaces.cli.output import number, one_line, write_json

if TYPE_CHECKING:
    from hmem.interfaces.cli.drawing import Advance
    from hmem.storage.copying import Copied


@click.command("copy", epilog='JSON: {"copied": [{"source", "target", "counts", "digest", "before"}], "seconds"}.')
@location_argument("source")
@location_argument("target")
@click.option("--all", "whole", is_flag=True, help="SOURCE and TARGET are folders or databases: copy every memory.")
@key_options
@new_key_options
@json_option
def copy(*, source: str, target: str, whole: bool, as_json: bool) -> None:
    """Copy a memory into another file or database.

    All that is kept of it is copied, with its ids, and both are compared by counts and digests. The source may be used
    meanwhile. A run that was interrupted is taken up by the next one; what is not copied whole cannot be opened. The
    copy of an encrypted memory is in the clear unless a new key is given.
    """
    started = perf_counter()
    with progress_bar("Copying turns", quiet=as_json) as advance:
        copied = list(_copies(source, target, advance, whole=whole))
    seconds = round(perf_counter() - started, 3)
    if as_json:
        write_json({"copied": copied, "seconds": seconds})
        return
    for each in copied:
        told = "was there, equal" if each.before else "copied and compared"
        click.echo(f"{one_line(each.target)}: {number(each.counts['turns'], 'turn')} {told}, digest {each.digest[:16]}")
    click.echo(f"{number(len(copied), 'memory', 'memories')} in {seconds:.1f} s")


def _copies(source: str, target: str, progress: "Advance | None", *, whole: bool) -> "Iterator[Copied]":
    from hmem.storage.catalog import open_catalog  # noqa: PLC0415 - loads the engine
    from hmem.storage.copying import copy_all, copy_memory  # noqa: PLC0415

    keys = invocation()
    if not whole:
        yield copy_memory(source, target, key=keys.key, new_key=keys.new_key, progress=progress)
        return
    given, taken = open_catalog(source), open_catalog(target)
    try:
        yield from copy_all(given, taken, key=keys.key, new_key=keys.new_key, progress=progress)
    finally:
        given.close()
        taken.close()
