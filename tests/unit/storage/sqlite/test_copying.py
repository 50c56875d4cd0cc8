"""Copies of a memory's file, and changes of its key."""

import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.processes import exit_code, started

from hmem.errors import InvalidFile, KeyNeeded, MemoryBusy, MemoryDamaged, StorageError, WrongKey
from hmem.model.key import MemoryKey
from hmem.storage.sqlite import copying
from hmem.storage.sqlite.copying import change_key
from hmem.storage.sqlite.driver import Connection
from hmem.storage.sqlite.store import SQLiteStorage
from hmem_testing.conformance.harness import all_turns, keep, make_turn, make_turns

ONE, TWO = MemoryKey("one"), MemoryKey("22" * 32)
WORD = b"zebrafish"
CHANGES = [(None, ONE), (ONE, TWO), (TWO, None)]


def make(path: Path, key: MemoryKey | None = None) -> None:
    with closing(SQLiteStorage(str(path), key=key)) as storage:
        keep(storage, [make_turn("Quillon is a zebrafish"), *make_turns(200)])


def texts(path: Path, key: MemoryKey | None) -> list[str]:
    with closing(SQLiteStorage(str(path), create=False, key=key)) as storage:
        assert storage.problems() == []
        return [turn.text for turn in all_turns(storage)]


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def in_the_clear(folder: Path) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and WORD in file.read_bytes()]


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_memory_has_all_its_turns_under_another_key(path: Path, old: MemoryKey | None, new: MemoryKey | None) -> None:
    make(path, old)
    before = texts(path, old)
    change_key(path, old, new)
    assert texts(path, new) == before
    assert names(path.parent) == [path.name]
    assert path.stat().st_mode & 0o777 == 0o600
    assert bool(in_the_clear(path.parent)) == (new is None)
    with pytest.raises((KeyNeeded, WrongKey)):
        SQLiteStorage(str(path), key=old)


def test_the_file_in_the_clear_is_overwritten_and_its_indices_too(path: Path) -> None:
    make(path)
    (folder := Path(f"{path}-index")).mkdir()
    (folder / "rows").write_bytes(WORD * 9)
    # A second name shows what became of the bytes.
    for number, file in enumerate((path, folder / "rows")):
        os.link(file, path.with_name(f"seen{number}"))
    change_key(path, None, ONE)
    assert not folder.exists()
    assert in_the_clear(path.parent) == []


def test_a_memory_in_a_folder_behind_a_link_is_changed_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    make(there := tmp_path / "there" / "a.hmem")
    (link := tmp_path / "here").symlink_to(tmp_path / "there")
    change_key(link / "a.hmem", None, ONE)
    assert link.is_symlink()
    assert len(texts(there, ONE)) == 201
    assert in_the_clear(tmp_path) == []


def test_a_memory_that_is_open_keeps_its_key(path: Path) -> None:
    make(path)
    with closing(SQLiteStorage(str(path))) as storage:
        with pytest.raises(MemoryBusy, match="open elsewhere"):
            change_key(path, None, ONE)
        keep(storage, [make_turn("and more")])
        assert len(all_turns(storage)) == 202
    assert len(texts(path, None)) == 202


def test_a_wrong_key_changes_nothing(path: Path) -> None:
    make(path, ONE)
    before = path.read_bytes()
    for wrong in (TWO, None):
        with pytest.raises((WrongKey, KeyNeeded)):
            change_key(path, wrong, TWO)
    assert path.read_bytes() == before
    assert names(path.parent) == [path.name]


@pytest.mark.parametrize("step", ["_fill", "_compare", "_sync"])
def test_a_change_that_fails_leaves_the_memory_as_it_was(
    path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(path)
    error = MemoryDamaged("no") if step == "_compare" else OSError(5, "no")
    monkeypatch.setattr(copying, step, lambda *_: (_ for _ in ()).throw(error))
    with pytest.raises((StorageError, OSError)):
        change_key(path, None, ONE)
    monkeypatch.undo()
    assert names(path.parent) == [path.name]
    assert len(texts(path, None)) == 201


def change_until_killed(path: str, at: str, number: int) -> None:
    """Change the key, and die at the given call of a function that it uses."""
    owner = os if at == "link" else copying
    calls, done = iter(range(number)), getattr(owner, at)

    def dies(*arguments: Any) -> Any:
        result = done(*arguments)
        if next(calls, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, at, dies)
    change_key(Path(path), None, ONE)


@pytest.mark.parametrize(
    ("at", "number"),
    [("_take_alone", 0), ("_erase_copies", 0), ("_sync", 0), ("_fill", 0), ("_compare", 0), ("link", 0), ("_sync", 1)],
)
def test_a_change_that_is_killed_leaves_the_one_or_the_other_and_the_next_opening_cleans_up(
    path: Path, at: str, number: int
) -> None:
    make(path)
    assert exit_code(started(change_until_killed, str(path), at, number)) == -signal.SIGKILL
    changed = (at, number) == ("_sync", 1)
    assert len(texts(path, ONE if changed else None)) == 201
    assert names(path.parent) == [path.name]
    assert bool(in_the_clear(path.parent)) is not changed


def test_a_journal_of_a_change_that_was_killed_before_it_wrote_goes_with_the_next_opening(path: Path) -> None:
    make(path, ONE)
    (journal := path.with_name(f"{path.name}-journal")).write_bytes(bytes(512) + WORD)
    seen = path.with_name("seen")
    os.link(journal, seen)
    assert len(texts(path, ONE)) == 201
    assert names(path.parent) == [seen.name, path.name]
    assert in_the_clear(path.parent) == []


def test_a_journal_that_is_needed_is_rolled_back_and_not_erased(path: Path) -> None:
    make(path)
    assert exit_code(started(write_until_killed, str(path))) == -signal.SIGKILL
    assert path.with_name(f"{path.name}-journal").exists()
    assert len(texts(path, None)) == 201
    assert names(path.parent) == [path.name]


def write_until_killed(path: str) -> None:
    """Delete all turns, without a write-ahead log, and die before that is committed but not before it is written."""
    connection = Connection(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("PRAGMA cache_spill = 1")
    connection.execute("BEGIN")
    connection.execute("UPDATE turn SET text = text || 'changed'")
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("old", "new", "expected"), [(None, None, None), (ONE, None, ONE), (ONE, TWO, TWO), (None, ONE, ONE)]
)
def test_a_copy_has_the_same_key_or_another(
    path: Path, old: MemoryKey | None, new: MemoryKey | None, expected: MemoryKey | None
) -> None:
    target = path.with_name("copy.hmem")
    with closing(SQLiteStorage(str(path), key=old)) as storage:
        keep(storage, make_turns(50))
        storage.backup(target, new)
        with pytest.raises(InvalidFile, match="exists"):
            storage.backup(target, new)
        keep(storage, make_turns(1))
        with pytest.raises(InvalidFile, match="cannot be written"):
            storage.backup(path.parent / "none" / "copy.hmem")
    assert len(texts(target, expected)) == 50
    assert target.stat().st_mode & 0o777 == 0o600
    assert names(path.parent) == [target.name, path.name]


def test_a_copy_has_nothing_of_what_was_deleted(path: Path) -> None:
    make(path)
    with closing(SQLiteStorage(str(path))) as storage:
        storage.forget([1])
        storage.backup(path.with_name("copy.hmem"))
    assert in_the_clear(path.parent) == []
