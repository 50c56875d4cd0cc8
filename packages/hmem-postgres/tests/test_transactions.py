"""Transactions: fenced to one memory, few round trips, and what a lost connection does to them."""

import os
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import Queue
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from tests.postgres import ROLE, Postgres, of_its_own

from hmem.errors import MemoryBusy, ReadOnlyMemory, StorageError, StorageUnavailable
from hmem.storage import Storage, open_storage
from hmem.storage.base import GENERATION, Chunk, FormationProgress, LogEntry, News, State, Watermarks
from hmem_postgres import transactions
from hmem_postgres.schema import DISTRIBUTED
from hmem_postgres.store import PostgresStorage
from hmem_testing.conformance.harness import DIMENSION, START, all_turns, keep, make_turns, sequence_numbers

NAME = "isolated"


@pytest.fixture
def connection(postgres: Postgres) -> Iterator[psycopg.Connection]:
    storage = open_storage(postgres.location(NAME))
    if not storage.state().change:
        keep(storage, make_turns(3))
    storage.close()
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        yield connection


def count(connection: psycopg.Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM hmem.{table}").fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize("table", DISTRIBUTED)
def test_who_names_no_memory_sees_nothing(connection: psycopg.Connection, table: str) -> None:
    assert count(connection, table) == 0


def test_who_names_a_memory_sees_its_rows_only_for_the_transaction(connection: psycopg.Connection) -> None:
    with connection.transaction():
        connection.execute("SELECT set_config('hmem.memory', %s, true)", (NAME,))
        assert count(connection, "turn") == 3
        assert count(connection, "memory") == 1
    assert count(connection, "turn") == 0


def test_who_names_no_memory_or_another_writes_nothing(connection: psycopg.Connection) -> None:
    insert = "INSERT INTO hmem.speaker (memory, number, digest, name) VALUES (%s, 99, 'x', 'Mallory')"
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(insert, (NAME,))
    with connection.transaction(force_rollback=True):
        connection.execute("SELECT set_config('hmem.memory', 'mallory', true)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(insert, (NAME,))
    assert connection.execute("UPDATE hmem.speaker SET name = 'Mallory'").rowcount == 0
    assert connection.execute("DELETE FROM hmem.turn").rowcount == 0


def test_who_lists_memories_sees_names_and_nothing_in_them(connection: psycopg.Connection) -> None:
    with connection.transaction():
        connection.execute("SELECT set_config('hmem.scope', 'names', true)")
        assert count(connection, "memory") > 0
        assert count(connection, "turn") == count(connection, "block") == 0
        assert connection.execute("UPDATE hmem.memory SET id = 'x'").rowcount == 0


def test_every_table_of_memories_is_fenced(postgres: Postgres) -> None:
    with psycopg.connect(postgres.admin()) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'hmem'::regnamespace AND relkind = 'r' "
            "AND relrowsecurity AND relforcerowsecurity"
        ).fetchall()
        keyed = connection.execute(
            "SELECT conrelid::regclass::text FROM pg_constraint WHERE contype = 'p' "
            "AND connamespace = 'hmem'::regnamespace AND conkey[1] = (SELECT attnum FROM pg_attribute "
            "WHERE attrelid = conrelid AND attname = 'memory')"
        ).fetchall()
    assert {name for (name,) in rows} == set(DISTRIBUTED)
    assert {name.removeprefix("hmem.") for (name,) in keyed} == set(DISTRIBUTED)


# Lost connections and time limits.


def opened(location: str, seconds: float = 5) -> PostgresStorage:
    storage = open_storage(location, busy_seconds=seconds)
    assert isinstance(storage, PostgresStorage)
    storage.put_settings({GENERATION: "1"})
    return storage


@pytest.fixture
def storage(postgres: Postgres) -> Iterator[PostgresStorage]:
    storage = opened(postgres.location())
    yield storage
    storage.close()


def end_connections(postgres: Postgres) -> None:
    """End every connection of the tests' role, as a failover does."""
    with psycopg.connect(postgres.admin(), autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (ROLE,))


def test_a_connection_that_was_lost_between_calls_is_not_noticed(postgres: Postgres, storage: Storage) -> None:
    keep(storage, make_turns(2))
    end_connections(postgres)
    keep(storage, make_turns(2))
    end_connections(postgres)
    assert len(all_turns(storage)) == 4
    assert storage.problems() == []


@pytest.mark.parametrize("place", ["begin", "commit", "after the commit"])
@pytest.mark.parametrize("before", [0, 2], ids=["the first", "one more"])
def test_a_write_whose_connection_is_lost_is_kept_once(
    postgres: Postgres, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch, place: str, before: int
) -> None:
    """The connection ends before, within or behind the last round trip; the outcome is learnt, not guessed."""
    earlier = make_turns(before)
    if earlier:
        keep(storage, earlier)
    ask, lost = transactions.ask, []

    def losing(connection: Any, statements: Any) -> Any:
        last = statements[-1][0] == "COMMIT"
        if lost or not (statements[0][0] == "BEGIN" if place == "begin" else last):
            return ask(connection, statements)
        lost.append(place)
        if place == "after the commit":
            ask(connection, statements)
        end_connections(postgres)
        return ask(connection, statements[:1] if place == "after the commit" else statements)

    monkeypatch.setattr(transactions, "ask", losing)
    placed = keep(storage, turns := make_turns(3))
    assert lost
    assert [each.fate for each in placed] == ["stored"] * 3
    assert all_turns(storage) == [*earlier, *turns]
    assert storage.problems() == []


def test_a_write_whose_number_another_one_got_after_a_crash_is_not_taken_for_kept(
    postgres: Postgres, storage: PostgresStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of transactions that were lost with the server are given again."""
    with psycopg.connect(postgres.admin(), autocommit=True) as connection:
        ((number,),) = connection.execute("SELECT pg_current_xact_id()::text").fetchall()
    monkeypatch.setattr(transactions, "_NUMBER", f"SELECT '{number}'")
    ask, lost = transactions.ask, []

    def losing(connection: Any, statements: Any) -> Any:
        if lost or statements[-1][0] != "COMMIT":
            return ask(connection, statements)
        lost.append(number)
        end_connections(postgres)
        return ask(connection, statements)

    monkeypatch.setattr(transactions, "ask", losing)
    turns = make_turns(2)
    assert [each.fate for each in keep(storage, turns)] == ["stored"] * 2
    assert all_turns(storage) == turns
    lost.clear()
    with pytest.raises(StorageUnavailable, match="does not tell"):
        storage.put_settings({"a": "1"})
    assert lost
    assert "a" not in storage.state().settings


def test_a_database_that_is_away_is_a_named_error_and_what_was_acknowledged_is_there_afterwards(tmp_path: Path) -> None:
    with of_its_own(tmp_path / "pg") as postgres:
        storage = opened(postgres.location("a"), 1)
        keep(storage, turns := make_turns(3))
        postgres.stop()
        for call in (storage.state, lambda: keep(storage, make_turns(1)), lambda: storage.put_settings({"a": "1"})):
            with pytest.raises(StorageUnavailable):
                call()
        with pytest.raises(StorageUnavailable):
            open_storage(postgres.location("a"), busy_seconds=1)
        postgres.restart()
        keep(storage, more := make_turns(1))
        assert all_turns(storage) == [*turns, *more]
        assert storage.problems() == []
        storage.close()


def test_while_the_database_is_away_one_call_waits_and_the_others_fail_at_once(tmp_path: Path) -> None:
    with of_its_own(tmp_path / "pg") as postgres:
        storages = [opened(postgres.location(f"m{number}"), 60) for number in range(12)]
        postgres.stop()
        ended: Queue[Exception | None] = Queue()

        def read(storage: Storage) -> None:
            try:
                storage.state()
                ended.put(None)
            except StorageUnavailable as error:
                ended.put(error)

        readers = [threading.Thread(target=read, args=(storage,)) for storage in storages]
        for reader in readers:
            reader.start()
        for _ in readers[1:]:
            assert ended.get(timeout=30) is not None
        # The outage is known: nobody else waits for its end.
        began = monotonic()
        for storage in storages[:5]:
            with pytest.raises(StorageUnavailable):
                storage.state()
        assert monotonic() - began < 30
        assert ended.empty()
        postgres.restart()
        assert ended.get(timeout=30) is None
        for reader, storage in zip(readers, storages, strict=True):
            reader.join()
            keep(storage, turns := make_turns(1))
            assert all_turns(storage) == turns
            storage.close()


def test_a_write_that_was_lost_waits_for_the_database_to_tell_of_it(tmp_path: Path) -> None:
    with of_its_own(tmp_path / "pg") as postgres:
        storages = [opened(postgres.location(name), 60) for name in "ab"]
        for storage in storages:
            keep(storage, make_turns(1))
        postgres.stop()
        turns = make_turns(2)
        writers = [threading.Thread(target=keep, args=(storage, turns)) for storage in storages]
        for writer in writers:
            writer.start()
        sleep(1)
        postgres.restart()
        for writer, storage in zip(writers, storages, strict=True):
            writer.join()
            assert storage.problems() == []
            storage.close()


def test_a_statement_that_takes_too_long_is_a_named_error_and_keeps_nothing(postgres: Postgres) -> None:
    storage = opened(f"{postgres.location()}&options=-c%20statement_timeout%3D150")
    with held(postgres, storage), pytest.raises(StorageUnavailable):
        keep(storage, make_turns(1))
    assert keep(storage, turns := make_turns(1))[0].fate == "stored"
    assert all_turns(storage) == turns
    storage.close()


def test_who_waits_too_long_for_another_writer_is_told_so(postgres: Postgres) -> None:
    storage = opened(postgres.location(), 0.2)
    with held(postgres, storage):
        with pytest.raises(MemoryBusy):
            keep(storage, make_turns(1))
        with pytest.raises(MemoryBusy):
            storage.record_uses([([1], START)])
        assert storage.state().change == 0
    storage.close()


@contextmanager
def held(postgres: Postgres, storage: PostgresStorage) -> Generator[None]:
    """Hold the memory's row, as another writer does."""
    with psycopg.connect(postgres.admin()) as connection:
        connection.execute("SELECT 1 FROM hmem.memory WHERE id = %s FOR UPDATE", (storage.memory,))
        yield
        connection.rollback()


def test_a_memory_that_is_read_only_writes_nothing(postgres: Postgres) -> None:
    location = postgres.location()
    opened(location).close()
    storage = open_storage(location, read_only=True)
    with pytest.raises(ReadOnlyMemory):
        keep(storage, make_turns(1))
    assert storage.state().change == 0
    storage.close()


def test_a_role_without_rights_gets_a_named_error(postgres: Postgres) -> None:
    with psycopg.connect(postgres.admin(), autocommit=True) as connection, suppress(psycopg.errors.DuplicateObject):
        connection.execute("CREATE ROLE hmem_stranger LOGIN")
    with pytest.raises(StorageError):
        open_storage(postgres.location().replace(ROLE, "hmem_stranger"))


def test_a_forked_process_uses_connections_of_its_own(postgres: Postgres, storage: PostgresStorage) -> None:
    keep(storage, make_turns(1))
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            keep(storage, make_turns(1))
            storage.close()
            os._exit(0)
        os._exit(1)
    keep(storage, make_turns(1))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    keep(storage, make_turns(1))
    assert len(all_turns(storage)) == 4


def test_many_memories_share_few_connections(postgres: Postgres) -> None:
    storages = [opened(postgres.location()) for _ in range(40)]
    writers = [threading.Thread(target=keep, args=(storage, make_turns(2))) for storage in storages]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [storage.counts().turns for storage in storages] == [2] * 40
    with psycopg.connect(postgres.admin()) as connection:
        count = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = %s", (ROLE,)).fetchone()
    assert count is not None
    assert count[0] <= 8 * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    for storage in storages:
        storage.close()


# Round trips.


class Wire:
    """A wire to the database that counts the messages after which the client waits for the server.

    These are Sync, Flush and Query of the protocol: whatever is sent between two of them needs one round trip.
    """

    def __init__(self, target: str, folder: Path) -> None:
        self.trips = 0
        self._target = target
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._target)
            back = threading.Thread(target=self._forward, args=(server, client, lambda _: None))
            back.start()
            self._forward(client, server, self._counting())
            back.join()

    def _forward(self, source: socket.socket, target: socket.socket, seen: Callable[[bytes], None]) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 20):
                seen(data)
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _counting(self) -> Callable[[bytes], None]:
        """Return what reads the client's messages: all but the first begin with a letter, and all have a length."""
        waiting, kind, waits = bytearray(), 0, True

        def seen(data: bytes) -> None:
            nonlocal kind, waits
            waiting.extend(data)
            while len(waiting) >= 4 + kind:
                length = int.from_bytes(waiting[kind : 4 + kind]) + kind
                if len(waiting) < length:
                    return
                # A Flush behind a Sync waits for the same answer.
                before, waits = waits, bool(kind) and bytes(waiting[:1]) in (b"S", b"H", b"Q")
                self.trips += waits and not before
                del waiting[:length]
                kind = 1

        return seen

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def wired(postgres: Postgres, tmp_path: Path) -> Iterator[tuple[PostgresStorage, Wire]]:
    folder = Path("/tmp") / uuid4().hex[:8]  # noqa: S108 - the path of a socket is short
    folder.mkdir()
    host = postgres.admin().partition("?host=")[2]
    wire = Wire(f"{host}/.s.PGSQL.5432", folder)
    storage = opened(postgres.location().replace(host, str(folder)))
    yield storage, wire
    storage.close()
    wire.close()
    (folder / ".s.PGSQL.5432").unlink()
    folder.rmdir()


