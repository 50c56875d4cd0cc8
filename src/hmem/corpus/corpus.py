"""Storage, indices and embedder, kept in agreement.

A write is one transaction of rows and vectors; the indices follow. Each index knows the last change that it holds,
and before a recall the corpus reads later changes: new turns go at once to the rows (columns and vectors), and to the
lexical index when a recall first needs it. So a turn is searchable when ``append`` returns, in every process that has
the memory open.
"""

import shutil
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Condition, RLock, get_ident
from time import sleep
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.access_log import AccessLog
from hmem.corpus.embedding import EMBEDDER, FINGERPRINT, Progress, fill_vectors, vectors_of
from hmem.corpus.index.columns import Columns
from hmem.corpus.index.lexical import TURN, LexicalIndex, Scores
from hmem.corpus.index.marks import marks_of
from hmem.corpus.index.rows import Origin, Rows, TurnRows, Values
from hmem.corpus.index.runs import COLUMNS, PART, RUN_BITS, Postings, StoredRun, joined, pack, postings_of
from hmem.corpus.index.traces import OWN_TEXT, index_traces
from hmem.corpus.news import NewsFeed
from hmem.corpus.turn_cache import TurnCache
from hmem.errors import (
    EmbedderMismatch,
    EmbedderUnavailable,
    IndexDamaged,
    IndexWriteFailed,
    MemoryClosed,
    StorageError,
    StorageFull,
    StorageUnavailable,
)
from hmem.language.analyzer import VERSION, stems
from hmem.language.embed import Embedder
from hmem.model.ids import new_key
from hmem.model.report import Deletion, Verification
from hmem.model.scope import spelled
from hmem.model.turn import Turn
from hmem.storage.base import GENERATION, AppendResult, Chunk, LogEntry, Member, Speaker, State, Storage
from hmem.storage.capabilities import ErasureStore
from hmem.storage.model_queue import ERASURES, ModelQueue
from hmem.util.amounts import amount
from hmem.util.caches import clear_caches
from hmem.util.files import files_under, make_private, restrict_permissions, size_of, tree
from hmem.util.forks import register_fork_lock
from hmem.util.residue import Residue

# Up to ``ALONE_TURNS`` no index files are written: making the rows on opening takes no longer than reading them. A
# larger memory saves its rows when ``SAVE_TURNS`` have come or gone, or a tenth of all; a quarter of it on closing.
ALONE_TURNS: int = 4_096
SAVE_TURNS: int = 2_048

# Turns whose terms are read in one go, and which wait for a recall that needs them, at most.
_READ_AT_ONCE: Final = 8_192
_WAITING: Final = 256

# Number of its own additions that a corpus remembers; beyond it forgets them all.
_MAX_OWN_ADDITIONS: Final = 1_024

_MOMENT: Final = 0.02
_BLOCKS_AT_ONCE: Final = 256

# Setting that is present while turns were forgotten whose text is still in the files.
PENDING: Final = "forget.pending"
WIPED_LATER: Final = "the turns are forgotten, and the files are wiped later"

Allowed = NDArray[np.bool_]


class CorpusMoved(Exception):
    """Signal that the memory changed while a reader let others go first: what it has read belongs to two moments."""


