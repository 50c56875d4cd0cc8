"""Postgres: many memories in one database, and Citus under it.

The entry points load the driver, which comes with ``hmem[postgres]``, when a location needs it.
"""

from collections.abc import Generator
from contextlib import contextmanager

from hmem.errors import ExtraMissing
from hmem.storage.base import OpenOptions, Storage
from hmem.storage.catalog import Catalog
from hmem.storage.location import Location

_DRIVER = ("psycopg", "psycopg_pool")


def load(location: Location, options: OpenOptions) -> Storage:
    """Open the storage of a memory in a database, for the entry point.

    Raises:
        ExtraMissing: the driver is not installed.
    """
    with driver():
        from hmem.storage.postgres.store import PostgresStorage  # noqa: PLC0415 - loads the driver

    return PostgresStorage(
        location, create=options.create, busy_seconds=options.busy_seconds, read_only=options.read_only
    )


def load_catalog(location: Location) -> Catalog:
    """Return the catalog of a database, for the entry point.

    Raises:
        ExtraMissing: the driver is not installed.
    """
    with driver():
        from hmem.storage.postgres.catalog import PostgresCatalog  # noqa: PLC0415 - loads the driver

    return PostgresCatalog(location)


@contextmanager
def driver() -> Generator[None]:
    """Say which extra is missing, where the driver is imported.

    Raises:
        ExtraMissing: it is not installed.
    """
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in _DRIVER:
            raise
        raise ExtraMissing(f"{error.name} is not installed - pip install 'hmem[postgres]'") from error
