"""Opening of memories and catalogs of a database, for the entry points. The driver is loaded when they are called."""

from hmem.storage.base import OpenOptions, Storage
from hmem.storage.catalog import Catalog
from hmem.storage.location import Location


def load(location: Location, options: OpenOptions) -> Storage:
    """Open the storage of a memory in a database, for the entry point."""
    from hmem_postgres.store import PostgresStorage  # noqa: PLC0415 - loads the driver

    return PostgresStorage(location, options)


def load_catalog(location: Location) -> Catalog:
    """Return the catalog of a database, for the entry point."""
    from hmem_postgres.catalog import PostgresCatalog  # noqa: PLC0415 - loads the driver

    return PostgresCatalog(location)
