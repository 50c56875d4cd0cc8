"""Storage, indices and embedder, kept in agreement.

A write is one transaction of rows and vectors; the indices follow. Each index knows the last change that it holds,
and before a recall the corpus reads later changes: new turns go at once to the rows (columns and vectors), and to the
**tail**, which stands in for the lexical indices until a batch is flushed. So a turn is searchable when ``append``
returns, in every process that has the memory open.
"""

import shutil
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import RLock
from time import sleep
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.access_log import AccessLog
from hmem.corpus.embedding import EMBEDDER, FINGERPRINT, Progress, fill_vectors, vectors_of
from hmem.corpus.index.marks import marks_of
from hmem.corpus.index.rows import Columns, Origin, Rows, TurnRows, Values
from hmem.corpus.index.scales import OWN_TEXT, LexicalScales, Scores, index_traces
from hmem.corpus.index.tail import BLOCK, TURN
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
from hmem.storage.base import GENERATION, AppendResult, Block, LogEntry, Member, Speaker, State, Storage
from hmem.storage.capabilities import ErasureStore
from hmem.storage.model_queue import ModelQueue
from hmem.util.caches import clear_caches
from hmem.util.files import files_under, make_private, restrict_permissions, size_of, tree
from hmem.util.forks import register_fork_lock
from hmem.util.residue import Residue

# Up to ``ALONE_TURNS`` no index files are written: making the tail and the rows on opening takes no longer than reading
# them. A larger memory flushes its tail at ``FLUSH_TURNS`` new turns, and saves its rows at ``SAVE_TURNS`` unsaved
# ones, or a tenth of all.
ALONE_TURNS: int = 4_096
FLUSH_TURNS: Final = 1_024
SAVE_TURNS: Final = 4_096

# Number of its own additions that a corpus remembers; beyond it forgets them all.
_MAX_OWN_ADDITIONS: Final = 1_024

_MOMENT: Final = 0.02
_BLOCKS_AT_ONCE: Final = 256

# Setting that is present while turns were forgotten whose text is still in the files.
PENDING: Final = "forget.pending"
WIPED_LATER: Final = "the turns are forgotten, and the files are wiped later"

Allowed = NDArray[np.bool_]
_Result = TypeVar("_Result")


