"""Queue of work for language models in SQLite: readings, held turns, answers, reactions, spending."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from hmem.storage.capabilities import LogEntry
from hmem.storage.model_queue import (
    ERASURES,
    PAIRED,
    READINGS,
    Attempt,
    KeptAnswer,
    KeptReading,
    ModelCounts,
    ModelQueue,
    PendingReaction,
    Spending,
    Waiting,
)
from hmem.storage.sqlite.checksums import seal
from hmem.storage.sqlite.connection import translated
from hmem.storage.sqlite.driver import Connection, select_in
from hmem.storage.sqlite.rows import reading_row, write_entries


class SQLiteModelQueue(ModelQueue):
    """Implementation of ``ModelQueue`` for a storage with these attributes; ``_writing`` runs a write transaction."""

    _connection: Connection
    _path: str

    @abstractmethod
    def _writing(self) -> AbstractContextManager[None]: ...

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        """Return all rows of a statement that reads."""
        with translated(self._path):
            return self._connection.execute(sql, values).fetchall()

    def _rows_in(self, sql: str, values: Sequence[Any]) -> list[Any]:
        """Return all rows of a statement whose ``{}`` stands for a list of values."""
        with translated(self._path):
            return select_in(self._connection, sql, values)

    def _value(self, sql: str, *values: Any) -> Any:
        """Return the first value of a statement that reads; None without a row."""
        rows = self._rows(sql, *values)
        return rows[0][0] if rows else None

    # Queue of turns.

    def awaiting(self, after: int, stale: int, model: str) -> list[Waiting]:
        rows = self._rows(
            """SELECT turn.seq, turn.session, coalesce(attempts, 0), coalesce(due, 0), holder, coalesce(until, 0)
               FROM turn LEFT JOIN reading ON reading.seq = turn.seq LEFT JOIN work ON work.seq = turn.seq
               WHERE CASE WHEN reading.seq IS NULL THEN turn.seq > ?
                     ELSE content IS NULL OR (reading.number <= ? AND made_by <> ?) END
               AND coalesce(given_up, 0) = 0 ORDER BY turn.seq""",
            after, stale, model,
        )  # fmt: skip
        return [Waiting(*row) for row in rows]

    def lease(self, seqs: Sequence[int], holder: str, moment: int, until: int, last_reading: int) -> bool:
        with self._writing():
            sessions = dict(select_in(self._connection, "SELECT seq, session FROM turn WHERE seq IN ({})", seqs))
            read = select_in(
                self._connection, f"SELECT seq FROM reading WHERE number > {int(last_reading)} AND seq IN ({{}})", seqs
            )
            leased_sessions = self._connection.execute(
                """SELECT DISTINCT session FROM work JOIN turn USING (seq)
                   WHERE holder IS NOT NULL AND holder <> ? AND until > ?""",
                (holder, moment),
            ).fetchall()
            if (
                len(sessions) < len(set(seqs))
                or read
                or {session for (session,) in leased_sessions} & set(sessions.values())
            ):
                return False
            self._connection.executemany(
                """INSERT INTO work (seq, holder, until) VALUES (?, ?, ?)
                   ON CONFLICT (seq) DO UPDATE SET holder = excluded.holder, until = excluded.until""",
                [(seq, holder, until) for seq in seqs],
            )
        return True

    def release(self, seqs: Sequence[int], holder: str, attempt: Attempt) -> None:
        with self._writing():
            self._connection.executemany(
                """UPDATE work SET holder = NULL, until = NULL, attempts = attempts + ?, due = ?, error = ?,
                   given_up = ? WHERE seq = ? AND holder = ?""",
                [(attempt.is_counted, attempt.due, attempt.error, attempt.given_up, seq, holder) for seq in seqs],
            )

    def holders(self, moment: int) -> list[str]:
        rows = self._rows(
            """SELECT holder FROM work WHERE holder IS NOT NULL AND until > ?1
               UNION SELECT holder FROM reaction WHERE holder IS NOT NULL AND until > ?1 ORDER BY holder""",
            moment,
        )
        return [holder for (holder,) in rows]

    def dismiss(self, holders: Sequence[str]) -> None:
        with self._writing():
            for table in ("work", "reaction"):
                select_in(
                    self._connection, f"UPDATE {table} SET holder = NULL, until = NULL WHERE holder IN ({{}})", holders
                )

    def requeue(self, settings: Mapping[str, str | None], model: str) -> None:
        with self._writing():
            self._connection.execute("DELETE FROM work WHERE holder IS NULL")
            self._connection.execute("DELETE FROM answer WHERE made_by <> ? OR content IS NULL", (model,))
            self._set(settings)

    # Readings.

    def keep_readings(self, readings: Sequence[KeptReading], holder: str, context_seqs: Sequence[int]) -> bool:
        seqs = [reading.seq for reading in readings]
        with self._writing():
            leases = select_in(self._connection, "SELECT seq, holder FROM work WHERE seq IN ({})", seqs)
            present = select_in(
                self._connection, "SELECT seq FROM turn WHERE seq IN ({})", sorted({*context_seqs, *seqs})
            )
            leased_seqs = [seq for seq, lease_holder in leases if lease_holder == holder]
            sound = len(leased_seqs) == len(seqs) and len(present) == len({*context_seqs, *seqs})
            if sound:
                number = next_numbers(self._connection, len(readings))
                rows = [reading_row(reading._replace(number=number + i)) for i, reading in enumerate(readings)]
                self._connection.executemany("INSERT OR REPLACE INTO reading VALUES (?, ?, ?, ?, ?, ?)", rows)
                select_in(self._connection, "DELETE FROM work WHERE seq IN ({})", leased_seqs)
            else:
                select_in(
                    self._connection, "UPDATE work SET holder = NULL, until = NULL WHERE seq IN ({})", leased_seqs
                )
        return sound

    def readings(
        self, *, since: int = 0, seqs: Sequence[int] | None = None, limit: int | None = None
    ) -> list[KeptReading]:
        columns = "SELECT seq, first, last, made_by, content, number FROM reading WHERE number > "
        if seqs is not None:
            rows = self._rows_in(f"{columns}{int(since)} AND seq IN ({{}})", seqs)
        else:
            rows = self._rows(f"{columns}? ORDER BY number LIMIT ?", since, -1 if limit is None else limit)
        kept_readings = sorted((KeptReading(*row) for row in rows), key=lambda reading: reading.number)
        return kept_readings[:limit]

    def renumber(self, seqs: Sequence[int], *, clear: bool = False) -> None:
        content = " AND content IS NOT NULL" if clear else ""
        with self._writing():
            rows = select_in(self._connection, f"SELECT seq FROM reading WHERE seq IN ({{}}){content}", seqs)
            renumber(self._connection, [row[0] for row in rows], clear=clear)

    # Answers.

    def keep_answers(self, answers: Sequence[KeptAnswer], erasures: str | None) -> bool:
        with self._writing():
            if setting(self._connection, ERASURES) != erasures:
                return False
            self._connection.executemany("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", answers)
        return True

    def answers(self, digests: Sequence[bytes] | None = None) -> list[KeptAnswer]:
        columns = "SELECT digest, kind, made_by, content FROM answer"
        rows = self._rows(columns) if digests is None else self._rows_in(f"{columns} WHERE digest IN ({{}})", digests)
        return sorted((KeptAnswer(*row) for row in rows), key=lambda answer: answer.digest)

    # Reactions.

    def add_reaction(self, seq: int, content: bytes, limit: int, erasures: str | None) -> bool:
        with self._writing():
            if setting(self._connection, ERASURES) != erasures:
                return False
            self._connection.execute(
                """INSERT INTO reaction (seq, content) SELECT seq, ? FROM turn WHERE seq = ?
                   ON CONFLICT (seq) DO NOTHING""",
                (content, seq),
            )
            insertions = self._connection.changed_rows
            self._connection.execute(
                "DELETE FROM reaction WHERE seq NOT IN (SELECT seq FROM reaction ORDER BY seq DESC LIMIT ?)", (limit,)
            )
        return insertions > 0

    def pending_reactions(self) -> list[PendingReaction]:
        columns = "seq, content, attempts, due, holder, coalesce(until, 0)"
        return [PendingReaction(*row) for row in self._rows(f"SELECT {columns} FROM reaction ORDER BY seq")]

    def lease_reaction(self, seq: int, holder: str, moment: int, until: int) -> bool:
        with self._writing():
            self._connection.execute(
                """UPDATE reaction SET holder = ?1, until = ?2
                   WHERE seq = ?3 AND (holder IS NULL OR holder = ?1 OR until <= ?4)""",
                (holder, until, seq, moment),
            )
            return self._connection.changed_rows > 0

    def release_reaction(self, seq: int, holder: str, attempt: Attempt) -> None:
        with self._writing():
            if attempt.given_up:
                self._connection.execute("DELETE FROM reaction WHERE seq = ? AND holder = ?", (seq, holder))
            self._connection.execute(
                """UPDATE reaction SET holder = NULL, until = NULL, attempts = attempts + ?, due = ?
                   WHERE seq = ? AND holder = ?""",
                (attempt.is_counted, attempt.due, seq, holder),
            )

    def settle_reaction(self, seq: int, holder: str, entries: Sequence[LogEntry]) -> bool:
        with self._writing():
            self._connection.execute("DELETE FROM reaction WHERE seq = ? AND holder = ?", (seq, holder))
            is_holder = self._connection.changed_rows > 0
            if is_holder:
                write_entries(self._connection, entries)
        return is_holder

    # Spending.

    def spend(self, spending: Sequence[Spending]) -> None:
        with self._writing():
            self._connection.executemany(
                """INSERT INTO spending VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, purpose, model) DO UPDATE
                   SET calls = calls + excluded.calls, input_tokens = input_tokens + excluded.input_tokens,
                   output_tokens = output_tokens + excluded.output_tokens, cost = cost + excluded.cost,
                   failures = failures + excluded.failures""",
                spending,
            )

    def spending(self, day: str | None = None) -> list[Spending]:
        query = "SELECT * FROM spending WHERE ?1 IS NULL OR day = ?1 ORDER BY day, purpose, model"
        return [Spending(*row) for row in self._rows(query, day)]

    def model_counts(self, moment: int) -> ModelCounts:
        read = self._rows(
            "SELECT made_by, count(*) FROM reading WHERE content IS NOT NULL GROUP BY made_by ORDER BY made_by"
        )
        ((given_up, leased_turns),) = self._rows(
            "SELECT coalesce(sum(given_up), 0), coalesce(sum(holder IS NOT NULL AND until > ?), 0) FROM work", moment
        )
        answers = self._value("SELECT count(*) FROM answer WHERE content IS NOT NULL")
        error = self._value("SELECT error FROM work WHERE error IS NOT NULL ORDER BY due DESC, seq LIMIT 1")
        return ModelCounts(dict(read), given_up, leased_turns, answers, error)

    def _set(self, changes: Mapping[str, str | None]) -> None:
        write_settings(self._connection, changes)


def setting(connection: Connection, name: str) -> str | None:
    """Return a setting; None if it is not set."""
    row = connection.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
    return None if row is None else row[0]


def write_settings(connection: Connection, changes: Mapping[str, str | None]) -> None:
    """Set settings, and remove those that are None; call it inside a transaction."""
    for name, value in changes.items():
        if value is None:
            connection.execute("DELETE FROM setting WHERE name = ?", (name,))
        else:
            connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?, NULL)", (name, value))
            seal(connection, "setting", "name = ?", [(name,)])


def next_numbers(connection: Connection, count: int) -> int:
    """Reserve numbers for readings and return the first; call it inside a transaction."""
    last = int(setting(connection, READINGS) or 0)
    write_settings(connection, {READINGS: str(last + count)})
    return last + 1


def invalidate_extractions(connection: Connection, seqs: Sequence[int]) -> None:
    """Remove results of models that may tell of turns about to be deleted; call it inside a transaction.

    These are the content of readings for which one of the turns was shown, every answer, every waiting reaction, and
    the errors of attempts.
    """
    write_settings(connection, {ERASURES: str(int(setting(connection, ERASURES) or 0) + 1), PAIRED: None})
    connection.execute("DELETE FROM answer")
    connection.execute("DELETE FROM reaction")
    connection.execute("UPDATE work SET error = NULL WHERE error IS NOT NULL")
    if setting(connection, READINGS) is None:
        return
    deleted_seqs: dict[int, list[int]] = {}
    for seq, session in select_in(connection, "SELECT seq, session FROM turn WHERE seq IN ({})", seqs):
        deleted_seqs.setdefault(session, []).append(seq)
    stained = [
        seq
        for session, session_seqs in deleted_seqs.items()
        for seq in _turns_read_with(connection, session, session_seqs)
    ]
    renumber(connection, stained, clear=True)


def renumber(connection: Connection, seqs: Sequence[int], *, clear: bool) -> None:
    """Give readings the next numbers, and remove their content if ``clear``; call it inside a transaction."""
    if seqs:
        number = next_numbers(connection, len(seqs))
        connection.executemany(
            f"UPDATE reading SET number = ?{', content = NULL' if clear else ''} WHERE seq = ?",
            [(number + i, seq) for i, seq in enumerate(sorted(seqs))],
        )


def _turns_read_with(connection: Connection, session: int, deleted_seqs: Sequence[int]) -> list[int]:
    """Return the turns of a session for whose readings a model was shown one of the turns that go."""
    rows = connection.execute(
        """SELECT reading.seq, first, last FROM block JOIN turn ON turn.block = block.number
           JOIN reading ON reading.seq = turn.seq WHERE block.session = ? AND content IS NOT NULL""",
        (session,),
    ).fetchall()
    return [seq for seq, first, last in rows if any(first <= deleted_seq <= last for deleted_seq in deleted_seqs)]
