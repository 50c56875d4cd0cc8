"""The catalog of a folder: its memories by name, and no other file."""

from pathlib import Path

import pytest

from hmem import Memory
from hmem.errors import MemoryNotFound, StorageError
from hmem.storage.catalog import open_catalog


def test_a_folder_lists_its_memories_in_order(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    for name in ("b", "a", "C"):
        Memory(catalog.locate(name)).close()
    (tmp_path / "other.txt").touch()
    (tmp_path / "link.hmem").symlink_to(tmp_path / "a.hmem")
    assert catalog.names() == ["C", "a", "b"]
    assert catalog.names(after="C", limit=1) == ["a"]
    assert catalog.count() == 3
    assert (catalog.spelled("c"), catalog.spelled("a"), catalog.spelled("d")) == ("C", "a", None)
    assert str(catalog.location) == str(tmp_path)
    assert catalog.work is None


def test_a_dropped_memory_leaves_no_file(tmp_path: Path) -> None:
    catalog = open_catalog(tmp_path)
    with Memory(catalog.locate("a")) as memory:
        memory.add("Hello there")
        memory.flush()
        catalog.drop("a")
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(MemoryNotFound):
            memory.add("Is anybody there?")
    for name in ("a", "b"):
        with pytest.raises(MemoryNotFound, match="create it first"):
            catalog.drop(name)
    catalog.close()


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="give the path of a folder"):
        open_catalog(":memory:")
    with pytest.raises(StorageError, match="cannot be read"):
        open_catalog(tmp_path / "none").names()
