"""Commands that copy a memory whole: ``backup``, ``copy``, and those of ``hmem encryption``."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

import hmem
from hmem.errors import KeyUnavailable
from hmem.interfaces.cli.options import (
    checked_location,
    command,
    emit,
    flag,
    invocation,
    key_options,
    memory_command,
    memory_option,
    new_key_options,
)
from hmem.interfaces.cli.output import one_line, size
from hmem.interfaces.cli.waiting import Advance, progress_bar, waiting
from hmem.model.key import MemoryKey
from hmem.util.amounts import amount

if TYPE_CHECKING:
    from hmem.storage.copying import Copied


@memory_command(
    "backup", 'JSON: {"file", "bytes"}.', click.argument("file", type=click.Path(path_type=Path)), new_key_options
)
def backup(memory: hmem.Memory, file: Path) -> None:
    """Write a copy of a memory, while it is used.

    FILE must not exist. It is a memory itself, without what was forgotten, readable by its owner only. The copy of an
    encrypted memory has the same key unless a new one is given.
    """
    memory.backup(file, key=invocation().new_key)
    length = file.stat().st_size
    emit({"file": file, "bytes": length}, f"{one_line(str(file))}, {size(length)}")


_ENCRYPTED = 'JSON: {"memory", "encrypted"}.'


@command("on", _ENCRYPTED, memory_option)
def encrypt(memory: str) -> None:
    """Encrypt a memory.

    With the key of --key-file, --key-command or the environment. Nobody may have the memory open. The file in the clear
    and its indices are overwritten, as far as the disk writes in place; copies and backups are not.
    """
    _rekey(memory, None, _key())


@command("off", _ENCRYPTED, memory_option)
def decrypt(memory: str) -> None:
    """Write an encrypted memory in the clear.

    Nobody may have it open.
    """
    _rekey(memory, _key(), None)


@command("rekey", _ENCRYPTED, new_key_options, memory_option)
def rekey(memory: str) -> None:
    """Encrypt a memory with another key.

    Nobody may have it open. Backups keep the key that they were made with.
    """
    new_key = invocation().new_key
    if new_key is None:
        raise KeyUnavailable("no new key is given - give --new-key-file or --new-key-command")
    _rekey(memory, _key(), new_key)


def _key() -> MemoryKey:
    """Return the key of the options or the environment.

    Raises: KeyUnavailable: there is no key.
    """
    key = invocation().key or MemoryKey.from_environment()
    if key is None:
        raise KeyUnavailable("no key is given - give --key-file or --key-command, or set HMEM_KEY_FILE")
    return key


def _rekey(memory: str, key: MemoryKey | None, new_key: MemoryKey | None) -> None:
    with waiting("Decrypting" if new_key is None else "Encrypting"):
        hmem.rekey(memory, key=key, new_key=new_key)
    encrypted = new_key is not None
    text = f"{one_line(memory)} is {'encrypted' if encrypted else 'in the clear'}"
    emit({"memory": memory, "encrypted": encrypted}, text)


@command(
    "copy",
    'JSON: {"copied": [{"source", "target", "counts", "digest", "before"}], "seconds"}.',
    click.argument("source", callback=checked_location),
    click.argument("target", callback=checked_location),
    flag("--all", "SOURCE and TARGET are folders or databases: copy every memory.", dest="catalog"),
    key_options,
    new_key_options,
)
def copy(source: str, target: str, *, catalog: bool) -> None:
    """Copy a memory into another file or database.

    All that is kept of it is copied, with its ids, and both are compared by counts and digests. The source may be used
    meanwhile. A run that was interrupted is taken up by the next one; what is not copied whole cannot be opened. The
    copy of an encrypted memory is in the clear unless a new key is given.
    """
    start_time = perf_counter()
    with progress_bar("Copying turns", quiet=invocation().json) as advance:
        copies = list(_copies(source, target, advance, catalog=catalog))
    seconds = round(perf_counter() - start_time, 3)
    rows = (
        f"{one_line(copy.target)}: {amount(copy.counts['turns'], 'turn')} "
        f"{'was there, equal' if copy.before else 'copied and compared'}, digest {copy.digest[:16]}"
        for copy in copies
    )
    total = f"{amount(len(copies), 'memory', 'memories')} in {seconds:.1f} s"
    emit({"copied": copies, "seconds": seconds}, (*rows, total))


def _copies(source: str, target: str, progress: Advance | None, *, catalog: bool) -> "Iterator[Copied]":
    from hmem.storage.catalog import open_catalog  # noqa: PLC0415 - loads the engine
    from hmem.storage.copying import copy_all, copy_memory  # noqa: PLC0415

    keys = invocation()
    if not catalog:
        yield copy_memory(source, target, key=keys.key, new_key=keys.new_key, progress=progress)
        return
    origin, copy = open_catalog(source), open_catalog(target)
    try:
        yield from copy_all(origin, copy, key=keys.key, new_key=keys.new_key, progress=progress)
    finally:
        origin.close()
        copy.close()
