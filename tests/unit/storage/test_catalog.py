"""Catalogs are found by the scheme of their location."""

import pytest

from hmem.errors import UnknownName
from hmem.storage.catalog import open_catalog
from hmem.storage.sqlite.folder import FolderCatalog


def test_a_catalog_is_found_by_its_scheme() -> None:
    assert isinstance(open_catalog("some/folder"), FolderCatalog)
    with pytest.raises(UnknownName, match="no place of memories answers to nowhere://"):
        open_catalog("nowhere://host/database")
