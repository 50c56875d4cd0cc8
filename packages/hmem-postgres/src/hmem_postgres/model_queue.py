"""Queue of work for language models in Postgres: readings, held turns, answers, reactions, spending."""

from collections.abc import Mapping, Sequence
from typing import Final

from hmem.storage.capabilities import LogEntry
from hmem.storage.model_queue import (
    ERASURES,
    Attempt,
    KeptAnswer,
    KeptReading,
    ModelCounts,
    ModelQueue,
    PendingReaction,
    Spending,
    Waiting,
)
from hmem_postgres.erasing import next_numbers, renumber
from hmem_postgres.log import known_keys, write_entries
from hmem_postgres.transactions import GIVEN_TURNS, Rows, Transactions, WriteTransaction, add_due

_AWAITING: Final = """
    SELECT turn.seq, block.session, coalesce(attempts, 0), coalesce(due, 0), holder, coalesce(until, 0)
    FROM hmem.turn AS turn JOIN hmem.block AS block ON block.memory = turn.memory AND block.number = turn.block
    LEFT JOIN hmem.reading AS reading ON reading.memory = turn.memory AND reading.seq = turn.seq
    LEFT JOIN hmem.work AS work ON work.memory = turn.memory AND work.seq = turn.seq
    WHERE turn.memory = %s AND CASE WHEN reading.seq IS NULL THEN turn.seq > %s
        ELSE content IS NULL OR (reading.number <= %s AND made_by <> %s) END
    AND NOT coalesce(given_up, false) ORDER BY turn.seq"""
_SESSIONS: Final = f"""
    SELECT turn.seq, block.session {GIVEN_TURNS}
    JOIN hmem.block AS block ON block.memory = turn.memory AND block.number = turn.block"""
_HELD_SESSIONS: Final = """
    SELECT DISTINCT block.session FROM hmem.work AS work
    JOIN hmem.turn AS turn ON turn.memory = work.memory AND turn.seq = work.seq
    JOIN hmem.block AS block ON block.memory = turn.memory AND block.number = turn.block
    WHERE work.memory = %s AND holder IS NOT NULL AND holder <> %s AND until > %s"""
_LEASE_COLUMNS: Final = {"seq": "bigint", "holder": "text", "until": "bigint"}
_LEASE_AGAIN: Final = "ON CONFLICT (memory, seq) DO UPDATE SET holder = excluded.holder, until = excluded.until"
_RELEASE: Final = """
    UPDATE hmem.work SET holder = NULL, until = NULL, attempts = attempts + %s, due = %s, error = %s, given_up = %s
    WHERE memory = %s AND holder = %s AND seq = ANY(%s::bigint[])"""
_HOLDERS: Final = """
    SELECT holder FROM hmem.work WHERE memory = %(memory)s AND holder IS NOT NULL AND until > %(at)s
    UNION SELECT holder FROM hmem.reaction WHERE memory = %(memory)s AND holder IS NOT NULL AND until > %(at)s"""
_KEEP_READING: Final = """
    INSERT INTO hmem.reading (memory, seq, number, first, last, made_by, content) VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (memory, seq) DO UPDATE SET number = excluded.number, first = excluded.first, last = excluded.last,
        made_by = excluded.made_by, content = excluded.content"""
_READINGS: Final = "SELECT seq, first, last, made_by, content, number FROM hmem.reading WHERE memory = %s"
_KEEP_ANSWER: Final = """
    INSERT INTO hmem.answer (memory, digest, kind, made_by, content) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (memory, digest) DO UPDATE SET kind = excluded.kind, made_by = excluded.made_by,
        content = excluded.content"""
_ANSWERS: Final = "SELECT digest, kind, made_by, content FROM hmem.answer WHERE memory = %s"
_OLDEST: Final = """
    DELETE FROM hmem.reaction WHERE memory = %s AND seq NOT IN (
        SELECT seq FROM hmem.reaction WHERE memory = %s ORDER BY seq DESC LIMIT %s)"""
