"""SQLite backend of the storage contract."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import EmbedderMismatch, MemoryDamaged
from hmem.model.ids import to_id, to_key
from hmem.model.key import MemoryKey
from hmem.model.report import Deletion
from hmem.model.span import from_stored, to_stored
from hmem.model.turn import Role, Session, Turn
from hmem.model.vector import unpack
from hmem.storage.base import (
    BLOCK_TURNS,
    COPYING,
    GENERATION,
    AppendResult,
    Block,
    Chunk,
    CopyBatch,
    Counts,
    FormationProgress,
    LogEntry,
    Member,
    OpenOptions,
    Scalar,
    Speaker,
    State,
    Storage,
    StoredTurn,
    Use,
    Vectors,
    checked_limit,
)
from hmem.storage.capabilities import ErasureStore, VectorCodes
from hmem.storage.location import IN_MEMORY, Location
from hmem.storage.model_queue import ModelQueue
from hmem.storage.sqlite.checksums import findings, mend, seal
from hmem.storage.sqlite.connection import (
    SCHEMA,
    FileIdentity,
    connect,
    delete_if_unused,
    passing,
    transaction,
    translated,
)
from hmem.storage.sqlite.copying import erase_remains, write_copy
from hmem.storage.sqlite.erasing import erase, replace_entries, rewrite
from hmem.storage.sqlite.model_queue import SQLiteModelQueue, setting
from hmem.storage.sqlite.residue import find_residue, vocabulary
from hmem.storage.sqlite.rows import (
    INSERT_TURN,
    TURN_COLUMNS,
    TURN_SOURCE,
    clear_chunks,
    read_chunks,
    read_entries,
    read_expiring,
    read_matching,
    read_uses,
    to_row,
    to_turn,
    write_batch,
    write_chunks,
    write_entries,
    write_uses,
)
from hmem.storage.sqlite.vectors import drop_others, fill_runs, read, read_all, with_vector, without_vector, write
from hmem.util.amounts import amount
from hmem.util.files import size_of
from hmem.util.residue import Residue

# Setting with the last step of formation and its watermark.
_PROGRESS: Final = "formation.formed"


_STATE: Final = """
    SELECT 'change', value FROM counter UNION ALL SELECT 'recorded', coalesce(max(number), 0) FROM log
    UNION ALL SELECT 'used', value FROM use_counter
    UNION ALL SELECT 'expires', min(expires) FROM turn WHERE expires IS NOT NULL
    UNION ALL SELECT ':' || name, value FROM setting"""


def load(location: Location, options: OpenOptions) -> Storage:
    """Open the storage in a file or in the process's own memory, for the entry point."""
    return SQLiteStorage(
        location,
        create=options.create,
        busy_seconds=options.busy_seconds,
        read_only=options.read_only,
        key=options.key,
    )


