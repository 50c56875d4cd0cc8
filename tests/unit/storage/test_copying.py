"""Copies of memories: whole, equal, continued where they stopped, never used half."""

import shutil
from pathlib import Path

import pytest
from tests.formation import example, formed

from hmem import Memory
from hmem.errors import InvalidFile, MemoryDamaged, MemoryExists, MemoryNotFound, StorageError
from hmem.storage import open_storage
from hmem.storage.base import COPYING, CopyBatch
from hmem.storage.capabilities import LogEntry
from hmem.storage.catalog import open_catalog
from hmem.storage.copying import copy_all, copy_memory, digest
from hmem.storage.sqlite.store import SQLiteStorage

SAID = 300
# One is forgotten, and one put in the place of another.
TURNS = SAID


class Interrupted(Exception):
    """Somebody ended the copy."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "a.hmem"
    with Memory(path) as memory:
        memory.add(example(SAID))
        memory.search("Where does Maria live?")
        found = memory.list()
        memory.correct(found[3].id, "It was otherwise", why="a slip")
        memory.forget(found[7].id)
        memory.pin(found[9].id)
        memory.consolidate(texts=5)
        memory.corpus.access_log.flush()
    # A deleted turn counts in the statistics of an index until it is made anew.
    shutil.rmtree(path.with_name("a.hmem-index"), ignore_errors=True)
    return path


def interrupted_after(pieces: int, source: Path, target: Path) -> None:
    """Begin a copy, and end it after some pieces."""
    done = 0

    def progress(_: int, __: int) -> None:
        nonlocal done
        done += 1
        if done == pieces:
            raise Interrupted

    with pytest.raises(Interrupted):
        copy_memory(source, target, progress=progress)


def test_a_copy_answers_as_its_source_does(source: Path, tmp_path: Path) -> None:
    copied = copy_memory(source, tmp_path / "b.hmem")
    assert copied.counts["turns"] == TURNS
    assert all(copied.counts[kind] for kind in ("blocks", "vectors", "chunks", "entries", "uses", "settings"))
    with Memory(source) as first, Memory(tmp_path / "b.hmem") as second:
        assert second.verify()
        assert second.corpus.storage.memory == first.corpus.storage.memory
        assert formed(second) == formed(first)
        for question in ("Who adopted a dog?", "What did they do in spring?"):
            mine, theirs = (each.search(question, at="2024-06-01T12:00:00Z") for each in (first, second))
            assert [(each.id, each.score) for each in mine] == [(each.id, each.score) for each in theirs]
        assert second.add("A turn more", session=first.list()[0].session).fate == "stored"
        assert second.verify()


@pytest.mark.parametrize("pieces", [1, 2, 3, 5])
def test_a_copy_is_continued_where_it_was_interrupted(
    source: Path, tmp_path: Path, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hmem.storage.copying._BLOCKS_AT_ONCE", 2)
    monkeypatch.setattr("hmem.storage.copying._BYTES_AT_ONCE", 200_000)
    target = tmp_path / "b.hmem"
    interrupted_after(pieces, source, target)
    with pytest.raises(StorageError, match="not copied whole"):
        Memory(target)
    written: list[CopyBatch] = []
    restore = SQLiteStorage.restore

    def noted(self: SQLiteStorage, piece: CopyBatch) -> None:
        written.append(piece)
        restore(self, piece)

    monkeypatch.setattr(SQLiteStorage, "restore", noted)
    copied = copy_memory(source, target)
    assert sum(len(piece.turns) for piece in written) < TURNS
    storage = open_storage(target)
    assert digest(storage).total == copied.digest
    assert COPYING not in storage.state().settings
    storage.close()


def test_a_piece_may_come_twice(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the process was killed between a piece and the next look at it."""
    restore = SQLiteStorage.restore

    def twice(self: SQLiteStorage, piece: CopyBatch) -> None:
        restore(self, piece)
        restore(self, piece)

    monkeypatch.setattr(SQLiteStorage, "restore", twice)
    assert not copy_memory(source, tmp_path / "b.hmem").before


def test_a_copy_begins_anew_when_its_source_has_changed(source: Path, tmp_path: Path) -> None:
    mine, target = tmp_path / "a.hmem", tmp_path / "b.hmem"
    copy_memory(source, mine)
    interrupted_after(2, mine, target)
    with Memory(mine) as memory:
        memory.forget(memory.list()[0].id)
    assert copy_memory(mine, target).counts["turns"] == TURNS - 1


def test_a_copy_of_before_is_told_and_another_memory_is_not_touched(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "b.hmem"
    copied = copy_memory(source, target)
    assert copy_memory(source, target).before
    with Memory(target) as memory:
        memory.add("It goes its own way")
    with pytest.raises(MemoryExists, match="earlier copy"):
        copy_memory(source, target)
    with Memory(tmp_path / "c.hmem") as memory:
        memory.add("Another's words")
    with pytest.raises(MemoryExists, match="another memory"):
        copy_memory(source, tmp_path / "c.hmem")
    with pytest.raises(MemoryNotFound):
        copy_memory(tmp_path / "none.hmem", tmp_path / "d.hmem")
    assert not (tmp_path / "d.hmem").exists()
    assert copied.digest


def test_a_copy_that_is_not_equal_is_refused_and_begins_anew(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restore = SQLiteStorage.restore

    def forgetful(self: SQLiteStorage, piece: CopyBatch) -> None:
        restore(self, CopyBatch(settings=piece.settings) if piece.entries else piece)

    monkeypatch.setattr(SQLiteStorage, "restore", forgetful)
    with pytest.raises(MemoryDamaged, match="in its entries"):
        copy_memory(source, tmp_path / "b.hmem")
    monkeypatch.undo()
    with pytest.raises(StorageError, match="not copied whole"):
        Memory(tmp_path / "b.hmem")
    assert copy_memory(source, tmp_path / "b.hmem").counts["entries"]


@pytest.mark.parametrize(
    "change",
    [
        lambda storage: storage.put_settings({"zone": "Europe/Lisbon"}),
        lambda storage: storage.record([LogEntry(1, "me", "correct", "x")]),
        lambda storage: storage.record_uses([([1], None)]),
    ],
)
def test_a_digest_tells_of_every_change(source: Path, tmp_path: Path, change: object) -> None:
    copy_memory(source, tmp_path / "b.hmem")
    storage = open_storage(tmp_path / "b.hmem")
    before = digest(storage)
    assert callable(change)
    change(storage)
    assert len(digest(storage).differing(before)) in (1, 2)
    assert digest(storage).total != before.total
    storage.close()


def test_all_memories_of_a_place_are_copied(source: Path, tmp_path: Path) -> None:
    (tmp_path / "to").mkdir()
    for name in ("a", "b"):
        copy_memory(source, tmp_path / f"{name}.hmem")
    given, taken = open_catalog(tmp_path), open_catalog(tmp_path / "to")
    assert [each.before for each in copy_all(given, taken)] == [False, False]
    assert [each.before for each in copy_all(given, taken)] == [True, True]
    assert taken.names() == ["a", "b"]


def test_a_storage_without_a_backup_of_its_own_writes_a_file(source: Path, tmp_path: Path) -> None:
    storage = open_storage(source)
    super(SQLiteStorage, storage).backup(tmp_path / "b.hmem")
    with pytest.raises(InvalidFile, match="exists"):
        super(SQLiteStorage, storage).backup(tmp_path / "b.hmem")
    storage.close()
    assert [path.name for path in tmp_path.iterdir()] == ["b.hmem"]
    with Memory(tmp_path / "b.hmem") as memory:
        assert memory.verify()
