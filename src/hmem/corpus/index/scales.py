"""Lexical search at three scales, the turn, its window and its block; and a search for residue in the index files.

A **window** is a turn with the turns before and after it in its block; a **block** is a run of turns of one session.
Turns and windows are two fields of one index, blocks another index, since BM25 compares a document with others of its
size. The tail holds the blocks that the indices lack and scores by the same formula, with the statistics of both.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.lexical import Hits, IndexDocument, LexicalIndex
from hmem.corpus.index.tail import BLOCK, TURN, WINDOW, Tail, best_possible, idf
from hmem.language.analyzer import VERSION, stems
from hmem.util.files import files_under
from hmem.util.residue import ByteScanner, Residue, words_in

LAYOUT: Final = 1

# A search among at most this many keys filters by them; one among more reads deeper until it has found enough.
_NAMED_KEYS: Final = 2_048
# Factor by which it reads more hits than it expects to need.
_DEEPER: Final = 2

Keys = NDArray[np.int64]
Contents = Sequence[tuple[int, int, str]]  # (block, sequence number, text), in this order


class Scores(NamedTuple):
    """Documents by key, ascending, with a score in [0, 1) each; documents not listed score at most ``floor``."""

    keys: NDArray[np.int64]
    values: NDArray[np.float32]
    floor: float

    def with_keys(self, rows: NDArray[np.int64]) -> "Scores":
        """Return the scores by row, without those whose row is -1."""
        if rows.min(initial=0) >= 0:
            return Scores(rows, self.values, self.floor)
        return Scores(rows[rows >= 0], self.values[rows >= 0], self.floor)


class LexicalScales:
    """The lexical indices of one memory and their tail. With ``read_only`` nothing is written to the folder.

    Raises:
        IndexDamaged: the folder holds the indices of something else, or cannot be read.
    """

    def __init__(self, folder: Path | None, memory: str, *, read_only: bool = False) -> None:
        identity = f"{memory}/{LAYOUT}/{VERSION}"
        self._turns = LexicalIndex(folder and folder / "turns", (TURN, WINDOW), identity, read_only=read_only)
        self._blocks = LexicalIndex(folder and folder / "blocks", (BLOCK,), identity, read_only=read_only)
        self.tail = Tail()

    @property
    def watermark(self) -> int:
        """Last change that both indices hold."""
        return min(self._turns.watermark, self._blocks.watermark)

    def refresh(self) -> bool:
        """Load what another process flushed; return False if there was nothing.

        Raises:
            IndexDamaged: the folder was deleted or damaged meanwhile.
        """
        turns, blocks = self._turns.refresh(), self._blocks.refresh()
        return turns or blocks

    @property
    def newest(self) -> set[str]:
        """Identities of the storage's history at the watermarks."""
        return {index.newest for index in (self._turns, self._blocks) if index.newest}

    def flush(self, blocks: Sequence[int], contents: Contents, watermark: int, newest: str = "") -> bool:
        """Replace these blocks by ``contents`` in the indices; return False if another process is writing.

        Raises:
            IndexWriteFailed: the disk is full or refuses.
        """
        turns_by_block = _group_by_block(contents)
        turns = self._turns.replace(blocks, _turn_documents(turns_by_block), watermark, newest)
        return turns and self._blocks.replace(blocks, _block_documents(turns_by_block), watermark, newest)

    def renew(self, read: Callable[[], Iterable[Contents]], watermark: int, newest: str = "") -> bool:
        """Replace everything in the indices by what ``read`` yields, some blocks at a time, and remove older files.

        Unlike ``flush`` it leaves nothing of removed documents: an index keeps their terms until it happens to merge.
        Return False if another process is writing.

        Raises:
            IndexWriteFailed: the disk is full or refuses.
        """
        windows = (document for contents in read() for document in _turn_documents(_group_by_block(contents)))
        if not self._turns.replace(None, windows, watermark, newest):
            return False
        wholes = (document for contents in read() for document in _block_documents(_group_by_block(contents)))
        if not self._blocks.replace(None, wholes, watermark, newest):
            return False
        return self._turns.sweep() and self._blocks.sweep()

    def search(
        self, scale: str, terms: Sequence[str], limit: int, mean_words: float, allowed_keys: Keys | None = None
    ) -> Scores:
        """Return the best documents for any of the stems: sequence numbers of turns, or block numbers.

        A score is BM25 divided by the bound of any document's for these terms. ``mean_words`` is the mean length of a
        turn. ``among``, ascending, are the keys that may be found; scores do not depend on it.
        """
        index = self._blocks if scale == BLOCK else self._turns
        idfs, documents = self._idfs(index, scale, terms)
        keys, values, floor = self._indexed(index, scale, terms, limit, allowed_keys)
        # Hits of an index come by score, those of the tail by key.
        in_order = not len(keys) and self.tail.ascending(scale)
        if len(self.tail):
            scores = self.tail.scores(scale, terms, idfs, self._mean_length(scale, mean_words, documents))
            hit = np.flatnonzero(
                scores if allowed_keys is None else (scores > 0) & _mask_of(self.tail.keys(scale), allowed_keys)
            )
            tail_keys, scores = self.tail.keys(scale)[hit], scores[hit]
            keys, values = _concatenate(keys, tail_keys), _concatenate(values, scores)
        best = np.float32(best_possible(idfs) or 1.0)
        if not in_order:
            order = np.argsort(keys)
            keys, values = keys[order], values[order]
        # Deleted documents count in Tantivy's statistics until it merges them away, and can lift a score a little.
        return Scores(keys, np.minimum(values / best, np.float32(1)), float(floor / best))

    def contains_terms(self, terms: Sequence[str], seqs: Keys) -> NDArray[np.bool_]:
        """Return a boolean for each stem (rows) and turn (columns), by sequence number: the turn has the stem."""
        presence = np.zeros((len(terms), len(seqs)), np.bool_)
        indexed: list[int] = sorted(set(seqs.tolist())) if self._turns.documents else []
        for row, term in enumerate(terms):
            keys = self.tail.keys(TURN)[self.tail.posting(TURN, term).positions]
            if indexed:
                hits = self._turns.search(TURN, [term], len(indexed), indexed)
                hit_keys = hits.keys[self._current(self._turns, hits)] if self.tail.block_numbers else hits.keys
                keys = _concatenate(hit_keys, keys)
            presence[row] = np.isin(seqs, keys)
        return presence

    def turns_with_all(self, alternatives: Sequence[Sequence[str]]) -> Keys:
        """Return the turns that have a stem of each of the alternatives, by sequence number, ascending."""
        tail_keys = self.tail.keys(TURN)
        for terms in alternatives:
            positions = np.concatenate([self.tail.posting(TURN, term).positions for term in terms])
            tail_keys = np.intersect1d(tail_keys, self.tail.keys(TURN)[positions])
        if not self._turns.documents:
            return np.sort(tail_keys)
        hits = self._turns.with_all(TURN, alternatives)
        keys = hits.keys[self._current(self._turns, hits)] if self.tail.block_numbers else hits.keys
        return np.sort(_concatenate(keys, tail_keys))

    def idfs(self, scale: str, terms: Sequence[str]) -> list[float]:
        """Return the idf of each stem among the documents at a scale."""
        return self._idfs(self._blocks if scale == BLOCK else self._turns, scale, terms)[0]

    def _idfs(self, index: LexicalIndex, scale: str, terms: Sequence[str]) -> tuple[list[float], int]:
        """Return the idf of each stem in the index and the tail together, and their number of documents."""
        # Tantivy counts the watermark's document too, which matters where there are few.
        documents = index.documents + 1
        containing = index.containing(scale, terms) if index.documents else [0] * len(terms)
        if len(self.tail):
            documents += len(self.tail.keys(scale))
            containing = [
                n + tail_count for n, tail_count in zip(containing, self.tail.containing(scale, terms), strict=True)
            ]
        return [idf(documents, n) for n in containing], documents

    def _indexed(
        self, index: LexicalIndex, scale: str, terms: Sequence[str], limit: int, allowed_keys: Keys | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], float]:
        """Return the hits in the index, and the bound of the others' scores."""
        if not (terms and limit and index.documents) or (allowed_keys is not None and not len(allowed_keys)):
            return np.empty(0, np.int64), np.empty(0, np.float32), 0.0
        if allowed_keys is not None:
            return self._indexed_among(index, scale, terms, limit, allowed_keys)
        hits = index.search(scale, terms, limit)
        if not self.tail.block_numbers:
            return hits.keys, hits.scores, hits.floor
        current = self._current(index, hits)
        return hits.keys[current], hits.scores[current], hits.floor

    def _indexed_among(
        self, index: LexicalIndex, scale: str, terms: Sequence[str], limit: int, allowed_keys: Keys
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], float]:
        """Return the best ``limit`` hits among some keys, however few they are."""
        depth = min(_DEEPER * limit * index.documents // len(allowed_keys) + 1, index.documents)
        key_filter = allowed_keys.tolist() if len(allowed_keys) <= min(_NAMED_KEYS, depth) else None
        if key_filter:
            depth = min(limit, index.documents)
        if self.tail.block_numbers:
            # Hits in blocks of the tail do not count.
            depth = min(depth + len(self.tail), index.documents)
        while True:
            hits = index.search(scale, terms, depth, key_filter)
            mask = _mask_of(hits.keys, allowed_keys)
            if self.tail.block_numbers:
                mask &= self._current(index, hits)
            positions = np.flatnonzero(mask)
            if len(positions) >= limit or len(hits.keys) < depth or depth == index.documents:
                break
            depth = min(depth * 2 * _DEEPER, index.documents)
        best = positions[:limit]
        truncated = len(positions) > limit or len(hits.keys) == depth < index.documents
        floor = float(hits.scores[best[-1]]) if truncated and len(best) else 0.0
        return hits.keys[best], hits.scores[best], floor

    def _current(self, index: LexicalIndex, hits: Hits) -> NDArray[np.bool_]:
        """Return a mask of the hits that are in no block of the tail."""
        return ~np.isin(index.blocks_of(hits), self.tail.block_numbers)

    def _mean_length(self, scale: str, mean_words: float, documents: int) -> float:
        if scale == TURN:
            return mean_words
        turns = self._turns.documents + len(self.tail)
        blocks = documents if scale == BLOCK else self._blocks.documents + len(self.tail.keys(BLOCK))
        turns_a_block = turns / max(blocks, 1)
        # A block's first window and its last have two turns, all others three.
        return mean_words * (turns_a_block if scale == BLOCK else max(3 - 2 / max(turns_a_block, 1), 1))

    def indexed_terms(self, terms: Sequence[str]) -> list[str]:
        """Return the stems that an index has, those of removed documents included."""
        counts = zip(*(index.containing(scale, terms) for index, scale in self._fields), strict=True)
        return [term for term, term_counts in zip(terms, counts, strict=True) if any(term_counts)]

    @property
    def _fields(self) -> list[tuple[LexicalIndex, str]]:
        return [(self._turns, TURN), (self._turns, WINDOW), (self._blocks, BLOCK)]

    def keys(self) -> NDArray[np.int64]:
        """Return the sequence numbers that a search may find, ascending."""
        hits = self._turns.all_hits()
        return np.sort(np.concatenate([hits.keys[self._current(self._turns, hits)], self.tail.keys(TURN)]))

    def put_in_tail(self, blocks: Sequence[int], contents: Contents) -> None:
        """Put these blocks into the tail."""
        turns_by_block = _group_by_block(contents)
        for block in blocks:
            self.tail.replace_block(block, turns_by_block.get(block, []))


def _turn_documents(turns_by_block: dict[int, list[tuple[int, str]]]) -> Iterator[IndexDocument]:
    """Yield turns, each with its window."""
    for block, turns in turns_by_block.items():
        padded = ["", *(text for _, text in turns), ""]
        for i, (seq, text) in enumerate(turns):
            yield IndexDocument(seq, block, (text, " ".join(padded[i : i + 3])))


def _block_documents(turns_by_block: dict[int, list[tuple[int, str]]]) -> Iterator[IndexDocument]:
    """Yield blocks."""
    for block, turns in turns_by_block.items():
        yield IndexDocument(block, block, (" ".join(text for _, text in turns),))


def _concatenate(index_hits: NDArray[Any], tail_hits: NDArray[Any]) -> NDArray[Any]:
    """Join an index's hits and the tail's; a small memory has only the tail's."""
    return np.concatenate([index_hits, tail_hits]) if len(index_hits) else tail_hits


def _mask_of(keys: Keys, allowed_keys: Keys) -> NDArray[np.bool_]:
    """Return a mask of the keys that are among the wanted ones, which ascend."""
    if not len(allowed_keys):
        return np.zeros(len(keys), np.bool_)
    positions = np.minimum(np.searchsorted(allowed_keys, keys), len(allowed_keys) - 1)
    return allowed_keys[positions] == keys


def _group_by_block(contents: Contents) -> dict[int, list[tuple[int, str]]]:
    turns_by_block: dict[int, list[tuple[int, str]]] = {}
    for block, seq, text in contents:
        turns_by_block.setdefault(block, []).append((seq, " ".join(stems(text))))
    return turns_by_block


# Shorter words occur by chance among the numbers of the files; the lexical indices are searched by stems instead.
_MIN_BYTES: Final = 6

# Words of the files themselves: names of columns, of fields, of the parts of a file.
OWN_TEXT: Final = """
    columns.npz block session speaker words said previous next alive window seq fact layout memory fingerprint
    generation
    watermark newest name descr fortran_order shape codes scales common_scale trained .npy vectors faiss false true none
    identity mark key of_block turn stems unsigned indexed stored fast fieldnorms tokenizer record freq basic options
    schema segments segment_id max_doc deletes opstamp payload index_settings docstore_compression docstore_blocksize
    docstore_compress_dedicated_thread num_deleted_docs index_format_version version major minor patch footer crc
    managed.json meta.json lock term store idx pos fieldnorm indexing wordllama
"""


def index_traces(
    folder: Path | None, lexical: LexicalScales, words: Sequence[str], texts: Iterable[str]
) -> list[Residue]:
    """Return the places of words that no living text has any more.

    ``texts`` are the living texts, read only if something is found. The lexical indices are asked for the words' stems,
    those of removed documents included; all files are searched for words of at least six bytes.
    """
    scanner = ByteScanner(words)
    by_stem = {stem: word for word in scanner.words for stem in stems(word)}
    indexed_stems = lexical.indexed_terms(sorted(by_stem)) if by_stem else []
    hits = list(dict.fromkeys(_hits(folder, scanner)))
    if not indexed_stems and not hits:
        return []
    living = _Vocabulary(texts)
    traces = [Residue(by_stem[stem], "the lexical index") for stem in indexed_stems if stem not in living.stems]
    return [*traces, *(hit for hit in hits if not living.holds(hit.word))]


def _hits(folder: Path | None, scanner: ByteScanner) -> Iterator[Residue]:
    if folder is None:
        return
    for file in sorted(files_under(folder)):
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            continue
        for _, word, _ in scanner.find(data, _MIN_BYTES):
            yield Residue(word, str(file.relative_to(folder.parent)))


class _Vocabulary:
    """Stems and words of living texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.stems: set[str] = set()
        words = words_in(OWN_TEXT)
        for text in texts:
            self.stems.update(stems(text))
            words |= words_in(text)
        self._all = "\n".join(sorted(words | self.stems))

    def holds(self, word: str) -> bool:
        """Return True if a word is one of them, or part of one."""
        return word in self._all
