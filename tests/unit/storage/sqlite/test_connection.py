"""Opening a memory's file: what it becomes, what is refused, and what is left untouched."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from hmem import Memory
from hmem.errors import (
    MemoryBusy,
    MemoryDamaged,
    MemoryNotFound,
    NotAMemory,
    ReadOnlyMemory,
    SchemaTooNew,
    StorageError,
)
from hmem.model.key import MemoryKey
from hmem.storage.sqlite.connection import APPLICATION_ID, SCHEMA, FileIdentity, connect, transaction
from hmem.storage.sqlite.driver import Connection, Error
from hmem.storage.sqlite.folder import erase
from hmem.storage.sqlite.store import SQLiteStorage
from hmem_testing.conformance.harness import START, all_turns, keep, make_turn, make_turns

# A memory of schema 6.
OLDER = Path(__file__).parents[3] / "integration" / "memory-ecb443f.sql"
TURNS = 41


def pragma(connection: Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


@contextmanager
def untouched(path: Path) -> Generator[None]:
    """The file, and its folder, are the same afterwards."""
    before = path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())
    yield
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


def make_memory(path: Path, count: int = 100) -> None:
    with closing(SQLiteStorage(str(path))) as storage:
        keep(storage, make_turns(count))


class TestOpening:
    def test_a_fresh_file_has_the_present_schema(self, tmp_path: Path) -> None:
        with closing(connect(str(tmp_path / "a.hmem"), create=True, busy_seconds=1).connection) as connection:
            assert pragma(connection, "user_version") == SCHEMA
            assert pragma(connection, "application_id") == APPLICATION_ID

    def test_an_empty_file_becomes_a_memory(self, tmp_path: Path) -> None:
        (path := tmp_path / "a.hmem").touch()
        make_memory(path)
        with closing(connect(str(path), create=False, busy_seconds=1).connection) as connection:
            assert pragma(connection, "application_id") == APPLICATION_ID

    def test_a_commit_is_durable_and_what_is_deleted_is_overwritten(self, tmp_path: Path) -> None:
        with closing(connect(str(tmp_path / "a.hmem"), create=True, busy_seconds=1.5).connection) as connection:
            assert pragma(connection, "journal_mode") == "wal"
            assert pragma(connection, "synchronous") == 2
            assert pragma(connection, "foreign_keys") == 1
            assert pragma(connection, "secure_delete") == 1
            assert pragma(connection, "busy_timeout") == 1_500

    def test_a_deleted_text_is_not_in_the_file_any_more(self, tmp_path: Path) -> None:
        path = tmp_path / "a.hmem"
        with closing(SQLiteStorage(str(path))) as storage:
            keep(storage, [make_turn("the password is xyzzy-plugh"), *make_turns(50)])
            storage.forget([1])
        assert b"xyzzy" not in path.read_bytes()
        assert [file.name for file in tmp_path.iterdir()] == ["a.hmem"]

    def test_names_of_files_may_hold_anything_a_file_system_allows(self, tmp_path: Path) -> None:
        for name in ("with blank.hmem", "ünï-犬.hmem", "a?b=c&d#e%20.hmem", "'quoted'.hmem", "file:x.hmem"):
            make_memory(path := tmp_path / name, 1)
            assert path.exists()

    def test_many_can_make_the_same_new_memory_at_once(self, tmp_path: Path) -> None:
        memories: list[str] = []
        together = threading.Barrier(8)

        def make() -> None:
            together.wait()
            with closing(SQLiteStorage(str(tmp_path / "a.hmem"))) as storage:
                memories.append(storage.memory)

        threads = [threading.Thread(target=make) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(memories) == 8
        assert len(set(memories)) == 1


class TestRefusing:
    def test_a_newer_schema_is_refused_and_untouched(self, tmp_path: Path) -> None:
        make_memory(path := tmp_path / "a.hmem")
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
        with untouched(path), pytest.raises(SchemaTooNew, match="upgrade hmem"):
            SQLiteStorage(str(path))

    @pytest.mark.parametrize("content", [b"not a memory\n", b"x" * 5_000, b"SQLite format 3\0" + b"x" * 5_000, b"x"])
    def test_a_file_of_something_else_is_refused_and_untouched(self, tmp_path: Path, content: bytes) -> None:
        (path := tmp_path / "a.txt").write_bytes(content)
        with untouched(path), pytest.raises(NotAMemory, match="give another path"):
            SQLiteStorage(str(path))

    @pytest.mark.parametrize(
        "script",
        [
            "CREATE TABLE turn (seq)",
            "PRAGMA user_version = 1",
            "PRAGMA application_id = 7",
            "CREATE VIEW a AS SELECT 1",
        ],
    )
    def test_a_database_of_another_program_is_refused_and_untouched(self, tmp_path: Path, script: str) -> None:
        with closing(sqlite3.connect(path := tmp_path / "a.db")) as connection:
            connection.execute(script)
            connection.commit()
        with untouched(path), pytest.raises(NotAMemory, match="another program"):
            SQLiteStorage(str(path))

    def test_a_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(NotAMemory, match="folder"):
            SQLiteStorage(str(tmp_path))
        assert list(tmp_path.iterdir()) == []

    def test_a_missing_folder_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match="missing"):
            SQLiteStorage(str(tmp_path / "missing" / "a.hmem"))
        assert list(tmp_path.iterdir()) == []

    def test_a_file_in_place_of_a_folder_is_named(self, tmp_path: Path) -> None:
        make_memory(path := tmp_path / "a.hmem", 1)
        with pytest.raises(StorageError):
            SQLiteStorage(str(path / "b.hmem"))

    def test_a_missing_memory_is_not_made_unless_asked_for(self, tmp_path: Path) -> None:
        with pytest.raises(MemoryNotFound, match=r"a\.hmem"):
            SQLiteStorage(str(tmp_path / "a.hmem"), create=False)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", ["nul\0byte.hmem", "surrogate\ud8ff.hmem", "x" * 300])
    def test_a_path_that_no_file_can_have_is_a_named_error(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(StorageError):
            SQLiteStorage(str(tmp_path / name))

    @pytest.mark.parametrize("part", [0.25, 0.5, 0.9])
    def test_a_truncated_memory_is_a_named_error_at_the_latest_when_read(self, tmp_path: Path, part: float) -> None:
        make_memory(path := tmp_path / "a.hmem", 2_000)
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * part)])
        with pytest.raises((MemoryDamaged, NotAMemory)), closing(SQLiteStorage(str(path))) as storage:
            all_turns(storage)

    def test_damaged_pages_are_problems_and_reading_them_is_a_named_error(self, tmp_path: Path) -> None:
        make_memory(path := tmp_path / "a.hmem", 2_000)
        content = bytearray(path.read_bytes())
        for page in range(35, len(content) // 4096, 3):  # behind the schema
            content[page * 4096 : page * 4096 + 64] = b"\xa5" * 64
        path.write_bytes(content)
        with closing(SQLiteStorage(str(path))) as storage:
            assert storage.problems() != []
            with pytest.raises(MemoryDamaged):
                all_turns(storage)


class TestWaiting:
    @contextmanager
    def writing(self, path: Path) -> Generator[Connection]:
        with closing(Connection(str(path))) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def test_a_second_writer_gives_up_with_a_named_error_and_nothing_written(self, tmp_path: Path) -> None:
        path = tmp_path / "a.hmem"
        with closing(SQLiteStorage(str(path), busy_seconds=0.05)) as storage:
            keep(storage, turns := make_turns(3))
            with self.writing(path):
                for write in (
                    lambda: keep(storage, make_turns(3)),
                    lambda: storage.forget([1]),
                    lambda: storage.put_settings({"a": "1"}),
                ):
                    with pytest.raises(MemoryBusy, match="another process"):
                        write()
                assert all_turns(storage) == turns
            assert keep(storage, [make_turn()])[0].fate == "stored"

    def test_recording_a_use_waits_for_nobody(self, tmp_path: Path) -> None:
        path = tmp_path / "a.hmem"
        with closing(SQLiteStorage(str(path), busy_seconds=600)) as storage:
            keep(storage, make_turns(1))
            with self.writing(path), pytest.raises(MemoryBusy, match="another process"):
                storage.record_uses([([1], START)])
            assert storage.uses() == []
            storage.record_uses([([1], START)])
            assert [use.uses for use in storage.uses()] == [1]
            # What follows is durable again, and waits again.
            assert pragma(storage._connection, "synchronous") == 2
            assert pragma(storage._connection, "busy_timeout") == 600_000

    def test_a_second_writer_waits_for_the_first(self, tmp_path: Path) -> None:
        path = tmp_path / "a.hmem"
        with closing(SQLiteStorage(str(path), busy_seconds=30)) as storage:
            keep(storage, make_turns(3))
            with self.writing(path) as other:
                timer = threading.Timer(0.2, lambda: other.execute("COMMIT"))
                timer.start()
                assert keep(storage, [make_turn()])[0].fate == "stored"
                timer.join()
            assert storage.counts().turns == 4

    def test_a_reader_does_not_wait_for_a_writer(self, tmp_path: Path) -> None:
        path = tmp_path / "a.hmem"
        make_memory(path, 3)
        with self.writing(path), closing(SQLiteStorage(str(path), busy_seconds=0)) as storage:
            assert storage.counts().turns == 3


@pytest.fixture
def older(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(path := tmp_path / "older.hmem")) as connection:
        connection.executescript(OLDER.read_text("utf-8"))
    return path


class TestOlderSchema:
    def test_a_transaction_that_fails_leaves_nothing(self, tmp_path: Path) -> None:
        with closing(connect(str(tmp_path / "a.hmem"), create=True, busy_seconds=1).connection) as connection:
            before = connection.execute("SELECT * FROM sqlite_schema").fetchall()

            def fail_halfway() -> None:
                with transaction(connection):
                    connection.execute("CREATE TABLE more (x)")
                    connection.execute("CREATE TABLE more (x)")

            with pytest.raises(Error, match="already exists"):
                fail_halfway()
            assert connection.execute("SELECT * FROM sqlite_schema").fetchall() == before

    def test_a_memory_of_schema_6_has_the_tables_of_a_new_one(self, older: Path, tmp_path: Path) -> None:
        columns = "SELECT m.name, c.name, c.type, c.pk FROM sqlite_schema m, pragma_table_xinfo(m.name) c ORDER BY 1, 2"
        tables: list[object] = []
        for path in (older, tmp_path / "new.hmem"):
            with closing(connect(str(path), create=True, busy_seconds=1).connection) as connection:
                assert pragma(connection, "user_version") == SCHEMA
                tables.append(connection.execute(columns).fetchall())
        assert tables[0] == tables[1]

    def test_a_memory_of_schema_6_keeps_every_turn_and_takes_more(self, older: Path) -> None:
        with closing(SQLiteStorage(str(older), create=False)) as storage:
            turns = all_turns(storage)
            assert (len(turns), storage.counts().vectors, storage.schema) == (TURNS, TURNS, SCHEMA)
            assert turns[0].text == "Hi Paul! I finally moved to Lisbon last week."
            assert turns[2].caption == "a narrow street with blue tiles"
            assert turns[0].at.isoformat() == "2025-02-03T19:00:00+01:00"
            assert {"feedback", "correct", "retract", "persona"} <= {entry.verb for entry in storage.recorded()}
            assert any(chunk.content for chunk in storage.chunks())
            assert storage.uses()
            assert storage.problems() == []
            keep(storage, [turn := make_turn("and more", session="s1", message_id="m9")])
            assert all_turns(storage) == [*turns, turn]
            assert storage.problems() == []

    def test_a_memory_of_schema_6_is_read_without_a_change(self, older: Path) -> None:
        with untouched(older), closing(SQLiteStorage(str(older), read_only=True)) as storage:
            assert storage.schema == SCHEMA
            assert storage.problems() == []
            turns = all_turns(storage)
            assert len(turns) == TURNS
            with pytest.raises(ReadOnlyMemory):
                storage.put_settings({"a": "b"})
            # As before a fork.
            storage.suspend()
            assert all_turns(storage) == turns
        with closing(SQLiteStorage(str(older))) as storage:
            assert all_turns(storage) == turns

    def test_an_encrypted_memory_of_schema_6_is_read(self, older: Path, tmp_path: Path) -> None:
        key = MemoryKey("one")
        (tmp_path / "b.hmem").touch()
        with closing(Connection(str(older))) as connection:
            connection.copy_into(tmp_path / "b.hmem", key)
        with closing(SQLiteStorage(str(tmp_path / "b.hmem"), read_only=True, key=key)) as storage:
            assert len(all_turns(storage)) == TURNS

    def test_a_schema_of_before_the_first_release_is_refused_and_untouched(self, older: Path) -> None:
        with closing(sqlite3.connect(older)) as connection:
            connection.execute("PRAGMA user_version = 5")
        with untouched(older), pytest.raises(StorageError, match="before the first release"):
            SQLiteStorage(str(older))


def test_what_is_kept_while_an_empty_memory_is_taken_away_is_not_lost(tmp_path: Path) -> None:
    numbers = range(40)
    begun = [threading.Event() for _ in numbers]

    def make_in_vain() -> None:
        for number in numbers:
            begun[number].wait()
            storage = SQLiteStorage(str(tmp_path / f"{number}.hmem"))
            if storage.created:
                storage.discard(storage.state().settings)
            storage.close()

    with ThreadPoolExecutor(1) as other:
        done = other.submit(make_in_vain)
        try:
            for number in numbers:
                begun[number].set()
                with closing(SQLiteStorage(str(tmp_path / f"{number}.hmem"))) as storage:
                    keep(storage, make_turns(1))
        finally:
            for each in begun:
                each.set()
        done.result()
    for number in numbers:
        with closing(SQLiteStorage(str(tmp_path / f"{number}.hmem"), create=False)) as storage:
            assert storage.counts().turns == 1


def test_a_memory_is_taken_away_by_its_last_user_and_only_as_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    with closing(SQLiteStorage(str(path))) as storage, closing(SQLiteStorage(str(path))) as other:
        assert (storage.created, other.created) == (True, False)
        assert not storage.discard(other.state().settings)
        assert not SQLiteStorage(str(path)).discard({})
        assert other.discard(other.state().settings)
    assert list(tmp_path.iterdir()) == []


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
    assert sorted(each.name for each in tmp_path.iterdir()) == (["a.hmem"] if again else [])
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
