"""Lexical index: Tantivy, over texts that are already stems.

A document has a key, the block that it belongs to, and one or more text fields. The unit of change is the block:
``replace`` swaps a block's documents for the present ones, in one commit that also moves the **watermark**, the last
change of the storage that the index holds. The watermark is a document of the index itself, so that no crash can part
the two.

Tantivy's writer excludes other processes, so it is opened for a batch and closed again. Its reader makes a lock in the
folder; a memory that is only read opens links to the files instead, in a folder that is gone afterwards.
"""

import os
import shutil
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, NamedTuple

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import Occur, Query

from hmem.errors import IndexDamaged, IndexingError, IndexWriteFailed
from hmem.util.files import private_folder

_ANALYSIS: Final = "stems"
_HEAP_BYTES: Final = 48_000_000


class _Translated:
    """Translation of Tantivy's errors, its panics among them, into one of ours.

    A panic is a ``BaseException`` of a class that cannot be imported, so it is recognised by its name.
    """

    def __init__(self, error: type[IndexingError], message: str) -> None:
        self._error = error
        self._message = message

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # TypeError: a missing field reads as None.
        if isinstance(error, ValueError | OSError | TypeError) or (kind and kind.__name__ == "PanicException"):
            raise self._error(self._message.format(error)) from error


class IndexDocument(NamedTuple):
    """A document: its key, its block, and a text of stems, separated by blanks, for each field."""

    key: int
    block: int
    texts: tuple[str, ...]


class Hits(NamedTuple):
    """Keys and BM25 scores of a search, best first.

    Documents beyond the limit score at most ``floor``, 0 if there are none. ``addresses`` are the index's own.
    """

    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    floor: float
    addresses: list[tantivy.DocAddress]


