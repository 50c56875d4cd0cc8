"""A memory that another process deletes or replaces is told of, and nothing is acknowledged that went into nothing."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from hmem import Memory
from hmem.errors import MemoryNotFound
from hmem.storage.sqlite.connection import FileIdentity
from hmem.storage.sqlite.folder import erase
from hmem.storage.sqlite.store import SQLiteStorage


def test_a_place_is_its_file_and_not_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    place = FileIdentity(str(path))
    place.check()
    with path.open("rb"):
        (tmp_path / "b").touch()
        (tmp_path / "b").replace(path)
        with pytest.raises(MemoryNotFound, match="replaced by another"):
            place.check()
        path.unlink()
        with pytest.raises(MemoryNotFound, match="was deleted"):
            place.check()
    FileIdentity(":memory:").check()


CALLS: dict[str, Callable[[Memory], object]] = {
    "add": lambda memory: memory.add("Hello"),
    "batch": lambda memory: memory.add(["Hello", "again"]),
    "search": lambda memory: memory.search("Who says hello?"),
    "list": lambda memory: memory.list(),
    "stats": lambda memory: memory.stats(),
    "forget": lambda memory: memory.forget(speaker="Ana"),
    "retain": lambda memory: memory.retain(3),
    "consolidate": lambda memory: memory.consolidate(),
    "edit": lambda memory: memory.edit.persona("Ana", text="She bakes."),
    "flush": lambda memory: memory.flush(),
}


@pytest.mark.parametrize("again", [False, True], ids=["deleted", "replaced"])
@pytest.mark.parametrize("call", CALLS)
def test_every_call_tells_of_a_memory_that_was_deleted(tmp_path: Path, call: str, again: bool) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path) as memory:
        memory.add("I bake", speaker="Ana")
        memory.notes()
        erase(path)
        if again:
            with Memory(path) as other:
                other.add("Another one's first words", speaker="Ben")
        with pytest.raises(MemoryNotFound, match="by another process"):
            CALLS[call](memory)
    # Closing it brings nothing back, and takes nothing away.
    assert sorted(each.name for each in tmp_path.iterdir()) == (["a.hmem", "a.hmem-index"] if again else [])
    if again:
        with Memory(path) as other:
            assert [turn.text for turn in other.list()] == ["Another one's first words"]
            assert other.verify().ok


class DroppedMeanwhile(SQLiteStorage):
    """A storage whose file is deleted between the beginning of a write and its end."""

    def _check_generation(self, generation: int) -> None:
        super()._check_generation(generation)
        erase(Path(self._path))


def test_a_turn_that_went_into_nothing_is_not_acknowledged(tmp_path: Path) -> None:
    with Memory(storage=DroppedMeanwhile(tmp_path / "a.hmem")) as memory, pytest.raises(MemoryNotFound):
        memory.add("Hello")
    assert not list(tmp_path.iterdir())


def test_a_file_that_moved_within_its_path_is_still_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path) as memory:
        memory.add("Hello")
        shutil.copy(path, tmp_path / "copy")
        os.utime(path)
        path.chmod(0o600)
        assert memory.forget(memory.list()[0].id).pending is None
        assert memory.add("Hello again").fate == "stored"