CALLS: dict[str, tuple[int, Callable[[Storage, list[int]], object]]] = {
    "state": (1, lambda storage, _: storage.state()),
    "turns": (1, lambda storage, seqs: storage.turns(seqs)),
    "page": (1, lambda storage, _: storage.page(0, 50)),
    "changes": (1, lambda storage, _: storage.changes(0, 256, 1, 8)),
    "chunks": (1, lambda storage, _: storage.chunks(also=[("a", 1)])),
    "uses": (1, lambda storage, seqs: storage.uses(seqs=seqs)),
    "matching": (1, lambda storage, _: storage.matching(with_user=True)),
    "record_uses": (1, lambda storage, seqs: storage.record_uses([(seqs[:9], START)])),
    "append": (1, lambda storage, _: keep(storage, [replace(turn, user="u") for turn in make_turns(70)])),
    "append of one": (1, lambda storage, _: keep(storage, make_turns(1))),
    "put_settings": (2, lambda storage, _: storage.put_settings({"a": "1"})),
    "form": (1, lambda storage, _: storage.form([Chunk("a", 1, b"x")], storage_formed(storage), 1)),
}


def storage_formed(storage: Storage) -> FormationProgress:
    return storage.state().progress


@pytest.mark.parametrize("name", CALLS)
def test_a_call_takes_few_round_trips(wired: tuple[PostgresStorage, Wire], name: str) -> None:
    storage, wire = wired
    keep(storage, make_turns(200))
    seqs = sequence_numbers(storage)
    most, call = CALLS[name]
    for _ in range(2):
        call(storage, seqs)
    before = wire.trips
    storage.state()
    assert wire.trips == before + 1
    before = wire.trips
    call(storage, seqs)
    # To form asks for the state first.
    assert wire.trips - before - (name == "form") <= most


def test_that_nothing_is_new_is_told_in_one_round_trip(wired: tuple[PostgresStorage, Wire]) -> None:
    storage, wire = wired

    def news_since(earlier_state: State) -> tuple[News, int]:
        last = earlier_state.progress.step, earlier_state.recorded, earlier_state.used
        watermarks = Watermarks(earlier_state.change, 1, DIMENSION, 8, *last)
        storage.news(watermarks)
        before = wire.trips
        return storage.news(watermarks), wire.trips - before

    for write in (
        lambda: keep(storage, make_turns(2)),
        lambda: storage.form([Chunk("a", 1, b"x")], storage_formed(storage), 1),
        lambda: storage.record_uses([(sequence_numbers(storage), START)]),
        lambda: storage.record([LogEntry(1, "Ben", "pin", "turn_1")]),
    ):
        earlier_state = storage.state()
        write()
        news, trips = news_since(earlier_state)
        assert trips == 2
        assert news.changes or news.chunks or news.entries or news.uses
        news, trips = news_since(storage.state())
        assert trips == 1
        assert (news.state, news.changes, [*news.chunks, *news.entries, *news.uses]) == (storage.state(), None, [])
