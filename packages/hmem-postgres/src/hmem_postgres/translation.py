"""Errors of the driver as errors of hmem."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from hmem.errors import (
    HmemError,
    MemoryBusy,
    MemoryDamaged,
    ReadOnlyMemory,
    StorageError,
    StorageFull,
    StorageUnavailable,
)

# Classes and codes of SQLSTATE (PostgreSQL's manual, appendix A).
_BUSY: Final = {
    "40001": "another process changed the same rows",
    "40P01": "it waited for a process that waited for it",
    "55P03": "another process is writing to it",
}
_LOST_CODES: Final = ("08", "57P", "25P03", "25P04")
# A statement that took too long, or was cancelled; too many connections.
_UNAVAILABLE_CODES: Final = ("57014", "53300")
_FULL: Final = ("53100", "54", "53400")
_READ_ONLY: Final = ("25006", "42501")
_NO_TABLES: Final = ("3F000", "42P01", "42703", "42704", "42883")
# What Citus says of a machine with rows that it did not reach, often without a code of its own.
_MACHINE_CODES: Final = ("08", "58030", "XX000")
_MACHINE: Final = re.compile(
    r"connection to the remote node|could not establish any connections|connection error: |connection not open|"
    r"server closed the connection unexpectedly|failed to complete COPY|could not commit transaction for shard|"
    r"could not send data to server|could not receive data from server"
)
_DAMAGED: Final = ("XX001", "XX002")


def translate(error: psycopg.Error, address: str) -> HmemError:
    """Return the error of hmem that tells of an error of the driver; ``address`` is the location without a password."""
    code = error.sqlstate or ""
    detail = _first_line(error)
    if code in _BUSY:
        return MemoryBusy(f"{address}: {_BUSY[code]} for longer than it may wait - try again")
    if code.startswith(_FULL):
        return StorageFull(f"{address} cannot grow ({detail}) - free some space; nothing of this write was kept")
    if code in _READ_ONLY:
        return ReadOnlyMemory(
            f"{address} may not be written or read so ({detail}) - use the primary server, with the rights"
        )
    if code in _NO_TABLES:
        return StorageError(f"{address} lacks tables of hmem ({detail}) - run `hmem database init` or `migrate`")
    if code in _DAMAGED:
        return MemoryDamaged(f"{address} is damaged ({detail}) - restore the database from a backup")
    if isinstance(error, PoolClosed):
        return StorageError(f"{address} is closed - open it again")
    if is_lost(error) or code in _UNAVAILABLE_CODES or isinstance(error, PoolTimeout):
        return StorageUnavailable(f"{address} cannot be reached ({detail}) - try again")
    return StorageError(f"{address} cannot be used ({detail}) - mend that, and try again")


def is_lost(error: psycopg.Error) -> bool:
    """Tell if the connection, not the statement, is at fault: it may work on another one."""
    code = error.sqlstate or ""
    return (
        code.startswith(_LOST_CODES)
        or is_machine_lost(error)
        or (not code and isinstance(error, psycopg.OperationalError) and not isinstance(error, PoolTimeout))
    )


def is_machine_lost(error: psycopg.Error) -> bool:
    """Tell if Citus did not reach the machine of the rows, while the connection to Citus itself is well."""
    return (error.sqlstate or "").startswith(_MACHINE_CODES) and bool(_MACHINE.search(_first_line(error)))


@contextmanager
def translated(address: str) -> Generator[None]:
    """Raise errors of the driver as errors of hmem."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, address) from error


def _first_line(error: psycopg.Error) -> str:
    """Return the server's message, without its context: a detail may quote rows."""
    primary = error.diag.message_primary
    text = primary if primary is not None else str(error)
    return text.strip().splitlines()[0] if text.strip() else type(error).__name__
