"""Commands ``hmem backup``, ``encrypt``, ``decrypt`` and ``rekey``."""

from pathlib import Path

import click

import hmem
from hmem.errors import KeyUnavailable
from hmem.interfaces.cli.options import invocation, json_option, memory_option, new_key_options, open_memory
from hmem.interfaces.cli.output import one_line, size, write_json
from hmem.interfaces.cli.waiting import waiting
from hmem.model.key import MemoryKey


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


@click.command("encrypt", epilog='JSON: {"memory", "encrypted"}.')
@memory_option
@json_option
def encrypt(*, memory: str, as_json: bool) -> None:
    """Encrypt a memory.

    With the key of --key-file, --key-command or the environment. Nobody may have the memory open. The file in the clear
    and its indices are overwritten, as far as the disk writes in place; copies and backups are not.
    """
    with waiting("hmem encrypt"):
        hmem.rekey(memory, key=None, new_key=_given())
    _tell(memory, encrypted=True, as_json=as_json)


@click.command("decrypt", epilog='JSON: {"memory", "encrypted"}.')
@memory_option
@json_option
def decrypt(*, memory: str, as_json: bool) -> None:
    """Write an encrypted memory in the clear.

    Nobody may have it open.
    """
    with waiting("hmem decrypt"):
        hmem.rekey(memory, key=_given(), new_key=None)
    _tell(memory, encrypted=False, as_json=as_json)


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
    with waiting("hmem rekey"):
        hmem.rekey(memory, key=_given(), new_key=new)
    _tell(memory, encrypted=True, as_json=as_json)


def _given() -> MemoryKey:
    """Return the key of the options or the environment.

    Raises:
        KeyUnavailable: there is none.
    """
    key = invocation().key or MemoryKey.from_environment()
    if key is None:
        raise KeyUnavailable("no key is given - give --key-file or --key-command, or set HMEM_KEY_FILE")
    return key


def _tell(memory: str, *, encrypted: bool, as_json: bool) -> None:
    if as_json:
        write_json({"memory": memory, "encrypted": encrypted})
    else:
        click.echo(f"{one_line(memory)} is {'encrypted' if encrypted else 'in the clear'}")
