"""Commands that copy a memory whole: ``backup``, ``copy``, and those of ``hmem encryption``."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

import hmem
from hmem.errors import KeyUnavailable
from hmem.interfaces.cli.options import (
    invocation,
    json_option,
    key_options,
    location_argument,
    memory_option,
    new_key_options,
    open_memory,
)
from hmem.interfaces.cli.output import number, one_line, size, write_json
from hmem.interfaces.cli.waiting import Advance, progress_bar, waiting
from hmem.model.key import MemoryKey

if TYPE_CHECKING:
    from hmem.storage.copying import Copied


@click.command("backup", epilog='JSON: {"file", "bytes"}.')
@click.argument("file", type=click.Path(path_type=Path))
@new_key_options
@memory_option
@json_option
def backup(*, file: Path, memory: str, as_json: bool) -> None:
    """Write a copy of a memory, while it is used.

    FILE must not exist. It is a memory itself, without what was forgotten, readable by its owner only. The copy of an
    encrypted memory has the same key unless a new one is given.
    """
    with open_memory(memory) as opened:
        opened.backup(file, key=invocation().new_key)
    written = file.stat().st_size
    if as_json:
        write_json({"file": file, "bytes": written})
    else:
        click.echo(f"{one_line(str(file))}, {size(written)}")


@click.command("on", epilog='JSON: {"memory", "encrypted"}.')
@memory_option
@json_option
def encrypt(*, memory: str, as_json: bool) -> None:
    """Encrypt a memory.

    With the key of --key-file, --key-command or the environment. Nobody may have the memory open. The file in the clear
    and its indices are overwritten, as far as the disk writes in place; copies and backups are not.
    """
    with waiting("Encrypting"):
        hmem.rekey(memory, key=None, new_key=_given())
    _tell_state(memory, encrypted=True, as_json=as_json)


@click.command("off", epilog='JSON: {"memory", "encrypted"}.')
@memory_option
@json_option
def decrypt(*, memory: str, as_json: bool) -> None:
    """Write an encrypted memory in the clear.

    Nobody may have it open.
    """
    with waiting("Decrypting"):
        hmem.rekey(memory, key=_given(), new_key=None)
    _tell_state(memory, encrypted=False, as_json=as_json)


@click.command("rekey", epilog='JSON: {"memory", "encrypted"}.')
@new_key_options
@memory_option
@json_option
def rekey(*, memory: str, as_json: bool) -> None:
    """Encrypt a memory with another key.

    Nobody may have it open. Backups keep the key that they were made with.
    """
    new = invocation().new_key
    if new is None:
        raise KeyUnavailable("no new key is given - give --new-key-file or --new-key-command")
    with waiting("Encrypting"):
        hmem.rekey(memory, key=_given(), new_key=new)
    _tell_state(memory, encrypted=True, as_json=as_json)


def _given() -> MemoryKey:
    """Return the key of the options or the environment.

    Raises:
        KeyUnavailable: there is none.
    """
    key = invocation().key or MemoryKey.from_environment()
    if key is None:
        raise KeyUnavailable("no key is given - give --key-file or --key-command, or set HMEM_KEY_FILE")
    return key


def _tell_state(memory: str, *, encrypted: bool, as_json: bool) -> None:
    if as_json:
        write_json({"memory": memory, "encrypted": encrypted})
    else:
        click.echo(f"{one_line(memory)} is {'encrypted' if encrypted else 'in the clear'}")


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


def _copies(source: str, target: str, progress: Advance | None, *, whole: bool) -> "Iterator[Copied]":
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