class LexicalIndex:
    """One Tantivy index in a folder, or in the process's memory when the folder is None.

    ``identity`` names the memory and the version; a folder with another identity is refused. With ``read_only`` nothing
    is written to the folder.

    Raises:
        IndexDamaged: the folder holds something else, or cannot be read.
    """

    def __init__(self, folder: Path | None, fields: tuple[str, ...], identity: str, *, read_only: bool = False) -> None:
        self._folder = folder
        self._read_only = read_only and folder is not None
        self._meta = str(folder and folder / "meta.json")
        self._fields = fields
        self._identity = identity
        self._reads = _Translated(IndexDamaged, f"{folder} cannot be read as an index ({{}}) - run `hmem rebuild`")
        self._writes = _Translated(IndexWriteFailed, f"{folder} cannot be written ({{}}) - free some space")
        self._index = self._open()
        self._stamp = self._file_stamp()
        self._load()

    def _open(self) -> tantivy.Index:
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("key", indexed=True, fast=True)
        builder.add_unsigned_field("of_block", indexed=True, fast=True)
        for field in self._fields:
            builder.add_text_field(field, tokenizer_name=_ANALYSIS, index_option="freq")
        builder.add_unsigned_field("mark", stored=True, indexed=True)
        for field in ("identity", "newest"):
            builder.add_text_field(field, stored=True, tokenizer_name="raw", index_option="basic")
        with self._reads, self._index_folder() as folder:
            index = tantivy.Index(builder.build(), path=None if folder is None else str(folder))
            index.register_tokenizer(_ANALYSIS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
            index.config_reader("manual", 0)
            index.reload()
        return index

    @contextmanager
    def _index_folder(self) -> Generator[Path | None]:
        """Yield the folder to open: a reader holds the files open, so the links to them are needed no longer."""
        if self._folder is None or not self._read_only:
            if self._folder is not None:
                private_folder(self._folder)
            yield self._folder
            return
        with TemporaryDirectory(prefix="hmem-") as links:
            for file in self._folder.iterdir():
                if file.suffix == ".json":
                    shutil.copy(file, links)
                elif file.suffix != ".lock":
                    Path(links, file.name).symlink_to(file.absolute())
            yield Path(links)

    def _load(self) -> None:
        """Load the last commit, with its watermark."""
        with self._reads:
            self._searcher = self._index.searcher()
            marks = self._searcher.search(
                Query.range_query(self._index.schema, "mark", tantivy.FieldType.Unsigned, 0, None), 2
            ).hits
            mark_documents = [self._searcher.doc(address) for _, address in marks]
        self.watermark = int(mark_documents[0].get_first("mark") or 0) if mark_documents else 0
        self.newest = str(mark_documents[0].get_first("newest") or "") if mark_documents else ""
        identity = mark_documents[0].get_first("identity") if mark_documents else self._identity
        if len(mark_documents) > 1 or identity != self._identity:
            raise IndexDamaged(f"{self._folder} is the index of another memory or version - run `hmem rebuild`")
        self.documents: int = self._searcher.num_docs - len(mark_documents)

    def _file_stamp(self) -> tuple[int, int, int]:
        """Return a value that changes whenever any process commits."""
        if self._folder is None:
            return (0, 0, 0)
        try:
            state = os.stat(self._meta)  # noqa: PTH116 - each recall asks, and a path takes longer than the question
        except OSError as error:
            raise IndexDamaged(f"{self._folder} is gone or unreadable ({error}) - run `hmem rebuild`") from error
        return (state.st_mtime_ns, state.st_ino, state.st_size)

    def refresh(self) -> bool:
        """Load what another process committed; return False if there was nothing.

        Raises:
            IndexDamaged: the folder was deleted or damaged meanwhile.
        """
        stamp = self._file_stamp()
        if stamp == self._stamp:
            return False
        self._reload(stamp)
        return True

    def _reload(self, stamp: tuple[int, int, int]) -> None:
        if self._read_only:
            self._index = self._open()
        else:
            with self._reads:
                self._index.reload()
        self._stamp = stamp
        self._load()

    def replace(
        self, blocks: Sequence[int] | None, documents: Iterable[IndexDocument], watermark: int, newest: str = ""
    ) -> bool:
        """Make these the only documents of these blocks, or of the index; return False if another process is writing.

        ``newest`` identifies the storage's history at the watermark and is kept beside it.

        Raises:
            IndexWriteFailed: the disk is full or refuses; the index is as it was.
        """
        try:
            writer = self._index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        except (ValueError, OSError) as error:
            if "LockBusy" in str(error):
                return False
            raise IndexWriteFailed(f"{self._folder} cannot be written ({error}) - free some space") from error
        with self._writes:
            with writer:
                if blocks is None:
                    writer.delete_all_documents()
                elif blocks:
                    # By query: deletion by term takes every number for a signed one and finds nothing.
                    writer.delete_documents_by_query(Query.term_set_query(self._index.schema, "of_block", list(blocks)))
                for document in documents:
                    writer.add_document(self._document(document))
                writer.delete_documents_by_query(
                    Query.range_query(self._index.schema, "mark", tantivy.FieldType.Unsigned, 0, None)
                )
                writer.add_document(self._mark(watermark, newest))
            # Leaving the block has committed and waited for merges; deleting the writer releases the lock.
            del writer
            self._reload(self._file_stamp())
        if self.watermark != watermark:
            # Leaving the block raises for some failed commits only.
            raise IndexWriteFailed(f"{self._folder} cannot be written (nothing was committed) - free some space")
        return True

    def sweep(self) -> bool:
        """Remove the files of earlier commits; return False if another process is writing.

        Raises:
            IndexWriteFailed: the disk refuses.
        """
        try:
            writer = self._index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        except (ValueError, OSError) as error:
            if "LockBusy" in str(error):
                return False
            raise IndexWriteFailed(f"{self._folder} cannot be written ({error}) - free some space") from error
        with self._writes:
            writer.garbage_collect_files()
        return True

    def _mark(self, watermark: int, newest: str) -> tantivy.Document:
        mark = tantivy.Document()
        mark.add_unsigned("mark", watermark)
        mark.add_text("identity", self._identity)
        mark.add_text("newest", newest)
        return mark

    def _document(self, document: IndexDocument) -> tantivy.Document:
        tantivy_document = tantivy.Document()
        tantivy_document.add_unsigned("key", document.key)
        tantivy_document.add_unsigned("of_block", document.block)
        for field, text in zip(self._fields, document.texts, strict=True):
            tantivy_document.add_text(field, text)
        return tantivy_document

    def containing(self, field: str, terms: Sequence[str]) -> list[int]:
        """Return the number of documents with each term."""
        with self._reads:
            return [self._searcher.doc_freq(field, term) for term in terms]

    def search(self, field: str, terms: Sequence[str], limit: int, keys: Sequence[int] | None = None) -> Hits:
        """Return the documents with the best BM25 scores for any of the terms, of all or of these keys.

        A filter by keys leaves the scores as they are. Its time grows with their number, so give few.
        """
        query = self._any_term(field, terms)
        if keys is not None:
            key_filter = Query.const_score_query(Query.term_set_query(self._index.schema, "key", list(keys)), 0.0)
            query = Query.boolean_query([(Occur.Must, query), (Occur.Must, key_filter)])
        return self._run(query, limit)

    def with_all(self, field: str, alternatives: Sequence[Sequence[str]]) -> Hits:
        """Return all documents that have a term of each of the alternatives, in no particular order."""
        limit = min((sum(self.containing(field, terms)) for terms in alternatives), default=0)
        queries = [Query.const_score_query(self._any_term(field, terms), 1.0) for terms in alternatives]
        return self._run(Query.boolean_query([(Occur.Must, query) for query in queries]), max(limit, 1))

    def _any_term(self, field: str, terms: Sequence[str]) -> Query:
        queries = [Query.term_query(self._index.schema, field, term, "freq") for term in terms]
        return Query.boolean_query([(Occur.Should, query) for query in queries])

    def _run(self, query: Query, limit: int) -> Hits:
        with self._reads:
            hits = self._searcher.search(query, limit, count=False).hits
            addresses = [address for _, address in hits]
            keys = np.array(self._searcher.fast_field_values("key", addresses), np.int64)
        scores = np.array([score for score, _ in hits], np.float32)
        return Hits(keys, scores, float(scores[-1]) if len(hits) == limit else 0.0, addresses)

    def blocks_of(self, hits: Hits) -> NDArray[np.int64]:
        """Return the block of each hit."""
        with self._reads:
            return np.array(self._searcher.fast_field_values("of_block", hits.addresses), np.int64)

    def all_hits(self) -> Hits:
        """Return all documents, in no particular order."""
        query = Query.range_query(self._index.schema, "key", tantivy.FieldType.Unsigned, 0, None)
        return self._run(query, max(self.documents, 1))
