"""Transactions on one memory, each in as few round trips as it can: what waits for no answer is sent together.

A transaction names its memory, and row-level security shows it no other. What fails because the connection was lost is
done again on another, until the time is over: a write only if it is known that it was not committed.
"""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from time import monotonic, sleep
from typing import Any, Final, Literal, LiteralString, TypeVar, cast

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus
from psycopg.types.json import Jsonb

from hmem.errors import MemoryNotFound, ReadOnlyMemory, StorageError, StorageUnavailable
from hmem.storage.base import FormationProgress
from hmem.storage.model_queue import READ_FROM
from hmem_postgres.address import Address
from hmem_postgres.pool import Connection, Database, give_back, share
from hmem_postgres.texts import escape, unescape
from hmem_postgres.translation import is_lost, is_machine_lost, translate

Rows = list[tuple[Any, ...]]
Values = Sequence[Any] | Mapping[str, Any]
Statement = tuple[str, Values]
_Result = TypeVar("_Result")

# Seconds between two calls of which the first did not reach the machine of its rows.
_PAUSE: Final = 0.1

_TENANT: Final = "SELECT set_config('hmem.memory', %s, true)"
_PATIENCE: Final = "SELECT set_config('hmem.memory', %s, true), set_config('lock_timeout', %s, true)"
# Citus tells the machines of the rows what is set so, and only that.
_REMOTE_PATIENCE: Final = "SET LOCAL lock_timeout = {}"
_LAZY: Final = "SELECT set_config('synchronous_commit', 'off', true)"
_ONE_MOMENT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_COLUMNS: Final = """id, change, step, watermark, cleared, recorded, used, speakers, sessions, blocks, settings"""
_ROW: Final = f"SELECT {_COLUMNS} FROM hmem.memory WHERE memory = %s"
_HEAD: Final = f"{_ROW} FOR UPDATE"
# What the row was is a condition: if it is not that any more, a column that cannot be null would be.
_GUESS: Final = """
    UPDATE hmem.memory SET change = CASE WHEN (change, step, watermark, cleared, recorded, speakers, sessions, blocks,
        settings) = (%s, %s, %s, %s, %s, %s, %s, %s, %s) THEN %s END, step = %s, watermark = %s, cleared = %s,
        recorded = %s, speakers = %s, sessions = %s, blocks = %s, settings = %s
    WHERE memory = %s AND id = %s"""
_IS_THERE: Final = "SELECT 1 / count(*)::int FROM hmem.memory WHERE memory = %s AND id = %s"
_MISSED: Final = (errors.NotNullViolation, errors.DivisionByZero, errors.UniqueViolation)
_NUMBER: Final = "SELECT pg_current_xact_id()::text"
_OUTCOME: Final = "SELECT pg_xact_status(%s::text::xid8)"
_UPDATE: Final = """
    UPDATE hmem.memory SET change = %s, step = %s, watermark = %s, cleared = %s, recorded = %s, used = %s,
        speakers = %s, sessions = %s, blocks = %s"""
# Shared parts of statements look rows up by their keys, whatever the planner believes of the tables.
# Turns with the numbers ``seqs``.
GIVEN_TURNS: Final = """
    FROM unnest(%(seqs)s::bigint[]) AS given(seq)
    JOIN hmem.turn AS turn ON turn.memory = %(memory)s AND turn.seq = given.seq"""
# Numbers of the blocks that hold them.
THEIR_BLOCKS: Final = f"ARRAY(SELECT DISTINCT turn.block {GIVEN_TURNS})"
# All texts of a row of ``block``, in the order of its turns.
BLOCK_TEXTS: Final = """ARRAY(SELECT unnest(text.texts) FROM hmem.text AS text
    WHERE text.memory = %(memory)s AND text.block = block.number ORDER BY text.part)"""
# And their numbers.
BLOCK_MEMBERS: Final = """coalesce((SELECT string_agg(text.members, ''::bytea ORDER BY text.part) FROM hmem.text AS text
    WHERE text.memory = %(memory)s AND text.block = block.number), ''::bytea)"""
# A memory with work for a language model, beside its rows, so that workers find it without asking each.
_ADD_DUE: Final = """
    INSERT INTO hmem.due AS kept (memory, due) VALUES (%s, %s)
    ON CONFLICT (memory) DO UPDATE SET due = least(kept.due, excluded.due), renewed = true"""