_SPEND: Final = """
    INSERT INTO hmem.spending AS kept (memory, day, purpose, model, calls, input_tokens, output_tokens, cost, failures)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (memory, day, purpose, model) DO UPDATE
    SET calls = kept.calls + excluded.calls, input_tokens = kept.input_tokens + excluded.input_tokens,
        output_tokens = kept.output_tokens + excluded.output_tokens, cost = kept.cost + excluded.cost,
        failures = kept.failures + excluded.failures"""
_COUNTS: Final = """
    SELECT (SELECT count(*) FROM hmem.work WHERE memory = %(memory)s AND given_up),
        (SELECT count(*) FROM hmem.work WHERE memory = %(memory)s AND holder IS NOT NULL AND until > %(at)s),
        (SELECT count(*) FROM hmem.answer WHERE memory = %(memory)s AND content IS NOT NULL),
        (SELECT error FROM hmem.work WHERE memory = %(memory)s AND error IS NOT NULL ORDER BY due DESC, seq LIMIT 1)"""


class PostgresModelQueue(ModelQueue):
    """Implementation of ``ModelQueue`` for a storage with this attribute."""

    _transactions: Transactions

    # Queue of turns.

    def awaiting(self, after: int, stale: int, model: str) -> list[Waiting]:
        rows = self._transactions.read((_AWAITING, (self._transactions.memory, after, stale, model)))[0]
        return [Waiting(*row) for row in rows]

    def lease(self, seqs: Sequence[int], holder: str, moment: int, until: int, last_reading: int) -> bool:
        memory, turn_seqs = self._transactions.memory, sorted(set(seqs))

        def hold(writing: WriteTransaction, sessions: Rows, read: Rows, other_leases: Rows) -> bool:
            busy_sessions = {session for (session,) in other_leases}
            if len(sessions) < len(turn_seqs) or read or busy_sessions & {session for _, session in sessions}:
                return False
            writing.insert("work", _LEASE_COLUMNS, [(seq, holder, until) for seq in turn_seqs], _LEASE_AGAIN)
            return True

        read_later = "SELECT seq FROM hmem.reading WHERE memory = %s AND number > %s AND seq = ANY(%s::bigint[])"
        return self._transactions.write(
            hold,
            (_SESSIONS, {"memory": memory, "seqs": turn_seqs}),
            (read_later, (memory, last_reading, turn_seqs)),
            (_HELD_SESSIONS, (memory, holder, moment)),
        )

    def release(self, seqs: Sequence[int], holder: str, attempt: Attempt) -> None:
        memory = self._transactions.memory
        result = int(attempt.is_counted), attempt.due, attempt.error, attempt.given_up

        def release(writing: WriteTransaction) -> None:
            writing.do(_RELEASE, (*result, memory, holder, list(seqs)))
            add_due(writing, memory, attempt.due)

        self._transactions.write(release)

    def holders(self, moment: int) -> list[str]:
        rows = self._transactions.read((_HOLDERS, {"memory": self._transactions.memory, "at": moment}))[0]
        return sorted(holder for (holder,) in rows)

    def dismiss(self, holders: Sequence[str]) -> None:
        def dismiss(writing: WriteTransaction) -> None:
            for table in ("work", "reaction"):
                writing.do(
                    f"""UPDATE hmem.{table} SET holder = NULL, until = NULL
                        WHERE memory = %s AND holder = ANY(%s::text[])""",
                    (self._transactions.memory, list(holders)),
                )

        self._transactions.write(dismiss)

    def requeue(self, settings: Mapping[str, str | None], model: str) -> None:
        memory = self._transactions.memory

        def requeue(writing: WriteTransaction) -> None:
            writing.do("DELETE FROM hmem.work WHERE memory = %s AND holder IS NULL", (memory,))
            writing.do(
                "DELETE FROM hmem.answer WHERE memory = %s AND (made_by <> %s OR content IS NULL)", (memory, model)
            )
            writing.head.set(settings)
            add_due(writing, memory)

        self._transactions.write(requeue)

    # Readings.

    def keep_readings(self, readings: Sequence[KeptReading], holder: str, context_seqs: Sequence[int]) -> bool:
        memory, seqs = self._transactions.memory, [reading.seq for reading in readings]
        needed_seqs = sorted({*context_seqs, *seqs})

        def keep(writing: WriteTransaction, leases: Rows, turns: Rows) -> bool:
            own_seqs = [seq for seq, lease_holder in leases if lease_holder == holder]
            sound = len(own_seqs) == len(seqs) and len(turns) == len(needed_seqs)
            if sound:
                number = next_numbers(writing, len(readings))
                for offset, reading in enumerate(readings):
                    row = reading.seq, number + offset, reading.first, reading.last, reading.model, reading.content
                    writing.do(_KEEP_READING, (memory, *row))
                writing.do("DELETE FROM hmem.work WHERE memory = %s AND seq = ANY(%s::bigint[])", (memory, own_seqs))
            elif own_seqs:
                writing.do(
                    "UPDATE hmem.work SET holder = NULL, until = NULL WHERE memory = %s AND seq = ANY(%s::bigint[])",
                    (memory, own_seqs),
                )
            return sound

        leases = "SELECT seq, holder FROM hmem.work WHERE memory = %s AND seq = ANY(%s::bigint[])"
        turns = f"SELECT turn.seq {GIVEN_TURNS}"
        return self._transactions.write(
            keep, (leases, (memory, seqs)), (turns, {"memory": memory, "seqs": needed_seqs})
        )

    def readings(
        self, *, since: int = 0, seqs: Sequence[int] | None = None, limit: int | None = None
    ) -> list[KeptReading]:
        turn_seqs = None if seqs is None else list(seqs)
        statement = f"""{_READINGS} AND number > %s AND (%s::bigint[] IS NULL OR seq = ANY(%s::bigint[]))
            ORDER BY number LIMIT %s"""
        rows = self._transactions.read((statement, (self._transactions.memory, since, turn_seqs, turn_seqs, limit)))[0]
        return [KeptReading(*row) for row in rows]

    def renumber(self, seqs: Sequence[int], *, clear: bool = False) -> None:
        memory = self._transactions.memory

        def give(writing: WriteTransaction, rows: Rows) -> None:
            renumber(writing, memory, [seq for (seq,) in rows], clear=clear)
            if clear:
                add_due(writing, memory)

        content = " AND content IS NOT NULL" if clear else ""
        statement = f"SELECT seq FROM hmem.reading WHERE memory = %s AND seq = ANY(%s::bigint[]){content}"
        self._transactions.write(give, (statement, (memory, list(seqs))))

    # Answers.

    def keep_answers(self, answers: Sequence[KeptAnswer], erasures: str | None) -> bool:
        def keep(writing: WriteTransaction) -> bool:
            if writing.head.settings.get(ERASURES) != erasures:
                return False
            for answer in answers:
                writing.do(_KEEP_ANSWER, (self._transactions.memory, *answer))
            return True

        return self._transactions.write(keep)

    def answers(self, digests: Sequence[bytes] | None = None) -> list[KeptAnswer]:
        digest_list = None if digests is None else list(digests)
        statement = f"{_ANSWERS} AND (%s::bytea[] IS NULL OR digest = ANY(%s::bytea[])) ORDER BY digest"
        rows = self._transactions.read((statement, (self._transactions.memory, digest_list, digest_list)))[0]
        return [KeptAnswer(*row) for row in rows]

    # Reactions.

    def add_reaction(self, seq: int, content: bytes, limit: int, erasures: str | None) -> bool:
        memory = self._transactions.memory

        def keep(writing: WriteTransaction, turns: Rows, waiting: Rows) -> bool:
            if writing.head.settings.get(ERASURES) != erasures:
                return False
            new = bool(turns) and not waiting
            if new:
                statement = "INSERT INTO hmem.reaction (memory, seq, content) VALUES (%s, %s, %s)"
                writing.do(statement, (memory, seq, content))
                add_due(writing, memory)
            writing.do(_OLDEST, (memory, memory, limit))
            return new

        return self._transactions.write(
            keep,
            ("SELECT 1 FROM hmem.turn WHERE memory = %s AND seq = %s", (memory, seq)),
            ("SELECT 1 FROM hmem.reaction WHERE memory = %s AND seq = %s", (memory, seq)),
        )

    def pending_reactions(self) -> list[PendingReaction]:
        statement = """SELECT seq, content, attempts, due, holder, coalesce(until, 0) FROM hmem.reaction
            WHERE memory = %s ORDER BY seq"""
        return [PendingReaction(*row) for row in self._transactions.read((statement, (self._transactions.memory,)))[0]]

    def lease_reaction(self, seq: int, holder: str, moment: int, until: int) -> bool:
        memory = self._transactions.memory

        def hold(writing: WriteTransaction, free: Rows) -> bool:
            statement = "UPDATE hmem.reaction SET holder = %s, until = %s WHERE memory = %s AND seq = %s"
            if free:
                writing.do(statement, (holder, until, memory, seq))
            return bool(free)

        free = """SELECT 1 FROM hmem.reaction WHERE memory = %s AND seq = %s
            AND (holder IS NULL OR holder = %s OR until <= %s)"""
        return self._transactions.write(hold, (free, (memory, seq, holder, moment)))

    def release_reaction(self, seq: int, holder: str, attempt: Attempt) -> None:
        memory = self._transactions.memory

        def release(writing: WriteTransaction) -> None:
            if attempt.given_up:
                statement = "DELETE FROM hmem.reaction WHERE memory = %s AND seq = %s AND holder = %s"
                writing.do(statement, (memory, seq, holder))
                return
            writing.do(
                """UPDATE hmem.reaction SET holder = NULL, until = NULL, attempts = attempts + %s, due = %s
                   WHERE memory = %s AND seq = %s AND holder = %s""",
                (int(attempt.is_counted), attempt.due, memory, seq, holder),
            )
            add_due(writing, memory, attempt.due)

        self._transactions.write(release)

    def settle_reaction(self, seq: int, holder: str, entries: Sequence[LogEntry]) -> bool:
        memory = self._transactions.memory

        def finish(writing: WriteTransaction, leases: Rows, duplicates: Rows) -> bool:
            if leases:
                writing.do("DELETE FROM hmem.reaction WHERE memory = %s AND seq = %s", (memory, seq))
                write_entries(writing, memory, entries, duplicates)
            return bool(leases)

        lease = "SELECT 1 FROM hmem.reaction WHERE memory = %s AND seq = %s AND holder = %s"
        return self._transactions.write(finish, (lease, (memory, seq, holder)), known_keys(memory, entries))

    # Spending.

    def spend(self, spending: Sequence[Spending]) -> None:
        def spend(writing: WriteTransaction) -> None:
            for amount in spending:
                writing.do(_SPEND, (self._transactions.memory, *amount))

        self._transactions.write(spend)

    def spending(self, day: str | None = None) -> list[Spending]:
        rows = self._transactions.read(
            (
                """SELECT day, purpose, model, calls, input_tokens, output_tokens, cost, failures FROM hmem.spending
                   WHERE memory = %s AND (%s::text IS NULL OR day = %s::text) ORDER BY day, purpose, model""",
                (self._transactions.memory, day, day),
            )
        )[0]
        return sorted(Spending(*row) for row in rows)

    def model_counts(self, moment: int) -> ModelCounts:
        memory = self._transactions.memory
        read, ((given_up, leased, answers, error),) = self._transactions.read(
            (
                """SELECT made_by, count(*) FROM hmem.reading WHERE memory = %s AND content IS NOT NULL
                   GROUP BY made_by""",
                (memory,),
            ),
            (_COUNTS, {"memory": memory, "at": moment}),
        )
        return ModelCounts(dict(sorted(read)), given_up, leased, answers, error)
