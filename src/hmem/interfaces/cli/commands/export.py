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

import hmem
from hmem.errors import InvalidFile
from hmem.interfaces.bundle import lines
from hmem.interfaces.cli.options import STDOUT, emit, flag, invocation, memory_command
from hmem.interfaces.cli.output import size
from hmem.util.amounts import amount
from hmem.util.files import open_private

_KINDS = ("turn", "change", "event", "note", "episode", "persona")


@memory_command(
    "export",
    'JSON: {"turns", "changes", "events", "notes", "episodes", "personas", "bytes"}.',
    click.argument("file", type=click.Path(path_type=Path)),
    flag("--no-derived", "Leave out what was formed: events, notes, episodes, personas."),
)
def export(memory: hmem.Memory, file: Path, *, no_derived: bool) -> None:
    """Write all that a memory holds as JSONL.

    Turns word for word with every field, the log of changes, and what was formed of them with its sources; FILE with
    .gz is compressed, and - means stdout. `hmem import` makes the same memory of it. What was forgotten is not in it.
    """
    if invocation().json and str(file) == STDOUT:
        raise click.UsageError("stdout is taken by the export - give a FILE to have the figures as JSON")
    count: Counter[str] = Counter()
    with _open_target(file) as target:
        for line in lines(memory, derived=not no_derived):
            row = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
            target.write(row + b"\n")
            count[str(line["type"])] += 1
            count["bytes"] += len(row) + 1
    if str(file) != STDOUT:
        turns, changes = amount(count["turn"], "turn"), amount(count["change"], "change")
        figures = {f"{kind}s": count[kind] for kind in _KINDS} | {"bytes": count["bytes"]}
        emit(figures, f"{turns} and {changes} in {file}, {size(count['bytes'])}")


@contextlib.contextmanager
def _open_target(file: Path) -> Generator[IO[bytes]]:
    """Open the target of an export; a file is readable by its owner only, and appears when it is complete."""
    if str(file) == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    draft = file.with_name(f"{file.name}.part")
    try:
        with open_private(draft) as plain:
            if file.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=plain, mode="wb", mtime=0) as archive:
                    yield cast("IO[bytes]", archive)
            else:
                yield plain
        draft.replace(file)
    except OSError as error:
        raise InvalidFile(f"{file} cannot be written ({error.strerror}) - check the folder and its rights") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