class SQLiteStorage(Storage, SQLiteModelQueue, ErasureStore):
    """One memory in one SQLite file, or in the process's own memory under the location ``:memory:``.

    Write-ahead log, ``synchronous=FULL`` (a turn is on the disk when ``append`` returns), foreign keys,
    ``secure_delete`` (deleted data is overwritten). With a ``key`` the file and its log are encrypted. Any number of
    processes may read while one writes; a second writer waits ``busy_seconds`` for the first.
    """

    def __init__(
        self,
        location: str | Path | Location,
        *,
        create: bool = True,
        busy_seconds: float = 10.0,
        read_only: bool = False,
        key: MemoryKey | None = None,
    ) -> None:
        self._location = Location.parse(location)
        # ``sqlite://`` alone means the process's own memory, too.
        self._path = IN_MEMORY if self._location.path is None else str(self._location.path)
        self._key, self.encrypted = key, key is not None
        opening = connect(self._path, create=create, busy_seconds=busy_seconds, read_only=read_only, key=key)
        self._connection, self.created, self.read_only = opening.connection, opening.created, opening.read_only
        self._file_identity = FileIdentity(self._path)
        if self._location.path is not None and not self.read_only:
            erase_remains(self._location.path)
        self._memory: str = self._value("SELECT value FROM setting WHERE name = 'memory'")

    def discard(self, settings: Mapping[str, str]) -> bool:
        def unused() -> bool:
            state = self.state()
            return COPYING in state.settings or (not state.change and not state.recorded and state.settings == settings)

        return delete_if_unused(self._connection, self._path, unused)

    @property
    def memory(self) -> str:
        return self._memory

    @property
    def location(self) -> Location:
        return self._location

    @property
    def schema(self) -> int:
        return SCHEMA

    @property
    def writes(self) -> int:
        return self._connection.total_changes

    @property
    def model_queue(self) -> ModelQueue:
        return self

    @property
    def erasure(self) -> ErasureStore:
        return self

    @contextmanager
    def _writing(self) -> Generator[None]:
        """Run a write transaction, which counts if the file is there afterwards."""
        with translated(self._path), transaction(self._connection):
            yield
        self._file_identity.check()

    def state(self) -> State:
        self._file_identity.check()
        rows: dict[str, Any] = dict(self._rows(_STATE))
        settings = {name[1:]: value for name, value in rows.items() if name[:1] == ":"}
        progress = _parse_progress(settings.get(_PROGRESS))
        return State(rows["change"], progress, rows["recorded"], rows["used"], rows["expires"], settings)

    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        with self._writing():
            self._set(changes)

    # Writing.

    def append(
        self, turns: Sequence[Turn], words: Sequence[int], vectors: Vectors | None, generation: int,
        entries: Sequence[LogEntry] = (), *, analysis: int,
    ) -> list[AppendResult]:  # fmt: skip
        with self._writing():
            self._check_generation(generation)
            results, fresh = self._classify(turns)
            if fresh:
                first = self._advance(len(fresh)) - len(fresh) + 1
                seqs = range(first, first + len(fresh))
                self._insert([turns[i] for i in fresh], [words[i] for i in fresh], analysis, seqs)
                seal(self._connection, "turn", "seq BETWEEN ? AND ?", [(seqs[0], seqs[-1])])
                if vectors is not None:
                    write(self._connection, seqs, vectors[fresh], generation)
                    fill_runs(self._connection, generation, seqs[0] - 1, seqs[-1])
            write_entries(self._connection, entries)
        return results

    def _check_generation(self, generation: int) -> None:
        present = setting(self._connection, GENERATION)
        if present is not None and int(present) != generation:
            raise EmbedderMismatch(f"{self._path} was re-embedded meanwhile - close it and open it again")

    def _classify(self, turns: Sequence[Turn]) -> tuple[list[AppendResult], list[int]]:
        """Return the fate of each turn, and the indices of new ones."""
        messages = self._kept_messages([turn.message_id for turn in turns if turn.message_id is not None])
        results: list[AppendResult] = []
        fresh: list[int] = []
        for i, turn in enumerate(turns):
            message = messages.get(turn.message_id) if turn.message_id is not None else None
            if message is None:
                fresh.append(i)
                results.append(AppendResult("stored", turn.id))
                if turn.message_id is not None:
                    messages[turn.message_id] = (turn.id, turn.speaker, turn.text)
            elif message[1:] == (turn.speaker, turn.text):
                results.append(AppendResult("duplicate", message[0]))
            else:
                error = f"message id {turn.message_id!r} is kept with another text - turns are never edited"
                results.append(AppendResult("rejected", None, error))
        return results, fresh

    def _kept_messages(self, message_ids: Sequence[str]) -> dict[str, tuple[str, str, str]]:
        rows = self._rows_in(
            "SELECT message_id, key, name, text FROM turn JOIN speaker ON number = speaker WHERE message_id IN ({})",
            message_ids,
        )
        return {message: (to_id("turn", key), speaker, text) for message, key, speaker, text in rows}

    def _insert(self, turns: Sequence[Turn], words: Sequence[int], analysis: int, seqs: Sequence[int]) -> None:
        speakers = self._intern_speakers(turns)
        sessions = self._intern_sessions(turns)
        blocks = self._assign_blocks(sessions, [turn.user for turn in turns], seqs)
        self._connection.executemany(
            INSERT_TURN,
            [
                (*to_row(turn, seq, block, session, speakers[turn.speaker], count), analysis)
                for turn, count, seq, block, session in zip(turns, words, seqs, blocks, sessions, strict=True)
            ],
        )

    def _intern_speakers(self, turns: Sequence[Turn]) -> dict[str, int]:
        roles: dict[str, Role | None] = {}
        for turn in turns:
            roles[turn.speaker] = roles.get(turn.speaker) or turn.role
        self._connection.executemany(
            """INSERT INTO speaker (name, role) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET role = excluded.role
               WHERE speaker.role IS NULL AND excluded.role IS NOT NULL""",
            roles.items(),
        )
        return dict(self._rows_in("SELECT name, number FROM speaker WHERE name IN ({})", list(roles)))

    def _intern_sessions(self, turns: Sequence[Turn]) -> list[int]:
        names = list(dict.fromkeys(turn.session for turn in turns))
        self._connection.executemany("INSERT OR IGNORE INTO session (id) VALUES (?)", [(name,) for name in names])
        numbers = dict(self._rows_in("SELECT id, number FROM session WHERE id IN ({})", names))
        return [numbers[turn.session] for turn in turns]

    def _assign_blocks(self, sessions: Sequence[int], users: Sequence[str | None], seqs: Sequence[int]) -> list[int]:
        """Return the block of each turn: the last of its session and user, or a new one if that is full."""
        last: dict[tuple[int, str | None], list[int]] = {}  # session and user -> [block, filled, added, change]
        blocks: list[int] = []
        for session, user, seq in zip(sessions, users, seqs, strict=True):
            entry = last.get((session, user)) or self._last_block(session, user, seq)
            if entry[1] >= BLOCK_TURNS:
                self._grow(entry)
                entry = self._new_block(session, seq)
            entry[1] += 1
            entry[2] += 1
            entry[3] = seq
            last[session, user] = entry
            blocks.append(entry[0])
        for entry in last.values():
            self._grow(entry)
        return blocks

    def _last_block(self, session: int, user: str | None, seq: int) -> list[int]:
        row = self._connection.execute(
            """SELECT number, filled FROM block WHERE session = ?1
               AND EXISTS (SELECT 1 FROM turn WHERE turn.block = block.number)
               AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.block = block.number AND user IS NOT ?2)
               ORDER BY number DESC LIMIT 1""",
            (session, user),
        ).fetchone()
        return [*row, 0, seq] if row else self._new_block(session, seq)

    def _new_block(self, session: int, seq: int) -> list[int]:
        self._connection.execute("INSERT INTO block VALUES (NULL, ?, 0, 0, ?)", (session, seq))
        return [self._connection.inserted, 0, 0, seq]

    def _grow(self, entry: list[int]) -> None:
        number, _, turns, change = entry
        self._connection.execute(
            "UPDATE block SET filled = filled + ?, turns = turns + ?, changed = ? WHERE number = ?",
            (turns, turns, change, number),
        )

    def forget(
        self, seqs: Sequence[int], entries: Sequence[LogEntry] = (), redactions: Sequence[LogEntry] = (),
        settings: Mapping[str, str | None] | None = None,
    ) -> Deletion:  # fmt: skip
        with self._writing():
            deletion = erase(self._connection, seqs)
            replace_entries(self._connection, redactions)
            write_entries(self._connection, entries)
            self._set(settings or {})
        return deletion

    def _advance(self, count: int) -> int:
        return self._connection.execute("UPDATE counter SET value = value + ? RETURNING value", (count,)).fetchone()[0]

    # Reading.

    def locate(self, ids: Sequence[str]) -> dict[str, int]:
        keys = [key for key in (to_key("turn", text) for text in ids) if key is not None]
        rows = self._rows_in("SELECT key, seq FROM turn WHERE key IN ({})", keys)
        return {to_id("turn", key): seq for key, seq in rows}

    def turns(self, seqs: Sequence[int]) -> list[StoredTurn]:
        rows = self._rows_in(f"SELECT {TURN_COLUMNS} FROM {TURN_SOURCE} WHERE turn.seq IN ({{}})", seqs)
        return sorted((to_turn(row) for row in rows), key=lambda stored_turn: stored_turn.seq)

    def page(
        self, after: int, limit: int, *, session: str | None = None, speaker: str | None = None
    ) -> list[StoredTurn]:
        checked_limit("limit", limit)
        rows = self._rows(
            f"""SELECT {TURN_COLUMNS} FROM {TURN_SOURCE} WHERE turn.seq > ?1
                AND (?2 IS NULL OR session.id = ?2) AND (?3 IS NULL OR speaker.name = ?3)
                ORDER BY turn.seq LIMIT ?4""",
            after, session, speaker, limit,
        )  # fmt: skip
        return [to_turn(row) for row in rows]

    def matching(
        self, *, session: str | None = None, user: str | None = None, agent: str | None = None,
        metadata: Mapping[str, Sequence[Scalar]] | None = None, echoing: bool = False, with_user: bool = False,
    ) -> NDArray[np.int64]:  # fmt: skip
        with translated(self._path):
            seqs = read_matching(
                self._connection, session, user, agent, metadata or {}, echoing=echoing, with_user=with_user
            )
        return np.array(seqs, np.int64)

    def changed_blocks(self, since: int) -> list[Block]:
        query = "SELECT number, changed, turns FROM block WHERE changed > ? ORDER BY changed, number"
        return [Block(*row) for row in self._rows(query, since)]

    def members(self, blocks: Sequence[int]) -> list[Member]:
        rows = self._rows_in(
            "SELECT seq, block, session, speaker, words, said, analysis FROM turn WHERE block IN ({})", blocks
        )
        return sorted((Member(*row) for row in rows), key=lambda member: (member.block, member.seq))

    def contents(self, blocks: Sequence[int]) -> list[tuple[int, int, str]]:
        rows = self._rows_in("SELECT block, seq, text, caption FROM turn WHERE block IN ({})", blocks)
        return sorted((block, seq, f"{text} {caption}" if caption else text) for block, seq, text, caption in rows)

    def vectors(self, seqs: Sequence[int], generation: int, dimension: int) -> tuple[NDArray[np.int64], Vectors]:
        with self._of_dimension():
            vector_seqs, codes = read(self._connection, seqs, generation, dimension)
        return vector_seqs, unpack(codes)

    def vector_codes(self, generation: int, dimension: int) -> VectorCodes:
        with self._of_dimension():
            return read_all(self._connection, generation, dimension)

    @contextmanager
    def _of_dimension(self) -> Generator[None]:
        try:
            with translated(self._path):
                yield
        except ValueError as error:
            raise MemoryDamaged(f"{self._path}: {error} - run `hmem reembed` with the embedder you use") from error

    def without_vector(self, generation: int, limit: int) -> list[StoredTurn]:
        checked_limit("limit", limit)
        with translated(self._path):
            return self.turns(without_vector(self._connection, generation, limit))

    def put_vectors(self, seqs: Sequence[int], vectors: Vectors, generation: int) -> None:
        with self._writing():
            write(self._connection, seqs, vectors, generation)
            if len(seqs):
                fill_runs(self._connection, generation, min(seqs) - 1, max(seqs))

    def switch_generation(self, generation: int, settings: Mapping[str, str | None]) -> bool:
        with self._writing():
            missing = without_vector(self._connection, generation, 1)
            if not missing:
                self._advance(1)
                drop_others(self._connection, generation)
                self._set({**settings, GENERATION: str(generation)})
        return not missing

    def _progress(self) -> FormationProgress:
        return _parse_progress(setting(self._connection, _PROGRESS))

    def chunks(
        self, *, since: int = 0, also: Sequence[tuple[str, int]] = (), parts: Sequence[str] | None = None
    ) -> list[Chunk]:
        with translated(self._path):
            return read_chunks(self._connection, since, also, parts)

    def form(
        self, chunks: Sequence[Chunk], after: FormationProgress, watermark: int,
        settings: Mapping[str, str | None] | None = None, entries: Sequence[LogEntry] = (),
    ) -> FormationProgress | None:  # fmt: skip
        progress = FormationProgress(after.step + 1, watermark, after.cleared)
        with self._writing():
            if self._progress() != after:
                return None
            write_chunks(self._connection, chunks, progress.step)
            write_entries(self._connection, entries)
            self._set({**(settings or {}), _PROGRESS: _format_progress(progress)})
        return progress

    def clear_formed(self, settings: Mapping[str, str | None] | None = None) -> None:
        with self._writing():
            step = self._progress().step + 1
            clear_chunks(self._connection)
            self._set({**(settings or {}), _PROGRESS: _format_progress(FormationProgress(step, 0, step))})

    def record_uses(self, uses: Sequence[tuple[Sequence[int], datetime | None]]) -> None:
        with translated(self._path), passing(self._connection):
            write_uses(
                self._connection, [(seqs, None if moment is None else to_stored(moment)[0]) for seqs, moment in uses]
            )

    def uses(self, *, since: int = 0, seqs: Sequence[int] | None = None, latest: int | None = None) -> list[Use]:
        checked_limit("latest", latest)
        with translated(self._path):
            return read_uses(self._connection, since, seqs, latest)

    def record(self, entries: Sequence[LogEntry]) -> list[int]:
        with self._writing():
            return write_entries(self._connection, entries)

    def recorded(self, *, since: int = 0, item: str | None = None, limit: int | None = None) -> list[LogEntry]:
        checked_limit("limit", limit)
        with translated(self._path):
            return read_entries(self._connection, since, item, limit)

    def expiring(self, until: int | None = None) -> list[tuple[int, int]]:
        with translated(self._path):
            return read_expiring(self._connection, until)

    def speakers(self) -> list[Speaker]:
        query = "SELECT number, name, role FROM speaker WHERE typeof(name) = 'text' ORDER BY number"
        return [Speaker(*row) for row in self._rows(query)]

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> list[Session]:
        checked_limit("limit", limit)
        checked_limit("offset", offset)
        rows = self._rows(
            """SELECT session.id, min(said), max(said), count(*), group_concat(DISTINCT turn.speaker), min(seq)
               FROM turn JOIN session ON session.number = turn.session
               GROUP BY turn.session ORDER BY min(said), session.number LIMIT ? OFFSET ?""",
            -1 if limit is None else limit, offset,
        )  # fmt: skip
        names = {speaker.number: speaker.name for speaker in self.speakers()}
        openings = {stored_turn.seq: stored_turn.turn for stored_turn in self.turns([row[5] for row in rows])}
        return [
            Session(
                id=name,
                start=_time_like(first, openings[seq]),
                end=_time_like(last, openings[seq]),
                turns=count,
                speakers=tuple(names[number] for number in sorted(int(n) for n in numbers.split(","))),
                opening=openings[seq].text,
            )
            for name, first, last, count, numbers, seq in rows
        ]

    def counts(self) -> Counts:
        ((turns, sessions, speakers, first, last),) = self._rows(
            "SELECT count(*), count(DISTINCT session), count(DISTINCT speaker), min(said), max(said) FROM turn"
        )
        with translated(self._path):
            vectors = len(with_vector(self._connection, int(setting(self._connection, GENERATION) or 0)))
        return Counts(
            turns=turns,
            sessions=sessions,
            speakers=speakers,
            vectors=vectors,
            first=None if first is None else from_stored(first, 0),
            last=None if last is None else from_stored(last, 0),
            size_bytes=self._size(),
        )

    def _size(self) -> int:
        if self._location.path is None:
            return self._value("PRAGMA page_count") * self._value("PRAGMA page_size")
        return size_of(Path(self._path + end) for end in ("", "-wal"))

    def problems(self) -> list[str]:
        try:
            return self._problems()
        except MemoryDamaged as error:
            return [str(error)]

    def _problems(self) -> list[str]:
        broken = self._rows("PRAGMA foreign_key_check")
        miscounted = self._rows(
            """SELECT number, turns, (SELECT count(*) FROM turn WHERE turn.block = block.number) AS kept
               FROM block WHERE turns <> kept"""
        )
        with translated(self._path):
            return [
                *(problem for (problem,) in self._rows("PRAGMA integrity_check") if problem != "ok"),
                *(f"row {row[1]} of {row[0]} refers to a missing row of {row[2]}" for row in broken),
                *(
                    f"block {number} counts {amount(turns, 'turn')} and holds {kept}"
                    for number, turns, kept in miscounted
                ),
                *findings(self._connection),
            ]

    def repair(self) -> int:
        with self._writing():
            return mend(self._connection)

    @contextmanager
    def snapshot(self) -> Generator[None]:
        with translated(self._path):
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with translated(self._path):
                self._connection.execute("ROLLBACK")

    def backup(self, target: Path, key: MemoryKey | None = None) -> None:
        with translated(str(target)):
            write_copy(self._connection, target, self._key if key is None else key)

    def restore(self, batch: CopyBatch) -> None:
        with self._writing():
            write_batch(self._connection, batch)
            if batch.progress is not None:
                self._set({_PROGRESS: _format_progress(batch.progress)})
            self._set(batch.settings)
        self._memory = batch.memory or self._memory

    def checkpoint(self) -> None:
        with translated(self._path):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def purge(self) -> bool:
        with translated(self._path):
            return rewrite(self._connection)

    def residue(self, words: Sequence[str]) -> list[Residue]:
        with translated(self._path):
            # Encrypted bytes tell nothing, and chance would find short words in them.
            return find_residue(self._connection, None if self.encrypted else self._location.path, words)

    def vocabulary(self) -> str:
        with translated(self._path):
            return vocabulary(self._connection)

    def suspend(self) -> None:
        # SQLite keeps its locks by process in memory that a fork copies: a child would hold what it never took.
        if self._path != IN_MEMORY:
            with translated(self._path):
                self._connection.suspend()

    def close(self) -> None:
        with translated(self._path):
            self._connection.close()


def _parse_progress(text: str | None) -> FormationProgress:
    return FormationProgress(*map(int, text.split())) if text else FormationProgress(0, 0, 0)


def _format_progress(progress: FormationProgress) -> str:
    return " ".join(map(str, progress))


def _time_like(microseconds: int, like: Turn) -> Any:
    return from_stored(microseconds, to_stored(like.at)[1])
