"""Command ``hmem export``."""

import contextlib
import gzip
import json
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import IO, cast

import click

from hmem.errors import InvalidFile
from hmem.interfaces.bundle import lines
from hmem.interfaces.cli.options import STDOUT, json_option, memory_option, open_memory
from hmem.interfaces.cli.output import number, size, write_json
from hmem.util.files import open_private


@click.command("export", epilog='JSON: {"turns", "changes", "events", "notes", "episodes", "personas", "bytes"}.')
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--no-derived", is_flag=True, help="Leave out what was formed: events, notes, episodes, personas.")
@memory_option
@json_option
def export(*, file: Path, no_derived: bool, memory: str, as_json: bool) -> None:
    """Write all that a memory holds as JSONL.

    Turns word for word with every field, the log of changes, and what was formed of them with its sources; FILE with
    .gz is compressed, and - means stdout. `hmem import` makes the same memory of it. What was forgotten is not in it.
    """
    if as_json and str(file) == STDOUT:
        raise click.UsageError("stdout is taken by the export - give a FILE to have the figures as JSON")
    counted: Counter[str] = Counter()
    with open_memory(memory) as opened, _writing(file) as out:
        for line in lines(opened, derived=not no_derived):
            written = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
            out.write(written + b"\n")
            counted[str(line["type"])] += 1
            counted["bytes"] += len(written) + 1
    if as_json:
        kinds = ("turn", "change", "event", "note", "episode", "persona")
        write_json({f"{kind}s": counted[kind] for kind in kinds} | {"bytes": counted["bytes"]})
    elif str(file) != STDOUT:
        told = f"{number(counted['turn'], 'turn')} and {number(counted['change'], 'change')}"
        click.echo(f"{told} in {file}, {size(counted['bytes'])}")


@contextlib.contextmanager
def _writing(file: Path) -> Generator[IO[bytes]]:
    """Open the target of an export; a file is readable by its owner only, and appears when it is complete."""
    if str(file) == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    draft = file.with_name(f"{file.name}.part")
    try:
        with open_private(draft) as raw:
            if file.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
                    yield cast("IO[bytes]", packed)
            else:
                yield raw
        draft.replace(file)
    except OSError as error:
        raise InvalidFile(f"{file} cannot be written ({error.strerror}) - check the folder and its rights") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