@dataclass(slots=True)
class MemoryRow:
    """The row of a memory, locked. What a write sets in it is stored with the write."""

    change: int
    formed: FormationProgress
    recorded: int
    used: int
    speakers: int
    sessions: int
    blocks: int
    settings: dict[str, str]

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> "MemoryRow":
        """Return the head of a row of the columns, behind the id."""
        change, step, watermark, cleared, recorded, used, speakers, sessions, blocks, settings = row
        formation = FormationProgress(step, watermark, cleared)
        return cls(change, formation, recorded, used, speakers, sessions, blocks, read_settings(settings))

    def set(self, changes: Mapping[str, str | None]) -> None:
        """Set settings; None removes one."""
        for name, value in changes.items():
            if value is None:
                self.settings.pop(name, None)
            else:
                self.settings[name] = value

    def copy(self) -> "MemoryRow":
        """Return a row that can be changed without this one."""
        return replace(self, settings=dict(self.settings))

    def equals(self, other: "MemoryRow") -> bool:
        """Tell if another row is the same but for the uses, which change without a writer."""
        return replace(self, used=other.used) == other

    def numbers(self) -> tuple[int, ...]:
        """Return the values of ``_UPDATE``."""
        return (self.change, *self.formed, self.recorded, self.used, self.speakers, self.sessions, self.blocks)

    def guarded(self) -> tuple[Any, ...]:
        """Return the values of ``_GUESS``: all counters but that of uses, which changes without a writer."""
        numbers = (self.change, *self.formed, self.recorded, self.speakers, self.sessions, self.blocks)
        return (*numbers, write_settings(self.settings))


def read_settings(row: dict[str, str]) -> dict[str, str]:
    """Return the settings of a row."""
    return {unescape(name): unescape(value) for name, value in row.items()}


def write_settings(settings: dict[str, str]) -> Jsonb:
    """Return settings for a row."""
    return Jsonb({escape(name): escape(value) for name, value in settings.items()})


class WriteTransaction:
    """A write in progress: the memory's row is locked, and statements wait to be sent together with the commit.

    Without a connection it is a guess: nothing can be asked, and the row is ``head`` or else the write fails.
    """

    def __init__(
        self, connection: Connection | None, memory: str, head: MemoryRow, *, distributed: bool = False
    ) -> None:
        self.head = head
        self._connection = connection
        self._distributed = distributed
        self._memory = memory
        self._before = head.copy()
        self._waiting: list[Statement] = []
        self._sent = False

    def do(self, sql: str, values: Values = ()) -> None:
        """Let a statement wait."""
        self._waiting.append((sql, values))

    def insert(self, table: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]], conflict: str = "") -> None:
        """Let the insertion of rows wait, whose columns have types; ``conflict`` says what to do with a key there is.

        Many rows are one statement, but to Citus, which sends to its machine only what has no source of rows.
        """
        head = f"INSERT INTO hmem.{table} (memory, {', '.join(columns)})"
        if len(rows) == 1 or self._distributed:
            values = ", ".join(f"%s::{kind}" for kind in columns.values())
            for row in rows:
                self.do(f"{head} VALUES (%s, {values}) {conflict}", (self._memory, *row))
        elif rows:
            arrays = ", ".join(f"%s::{kind}[]" for kind in columns.values())
            values = [[row[index] for row in rows] for index in range(len(columns))]
            self.do(f"{head} SELECT %s, * FROM unnest({arrays}) {conflict}", (self._memory, *values))

    def take(self) -> list[Statement]:
        """Return the statements that wait, to be sent with others by ``ask``. They count as a write."""
        statements, self._waiting = self._waiting, []
        self._sent = self._sent or bool(statements)
        return statements

    def ask(self, *statements: Statement) -> list[Rows]:
        """Return the rows of statements, which see the memory as no other write changes it."""
        if self._connection is None:
            raise StorageError("a guess asks nothing - give it what it needs")
        return ask(self._connection, statements)

    def guess(self, number: str) -> list[Statement]:
        """Return the statements of a guess, for the memory with this id."""
        values = (*self._before.guarded(), *self.head.guarded(), self._memory, number)
        return [(_GUESS, values), (_IS_THERE, (self._memory, number)), *self._waiting]

    @property
    def waiting(self) -> list[Statement]:
        """Statements that are still to be sent, that of the memory's row first."""
        changes: list[Statement] = []
        if self.head != self._before:
            sql, values = _UPDATE, [*self.head.numbers()]
            if self.head.settings != self._before.settings:
                sql, values = f"{sql}, settings = %s", [*values, write_settings(self.head.settings)]
            changes.append((f"{sql} WHERE memory = %s", [*values, self._memory]))
        return [*changes, *self._waiting]

    @property
    def sets_head(self) -> bool:
        """True if the memory's row is to be changed."""
        return self.head != self._before

    @property
    def has_changes(self) -> bool:
        """True if there is anything to commit."""
        return self._sent or bool(self.waiting)