class Corpus:
    """Storage of one memory and the indices derived from it. Thread-safe; hold ``reading()`` over a recall.

    ``folder`` holds the index files; None for a memory that lives in the process only. Those of a memory that can only
    be read are used as they are, if there are any; what they lack is read from the storage.

    Raises:
        EmbedderMismatch: the memory's vectors come from another embedder.
    """

    def __init__(self, storage: Storage, embedder: Embedder, folder: Path | None) -> None:
        self.storage = storage
        self.embedder = embedder
        self._folder = folder
        if storage.read_only and folder is not None and not (folder / "columns.npz").exists():
            self._folder = None
        self._lock = RLock()
        # Threads that wait for the lock, and how the thread that has it lets them go first.
        self._waiting: set[int] = set()
        self._turn = Condition(self._lock)
        # Whether the present reader lets others go first; None while nobody has the lock by ``reading()``.
        self._patient: bool | None = None
        register_fork_lock(self, outer=True)
        self.access_log = AccessLog(storage, self._lock)
        self._closed = False
        # Called when turns are gone, whatever process forgot them.
        self.on_erased: Callable[[], None] = clear_caches
        # What is new is asked for on entering ``reading()``, and the state again after a write by this object.
        self.news = NewsFeed(storage)
        self._readers = 0
        self.turn_cache = TurnCache(storage)
        # Ids of the turns that were added here lately.
        self._added: dict[str, None] = {}
        self._problems: dict[str, str] = {}
        self._origin = self._agree_on_embedder()
        self._speakers: list[Speaker] = []
        self._numbers: dict[str, list[int]] = {}
        self._open_indices()

    # Opening and closing.

    @property
    def state(self) -> State:
        """State of the storage, as of entering ``reading()`` or of this object's last write."""
        return self.news.state

    def look_again(self) -> None:
        """Drop the known state, as another process may have written meanwhile."""
        self.news.look_again()

    @property
    def model_queue(self) -> ModelQueue:
        """Queue of work for language models.

        Raises:
            StorageError: the storage does not keep it.
        """
        if self.storage.model_queue is None:
            raise StorageError(f"{self.storage.location} keeps no work of language models - use another analyst")
        return self.storage.model_queue

    @property
    def erasure(self) -> ErasureStore:
        """Erasure of turns from the storage.

        Raises:
            StorageError: the storage cannot forget.
        """
        if self.storage.erasure is None:
            raise StorageError(f"{self.storage.location} cannot forget - copy the memory to a storage that can")
        return self.storage.erasure

    def _agree_on_embedder(self) -> Origin:
        settings = self.state.settings
        name, fingerprint = self.embedder.name, self.embedder.fingerprint
        stored_fingerprint = settings.get(FINGERPRINT)
        if stored_fingerprint is None and not self.storage.read_only:
            self.storage.put_settings({EMBEDDER: name, FINGERPRINT: fingerprint, GENERATION: "1"})
        elif stored_fingerprint not in (None, fingerprint):
            raise EmbedderMismatch(
                f"the memory's vectors come from {settings[EMBEDDER]!r} ({stored_fingerprint}), "
                f"not from {name!r} ({fingerprint}) - "
                f"open it with that embedder, or run `hmem reembed --embedder {name}`"
            )
        elif settings.get(EMBEDDER) != name and not self.storage.read_only:
            # The same model under another name, such as a new address.
            self.storage.put_settings({EMBEDDER: name})
        generation = int(settings.get(GENERATION, "1"))
        return Origin(self.storage.memory, fingerprint, generation, self.embedder.dimension)

    def _open_indices(self) -> None:
        """Open the indices; make those anew that are missing, foreign, truncated or of another version."""
        if self._folder is not None and not self._borrowed:
            restrict_permissions([self._folder])
        for remedy in (self._wait, self._discard_folder, self._do_without_folder):
            problem = self._open_folder()
            if problem is None:
                break
            remedy()
            if self._folder is None:
                self._problems["folder"] = self._open_folder() or problem
        self.look_again()
        self._unflushed = 0
        # Texts of turns that came with the news of them, and whose terms nobody has needed yet.
        self._texts: dict[int, str] = {}
        # Runs whose terms nobody has needed yet.
        self._runs: list[StoredRun] = []
        if not len(self.columns):
            self._load_runs()
        self._refresh()
        self._save(max(SAVE_TURNS, self._rows.saved // 10))
        self._keep_private()

    @property
    def _borrowed(self) -> bool:
        """True if there are index files that may only be read."""
        return self._folder is not None and self.storage.read_only

    def _keep_private(self) -> None:
        """Make the index files private: the libraries create them by the umask."""
        if self._folder is not None and not self._borrowed:
            make_private(tree(self._folder))

    def _open_folder(self) -> str | None:
        """Open the indices; return the problem with them, or None."""
        try:
            origin = self._origin
            read_codes = partial(self.storage.vector_codes, origin.generation, origin.dimension)
            self._rows = TurnRows.load(self._folder, origin, read_codes)
        except IndexDamaged as error:
            return str(error)
        if self._rows.watermark > self.state.change:
            return "the indices are ahead of the memory, which was restored from a backup"
        return self._other_history()

    def _load_runs(self) -> None:
        """Begin with the turns of the stored runs, as they were when formation stored them."""
        end = (self.state.progress.watermark + 1) >> RUN_BITS
        for _, number, content in self.storage.chunks(parts=[PART]) if end else ():
            # What was damaged is read from the turns.
            with suppress(ValueError):
                if content is not None and number < end and (run := StoredRun(content)).columns:
                    self._runs.append(run)
        if not self._runs:
            return
        origin, columns = self._origin, [run.columns for run in self._runs]
        values = {name: np.concatenate([column[name] for column in columns]) for name in COLUMNS}
        self._rows.fill(values, partial(self.storage.vector_codes, origin.generation, origin.dimension))
        self._rows.watermark = (end << RUN_BITS) - 1
        counts = np.bincount(self.columns.block)
        blocks = [block for block in self.storage.changed_blocks(0) if block.change <= self._rows.watermark]
        self._update([block.number for block in blocks
                      if block.turns != (counts[block.number] if block.number < len(counts) else 0)])  # fmt: skip

    def _newest(self, change: int) -> str:
        """Return the newest living turn up to a change, as "number id": it identifies this history of the memory."""
        seqs = self.columns.seq[self.columns.alive]
        seqs = seqs[seqs <= change]
        newest = self.storage.turns([int(seqs.max())]) if len(seqs) else []
        return f"{newest[0].seq} {newest[0].turn.id}" if newest else ""

    def _other_history(self) -> str | None:
        """Return a problem if the indices are of a copy of the memory that has since gained other turns."""
        seq, _, turn = self._rows.newest.partition(" ")
        stored_turns = self.storage.turns([int(seq)]) if seq else []
        if stored_turns and stored_turns[0].turn.id != turn:
            return "the indices are of a copy of the memory that went its own way"
        return None

    def _wait(self) -> None:
        """Wait a moment: another process may be replacing the files."""
        sleep(_MOMENT)

    def _discard_folder(self) -> None:
        if self._folder is not None and not self._borrowed:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _do_without_folder(self) -> None:
        """Keep the indices in the process only, as on a full or read-only disk."""
        self._folder = None

    def close(self) -> None:
        """Flush and save if enough has gathered, and close the storage. Closing twice is no error."""
        with self._lock:
            if self._closed:
                return
            try:
                # Of a memory that was deleted no index may come back. If another process has replaced the embedder, its
                # indices take the place of these.
                with suppress(StorageUnavailable):
                    if self.usable():
                        with suppress(EmbedderMismatch):
                            self._flush(SAVE_TURNS // 4, 50)
                        self.access_log.flush()
            finally:
                self._closed = True
                self.storage.close()

    def before_fork(self) -> None:
        """Wait for the call in progress, and have the storage let go of what no process may inherit."""
        with ExitStack() as unless_still:
            self._lock.acquire()
            unless_still.callback(self._lock.release)
            if not self._closed:
                self.storage.suspend()
            unless_still.pop_all()

    def after_fork(self) -> None:
        """Take calls again."""
        # In a child nobody waits.
        self._waiting.clear()
        self._lock.release()

    def usable(self) -> bool:
        """Return False if the storage is closed, or its file was deleted or replaced: then no index may come back.

        Raises:
            StorageUnavailable: that cannot be told now.
        """
        try:
            self.storage.state()
        except StorageUnavailable:
            raise
        except StorageError:
            return False
        return True

    # Catching up.

    @contextmanager
    def reading(self, *, patient: bool = False) -> Generator[None]:
        """Hold the corpus still, caught up with everything that any process had committed before.

        A ``patient`` reader, unless it reads within another one's block, lets others go first at ``give_way``.
        """
        with self._in_turn(patient=patient):
            self._check_open()
            self._catch_up()
            self._readers += 1
            try:
                yield
            finally:
                self._readers -= 1

    @contextmanager
    def locked(self) -> Generator[None]:
        """Hold the corpus still as it is, for work that needs no index."""
        with self._in_turn():
            self._check_open()
            yield

    @contextmanager
    def _in_turn(self, *, patient: bool = False) -> Generator[None]:
        thread = get_ident()
        self._waiting.add(thread)
        try:
            with self._lock:
                self._waiting.discard(thread)
                outer = self._patient
                self._patient = patient if outer is None else outer
                try:
                    yield
                finally:
                    self._patient = outer
                    self._turn.notify_all()
        finally:
            self._waiting.discard(thread)

    def give_way(self) -> None:
        """Let other threads that wait for the corpus go first, if the reader is patient.

        Raises:
            CorpusMoved: one of them, or another process, changed the memory meanwhile.
        """
        if not (self._waiting and self._patient):
            return
        before, readers = _version(self.state), self._readers
        self._readers, self._patient = 0, None
        try:
            # The lock is free while it waits, and whoever waits for it has it before this thread asks again.
            self._turn.wait(_MOMENT)
            self._check_open()
            self._catch_up()
        finally:
            self._readers, self._patient = readers, True
        if _version(self.state) != before:
            raise CorpusMoved

    def _check_open(self) -> None:
        if self._closed:
            raise MemoryClosed("this memory was closed - open it again")

    def _catch_up(self) -> None:
        if not self._readers:
            self.look_again()
        if self.state.change != self._rows.watermark:
            self._refresh()

    def _refresh(self) -> None:
        """Take stored changes into the rows."""
        state, watermark = self.state, self._rows.watermark
        if state.settings.get(GENERATION) != str(self._origin.generation):
            raise EmbedderMismatch("the memory was re-embedded meanwhile - close it and open it again")
        generation, dimension = self._origin.generation, self.embedder.dimension
        alive = self.columns.alive_count
        changes = self.news.changes(watermark, _BLOCKS_AT_ONCE, generation, dimension)
        members, vectors = changes.members, (changes.seqs, changes.vectors)
        with self._rows_or_none():
            first = [block.number for block in changes.blocks[:_BLOCKS_AT_ONCE]]
            fresh = self._rows.update(first, self._recount(members))
            vectors_included = not fresh or fresh[0] > watermark
            self._rows.add(self._with_vectors(fresh, *vectors) if vectors_included else self._stored_vectors(fresh))
            new_turns = len(fresh) + self._update([block.number for block in changes.blocks[_BLOCKS_AT_ONCE:]])
        if self.columns.alive_count != alive + new_turns:
            # Some turns are gone, so drop the cached ones.
            self.turn_cache.clear()
            self.on_erased()
        self.turn_cache.add(changes.turns)
        self._texts |= {row.seq: row.turn.content for row in changes.turns}
        self._speakers = list(changes.speakers)
        self._numbers = {}
        for speaker in self._speakers:
            self._numbers.setdefault(spelled(speaker.name), []).append(speaker.number)
        self._rows.watermark = state.change
        self.news.follow(state.change, generation, dimension, _BLOCKS_AT_ONCE)
        if len(self._texts) > _WAITING:
            self._read_terms()

    def _update(self, blocks: Sequence[int]) -> int:
        """Take the turns of blocks into the rows; return the number of new ones."""
        new_turns = 0
        for start in range(0, len(blocks), _BLOCKS_AT_ONCE):
            batch = blocks[start : start + _BLOCKS_AT_ONCE]
            fresh = self._rows.update(batch, self._recount(self.storage.members(batch)))
            self._rows.add(self._stored_vectors(fresh))
            new_turns += len(fresh)
        return new_turns

    @contextmanager
    def _rows_or_none(self) -> Generator[None]:
        """Drop the rows if a change of theirs ends halfway, as by an interruption; the next call reads them anew."""
        try:
            yield
        except BaseException:
            self._rows, self._runs = TurnRows(self._origin), []
            self.turn_cache.clear()
            self.on_erased()
            raise

    def _recount(self, members: Sequence[Member]) -> Sequence[Member]:
        """Return the members, with the words counted anew where another version of the analysis counted them."""
        stale_blocks = {member.block for member in members if member.analysis != VERSION}
        if not stale_blocks:
            return members
        words = {seq: len(stems(text)) for _, seq, text in self.storage.contents(sorted(stale_blocks))}
        return [member._replace(words=words.get(member.seq, member.words)) for member in members]

    def _stored_vectors(self, seqs: Sequence[int]) -> Values:
        """Return the stored vectors of turns, a row each; zeros for a turn without one."""
        seq_vectors = self.storage.vectors(seqs, self._origin.generation, self.embedder.dimension)
        return self._with_vectors(seqs, *seq_vectors)

    def _with_vectors(self, seqs: Sequence[int], vector_seqs: Rows, vectors: Values) -> Values:
        rows, row_seqs = np.zeros((len(seqs), self.embedder.dimension), np.float32), np.asarray(seqs, np.int64)
        mask = np.isin(vector_seqs, row_seqs)
        rows[np.searchsorted(row_seqs, vector_seqs[mask])] = vectors[mask]
        return rows

    def _read_terms(self) -> LexicalIndex:
        """Return the lexical index, with the terms and the marks of all rows."""
        lexical, columns = self._rows.lexical, self.columns
        if self._runs:
            self._read_stored_terms()
        while (first := len(lexical)) < len(columns):
            rows = np.arange(first, min(first + _READ_AT_ONCE, len(columns)))
            lexical.add(len(rows), self._terms_of(rows))
        self._texts.clear()
        return lexical

    def _terms_of(self, rows: Rows) -> Postings:
        """Return the terms of rows from their texts, and note their marks."""
        columns = self.columns
        texts = self._texts_of(columns.seq[rows].tolist(), columns.block[rows].tolist())
        columns.marks[rows] = [marks_of(text) for text in texts]
        return postings_of(map(stems, texts))

    def _read_stored_terms(self) -> None:
        """Read the terms of all rows, as far as they are stored in runs; the others from their texts."""
        columns, runs, self._runs = self.columns, self._runs, []
        batches, known = list[Postings](), np.zeros(len(columns), np.bool_)

        def add(rows: Rows, postings: Postings) -> None:
            known[rows[rows >= 0]] = True
            batches.append(postings._replace(turns=rows[postings.turns]))

        for run in runs:
            # Damaged terms are read from the texts.
            with suppress(ValueError):
                add(columns.rows_of(run.columns["seq"]), run.postings())
        # Mostly these are the first rows; if others lie between, they are read, too.
        count = int(np.argmin(np.append(known, False)))
        if known[count:].any() or columns.alive_count < len(columns):
            missing, count = np.flatnonzero(~known), len(columns)
            for start in range(0, len(missing), _READ_AT_ONCE):
                rows = missing[start : start + _READ_AT_ONCE]
                add(rows, self._terms_of(rows))
            postings = joined(batches)
            batches = [postings.among(postings.turns >= 0).by_turn()]
        if count:
            self._rows.lexical.add(count, joined(batches))

    def chunks_of_runs(self, after: int, until: int, gone: Iterable[int]) -> list[Chunk]:
        """Return the runs that a step of formation stores.

        These are the runs whose last number lies behind one change and not behind another, and those that had turns
        that are gone.
        """
        columns, end = self.columns, (until + 1) >> RUN_BITS
        numbers = {*range(after >> RUN_BITS, end), *(seq >> RUN_BITS for seq in gone if seq >> RUN_BITS < end)}
        numbers_by_row = np.where(columns.alive, columns.seq >> RUN_BITS, -1) if numbers else columns.seq[:0]
        chunks: list[Chunk] = []
        for number in sorted(numbers):
            rows = np.flatnonzero(numbers_by_row == number)
            rows = rows[np.argsort(columns.seq[rows], kind="stable")]
            postings = self._terms_of(rows)
            content = pack({name: getattr(columns, name)[rows] for name in COLUMNS}, postings) if len(rows) else None
            chunks.append(Chunk(PART, number, content))
        return chunks

    def _texts_of(self, seqs: Sequence[int], blocks: Sequence[int]) -> list[str]:
        """Return the texts of turns in these blocks; an empty one for a turn that is gone."""
        missing = {block for seq, block in zip(seqs, blocks, strict=True) if seq not in self._texts}
        contents = self.storage.contents(sorted(missing)) if missing else ()
        texts = {seq: text for _, seq, text in contents} | self._texts
        return [texts.get(seq, "") for seq in seqs]

    # Writing.

    def append(self, turns: Sequence[Turn], entries: Sequence[LogEntry] = ()) -> list[AppendResult]:
        """Keep turns, and entries of the log with them: durable and searchable on return.

        Raises:
            MemoryBusy, StorageFull, StorageError: nothing was kept.
        """
        words = [len(stems(turn.content)) for turn in turns]
        try:
            vectors = vectors_of(self.embedder, turns)
        except EmbedderUnavailable as error:
            # Keep the turn without its vector; `rebuild` makes the vector later.
            vectors = None
            self._problems["embedder"] = str(error)
        with self._in_turn():
            self._check_open()
            results = self.storage.append(turns, words, vectors, self._origin.generation, entries, analysis=VERSION)
            self._note_added([result.id for result in results if result.fate == "stored" and result.id is not None])
            if self._unflushed >= SAVE_TURNS:
                self._flush(SAVE_TURNS, 10)
        return results

    def _note_added(self, ids: Sequence[str]) -> None:
        self._unflushed += len(ids)
        if len(self._added) >= _MAX_OWN_ADDITIONS:
            self._added.clear()
        self._added |= dict.fromkeys(ids)

    def is_own_addition(self, seq: int) -> bool:
        """Tell if this object added a turn lately, or if it is gone."""
        turn = self.turn_cache.get([seq]).get(seq)
        return turn is None or turn.id in self._added

    def forget(self, seqs: Sequence[int], entries: Sequence[LogEntry], redactions: Sequence[LogEntry]) -> Deletion:
        """Delete turns and log it, in one transaction that also notes that the files are still to be wiped.

        Raises:
            MemoryBusy, StorageFull, StorageError: nothing was deleted.
        """
        with self._in_turn():
            self._check_open()
            return self.erasure.forget(seqs, entries, redactions, {PENDING: new_key().hex()})

    def wipe(self) -> str | None:
        """Rewrite indices and file without forgotten turns; return the reason why that is impossible now, or None.

        It can be repeated, and is repeated on opening if it was not finished.
        """
        with self._in_turn():
            self._check_open()
            self.look_again()
            pending = self.state.settings.get(PENDING)
            try:
                self._wipe_indices()
                complete = self.erasure.purge()
                self.look_again()
                if complete and pending is not None and self.state.settings.get(PENDING) == pending:
                    # Another erasure changes the setting, and its own process wipes the files again.
                    self.storage.put_settings({PENDING: None})
                    self.storage.checkpoint()
            except StorageFull as error:
                return str(error.but_kept(WIPED_LATER))
            except (StorageError, IndexWriteFailed, IndexDamaged) as error:
                return str(error)
        return None if complete else "another process is using the memory's files - run `hmem consolidate` later"

    def _wipe_indices(self) -> None:
        """Drop what is left of forgotten turns in the indices, and in their files."""
        self._catch_up()
        with self._rows_or_none():
            self._rows.compact()
        if self._folder is not None and (self._folder / "columns.npz").exists():
            self._save_rows(self._folder)
            self._keep_private()

    def flush(self) -> None:
        """Bring the indices up to date and save them, if there are enough turns and the disk allows."""
        with self._in_turn():
            self._check_open()
            self.access_log.flush()
            self._catch_up()
            self._save(1)
            self._read_terms()
            self.storage.checkpoint()

    def _flush(self, min_turns: int, share: int) -> None:
        """Catch up and save, if at least so many turns and such a share of all came or went since the last time."""
        unsaved = max(min_turns, self._rows.saved // share)
        if self._unflushed + abs(len(self.columns) - self._rows.saved) >= unsaved:
            self._catch_up()
            self._unflushed = 0
            self._save(unsaved)

    def _save(self, unsaved: int) -> None:
        """Save the rows if at least ``unsaved`` came or went since the last time."""
        rows, saved = len(self._rows.columns), self._rows.saved
        if (
            self._folder is None
            or self._borrowed
            or abs(rows - saved) < unsaved
            or (saved == 0 and rows <= ALONE_TURNS)
        ):
            return
        try:
            self._save_rows(self._folder)
            self._problems.pop("rows", None)
            self._keep_private()
        except IndexWriteFailed as error:
            self._problems["rows"] = str(error)

    def _save_rows(self, folder: Path) -> None:
        while True:
            erasures = self.state.settings.get(ERASURES)
            with self._rows_or_none():
                self._read_terms()
                self._rows.compact()
            self._rows.save(folder, self._newest(self._rows.watermark))
            self.look_again()
            if self.state.settings.get(ERASURES) == erasures:
                return
            # Another process forgot turns meanwhile, and nothing of them may come back into the files.
            self._refresh()

    # Search. Call these inside ``reading()``.

    @property
    def columns(self) -> Columns:
        """Columns of the turns: session, speaker, time and more, by row."""
        return self._rows.columns

    @property
    def watermark(self) -> int:
        """Last change of the storage that the columns hold."""
        return self._rows.watermark

    def speaker_numbers(self, name: str) -> list[int]:
        """Return the numbers of a speaker, one for each spelling of the name; none if nobody of this name spoke."""
        return self._numbers.get(spelled(name), [])

    @property
    def speakers(self) -> list[Speaker]:
        """All speakers who ever spoke and were not wholly forgotten."""
        return self._speakers

    def lexical(self, scale: str, terms: Sequence[str], allowed: Allowed | None = None) -> Scores:
        """Return all documents for stems at a scale: allowed rows, or numbers of blocks with an allowed row."""
        return self._read_terms().search(scale, terms, allowed)

    def rarities(self, terms: Sequence[str]) -> list[float]:
        """Return the idf of each stem among the turns."""
        return self._read_terms().idfs(TURN, terms)

    def turns_with_all(self, alternatives: Sequence[Sequence[str]]) -> Rows:
        """Return the turns that have a stem of each of the alternatives, by sequence number, ascending."""
        return np.sort(self.columns.seq[self._read_terms().rows_with_all(alternatives)])

    def contains_terms(self, terms: Sequence[str], rows: Rows) -> NDArray[np.bool_]:
        """Return a boolean for each stem (rows) and row (columns): its turn has the stem; -1 stands for no turn."""
        return self._read_terms().contains_terms(terms, rows)

    def marks_at(self, rows: Rows) -> NDArray[np.uint8]:
        """Return the marks of turns by row (``index.marks``); 0 for a row of -1."""
        self._read_terms()
        marks = self.columns.marks
        return np.where(rows >= 0, marks[rows], np.uint8(0)) if len(marks) else np.zeros(len(rows), np.uint8)

    def nearest(self, query: Values, limit: int, allowed: Allowed | None = None) -> Rows:
        """Return the living, allowed rows with the vectors nearest to a unit vector; all if the limit allows."""
        return self._rows.nearest(query, limit, allowed)

    def nearest_allowed(self, queries: Values, limit: int, allowed: Allowed) -> list[Rows]:
        """Return ``nearest`` of each unit vector, of which ``allowed`` has a mask over the rows."""
        return self._rows.nearest_allowed(queries, limit, allowed)

    def cosines(self, query: Values, rows: Rows, *, windows: bool = True) -> tuple[Values, Values]:
        """Return each row's cosine with a unit vector, and its window's; see ``TurnRows``."""
        return self._rows.cosines(query, rows, windows=windows)

    def vectors_at(self, rows: Rows) -> Values:
        """Return the vectors of rows, a row each."""
        return self._rows.vectors_of(rows)

    def vectors_of(self, seqs: Sequence[int]) -> Values:
        """Return the vectors of turns by sequence number, a row each; zeros for one that is gone or has none."""
        rows = self.columns.rows_of(seqs)
        vectors = np.zeros((len(rows), self.embedder.dimension), np.float32)
        vectors[rows >= 0] = self._rows.vectors_of(rows[rows >= 0])
        return vectors

    def turns(self, rows: Rows, *, once: bool = False) -> dict[int, Turn]:
        """Return the turns of these rows, by row; one that another process has just deleted may be missing.

        Turns that are needed ``once`` are not cached.
        """
        seqs = self.columns.seq[rows].tolist()
        turns = self.turn_cache.get(seqs, once=once)
        return {int(row): turns[seq] for row, seq in zip(rows, seqs, strict=True) if seq in turns}

    def rows_of_ids(self, ids: Sequence[str]) -> Rows:
        """Return the rows of turns by id; -1 for an unknown id."""
        seqs = self.turn_cache.locate(ids)
        return self.columns.rows_of([seqs.get(turn_id, -1) for turn_id in ids])

    # Verification and repair.

    @property
    def index_problem(self) -> str | None:
        """Reasons why the indices are behind the storage; None if there are none."""
        return "; ".join(self._problems.values()) or None

    @property
    def tail_turns(self) -> int:
        """Number of turns that no index file holds yet."""
        return max(len(self.columns) - self._rows.saved, 0)

    def index_bytes(self) -> int:
        """Return the size of the index files on disk, in bytes."""
        if self._folder is None or not self._folder.exists():
            return 0
        return size_of(files_under(self._folder))

    def verify(self) -> Verification:
        """Check that the storage is sound and that every index agrees with it."""
        with self.reading(), self.storage.snapshot():
            self._read_terms()
            problems = list(self.storage.problems())
            counts = self.storage.counts()
            if counts.vectors != counts.turns:
                problems.append(
                    f"{amount(counts.turns - counts.vectors, 'turn has', 'turns have')} no vector - run `hmem rebuild`"
                )
            if self.storage.state().change == self._rows.watermark:
                problems += index_problems(self.storage, self._rows, self._stored_vectors)
        return Verification(tuple(problems), {"turns": counts.turns, "vectors": counts.vectors})

    def traces(self, words: Sequence[str]) -> list[Residue]:
        """Return the places of words in the memory's files, by ``ErasureStore.residue`` and ``index_traces``."""
        with self._in_turn():
            self._check_open()
            if not self._readers:
                # What this object still has of turns that another process forgot is in no file.
                self._catch_up()
                with self._rows_or_none():
                    self._rows.compact()
        with self.reading(), self.storage.snapshot():
            blocks = [block.number for block in self.storage.changed_blocks(0)]
            batches = [blocks[start : start + _BLOCKS_AT_ONCE] for start in range(0, len(blocks), _BLOCKS_AT_ONCE)]
            texts = (text for batch in batches for _, _, text in self.storage.contents(batch))
            return [*self.erasure.residue(words), *index_traces(self._folder, self._rows.lexical, words, texts)]

    def own_text(self) -> str:
        """Return the words that the memory's files hold besides the turns: settings and names of parts."""
        return self.erasure.vocabulary() + (OWN_TEXT if self._folder is not None else "")

    def rebuild(self, progress: Progress | None = None) -> None:
        """Mend the storage as far as it can be, and make every index anew, and the vectors that turns lack.

        Raises:
            EmbedderUnavailable: missing vectors cannot be made now; the indices are as they were.
        """
        with self._in_turn():
            self._check_open()
            if self.storage.repair():
                self.turn_cache.clear()
            fill_vectors(self.storage, self.embedder, self._origin.generation, progress)
            self._discard_folder()
            self._problems.clear()
            self._open_indices()
            self._save(1)


def _version(state: State) -> tuple[object, ...]:
    """Return what differs between two states that show something else."""
    return state.change, state.progress, state.recorded, state.settings


_ROUNDING_ERROR: Final = 0.01
_TURNS_AT_ONCE: Final = 4_096

VectorReader = Callable[[Sequence[int]], NDArray[np.float32]]


def index_problems(storage: Storage, rows: TurnRows, read_vectors: VectorReader) -> list[str]:
    """Return the differences between the indices and the storage; call it while they hold the same change.

    ``read_vectors`` returns the stored vectors of turns, zeros for a turn without one.
    """
    problems: list[str] = []
    seqs, index_seqs = storage.matching(), np.sort(rows.columns.seq[rows.columns.alive])
    if not np.array_equal(index_seqs, seqs):
        wrong = len(np.setxor1d(index_seqs, seqs)) or abs(len(index_seqs) - len(seqs))
        problems.append(f"the columns and the truth differ in {amount(wrong, 'turn')} - run `hmem rebuild`")
    if wrong := len(rows.lexical.wrong_rows()):
        problems.append(f"the lexical index and the truth differ in {amount(wrong, 'turn')} - run `hmem rebuild`")
    if wrong := _wrong_vectors(rows, seqs, read_vectors):
        problems.append(f"the vector index has {amount(wrong, 'wrong vector')} - run `hmem rebuild`")
    return problems


def _wrong_vectors(turn_rows: TurnRows, seqs: NDArray[np.int64], read_vectors: VectorReader) -> int:
    wrong = 0
    for start in range(0, len(seqs), _TURNS_AT_ONCE):
        chunk = seqs[start : start + _TURNS_AT_ONCE]
        rows = turn_rows.columns.rows_of(chunk)
        truth, row_vectors = read_vectors(chunk[rows >= 0].tolist()), turn_rows.vectors_of(rows[rows >= 0])
        # Both were rounded once and alike, so they should be equal; NaN counts as a difference.
        wrong += int((~(np.linalg.norm(truth - row_vectors, axis=1) <= _ROUNDING_ERROR)).sum())
    return wrong