class Corpus:
    """Storage of one memory and the indices derived from it. Thread-safe; hold ``reading()`` over a recall.

    ``folder`` holds the index files; None for a memory that lives in the process only. Those of a memory that can only
    be read are used as they are, if there are any; what they lack is in the tail.

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
        self._stale: set[int] = set()
        self._behind: dict[int, Block] = {}
        # Texts of stale blocks that came with the news of their change.
        self._texts: dict[int, list[tuple[int, int, str]]] = {}
        self._refresh_tail()
        self._refresh()
        self._save(max(SAVE_TURNS, self._rows.saved // 10))
        self._keep_private()

    @property
    def _borrowed(self) -> bool:
        """True if there are index files that may only be read."""
        return self._folder is not None and self.storage.read_only

    def _open_lexical(self) -> LexicalScales:
        return LexicalScales(self._folder, self.storage.memory, read_only=self._borrowed)

    def _keep_private(self) -> None:
        """Make the index files private: the libraries create them by the umask."""
        if self._folder is not None and not self._borrowed:
            make_private(tree(self._folder))

    def _open_folder(self) -> str | None:
        """Open the indices; return the problem with them, or None."""
        try:
            self._lexical = self._open_lexical()
            origin = self._origin
            read_codes = partial(self.storage.vector_codes, origin.generation, origin.dimension)
            self._rows = TurnRows.load(self._folder, origin, read_codes)
        except IndexDamaged as error:
            return str(error)
        if max(self._lexical.watermark, self._rows.watermark) > self.state.change:
            return "the indices are ahead of the memory, which was restored from a backup"
        return self._other_history()

    def _newest(self, change: int) -> str:
        """Return the newest living turn up to a change, as "number id": it identifies this history of the memory."""
        seqs = self.columns.seq[self.columns.alive]
        seqs = seqs[seqs <= change]
        newest = self.storage.turns([int(seqs.max())]) if len(seqs) else []
        return f"{newest[0].seq} {newest[0].turn.id}" if newest else ""

    def _other_history(self) -> str | None:
        """Return a problem if the indices are of a copy of the memory that has since gained other turns."""
        for newest in self._lexical.newest | ({self._rows.newest} - {""}):
            seq, _, turn = newest.partition(" ")
            stored_turns = self.storage.turns([int(seq)])
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
                            if self._unflushed >= FLUSH_TURNS // 4:
                                self._flush()
                            self._save(max(SAVE_TURNS // 4, self._rows.saved // 50))
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
    def reading(self) -> Generator[None]:
        """Hold the corpus still, caught up with everything that any process had committed before."""
        with self._lock:
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
        with self._lock:
            self._check_open()
            yield

    def _check_open(self) -> None:
        if self._closed:
            raise MemoryClosed("this memory was closed - open it again")

    def _catch_up(self) -> None:
        if not self._readers:
            self.look_again()
        try:
            if self._lexical.refresh():
                self._refresh_tail()
        except IndexDamaged:
            # The folder was deleted, or another process is making it anew.
            self._mend_lexical(discard=False)
        if self.state.change != self._rows.watermark:
            self._refresh()

    def _mend_lexical(self, *, discard: bool) -> None:
        """Open the lexical indices again, or make them anew; the rows are sound.

        Raises:
            MemoryNotFound: the memory itself was deleted, so none may come back.
        """
        self.storage.state()
        if self._folder is not None and discard and not self._borrowed:
            for name in ("turns", "blocks"):
                shutil.rmtree(self._folder / name, ignore_errors=True)
        try:
            self._lexical = self._open_lexical()
        except IndexDamaged as error:
            if not discard:
                self._mend_lexical(discard=True)
                return
            self._problems["folder"] = str(error)
            self._lexical = LexicalScales(None, self.storage.memory)
        self._rows.saved = 0
        self._refresh_tail()
        if self.tail_turns >= FLUSH_TURNS:
            self._flush_lexical()

    def _refresh_tail(self) -> None:
        """Find the blocks that changed after the lexical indices' watermark; drop all others from the tail."""
        self._behind = {block.number: block for block in self.storage.changed_blocks(self._lexical.watermark)}
        tail = self._lexical.tail
        tail.drop([block for block in tail.block_numbers if block not in self._behind])
        self._stale = (self._stale & self._behind.keys()) | (self._behind.keys() - set(tail.block_numbers))

    def _refresh(self) -> None:
        """Take stored changes into the rows and note them for the tail; flush if there are many."""
        state, watermark = self.state, self._rows.watermark
        if state.settings.get(GENERATION) != str(self._origin.generation):
            raise EmbedderMismatch("the memory was re-embedded meanwhile - close it and open it again")
        generation, dimension = self._origin.generation, self.embedder.dimension
        alive = self.columns.alive_count
        changes = self.news.changes(watermark, _BLOCKS_AT_ONCE, generation, dimension)
        members, vectors = changes.members, (changes.seqs, changes.vectors)
        new_turns = 0
        with self._rows_or_none():
            for start in range(0, len(changes.blocks), _BLOCKS_AT_ONCE):
                blocks = [block.number for block in changes.blocks[start : start + _BLOCKS_AT_ONCE]]
                fresh = self._rows.update(blocks, self._recount(self.storage.members(blocks) if start else members))
                vectors_included = not start and (not fresh or fresh[0] > watermark)
                self._rows.add(self._with_vectors(fresh, *vectors) if vectors_included else self._stored_vectors(fresh))
                new_turns += len(fresh)
            self._rows.measure()
        if self.columns.alive_count != alive + new_turns:
            # Some turns are gone, so drop the cached ones.
            self.turn_cache.clear()
            self.on_erased()
        self.turn_cache.add(changes.turns)
        for block in changes.blocks:
            self._texts.pop(block.number, None)
            if block.change > self._lexical.watermark:
                self._behind[block.number] = block
                self._stale.add(block.number)
        for content in changes.contents:
            if content[0] in self._stale:
                self._texts.setdefault(content[0], []).append(content)
        self._speakers = list(changes.speakers)
        self._numbers = {}
        for speaker in self._speakers:
            self._numbers.setdefault(spelled(speaker.name), []).append(speaker.number)
        self._rows.watermark = state.change
        self.news.follow(state.change, generation, dimension, _BLOCKS_AT_ONCE)
        if sum(block.turns for block in self._behind.values()) >= 2 * FLUSH_TURNS:
            self._flush_lexical()

    @contextmanager
    def _rows_or_none(self) -> Generator[None]:
        """Drop the rows if a change of theirs ends halfway, as by an interruption; the next call reads them anew."""
        try:
            yield
        except BaseException:
            self._rows = TurnRows(self._origin)
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

    def _flush_lexical(self) -> None:
        """Bring the lexical indices up to date, some blocks at a time, in the order of their changes.

        On a full disk or with a busy index the tail stays, and ``stats`` shows the problem.
        """
        if (self._lexical.watermark == 0 or self._borrowed) and self.tail_turns <= ALONE_TURNS:
            return
        if self._borrowed:
            self._do_without_folder()
            self._lexical = self._open_lexical()
            self._refresh_tail()
        pending = sorted(self._behind.values(), key=lambda block: (block.change, block.number))
        try:
            while pending:
                # Blocks of one change go together, or the watermark would claim what is missing.
                last = pending[min(_BLOCKS_AT_ONCE, len(pending)) - 1].change
                numbers = [block.number for block in pending if block.change <= last]
                if not self._lexical.flush(numbers, self.storage.contents(numbers), last, self._newest(last)):
                    break
                pending = pending[len(numbers) :]
            else:
                self._problems.pop("lexical", None)
        except (IndexWriteFailed, IndexDamaged) as error:
            self._problems["lexical"] = str(error)
        self._keep_private()
        self._refresh_tail()

    def _stored_vectors(self, seqs: Sequence[int]) -> Values:
        """Return the stored vectors of turns, a row each; zeros for a turn without one."""
        seq_vectors = self.storage.vectors(seqs, self._origin.generation, self.embedder.dimension)
        return self._with_vectors(seqs, *seq_vectors)

    def _with_vectors(self, seqs: Sequence[int], vector_seqs: Rows, vectors: Values) -> Values:
        rows, row_seqs = np.zeros((len(seqs), self.embedder.dimension), np.float32), np.asarray(seqs, np.int64)
        mask = np.isin(vector_seqs, row_seqs)
        rows[np.searchsorted(row_seqs, vector_seqs[mask])] = vectors[mask]
        return rows

    def _fill_tail(self) -> None:
        """Analyse the blocks that the lexical indices lack; called only when a recall needs them."""
        if self._stale:
            blocks = sorted(self._stale)
            missing = [block for block in blocks if block not in self._texts]
            contents = [content for block in blocks for content in self._texts.get(block, ())]
            contents += self.storage.contents(missing) if missing else ()
            self._lexical.put_in_tail(blocks, sorted(contents))
            self._mark((seq, text) for _, seq, text in contents)
            self._stale.clear()
            self._texts.clear()

    def _mark(self, texts: Iterable[tuple[int, str]]) -> None:
        """Note the marks of turns, given by sequence number and text."""
        marks = {seq: marks_of(text) for seq, text in texts}
        rows = self.columns.rows_of(list(marks))
        self.columns.marks[rows[rows >= 0]] = np.array(list(marks.values()), np.uint8)[rows >= 0]

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
        with self._lock:
            self._check_open()
            results = self.storage.append(turns, words, vectors, self._origin.generation, entries, analysis=VERSION)
            self._note_added([result.id for result in results if result.fate == "stored" and result.id is not None])
            if self._unflushed >= FLUSH_TURNS:
                self._flush()
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
        with self._lock:
            self._check_open()
            return self.erasure.forget(seqs, entries, redactions, {PENDING: new_key().hex()})

    def wipe(self) -> str | None:
        """Rewrite indices and file without forgotten turns; return the reason why that is impossible now, or None.

        It can be repeated, and is repeated on opening if it was not finished.
        """
        with self._lock:
            self._check_open()
            self.look_again()
            pending = self.state.settings.get(PENDING)
            try:
                complete = self._wipe_indices() and self.erasure.purge()
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

    def _wipe_indices(self) -> bool:
        """Make the indices anew, if they hold terms; return False if another process keeps the files busy."""
        self._catch_up()
        if self._folder is None:
            if self._lexical.watermark:
                self._lexical = LexicalScales(None, self.storage.memory)
                self._refresh_tail()
                self._flush_lexical()
            return True
        # The index files of a small memory have never held a term.
        if any(file.suffix == ".term" for file in files_under(self._folder)):
            change = self._rows.watermark
            blocks = [block.number for block in self.storage.changed_blocks(0)]
            batches = [blocks[start : start + _BLOCKS_AT_ONCE] for start in range(0, len(blocks), _BLOCKS_AT_ONCE)]
            if not self._lexical.renew(lambda: map(self.storage.contents, batches), change, self._newest(change)):
                return False
            self._refresh_tail()
        if (self._folder / "columns.npz").exists():
            self._save_rows(self._folder)
        self._keep_private()
        return True

    def flush(self) -> None:
        """Bring the indices up to date and save them, if there are enough turns and the disk allows."""
        with self._lock:
            self._check_open()
            self.access_log.flush()
            self._flush()
            self._save(1)
            self._fill_tail()
            self.storage.checkpoint()

    def _flush(self) -> None:
        self._catch_up()
        self._flush_lexical()
        self._unflushed = 0
        self._save(max(SAVE_TURNS, self._rows.saved // 10))

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
        with self._rows_or_none():
            self._rows.compact()
        self._rows.save(folder, self._newest(self._rows.watermark))

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

    def lexical(self, scale: str, terms: Sequence[str], limit: int, allowed: Allowed | None = None) -> Scores:
        """Return the best documents for stems at a scale: allowed rows, or numbers of blocks with an allowed row."""
        keys = None if allowed is None else self.columns.keys_of(allowed, "block" if scale == BLOCK else "seq")
        mean_words = self.columns.alive_words / max(self.columns.alive_count, 1)
        scores = self._lexically(lambda: self._lexical.search(scale, terms, limit, mean_words, keys))
        if scale == BLOCK:
            return scores
        return scores.with_keys(self.columns.rows_of(scores.keys))

    def rarities(self, terms: Sequence[str]) -> list[float]:
        """Return the idf of each stem among the turns."""
        return self._lexically(lambda: self._lexical.idfs(TURN, terms))

    def _lexically(self, ask: Callable[[], _Result]) -> _Result:
        """Return the result of a lexical search; make damaged indices anew and search again."""
        try:
            self._fill_tail()
            return ask()
        except IndexDamaged:
            self._mend_lexical(discard=True)
            self._fill_tail()
            return ask()

    def turns_with_all(self, alternatives: Sequence[Sequence[str]]) -> Rows:
        """Return the turns that have a stem of each of the alternatives, by sequence number, ascending."""
        return self._lexically(lambda: self._lexical.turns_with_all(alternatives))

    def contains_terms(self, terms: Sequence[str], rows: Rows) -> NDArray[np.bool_]:
        """Return a boolean for each stem (rows) and row (columns): its turn has the stem; -1 stands for no turn."""
        seqs = self.columns.seq[np.maximum(rows, 0)] if len(self.columns) else np.zeros(len(rows), np.int64)
        return self._lexically(lambda: self._lexical.contains_terms(terms, seqs)) & (rows >= 0)

    def marks_at(self, rows: Rows) -> NDArray[np.uint8]:
        """Return the marks of turns by row (``index.marks``); 0 for a row of -1. A text without known marks is read."""
        self._fill_tail()
        columns = self.columns
        if not len(columns):
            return np.zeros(len(rows), np.uint8)
        unmarked = np.unique(rows[(rows >= 0) & (columns.marks[rows] == 0)])
        if len(unmarked):
            self._mark((seq, turn.content) for seq, turn in self.turn_cache.get(columns.seq[unmarked].tolist()).items())
        return np.where(rows >= 0, columns.marks[rows], np.uint8(0))

    def nearest(self, query: Values, limit: int, allowed: Allowed | None = None) -> Rows:
        """Return the living, allowed rows with the vectors nearest to a unit vector; all if the limit allows."""
        return self._rows.nearest(query, limit, allowed)

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
        """Number of turns that the lexical indices still lack."""
        return sum(block.turns for block in self._behind.values())

    def index_bytes(self) -> int:
        """Return the size of the index files on disk, in bytes."""
        if self._folder is None or not self._folder.exists():
            return 0
        return size_of(files_under(self._folder))

    def verify(self) -> Verification:
        """Check that the storage is sound and that every index agrees with it."""
        with self.reading(), self.storage.snapshot():
            self._fill_tail()
            problems = list(self.storage.problems())
            counts = self.storage.counts()
            if counts.vectors != counts.turns:
                problems.append(f"{counts.turns - counts.vectors} turns have no vector - run `hmem rebuild`")
            if self.storage.state().change == self._rows.watermark:
                problems += index_problems(self.storage, self._rows, self._lexical, self._stored_vectors)
        return Verification(tuple(problems), {"turns": counts.turns, "vectors": counts.vectors})

    def traces(self, words: Sequence[str]) -> list[Residue]:
        """Return the places of words in the memory's files, by ``ErasureStore.residue`` and ``index_traces``."""
        with self.reading(), self.storage.snapshot():
            blocks = [block.number for block in self.storage.changed_blocks(0)]
            batches = [blocks[start : start + _BLOCKS_AT_ONCE] for start in range(0, len(blocks), _BLOCKS_AT_ONCE)]
            texts = (text for batch in batches for _, _, text in self.storage.contents(batch))
            return [*self.erasure.residue(words), *index_traces(self._folder, self._lexical, words, texts)]

    def own_text(self) -> str:
        """Return the words that the memory's files hold besides the turns: settings and names of parts."""
        return self.erasure.vocabulary() + (OWN_TEXT if self._folder is not None else "")

    def rebuild(self, progress: Progress | None = None) -> None:
        """Mend the storage as far as it can be, and make every index anew, and the vectors that turns lack.

        Raises:
            EmbedderUnavailable: missing vectors cannot be made now; the indices are as they were.
        """
        with self._lock:
            self._check_open()
            if self.storage.repair():
                self.turn_cache.clear()
            fill_vectors(self.storage, self.embedder, self._origin.generation, progress)
            self._discard_folder()
            self._problems.clear()
            self._open_indices()
            self._flush_lexical()
            self._save(1)


_ROUNDING_ERROR: Final = 0.01
# The rough form of a vector has a cosine of .9 and more with it.
_MIN_ROUGH_COSINE: Final = 0.5
_TURNS_AT_ONCE: Final = 4_096

VectorReader = Callable[[Sequence[int]], NDArray[np.float32]]


def index_problems(storage: Storage, rows: TurnRows, lexical: LexicalScales, read_vectors: VectorReader) -> list[str]:
    """Return the differences between the indices and the storage; call it while they hold the same change.

    ``read_vectors`` returns the stored vectors of turns, zeros for a turn without one.
    """
    problems: list[str] = []
    seqs = storage.matching()
    try:
        indices = {"columns": np.sort(rows.columns.seq[rows.columns.alive]), "lexical index": lexical.keys()}
    except IndexDamaged as error:
        return [str(error)]
    for name, index_seqs in indices.items():
        if not np.array_equal(index_seqs, seqs):
            wrong = len(np.setxor1d(index_seqs, seqs)) or abs(len(index_seqs) - len(seqs))
            problems.append(f"the {name} and the truth differ in {wrong} turns - run `hmem rebuild`")
    if wrong := _wrong_vectors(rows, seqs, read_vectors):
        problems.append(f"the vector index has {wrong} wrong vectors - run `hmem rebuild`")
    return problems


def _wrong_vectors(turn_rows: TurnRows, seqs: NDArray[np.int64], read_vectors: VectorReader) -> int:
    wrong = 0
    for start in range(0, len(seqs), _TURNS_AT_ONCE):
        chunk = seqs[start : start + _TURNS_AT_ONCE]
        rows = turn_rows.columns.rows_of(chunk)
        truth, row_vectors = read_vectors(chunk[rows >= 0].tolist()), turn_rows.vectors_of(rows[rows >= 0])
        # Both were rounded once and alike, so they should be equal; NaN counts as a difference.
        equal = np.linalg.norm(truth - row_vectors, axis=1) <= _ROUNDING_ERROR
        similar = (turn_rows.searched_vectors_of(rows[rows >= 0]) * truth).sum(axis=1) >= _MIN_ROUGH_COSINE
        wrong += int((~(equal & (similar | ~truth.any(axis=1)))).sum())
    return wrong