class LostGuess(StorageUnavailable):
    """The connection was lost during a write of one round trip: it may have happened."""


class DatabaseCalls:
    """Calls on the connections of a database. Thread-safe."""

    def __init__(self, address: Address, busy_seconds: float, reconnect_seconds: float | None = None) -> None:
        self.address = address
        self._seconds = busy_seconds
        self._reconnect_seconds = busy_seconds if reconnect_seconds is None else reconnect_seconds
        self._closed = False
        try:
            self._shared: Database = share(address.conninfo, busy_seconds)
        except psycopg.Error as error:
            raise translate(error, address.printed) from None

    @property
    def _database(self) -> Database:
        if self._closed:
            raise StorageError(f"{self.address.printed} is closed - open it again")
        if self._shared.process != os.getpid():
            self._shared = share(self.address.conninfo, self._seconds)
        return self._shared

    def close(self) -> None:
        """Give the connections back; closing twice is no error."""
        if not self._closed:
            self._closed = True
            if self._shared.process == os.getpid():
                give_back(self.address.conninfo, self._shared)

    def run(self, *statements: Statement) -> list[Rows]:
        """Return the rows of statements, in one round trip and transaction, made again if the connection was lost."""
        return self._retry(lambda connection: _transact(connection, statements))

    def patience(self, memory: str) -> Statement:
        """Return the statement that names the memory of a transaction and limits its wait for locks."""
        milliseconds = max(1, round(self._seconds * 1_000))
        if self._database.distributed:
            return _REMOTE_PATIENCE.format(milliseconds), ()
        return _PATIENCE, (memory, f"{milliseconds}ms")

    @property
    def away(self) -> bool:
        """True if the database did not answer the last attempt to reach it."""
        return self._database.away

    def check(self, seconds: float) -> None:
        """Ask the database for an answer, without patience.

        Raises:
            StorageUnavailable: there was none within some seconds.
        """
        self._retry(lambda connection: ask(connection, [("SELECT 1", ())]), seconds=seconds, patient=False)

    def drop(self, memory: str, tables: Sequence[str]) -> bool:
        """Delete all rows of a memory, its own first; return False if there is none."""
        deletions = [(f"DELETE FROM hmem.{name} WHERE memory = %s", (memory,)) for name in tables]
        return self.run(self.patience(memory), *deletions)[1] == [(1,)]

    def _retry(
        self, call: Callable[[Connection], _Result], *, seconds: float | None = None, patient: bool | None = None
    ) -> _Result:
        """Return what a call returns; make it again on another connection if the connection was lost."""
        deadline = monotonic() + (self._seconds if seconds is None else seconds)
        while True:
            try:
                with self._database.connection(deadline, self._reconnect_seconds, patient=patient) as connection:
                    return call(connection)
            except psycopg.Error as error:
                if not is_lost(error) or monotonic() >= deadline:
                    raise translate(error, self.address.printed) from error
                if is_machine_lost(error):
                    sleep(_PAUSE)
            self._database.check()


