"""Opening a storage: by a location or as it is, with or without what is optional."""

from pathlib import Path

import pytest

from hmem import Memory
from hmem.errors import InputError, MemoryClosed, StorageError
from hmem.storage import open_storage, storage_schemes
from hmem.storage.sqlite.store import SQLiteStorage


class Plain(SQLiteStorage):
    """One that neither forgets nor keeps work of language models."""

    @property
    def model_queue(self) -> None:  # type: ignore[override]
        return None

    @property
    def erasure(self) -> None:  # type: ignore[override]
        return None


def test_sqlite_is_found_as_any_other_storage() -> None:
    assert "sqlite" in storage_schemes()


def test_a_memory_opens_a_storage_that_is_given(tmp_path: Path) -> None:
    storage = open_storage(tmp_path / "a.hmem")
    with Memory(storage=storage) as memory:
        memory.add("The kiln is hot.")
        assert memory.stats().path == str(tmp_path / "a.hmem")
        assert memory.corpus.storage is storage
    with pytest.raises(StorageError, match="closed"):
        storage.state()
    with pytest.raises(MemoryClosed):
        memory.search("kiln")


def test_a_memory_is_opened_by_a_path_or_by_a_storage() -> None:
    with pytest.raises(InputError, match="by a path or by a storage"):
        Memory()
    storage = open_storage(":memory:")
    with pytest.raises(InputError, match="by a path or by a storage"):
        Memory(":memory:", storage=storage)
    storage.close()


def test_a_storage_that_cannot_forget_says_so_and_keeps_everything() -> None:
    with Memory(storage=Plain(":memory:")) as memory:
        kept = memory.add("The kiln is hot.")
        for forget in (lambda: memory.forget(kept.id or ""), lambda: memory.retain(30)):
            with pytest.raises(StorageError, match="cannot forget"):
                forget()
        assert [item.text for item in memory.search("kiln")] == ["The kiln is hot."]
        assert memory.verify().problems == ()


def test_a_storage_without_a_queue_serves_a_memory_without_a_model() -> None:
    with Memory(storage=Plain(":memory:")) as memory:
        memory.add("The kiln is hot.")
        assert memory.stats().model is None
        memory.consolidate()
        assert memory.context("kiln").text


def test_a_language_model_needs_a_queue() -> None:
    with pytest.raises(StorageError, match="keeps no work of language models"):
        Memory(storage=Plain(":memory:"), analyst="openai:test@http://127.0.0.1:9/v1")
