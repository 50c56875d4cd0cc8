"""Postgres backend of the storage contract: one memory among many in a database."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import EmbedderMismatch, MemoryDamaged, MemoryNotFound
from hmem.model.ids import new_key, to_id, to_key
from hmem.model.report import Deletion
from hmem.model.span import from_stored, to_stored
from hmem.model.turn import Session as TurnSession
from hmem.model.turn import Turn
from hmem.model.vector import pack, rows_of, unpack
from hmem.storage.base import (
    COPYING,
    GENERATION,
    MAX_TEXT_BLOCKS,
    AppendResult,
    Block,
    ChangeSet,
    Chunk,
    CopyBatch,
    Counts,
    FormationProgress,
    LogEntry,
    Member,
    News,
    OpenOptions,
    Scalar,
    Speaker,
    State,
    Storage,
    StoredTurn,
    Use,
    Vectors,
    Watermarks,
    checked_limit,
)
from hmem.storage.capabilities import ErasureStore
from hmem.storage.location import Location
from hmem.storage.model_queue import ModelQueue
from hmem.util.residue import Residue
from hmem_postgres import erasing, placement
from hmem_postgres.address import Address
from hmem_postgres.checks import find_problems
from hmem_postgres.chunks import check_chunks, chunks_since, keep_chunks
from hmem_postgres.log import entries_after, known_keys, replace_entries, write_entries
from hmem_postgres.matching import expiring, matching, select
from hmem_postgres.model_queue import PostgresModelQueue
from hmem_postgres.packing import content, digest, unpack_members, unpack_turn
from hmem_postgres.residue import find_residue
from hmem_postgres.restoring import restore
from hmem_postgres.schema import DISTRIBUTED, VERSION, check_present, migrations
from hmem_postgres.transactions import (
    BLOCK_MEMBERS,
    BLOCK_TEXTS,
    GIVEN_TURNS,
    THEIR_BLOCKS,
    LostGuess,
    MemoryRow,
    Rows,
    Statement,
    Transactions,
    WriteTransaction,
    add_due,
    write_settings,
)
from hmem_postgres.uses import record, to_uses, uses_after

_OPEN: Final = "SELECT id FROM hmem.memory WHERE memory = %s"
_MAKE: Final = """
    INSERT INTO hmem.memory (memory, folded, id) VALUES (%s, %s, %s) ON CONFLICT (memory) DO NOTHING RETURNING id"""
_DELETE_UNUSED: Final = """
    DELETE FROM hmem.memory WHERE memory = %s AND id = %s AND change = 0 AND recorded = 0 AND settings = %s"""
_STATE: Final = """
    SELECT id, change, step, watermark, cleared, recorded, used, speakers, sessions, blocks, settings,
        (SELECT min(expires) FROM hmem.turn WHERE memory = %(memory)s AND expires IS NOT NULL)
    FROM hmem.memory WHERE memory = %(memory)s"""
_SPEAKER_NAMES: Final = """
    SELECT turn.seq, (SELECT name FROM hmem.speaker AS speaker
        WHERE speaker.memory = %(memory)s AND speaker.number = turn.speaker)"""
_TEXTS: Final = f"""
    SELECT session.name, block.seqs, {BLOCK_TEXTS} FROM hmem.block AS block
    JOIN hmem.session AS session ON session.memory = block.memory AND session.number = block.session
    WHERE block.memory = %(memory)s AND block.number = ANY({{blocks}})"""
_OF_PAGE: Final = """
    FROM hmem.turn AS turn WHERE turn.memory = %(memory)s AND turn.seq > %(after)s{conditions}
    ORDER BY turn.seq LIMIT %(limit)s"""
_OF_SESSION: Final = """ AND turn.seq = ANY(ARRAY(SELECT unnest(block.seqs) FROM hmem.block AS block
    JOIN hmem.session AS session ON session.memory = block.memory AND session.number = block.session
    WHERE block.memory = %(memory)s AND session.digest = %(session)s))"""
_OF_SPEAKER: Final = """ AND turn.speaker = (SELECT number FROM hmem.speaker AS speaker
    WHERE speaker.memory = %(memory)s AND speaker.digest = %(speaker)s)"""
_CHANGED_BLOCKS: Final = """
    SELECT number, changed, turns FROM hmem.block WHERE memory = %s AND changed > %s ORDER BY changed, number"""
_MEMBERS: Final = f"""
    SELECT number, seqs, {BLOCK_MEMBERS} FROM hmem.block AS block
    WHERE memory = %(memory)s AND number = ANY(%(blocks)s::bigint[])"""
_CONTENTS: Final = f"""
    SELECT number, seqs, {BLOCK_TEXTS} FROM hmem.block AS block
    WHERE memory = %(memory)s AND number = ANY(%(blocks)s::bigint[])"""
# The first of the changed blocks, and their vectors.
_FIRST: Final = """
    SELECT {columns} FROM hmem.block AS block WHERE memory = %(memory)s AND changed > %(since)s
    ORDER BY changed, number LIMIT %(limit)s"""
_FIRST_MEMBERS: Final = _FIRST.format(columns=f"number, seqs, {BLOCK_MEMBERS}")
_FIRST_VECTORS: Final = f"""
    SELECT seqs, codes FROM hmem.vector WHERE memory = %(memory)s AND generation = %(generation)s
    AND block = ANY(ARRAY({_FIRST.format(columns="number")}))"""
# The texts of the changed blocks, unless there are many.
_FEW_TEXTS: Final = f"""
    SELECT session.name, block.seqs, {BLOCK_TEXTS} FROM hmem.block AS block
    JOIN hmem.session AS session ON session.memory = block.memory AND session.number = block.session
    WHERE block.memory = %(memory)s AND block.changed > %(since)s AND %(few)s >= (
        SELECT count(*) FROM hmem.block AS other WHERE other.memory = %(memory)s AND other.changed > %(since)s)"""
_SPEAKERS: Final = "SELECT number, name, role FROM hmem.speaker WHERE memory = %(memory)s ORDER BY number"
_VECTORS: Final = f"""
    SELECT block, seqs, codes FROM hmem.vector
    WHERE memory = %(memory)s AND generation = %(generation)s AND block = ANY({THEIR_BLOCKS})"""
_MISSING_VECTORS: Final = """
    SELECT item.seq FROM hmem.block AS block CROSS JOIN LATERAL unnest(block.seqs) AS item(seq)
    WHERE block.memory = %(memory)s AND block.turns > coalesce((SELECT sum(cardinality(vector.seqs))
        FROM hmem.vector AS vector WHERE vector.memory = %(memory)s AND vector.generation = %(generation)s
        AND vector.block = block.number), 0)
    AND NOT EXISTS (SELECT 1 FROM hmem.vector AS vector WHERE vector.memory = %(memory)s
        AND vector.generation = %(generation)s AND vector.block = block.number AND item.seq = ANY(vector.seqs))"""
_TO_FILL: Final = f"""
    FROM ({_MISSING_VECTORS} ORDER BY 1 LIMIT %(limit)s) AS given(seq)
    JOIN hmem.turn AS turn ON turn.memory = %(memory)s AND turn.seq = given.seq"""
_SESSIONS: Final = """
    SELECT session.name, min(said_first), max(said_last), sum(turns)::bigint
    FROM hmem.block AS block JOIN hmem.session AS session ON session.memory = block.memory
        AND session.number = block.session
    WHERE block.memory = %(memory)s AND turns > 0 GROUP BY session.number, session.name
    ORDER BY min(said_first), session.number LIMIT %(limit)s OFFSET %(offset)s"""
_FIRST_TURNS: Final = f"""
    SELECT DISTINCT ON (block.session) session.name, block.seqs[1:1], ({BLOCK_TEXTS})[1:1] FROM hmem.block AS block
    JOIN hmem.session AS session ON session.memory = block.memory AND session.number = block.session
    WHERE block.memory = %(memory)s AND turns > 0 ORDER BY block.session, block.seqs[1]"""
_SESSION_SPEAKERS: Final = """
    SELECT session.name, speaker.name FROM (SELECT DISTINCT block.session, item.speaker FROM hmem.block AS block
        CROSS JOIN LATERAL unnest(block.speakers) AS item(speaker) WHERE block.memory = %(memory)s) AS said
    JOIN hmem.session AS session ON session.memory = %(memory)s AND session.number = said.session
    JOIN hmem.speaker AS speaker ON speaker.memory = %(memory)s AND speaker.number = said.speaker
    ORDER BY said.session, said.speaker"""
_COUNTS: Final = """
    SELECT coalesce(sum(turns), 0)::bigint, count(DISTINCT session), min(said_first), max(said_last),
        (SELECT count(DISTINCT item.speaker) FROM hmem.block AS block
            CROSS JOIN LATERAL unnest(block.speakers) AS item(speaker) WHERE block.memory = %(memory)s),
        (SELECT coalesce(sum(cardinality(seqs)), 0)::bigint FROM hmem.vector WHERE memory = %(memory)s
            AND generation = (SELECT (settings ->> %(name)s)::bigint FROM hmem.memory WHERE memory = %(memory)s))
    FROM hmem.block WHERE memory = %(memory)s AND turns > 0"""
_SIZE: Final = " UNION ALL ".join(
    f"SELECT coalesce(sum(pg_column_size(kept.*)), 0)::bigint FROM hmem.{name} AS kept WHERE memory = %(memory)s"
    for name in DISTRIBUTED
)


class PostgresStorage(Storage, PostgresModelQueue, ErasureStore):
    """One memory in a Postgres database, at ``postgresql://user@host/database?memory=NAME``.

    Every write locks the memory's own row, so writers of one memory wait for each other, ``busy_seconds`` at most, and
    those of others do not. Each call borrows a connection of the process's pool.
    """

    def __init__(self, location: str | Location, options: OpenOptions) -> None:
        self._location = Location.parse(location)
        address = Address.parse(self._location)
        self._transactions = Transactions(address, options.busy_seconds, options.reconnect_seconds)
        # What the last turns were kept with, for the next ones of the same speakers and sessions.
        self._placement_state: placement.PlacementState | None = None
        is_open = False
        try:
            self._open(create=options.create and not options.read_only)
            is_open = True
        finally:
            if not is_open:
                self._transactions.close()
        self.read_only = self._transactions.read_only = options.read_only

    def _open(self, *, create: bool) -> None:
        address, memory = self._transactions.address, (self._transactions.memory,)
        ((version,),) = self._transactions.read((VERSION, ()))[0]
        check_present(address, version)
        rows = self._transactions.read((_OPEN, memory))[0]
        if not rows and create:
            row = (*memory, memory[0].casefold(), to_id("memory", new_key()))
            # A database that cannot read its state gets no memory.
            rows = self._transactions.make((_MAKE, row), (_STATE, {"memory": memory[0]}))
            self.created = bool(rows)
            rows = rows or self._transactions.read((_OPEN, memory))[0]
        if not rows:
            raise MemoryNotFound(
                f"there is no memory at {address.printed} - check its name, or create it by adding a turn"
            )
        self._transactions.id = rows[0][0]

    @property
    def memory(self) -> str:
        return self._transactions.id or ""

    @property
    def location(self) -> Location:
        return self._location

    @property
    def schema(self) -> int:
        return len(migrations())

    @property
    def writes(self) -> int:
        return self._transactions.writes

    @property
    def model_queue(self) -> ModelQueue:
        return self

    @property
    def erasure(self) -> ErasureStore:
        return self

    def discard(self, settings: Mapping[str, str]) -> bool:
        name, is_gone = self._transactions.memory, COPYING in self.state().settings
        if is_gone:
            self._transactions.drop(name, DISTRIBUTED)
        elif self.created:
            # Nobody knows who else has it open; who has written to it keeps it.
            values = (name, self.memory, write_settings(dict(settings)))
            is_gone = self._transactions.run(self._transactions.patience(name), (_DELETE_UNUSED, values))[1] == [(1,)]
        self.close()
        return is_gone

    def state(self) -> State:
        return self._state(self._read((_STATE, {"memory": self._transactions.memory})))

    def _state(self, rows: Rows) -> State:
        head = self._transactions.head_of([row[:-1] for row in rows])
        return State(head.change, head.formed, head.recorded, head.used, rows[0][-1], head.settings)

    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        def save(writing: WriteTransaction) -> None:
            writing.head.set(changes)

        self._transactions.write(save)

    # WriteTransaction.

    def append(
        self, turns: Sequence[Turn], words: Sequence[int], vectors: Vectors | None, generation: int,
        entries: Sequence[LogEntry] = (), *, analysis: int,
    ) -> list[AppendResult]:  # fmt: skip
        memory = self._transactions.memory
        placements: list[placement.TurnPlacement] = []

        def place_turns(writing: WriteTransaction, fresh: list[int], state: placement.PlacementState) -> None:
            placements.append(placement.TurnPlacement(writing, memory, state))
            seqs = placements[-1].add([turns[i] for i in fresh], [words[i] for i in fresh], analysis)
            if vectors is not None:
                placements[-1].add_vectors(vectors[fresh], generation, seqs)
            add_due(writing, memory)

        def guess(writing: WriteTransaction) -> list[AppendResult]:
            guessed_results, fresh = placement.judge(turns, [])
            state = self._placement_state
            if state is not None and state.serves([turns[i] for i in fresh], writing.head, generation):
                place_turns(writing, fresh, state)
                write_entries(writing, memory, entries, [])
            return guessed_results

        may_be_stored = False

        def keep(writing: WriteTransaction, *rows: Rows) -> list[AppendResult]:
            nonlocal may_be_stored
            messages, speakers, blocks, duplicates, stored = rows
            if may_be_stored and stored:
                # An earlier attempt took place, though its connection was lost.
                return placement.judge(turns, [])[0]
            may_be_stored = True
            self._check_generation(writing.head, generation)
            final_results, fresh = placement.judge(turns, messages)
            if fresh:
                state = placement.PlacementState(writing.head.change, speakers, placement.homes_of(turns), blocks)
                place_turns(writing, fresh, state)
            write_entries(writing, memory, entries, duplicates)
            return final_results

        lookups = (
            *placement.lookups(memory, turns),
            known_keys(memory, entries),
            placement.stored_keys(memory, turns),
        )
        try:
            attempt = self._transactions.try_write(guess)
        except LostGuess:
            # Only the database can tell if they were kept.
            attempt, may_be_stored = None, True
        if attempt is None:
            patient = True if may_be_stored else None
            results = self._transactions.write(keep, *lookups, patient=patient, lost="insist")
        else:
            results = attempt[0]
        self._placement_state = placements[-1].next_state() if placements else self._placement_state
        return results

    def _check_generation(self, head: MemoryRow, generation: int) -> None:
        if int(head.settings.get(GENERATION, generation)) != generation:
            raise EmbedderMismatch(f"{self._location} was re-embedded meanwhile - close it and open it again")

    def forget(
        self, seqs: Sequence[int], entries: Sequence[LogEntry] = (), redactions: Sequence[LogEntry] = (),
        settings: Mapping[str, str | None] | None = None,
    ) -> Deletion:  # fmt: skip
        memory = self._transactions.memory

        def erase(writing: WriteTransaction, duplicates: Rows, *rows: Rows) -> Deletion:
            counts = erasing.erase(writing, memory, seqs, rows)
            names = erasing.prune_names(writing, memory) if counts.turns else (0, 0)
            replace_entries(writing, memory, redactions)
            write_entries(writing, memory, entries, duplicates)
            writing.head.set(settings or {})
            if counts.turns:
                add_due(writing, memory)
            return Deletion(counts.turns, counts.vectors, *names)

        return self._transactions.write(erase, known_keys(memory, entries), *erasing.lookups(memory, seqs))

    # Reading.

    def _read(self, statement: Statement) -> Rows:
        return self._transactions.read(statement)[0]

    def locate(self, ids: Sequence[str]) -> dict[str, int]:
        keys = [key for key in (to_key("turn", text) for text in ids) if key is not None]
        statement = "SELECT key, seq FROM hmem.turn WHERE memory = %s AND key = ANY(%s::bytea[])"
        rows = self._read((statement, (self._transactions.memory, keys)))
        return {to_id("turn", key): seq for key, seq in rows}

    def turns(self, seqs: Sequence[int]) -> list[StoredTurn]:
        return self._turns(GIVEN_TURNS, {"seqs": list(set(seqs))})

    def _turns(self, source: str, values: Mapping[str, Any]) -> list[StoredTurn]:
        parameters = {"memory": self._transactions.memory, **values}
        blocks_of = f"ARRAY(SELECT turn.block {source})"
        names, blocks = self._transactions.read(
            (_SPEAKER_NAMES + source, parameters), (_TEXTS.format(blocks=blocks_of), parameters)
        )
        speakers = dict(names)
        turns = [
            unpack_turn(seq, speakers[seq], session, text)
            for session, seqs, texts in blocks
            for seq, text in zip(seqs, texts, strict=True)
            if seq in speakers
        ]
        return sorted(turns, key=lambda turn: turn.seq)

    def page(
        self, after: int, limit: int, *, session: str | None = None, speaker: str | None = None
    ) -> list[StoredTurn]:
        conditions = (_OF_SESSION if session is not None else "") + (_OF_SPEAKER if speaker is not None else "")
        values: dict[str, Any] = {"after": after, "limit": checked_limit("limit", limit)}
        values["session"] = None if session is None else digest(session)
        values["speaker"] = None if speaker is None else digest(speaker)
        return self._turns(_OF_PAGE.format(conditions=conditions), values)

    def matching(
        self, *, session: str | None = None, user: str | None = None, agent: str | None = None,
        metadata: Mapping[str, Sequence[Scalar]] | None = None, echoing: bool = False, with_user: bool = False,
    ) -> NDArray[np.int64]:  # fmt: skip
        fields = metadata or {}
        memory = self._transactions.memory
        rows = self._read(matching(memory, session, user, agent, fields, echoing=echoing, with_user=with_user))
        return np.array(select(rows, fields), np.int64)

    def changed_blocks(self, since: int) -> list[Block]:
        return [Block(*row) for row in self._read((_CHANGED_BLOCKS, (self._transactions.memory, since)))]

    def members(self, blocks: Sequence[int]) -> list[Member]:
        return _members(self._read((_MEMBERS, {"memory": self._transactions.memory, "blocks": list(blocks)})))

    def contents(self, blocks: Sequence[int]) -> list[tuple[int, int, str]]:
        rows = self._read((_CONTENTS, {"memory": self._transactions.memory, "blocks": list(blocks)}))
        return sorted(
            (number, seq, content(text)) for number, seqs, texts in rows for seq, text in zip(seqs, texts, strict=True)
        )

    def changes(self, since: int, limit: int, generation: int, dimension: int, *, texts: bool = False) -> ChangeSet:
        rows = self._transactions.read(*self._of_changes(since, limit, generation, MAX_TEXT_BLOCKS if texts else 0))
        return self._change_set(since, dimension, *rows)

    def _of_changes(self, since: int, limit: int, generation: int, text_limit: int) -> tuple[Statement, ...]:
        values = {"memory": self._transactions.memory, "since": since, "limit": limit, "few": text_limit}
        since_values = (self._transactions.memory, since)
        return (
            (_CHANGED_BLOCKS, since_values),
            (_FIRST_MEMBERS, values),
            (_FIRST_VECTORS, {**values, "generation": generation}),
            (_FEW_TEXTS, values),
            (_SPEAKERS, values),
        )

    def _change_set(
        self, since: int, dimension: int, blocks: Rows, first: Rows, vector_rows: Rows, texts: Rows, speakers: Rows
    ) -> ChangeSet:
        """Return the changes that the statements of ``_of_changes`` found."""
        members = _members(first)
        fresh = {member.seq: member.speaker for member in members if member.seq > since}
        seqs, vectors = self._unpacked(vector_rows, set(fresh), dimension)
        names = {number: name for number, name, _ in speakers}
        turns = (
            unpack_turn(seq, names[fresh[seq]], session, text)
            for session, block_seqs, block_texts in texts
            for seq, text in zip(block_seqs, block_texts, strict=True)
            if seq in fresh
        )
        return ChangeSet(
            [Block(*row) for row in blocks], members, seqs, vectors, [Speaker(*row) for row in speakers],
            sorted(turns, key=lambda turn: turn.seq),
        )  # fmt: skip

    def news(self, watermarks: Watermarks) -> News:
        # Most recalls have no news: to ask for all at once would cost them three times as much as this one row.
        state, memory = self.state(), self._transactions.memory
        if not watermarks.are_passed_by(state):
            return News(state, None, (), (), ())
        statements: list[Statement] = [(_STATE, {"memory": memory})]
        statements += self._of_changes(watermarks.change, watermarks.blocks, watermarks.generation, MAX_TEXT_BLOCKS)
        optional = {
            "chunks": None if watermarks.step is None else chunks_since(memory, watermarks.step),
            "entries": None if watermarks.recorded is None else entries_after(memory, watermarks.recorded, None, None),
            "uses": None if watermarks.used is None else uses_after(memory, watermarks.used, None, None),
        }
        requested = {name: statement for name, statement in optional.items() if statement is not None}
        rows = self._transactions.read(*statements, *requested.values())
        state, extra_rows = self._state(rows[0]), dict(zip(requested, rows[len(statements) :], strict=True))
        has_changes = state.change != watermarks.change
        return News(
            state,
            self._change_set(watermarks.change, watermarks.dimension, *rows[1 : len(statements)])
            if has_changes
            else None,
            [Chunk(*row) for row in extra_rows.get("chunks", ())],
            [LogEntry(*row) for row in extra_rows.get("entries", ())],
            to_uses(extra_rows.get("uses", [])),
        )

    def vectors(self, seqs: Sequence[int], generation: int, dimension: int) -> tuple[NDArray[np.int64], Vectors]:
        values = {"memory": self._transactions.memory, "generation": generation, "seqs": list(seqs)}
        rows = [row[1:] for row in self._read((_VECTORS, values))]
        return self._unpacked(rows, set(seqs), dimension)

    def _unpacked(self, rows: Rows, turn_seqs: set[int], dimension: int) -> tuple[NDArray[np.int64], Vectors]:
        """Return, of rows of numbers and vectors, those with wanted numbers, ascending."""
        try:
            codes_list = [rows_of(codes, len(seqs), dimension) for seqs, codes in rows]
        except ValueError as error:
            raise MemoryDamaged(f"{self._location}: {error} - run `hmem reembed` with the embedder you use") from error
        if not codes_list:
            return np.empty(0, np.int64), np.empty((0, dimension), np.float32)
        all_seqs = np.concatenate([np.array(seqs, np.int64) for seqs, _ in rows])
        order = np.argsort(all_seqs)
        order = order[np.isin(all_seqs[order], np.fromiter(turn_seqs, np.int64, len(turn_seqs)))]
        return all_seqs[order], unpack(np.concatenate(codes_list)[order])

    def without_vector(self, generation: int, limit: int) -> list[StoredTurn]:
        return self._turns(_TO_FILL, {"generation": generation, "limit": checked_limit("limit", limit)})

    def put_vectors(self, seqs: Sequence[int], vectors: Vectors, generation: int) -> None:
        memory, turn_seqs = self._transactions.memory, list(seqs)
        codes = pack(vectors)

        def replace(writing: WriteTransaction, block_rows: Rows, vector_rows: Rows) -> None:
            homes: dict[int, list[int]] = {}
            blocks = dict(block_rows)
            for position, seq in enumerate(turn_seqs):
                if seq in blocks:
                    homes.setdefault(blocks[seq], []).append(position)
            former: dict[int, dict[int, bytes]] = {}
            for block, numbers, rows in vector_rows:
                width = len(rows) // len(numbers)
                former.setdefault(block, {}).update(
                    (number, rows[row * width : (row + 1) * width]) for row, number in enumerate(numbers)
                )
            for block, positions in homes.items():
                all_rows = former.get(block, {}) | {turn_seqs[row]: codes[row].tobytes() for row in positions}
                writing.do(
                    "DELETE FROM hmem.vector WHERE memory = %s AND generation = %s AND block = %s",
                    (memory, generation, block),
                )
                writing.do(
                    placement.ADD_VECTORS, (memory, generation, block, 0, list(all_rows), b"".join(all_rows.values()))
                )

        values = {"memory": memory, "generation": generation, "seqs": turn_seqs}
        self._transactions.write(replace, (f"SELECT turn.seq, turn.block {GIVEN_TURNS}", values), (_VECTORS, values))

    def switch_generation(self, generation: int, settings: Mapping[str, str | None]) -> bool:
        memory = self._transactions.memory

        def switch(writing: WriteTransaction, missing: Rows) -> bool:
            if missing:
                return False
            writing.head.change += 1
            writing.do("DELETE FROM hmem.vector WHERE memory = %s AND generation <> %s", (memory, generation))
            writing.head.set({**settings, GENERATION: str(generation)})
            return True

        return self._transactions.write(
            switch, (f"{_MISSING_VECTORS} LIMIT 1", {"memory": memory, "generation": generation})
        )

    def chunks(
        self, *, since: int = 0, also: Sequence[tuple[str, int]] = (), parts: Sequence[str] | None = None
    ) -> list[Chunk]:
        return [Chunk(*row) for row in self._read(chunks_since(self._transactions.memory, since, also, parts))]

    def form(
        self, chunks: Sequence[Chunk], after: FormationProgress, watermark: int,
        settings: Mapping[str, str | None] | None = None, entries: Sequence[LogEntry] = (),
    ) -> FormationProgress | None:  # fmt: skip
        check_chunks(chunks)
        memory, next_step = self._transactions.memory, FormationProgress(after.step + 1, watermark, after.cleared)

        def form(writing: WriteTransaction, duplicates: Rows) -> FormationProgress | None:
            if writing.head.formed != after:
                return None
            writing.head.formed = next_step
            keep_chunks(writing, chunks, next_step.step)
            write_entries(writing, memory, entries, duplicates)
            writing.head.set(settings or {})
            return next_step

        with suppress(LostGuess):
            # If it took place after all, the step counts as another's, and is read anew.
            attempt = self._transactions.try_write(lambda writing: form(writing, []))
            if attempt is not None:
                return attempt[0]
        return self._transactions.write(form, known_keys(memory, entries), lost="repeat")

    def clear_formed(self, settings: Mapping[str, str | None] | None = None) -> None:
        def clear(writing: WriteTransaction) -> None:
            step = writing.head.formed.step + 1
            writing.do("DELETE FROM hmem.chunk WHERE memory = %s", (self._transactions.memory,))
            writing.head.formed = FormationProgress(step, 0, step)
            writing.head.set(settings or {})

        self._transactions.write(clear)

    def record_uses(self, uses: Sequence[tuple[Sequence[int], datetime | None]]) -> None:
        stored_uses = [(seqs, None if time is None else to_stored(time)[0]) for seqs, time in uses]
        self._transactions.pass_by(*record(self._transactions.memory, stored_uses))

    def uses(self, *, since: int = 0, seqs: Sequence[int] | None = None, latest: int | None = None) -> list[Use]:
        checked_limit("latest", latest)
        return to_uses(self._read(uses_after(self._transactions.memory, since, seqs, latest)))

    def record(self, entries: Sequence[LogEntry]) -> list[int]:
        memory = self._transactions.memory

        def add(writing: WriteTransaction, duplicates: Rows) -> list[int]:
            return write_entries(writing, memory, entries, duplicates)

        return self._transactions.write(add, known_keys(memory, entries))

    def recorded(self, *, since: int = 0, item: str | None = None, limit: int | None = None) -> list[LogEntry]:
        statement = entries_after(self._transactions.memory, since, item, checked_limit("limit", limit))
        return [LogEntry(*row) for row in self._read(statement)]

    def expiring(self, until: int | None = None) -> list[tuple[int, int]]:
        return [(time, seq) for time, seq in self._read(expiring(self._transactions.memory, until))]

    def speakers(self) -> list[Speaker]:
        return [Speaker(*row) for row in self._read((_SPEAKERS, {"memory": self._transactions.memory}))]

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> list[TurnSession]:
        checked_limit("limit", limit)
        checked_limit("offset", offset)
        memory = self._transactions.memory
        values = {"memory": memory, "limit": limit, "offset": offset}
        rows, speaker_rows, openings = self._transactions.read(
            (_SESSIONS, values), (_SESSION_SPEAKERS, values), (_FIRST_TURNS, values)
        )
        speakers: dict[str, list[str]] = {}
        for name, speaker in speaker_rows:
            speakers.setdefault(name, []).append(speaker)
        first = {name: unpack_turn(seqs[0], "", name, texts[0]).turn for name, seqs, texts in openings}
        return [
            TurnSession(
                id=name,
                start=from_stored(start, to_stored(first[name].at)[1]),
                end=from_stored(end, to_stored(first[name].at)[1]),
                turns=count,
                speakers=tuple(speakers[name]),
                opening=first[name].text,
            )
            for name, start, end, count in rows
        ]

    def counts(self) -> Counts:
        values = {"memory": self._transactions.memory, "name": GENERATION}
        ((turns, sessions, first, last, speakers, vectors),), sizes = self._transactions.read(
            (_COUNTS, values), (_SIZE, values)
        )
        return Counts(
            turns=turns,
            sessions=sessions,
            speakers=speakers,
            vectors=vectors,
            first=None if first is None else from_stored(first, 0),
            last=None if last is None else from_stored(last, 0),
            size_bytes=sum(size for (size,) in sizes),
        )

    # Upkeep.

    def problems(self) -> list[str]:
        try:
            return find_problems(self._transactions)
        except MemoryDamaged as error:
            return [str(error)]

    def snapshot(self) -> AbstractContextManager[None]:
        return self._transactions.snapshot()

    def restore(self, batch: CopyBatch) -> None:
        def save(writing: WriteTransaction) -> None:
            restore(writing, self._transactions.memory, batch)

        self._transactions.write(save)
        self._transactions.id = batch.memory or self._transactions.id

    def checkpoint(self) -> None:
        # The database moves its data to its final place by itself.
        return

    def purge(self) -> bool:
        # The rows are gone with the transaction that deleted them. What the database keeps of them until VACUUM is its
        # operator's to remove (docs/postgres.md): a memory's storage may not stop a whole database for that.
        return True

    def residue(self, words: Sequence[str]) -> list[Residue]:
        return find_residue(self._transactions, words)

    def vocabulary(self) -> str:
        settings = self.state().settings
        part_rows = self._read(("SELECT DISTINCT part FROM hmem.chunk WHERE memory = %s", (self._transactions.memory,)))
        names = [*DISTRIBUTED, *(name for (name,) in part_rows)]
        return " ".join([*names, *settings, *settings.values()])

    def close(self) -> None:
        self._transactions.close()


def _members(rows: Rows) -> list[Member]:
    """Return the members of rows of block, numbers and packed members, in the order of block and number."""
    return sorted(
        (member for row in rows for member in unpack_members(*row)), key=lambda member: (member.block, member.seq)
    )