class Transactions(DatabaseCalls):
    """Transactions on one memory. Not thread-safe."""

    def __init__(self, address: Address, busy_seconds: float, reconnect_seconds: float | None = None) -> None:
        self.memory = address.require_memory()
        super().__init__(address, busy_seconds, reconnect_seconds)
        self.writes = 0
        # Id that the memory was given when it was made: another of the same name is another memory.
        self.id: str | None = None
        self.read_only = False
        # The memory's row as this object saw or wrote it last.
        self._seen: MemoryRow | None = None
        self._pinned: tuple[int, Connection] | None = None

    # Reading.

    def read(self, *statements: Statement) -> list[Rows]:
        """Return the rows of statements, all as of one moment, in one round trip."""
        if self._pinned is not None and self._pinned[0] == os.getpid():
            _, pinned = self._pinned
            return self._once(lambda: ask(pinned, statements))
        script: list[Statement] = [(_TENANT, (self.memory,)), *statements]
        if len(statements) > 1:
            script = [(_ONE_MOMENT, ()), *script, ("COMMIT", ())]
        results = self._retry(lambda connection: ask(connection, script))
        return results[-1:] if len(statements) == 1 else results[2:-1]

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """Let reads inside see one moment."""
        deadline = monotonic() + self._seconds
        with self._database.connection(deadline, self._reconnect_seconds) as connection:
            self._once(lambda: ask(connection, [(_ONE_MOMENT, ()), (_TENANT, (self.memory,))]))
            self._pinned = os.getpid(), connection
            try:
                yield
            finally:
                self._pinned = None
                _abandon(connection)

    # WriteTransaction.

    def try_write(self, work: Callable[[WriteTransaction], _Result]) -> tuple[_Result] | None:
        """Run a write in one round trip, as if nobody had written since this object last looked.

        Return what ``work`` returns; None, and nothing is written, if somebody has, if ``work`` lets nothing wait, or
        if a row is there already.

        Raises:
            LostGuess: the connection was lost, and the write may have happened.
        """
        self._check_writable()
        if self._seen is None or self.id is None or self._pinned is not None:
            return None
        writing = WriteTransaction(None, self.memory, self._seen.copy(), distributed=self._database.distributed)
        result = work(writing)
        if not writing.has_changes:
            return None
        script: list[Statement] = [("BEGIN", ()), self.patience(self.memory), *writing.guess(self.id), ("COMMIT", ())]
        self._seen = None
        try:
            with self._database.connection(monotonic() + self._seconds, self._reconnect_seconds) as connection:
                try:
                    ask(connection, script)
                except psycopg.Error:
                    _abandon(connection)
                    raise
        except _MISSED:
            return None
        except psycopg.Error as error:
            if is_lost(error):
                raise LostGuess(f"{self.address.printed} was lost") from error
            raise translate(error, self.address.printed) from error
        self._seen, self.writes = writing.head, self.writes + 1
        return (result,)

    def write(
        self,
        work: Callable[..., _Result],
        *first: Statement,
        patient: bool | None = None,
        lost: Literal["ask", "repeat", "insist"] = "ask",
    ) -> _Result:
        """Run a write and return what ``work`` returns.

        ``work`` is called with a ``WriteTransaction`` and the rows of the ``first`` statements, which come with the
        lock in one round trip. What it lets wait is sent with the commit in another. It may be called again, if the
        connection was lost before that. A ``patient`` write waits for a database that is away, whatever others do.

        If the connection is ``lost`` during the commit the database is asked for the outcome; or ``work``, which sees
        in what it is given whether it took place, is called again, and is patient then if it insists.

        Raises:
            StorageUnavailable: the connection was lost while it was committed, and the outcome cannot be learnt.
        """
        self._check_writable()
        while True:
            try:
                return self._retry(
                    lambda connection: self._write(connection, work, first, asks=lost == "ask"), patient=patient
                )
            except LostGuess:
                patient = patient or (True if lost == "insist" else None)

    def _write(
        self, connection: Connection, work: Callable[..., _Result], first: Sequence[Statement], *, asks: bool
    ) -> _Result:
        patience, distributed = self.patience(self.memory), self._database.distributed
        try:
            opening: list[Statement] = [("BEGIN", ()), patience, (_NUMBER, ()), (_HEAD, (self.memory,))]
            _, _, ((number,),), head, *rows = ask(connection, [*opening, *first])
            writing = WriteTransaction(connection, self.memory, self.head_of(head).copy(), distributed=distributed)
            result = work(writing, *rows)
            if not writing.has_changes:
                connection.execute("ROLLBACK", prepare=False)
                return result
        except BaseException:
            _abandon(connection)
            raise
        self._seen = None
        try:
            ask(connection, [*writing.waiting, ("COMMIT", ())])
        except psycopg.Error as error:
            _abandon(connection)
            if not is_lost(error):
                raise
            if not asks:
                raise LostGuess(f"{self.address.printed} was lost") from error
            if not self._was_committed(number, writing.head if writing.sets_head else None):
                raise
        self._seen, self.writes = writing.head, self.writes + 1
        return result

    def _was_committed(self, number: str, row: MemoryRow | None) -> bool:
        """Tell if a transaction was committed whose connection was lost; ``row`` is what it made of the memory's row.

        After a crash another transaction may have its number, so the row counts as well.

        Raises:
            StorageUnavailable: the database does not tell.
        """
        deadline, questions = monotonic() + self._seconds, [(_TENANT, (self.memory,)), (_OUTCOME, (number,))]
        while monotonic() < deadline:
            with suppress(psycopg.Error), self._database.connection(deadline, patient=True) as connection:
                _, ((outcome,),), rows = ask(connection, [*questions, (_ROW, (self.memory,))])
                is_same = bool(rows) and (row is None or row.equals(MemoryRow.from_row(rows[0][1:])))
                if outcome == "committed" and is_same:
                    return True
                # With Citus the machine of the rows commits before the one that was asked does.
                if outcome == "committed" or (outcome != "in progress" and self._database.distributed):
                    break
                if outcome != "in progress":
                    return False
            self._database.check()
        raise StorageUnavailable(
            f"{self.address.printed} was lost while it kept this, and does not tell if it did - "
            "look before you try again"
        )

    def pass_by(self, *statements: Statement) -> list[Rows]:
        """Run statements that wait for no other writer, and not for the disk, in one round trip and transaction."""
        self._check_writable()
        rows = self.run((_TENANT, (self.memory,)), (_LAZY, ()), *statements)[2:]
        self.writes += 1
        return rows

    def make(self, *statements: Statement) -> Rows:
        """Return the rows of the first statement, which makes the memory, unless another one fails."""
        return self.run((_TENANT, (self.memory,)), *statements)[1]

    def head_of(self, rows: Rows) -> MemoryRow:
        """Return the head of the memory's row.

        Raises:
            MemoryNotFound: there is none any more, or another memory has its name.
        """
        if not rows or (self.id is not None and rows[0][0] != self.id):
            reason = "replaced by another" if rows else "deleted"
            raise MemoryNotFound(
                f"{self.address.printed} was {reason} by another process - open it again to begin anew"
            )
        self._seen = MemoryRow.from_row(rows[0][1:])
        return self._seen

    def _check_writable(self) -> None:
        if self.read_only:
            raise ReadOnlyMemory(f"{self.address.printed} was opened to be read only - open it to be written")

    def _once(self, call: Callable[[], _Result]) -> _Result:
        try:
            return call()
        except psycopg.Error as error:
            raise translate(error, self.address.printed) from error


def ask(connection: Connection, statements: Sequence[Statement]) -> list[Rows]:
    """Return the rows of each statement, in one round trip; a statement without rows has its count of rows as one."""
    texts: list[tuple[LiteralString, Values]] = [(cast(LiteralString, sql), values) for sql, values in statements]
    # In a pipeline even the first call of a statement, which prepares it, is one round trip.
    with connection.pipeline():
        cursors = [connection.execute(sql, values, binary=True) for sql, values in texts]
    return [_rows(cursor) for cursor in cursors]


def _transact(connection: Connection, statements: Sequence[Statement]) -> list[Rows]:
    """Return the rows of each statement of one transaction.

    It is named, as to Citus statements that are only sent together are a transaction each.
    """
    try:
        return ask(connection, [("BEGIN", ()), *statements, ("COMMIT", ())])[1:-1]
    except psycopg.Error:
        _abandon(connection)
        raise


def _rows(cursor: psycopg.Cursor[tuple[Any, ...]]) -> Rows:
    return cursor.fetchall() if cursor.description is not None else [(cursor.rowcount,)]


def _abandon(connection: Connection) -> None:
    """End a transaction that is not to be kept; a connection that is lost has ended it."""
    with suppress(psycopg.Error):
        if not connection.closed and connection.info.transaction_status != TransactionStatus.IDLE:
            connection.execute("ROLLBACK", prepare=False)


def add_due(writing: WriteTransaction, memory: str, due_time: int = 0) -> None:
    """Let it wait to make a memory's work due at a time, if a model reads it."""
    if READ_FROM in writing.head.settings:
        writing.do(_ADD_DUE, (memory, due_time))
